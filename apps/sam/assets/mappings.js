// Mappings: which robot a provider means.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change, choices } from "../web/acts.js";

function edit(mapping) {
  ask({
    title: mapping ? mapping.nombre_externo : t("Nuevo mapeo", "New mapping"),
    fields: [
      { name: "nombre_externo", label: t("Nombre del proveedor para el robot", "The provider's name for the robot"), value: mapping?.nombre_externo, required: true, attrs: { maxlength: 255 } },
      { name: "proveedor", label: t("Proveedor", "Provider"), value: mapping?.proveedor, hint: t("Vacío: General.", "Empty: General."), attrs: { maxlength: 50 } },
      { name: "robot_id", label: "Robot", type: "select", value: mapping?.robot_id, options: choices("all-robots"), required: true },
      { name: "descripcion", label: t("Descripción", "Description"), value: mapping?.descripcion, attrs: { maxlength: 500 } },
    ],
    action: t("Guardar", "Save"),
    submit: (values) => {
      const body = {
        nombre_externo: values.nombre_externo,
        proveedor: values.proveedor || null,
        robot_id: Number(values.robot_id),
        descripcion: values.descripcion || null,
      };
      return mapping
        ? change("PUT", `/api/sam/mapeos/${mapping.id}`, body)
        : change("POST", "/api/sam/mapeos", body);
    },
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=mapping]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) edit(JSON.parse(button.dataset.edit));
});

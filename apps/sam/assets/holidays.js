// Holiday calendars: a name and its dates, one to a line.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change } from "../web/acts.js";

function edit(calendar) {
  ask({
    title: calendar ? calendar.nombre : t("Nuevo calendario", "New calendar"),
    fields: [
      { name: "nombre", label: t("Nombre", "Name"), value: calendar?.nombre, required: true, attrs: { maxlength: 100 } },
      {
        name: "feriados",
        label: t("Fechas", "Dates"),
        type: "area",
        value: calendar?.feriados.join("\n"),
        hint: t("AAAA-MM-DD, una por línea.", "YYYY-MM-DD, one to a line."),
        attrs: { rows: 10 },
      },
    ],
    action: t("Guardar", "Save"),
    submit: ({ nombre, feriados }) => {
      const body = { nombre, feriados: feriados.split(/[\s,;]+/).filter(Boolean) };
      return calendar
        ? change("PUT", `/api/sam/calendarios/${calendar.id}`, body, { version: calendar.version })
        : change("POST", "/api/sam/calendarios", body);
    },
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=calendar]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) edit(JSON.parse(button.dataset.edit));
});

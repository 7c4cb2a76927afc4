// Runners are entered and changed in a form, and reserved for a robot.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change, choices, whole } from "../web/acts.js";

function fields(runner) {
  return [
    ...(runner
      ? []
      : [{ name: "id", label: t("Id en A360", "Id in A360"), type: "number", hint: t("Vacío: se elige uno.", "Empty: one is chosen."), attrs: { min: 1 } }]),
    { name: "equipo", label: t("Nombre", "Name"), value: runner?.equipo, required: true, attrs: { maxlength: 100 } },
    { name: "user_id", label: t("Id de usuario en A360", "User id in A360"), type: "number", value: runner?.user_id, required: true, attrs: { min: 1 } },
    { name: "user_name", label: t("Usuario", "User"), value: runner?.user_name, attrs: { maxlength: 100 } },
    { name: "licencia", label: t("Licencia", "Licence"), value: runner?.licencia ?? "RUNTIME", hint: t("RUNTIME o ATTENDEDRUNTIME permiten ejecutar.", "RUNTIME or ATTENDEDRUNTIME run bots.") },
    { name: "pool_id", label: "Pool", type: "select", value: runner?.pool_id ?? "", options: choices("pools", t("Ninguno", "None")) },
    { name: "activo_sam", label: t("En servicio", "In service"), type: "check", value: runner?.activo_sam ?? true },
    { name: "permite_balanceo_dinamico", label: t("El balanceador puede asignarlo", "The balancer may assign it"), type: "check", value: runner?.permite_balanceo_dinamico ?? false },
  ];
}

function edit(runner) {
  ask({
    title: runner ? runner.equipo : t("Nuevo equipo", "New runner"),
    fields: fields(runner),
    action: t("Guardar", "Save"),
    submit: (values) => {
      const body = {
        ...(runner ? {} : { id: whole(values.id) }),
        equipo: values.equipo,
        user_id: whole(values.user_id),
        user_name: values.user_name || null,
        licencia: values.licencia,
        pool_id: whole(values.pool_id),
        activo_sam: values.activo_sam === "on",
        permite_balanceo_dinamico: values.permite_balanceo_dinamico === "on",
      };
      // A schedule holds it fixed: what the operator wants for later is not on the form.
      if (runner && !runner.permite_balanceo_dinamico && !body.permite_balanceo_dinamico)
        delete body.permite_balanceo_dinamico;
      return runner
        ? change("PUT", `/api/sam/equipos/${runner.id}`, body, { version: runner.version })
        : change("POST", "/api/sam/equipos", body);
    },
  });
}

function reserve(runner) {
  ask({
    title: t("Reservar para un robot", "Reserve for a robot"),
    text: t(
      "El balanceador no lo toca mientras esté reservado.",
      "The balancer leaves it alone while it is reserved.",
    ),
    fields: [
      { name: "robot_id", label: "Robot", type: "select", options: choices("all-robots"), required: true },
    ],
    action: t("Reservar", "Reserve"),
    submit: (values) =>
      change(
        "POST",
        "/api/sam/asignaciones",
        { robot_id: Number(values.robot_id), equipo_id: Number(runner) },
        { said: t("Reservado", "Reserved") },
      ),
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=runner]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) return edit(JSON.parse(button.dataset.edit));
  const held = event.target.closest("[data-reserve-runner]");
  if (held) reserve(held.dataset.reserveRunner);
});

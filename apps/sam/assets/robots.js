// Robots are entered and changed in a form.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change, choices, whole } from "../web/acts.js";

const number = (name, label, value, hint, attrs = {}) => ({
  name,
  label,
  type: "number",
  value,
  hint,
  attrs: { step: 1, ...attrs },
});

const CAUSES = ["DEPLOY_FAILED", "RUN_FAILED", "RUN_ABORTED", "RUN_TIMED_OUT", "SIN_INICIO"];

function fields(robot) {
  return [
    ...(robot
      ? []
      : [number("id", t("Id en A360", "Id in A360"), "", t("Vacío: se elige uno.", "Empty: one is chosen."), { min: 1 })]),
    { name: "robot", label: t("Nombre", "Name"), value: robot?.robot, required: true, attrs: { maxlength: 100 } },
    { name: "descripcion", label: t("Descripción", "Description"), value: robot?.descripcion, attrs: { maxlength: 4000 } },
    { name: "pool_id", label: "Pool", type: "select", value: robot?.pool_id ?? "", options: choices("pools", t("Ninguno", "None")) },
    number("prioridad_balanceo", t("Prioridad", "Priority"), robot?.prioridad_balanceo ?? 100, t("Menor, más importante.", "The lower, the more important."), { min: 0, max: 1000 }),
    number("min_equipos", t("Equipos, mínimo", "Runners, least"), robot?.min_equipos ?? 1, "", { min: 0, max: 10000 }),
    number("max_equipos", t("Equipos, máximo", "Runners, most"), robot?.max_equipos ?? -1, t("-1: sin límite.", "-1: without limit."), { min: -1, max: 10000 }),
    number("tickets_por_equipo_adicional", t("Tickets por equipo", "Tickets per runner"), robot?.tickets_por_equipo_adicional ?? 10, "", { min: 1, max: 100000 }),
    number("reintentos", t("Reintentos de un turno fallido", "Tries again of a failed slot"), robot?.reintentos ?? 0, t("Dentro de su tolerancia; 0: se avisa y nada más.", "Within its tolerance; 0: people are told and no more."), { min: 0, max: 10 }),
    number("reintento_espera_seg", t("Segundos antes del primero", "Seconds before the first"), robot?.reintento_espera_seg ?? 60, t("Se duplican con cada uno.", "Doubled with each."), { min: 0, max: 86400 }),
    {
      name: "reintento_causas",
      label: t("Por qué causas", "For what causes"),
      value: (robot?.reintento_causas ?? CAUSES.filter((one) => one !== "RUN_ABORTED")).join(", "),
      hint: CAUSES.join(", "),
      attrs: { maxlength: 200 },
    },
    {
      name: "parametros",
      label: t("Parámetros (JSON)", "Parameters (JSON)"),
      type: "area",
      value: robot?.parametros ? JSON.stringify(robot.parametros, null, 2) : "",
      hint: t("Variables de entrada del robot; vacío: las habituales.", "Input variables of the robot; empty: the usual ones."),
    },
    { name: "es_online", label: t("Online: corre por tickets", "Online: runs by tickets"), type: "check", value: robot?.es_online },
    { name: "activo", label: t("Activo", "Active"), type: "check", value: robot?.activo ?? true },
  ];
}

function body(values, robot) {
  const text = values.parametros.trim();
  return {
    ...(robot ? {} : { id: whole(values.id) }),
    robot: values.robot,
    descripcion: values.descripcion || null,
    pool_id: whole(values.pool_id),
    prioridad_balanceo: whole(values.prioridad_balanceo),
    min_equipos: whole(values.min_equipos),
    max_equipos: whole(values.max_equipos),
    tickets_por_equipo_adicional: whole(values.tickets_por_equipo_adicional),
    reintentos: whole(values.reintentos),
    reintento_espera_seg: whole(values.reintento_espera_seg),
    reintento_causas: values.reintento_causas.split(/[\s,;]+/).filter(Boolean),
    parametros: text === "" ? null : JSON.parse(text),
    es_online: values.es_online === "on",
    activo: values.activo === "on",
  };
}

/** What is no JSON never leaves the page; it is shown at its field like any other fault. */
const notJson = (error) => ({
  ok: false,
  problem: {
    title: "",
    errors: [
      { path: "parametros", message: `${t("No es JSON:", "This is no JSON:")} ${error.message}` },
    ],
  },
});

function edit(robot) {
  ask({
    title: robot ? robot.robot : t("Nuevo robot", "New robot"),
    fields: fields(robot),
    action: t("Guardar", "Save"),
    submit: async (values) => {
      let wanted;
      try {
        wanted = body(values, robot);
      } catch (error) {
        return notJson(error);
      }
      return robot
        ? change("PUT", `/api/sam/robots/${robot.id}`, wanted, { version: robot.version })
        : change("POST", "/api/sam/robots", wanted);
    },
  });
}

function reserve(robot) {
  ask({
    title: t("Reservar un equipo", "Reserve a runner"),
    text: t(
      "El balanceador no lo toca mientras esté reservado.",
      "The balancer leaves it alone while it is reserved.",
    ),
    fields: [
      { name: "equipo_id", label: t("Equipo", "Runner"), type: "select", options: choices("all-runners"), required: true },
    ],
    action: t("Reservar", "Reserve"),
    submit: (values) =>
      change(
        "POST",
        "/api/sam/asignaciones",
        { robot_id: Number(robot), equipo_id: Number(values.equipo_id) },
        { said: t("Reservado", "Reserved") },
      ),
  });
}

function start(robot) {
  ask({
    title: t("Ejecutar ahora", "Run now"),
    text: t(
      "Arranca en ese equipo sin esperar su programación ni sus tickets.",
      "It starts on that runner without waiting for its schedule or tickets.",
    ),
    fields: [
      { name: "equipo_id", label: t("Equipo", "Runner"), type: "select", options: choices("all-runners"), required: true },
      { name: "motivo", label: t("Motivo", "Reason"), required: true, attrs: { maxlength: 500 } },
    ],
    action: t("Ejecutar", "Run"),
    submit: ({ equipo_id, motivo }) =>
      change(
        "POST",
        `/api/sam/robots/${robot}/ejecutar`,
        { equipo_id: Number(equipo_id), motivo },
        { said: t("En marcha", "Under way") },
      ),
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=robot]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) return edit(JSON.parse(button.dataset.edit));
  const held = event.target.closest("[data-reserve-robot]");
  if (held) return reserve(held.dataset.reserveRobot);
  const run = event.target.closest("[data-run-robot]");
  if (run) start(run.dataset.runRobot);
});

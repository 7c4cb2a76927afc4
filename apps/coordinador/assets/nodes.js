// Nodes are entered and changed in a form.

import { change, choices, whole } from "../web/acts.js";
import { ask } from "../web/dialog.js";
import { instantOf, t } from "../web/text.js";

/** The OLT that the page is about, if it is about one. */
const here = () =>
  location.pathname.match(/\/olts\/(\d+)/)?.[1] ??
  new URLSearchParams(location.search).get("olt_id");

const number = (name, label, value, hint, attrs = {}) => ({
  name,
  label,
  type: "number",
  value,
  hint,
  attrs: { step: 1, ...attrs },
});

const AFTER = [
  ["EXITO", t("termine bien", "ended well")],
  ["EXITO_O_FALLO", t("termine, bien o mal", "ended, well or not")],
];

function fields(node) {
  const olt = {
    name: "olt_id",
    label: "OLT",
    type: "select",
    options: choices("all-olts"),
    value: node?.olt_id ?? here(),
    required: true,
  };
  const first = {
    name: "primera",
    label: t("Primera ejecución", "First run"),
    type: "time",
    hint: t("Vacía: dentro de un intervalo.", "Empty: an interval from now."),
  };
  const jobs = [
    ["descubrimiento", t("Descubrimiento", "Discovery")],
    ["get", "GET"],
  ];
  return [
    ...(node ? [] : [olt]),
    { name: "nombre", label: t("Nombre", "Name"), value: node?.nombre, required: true, attrs: { maxlength: 120 } },
    { name: "clave", label: t("Clave", "Key"), value: node?.clave, hint: t("Vacía: sale del nombre.", "Empty: made from the name."), attrs: { maxlength: 120 } },
    { name: "job_type", label: t("Tipo", "Type"), type: "select", value: node?.job_type, options: jobs },
    { name: "oid", label: "OID", value: node?.oid, attrs: { list: "oids" }, hint: t("Vacío: el del catálogo para esta OLT.", "Empty: the catalogue's for this OLT.") },
    { name: "espacio", label: t("Qué llena (GET)", "What it fills in (GET)"), type: "select", value: node?.espacio, options: choices("columns", t("Lectura: el último valor por OID", "Reading: the last value by OID")) },
    number("interval_seconds", t("Intervalo, segundos", "Interval, seconds"), node ? node.interval_seconds : 900, t("Los de cadena no llevan.", "Members of a chain have none."), { min: 1, max: 2678400 }),
    number("priority", t("Prioridad", "Priority"), node?.priority ?? 3, t("1 es la mejor, 5 la última.", "1 is the best, 5 the last."), { min: 1, max: 5 }),
    first,
    number("master_node_id", t("Número de su maestro", "Number of its master"), node?.master_node_id, t("Con maestro es de su cadena.", "With one it is in its chain."), { min: 1 }),
    { name: "tras_maestro", label: t("Corre cuando su maestro", "It runs when its master"), type: "select", value: node?.tras_maestro, options: AFTER },
    { name: "enabled", label: t("Habilitado", "Enabled"), type: "check", value: node?.enabled ?? true },
  ];
}

function body(values, node) {
  const master = whole(values.master_node_id);
  return {
    ...(node ? {} : { olt_id: whole(values.olt_id) }),
    ...(node && !values.clave ? {} : { clave: values.clave || null }),
    nombre: values.nombre,
    job_type: values.job_type,
    oid: values.oid || null,
    espacio: values.espacio || null,
    interval_seconds: whole(values.interval_seconds),
    priority: whole(values.priority),
    ...(values.primera ? { next_run_at: instantOf(values.primera) } : {}),
    master_node_id: master,
    tras_maestro: master === null ? null : values.tras_maestro,
    enabled: values.enabled === "on",
  };
}

function edit(node) {
  ask({
    title: node ? node.nombre : t("Nuevo nodo", "New node"),
    fields: fields(node),
    action: t("Guardar", "Save"),
    submit: (values) =>
      node
        ? change("PUT", `/api/coordinador/nodos/${node.id}`, body(values, node), { version: node.version })
        : change("POST", "/api/coordinador/nodos", body(values, null)),
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=node]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) edit(JSON.parse(button.dataset.edit));
});

// The form of a schedule: its fields follow the type, and what it would do is told while one types.

import { request } from "../web/api.js";
import { ask, clearErrors, showErrors } from "../web/dialog.js";
import { $, $$, h } from "../web/dom.js";
import { plain, t } from "../web/text.js";
import { whole } from "../web/acts.js";

const form = $("#schedule");
const preview = $("#preview");
const PAUSE = 250;

/** Every field of the contract: what does not belong to the type is null. */
function body() {
  const fields = new FormData(form);
  const kind = fields.get("tipo_programacion");
  const cyclic = fields.has("es_ciclico");
  const of = (wanted, name, read = (text) => text || null) =>
    wanted === kind ? read(fields.get(name)) : null;
  return {
    robot_id: Number($("#robot_id").value),
    tipo_programacion: kind,
    dias_semana: kind === "Semanal" ? fields.getAll("dias_semana") : null,
    dia_del_mes: of("Mensual", "dia_del_mes", whole),
    dia_inicio_mes: of("RangoMensual", "dia_inicio_mes", whole),
    dia_fin_mes: of("RangoMensual", "dia_fin_mes", whole),
    ultimos_dias_mes: of("RangoMensual", "ultimos_dias_mes", whole),
    fecha_especifica: of("Especifica", "fecha_especifica"),
    es_ciclico: cyclic,
    hora_inicio: fields.get("hora_inicio") || null,
    hora_fin: fields.get("hora_fin") || null,
    tolerancia: cyclic ? null : whole(fields.get("tolerancia")),
    intervalo_entre_ejecuciones: cyclic ? whole(fields.get("intervalo_entre_ejecuciones")) : null,
    fecha_inicio_ventana: fields.get("fecha_inicio_ventana") || null,
    fecha_fin_ventana: fields.get("fecha_fin_ventana") || null,
    calendario_id: whole(fields.get("calendario_id")),
    equipos: fields.getAll("equipos").map(Number),
    activo: fields.has("activo"),
    permitir_solapamiento: fields.has("permitir_solapamiento"),
  };
}

function follow() {
  const kind = new FormData(form).get("tipo_programacion");
  for (const part of $$("[data-kind]", form)) part.hidden = part.dataset.kind !== kind;
  const pace = form.elements.es_ciclico.checked ? "cyclic" : "single";
  for (const part of $$("[data-pace]", form)) part.hidden = part.dataset.pace !== pace;
}

let asked = 0;
let control = null;

async function tell() {
  const wanted = body();
  if (!wanted.robot_id || !wanted.hora_inicio) return;
  const turn = ++asked;
  control?.abort();
  control = new AbortController();
  const where = form.dataset.id ? `?id=${form.dataset.id}` : "";
  const answer = await fetch(`/sam/programaciones/previa${where}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/html, application/json" },
    body: JSON.stringify(wanted),
    signal: control.signal,
  }).catch(() => null);
  if (!answer || turn !== asked) return;
  const text = await answer.text();
  if (answer.ok) {
    const page = new DOMParser().parseFromString(text, "text/html");
    preview.replaceChildren(...page.body.childNodes);
    $("#allow").hidden = !$("[data-overlaps]", preview);
    return;
  }
  preview.replaceChildren(...fault(text));
}

/** What is still missing is no error while one types: it is told beside, not at the fields. */
function fault(text) {
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // An answer that is no problem document has nothing to add.
  }
  const wrong = (problem.errors ?? []).map(({ message }) => h("li", {}, message));
  return [
    h("h2.card-title", {}, t("Todavía no", "Not yet")),
    wrong.length
      ? h("ul.error-list", {}, wrong)
      : h("p.soft", {}, problem.detail ?? t("No se pudo calcular.", "It could not be reckoned.")),
  ];
}

let timer = null;
form.addEventListener("input", (event) => {
  if (event.target.id === "find-runner") return find(event.target.value);
  clearErrors(form);
  follow();
  clearTimeout(timer);
  timer = setTimeout(tell, PAUSE);
});

function find(text) {
  const words = plain(text);
  for (const label of $$(".pick label", form))
    label.hidden = !plain(label.textContent).includes(words) && !$("input", label).checked;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("[type=submit]", form);
  if (button.disabled) return;
  button.disabled = true;
  clearErrors(form);
  if (!Number($("#robot_id").value)) {
    button.disabled = false;
    const message = t("Falta elegir el robot.", "The robot has to be chosen.");
    return showErrors(form, { errors: [{ path: "robot_id", message }] });
  }
  const { id, version } = form.dataset;
  const result = id
    ? await request("PUT", `/api/sam/programaciones/${id}`, {
        body: body(),
        version: Number(version),
        quiet: true,
      })
    : await request("POST", "/api/sam/programaciones", { body: body(), quiet: true });
  button.disabled = false;
  if (result.ok) location.assign("/sam/programaciones");
  else {
    if (result.problem.code === "SOLAPAMIENTO") $("#allow").hidden = false;
    showErrors(form, result.problem);
  }
});

$("[data-remove]", form)?.addEventListener("click", (event) => {
  const id = event.target.closest("[data-remove]").dataset.remove;
  ask({
    title: t("Borrar la programación", "Remove the schedule"),
    text: t(
      "Sus equipos vuelven a balancearse como estaban, si ninguna otra los nombra. Lo que corre sigue.",
      "Its runners are balanced again as they were, if no other names them. What runs goes on.",
    ),
    fields: [],
    action: t("Borrar", "Remove"),
    danger: true,
    submit: async () => {
      const result = await request("DELETE", `/api/sam/programaciones/${id}`, { quiet: true });
      if (result.ok) location.assign("/sam/programaciones");
      return result;
    },
  });
});

follow();
tell();

// The questions beside the paper: fields that want a look first, or the types a page may have.

import { $, $$, h, icon } from "../web/dom.js";
import { t } from "../web/text.js";
import { Grid } from "./station_grid.js";
import { meant, readings, shown } from "./station_values.js";

/** What is doubtful is never a hundred. */
const percent = (share) => `${Math.min(99, Math.round(share * 100))} %`;

const KINDS = {
  decimal: t("importe", "amount"),
  date: t("fecha", "date"),
  integer: t("número", "number"),
  iban: "IBAN",
  tax_id: t("id. fiscal", "tax id"),
};

/** Why a field is flagged, in a few words. */
function reason(field) {
  const broken = field.rules.find((rule) => !rule.ok);
  if (!field.value) return field.required ? t("falta", "missing") : t("no encontrado", "not found");
  if (broken) return broken.detail || broken.rule;
  return field.needs_review ? t(`dudoso, ${percent(field.confidence)}`, `doubtful, ${percent(field.confidence)}`) : "";
}

/** Nothing was read and nothing has to be there: neither sure nor doubtful. */
const isBlank = (field) => !field.value && !field.needs_review;

export const toneOf = (field) =>
  isBlank(field) ? "plain" : !field.needs_review ? "good" : field.value && field.rules.every((rule) => rule.ok) ? "warn" : "bad";

const none = (field) =>
  h(
    "button.ghost.none",
    {
      type: "button",
      tabindex: "-1",
      "data-absent": field.name,
      "aria-pressed": "false",
      title: t("No está en el documento (Alt N)", "Not on the document (Alt N)"),
    },
    t("no está", "not there"),
  );

const note = (field) =>
  h(
    "p.note",
    { id: `e-${field.name}` },
    h("span.why", {}, sign(field), reason(field) || t("seguro", "sure")),
  );

const required = (field) => (field.required ? h("i.req", { "aria-hidden": "true" }, " *") : null);

const shell = (field, ...parts) =>
  h(
    "div.entry",
    { class: toneOf(field), "data-entry": field.name, "data-flagged": field.needs_review || null },
    ...parts,
    h("p.wrong", { role: "alert" }),
  );

/** A table: its grid answers for it wherever a field's input does. */
function table(field, task) {
  const grid = new Grid(field, task);
  const title = h("div.lines-title", {}, h("span", {}, field.title, required(field)), none(field));
  return Object.assign(shell(field, title, grid.element, note(field)), { grid });
}

function row(field, task) {
  if (field.kind === "table") return table(field, task);
  const id = `v-${field.name}`;
  const shared = {
    id,
    name: field.name,
    "data-name": field.name,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `e-${field.name}`,
  };
  const input = field.values.length
    ? h(
        "select",
        shared,
        h("option", { value: "" }, "–"),
        field.values.map((value) =>
          h("option", { value, selected: value === field.value }, value),
        ),
      )
    : h("input", {
        ...shared,
        type: "text",
        inputmode: field.kind === "decimal" ? "decimal" : null,
        maxlength: 2000,
        value: shown(field, field.value),
      });
  return shell(
    field,
    h(
      "label",
      { for: id },
      h("span", {}, field.title, required(field)),
      KINDS[field.kind] ? h("small", {}, KINDS[field.kind]) : null,
    ),
    h("div.answer", {}, input, none(field)),
    note(field),
    choices(field),
  );
}

const sign = (field) =>
  field.needs_review ? icon("warning") : isBlank(field) ? icon("minus") : icon("check");

/** What else was read, to be taken by a click or with ↓ and ↑. */
function choices(field) {
  const all = readings(field);
  if (field.values.length || all.length < 2) return null;
  return h(
    "div.alt",
    { role: "group", "aria-label": t(`Lecturas de ${field.title}`, `Readings of ${field.title}`) },
    all.slice(0, 4).map((value) =>
      h("button.ghost", { type: "button", tabindex: "-1", "data-reading": value }, shown(field, value)),
    ),
  );
}

/** Says which reading a field has now. */
export function markReading(form, field) {
  const text = inputOf(form, field.name).value;
  for (const button of $$("[data-reading]", entryOf(form, field.name)))
    button.setAttribute("aria-pressed", String(shown(field, button.dataset.reading) === text.trim()));
}

/** The form of a document. */
export function documentForm(task) {
  const flagged = task.fields.filter((field) => field.needs_review);
  const rest = task.fields.filter((field) => !field.needs_review);
  const [sure, blank] = [rest.filter((field) => !isBlank(field)), rest.filter(isBlank)];
  const rows = (fields) => fields.map((field) => row(field, task));
  const form = h(
    "form",
    { id: "answers", autocomplete: "off" },
    flagged.length
      ? h(
          "h2",
          {},
          flagged.length === 1
            ? t("1 campo por revisar", "1 field to check")
            : t(`${flagged.length} campos por revisar`, `${flagged.length} fields to check`),
        )
      : null,
    rows(flagged),
    sure.length ? h("h2.quiet", {}, t("Leídos con seguridad", "Read with confidence")) : null,
    rows(sure),
    blank.length ? h("h2.quiet", {}, t("No encontrados", "Not found")) : null,
    rows(blank),
  );
  // What is typed elsewhere may be what the lines add up to.
  const grids = task.fields.map(({ name }) => gridOf(form, name)).filter(Boolean);
  for (const grid of grids) grid.say();
  if (grids.length) form.addEventListener("input", () => grids.forEach((grid) => grid.say()));
  return form;
}

/** The types of a page, on the keys 1 to 9. */
export function typeForm(task) {
  const score = new Map(task.scores.map(({ word, confidence }) => [word, confidence]));
  const first = task.input_data.suggested_type;
  return h(
    "form",
    { id: "answers", autocomplete: "off" },
    h("h2", {}, t("¿Qué es esta página?", "What is this page?")),
    h(
      "div.types",
      { role: "radiogroup", "aria-label": t("Tipo", "Type") },
      task.types.map(({ word, title }, n) =>
        h(
          "label.type",
          {},
          h("input", { type: "radio", name: "doc_type", value: word, checked: word === first }),
          n < 9 ? h("kbd", {}, String(n + 1)) : h("kbd", {}, "·"),
          h("span", {}, title),
          score.get(word) >= 0.005 ? h("small", {}, percent(score.get(word))) : null,
        ),
      ),
    ),
    h("p.wrong", { role: "alert" }),
    h(
      "details.read",
      {},
      h("summary", {}, t("Texto leído", "Text read")),
      h("pre", {}, task.input_data.ocr_text ?? ""),
    ),
  );
}

export const entryOf = (form, name) => $(`[data-entry="${CSS.escape(name)}"]`, form);
export const gridOf = (form, name) => entryOf(form, name)?.grid;
export const inputOf = (form, name) => gridOf(form, name) ?? $("input, select", entryOf(form, name));
export const isAbsent = (form, name) => entryOf(form, name)?.classList.contains("absent");

export function setAbsent(form, name, absent) {
  const entry = entryOf(form, name);
  entry.classList.toggle("absent", absent);
  $("[data-absent]", entry).setAttribute("aria-pressed", String(absent));
  const input = inputOf(form, name);
  if (input.matches("select")) input.disabled = absent;
  else input.readOnly = absent;
}

/** What a person has answered so far, in the words of the contract. */
export function answers(task, form, evidence) {
  if (task.task_type === "classification") {
    const chosen = $("[name=doc_type]:checked", form);
    return chosen ? { doc_type: chosen.value } : {};
  }
  const data = {};
  const absent = [];
  for (const field of task.fields) {
    const { name } = field;
    if (isAbsent(form, name)) absent.push(name);
    else data[name] = meant(field, inputOf(form, name).value);
  }
  const kept = Object.fromEntries(
    Object.entries(evidence).filter(([name]) => data[name]),
  );
  for (const { name } of task.fields) {
    const grid = gridOf(form, name);
    if (grid?.touched && data[name]) kept[name] = grid.boxes;
  }
  return { extracted_data: data, absent, evidence: kept };
}

/** Puts a draft back. */
export function restore(task, form, draft, evidence) {
  if (!draft) return;
  if (task.task_type === "classification") {
    const chosen = $(`[name=doc_type][value="${CSS.escape(draft.doc_type ?? "")}"]`, form);
    if (chosen) chosen.checked = true;
    return;
  }
  for (const [name, value] of Object.entries(draft.extracted_data ?? {})) {
    const input = entryOf(form, name) && inputOf(form, name);
    const field = task.fields.find((one) => one.name === name);
    if (input?.fill) input.fill(value, draft.evidence?.[name]);
    else if (input) input.value = shown(field, value);
  }
  for (const name of draft.absent ?? []) if (entryOf(form, name)) setAbsent(form, name, true);
  Object.assign(evidence, draft.evidence ?? {});
}

/** Where values stand on the paper; of a table the row that is looked at. */
export const marks = (task, form, evidence) =>
  task.fields.flatMap((one) => {
    const grid = gridOf(form, one.name);
    const boxes = grid ? grid.near : (evidence[one.name] ?? one.boxes);
    return boxes.map((box) => ({ name: one.name, ...box, tone: toneOf(one) }));
  });

/** Which of the marks is the field's, and the first of its boxes. */
export function lit(form, field, evidence) {
  const grid = gridOf(form, field.name);
  if (grid) return [grid.lit, grid.first];
  return [field.name, (evidence[field.name] ?? field.boxes)[0]];
}

export function clearWrong(form) {
  $$(".wrong", form).forEach((place) => (place.textContent = ""));
  $$(".refused", form).forEach((entry) => entry.classList.remove("refused"));
}

/** Says what is wrong beside each field; the first of them gets the cursor. */
export function showWrong(form, problem) {
  clearWrong(form);
  let first = null;
  const loose = [];
  for (const { path, message } of problem.errors ?? []) {
    const entry = entryOf(form, path);
    if (!entry) {
      loose.push(message);
      continue;
    }
    entry.classList.add("refused");
    $(".wrong", entry).textContent = message;
    first ??= inputOf(form, path);
  }
  if (!first) $(".wrong", form).textContent = [problem.detail, ...loose].filter(Boolean).join(" ");
  first?.focus();
  return Boolean(first);
}

/** Why an answer was not taken, and what can be done about it. */
export const conflict = (problem) => [
  icon("warning"),
  h(
    "p",
    {},
    h("b", {}, problem.detail || problem.title),
    " ",
    t("Lo que se escribió queda guardado aquí.", "What was typed is kept here."),
  ),
  h("button", { type: "button", "data-do": "retake" }, t("Volver a tomarla", "Take it again")),
  h("button.primary", { type: "button", "data-do": "skip" }, t("Seguir con otra", "Go on with another")),
];

export const nothing = () =>
  h(
    "div.empty",
    {},
    icon("check"),
    h("h3", {}, t("No hay tareas por revisar", "There are no tasks to check")),
    h("p", {}, t("La próxima se abre aquí sola.", "The next one opens here by itself.")),
  );

/** What a task is about, in a few words. */
export function title(task) {
  if (task.task_type === "classification")
    return t(`Clasificar la página ${task.page_indices[0] + 1}`, `Classify page ${task.page_indices[0] + 1}`);
  const name = task.types.find(({ word }) => word === task.doc_type)?.title ?? task.doc_type;
  return t(`Completar: ${name}`, `Complete: ${name}`);
}

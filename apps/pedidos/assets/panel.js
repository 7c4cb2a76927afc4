// The panel's live parts: the capacity rules with the week they make, and the simulation.

import { get, post, put, remove } from "../web/api.js";
import { ask, clearErrors, showErrors } from "../web/dialog.js";
import { $, columns, empty, h, icon } from "../web/dom.js";
import { coalesce, subscribe } from "../web/live.js";
import { morphChildren } from "../web/morph.js";
import { minutes, t } from "../web/text.js";
import { toast } from "../web/toast.js";

const card = $("#rules");
const base = Number(card.dataset.base);
const may = card.dataset.may === "true";
const DAYS = [
  t("Domingo", "Sunday"),
  t("Lunes", "Monday"),
  t("Martes", "Tuesday"),
  t("Miércoles", "Wednesday"),
  t("Jueves", "Thursday"),
  t("Viernes", "Friday"),
  t("Sábado", "Saturday"),
];
const WEEK = [1, 2, 3, 4, 5, 6, 0];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

let rules = [];

async function load() {
  const [list, week] = await Promise.all([
    get("/capacidad-horarios", { quiet: true }),
    get("/api/pedidos/capacidad/semana", { quiet: true }),
  ]);
  if (list.ok) {
    rules = list.data.items ?? list.data;
    drawRules();
  }
  if (week.ok) drawWeek(week.data.celdas);
}

function drawRules() {
  const box = $("#rule-list");
  box.removeAttribute("aria-busy");
  if (!rules.length) {
    const none = empty(
      "calendar",
      t("Sin reglas", "No rules"),
      t(
        `Siempre rige la capacidad base, ${base}. Las reglas son para lo distinto.`,
        `The base capacity, ${base}, always applies. Add a rule for days or hours that differ.`,
      ),
    );
    morphChildren(box, h("div", {}, none));
    return;
  }
  const head = [
    t("Día", "Day"),
    t("Horario", "Hours"),
    t("Personal", "Staff"),
    t("Capacidad", "Capacity"),
    t("Nota", "Note"),
    t("Vigencia", "In force"),
    h("span.sr-only", {}, t("Acciones", "Actions")),
  ];
  const rows = rules.map((rule) =>
    h(
      "tr",
      { "data-key": `r${rule.id}`, "data-id": rule.id },
      h(
        "th",
        { scope: "row" },
        rule.dia_semana === null || rule.dia_semana === undefined
          ? t("Todos los días", "Every day")
          : DAYS[rule.dia_semana],
      ),
      h(
        "td",
        {},
        `${rule.desde} – ${rule.hasta}`,
        rule.hasta <= rule.desde ? h("small.soft", {}, t(" del día siguiente", " next day")) : null,
      ),
      h("td", {}, rule.personal ?? t("cualquiera", "any")),
      h("td.num", {}, h("b", {}, String(rule.capacidad))),
      h("td", {}, rule.nota ?? ""),
      h("td", {}, validity(rule)),
      h(
        "td",
        {},
        may
          ? h(
              "div.row",
              {},
              h(
                "button",
                { type: "button", "data-do": "edit-rule" },
                icon("edit"),
                t("Editar", "Edit"),
              ),
              h(
                "button.danger.square",
                {
                  type: "button",
                  "data-do": "drop-rule",
                  "aria-label": t("Borrar la regla", "Delete the rule"),
                },
                icon("trash"),
              ),
            )
          : null,
      ),
    ),
  );
  const table = h(
    "table.grid",
    { "data-key": "table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h("tbody", {}, rows),
  );
  morphChildren(box, h("div", {}, h("div.scroll-x", { "data-key": "scroll" }, table)));
}

function validity({ vigente_desde: from, vigente_hasta: to }) {
  if (!from && !to) return t("siempre", "always");
  return `${from ?? "…"} → ${to ?? "…"}`;
}

/** Shade from the smallest to the largest capacity of the week. */
function drawWeek(cells) {
  const at = new Map();
  for (const cell of cells) {
    const key = `${cell.dia}-${Number(cell.hora.slice(0, 2))}`;
    const known = at.get(key);
    // The answer may be by half hours; an hour shows its larger half and names both.
    if (!known) at.set(key, { ...cell, all: [cell.capacidad] });
    else {
      known.all.push(cell.capacidad);
      if (cell.capacidad > known.capacidad)
        Object.assign(known, { capacidad: cell.capacidad, regla_id: cell.regla_id });
    }
  }
  const values = cells.map((cell) => cell.capacidad);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shade = (value) => (high === low ? 2 : 1 + Math.round(((value - low) / (high - low)) * 5));
  const row = (day) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, DAYS[day]),
      HOURS.map((hour) => {
        const cell = at.get(`${day}-${hour}`);
        if (!cell) return h("td.heat-0");
        const rule = rules.find(({ id }) => id === cell.regla_id);
        const source = rule
          ? rule.nota || `${rule.desde}–${rule.hasta}`
          : t("capacidad base", "base capacity");
        const mixed = new Set(cell.all).size > 1;
        return h(
          "td",
          {
            class: `heat-${shade(cell.capacidad)}${rule ? " ruled" : ""}`,
            title: `${DAYS[day]} ${hour}:00, ${cell.all.join(" / ")}: ${source}`,
          },
          `${cell.capacidad}${mixed ? "*" : ""}`,
        );
      }),
    );
  const table = h(
    "table.heat",
    {},
    h("caption.sr-only", {}, t("Capacidad por día y hora", "Capacity by day and hour")),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td"),
        HOURS.map((hour) => h("th", { scope: "col" }, String(hour))),
      ),
    ),
    h("tbody", {}, WEEK.map(row)),
  );
  morphChildren($("#week"), h("div", {}, h("div.scroll-x", {}, table)));
}

function ruleForm(rule) {
  const day = rule?.dia_semana;
  ask({
    title: rule ? t("Editar regla", "Edit rule") : t("Agregar regla", "Add rule"),
    fields: [
      {
        name: "dia_semana",
        label: t("Día", "Day"),
        type: "select",
        value: day === null || day === undefined ? "" : String(day),
        options: [
          ["", t("Todos los días", "Every day")],
          ...WEEK.map((value) => [String(value), DAYS[value]]),
        ],
      },
      h(
        "div.fields",
        {},
        fieldset("desde", t("Desde", "From"), "time", rule?.desde ?? "19:00", { required: true }),
        fieldset(
          "hasta",
          t("Hasta", "Until"),
          "time",
          rule?.hasta ?? "23:00",
          { required: true },
          t("Antes que «desde» = cruza la medianoche", "Before “from” = crosses midnight"),
        ),
        fieldset("capacidad", t("Capacidad", "Capacity"), "number", rule?.capacidad ?? base, {
          required: true,
          min: 1,
          max: 200,
        }),
        fieldset(
          "personal",
          t("Con este personal (opcional)", "With this staff (optional)"),
          "number",
          rule?.personal ?? "",
          { min: 1, max: 99 },
        ),
        fieldset(
          "vigente_desde",
          t("Vigente desde (opcional)", "In force from (optional)"),
          "date",
          rule?.vigente_desde ?? "",
          {},
        ),
        fieldset(
          "vigente_hasta",
          t("Vigente hasta (opcional)", "In force until (optional)"),
          "date",
          rule?.vigente_hasta ?? "",
          {},
        ),
      ),
      {
        name: "nota",
        label: t("Nota", "Note"),
        value: rule?.nota ?? "",
        attrs: { maxlength: 200 },
      },
    ],
    action: t("Guardar", "Save"),
    submit: async (values) => {
      const number = (text) => (text === "" ? null : Number(text));
      const body = {
        dia_semana: number(values.dia_semana),
        desde: values.desde,
        hasta: values.hasta,
        capacidad: number(values.capacidad),
        personal: number(values.personal),
        vigente_desde: values.vigente_desde || null,
        vigente_hasta: values.vigente_hasta || null,
        nota: values.nota.trim() || null,
      };
      const result = await (rule
        ? put(`/capacidad-horarios/${rule.id}`, body, { quiet: true })
        : post("/capacidad-horarios", body, { quiet: true }));
      if (result.ok) load();
      return result;
    },
  });
}

function fieldset(name, label, type, value, attrs, hint) {
  return h(
    "div.field",
    { "data-field": name },
    h("label", { for: `f-${name}` }, label),
    h("input", { id: `f-${name}`, name, type, value, ...attrs }),
    hint ? h("small.hint", {}, hint) : null,
    h("small.error", { role: "alert" }),
  );
}

async function dropRule(rule) {
  const result = await remove(`/capacidad-horarios/${rule.id}`);
  await load();
  if (!result.ok) return;
  const { id: _, version: __, ...body } = rule;
  toast(t("Regla borrada", "Rule deleted"), {
    tone: "good",
    undo: () => post("/capacidad-horarios", body).then(load),
  });
}

card.addEventListener("click", (event) => {
  const verb = event.target.closest("[data-do]")?.dataset.do;
  const rule = rules.find(({ id }) => String(id) === event.target.closest("[data-id]")?.dataset.id);
  if (verb === "add-rule") ruleForm(null);
  else if (verb === "edit-rule" && rule) ruleForm(rule);
  else if (verb === "drop-rule" && rule) dropRule(rule);
});

/* Simulation: every run stays in the table, so that settings can be compared. */

const runs = [];

function drawRuns() {
  const best = (name) => Math.min(...runs.map((run) => run[name]));
  const cell = (run, name, text) =>
    h(
      "td.num",
      {},
      runs.length > 1 && run[name] === best(name) ? h("b", {}, icon("check"), ` ${text}`) : text,
    );
  const rows = runs.map((run) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, run.dia),
      h("td.num", {}, String(run.capacidad)),
      h("td", {}, run.politica === "promesa" ? t("Promesa", "Promise") : t("Estricta", "Strict")),
      h("td.num", {}, String(run.pedidos)),
      cell(run, "espera_p50", minutes(run.espera_p50)),
      cell(run, "espera_p90", minutes(run.espera_p90)),
      cell(run, "atrasados", String(run.atrasados)),
      h("td.hours", {}, hours(run.utilizacion)),
    ),
  );
  const head = [
    t("Día", "Day"),
    t("Capacidad", "Capacity"),
    t("Prioridad", "Priority"),
    t("Pedidos", "Orders"),
    t("Espera p50", "Wait p50"),
    t("Espera p90", "Wait p90"),
    t("Atrasados", "Late"),
    t("Uso por hora", "Use by hour"),
  ];
  const table = h(
    "table.grid",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((text) => h("th", { scope: "col" }, text)),
      ),
    ),
    h("tbody", {}, rows),
  );
  morphChildren($("#simulation-result"), h("div", {}, h("div.scroll-x", {}, table)));
}

/** Percentages by hour as small columns, with the numbers for those who do not see them. */
function hours(values) {
  const text = values
    .map((value, hour) => `${hour}: ${Math.round(value)} %`)
    .filter((_, hour) => values[hour] > 0);
  return h(
    "span.mini-bars",
    { role: "img", "aria-label": text.join(", "), title: text.join("\n") },
    columns(values.map((value) => value / 100)),
  );
}

const form = $("#simulation");
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("[type=submit]", form);
  button.disabled = true;
  clearErrors(form);
  $("#simulation-error").textContent = "";
  const { dia, capacidad, politica } = Object.fromEntries(new FormData(form));
  const asked = { dia, capacidad: Number(capacidad), politica };
  const result = await post("/api/pedidos/simulacion", asked, { quiet: true }).finally(
    () => (button.disabled = false),
  );
  if (!result.ok) {
    showErrors(form, result.problem);
    $("#simulation-error").textContent = result.problem.detail || result.problem.title;
    return;
  }
  runs.unshift({ ...asked, ...result.data });
  runs.length = Math.min(runs.length, 8);
  drawRuns();
});

const refresh = coalesce(load, 2_000);
subscribe(["pedidos"], {
  event: (envelope) => envelope.name === "capacidad:actualizada" && refresh(),
  resync: refresh,
});
load();

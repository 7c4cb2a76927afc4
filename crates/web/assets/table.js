// What every table of rows can do beside being read: order, keyboard, rows chosen and acted upon
// together, the shown rows as CSV, and cells that know their heading where a row becomes a card.
//
// `ui::table` draws it. A heading orders the rows that are shown; the order lives in the address.
// `<tr data-key data-can="abort enable">` with `ui::pick` can be chosen; the buttons of `ui::bulk`
// send one request for each, so that each is decided and recorded by itself.

import { request } from "./api.js";
import { ask, open } from "./dialog.js";
import { $, $$, h } from "./dom.js";
import { bind } from "./keys.js";
import { lang, t } from "./text.js";
import { toast } from "./toast.js";

const ORDER = "orden";
/** From so many on, a change of many has to be typed. */
const MANY = 20;

const tables = () => $$("table[data-rows]");
const bodyRows = (table) => [...(table.tBodies[0]?.rows ?? [])];

/* Order */

const compare = new Intl.Collator(lang, { numeric: true, sensitivity: "base" }).compare;

/** What a cell is ordered by: what it says, or an instant, or a number told apart. */
function weight(cell) {
  if (!cell) return "";
  return cell.dataset.sort ?? $("time", cell)?.dateTime ?? cell.textContent.trim();
}

const asked = () => Number(new URLSearchParams(location.search).get(ORDER)) || 0;

/** `2` is the second column upwards, `-2` downwards. */
function order(table, wanted) {
  const column = Math.abs(wanted) - 1;
  const head = table.tHead?.rows[0];
  if (!head?.cells[column]) return;
  const rows = bodyRows(table);
  const sorted = rows.toSorted(
    (one, other) => Math.sign(wanted) * compare(weight(one.cells[column]), weight(other.cells[column])),
  );
  if (sorted.some((row, index) => row !== rows[index])) table.tBodies[0].append(...sorted);
  for (const [index, cell] of [...head.cells].entries()) {
    const sort = index === column ? (wanted > 0 ? "ascending" : "descending") : null;
    if (sort) cell.setAttribute("aria-sort", sort);
    else cell.removeAttribute("aria-sort");
  }
}

function reorder(cell) {
  const table = cell.closest("table");
  const column = cell.cellIndex + 1;
  const wanted = cell.getAttribute("aria-sort") === "ascending" ? -column : column;
  order(table, wanted);
  // Of several tables on a page, the first one's order can be shared.
  if (table !== tables()[0]) return;
  const url = new URL(location.href);
  url.searchParams.set(ORDER, wanted);
  history.replaceState(null, "", url);
  keepOrder(wanted);
}

/** Filters and further pages keep the order. */
function keepOrder(wanted) {
  for (const form of $$("form.filters[method=get]:not([action])")) {
    const field = $(`[name=${ORDER}]`, form) ?? h("input", { type: "hidden", name: ORDER });
    field.value = wanted;
    form.append(field);
  }
  for (const link of $$(".pager a, .older a")) {
    const url = new URL(link.href);
    url.searchParams.set(ORDER, wanted);
    link.href = url;
  }
}

const sortable = (cell) =>
  cell.textContent.trim() && !cell.classList.contains("choose") && !$(".sr-only, input", cell);

/* Cells that know their heading */

function dress(table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  for (const cell of heads) {
    if (!sortable(cell) || cell.tabIndex === 0) continue;
    cell.tabIndex = 0;
    cell.classList.add("sortable");
    cell.title = t("Ordenar lo que se ve", "Order what is shown");
  }
  const labels = heads.map((cell) => cell.textContent.trim());
  for (const row of bodyRows(table))
    for (const [index, cell] of [...row.cells].entries())
      if (cell.tagName === "TD" && cell.dataset.label !== labels[index])
        cell.dataset.label = labels[index] ?? "";
  if (asked() && table === tables()[0]) order(table, asked());
  fold(table);
}

/* Long lists on a phone */

/** Cards that are shown at once where a row is a card, fewer of each where there are many tables;
 * the rest is a tap away. */
const FOLD = { one: 10, many: 4 };
const narrow = matchMedia("(max-width: 720px)");
/** What somebody unfolded stays so while the page lives. */
const unfolded = new Set();
const labelOf = (table) => table.closest("[aria-label]")?.getAttribute("aria-label");

function fold(table) {
  const foot = $(".table-foot", table.closest(".table") ?? h("i"));
  if (!foot) return;
  const fold = tables().length > 3 ? "many" : "one";
  const rest = bodyRows(table).length - FOLD[fold];
  const folded = narrow.matches && rest > 2 && !unfolded.has(labelOf(table));
  if (!folded) table.removeAttribute("data-folded");
  else if (table.dataset.folded !== fold) table.dataset.folded = fold;
  const button = $("[data-unfold]", foot);
  if (!folded) return button?.remove();
  const more = button ?? h("button", { type: "button", "data-unfold": "" });
  write(more, t(`Mostrar ${rest} más`, `Show ${rest} more`));
  if (!button) foot.prepend(more);
}

/* Rows by keyboard */

const current = () => $("table[data-rows] tr[aria-selected=true]");

/** j and k walk the rows of the page's tables; Enter opens the row's first link, x chooses it. */
function walk(step) {
  const rows = tables().flatMap(bodyRows);
  if (!rows.length) return;
  const at = rows.indexOf(current());
  const last = rows.length - 1;
  const next = Math.max(0, Math.min(last, at < 0 && step < 0 ? last : at + step));
  rows[at]?.removeAttribute("aria-selected");
  rows[next].setAttribute("aria-selected", "true");
  rows[next].scrollIntoView({ block: "nearest" });
}

/* Rows that are chosen */

const picked = () => $$("input[data-pick]:checked").map((box) => box.closest("tr"));

/** Only what differs is written: the observer below hears every writing. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function drawBulk() {
  for (const bar of $$("[data-bulk]")) {
    const rows = picked();
    bar.classList.toggle("idle", rows.length === 0);
    write(
      $("b", bar),
      t(rows.length === 1 ? "1 elegida" : `${rows.length} elegidas`, `${rows.length} chosen`),
    );
    for (const button of $$("[data-each]", bar)) {
      const able = rows.filter((row) => can(row, button)).length;
      button.disabled = able === 0;
      button.title = able
        ? ""
        : t("Ninguna de las elegidas lo admite.", "None of those chosen allows it.");
      write($("small", button), able && able < rows.length ? ` ${able}` : "");
    }
  }
  for (const all of $$("input[data-pick-all]")) {
    const boxes = $$("tbody input[data-pick]", all.closest("table"));
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  }
}

const can = (row, button) => (row.dataset.can ?? "").split(" ").includes(button.dataset.can);
const nameOf = (row) => row.dataset.name ?? $("th a, th", row)?.textContent.trim() ?? row.dataset.key;

/** Asks once, sends one request after the other, and says how many were made and which were not. */
function together(button) {
  const rows = picked().filter((row) => can(row, button));
  const action = button.firstChild.textContent.trim();
  const fields = [];
  const why = button.dataset.reason;
  if (why)
    fields.push({ name: why, label: t("Motivo", "Reason"), required: true });
  if (rows.length >= MANY)
    fields.push({
      name: "count",
      label: t(`Escribir ${rows.length} para confirmar`, `Type ${rows.length} to confirm`),
      required: true,
      attrs: { pattern: String(rows.length), inputmode: "numeric" },
    });
  const names = rows.slice(0, 12).map(nameOf).join(", ");
  const more = rows.length > 12 ? ` … +${rows.length - 12}` : "";
  ask({
    title: `${action}: ${rows.length}`,
    text: [button.dataset.ask, names + more].filter(Boolean).join(" "),
    fields,
    action,
    danger: "danger" in button.dataset,
    submit: async (values) => {
      const failed = await each(button, rows, values);
      tell(action, rows.length - failed.length, failed);
      for (const box of $$("input[data-pick]:checked")) box.checked = false;
      drawBulk();
      document.dispatchEvent(new CustomEvent("bulk-done"));
      return { ok: true };
    },
  });
}

async function each(button, rows, values) {
  const [method, url] = button.dataset.each.split(" ");
  const body = button.dataset.body ? JSON.parse(button.dataset.body) : {};
  const why = button.dataset.reason;
  if (why) body[why] = values[why];
  const failed = [];
  for (const row of rows) {
    const { version } = row.dataset;
    const result = await request(method, url.replace("{key}", encodeURIComponent(row.dataset.key)), {
      body,
      version: version ? Number(version) : undefined,
      quiet: true,
    });
    if (!result.ok) failed.push([nameOf(row), result.problem?.detail || result.problem?.title]);
  }
  return failed;
}

function tell(action, made, failed) {
  if (!failed.length)
    return toast(t(`${action}: ${made} de ${made}`, `${action}: ${made} of ${made}`), {
      tone: "good",
    });
  const all = made + failed.length;
  const dialog = open(t(`${action}: ${made} de ${all}`, `${action}: ${made} of ${all}`), [
    h("p", {}, t(`No se pudo con ${failed.length}:`, `Not possible with ${failed.length}:`)),
    h(
      "ul",
      {},
      failed.map(([name, why]) => h("li", {}, h("b", {}, name), `: ${why ?? ""}`)),
    ),
  ]);
  dialog.classList.add("bulk-answer");
}

/* CSV of what is shown */

/** A sheet must not take what somebody typed for a formula. */
const cellText = (cell) => {
  const copy = cell.cloneNode(true);
  for (const aside of $$(".sr-only, button, form, svg", copy)) aside.remove();
  for (const line of $$("br", copy)) line.replaceWith(" ");
  for (const time of $$("time", copy)) time.replaceWith(time.dateTime);
  const text = copy.textContent.replace(/\s+/g, " ").trim();
  const safe = /^[=+\-@\t]/.test(text) && !/^-?[\d.,]+$/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
};

function save(table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const kept = heads.map((cell, index) => [cell, index]).filter(([cell]) => sortable(cell));
  const lines = [
    kept.map(([cell]) => cellText(cell)),
    ...bodyRows(table).map((row) => kept.map(([, index]) => (row.cells[index] ? cellText(row.cells[index]) : ""))),
  ];
  const text = `\uFEFF${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const name = `${document.title.split(" · ")[0]}.csv`.replace(/[\\/:]/g, "-");
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/* Together */

let waiting = false;
function dressAll() {
  waiting = false;
  tables().forEach(dress);
  drawBulk();
}
function dressSoon() {
  if (waiting) return;
  waiting = true;
  queueMicrotask(dressAll);
}

document.addEventListener("click", (event) => {
  const head = event.target.closest("th.sortable");
  if (head) return reorder(head);
  const button = event.target.closest("[data-each]");
  if (button && !button.disabled) return together(button);
  const more = event.target.closest("[data-unfold]");
  if (more) {
    unfolded.add(labelOf($("table", more.closest(".table"))));
    return dressAll();
  }
  const csv = event.target.closest("[data-csv]");
  if (csv) save($("table", csv.closest(".table")));
});
document.addEventListener("keydown", (event) => {
  const head = event.target.closest?.("th.sortable");
  if (head && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    reorder(head);
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick-all]"))
    for (const box of $$("tbody input[data-pick]", event.target.closest("table")))
      box.checked = event.target.checked;
  if (event.target.matches("[data-pick], [data-pick-all]")) drawBulk();
});

/** `general` is the heading of the keys that hold everywhere. */
export function equip(general) {
  document.documentElement.dataset.js = "";
  if (!tables().length && !$("[data-live]")) return;
  dressAll();
  narrow.addEventListener("change", dressAll);
  if (asked()) keepOrder(asked());
  // A page that renews itself takes away what only stands here.
  new MutationObserver(dressSoon).observe($("main"), {
    childList: true,
    subtree: true,
    attributeFilter: ["data-label", "data-folded", "tabindex"],
  });
  bind(general, "j", t("Fila siguiente", "Next row"), () => walk(1));
  bind(general, "k", t("Fila anterior", "Previous row"), () => walk(-1));
  bind(general, "Enter", t("Abrir la fila", "Open the row"), () => $("a", current() ?? undefined)?.click());
  if ($("[data-pick]"))
    bind(general, "x", t("Elegir la fila", "Choose the row"), () =>
      $("input[data-pick]", current() ?? h("i"))?.click(),
    );
}

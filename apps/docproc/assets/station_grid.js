// A table among the questions: its rows as a grid of cells, and what they add up to while they are
// typed. To the rest of the station it is one input, whose value is the rows as JSON.

import { $, $$, h, icon } from "../web/dom.js";
import { t } from "../web/text.js";

const locale = t("es-AR", "en-GB");
const [exact, cents] = [0, 2].map(
  (least) => new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: 6 }),
);
/** What the amounts of the lines may add up to, the likeliest first. */
const GOALS = ["net_amount", "untaxed_amount", "subtotal", "total_amount", "total"];

/** A number as people type it: a sign before three digits parts thousands, as the server reads it. */
export function number(value) {
  if (typeof value === "number") return value;
  const text = String(value ?? "").replace(/[^\d.,-]/g, "");
  const [, whole, sign, part] = /^(.*?)(?:([.,])(\d*))?$/.exec(text);
  const decimals = sign && (part.length !== 3 || (whole.match(/[.,]/g) ?? []).some((one) => one !== sign));
  const digits = (decimals ? whole : text).replace(/[.,]/g, "");
  return /\d/.test(text) ? Number(decimals ? `${digits}.${part}` : digits) : null;
}

const shown = (kind, value) =>
  typeof value !== "number" ? (value ?? "") : (kind === "money" ? cents : exact).format(value);

const same = (one, other, slack = 0.005) => Math.abs(one - other) <= slack;

export class Grid {
  /** @param {{name: string, title: string, value: string?, boxes: any[], columns: any[]}} field */
  constructor(field, task) {
    this.field = field;
    this.goals = GOALS.map((name) => task.fields.find((one) => one.name === name)).filter(Boolean);
    this.columns = field.columns;
    const of = (kind) => this.columns.findIndex((one) => one.kind === kind);
    this.amount = this.columns.findLastIndex((one) => one.kind === "money");
    [this.quantity, this.price, this.tax] = [of("number"), of("money"), of("percent")];
    this.at = null;
    this.body = h("div", { role: "rowgroup" });
    this.sum = h("p.lines-sum", { role: "status" });
    this.element = h(
      "div.lines-grid",
      {},
      h("div", { role: "table", "aria-label": field.title }, this.#heads(), this.body),
      h("div.lines-foot", {}, this.sum, h("button.ghost", { type: "button", "data-add": true }, icon("plus"), t("Fila", "Row"))),
    );
    this.element.addEventListener("input", (event) => this.#typed(event.target));
    this.element.addEventListener("focusin", (event) => this.#enter(event.target));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("click", (event) => this.#click(event.target));
    this.fill(field.value);
  }

  #heads() {
    const head = ({ title, kind }) => h("span", { role: "columnheader", class: kind }, title);
    const wide = this.columns.filter(({ kind }) => kind !== "text").length;
    const remove = h("span", { role: "columnheader" }, h("span.sr-only", {}, t("Quitar", "Remove")));
    this.shape = `of-${Math.min(8, Math.max(1, wide))}`;
    return h("div", { role: "rowgroup" }, h("div.line", { role: "row", class: this.shape }, this.columns.map(head), remove));
  }

  /** Lays out rows of JSON with the boxes of their cells. */
  fill(text, boxes = this.field.boxes) {
    let rows = [];
    try {
      rows = JSON.parse(text || "[]");
    } catch {
      // Somebody outside gave it as a text: there are no rows to show.
    }
    const of = (n, c) => boxes.filter(({ cell }) => cell?.[0] === n && cell[1] === c);
    this.rows = rows.map((row, n) => {
      const cells = this.columns.map(({ name }) => row[name] ?? null);
      return { cells, read: [...cells], boxes: cells.map((_, c) => of(n, c)) };
    });
    this.touched = (text ?? "") !== (this.field.value ?? "");
    this.#draw();
  }

  #draw() {
    const cell = (row, n) => (column, c) =>
      h(
        "span",
        { role: "cell", class: column.kind },
        h("input", {
          type: "text",
          "data-name": this.field.name,
          "data-cell": `${n},${c}`,
          "aria-label": `${column.title}, ${t("fila", "row")} ${n + 1}`,
          inputmode: column.kind === "text" ? null : "decimal",
          autocomplete: "off",
          spellcheck: "false",
          maxlength: 500,
          value: shown(column.kind, row.cells[c]),
        }),
      );
    const drop = (n) =>
      h("button.ghost.square", {
        type: "button",
        tabindex: "-1",
        "data-drop": n,
        "aria-label": t(`Quitar la fila ${n + 1}`, `Remove row ${n + 1}`),
        title: t("Quitar la fila (Alt Supr)", "Remove the row (Alt Del)"),
      }, icon("close"));
    this.body.replaceChildren(
      ...this.rows.map((row, n) =>
        h("div.line", { role: "row", class: this.shape }, this.columns.map(cell(row, n)), h("span", { role: "cell" }, drop(n))),
      ),
    );
    this.say();
  }

  /* As an input */
  #kept() {
    return this.rows.filter(({ cells }) => cells.some((cell) => cell !== null && cell !== ""));
  }

  get value() {
    if (!this.touched) return this.field.value ?? "";
    const row = ({ cells }) => Object.fromEntries(this.columns.map(({ name }, c) => [name, cells[c]]));
    const rows = this.#kept().map(row);
    return rows.length ? JSON.stringify(rows) : "";
  }

  set value(text) {
    this.fill(text);
  }

  set readOnly(absent) {
    for (const input of $$("input", this.element)) input.readOnly = absent;
    for (const button of $$("button", this.element)) button.disabled = absent;
  }

  matches() {
    return false;
  }

  focus() {
    const off = this.rows.findIndex((row) => this.#off(row));
    const [row, column] = this.at ?? [Math.max(0, off), 0];
    this.#go(Math.min(row, this.rows.length - 1), column);
  }

  /* Where its cells stand */
  /** The boxes of all rows as they are now, each with its cell. */
  get boxes() {
    return this.#kept().flatMap(({ boxes }, n) => boxes.flatMap((all, c) => all.map((box) => ({ ...box, cell: [n, c] }))));
  }

  /** Those of the row that is looked at. */
  get near() {
    const boxes = this.rows[this.at?.[0]]?.boxes ?? [];
    return boxes.flatMap((all, c) => all.map((box) => ({ ...box, name: `${this.field.name} ${c}` })));
  }

  get lit() {
    return `${this.field.name} ${this.at?.[1]}`;
  }

  get first() {
    return this.rows[this.at?.[0]]?.boxes[this.at[1]]?.[0];
  }

  /** Words of the paper for the cell that is looked at. */
  take(text, boxes, more) {
    if (!this.rows.length) this.#add(0);
    const [n, c] = (this.at ??= [0, 0]);
    const row = this.rows[n];
    const again = more && this.taken === `${n},${c}`;
    this.taken = `${n},${c}`;
    row.cells[c] = again ? `${shown("text", row.cells[c])} ${text}` : text;
    row.boxes[c] = again ? [...row.boxes[c], ...boxes] : boxes;
    this.touched = true;
    this.#input(n, c).value = row.cells[c];
    this.say();
  }

  /* What is done in it */
  #input(n, c) {
    return $(`[data-cell="${n},${c}"]`, this.element);
  }

  #enter(target) {
    if (target.dataset.cell) this.at = target.dataset.cell.split(",").map(Number);
    if (this.taken !== target.dataset.cell) this.taken = null;
  }

  #go(n, c) {
    const input = this.#input(n, c) ?? $("[data-add]", this.element);
    input.focus();
    input.select?.();
  }

  #typed(target) {
    if (!target.dataset.cell) return;
    const [n, c] = target.dataset.cell.split(",").map(Number);
    this.rows[n].cells[c] = target.value.trim() || null;
    this.touched = true;
    this.say();
  }

  #changed() {
    this.touched = true;
    this.#draw();
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #add(n) {
    const cells = this.columns.map(() => null);
    this.rows.splice(n, 0, { cells, read: [...cells], boxes: cells.map(() => []) });
    this.#changed();
    this.#go(n, 0);
  }

  #drop(n) {
    this.rows.splice(n, 1);
    this.#changed();
    this.#go(Math.min(n, this.rows.length - 1), this.at?.[1] ?? 0);
  }

  #click(target) {
    const drop = target.closest("[data-drop]");
    if (drop) this.#drop(Number(drop.dataset.drop));
    else if (target.closest("[data-add]")) this.#add(this.rows.length);
  }

  #key(event) {
    const { key, altKey, target } = event;
    if (!target.dataset.cell || event.isComposing || target.readOnly) return;
    if (event.ctrlKey || event.metaKey) return;
    const [n, c] = target.dataset.cell.split(",").map(Number);
    const edge = (at) => target.selectionStart === at && target.selectionEnd === at;
    const to = {
      Enter: () => n + 1 < this.rows.length && this.#go(n + 1, c),
      ArrowDown: () => n + 1 < this.rows.length && this.#go(n + 1, c),
      ArrowUp: () => n > 0 && this.#go(n - 1, c),
      ArrowLeft: () => edge(0) && c > 0 && this.#go(n, c - 1),
      ArrowRight: () => edge(target.value.length) && c + 1 < this.columns.length && this.#go(n, c + 1),
      Escape: () => this.#reading(target, n, c),
    };
    const withAlt = { Enter: () => this.#add(n + 1), Delete: () => this.#drop(n), Backspace: () => this.#drop(n) };
    const does = (altKey ? withAlt : to)[key];
    if (does && does() !== false) event.preventDefault();
  }

  /** Once brings back what was read in a cell, once more leaves it. */
  #reading(input, n, c) {
    const row = this.rows[n];
    if (row.cells[c] === row.read[c]) return input.blur();
    row.cells[c] = row.read[c];
    input.value = shown(this.columns[c].kind, row.read[c]);
    this.say();
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /* What it adds up to */
  /** Quantity × price that is not the amount, as a sentence. */
  #off({ cells }) {
    const [many, price, amount] = [this.quantity, this.price, this.amount].map((c) => number(cells[c]));
    const told = this.quantity >= 0 && this.price >= 0 && this.price !== this.amount;
    // A discount is between the two: whoever reads the paper sees it.
    const less = this.columns.some(({ name }) => /dis|dto|desc(ue|o)n|rem|rab/i.test(name));
    if (!told || less || many === null || price === null || amount === null) return null;
    const slack = 0.01 + Math.abs(many) * 0.005;
    const taxed = many * price * (1 + (number(cells[this.tax]) ?? 0) / 100);
    if (same(many * price, amount, slack) || same(taxed, amount, slack)) return null;
    return `${exact.format(many)} × ${cents.format(price)} ≠ ${cents.format(amount)}`;
  }

  /** Says what the rows add up to, beside what the document says. */
  say() {
    const off = this.rows.map((row) => this.#off(row));
    for (const [n, line] of [...this.body.children].entries()) line.classList.toggle("off", Boolean(off[n]));
    const sum = this.rows.reduce((all, { cells }) => all + (number(cells[this.amount]) ?? 0), 0);
    const form = this.element.closest("form");
    const value = ({ name }) => number(form && $(`[data-name="${CSS.escape(name)}"]`, form)?.value);
    const goals = this.goals.map((one) => [one.title, value(one)]).filter(([, value]) => value !== null);
    const met = goals.find(([, value]) => same(value, sum));
    const row = off.findIndex(Boolean);
    const said = `Σ ${cents.format(sum)}`;
    const parts = [
      met ? `${said} = ${met[0]}` : goals.length ? `${said} ≠ ${cents.format(goals[0][1])} (${goals[0][0]})` : said,
      row < 0 ? null : t(`Fila ${row + 1}: ${off[row]}`, `Row ${row + 1}: ${off[row]}`),
    ];
    const text = this.rows.length ? parts.filter(Boolean).join(" · ") : t("Sin filas", "No rows");
    if (this.sum.textContent !== text) this.sum.textContent = text;
    this.sum.classList.toggle("bad", this.rows.length > 0 && ((!met && goals.length > 0) || row >= 0));
  }
}

// The parts of the order form: menu, lines, fields. Drawn here, driven by order-form.js.

import { field } from "../web/dialog.js";
import { h, icon } from "../web/dom.js";
import { money, t } from "../web/text.js";
import { CHANNELS, METHODS, MODES } from "./orders.js";

/** The whole dialog; `order` when one is being edited. */
export function formFrame(draft, order) {
  const editing = Boolean(order);
  const title = editing
    ? t(`Editar el pedido #${order.id}`, `Edit order #${order.id}`)
    : t("Nuevo pedido", "New order");
  const head = h(
    "header.dialog-head",
    {},
    h("h2", {}, title),
    editing
      ? null
      : h("button.ghost", { type: "button", "data-act": "clear" }, t("Vaciar", "Clear")),
    h(
      "button.ghost.square",
      { type: "button", "data-close": true, "aria-label": t("Cerrar", "Close") },
      icon("close"),
    ),
  );
  const foot = h(
    "footer.dialog-foot",
    {},
    h("div.quote", { role: "status" }),
    h("b.form-total", {}),
    h(
      "button.primary",
      { type: "submit" },
      h("span", {}, editing ? t("Guardar", "Save") : t("Confirmar", "Confirm")),
      h("kbd", {}, "Ctrl ⏎"),
    ),
  );
  const panes = h(
    "div.panes",
    {},
    menuPane(),
    h(
      "div.pane.cart-pane",
      {},
      h(
        "div.field",
        { "data-field": "articulos" },
        h("div.cart", {}),
        h("small.error", { role: "alert" }),
      ),
      editing ? null : fields(draft),
      h("p.form-error", { role: "alert" }),
    ),
  );
  return h(
    "dialog.order-form",
    { "aria-label": title },
    h("form", { method: "dialog", novalidate: true }, head, panes, foot),
  );
}

function menuPane() {
  return h(
    "div.pane.menu-pane",
    {},
    h("input", {
      type: "search",
      name: "menu-search",
      autofocus: true,
      autocomplete: "off",
      placeholder: t("Buscar en el menú…  (Enter agrega)", "Search the menu…  (Enter adds)"),
      "aria-label": t("Buscar en el menú", "Search the menu"),
    }),
    h("div.categories", { role: "group", "aria-label": t("Categorías", "Categories") }),
    h("div.tiles", {}),
    h(
      "details.free-line",
      { open: false },
      h("summary", {}, icon("plus"), t("Algo fuera del menú", "Something off the menu")),
      h(
        "div.fields",
        {},
        field({ name: "free-name", label: t("Nombre", "Name"), attrs: { maxlength: 150 } }),
        field({
          name: "free-price",
          label: t("Precio", "Price"),
          type: "number",
          attrs: { min: 0, step: "any", inputmode: "decimal" },
        }),
        field({
          name: "free-quantity",
          label: t("Cantidad", "Quantity"),
          type: "number",
          value: 1,
          attrs: { min: 1, max: 999 },
        }),
        field({
          name: "free-weight",
          label: t("Esfuerzo (1–4)", "Effort (1–4)"),
          type: "number",
          value: 1,
          attrs: { min: 1, max: 4 },
        }),
      ),
      h("button", { type: "button", "data-act": "free" }, icon("plus"), t("Agregar", "Add")),
    ),
  );
}

/** Everything but the lines; an existing order has its own verbs for these. */
function fields(draft) {
  return h("div.stack.order-fields", {}, serving(draft), customer(draft), paying(draft));
}

const words = (table) =>
  Object.entries(table).map(([code, { text, symbol }]) => [code, text, symbol]);

function serving(draft) {
  return [
    field({
      name: "modalidad",
      label: t("Modalidad", "Mode"),
      type: "choice",
      value: draft.modalidad,
      options: words(MODES),
    }),
    field({
      name: "origen_pedido",
      label: t("Canal", "Channel"),
      type: "choice",
      value: draft.origen_pedido,
      options: words(CHANNELS),
    }),
    h(
      "div.when-row",
      {},
      field({
        name: "when",
        label: t("¿Para cuándo?", "For when?"),
        type: "choice",
        value: draft.when,
        options: [
          ["ya", t("Cuanto antes", "As soon as possible"), "bolt"],
          ["hora", t("A una hora", "At a time"), "clock"],
        ],
      }),
      h(
        "div.field",
        { "data-field": "horario_entrega" },
        h("label", { for: "f-time" }, t("Hora", "Time")),
        h("input", { id: "f-time", name: "time", type: "time", value: draft.time }),
        h("small.error", { role: "alert" }),
      ),
    ),
  ];
}

function customer(draft) {
  const text = (name, label, maxlength, type) =>
    field({ name, label, value: draft[name], type, attrs: { maxlength } });
  return [
    h(
      "div.fields",
      {},
      text("cliente_nombre", t("Cliente", "Customer"), 150),
      text("cliente_telefono", t("Teléfono", "Phone"), 50, "tel"),
      text("cliente_direccion", t("Dirección", "Address"), 255),
    ),
    text("observaciones", t("Nota para la cocina", "Note for the kitchen"), 255),
  ];
}

function paying(draft) {
  const check = (name, label) => field({ name, label, type: "check", value: draft[name] });
  return h(
    "div.fields",
    {},
    field({
      name: "medio_pago",
      label: t("Medio de pago", "Payment method"),
      type: "select",
      value: draft.medio_pago,
      options: Object.entries(METHODS),
    }),
    h(
      "div",
      {},
      check("paid", t("Ya pagó", "Already paid")),
      check("pago_contra_entrega", t("Paga al recibir", "Pays on delivery")),
    ),
  );
}

export function tile(article, chosen) {
  const out = article.controla_stock && article.stock_actual <= 0;
  return h(
    "button.tile",
    {
      type: "button",
      "data-key": `a${article.id}`,
      "data-article": article.id,
      class: chosen ? "chosen" : "",
    },
    h("span", {}, article.nombre),
    h(
      "small",
      {},
      money(article.precio),
      out ? h("em", {}, t(" · sin stock", " · out of stock")) : null,
    ),
  );
}

/** One line of the order, with its stepper and its note. */
export const lineRow = (line, index) =>
  h(
    "li",
    { "data-key": `l${index}`, "data-line": index },
    h(
      "div.stepper",
      {},
      h(
        "button.square",
        {
          type: "button",
          "data-act": "less",
          "aria-label": t(`Uno menos de ${line.nombre}`, `One less ${line.nombre}`),
        },
        icon(line.cantidad === 1 ? "trash" : "minus"),
      ),
      h("b", { "aria-live": "polite" }, String(line.cantidad)),
      h(
        "button.square",
        {
          type: "button",
          "data-act": "more",
          "aria-label": t(`Uno más de ${line.nombre}`, `One more ${line.nombre}`),
        },
        icon("plus"),
      ),
    ),
    h(
      "div.cart-text",
      {},
      h("b", {}, line.nombre),
      h("input", {
        type: "text",
        name: `note-${index}`,
        value: line.observaciones,
        maxlength: 255,
        placeholder: t("Nota: sin cebolla…", "Note: no onion…"),
        "aria-label": t(`Nota de ${line.nombre}`, `Note for ${line.nombre}`),
      }),
    ),
    h("span.amount", {}, money(line.precio * line.cantidad)),
  );

// The side panel of one order: why it is where it is, its times, its lines, all its actions.

import { get } from "../web/api.js";
import { $, badge, h, icon } from "../web/dom.js";
import { morphChildren } from "../web/morph.js";
import { ago, money, t, when } from "../web/text.js";
import { choices } from "./actions.js";
import { CHANNELS, extras, METHODS, MODES, payment, STATES } from "./orders.js";

let shown = null;
let role = null;
let answer = null;
let version = null;

export const drawerOrder = () => shown?.id ?? null;

export function openDrawer(order, as) {
  shown = order;
  role = as;
  answer = null;
  version = null;
  const drawer = $("#why");
  drawer.hidden = false;
  drawer.closest("main").classList.add("with-drawer");
  draw();
  ask();
}

export function closeDrawer() {
  shown = null;
  $("#why").hidden = true;
  $("#why").replaceChildren();
  $("#why").closest("main").classList.remove("with-drawer");
}

/** After a new board: the same order with fresh numbers, or away with it. */
export function refreshDrawer(order) {
  if (!shown) return;
  if (!order) return closeDrawer();
  shown = order;
  draw();
  ask();
}

async function ask() {
  const { id } = shown;
  const result = await get(`/pedidos/${id}/why`, { quiet: true });
  if (shown?.id !== id) return;
  answer = result.ok ? result.data : { failed: true };
  version = shown.version;
  draw();
}

function reasons() {
  if (!answer) return h("p.soft", {}, t("Preguntando…", "Asking…"));
  if (answer.failed)
    return h(
      "p.soft",
      {},
      t(
        "No se pudo preguntar. Se reintenta con el próximo cambio.",
        "Could not ask. It is tried again at the next change.",
      ),
    );
  const list = (answer.reasons ?? []).map((reason) =>
    h(
      "li",
      {},
      h("p", { title: reason.code, "data-code": reason.code }, reason.detail),
      h(
        "p.reason-meta",
        {},
        reason.until
          ? badge("info", t(`hasta ${when(reason.until)}`, `until ${when(reason.until)}`), "clock")
          : null,
      ),
    ),
  );
  if (!list.length) return h("p.ready-now", {}, icon("check"), unheld());
  return h("ol.reasons", { "data-version": version }, list);
}

/** What to say of an order that no rule holds, by where it stands. */
function unheld() {
  const words = {
    RECIBIDO: t("Nada lo detiene.", "Nothing holds it."),
    EN_PREPARACION: t("Está en la cocina.", "It is in the kitchen."),
    LISTO: t("Está listo para entregar.", "It is ready to hand over."),
    ENTREGADO: t("Ya se entregó.", "It was handed over."),
    CANCELADO: t("Está cancelado.", "It is cancelled."),
  };
  return words[shown.estado] ?? words.RECIBIDO;
}

function times() {
  const rows = [
    [t("Creado", "Created"), shown.fecha],
    [t("Prometido", "Promised"), shown.horario_entrega],
    [
      t("Entra según plan", "Planned start"),
      shown.iniciado_en ? null : shown.hora_inicio_preparacion,
    ],
    [
      t("Entrada estimada", "Estimated entry"),
      shown.estado === "RECIBIDO" ? shown.entrada_estimada : null,
    ],
    [t("Empezó", "Started"), shown.iniciado_en],
    [
      t("Debe terminar", "Expected finish"),
      shown.estado === "EN_PREPARACION" ? shown.hora_esperada_finalizacion : null,
    ],
    [t("Listo", "Ready"), shown.hora_listo],
    [t("Entregado", "Delivered"), shown.entregado_en],
  ];
  return h(
    "dl.times",
    {},
    rows
      .filter(([, at]) => at)
      .map(([label, at]) =>
        h(
          "div",
          {},
          h("dt", {}, label),
          h("dd", {}, h("b", {}, when(at)), h("small", {}, ago(at))),
        ),
      ),
    h(
      "div",
      {},
      h("dt", {}, t("Preparación estimada", "Estimated preparation")),
      h("dd", {}, h("b", {}, `${shown.tiempo_estimado_preparacion} min`)),
    ),
  );
}

function draw() {
  const order = shown;
  const pay = payment(order);
  const content = h(
    "div",
    {},
    h(
      "header",
      {},
      h("h2", {}, t(`Pedido #${order.id}`, `Order #${order.id}`)),
      badge("plain", STATES[order.estado], null),
      h("span.grow"),
      h(
        "button.ghost.square",
        { type: "button", "data-do": "close-drawer", "aria-label": t("Cerrar", "Close") },
        icon("close"),
      ),
    ),
    order.estado === "RECIBIDO"
      ? h("section", {}, h("h3", {}, t("¿Por qué espera?", "Why is it waiting?")), reasons())
      : null,
    order.estado === "RECIBIDO"
      ? null
      : h("section", {}, h("h3", {}, t("¿Por qué está así?", "Why is it here?")), reasons()),
    h("section", {}, h("h3", {}, t("Tiempos", "Times")), times()),
    h(
      "section",
      {},
      h("h3", {}, t("Artículos", "Items")),
      h(
        "ul.items",
        {},
        (order.articulos ?? []).map((line) =>
          h(
            "li",
            {},
            h("b", {}, `${line.cantidad}×`),
            h(
              "span",
              {},
              line.nombre,
              extras(line) ? h("small", {}, ` ${extras(line)}`) : null,
              line.observaciones ? h("em", {}, ` ${line.observaciones}`) : null,
            ),
            h("span.amount", {}, money(line.precio * line.cantidad)),
          ),
        ),
      ),
      h(
        "p.facts",
        {},
        badge(pay.tone, pay.text, pay.symbol),
        order.medio_pago ? h("span", {}, METHODS[order.medio_pago] ?? order.medio_pago) : null,
        h("b.amount", {}, money(order.total)),
      ),
      order.observaciones ? h("p.note", {}, icon("note"), order.observaciones) : null,
    ),
    h(
      "section",
      {},
      h("h3", {}, t("Cliente", "Customer")),
      h(
        "p",
        {},
        [
          order.cliente_nombre || t("Sin nombre", "No name"),
          order.cliente_telefono,
          order.cliente_direccion,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
      h(
        "p.soft",
        {},
        [MODES[order.modalidad]?.text, CHANNELS[order.origen_pedido]?.text]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    h(
      "section.drawer-acts",
      { "data-id": order.id },
      choices(order, role)
        .filter(({ verb }) => verb !== "why")
        .map(({ verb, text, symbol, danger }) =>
          h(
            "button",
            { type: "button", "data-do": verb, class: danger ? "danger" : "" },
            icon(symbol),
            text,
          ),
        ),
    ),
  );
  morphChildren($("#why"), content);
}

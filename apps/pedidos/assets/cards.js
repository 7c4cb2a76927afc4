// An order as a card, as a chip of the scheduled strip, and as a row of the exceptions.

import { badge, gauge, h, icon } from "../web/dom.js";
import { clock, money, t, when } from "../web/text.js";
import { choices, primary } from "./actions.js";
import { pending } from "./outbox.js";
import {
  CHANNELS,
  extras,
  isLate,
  level,
  MODES,
  outlook,
  payment,
  STATES,
  timing,
} from "./orders.js";

const SHOWN = 3;

export function card(order, { role, anchor, selected, fresh }) {
  const time = timing(order);
  const pay = payment(order);
  const mode = MODES[order.modalidad];
  const channel = CHANNELS[order.origen_pedido];
  const main = primary(order, role);
  const future = outlook(order);
  return h(
    "div.order",
    {
      class: `${["plain", "warn", "bad", "bad"][level(order)] ?? "plain"}${fresh ? " fresh" : ""}`,
      role: "listitem",
      "data-key": `o${order.id}`,
      "data-id": order.id,
      tabindex: anchor ? "0" : "-1",
      "aria-current": selected ? "true" : null,
      "aria-label": `${t("Pedido", "Order")} ${order.id}, ${STATES[order.estado]}, ${time.text}`,
    },
    h(
      "header",
      {},
      h(
        "div.order-head",
        {},
        h("b.order-id", {}, `#${order.id}`),
        mode
          ? h(
              "span.tag",
              { class: order.modalidad === "DELIVERY" ? "away" : "" },
              icon(mode.symbol),
              mode.text,
            )
          : null,
        channel
          ? h(
              "span.channel",
              { title: channel.text },
              icon(channel.symbol),
              h("span.sr-only", {}, channel.text),
            )
          : null,
        order.cliente_nombre ? h("span.customer", {}, order.cliente_nombre) : null,
      ),
      h(
        "button.ghost.square.more",
        {
          type: "button",
          "data-do": "menu",
          "aria-haspopup": "menu",
          "aria-label": t(`Más acciones de ${order.id}`, `More actions for ${order.id}`),
        },
        icon("more"),
      ),
    ),
    h(
      "div.time",
      { class: time.tone },
      icon(time.symbol),
      h("p", {}, h("b", {}, time.text), time.promise ? h("span", {}, time.promise) : null),
      time.share === undefined ? null : gauge(time.share),
    ),
    lines(order),
    order.observaciones ? h("p.note", {}, icon("note"), order.observaciones) : null,
    h(
      "div.facts",
      {},
      badge(pay.tone, `${pay.text}${order.total ? ` ${money(order.total)}` : ""}`, pay.symbol),
      order.estado === "RECIBIDO" && !order.transicion_automatica
        ? badge("info", t("Retenido", "On hold"), "hand")
        : null,
      future ? h("span.outlook", {}, future) : null,
    ),
    waits(order),
    main
      ? h(
          "div.acts",
          {},
          main.map(({ verb, text, symbol, lead }) =>
            h(
              "button",
              { type: "button", "data-do": verb, class: lead ? "primary" : "" },
              symbol ? icon(symbol) : null,
              text,
            ),
          ),
        )
      : null,
  );
}

/** What was done to it without a network and is not sent yet. */
export function waits(order) {
  const all = pending("order", order.id);
  if (!all.length) return null;
  const said = all.map(({ label }) => label.replace(/^#\d+: /, "")).join(", ");
  return h("p.waits", {}, icon("upload"), t(`Por enviar: ${said}`, `To be sent: ${said}`));
}

function lines(order) {
  const all = order.articulos ?? [];
  const rest = all.length - SHOWN;
  const shown = rest === 1 ? all : all.slice(0, SHOWN);
  return h(
    "ul.items",
    {},
    shown.map((line) =>
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
      ),
    ),
    rest > 1 ? h("li.rest", {}, t(`+${rest} más`, `+${rest} more`)) : null,
  );
}

/** One order of the strip: when it enters, when it is wanted. */
export function chip(order, { anchor, selected }) {
  const mode = MODES[order.modalidad];
  const count = (order.articulos ?? []).reduce((sum, line) => sum + line.cantidad, 0);
  return h(
    "div.chip",
    {
      role: "listitem",
      "data-key": `o${order.id}`,
      "data-id": order.id,
      tabindex: anchor ? "0" : "-1",
      "aria-current": selected ? "true" : null,
      "aria-label": t(
        `Pedido ${order.id} para ${when(order.horario_entrega)}`,
        `Order ${order.id} for ${when(order.horario_entrega)}`,
      ),
    },
    h(
      "span.chip-when",
      {},
      h("b", {}, when(order.horario_entrega)),
      h(
        "small",
        {},
        t(
          `entra ${clock(order.hora_inicio_preparacion)}`,
          `enters ${clock(order.hora_inicio_preparacion)}`,
        ),
      ),
    ),
    h(
      "span.chip-what",
      {},
      h("b", {}, `#${order.id} `, mode ? icon(mode.symbol) : null),
      h(
        "small",
        {},
        [order.cliente_nombre, `${count} ${t("art.", count === 1 ? "item" : "items")}`]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    order.transicion_automatica ? null : badge("info", t("Retenido", "On hold"), "hand"),
    waits(order),
    h(
      "button.ghost.square",
      {
        type: "button",
        "data-do": "menu",
        "aria-haspopup": "menu",
        "aria-label": t(`Acciones de ${order.id}`, `Actions for ${order.id}`),
      },
      icon("more"),
    ),
  );
}

export function exception(order, { role }) {
  return h(
    "tr",
    { "data-key": `x${order.id}`, "data-id": order.id },
    h("th", { scope: "row" }, `#${order.id}`),
    h("td", {}, STATES[order.estado]),
    h("td", {}, when(order.horario_entrega ?? order.fecha)),
    h("td", {}, order.cliente_nombre ?? ""),
    h(
      "td",
      {},
      (order.articulos ?? []).map((line) => `${line.cantidad}× ${line.nombre}`).join(", "),
    ),
    h(
      "td",
      {},
      h(
        "div.row",
        {},
        choices(order, role)
          .filter(({ verb }) => ["cancel", "force", "ready", "deliver", "why"].includes(verb))
          .map(({ verb, text }) => h("button", { type: "button", "data-do": verb }, text)),
      ),
    ),
  );
}

/** Late first, then the queue's own order. */
export function byUrgency(first, second) {
  const late = Number(isLate(second)) - Number(isLate(first));
  if (late) return late;
  const key = (order) =>
    ({
      RECIBIDO: order.posicion ?? Number.MAX_SAFE_INTEGER,
      EN_PREPARACION: Date.parse(order.hora_esperada_finalizacion ?? order.fecha),
      LISTO: Date.parse(order.hora_listo ?? order.fecha),
    })[order.estado] ?? 0;
  return key(first) - key(second) || first.id - second.id;
}

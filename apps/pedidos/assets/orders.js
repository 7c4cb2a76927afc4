// The words of an order, and what its clocks say now. Shared by counter and kitchen.

import { clock, minutes, now, t, when } from "../web/text.js";

export const MODES = {
  RETIRO: { text: t("Retiro", "Pick-up"), symbol: "bag" },
  DELIVERY: { text: "Delivery", symbol: "bike" },
};

export const CHANNELS = {
  MOSTRADOR: { text: t("Mostrador", "Counter"), symbol: "store" },
  TELEFONO: { text: t("Teléfono", "Phone"), symbol: "phone" },
  WHATSAPP: { text: "WhatsApp", symbol: "chat" },
  WEB: { text: "Web", symbol: "web" },
};

export const METHODS = {
  EFECTIVO: t("Efectivo", "Cash"),
  DEBITO: t("Débito", "Debit card"),
  CREDITO: t("Crédito", "Credit card"),
  TRANSFERENCIA: t("Transferencia", "Transfer"),
  TRANSFERENCIA_FACTURADA: t("Transferencia facturada", "Invoiced transfer"),
  MERCADOPAGO: "Mercado Pago",
};

export const STATES = {
  RECIBIDO: t("Recibido", "Received"),
  EN_PREPARACION: t("En preparación", "Preparing"),
  LISTO: t("Listo", "Ready"),
  ENTREGADO: t("Entregado", "Delivered"),
  CANCELADO: t("Cancelado", "Cancelled"),
};

const LEVELS = ["A_TIEMPO", "EN_RIESGO", "ATRASADO_COCINA", "ATRASADO_CLIENTE"];
const TONES = ["plain", "warn", "bad", "bad"];

const minutesTo = (instant) => (Date.parse(instant) - now()) / 60_000;

/**
 * How late an order is, 0 to 3. The server's word, or what its own instants say meanwhile: the
 * level may rise between two answers, it never falls without one.
 */
export function level(order) {
  let mine = 0;
  const { iniciado_en: start, hora_esperada_finalizacion: finish, horario_entrega: due } = order;
  if (order.estado === "EN_PREPARACION" && start && finish) {
    const share = (now() - Date.parse(start)) / (Date.parse(finish) - Date.parse(start));
    if (share >= 0.8) mine = 1;
    if (minutesTo(finish) < 0) mine = 2;
  }
  if (due && minutesTo(due) < 0 && !["ENTREGADO", "CANCELADO"].includes(order.estado)) mine = 3;
  return Math.max(mine, LEVELS.indexOf(order.nivel_atraso));
}

export const isLate = (order) => level(order) >= 2;

/** Waiting for its hour, not for a place. */
export const isScheduled = (order) =>
  order.estado === "RECIBIDO" &&
  order.horario_entrega &&
  order.hora_inicio_preparacion &&
  minutesTo(order.hora_inicio_preparacion) > 0;

/** What the time box of a card says: a tone, a sign, words, and how much of the time is gone. */
export function timing(order) {
  const grade = level(order);
  const tone = TONES[grade] ?? "plain";
  const symbol = grade >= 2 ? "alert" : grade === 1 ? "warning" : "clock";
  const due = order.horario_entrega && when(order.horario_entrega);
  const promise = !due
    ? null
    : grade === 3
      ? t(`prometido ${due}`, `promised ${due}`)
      : t(`para ${due}`, `for ${due}`);
  if (order.estado === "EN_PREPARACION") return { tone, symbol, ...cooking(order, grade), promise };
  if (order.estado === "LISTO") {
    const since = order.hora_listo ? minutes(Math.max(0, -minutesTo(order.hora_listo))) : "";
    const done = t(`listo hace ${since}`, `ready for ${since}`);
    return grade >= 2
      ? { tone, symbol, text: lateText(order), promise: [promise, done].filter(Boolean).join(", ") }
      : { tone, symbol, text: done[0].toUpperCase() + done.slice(1), promise };
  }
  if (grade >= 2) return { tone, symbol, text: lateText(order), promise };
  if (order.horario_entrega) {
    const text = t(`Para ${due}`, `For ${due}`);
    return { tone, symbol: grade ? symbol : "calendar", text, promise: null };
  }
  const age = Math.max(0, -minutesTo(order.fecha));
  const since = minutes(age);
  const text =
    age < 1
      ? t("Recién creado", "Just created")
      : t(`Creado hace ${since}`, `Created ${since} ago`);
  return { tone, symbol, text, promise };
}

function cooking(order, grade) {
  const total = Date.parse(order.hora_esperada_finalizacion) - Date.parse(order.iniciado_en);
  const share = total > 0 ? (now() - Date.parse(order.iniciado_en)) / total : 1;
  const left = minutesTo(order.hora_esperada_finalizacion);
  if (grade >= 2) return { text: lateText(order), share: 1 };
  const rest = minutes(Math.max(0, Math.ceil(left)));
  return {
    text:
      grade === 1
        ? t(`En riesgo: quedan ${rest}`, `At risk: ${rest} left`)
        : t(`En prep., quedan ${rest}`, `Preparing, ${rest} left`),
    share,
  };
}

function lateText(order) {
  const customer = level(order) === 3;
  const since = customer ? order.horario_entrega : order.hora_esperada_finalizacion;
  const amount = minutes(since ? Math.max(1, -minutesTo(since)) : (order.minutos_atraso ?? 0));
  return t(`Atrasado ${amount}`, `Late by ${amount}`);
}

/** `puesto 3 · entra 20:14 · listo 20:29` */
export function outlook(order) {
  if (order.estado !== "RECIBIDO") return null;
  const parts = [];
  if (order.posicion) parts.push(t(`Puesto ${order.posicion}`, `Place ${order.posicion}`));
  if (order.entrada_estimada)
    parts.push(
      t(`entra ${clock(order.entrada_estimada)}`, `enters ${clock(order.entrada_estimada)}`),
    );
  if (order.listo_estimado)
    parts.push(t(`listo ${clock(order.listo_estimado)}`, `ready ${clock(order.listo_estimado)}`));
  if (order.minutos_tarde_previstos)
    parts.push(
      t(
        `${order.minutos_tarde_previstos} min tarde`,
        `${order.minutos_tarde_previstos} min late`,
      ),
    );
  return parts.length ? parts.join(" · ") : null;
}

/** A web order to be paid online does not cook before the money is there. */
export const awaitsPayment = (order) =>
  order.estado === "RECIBIDO" &&
  order.origen_pedido === "WEB" &&
  ["MERCADOPAGO", "TRANSFERENCIA"].includes(order.medio_pago) &&
  order.estado_pago !== "PAGADO";

export function payment(order) {
  if (order.estado_pago === "PAGADO")
    return { tone: "good", symbol: "check", text: t("Pagado", "Paid") };
  if (awaitsPayment(order))
    return { tone: "warn", symbol: "clock", text: t("Espera el pago", "Awaits payment") };
  if (order.estado_pago === "RECHAZADO")
    return { tone: "bad", symbol: "alert", text: t("Pago rechazado", "Payment rejected") };
  if (order.pago_contra_entrega)
    return { tone: "info", symbol: "cash", text: t("Paga al recibir", "Pays on delivery") };
  return { tone: "warn", symbol: "cash", text: t("Debe", "Owes") };
}

/** Personalizations in one line: `+ Cheddar, + Panceta ×2`. */
export function extras(line) {
  const list = line.personalizaciones?.extras ?? [];
  return list
    .map((extra) => `+ ${extra.nombre}${extra.cantidad > 1 ? ` ×${extra.cantidad}` : ""}`)
    .join(", ");
}

// What may be done with an order, by state and role, and the doing of it. The server decides
// again; this list only spares people buttons that would be refused.

import { ask, field } from "../web/dialog.js";
import { h } from "../web/dom.js";
import { post, showProblem } from "../web/api.js";
import { clock, instantOf, minutesSince, money, t, when } from "../web/text.js";
import { toast } from "../web/toast.js";
import { METHODS, STATES, awaitsPayment } from "./orders.js";
import { command } from "./outbox.js";

export const boss = (role) => role === "ADMIN" || role === "GERENTE";
const seller = (role) => boss(role) || role === "CAJERO";
const owes = (order) => order.estado_pago !== "PAGADO";

/** The one or two buttons on the card itself. */
export function primary(order, role) {
  const { estado } = order;
  const charge = { verb: "charge", text: t("Cobrar", "Charge"), symbol: "cash" };
  if (estado === "RECIBIDO") {
    const start = { verb: "start", text: t("Preparar ya", "Start now"), symbol: "kitchen" };
    if (awaitsPayment(order)) return seller(role) ? [{ ...charge, lead: true }] : null;
    const held = !order.transicion_automatica && seller(role);
    return held
      ? [{ verb: "release", text: t("Liberar", "Release"), symbol: "play", lead: true }, start]
      : [start];
  }
  if (estado === "EN_PREPARACION") {
    const ready = { verb: "ready", text: t("Listo", "Ready"), symbol: "check", lead: true };
    return owes(order) && seller(role) ? [ready, charge] : [ready];
  }
  if (estado === "LISTO" && seller(role)) {
    if (owes(order) && !order.pago_contra_entrega) return [{ ...charge, lead: true }];
    return [{ verb: "deliver", text: t("Entregar", "Hand over"), symbol: "bag", lead: true }];
  }
  return null;
}

/** Everything, for the menu and the drawer. */
export function choices(order, role) {
  const { estado } = order;
  const open = estado === "RECIBIDO" || estado === "EN_PREPARACION";
  const list = [
    estado === "RECIBIDO" && !awaitsPayment(order) && {
      verb: "start",
      text: t("Preparar ya", "Start now"),
      symbol: "kitchen",
      key: "Enter",
    },
    estado === "EN_PREPARACION" && {
      verb: "ready",
      text: t("Listo", "Ready"),
      symbol: "check",
      key: "Enter",
    },
    estado === "LISTO" &&
      seller(role) && { verb: "deliver", text: t("Entregar", "Hand over"), symbol: "bag" },
    owes(order) &&
      seller(role) && { verb: "charge", text: t("Cobrar", "Charge"), symbol: "cash", key: "c" },
    { verb: "why", text: t("¿Por qué? Detalle", "Why? Detail"), symbol: "why", key: "w" },
    open && seller(role) && { verb: "edit", text: t("Editar", "Edit"), symbol: "edit", key: "e" },
    estado === "RECIBIDO" &&
      seller(role) && {
        verb: "reschedule",
        text: t("Cambiar horario", "Change time"),
        symbol: "clock",
        key: "t",
      },
    estado === "RECIBIDO" && seller(role) && hold(order),
    estado === "LISTO" && {
      verb: "recall",
      text: t("Deshacer: vuelve a cocina", "Undo: back to kitchen"),
      symbol: "undo",
      key: "u",
    },
    estado === "EN_PREPARACION" &&
      boss(role) && {
        verb: "recall",
        text: t("Deshacer: vuelve a la cola", "Undo: back to queue"),
        symbol: "undo",
        key: "u",
      },
    boss(role) && { verb: "force", text: t("Forzar estado…", "Force state…"), symbol: "bolt" },
    (open ? seller(role) : estado === "LISTO" && boss(role)) && {
      verb: "cancel",
      text: t("Cancelar pedido…", "Cancel order…"),
      symbol: "trash",
      key: "x",
      danger: true,
    },
  ];
  return list.filter(Boolean);
}

const hold = (order) =>
  order.transicion_automatica
    ? { verb: "hold", text: t("Retener", "Hold"), symbol: "hand", key: "r" }
    : { verb: "release", text: t("Liberar", "Release"), symbol: "play", key: "r" };

/** Runs a verb. `context` gives the role, the form and the refresh after a change. */
export async function act(verb, order, context) {
  const run = verbs[verb];
  if (run) await run(order, context);
}

/** Something done to an order: now, or as soon as there is a network. */
const doTo = (order, method, path, body, label) =>
  command(method, `/pedidos/${order.id}/${path}`, body, {
    order: order.id,
    label: `#${order.id}: ${label}`,
  });

async function move(order, estado, context, { back } = {}) {
  const result = await doTo(order, "PUT", "estado", { estado }, STATES[estado]);
  context.refresh();
  if (result.queued) return;
  if (!result.ok) {
    if (result.problem.code === "CAPACIDAD_COCINA_LLENA" && boss(context.role))
      return offerForce(order, estado, result.problem, context);
    showProblem(result.problem);
    return;
  }
  const undo = back ? () => move({ ...order, estado }, back, context) : undefined;
  toast(`#${order.id}: ${STATES[estado]}`, {
    tone: "good",
    detail: whereTo(order.estado, result.data),
    undo,
  });
}

/** Where a step back left an order: it is not always where it came from. */
function whereTo(from, order) {
  if (order.estado === "RECIBIDO" && from === "EN_PREPARACION")
    return order.transicion_automatica
      ? t("Volvió a la cola y entra cuando le toque.", "Back in the queue; it enters in its turn.")
      : t(
          "Volvió a la cola, retenido: no entra solo. Se libera (r) o se prepara a mano.",
          "Back in the queue, on hold: it will not enter by itself. Release it (r) or start it.",
        );
  if (order.estado === "EN_PREPARACION" && from === "LISTO")
    return t("Volvió a la cocina y ocupa su lugar.", "Back in the kitchen, taking its place.");
  return undefined;
}

function offerForce(order, estado, problem, context) {
  forceDialog(order, context, { estado, text: problem.detail });
}

/** A reason is kept with the change: it is the first thing asked about later. */
const reason = (examples) =>
  h(
    "div",
    {},
    field({
      name: "motivo",
      label: t("Motivo", "Reason"),
      required: true,
      attrs: { list: "reasons", maxlength: 200, autofocus: true },
    }),
    h(
      "datalist",
      { id: "reasons" },
      examples.map((text) => h("option", { value: text })),
    ),
  );

function forceDialog(order, context, { estado = "EN_PREPARACION", text } = {}) {
  ask({
    title: t(`Forzar el pedido #${order.id}`, `Force order #${order.id}`),
    text:
      text ??
      t(
        "Puede superar la capacidad. Queda registrado quién y por qué.",
        "It may exceed the capacity. Who and why is recorded.",
      ),
    fields: [
      {
        name: "estado",
        label: t("Pasa a", "Goes to"),
        type: "select",
        value: estado,
        options: Object.entries(STATES).filter(([code]) => code !== order.estado),
      },
      reason([
        t("Cliente esperando en el local", "Customer waiting in the shop"),
        t("Error de carga", "Entered by mistake"),
      ]),
    ],
    action: t("Forzar", "Force"),
    danger: true,
    submit: async (values) => {
      const said = t(`forzar a ${STATES[values.estado]}`, `force to ${STATES[values.estado]}`);
      const result = await doTo(order, "POST", "forzar-estado", values, said);
      context.refresh();
      if (result.queued) return { ok: true };
      if (result.ok) forced(order, values.estado, context);
      return result;
    },
  });
}

/** Says where the order was forced to; what can be taken back says where that puts it. */
function forced(order, estado, context) {
  const back = { EN_PREPARACION: "RECIBIDO", LISTO: "EN_PREPARACION" }[estado];
  toast(t(`#${order.id}: forzado a ${STATES[estado]}`, `#${order.id}: forced to ${STATES[estado]}`), {
    tone: "good",
    undo: back ? () => move({ ...order, estado }, back, context) : undefined,
  });
}

async function send(pending, context, done, order) {
  const result = await pending;
  context.refresh();
  // It is in the list of what waits: the dialog has nothing more to say.
  if (result.queued) return { ok: true };
  if (result.ok) toast(`#${order.id}: ${done}`, { tone: "good" });
  return result;
}

const promise = (order, body, context) =>
  send(
    doTo(order, "PUT", "horario-entrega", body, t("cambiar horario", "change time")),
    context,
    t("horario cambiado", "time changed"),
    order,
  );

/** The queue cannot keep it: whoever promises it all the same knows how late it will be. */
function insistOn(order, due, problem, context) {
  ask({
    title: t(`¿Prometer igual el #${order.id}?`, `Promise #${order.id} all the same?`),
    text: problem.detail,
    fields: [],
    action: t("Prometer igual", "Promise anyway"),
    danger: true,
    submit: () => promise(order, { horario_entrega: due, insistir: true }, context),
  });
}

const verbs = {
  start: (order, context) => {
    const early = order.hora_inicio_preparacion ? -minutesSince(order.hora_inicio_preparacion) : 0;
    if (early <= 15) return move(order, "EN_PREPARACION", context);
    const planned = when(order.hora_inicio_preparacion);
    return ask({
      title: t(`¿Preparar ya el #${order.id}?`, `Start #${order.id} now?`),
      text: t(
        `Entraría solo a las ${planned}, para entregar ${when(order.horario_entrega)}.`,
        `It would enter by itself at ${planned}, to hand over ${when(order.horario_entrega)}.`,
      ),
      fields: [],
      action: t("Preparar ya", "Start now"),
      submit: () =>
        send(
          doTo(order, "PUT", "estado", { estado: "EN_PREPARACION" }, STATES.EN_PREPARACION),
          context,
          STATES.EN_PREPARACION,
          order,
        ),
    });
  },
  ready: (order, context) => move(order, "LISTO", context, { back: "EN_PREPARACION" }),
  deliver: (order, context) => move(order, "ENTREGADO", context),
  recall: (order, context) =>
    move(order, order.estado === "LISTO" ? "EN_PREPARACION" : "RECIBIDO", context),
  hold: async (order, context) => {
    const undo = () => verbs.release(order, context);
    const result = await doTo(order, "POST", "retener", {}, t("retener", "hold"));
    context.refresh();
    if (!result.ok && !result.queued) showProblem(result.problem);
    if (result.ok)
      toast(
        t(
          `#${order.id}: retenido, no entra solo`,
          `#${order.id}: on hold, will not enter by itself`,
        ),
        { undo },
      );
  },
  release: async (order, context) => {
    const pending = doTo(order, "POST", "liberar", {}, t("liberar", "release"));
    const result = await send(pending, context, t("liberado", "released"), order);
    if (!result.ok) showProblem(result.problem);
  },
  charge: (order, context) =>
    ask({
      title: t(`Cobrar el pedido #${order.id}`, `Charge order #${order.id}`),
      fields: [
        h("p.big-total", {}, money(order.total)),
        {
          name: "medio_pago",
          label: t("Medio de pago", "Payment method"),
          type: "choice",
          value: order.medio_pago ?? "EFECTIVO",
          options: Object.entries(METHODS),
          required: true,
        },
      ],
      action: t("Cobrar", "Charge"),
      submit: (values) =>
        send(
          doTo(order, "POST", "cobrar", values, t("cobrar", "charge")),
          context,
          t("cobrado", "charged"),
          order,
        ),
    }),
  cancel: (order, context) =>
    ask({
      title: t(`Cancelar el pedido #${order.id}`, `Cancel order #${order.id}`),
      text: t(
        "No se puede deshacer. El stock vuelve una sola vez.",
        "It cannot be undone. Stock comes back exactly once.",
      ),
      fields: [
        reason([
          t("El cliente lo canceló", "The customer cancelled"),
          t("Falta un ingrediente", "An ingredient is missing"),
          t("Pedido duplicado", "Duplicate order"),
        ]),
      ],
      action: t("Cancelar pedido", "Cancel order"),
      danger: true,
      submit: (values) =>
        send(
          doTo(order, "POST", "cancelar", values, t("cancelar", "cancel")),
          context,
          STATES.CANCELADO,
          order,
        ),
    }),
  reschedule: (order, context) =>
    ask({
      title: t(`Horario del pedido #${order.id}`, `Time of order #${order.id}`),
      fields: [
        {
          name: "cuando",
          label: t("Entrega", "Hand-over"),
          type: "choice",
          value: order.horario_entrega ? "hora" : "ya",
          options: [
            ["ya", t("Cuanto antes", "As soon as possible"), "bolt"],
            ["hora", t("A una hora", "At a time"), "clock"],
          ],
        },
        {
          name: "horario_entrega",
          label: t("Hora", "Time"),
          type: "time",
          value: order.horario_entrega ? clock(order.horario_entrega) : "",
          hint: t("Si ya pasó, es para mañana.", "If it has passed, it is for tomorrow."),
        },
      ],
      action: t("Guardar", "Save"),
      submit: async ({ cuando, horario_entrega: wall }) => {
        if (cuando === "hora" && !wall)
          return {
            ok: false,
            problem: {
              errors: [
                { path: "horario_entrega", message: t("Falta la hora", "The time is missing") },
              ],
            },
          };
        const due = cuando === "hora" ? instantOf(wall) : null;
        const result = await promise(order, { horario_entrega: due }, context);
        if (result.problem?.code !== "PROMESA_NO_SE_CUMPLE") return result;
        insistOn(order, due, result.problem, context);
        return { ok: true };
      },
    }),
  force: (order, context) => forceDialog(order, context),
  edit: (order, context) => context.edit(order),
  why: (order, context) => context.why(order),
};

/** The automation's switch. */
export function pauseDialog(refresh) {
  ask({
    title: t("Pausar la entrada automática", "Pause automatic entry"),
    text: t(
      "Los pedidos siguen llegando y se pueden preparar a mano. Todas las pantallas lo muestran.",
      "Orders keep arriving and can be started by hand. Every screen shows it.",
    ),
    fields: [
      {
        name: "minutos",
        label: t("Durante", "For"),
        type: "choice",
        value: "20",
        options: [10, 20, 30, 60, 120].map((value) => [String(value), `${value} min`]),
      },
      reason([
        t("Cocina desbordada", "Kitchen overwhelmed"),
        t("Falta personal", "Short of staff"),
        t("Problema con un equipo", "Equipment trouble"),
      ]),
    ],
    action: t("Pausar", "Pause"),
    submit: async ({ motivo, minutos }) => {
      const result = await post(
        "/api/pedidos/automatizacion/pausar",
        { motivo, minutos: Number(minutos) },
        { quiet: true },
      );
      refresh();
      return result;
    },
  });
}

export async function resume(refresh) {
  const result = await post("/api/pedidos/automatizacion/reanudar", {});
  refresh();
  if (result.ok)
    toast(t("Entrada automática reanudada", "Automatic entry resumed"), { tone: "good" });
}

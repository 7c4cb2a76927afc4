// The kitchen display. It keeps the last tickets it saw, so that a screen without network still
// shows the work; what is marked then waits and is sent when the server answers again.

import { get, post, showProblem } from "../web/api.js";
import { open } from "../web/dialog.js";
import { $, $$, empty, h, icon } from "../web/dom.js";
import { help } from "../web/help.js";
import { bind } from "../web/keys.js";
import { coalesce, showState, subscribe, watch } from "../web/live.js";
import { morphChildren } from "../web/morph.js";
import { keepPage } from "../web/offline.js";
import { keep, kept } from "../web/shelf.js";
import { clock, now, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import { noNetwork } from "./network.js";
import { command, drawOutbox, onArrival, onOutbox, pending } from "./outbox.js";
import { beep, soundOn, toggleSound } from "./sound.js";
import {
  ALL,
  allDay,
  changed,
  hasWork,
  linesAt,
  stationsOf,
  stationText,
  stationWord,
  target,
  ticketCard,
} from "./tickets.js";

const SHELF = "cocina.ultimo";
const BANNER_AFTER = 3_000; // a short gap is not worth a banner

let updated = null;
let tickets = recall();
let selected = null;
let station = localStorage.getItem("cocina.estacion") || ALL;
let showTotals = localStorage.getItem("cocina.totales") === "si";
let offline = false;
let pause = null;
let known = null;
const bumped = [];

function recall() {
  const last = kept(SHELF);
  updated = last?.at ?? null;
  return last?.tickets ?? [];
}

const refresh = coalesce(load);

async function load() {
  const list = await get("/comandas", { quiet: true });
  if (!list.ok) {
    offline = true;
    draw();
    return;
  }
  offline = false;
  updated = now();
  tickets = list.data.sort((a, b) => target(a) - target(b) || a.id - b.id);
  announce();
  keep(SHELF, { at: updated, tickets });
  draw();
}

/** The pause stands on the counter's board; it is asked for only when it may have changed. */
async function loadPause() {
  const result = await get("/api/pedidos/tablero", { quiet: true });
  if (!result.ok) return;
  pause = result.data.pausa;
  draw();
}

/** A sound for a new ticket and for a changed one, never for the first look. */
function announce() {
  const next = new Map(tickets.map(({ id, revision }) => [id, revision]));
  if (known && [...next].some(([id, revision]) => known.get(id) !== revision)) beep();
  known = next;
}

const visible = () => tickets.filter((ticket) => hasWork(ticket, station));

function draw() {
  const list = visible();
  if (!list.some(({ id }) => id === selected)) selected = list[0]?.id ?? null;
  const cards = list.map((ticket, index) =>
    ticketCard(ticket, {
      index,
      selected: ticket.id === selected,
      station,
      waits: pending("ticket", ticket.id),
    }),
  );
  const none = offline
    ? empty(
        "warning",
        t("Sin conexión y sin comandas guardadas", "No connection and no kept tickets"),
        t("Se reintenta solo.", "It retries by itself."),
      )
    : empty(
        "check",
        t("Nada por preparar", "Nothing to prepare"),
        t(
          "Las comandas entran solas, con sonido si está activado.",
          "Tickets arrive by themselves, with a sound if it is on.",
        ),
      );
  morphChildren($("#tickets"), h("div", {}, cards.length ? cards : none));
  $("#tickets").removeAttribute("aria-busy");
  const late = list.filter((ticket) => target(ticket) < now()).length;
  morphChildren(
    $("#count"),
    h(
      "span",
      {},
      h("b", {}, String(list.length)),
      t(list.length === 1 ? "comanda" : "comandas", list.length === 1 ? "ticket" : "tickets"),
      late
        ? h(
            "em",
            {},
            icon("alert"),
            t(late === 1 ? "1 atrasada" : `${late} atrasadas`, `${late} late`),
          )
        : null,
    ),
  );
  drawTools();
  drawTotals(list);
  $("#clock").textContent = clock(now());
}

function drawTools() {
  document.body.classList.toggle("offline", offline);
  noNetwork($("#offline"), offline, updated);
  drawOutbox($("#outbox"));
  const until = pause?.hasta
    ? t(` hasta las ${clock(pause.hasta)}`, ` until ${clock(pause.hasta)}`)
    : "";
  morphChildren(
    $("#pause"),
    h(
      "div",
      {},
      pause
        ? h(
            "p.notice.warn",
            { role: "status" },
            icon("pause"),
            h(
              "span",
              {},
              h("b", {}, t("Entrada automática en pausa", "Automatic entry paused")),
              `${until}: ${pause.motivo}`,
            ),
          )
        : null,
    ),
  );
  morphChildren(
    $("#station"),
    h(
      "span",
      {},
      icon("kitchen"),
      h("span", {}, stationText(station)),
      h("kbd", {}, "s"),
    ),
  );
  morphChildren(
    $("#sound"),
    h(
      "span",
      {},
      icon(soundOn() ? "sound" : "mute"),
      h("span", {}, soundOn() ? t("Sonido", "Sound") : t("Mudo", "Muted")),
      h("kbd", {}, "m"),
    ),
  );
  $("#sound").setAttribute("aria-pressed", String(soundOn()));
  $("[data-do=all-day]").setAttribute("aria-pressed", String(showTotals));
}

function drawTotals(list) {
  const panel = $("#all-day");
  panel.hidden = !showTotals;
  if (!showTotals) return;
  const rows = allDay(list, station).map(([name, count]) =>
    h("li", { "data-key": `t-${name}` }, h("b", {}, String(count)), h("span", {}, name)),
  );
  morphChildren(
    panel,
    h(
      "div",
      {},
      h("h2", {}, t("Por preparar", "To prepare")),
      rows.length ? h("ol", {}, rows) : h("p.soft", {}, t("Nada pendiente", "Nothing pending")),
    ),
  );
}

/* Doing. */

const ticketOf = (id) => tickets.find((ticket) => ticket.id === Number(id));

async function bumpOrder(id) {
  const ticket = ticketOf(id);
  if (!ticket) return;
  if (changed(ticket)) {
    toast(t("Hay cambios sin ver en esta comanda", "This ticket has unseen changes"), {
      tone: "warn",
      detail: t("Primero se marcan como vistos (v).", "Mark them as seen first (v)."),
    });
    return;
  }
  // A station answers for its own lines; who sees the whole answers for the order.
  const [method, url, body] =
    station === ALL
      ? ["PUT", `/pedidos/${ticket.pedido_id}/estado`, { estado: "LISTO" }]
      : ["POST", `/comandas/${id}/lista`, { estacion: stationWord(station) }];
  const done = station === ALL ? t("listo", "ready") : t(`${stationText(station)} listo`, `${stationText(station)} done`);
  const result = await tell(ticket, method, url, body, done);
  if (result.ok) bumpedNow(ticket, result.data);
  refresh();
}

/** Something done to a ticket: now, or as soon as there is a network. */
async function tell(ticket, method, url, body, said) {
  const label = `#${ticket.pedido_id}: ${said}`;
  const result = await command(method, url, body, { ticket: ticket.id, label });
  if (!result.ok && !result.queued) showProblem(result.problem);
  return result;
}

/** Says what the press did: the order is ready, or this station is done with it. */
function bumpedNow(ticket, order) {
  const ready = order.estado === "LISTO";
  bumped.push({ id: ticket.id, station });
  for (const line of linesAt(ticket, station))
    if (line.estado === "PENDIENTE") line.estado = "LISTA";
  if (ready) tickets = tickets.filter(({ id }) => id !== ticket.id);
  draw();
  const at = stationText(station);
  toast(
    ready
      ? t(`#${ticket.pedido_id} listo`, `#${ticket.pedido_id} ready`)
      : t(`#${ticket.pedido_id}: ${at} terminó`, `#${ticket.pedido_id}: ${at} is done`),
    {
      tone: "good",
      detail: ready
        ? undefined
        : t("Falta lo de otras estaciones.", "Other stations are still at it."),
      undo: () => undo(ticket.id),
    },
  );
}

async function bumpLine(id, n) {
  const ticket = ticketOf(id);
  const line = ticket?.lineas.find((one) => one.n === Number(n));
  if (!line || line.estado === "ANULADA") return;
  line.estado = line.estado === "LISTA" ? "PENDIENTE" : "LISTA";
  draw();
  const done = line.estado === "LISTA" ? t("listo", "done") : t("sin marcar", "not done");
  const result = await tell(ticket, "POST", `/comandas/${id}/lineas/${n}/lista`, {}, `${line.nombre} ${done}`);
  const finished = linesAt(ticket, station).every(({ estado }) => estado !== "PENDIENTE");
  if (result.ok && finished && line.estado === "LISTA") bumpedNow(ticket, result.data);
  refresh();
}

async function confirmChanges(id) {
  const ticket = ticketOf(id);
  if (!ticket || !changed(ticket)) return;
  const { revision } = ticket;
  const seen = t("cambios vistos", "changes seen");
  await tell(ticket, "POST", `/comandas/${id}/confirmar`, { revision }, seen);
  refresh();
}

/** To the kitchen's printer; without one, to the browser's. */
async function print(id) {
  const ticket = ticketOf(id);
  if (!ticket || offline) return;
  const result = await post(`/comandas/${id}/imprimir`, {}, { quiet: true });
  if (result.ok)
    toast(t(`#${ticket.pedido_id}: a la impresora`, `#${ticket.pedido_id}: sent to the printer`));
  else if (result.problem.code === "SIN_IMPRESORA") window.open(`/comandas/${id}/impresion`);
  else showProblem(result.problem);
}

async function undo(id) {
  const at = bumped.findLastIndex((one) => one.id === id);
  const by = at >= 0 ? bumped.splice(at, 1)[0].station : ALL;
  const body = by === ALL ? {} : { estacion: stationWord(by) };
  const result = await post(`/comandas/${id}/deshacer`, body);
  if (result.ok) selected = id;
  refresh();
}

function undoLast() {
  if (offline) return;
  if (bumped.length) undo(bumped.at(-1).id);
  else recallList();
}

async function recallList() {
  const result = await get("/comandas?estado=LISTO&limit=12");
  if (!result.ok) return;
  const rows = result.data.map((ticket) =>
    h(
      "li",
      {},
      h("b", {}, `#${ticket.pedido_id}`),
      h(
        "span",
        {},
        ticket.lineas
          .filter(({ estado }) => estado !== "ANULADA")
          .map((line) => `${line.cantidad}× ${line.nombre}`)
          .join(", "),
      ),
      h(
        "button",
        { type: "button", "data-recall": ticket.id },
        icon("undo"),
        t("Recuperar", "Recall"),
      ),
    ),
  );
  const dialog = open(
    t("Terminadas hace poco", "Finished recently"),
    rows.length
      ? h("ul.recall", {}, rows)
      : empty("undo", t("Nada para recuperar", "Nothing to recall"), ""),
  );
  dialog.addEventListener("click", (event) => {
    const button = event.target.closest("[data-recall]");
    if (!button) return;
    dialog.close();
    undo(Number(button.dataset.recall));
  });
}

function cycleStation() {
  const names = [ALL, ...stationsOf(tickets)];
  station = names[(names.indexOf(station) + 1) % names.length] ?? ALL;
  localStorage.setItem("cocina.estacion", station);
  draw();
}

function toggleTotals() {
  showTotals = !showTotals;
  localStorage.setItem("cocina.totales", showTotals ? "si" : "no");
  draw();
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

function select(id) {
  if (id === undefined) return;
  selected = id;
  draw();
  $(`[data-key="k${id}"]`)?.scrollIntoView({ block: "nearest" });
}

/** Arrows walk the grid as it is laid out now. */
function walk(horizontal, vertical) {
  const list = visible();
  const at = list.findIndex(({ id }) => id === selected);
  const tops = $$(".ticket").map((element) => element.offsetTop);
  const columns = Math.max(1, tops.filter((top) => top === tops[0]).length);
  select(list[Math.max(0, Math.min(list.length - 1, at + horizontal + vertical * columns))]?.id);
}

const tools = {
  station: cycleStation,
  "all-day": toggleTotals,
  recall: recallList,
  sound: () => toggleSound().then(draw),
  full: fullScreen,
  help,
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  const ticket = event.target.closest(".ticket");
  if (ticket) selected = Number(ticket.dataset.id);
  if (button && tools[button.dataset.do]) tools[button.dataset.do]();
  else if (button && ticket) {
    const { do: verb, n } = button.dataset;
    if (verb === "bump") bumpOrder(ticket.dataset.id);
    else if (verb === "line") bumpLine(ticket.dataset.id, n);
    else if (verb === "seen") confirmChanges(ticket.dataset.id);
    else if (verb === "print") print(ticket.dataset.id);
  } else if (ticket) draw();
});

// Shift and a digit, by position on the keyboard: what Shift makes of it differs by layout.
document.addEventListener("keydown", (event) => {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
  if (!digit || !event.shiftKey || event.ctrlKey || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  const ticket = ticketOf(selected);
  const line = ticket && linesAt(ticket, station)[Number(digit) - 1];
  if (line) bumpLine(ticket.id, line.n);
});

const KITCHEN = t("Cocina", "Kitchen");
bind(
  KITCHEN,
  ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
  t("Elegir comanda", "Select ticket"),
  (event) => select(visible()[Number(event.key) - 1]?.id),
  { shown: "1 – 9" },
);
bind(
  KITCHEN,
  "Shift+1",
  t("Marcar un artículo de la elegida", "Mark an item of the selected one"),
  () => {},
  { shown: t("Mayús + 1 – 9", "Shift + 1 – 9") },
);
bind(KITCHEN, ["Enter", " "], t("Comanda lista", "Ticket ready"), () => bumpOrder(selected));
bind(KITCHEN, ["r", "Backspace"], t("Recuperar la última", "Recall the last one"), undoLast);
bind(KITCHEN, "p", t("Imprimir la comanda", "Print the ticket"), () => print(selected));
bind(KITCHEN, "v", t("Cambios vistos", "Changes seen"), () => confirmChanges(selected));
bind(KITCHEN, "ArrowLeft", t("Anterior", "Previous"), () => walk(-1, 0));
bind(KITCHEN, "ArrowRight", t("Siguiente", "Next"), () => walk(1, 0));
bind(KITCHEN, "ArrowUp", t("Fila anterior", "Row above"), () => walk(0, -1));
bind(KITCHEN, "ArrowDown", t("Fila siguiente", "Row below"), () => walk(0, 1));
bind(KITCHEN, "a", t("Totales por artículo", "Totals by item"), toggleTotals);
bind(KITCHEN, "s", t("Cambiar de estación", "Change station"), cycleStation);
bind(KITCHEN, "m", t("Sonido", "Sound"), tools.sound);
bind(KITCHEN, "f", t("Pantalla completa", "Full screen"), fullScreen);
bind(KITCHEN, "?", t("Esta ayuda", "This help"), help);

showState($("#live"));
let worry = null;
watch(({ state }) => {
  clearTimeout(worry);
  if (state === "waiting" || state === "lost") worry = setTimeout(refresh, BANNER_AFTER);
});
subscribe(["pedidos"], {
  event: (envelope) => {
    refresh();
    if (envelope.name === "automatizacion:cambiada") loadPause();
  },
  resync: () => {
    refresh();
    loadPause();
  },
  hidden: true,
});
onOutbox(draw);
onArrival(refresh);
setInterval(draw, 5_000);
draw();
load();
keepPage();
loadPause();

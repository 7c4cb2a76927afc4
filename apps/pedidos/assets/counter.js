// The counter's board: reads the whole board on every change and morphs the page into it. What was seen
// last is kept, so that it can be read without a network.

import { get } from "../web/api.js";
import { open } from "../web/dialog.js";
import { $, empty, h, icon } from "../web/dom.js";
import { bind } from "../web/keys.js";
import { coalesce, subscribe } from "../web/live.js";
import { popMenu } from "../web/menu.js";
import { morphChildren } from "../web/morph.js";
import { keepPage } from "../web/offline.js";
import { keep, kept } from "../web/shelf.js";
import { clock, now, plain, setNow, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import { act, boss, choices, pauseDialog, primary, resume } from "./actions.js";
import { byUrgency, card, chip, exception } from "./cards.js";
import { closeDrawer, drawerOrder, openDrawer, refreshDrawer } from "./drawer.js";
import { isScheduled } from "./orders.js";
import { openForm } from "./order-form.js";
import { drawOutbox, onArrival, onOutbox } from "./outbox.js";
import { noNetwork } from "./network.js";

const COLUMNS = ["RECIBIDO", "EN_PREPARACION", "LISTO"];
const FRESH = 8_000;
const SHELF = "mostrador.ultimo";
const who = document.documentElement.dataset.who ?? "";

let board = null;
let updated = null;
let offline = false;
let selected = null;
let search = "";
const seen = new Map();

const refresh = coalesce(load);

async function load() {
  const result = await get("/api/pedidos/tablero", { quiet: true });
  if (!result.ok) return lost(result.status);
  board = result.data;
  setNow(board.ahora);
  offline = false;
  updated = now();
  keep(SHELF, { at: updated, who, board });
  const first = seen.size === 0;
  for (const { id } of board.pedidos) if (!seen.has(id)) seen.set(id, first ? 0 : Date.now());
  draw();
  if (first) await arrive();
  refreshDrawer(find(drawerOrder()));
}

/** What the address asks for: one order with its reasons, a new one, a pause. */
async function arrive() {
  const asked = new URLSearchParams(location.search);
  const id = Number(asked.get("pedido"));
  if (asked.has("nuevo")) openForm({ refresh });
  if (asked.has("pausar") && boss(board.rol) && !board.pausa) pauseDialog(refresh);
  if (!id) return;
  if (!find(id)) {
    const result = await get(`/pedidos/${id}`);
    if (!result.ok) return;
    visitor = result.data;
  }
  focusCard(id);
  openDrawer(find(id), board.rol);
}

/** An order that was asked for and is no longer on the board. */
let visitor = null;

/** Without an answer the board stands as it was seen last, and says since when. */
function lost(status) {
  // Somebody else may sit here next.
  if (status === 401) keep(SHELF, null);
  const last = kept(SHELF);
  if (!board && last?.who === who) {
    board = last.board;
    updated = last.at;
  }
  offline = true;
  draw();
}

const find = (id) =>
  board?.pedidos.find((order) => order.id === id) ??
  board?.excepciones.find((order) => order.id === id) ??
  (visitor?.id === id ? visitor : undefined);

function matches(order) {
  if (!search) return true;
  const text = [
    `#${order.id}`,
    order.cliente_nombre,
    order.cliente_telefono,
    ...(order.articulos ?? []).map((line) => line.nombre),
  ];
  return plain(text.join(" ")).includes(search);
}

function columnOrders(state) {
  return board.pedidos
    .filter((order) => order.estado === state && !isScheduled(order) && matches(order))
    .sort(byUrgency);
}

const scheduledOrders = () =>
  board.pedidos
    .filter((order) => isScheduled(order) && matches(order))
    .sort((a, b) => Date.parse(a.hora_inicio_preparacion) - Date.parse(b.hora_inicio_preparacion));

function draw() {
  noNetwork($("#offline"), offline, updated);
  drawOutbox($("#outbox"));
  if (!board) return;
  const held = document.activeElement?.closest?.("[data-id]");
  drawCapacity();
  drawPause();
  drawScheduled();
  for (const state of COLUMNS) drawColumn(state);
  drawExceptions();
  $("#board").removeAttribute("aria-busy");
  // A card that changed column is a new element: the keyboard follows it there.
  if (held && !held.isConnected && !document.querySelector("dialog[open]")) focusCard(selected);
}

function drawColumn(state) {
  const column = $(`[data-column="${state}"]`);
  const orders = columnOrders(state);
  const anchor = anchorId();
  const options = (order) => ({
    role: board.rol,
    anchor: order.id === anchor,
    selected: order.id === selected,
    fresh: Date.now() - (seen.get(order.id) ?? 0) < FRESH,
  });
  const cards = orders.map((order) => card(order, options(order)));
  $(".count", column).textContent = String(orders.length);
  const place = $(".cards", column);
  // What says that there is nothing is no item of a list.
  if (cards.length) place.setAttribute("role", "list");
  else place.removeAttribute("role");
  morphChildren(place, h("div", {}, cards.length ? cards : blank(state)));
}

function blank(state) {
  if (search)
    return empty(
      "search",
      t("Nada coincide", "Nothing matches"),
      t(
        "Ningún pedido de esta columna coincide con la búsqueda.",
        "No order in this column matches the search.",
      ),
    );
  const say = {
    RECIBIDO: [
      "bag",
      t("Nadie espera", "Nobody is waiting"),
      t("Los pedidos nuevos aparecen aquí. F1 carga uno.", "New orders appear here. F1 enters one."),
    ],
    EN_PREPARACION: [
      "kitchen",
      t("La cocina está libre", "The kitchen is free"),
      t(
        "Lo inmediato entra solo en cuanto hay lugar.",
        "Immediate orders enter by themselves when there is room.",
      ),
    ],
    LISTO: [
      "check",
      t("Nada por entregar", "Nothing to hand over"),
      t("Lo que la cocina termina aparece aquí.", "What the kitchen finishes appears here."),
    ],
  };
  return empty(...say[state]);
}

function drawCapacity() {
  const {
    capacidadMaxima: limit,
    pedidosEnPreparacion: used,
    espaciosDisponibles: free,
    regla,
    unidad,
  } = board.capacidad;
  const tone = used >= limit ? "bad" : used * 4 >= limit * 3 ? "warn" : "good";
  const places = Math.min(Math.max(limit, used), 24);
  const words =
    used > limit
      ? t(`${used - limit} de más`, `${used - limit} over`)
      : free === 0
        ? t("llena", "full")
        : free === 1
          ? t("1 lugar libre", "1 place free")
          : t(`${free} lugares libres`, `${free} places free`);
  const seats = Array.from({ length: places }, (_, index) =>
    h("i", { class: `${index < used ? "taken" : ""}${index >= limit ? " over" : ""}` }),
  );
  const unit = unidad === "esfuerzo" ? t("puntos", "points") : t("en cocina", "in kitchen");
  morphChildren(
    $("#capacity"),
    h(
      "div",
      {},
      h(
        "p.capacity-text",
        { class: tone },
        h("b", {}, `${used}/${limit}`),
        h("span", {}, `${unit} · ${words}`),
        regla
          ? h(
              "small",
              { title: t("Regla de horario vigente", "Schedule rule in force") },
              icon("calendar"),
              ruleText(regla),
            )
          : null,
      ),
      h("div.seats", { class: tone, "aria-hidden": "true" }, seats),
    ),
  );
}

const ruleText = (rule) => t(` por horario (regla ${rule})`, ` by schedule (rule ${rule})`);

function drawPause() {
  const { pausa: pause } = board;
  const button = $("#pause-button");
  const mayPause = boss(board.rol);
  button.hidden = !mayPause || Boolean(pause);
  if (!pause && !button.childElementCount)
    button.replaceChildren(icon("pause"), t("Pausar", "Pause"));
  const until = pause?.hasta
    ? t(`hasta las ${clock(pause.hasta)}`, `until ${clock(pause.hasta)}`)
    : t("sin hora de fin", "with no end time");
  const banner = pause
    ? h(
        "p.notice.warn.pause-notice",
        { role: "status" },
        icon("pause"),
        h(
          "span",
          {},
          h("b", {}, t("Entrada automática en pausa", "Automatic entry paused")),
          ` ${until}: ${pause.motivo}${pause.por ? ` (${pause.por})` : ""}`,
        ),
        mayPause
          ? h(
              "button",
              { type: "button", "data-do": "resume" },
              icon("play"),
              t("Reanudar", "Resume"),
            )
          : null,
      )
    : null;
  morphChildren($("#pause"), h("div", {}, banner, tooMany()));
}

/** A board that cannot hold all that is open says so. */
function tooMany() {
  const shown = board.pedidos.length + board.excepciones.length;
  if (!(board.abiertos > shown)) return null;
  return h(
    "p.notice.warn",
    { role: "status" },
    icon("warning"),
    t(
      `Se muestran los ${shown} más antiguos de ${board.abiertos} pedidos abiertos.`,
      `Showing the oldest ${shown} of ${board.abiertos} open orders.`,
    ),
  );
}

function drawScheduled() {
  const orders = scheduledOrders();
  const anchor = anchorId();
  const strip = orders.length
    ? h(
        "section.strip",
        { "aria-label": t("Programados", "Scheduled") },
        h(
          "h2",
          {},
          icon("calendar"),
          t("Programados", "Scheduled"),
          h("span.count", {}, String(orders.length)),
        ),
        h(
          "div.chips",
          { role: "list", "data-key": "chips" },
          orders.map((order) =>
            chip(order, { anchor: order.id === anchor, selected: order.id === selected }),
          ),
        ),
      )
    : null;
  morphChildren($("#scheduled"), h("div", {}, strip));
}

function drawExceptions() {
  const count = board.excepciones?.length ?? 0;
  const button = $("#exceptions-button");
  button.hidden = count === 0;
  const text = t(`${count} sin cerrar`, `${count} left open`);
  if (count && button.textContent !== text) button.replaceChildren(icon("warning"), text);
}

function showExceptions() {
  const rows = board.excepciones.map((order) => exception(order, { role: board.rol }));
  const dialog = open(t("Sin cerrar de días anteriores", "Left open from earlier days"), [
    h(
      "p.soft",
      {},
      t(
        "No ocupan la cocina ni entran solos. Hay que cerrarlos o forzarlos.",
        "They take no place and do not enter by themselves. Close or force them.",
      ),
    ),
    h("div.scroll-x", {}, h("table.grid.exceptions", {}, h("tbody", {}, rows))),
  ]);
  dialog.classList.add("roomy");
}

/* Selection: columns of ids, the strip first. */

function layout() {
  const strip = scheduledOrders().map(({ id }) => id);
  return { strip, columns: COLUMNS.map((state) => columnOrders(state).map(({ id }) => id)) };
}

/** The card that the Tab key reaches: the selected one, or the first. */
function anchorId() {
  const { strip, columns } = layout();
  const all = [...columns.flat(), ...strip];
  return all.includes(selected) ? selected : (columns.flat()[0] ?? strip[0] ?? null);
}

function focusCard(id) {
  if (id === null || id === undefined) return;
  selected = id;
  draw();
  const element = document.querySelector(`#counter [data-key="o${id}"]`);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function step(horizontal, vertical) {
  if (!board) return;
  const { strip, columns } = layout();
  const inStrip = strip.indexOf(selected);
  if (inStrip >= 0) {
    if (horizontal)
      return focusCard(strip[Math.max(0, Math.min(strip.length - 1, inStrip + horizontal))]);
    if (vertical > 0) return focusCard(columns.find((column) => column.length)?.[0]);
    return;
  }
  const x = columns.findIndex((column) => column.includes(selected));
  if (x < 0) return focusCard(anchorId());
  const y = columns[x].indexOf(selected);
  if (vertical < 0 && y === 0 && strip.length) return focusCard(strip[0]);
  if (vertical)
    return focusCard(columns[x][Math.max(0, Math.min(columns[x].length - 1, y + vertical))]);
  for (let next = x + horizontal; next >= 0 && next < columns.length; next += horizontal) {
    if (columns[next].length)
      return focusCard(columns[next][Math.min(y, columns[next].length - 1)]);
  }
}

/* Doing. */

const context = () => ({
  role: board?.rol,
  refresh,
  edit: (order) => openForm({ order, refresh }),
  why: (order) => openDrawer(order, board.rol),
});

function run(verb, id) {
  const order = find(Number(id));
  if (order) act(verb, order, context());
}

/** A key that can do nothing says why. */
function onSelected(verb) {
  const order = find(selected);
  if (!order)
    toast(t("Primero hay que elegir un pedido.", "An order has to be chosen first."), {
      tone: "warn",
      detail: t("Con las flechas o con un toque.", "With the arrow keys or a tap."),
    });
  else if (choices(order, board.rol).some((choice) => choice.verb === verb))
    act(verb, order, context());
  else
    toast(t(`Ahora no se puede con el pedido #${order.id}.`, `Not possible with order #${order.id} now.`), {
      tone: "warn",
    });
}

function openMenu(button, order) {
  const items = choices(order, board.rol).map(({ verb, text, symbol, key, danger }) =>
    h(
      "button",
      { type: "button", role: "menuitem", "data-do": verb, class: danger ? "danger" : "" },
      icon(symbol),
      text,
      key ? h("kbd", {}, key) : null,
    ),
  );
  popMenu(button, h("div.menu", { popover: "auto", role: "menu", "data-id": order.id }, items));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  const holder = event.target.closest("[data-id]");
  if (holder && holder.closest("#counter")) selected = Number(holder.dataset.id);
  if (!button) {
    if (holder?.matches(".order, .chip")) focusCard(selected);
    return;
  }
  const verb = button.dataset.do;
  if (verb === "new") openForm({ refresh });
  else if (verb === "pause") pauseDialog(refresh);
  else if (verb === "resume") resume(refresh);
  else if (verb === "menu") openMenu(button, find(Number(holder.dataset.id)));
  else if (verb === "exceptions") showExceptions();
  else if (verb === "close-drawer") closeDrawer();
  else if (holder) {
    button.closest(".menu")?.hidePopover();
    button.closest("dialog")?.close();
    run(verb, holder.dataset.id);
  }
});

$("#counter").addEventListener("focusin", (event) => {
  const holder = event.target.closest(".order, .chip");
  if (holder && Number(holder.dataset.id) !== selected) {
    selected = Number(holder.dataset.id);
    draw();
  }
});

const field = $("#find");
field.addEventListener("input", () => {
  search = plain(field.value.trim());
  draw();
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    field.value = search = "";
    draw();
    focusCard(anchorId());
  } else if (event.key === "Enter" || event.key === "ArrowDown") {
    event.preventDefault();
    focusCard(layout().columns.flat()[0] ?? layout().strip[0]);
  }
});

const BOARD = t("Tablero", "Board");
bind(BOARD, "F1", t("Nuevo pedido", "New order"), () => openForm({ refresh }));
bind(BOARD, ["ArrowLeft", "h"], t("Columna anterior", "Column before"), () => step(-1, 0));
bind(BOARD, ["ArrowRight", "l"], t("Columna siguiente", "Next column"), () => step(1, 0));
bind(BOARD, ["ArrowDown", "j"], t("Pedido siguiente", "Next order"), () => step(0, 1));
bind(BOARD, ["ArrowUp", "k"], t("Pedido anterior", "Previous order"), () => step(0, -1));
bind(BOARD, "Enter", t("Acción principal", "Main action"), () => {
  const order = find(selected);
  const main = order && primary(order, board.rol)?.[0];
  if (main) act(main.verb, order, context());
});
bind(BOARD, "w", t("¿Por qué?", "Why?"), () => {
  if (selected !== null && drawerOrder() === selected) closeDrawer();
  else onSelected("why");
});
bind(BOARD, "c", t("Cobrar", "Charge"), () => onSelected("charge"));
bind(BOARD, "e", t("Editar", "Edit"), () => onSelected("edit"));
bind(BOARD, "t", t("Cambiar horario", "Change time"), () => onSelected("reschedule"));
bind(BOARD, "r", t("Retener o liberar", "Hold or release"), () =>
  onSelected(find(selected)?.transicion_automatica ? "hold" : "release"),
);
bind(BOARD, "u", t("Deshacer el último paso", "Undo the last step"), () => onSelected("recall"));
bind(BOARD, "x", t("Cancelar pedido", "Cancel order"), () => onSelected("cancel"));
bind(BOARD, "Escape", t("Cerrar el detalle", "Close the detail"), closeDrawer);

subscribe(["pedidos"], { event: refresh, resync: refresh });
onOutbox(draw);
onArrival(refresh);
setInterval(draw, 10_000);
load();
keepPage();

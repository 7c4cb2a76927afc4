// A kitchen ticket as a card, and what the tickets add up to.

import { h, icon } from "../web/dom.js";
import { clock, now, t, when } from "../web/text.js";
import { extras, MODES } from "./orders.js";

export const changed = (ticket) =>
  (ticket.revision ?? 1) > (ticket.revision_confirmada ?? ticket.revision ?? 1);

/** What a screen looks at besides a named station: everything, or what belongs to none. */
export const ALL = "*";
export const NONE = "-";

const keyOf = (name) => (name ?? "").trim().toLowerCase();
const isAt = (line, station) =>
  station === ALL ||
  (station === NONE ? !keyOf(line.estacion) : keyOf(line.estacion) === keyOf(station));

/** How a station is called on the wire. */
export const stationWord = (station) => (station === NONE ? "" : station);

/** How a station is called on the screen. */
export const stationText = (station) =>
  station === ALL
    ? t("Expedición: todas", "Expediter: all")
    : station === NONE || station === ""
      ? t("Sin estación", "No station")
      : station;

/** Lines of one station, or all; voided ones stay until the change has been seen. */
export function linesAt(ticket, station) {
  const shown = (line) =>
    line.estado !== "ANULADA" || (changed(ticket) && line.revision > ticket.revision_confirmada);
  return ticket.lineas.filter((line) => shown(line) && isAt(line, station));
}

/** A station is done with a ticket when nothing of it is pending there, and nothing unseen. */
export const hasWork = (ticket, station) =>
  station === ALL ||
  linesAt(ticket, station).some((line) => line.estado === "PENDIENTE" || changed(ticket));

/** The stations there are, each as it was first written, and what belongs to none beside them. */
export function stationsOf(tickets) {
  const names = new Map();
  let none = false;
  for (const { estacion } of tickets.flatMap(({ lineas }) => lineas)) {
    if (!keyOf(estacion)) none = true;
    else if (!names.has(keyOf(estacion))) names.set(keyOf(estacion), estacion.trim());
  }
  const sorted = [...names.values()].sort((a, b) => a.localeCompare(b));
  return none && sorted.length ? [...sorted, NONE] : sorted;
}

/** How far each station is; told to who sees the whole, when there is more than one. */
function stationChips(ticket) {
  const stations = ticket.estaciones ?? [];
  if (stations.length < 2) return null;
  return h(
    "ul.stations",
    { "aria-label": t("Estaciones", "Stations") },
    stations.map(({ estacion, pendientes, listas, lista }) =>
      h(
        "li",
        { class: lista ? "done" : "", "data-key": `s-${estacion}` },
        icon(lista ? "check" : "clock"),
        h("span", {}, stationText(estacion)),
        h("b", {}, `${listas}/${pendientes + listas}`),
      ),
    ),
  );
}

/** Pending quantities by item over all tickets, largest first. */
export function allDay(tickets, station) {
  const sums = new Map();
  for (const ticket of tickets) {
    for (const line of linesAt(ticket, station)) {
      if (line.estado === "PENDIENTE")
        sums.set(line.nombre, (sums.get(line.nombre) ?? 0) + line.cantidad);
    }
  }
  return [...sums].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** The instant the cook works towards: the kitchen's own finish, or the promise when it is sooner. */
export const target = (ticket) => {
  const finish = Date.parse(ticket.hora_esperada_finalizacion);
  return ticket.horario_entrega ? Math.min(finish, Date.parse(ticket.horario_entrega)) : finish;
};

/** Time left as the cook reads it: big, negative when overdue, with a word beside the colour. */
function timeLeft(ticket) {
  const left = (target(ticket) - now()) / 60_000;
  const total = (target(ticket) - Date.parse(ticket.iniciado_en)) / 60_000;
  if (left < 0) {
    const number = `−${Math.max(1, Math.floor(-left))}`;
    return { tone: "bad", symbol: "alert", number, word: t("tarde", "late") };
  }
  const number = left < 1 ? "<1" : String(Math.floor(left));
  const word = t("quedan", "left");
  if (ticket.nivel_atraso === "EN_RIESGO" || left <= total * 0.2)
    return { tone: "warn", symbol: "warning", number, word, why: hurry(left, total) };
  return { tone: "good", symbol: "clock", number, word };
}

/** Why a ticket is amber: a long one may be at risk with more minutes left than a short one has. */
function hurry(left, total) {
  const used = Math.round((1 - left / total) * 100);
  const whole = Math.round(total);
  return used >= 80
    ? t(`Apurar: usó el ${used} % de sus ${whole} min`, `Hurry: ${used}% of its ${whole} min are gone`)
    : t("Apurar: va a salir tarde", "Hurry: it is going to be late");
}

export function ticketCard(ticket, { index, selected, station, waits = [] }) {
  const left = timeLeft(ticket);
  const mode = MODES[ticket.modalidad];
  const lines = linesAt(ticket, station);
  const elsewhere = linesAt(ticket, ALL).length - lines.length;
  const unseen = changed(ticket);
  return h(
    "article.ticket",
    {
      class: left.tone,
      "data-key": `k${ticket.id}`,
      "data-id": ticket.id,
      "aria-current": selected ? "true" : null,
      "aria-label": t(`Pedido ${ticket.pedido_id}`, `Order ${ticket.pedido_id}`),
    },
    h(
      "header",
      {},
      index < 9 ? h("kbd", { "aria-hidden": "true" }, String(index + 1)) : null,
      h("b.ticket-id", {}, `#${ticket.pedido_id}`),
      h(
        "span.left",
        {},
        icon(left.symbol),
        h("b", {}, left.number),
        h("small", {}, "min", h("br"), left.word),
      ),
    ),
    h(
      "p.ticket-meta",
      {},
      mode ? h("span", {}, icon(mode.symbol), mode.text) : null,
      h(
        "span",
        {},
        icon("clock"),
        ticket.horario_entrega
          ? t(`para ${when(ticket.horario_entrega)}`, `for ${when(ticket.horario_entrega)}`)
          : t(`entró ${clock(ticket.iniciado_en)}`, `in at ${clock(ticket.iniciado_en)}`),
      ),
    ),
    left.why ? h("p.ticket-hurry", {}, icon("warning"), left.why) : null,
    ticket.observaciones ? h("p.ticket-note", {}, icon("note"), ticket.observaciones) : null,
    unseen
      ? h(
          "button.seen",
          { type: "button", "data-do": "seen" },
          icon("warning"),
          t("Cambió: marcar visto", "Changed: mark as seen"),
          h("kbd", {}, "v"),
        )
      : null,
    h(
      "ul",
      {},
      lines.map((line, place) => lineRow(line, ticket, { place, selected, unseen })),
    ),
    station === ALL ? stationChips(ticket) : null,
    elsewhere
      ? h(
          "p.elsewhere",
          {},
          t(`+${elsewhere} en otras estaciones`, `+${elsewhere} at other stations`),
        )
      : null,
    waits.length
      ? h(
          "p.waits",
          {},
          icon("upload"),
          t("Por enviar: ", "To be sent: "),
          waits.map(({ label }) => label.replace(/^#\d+: /, "")).join(", "),
        )
      : null,
    h(
      "button.bump",
      { type: "button", "data-do": "bump", disabled: waits.some(({ url }) => /estado$|\/lista$/.test(url) && !url.includes("lineas")) },
      icon("check"),
      station === ALL
        ? t("Listo", "Ready")
        : t(`${stationText(station)}: listo`, `${stationText(station)}: done`),
    ),
  );
}

function lineRow(line, ticket, { place, selected, unseen }) {
  const isNew = unseen && line.revision > ticket.revision_confirmada;
  const voided = line.estado === "ANULADA";
  const state = voided ? "voided" : line.estado === "LISTA" ? "done" : "";
  const word = voided ? t("Anulado: ", "Voided: ") : isNew ? t("Agregado: ", "Added: ") : "";
  return h(
    "li",
    { class: `${state}${isNew && !voided ? " added" : ""}`, "data-key": `n${line.n}` },
    h(
      "button",
      {
        type: "button",
        "data-do": "line",
        "data-n": line.n,
        disabled: voided,
        "aria-pressed": voided ? null : String(line.estado === "LISTA"),
      },
      isNew ? h("span.mark", { "aria-hidden": "true" }, voided ? "✕" : "+") : null,
      h("b", {}, `${line.cantidad}×`),
      h(
        "span",
        {},
        word ? h("span.sr-only", {}, word) : null,
        line.nombre,
        extras(line) ? h("small", {}, extras(line)) : null,
        line.observaciones ? h("em", {}, line.observaciones) : null,
      ),
      line.estado === "LISTA"
        ? icon("check")
        : selected && place < 9 && !voided
          ? h("kbd", { "aria-hidden": "true" }, `⇧${place + 1}`)
          : null,
    ),
  );
}

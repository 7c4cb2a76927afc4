// Acts made without a network. They wait in this browser with their Idempotency-Key, in the order they
// were made, and are sent when the server answers again: once, however often they travel. What is
// refused then is told until somebody has read it. A reload loses nothing.

import { freshKey, request } from "../web/api.js";
import { h, icon } from "../web/dom.js";
import { watch } from "../web/live.js";
import { morphChildren } from "../web/morph.js";
import { keep, kept } from "../web/shelf.js";
import { clock, now, t } from "../web/text.js";
import { toast } from "../web/toast.js";

const BOX = "pedidos.porEnviar";
const TOLD = "pedidos.rechazados";
const RETRY = 3_000;
const MOST = 200; // more than anybody does in an outage
/** Acts are sent in the name of who made them, by nobody else. */
const who = document.documentElement.dataset.who ?? "";

const watchers = new Set();
const arrivals = new Set();
const all = () => kept(BOX, []);
const refusals = () => kept(TOLD, []);
const mine = () => all().filter((entry) => entry.who === who);

function changed() {
  for (const watcher of watchers) watcher();
}

function write(key, value) {
  keep(key, value);
  changed();
}

/** `handler()` hears of everything that comes, goes or is refused. */
export const onOutbox = (handler) => watchers.add(handler);
/** `handler(entry, answer)` hears of what the server took. */
export const onArrival = (handler) => arrivals.add(handler);
window.addEventListener("storage", ({ key }) => [BOX, TOLD].includes(key) && changed());

/** What waits for the order, or the ticket, with this number. */
export const pending = (what, id) => mine().filter((entry) => entry[what] === id);

/** Whether an answer says that the server was not reached. */
const unreached = ({ status, problem }) =>
  status === 0 || status === 401 || ([502, 503, 504].includes(status) && !problem?.code);

async function deliver({ method, url, body, version, key }) {
  const answer = await request(method, url, { body, version, key, quiet: true });
  return unreached(answer) ? null : answer;
}

/**
 * Does something now, or as soon as it can be done.
 * @param {{label: string, order?: number, ticket?: number, version?: number, key?: string,
 *   then?: {url: string, body: any, label: string}}} about `then` follows once the order has a
 *   number, which stands for `{id}` in its address
 * @returns {Promise<{ok: boolean, queued?: boolean, status: number, data: any, problem: any}>}
 */
export async function command(method, url, body, about) {
  const entry = { key: freshKey(), method, url, body, who, at: now(), ...about };
  // What is done later never overtakes what was done before.
  const answer = mine().length ? null : await deliver(entry);
  if (answer) return answer;
  write(BOX, [...all(), entry].slice(-MOST));
  flush();
  toast(t(`Por enviar: ${entry.label}`, `To be sent: ${entry.label}`), {
    tone: "warn",
    detail: t("Se envía solo cuando vuelva la conexión.", "It is sent by itself once there is a connection."),
  });
  const problem = { code: "POR_ENVIAR", title: t("Por enviar", "To be sent"), detail: entry.label };
  return { ok: false, queued: true, status: 0, data: null, problem };
}

/** Two tabs take turns, where browsers let them; the keys make sure of it everywhere. */
const alone = (work) => (navigator.locks ? navigator.locks.request(BOX, work) : work());

let flushing = false;
let timer = null;
export async function flush() {
  clearTimeout(timer);
  if (flushing || !mine().length) return;
  flushing = true;
  try {
    await alone(empty);
  } finally {
    flushing = false;
    if (mine().length) timer = setTimeout(flush, RETRY);
  }
}

async function empty() {
  let sent = 0;
  for (let entry = mine()[0]; entry; entry = mine()[0]) {
    const answer = await deliver(entry);
    if (!answer) break;
    settle(entry, answer);
    sent += Number(answer.ok);
  }
  if (sent)
    toast(
      t(
        sent === 1 ? "Se envió lo que esperaba" : `Se enviaron ${sent} que esperaban`,
        sent === 1 ? "What was waiting has been sent" : `${sent} that were waiting have been sent`,
      ),
      { tone: "good" },
    );
}

function settle(entry, answer) {
  const rest = all().filter(({ key }) => key !== entry.key);
  if (!answer.ok) {
    const { detail, title } = answer.problem;
    write(TOLD, [...refusals(), { key: entry.key, label: entry.label, why: detail || title, who }]);
  } else if (entry.then) {
    const { url, body, label } = entry.then;
    const next = { key: freshKey(), method: "POST", url: url.replace("{id}", answer.data.id), body };
    rest.unshift({ ...next, label, who, at: entry.at, order: answer.data.id });
  }
  write(BOX, rest);
  if (answer.ok) for (const handler of arrivals) handler(entry, answer);
}

export const withdraw = (key) => write(BOX, all().filter((entry) => entry.key !== key));

/** The list of what waits, and of what was refused. */
export function drawOutbox(place) {
  const waiting = mine();
  const count = waiting.length;
  morphChildren(
    place,
    h(
      "div",
      {},
      count
        ? h(
            "div.notice.warn.outbox",
            { role: "status", "data-key": "waiting" },
            icon("upload"),
            h(
              "div",
              {},
              h("b", {}, t(`${count} por enviar`, `${count} to be sent`)),
              h("ul", {}, waiting.map(row)),
            ),
          )
        : null,
      refusals()
        .filter((one) => one.who === who)
        .map(refusal),
    ),
  );
}

const row = ({ key, label, at }) =>
  h(
    "li",
    { "data-key": key },
    h("span", {}, `${clock(at)} ${label}`),
    h("button.ghost", { type: "button", "data-withdraw": key }, t("Quitar", "Remove")),
  );

const refusal = ({ key, label, why }) =>
  h(
    "p.notice.bad.outbox",
    { role: "alert", "data-key": key },
    icon("alert"),
    h("span", {}, h("b", {}, t(`No se aceptó: ${label}. `, `Not accepted: ${label}. `)), why),
    h("button", { type: "button", "data-told": key }, t("Entendido", "Understood")),
  );

document.addEventListener("click", (event) => {
  const { withdraw: gone, told } = event.target.closest("button")?.dataset ?? {};
  if (gone) withdraw(gone);
  if (told) write(TOLD, refusals().filter(({ key }) => key !== told));
});

window.addEventListener("online", flush);
watch(({ state }) => state === "live" && flush());
flush();

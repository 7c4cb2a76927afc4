// What was typed and not yet received: drafts and answers wait in this browser until the server
// has them. Nothing here is lost by a reload, a crash or a dead network.

import { request } from "../web/api.js";

const BOX = "turno.station.outbox";
const draftKey = (operator, task) => `turno.station.draft.${operator}.${task}`;
const RETRY = 2_000;

function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A private window may refuse storage: the answer then lives as long as the page.
    memory.set(key, value);
  }
}
const memory = new Map();

export const localDraft = (operator, task) =>
  read(draftKey(operator, task), memory.get(draftKey(operator, task)) ?? null);
export const keepDraft = (operator, task, data) => write(draftKey(operator, task), data);

let entries = read(BOX, []);
let sending = false;
let timer = null;
const watchers = new Set();

/** Answers that wait to be sent. */
export const waiting = () => entries;

function keep(next) {
  entries = next;
  write(BOX, entries);
  for (const watcher of watchers) watcher(entries);
}

/** `handler` hears of every change, and of refusals: `(entry, problem)` as second kind of call. */
export function watchOutbox(handler) {
  watchers.add(handler);
  handler(entries);
}

const refusals = new Set();
export const onRefusal = (handler) => refusals.add(handler);
const arrivals = new Set();
export const onArrival = (handler) => arrivals.add(handler);

export function put(entry) {
  keep([...entries.filter((one) => one.task !== entry.task), entry]);
}

const flying = new Map();
/** A promise while an answer is on its way. */
export const inFlight = (key) => flying.get(key);

/** Sends one answer. `null`: the server cannot be reached. */
function deliver({ task, body, key }) {
  const sent = request("POST", `/tasks/${task}/submit`, { body, key, quiet: true }).then((answer) =>
    answer.status === 0 || answer.status >= 500 ? null : answer,
  );
  flying.set(key, sent);
  return sent.finally(() => flying.delete(key));
}

/** Takes an answer that waits out of the box; answers whether it was there. */
export function withdraw(key) {
  const there = entries.some((one) => one.key === key);
  if (there) drop(key);
  return there;
}

const drop = (key) => keep(entries.filter((one) => one.key !== key));

/**
 * Sends an answer and waits for the verdict, but not for long: a slow or dead network leaves it in
 * the box and the person goes on. Answers the verdict, or null.
 */
export async function send(entry, patience = 1_500) {
  put(entry);
  const late = new Promise((resolve) => setTimeout(() => resolve("late"), patience));
  const sent = deliver(entry);
  const verdict = await Promise.race([sent, late]);
  if (verdict === "late") {
    sent.then((answer) => settle(entry, answer));
    return null;
  }
  if (verdict === null) {
    again();
    return null;
  }
  drop(entry.key);
  if (verdict.ok) received(entry, verdict);
  return verdict;
}

function received(entry, answer) {
  keepDraft(entry.body.operator, entry.task, null);
  for (const handler of arrivals) handler(entry, answer);
}

function settle(entry, answer) {
  if (answer === null) return again();
  drop(entry.key);
  if (answer.ok) received(entry, answer);
  else for (const handler of refusals) handler(entry, answer);
}

function again() {
  clearTimeout(timer);
  timer = setTimeout(flush, RETRY);
}

/** Sends everything that waits, in order, until one cannot be sent. */
export async function flush() {
  if (sending) return;
  sending = true;
  try {
    while (entries.length) {
      const entry = entries[0];
      const answer = await deliver(entry);
      if (answer === null) return again();
      settle(entry, answer);
    }
  } finally {
    sending = false;
  }
}

window.addEventListener("online", flush);
if (entries.length) flush();

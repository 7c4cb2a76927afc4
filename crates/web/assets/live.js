// One stream of events per tab. It is read with fetch rather than EventSource, for three reasons:
// every event name arrives without being listed, the last id can be sent when the stream is opened
// again on purpose, and silence can be told from life.

import { $, $$ } from "./dom.js";
import { morphChildren } from "./morph.js";
import { clock, t } from "./text.js";

const SILENCE = 40_000; // the server speaks every 15 s
const POLL = 10_000;
const GRACE = 5_000; // a tab switched away from for a moment keeps its stream

const topics = new Set();
const listeners = new Set();
const watchers = new Set();

let state = "off";
let lostAt = null;
let lastId = null;
let attempt = 0;
let control = null;
let running = false;
let stayOpen = false;
let refused = false;

export const liveState = () => ({ state, lostAt });

/**
 * @param {string[]} names topics to ask for
 * @param {{event?: (envelope: any) => void, resync?: () => void, hidden?: boolean}} handlers
 *   `resync` is called when events may have been missed; `hidden` keeps the stream in a hidden tab.
 */
export function subscribe(names, handlers) {
  names.forEach((name) => topics.add(name));
  listeners.add(handlers);
  if (handlers.hidden) stayOpen = true;
  // One tick later, so that all parts of a page have named their topics.
  queueMicrotask(start);
  return () => listeners.delete(handlers);
}

export function watch(handler) {
  watchers.add(handler);
  handler({ state, lostAt });
}

function become(next) {
  if (next === "live") lostAt = null;
  else if (state === "live" || (lostAt === null && next !== "off")) lostAt = Date.now();
  state = next;
  for (const watcher of watchers) watcher({ state, lostAt });
}

async function start() {
  if (running || topics.size === 0) return;
  running = true;
  setInterval(poll, POLL);
  document.addEventListener("visibilitychange", attention);
  window.addEventListener("online", () => wake?.());
  for (;;) {
    if (document.hidden && !stayOpen) {
      become("off");
      await new Promise((resolve) => (wake = resolve));
    }
    await read().catch(() => {});
    if (document.hidden && !stayOpen) continue;
    become(refused ? "polling" : attempt < 3 ? "waiting" : "lost");
    const patience = refused ? 60_000 : Math.min(8_000, 400 * 2 ** attempt);
    await pause(patience * (0.75 + Math.random() / 2));
    attempt += 1;
  }
}

let wake = null;
const pause = (time) =>
  new Promise((resolve) => {
    wake = resolve;
    setTimeout(resolve, time);
  });

let leaving = null;
function attention() {
  clearTimeout(leaving);
  if (document.hidden && !stayOpen) leaving = setTimeout(() => control?.abort(), GRACE);
  else wake?.();
}

async function read() {
  control = new AbortController();
  let watchdog = setTimeout(() => control.abort(), SILENCE);
  try {
    const headers = { Accept: "text/event-stream" };
    if (lastId) headers["Last-Event-ID"] = lastId;
    const url = `/api/events?topics=${encodeURIComponent([...topics].join(","))}`;
    const response = await fetch(url, { headers, signal: control.signal, cache: "no-store" });
    // A screen that nobody signed in to may read its numbers but not the stream.
    refused = response.status === 401 || response.status === 403;
    if (!response.ok || !response.body) throw new Error(String(response.status));
    attempt = 0;
    const first = state === "off" && lastId === null;
    become("live");
    if (!first) resync();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => control.abort(), SILENCE);
      const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
      rest = blocks.pop();
      blocks.forEach(dispatch);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

function dispatch(block) {
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("id:")) lastId = line.slice(3).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  if (!data) return;
  let envelope;
  try {
    envelope = JSON.parse(data);
  } catch {
    return;
  }
  for (const listener of listeners) listener.event?.(envelope);
}

function resync() {
  for (const listener of listeners) listener.resync?.();
}

/** While the stream is down the pages still move, only slower. */
function poll() {
  if (state !== "live" && state !== "off") resync();
}

/** Runs `work` at once, then at most every `gap` ms, and never twice at the same time. */
export function coalesce(work, gap = 500) {
  let timer = null;
  let again = false;
  const run = async () => {
    timer = setTimeout(() => {
      timer = null;
      if (again) {
        again = false;
        run();
      }
    }, gap);
    await work();
  };
  return () => {
    if (timer) again = true;
    else run();
  };
}

/** The sign in the top bar. */
export function showState(element) {
  if (!element) return;
  watch(({ state, lostAt }) => {
    element.hidden = state === "off" || state === "polling";
    element.dataset.state = state;
    const text = {
      off: "",
      polling: "",
      live: t("En vivo", "Live"),
      waiting: t("Reconectando…", "Reconnecting…"),
      lost: t(`Sin conexión desde ${clock(lostAt)}`, `No connection since ${clock(lostAt)}`),
    }[state];
    if (element.lastElementChild.textContent !== text) element.lastElementChild.textContent = text;
  });
}

/** `<section id="x" data-live="URL" data-topics="a,b">`: fetched again when something happened. */
export function liveRegions() {
  for (const region of $$("[data-live]")) {
    const names = (region.dataset.topics ?? "").split(",").filter(Boolean);
    const refresh = coalesce(() => refetch(region));
    const concerns = (envelope) =>
      names.includes(envelope.app) || names.includes(String(envelope.name).split(":")[0]);
    subscribe(names, { event: (envelope) => concerns(envelope) && refresh(), resync: refresh });
  }
}

let still = false;
/** A page that is about to be left is not read again. */
export function stayStill(on) {
  still = on;
}

async function refetch(region) {
  if (still) return;
  const response = await fetch(region.dataset.live, { headers: { Accept: "text/html" } }).catch(
    () => null,
  );
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  // The address may answer the whole page or only the region.
  morphChildren(region, (region.id && $(`#${CSS.escape(region.id)}`, page)) || page.body);
}

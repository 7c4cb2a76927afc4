// *Deshacer*: the answer that was sent last can be taken back for a moment; how long, the server says.

import { post } from "../web/api.js";
import { h, icon } from "../web/dom.js";
import { now, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import { inFlight, withdraw } from "./station_outbox.js";

const SAID = 3_000; // an answer that cannot be taken back is said to have been sent, no longer

/** @typedef {{task: string, title: string, body: any, key: string}} Entry */

let place;
let back; // what to do with a task that came back
let last = null; // {entry, task, until}
let timer = null;

/** `bring(detail, body)` lays a task out again. */
export function offerUndo(element, bring) {
  place = element;
  back = bring;
}

function draw() {
  clearTimeout(timer);
  place.hidden = !last;
  if (!last) return place.replaceChildren();
  const { entry, until } = last;
  const said =
    until === undefined
      ? t(`Enviando «${entry.title}»`, `Sending “${entry.title}”`)
      : t(`Enviada: ${entry.title}`, `Sent: ${entry.title}`);
  place.replaceChildren(
    icon(until === undefined ? "upload" : "check"),
    h("span", {}, said),
    until === null
      ? ""
      : h(
          "button",
          { type: "button", "data-do": "undo" },
          icon("undo"),
          t("Deshacer", "Undo"),
          h("kbd", {}, "Alt Z"),
        ),
  );
  const left = until === null ? SAID : until === undefined ? null : Date.parse(until) - now();
  if (left !== null) timer = setTimeout(forget, Math.max(0, left));
}

function forget() {
  last = null;
  draw();
}

/** An answer is on its way; `task` is what it answers. */
export function leaving(entry, task) {
  last = { entry, task, until: undefined };
  draw();
}

/** The server has it. */
export function arrived(entry, answer) {
  if (last?.entry.key !== entry.key) return;
  last.until = answer.data?.undo_until ?? null;
  draw();
}

/** It was refused: there is nothing to take back. */
export function refusedToo(entry) {
  if (last?.entry.key === entry.key) forget();
}

export async function undo() {
  if (!last) return;
  const { entry, task } = last;
  forget();
  const verdict = await inFlight(entry.key);
  if (verdict && !verdict.ok) return;
  // The server never had it: it never was.
  if (!verdict && withdraw(entry.key)) return back(task, entry.body);
  const { operator } = entry.body;
  const answer = await post(`/tasks/${entry.task}/undo`, { operator }, { quiet: true });
  if (answer.ok) return back(answer.data, entry.body);
  toast(answer.problem.detail || answer.problem.title, { tone: "warn" });
}

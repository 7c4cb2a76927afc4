// Whether somebody is at the desk: tasks in their hands are kept alive, and let go after minutes of
// nothing. What stands in the bar about the network is here too.

import { post } from "../web/api.js";
import { $ } from "../web/dom.js";
import { t } from "../web/text.js";
import { watchOutbox } from "./station_outbox.js";

const BEAT = 30_000;
const IDLE = 180_000;

let touched = Date.now();
let away = false;
let beat = () => {};

export const touch = () => (touched = Date.now());

/** `tasks()` are those in their hands; `lost(id, problem)` hears of one that is no longer theirs. */
export function keepAlive(operator, tasks, lost) {
  beat = async () => {
    const all = tasks();
    if (!all.length || away) return;
    if (Date.now() - touched > IDLE) return leave();
    for (const id of all) {
      const answer = await post(`/tasks/${id}/heartbeat`, { operator }, { quiet: true });
      if (answer.ok || answer.status === 0 || answer.status >= 500) continue;
      lost(id, answer.problem);
    }
  };
  setInterval(() => beat(), BEAT);
}

/** Nobody has touched anything for minutes: the tasks go to somebody who is there. */
function leave() {
  away = true;
  $("#away").hidden = false;
}

function back() {
  touch();
  if (!away) return;
  away = false;
  $("#away").hidden = true;
  beat();
}

for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"])
  document.addEventListener(kind, back, { passive: true, capture: true });

watchOutbox((entries) => {
  const place = $("#unsent");
  place.hidden = entries.length === 0;
  $("span", place).textContent = t(`${entries.length} por enviar`, `${entries.length} to send`);
});
const network = () => ($("#offline").hidden = navigator.onLine);
window.addEventListener("online", network);
window.addEventListener("offline", network);
network();

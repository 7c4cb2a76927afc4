// The back office's front page says that its operator is there, and Enter begins.

import { post } from "../web/api.js";
import { $ } from "../web/dom.js";

const BEAT = 30_000;
const IDLE = 180_000;
const operator = $("#backoffice")?.dataset.operator;

let touched = Date.now();
for (const kind of ["pointermove", "keydown", "wheel"])
  document.addEventListener(kind, () => (touched = Date.now()), { passive: true });

function beat() {
  if (document.hidden || Date.now() - touched > IDLE) return;
  post("/api/docproc/desk/heartbeat", { operator }, { quiet: true });
}

if (operator) {
  beat();
  setInterval(beat, BEAT);
  // Enter begins: the button has the cursor.
  $("#begin")?.focus();
}

// The keys of the review station, which are also its help page.

import { $ } from "../web/dom.js";
import { bind } from "../web/keys.js";
import { t } from "../web/text.js";

const nothing = () => {};

/** What keys do in a field; the doing of it is the station's. */
export function hearKeys(doing) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || $("dialog[open]")) return;
    if (hears(event, doing)) event.preventDefault();
  });
}

/** Answers whether the key was ours. */
function hears(event, doing) {
  const { key, code } = event;
  if (event.altKey && code === "KeyN") return doing.absent() || true;
  if (event.altKey && code === "KeyZ") return doing.undo() || true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  // It opens the help and is never typed: no paper asks a question.
  if (key === "?") return doing.help() || true;
  if (key === "PageDown" || key === "PageUp") return doing.turnBy(key === "PageDown" ? 1 : -1) || true;
  const input = event.target.closest?.(".entry input, .entry select");
  if (input) return inField(event, input, doing);
  if (key === "Enter" && event.target.closest?.("[name=doc_type]")) return doing.submit() || true;
  return /^[1-9]$/.test(key) && doing.chooseType(key);
}

function inField({ key }, input, doing) {
  const { name } = input.dataset;
  if (key === "Enter") return doing.onward(name) || true;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step && input.matches("input")) return doing.alternative(name, step);
  if (key !== "Escape") return false;
  // Once brings the reading back, once more leaves the field.
  if (!doing.reading(name)) input.blur();
  return true;
}

/** Keys that work while typing are function keys; those without a name here are heard by fields. */
export function bindKeys(sheet, commands) {
  const GROUP = t("En la estación", "At the station");
  bind(GROUP, "Ctrl+Enter", t("Enviar y pasar a la siguiente", "Submit and go to the next"), commands.submit);
  bind(GROUP, [], t("Siguiente campo por revisar", "Next field to check"), nothing, { shown: "Enter" });
  bind(GROUP, [], t("Tipo de página (dos veces: enviar)", "Type of page (twice: submit)"), nothing, { shown: "1 – 9" });
  bind(GROUP, [], t("Otra lectura del campo", "Another reading of the field"), nothing, { shown: "↓ / ↑" });
  bind(GROUP, [], t("En una tabla: celda, fila nueva, quitar fila", "In a table: cell, new row, remove row"), nothing, {
    shown: t("↵ ↑ ↓ ← →, Alt ↵, Alt Supr", "↵ ↑ ↓ ← →, Alt ↵, Alt Del"),
  });
  bind(GROUP, [], t("Volver a lo leído", "Back to what was read"), nothing, { shown: "Esc" });
  bind(GROUP, [], t("No está en el documento", "Not on the document"), nothing, { shown: "Alt N" });
  bind(GROUP, [], t("Deshacer lo enviado", "Undo what was sent"), nothing, { shown: "Alt Z" });
  bind(GROUP, [], t("Varias palabras del papel", "Several words of the paper"), nothing, {
    shown: t("arrastrar, Mayús + clic", "drag, Shift + click"),
  });
  bind(GROUP, [], t("Página anterior, siguiente", "Previous, next page"), nothing, { shown: t("RePág / AvPág", "PgUp / PgDn") });
  bind(GROUP, ["F2", "+"], t("Ampliar", "Zoom in"), () => sheet.magnify(1));
  bind(GROUP, ["F4", "-"], t("Reducir", "Zoom out"), () => sheet.magnify(-1));
  bind(GROUP, ["F6", "0"], t("Página entera o ancho", "Whole page or width"), () => sheet.fit());
  bind(GROUP, ["F7", "r"], t("Girar", "Rotate"), () => sheet.rotate());
  bind(GROUP, "F8", t("Reagrupar páginas", "Regroup pages"), commands.regroup);
  bind(GROUP, "F9", t("Aplazar", "Put off"), commands.postpone);
  bind(GROUP, "F10", t("Devolver a la cola", "Give back"), commands.release);
  bind(GROUP, "?", t("Esta ayuda", "This help"), commands.help);
}

// The keyboard help, drawn from the keys the page has bound.

import { open } from "./dialog.js";
import { $, h } from "./dom.js";
import { allKeys, keysEnabled, switchKeys } from "./keys.js";
import { t } from "./text.js";
import { hasTour, startTour } from "./tour.js";

export function help() {
  if ($("dialog.help")) return;
  const listed = [...allKeys()]
    .map(([group, entries]) => [group, entries.filter((entry) => entry.listed)])
    .filter(([, entries]) => entries.length)
    .sort(([, one], [, other]) => one[0].everywhere - other[0].everywhere);
  const sections = listed.map(([group, entries]) =>
    h(
      "section",
      {},
      h("h3", {}, group),
      h(
        "dl",
        {},
        entries.map(({ names, label, shown }) =>
          h(
            "div",
            {},
            h("dt", {}, label),
            h("dd", {}, h("kbd", {}, shown ?? names.map(pretty).join(" / "))),
          ),
        ),
      ),
    ),
  );
  const toggle = h("input", { type: "checkbox", checked: keysEnabled() });
  toggle.addEventListener("change", () => switchKeys(toggle.checked));
  const note = t("Usar atajos de una sola tecla", "Use single-key shortcuts");
  const look = hasTour()
    ? h("button", { type: "button", "data-close": true }, t("Primera mirada", "First look"))
    : null;
  look?.addEventListener("click", startTour);
  const dialog = open(t("Teclado", "Keyboard"), [
    h("div.keys", { tabindex: -1, autofocus: true }, sections),
    h("label.check", {}, toggle, note),
    look,
  ]);
  dialog.classList.add("help", "wide");
}

const PRETTY = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  " ": t("Espacio", "Space"),
};
const pretty = (name) =>
  PRETTY[name] ?? (name.startsWith("Ctrl+") ? `Ctrl ${name.slice(5).toUpperCase()}` : name);

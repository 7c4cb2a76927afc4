import { h, icon, toneIcon } from "./dom.js";
import { t } from "./text.js";

let shelf;

/** The shelf is a popover, so that it also stands above open dialogs. */
function place() {
  if (!shelf) {
    shelf = h("div.toasts", { role: "status", "aria-live": "polite", popover: "manual" });
    document.body.append(shelf);
  }
  if (shelf.showPopover) {
    if (shelf.matches(":popover-open")) shelf.hidePopover();
    shelf.showPopover();
  }
  return shelf;
}

/**
 * A short message. With `undo` it offers to take the change back for `seconds`.
 * @param {{tone?: string, detail?: string, undo?: () => void, seconds?: number}} options
 */
export function toast(text, { tone = "info", detail, undo, seconds } = {}) {
  const life = seconds ?? (undo ? 5 : tone === "bad" ? 9 : 4);
  const button = undo
    ? h("button.undo", { type: "button" }, icon("undo"), t("Deshacer", "Undo"))
    : h(
        "button.ghost.square",
        { type: "button", "aria-label": t("Cerrar", "Close") },
        icon("close"),
      );
  const card = h(
    "div.toast",
    { class: tone, role: tone === "bad" ? "alert" : null },
    toneIcon(tone),
    h("p", {}, text, detail ? h("small", {}, detail) : null),
    button,
  );
  const remove = () => card.remove();
  let timer = setTimeout(remove, life * 1000);
  button.addEventListener("pointerenter", () => clearTimeout(timer));
  button.addEventListener("pointerleave", () => (timer = setTimeout(remove, 2000)));
  button.addEventListener("click", () => {
    remove();
    undo?.();
  });
  const shelf = place();
  while (shelf.children.length >= 4) shelf.firstChild.remove();
  shelf.append(card);
  return remove;
}

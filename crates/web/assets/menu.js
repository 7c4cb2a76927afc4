// A menu under a button, in the top layer so that no scrolling box cuts it.

let open = null;

/** `menu` is a popover whose children are the choices; it goes away by itself. */
export function popMenu(button, menu) {
  open?.remove();
  open = menu;
  document.body.append(menu);
  menu.showPopover();
  place(button.getBoundingClientRect(), menu);
  menu.firstElementChild?.focus();
  menu.addEventListener("keydown", (event) => {
    const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!way) return;
    event.preventDefault();
    document.activeElement[way]?.focus();
  });
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    menu.remove();
    if (button.isConnected && !document.querySelector("dialog[open]"))
      button.focus({ preventScroll: true });
  });
}

/** Below the button and flush with its right edge, or above when there is no room. */
function place(anchor, menu) {
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(anchor.right - width, innerWidth - width - 8);
  const below = anchor.bottom + 4;
  const top = below + height + 8 > innerHeight ? anchor.top - height - 4 : below;
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${Math.max(8, top)}px`;
}

// The keyboard: one list of keys that is also the help page.

const groups = new Map();
let enabled = readSwitch();

function readSwitch() {
  try {
    return localStorage.getItem("keys") !== "off";
  } catch {
    return true;
  }
}

/** People who use a screen reader or voice may need single keys for themselves (WCAG 2.1.4). */
export function switchKeys(on) {
  enabled = on;
  try {
    localStorage.setItem("keys", on ? "on" : "off");
  } catch {
    // Private windows may refuse storage; the switch then lasts as long as the page.
  }
}
export const keysEnabled = () => enabled;

/**
 * @param {string} group heading in the help
 * @param {string|string[]} names as `event.key` gives them, or `Ctrl+k`; several mean the same
 * @param {string} label what it does
 * @param {(event: KeyboardEvent) => void} run
 * @param {{shown?: string, everywhere?: boolean, listed?: boolean}} options `shown` replaces the
 *   names in the help; what holds `everywhere` comes last there, and what is not `listed` not at all
 */
export function bind(group, names, label, run, options = {}) {
  const { shown, everywhere = false, listed = true } = options;
  if (!groups.has(group)) groups.set(group, []);
  groups.get(group).push({ names: [names].flat(), label, run, shown, everywhere, listed });
}

export const allKeys = () => groups;

const typing = (target) =>
  target.closest?.("input:not([type=checkbox],[type=radio]), textarea, select, [contenteditable]");

const nameOf = (event) =>
  (event.ctrlKey || event.metaKey ? "Ctrl+" : "") +
  (event.key.length === 1 ? event.key.toLowerCase() : event.key);

let lead = null;
let leadTimer = null;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const name = nameOf(event);
  const special = name.startsWith("Ctrl+") || /^F\d+$/.test(name);
  if (!special && (!enabled || typing(event.target) || document.querySelector("dialog[open]")))
    return;
  if (special && name !== "Ctrl+k" && document.querySelector("dialog[open]")) return;
  // A key on a focused control belongs to that control.
  const control = event.target.closest?.("button, a[href], summary, input");
  if (control && (name === "Enter" || name === " ")) return;
  const full = lead ? `${lead} ${name}` : name;
  lead = null;
  clearTimeout(leadTimer);
  if (name === "g" && full === "g") {
    lead = "g";
    leadTimer = setTimeout(() => (lead = null), 1200);
    return;
  }
  for (const entries of groups.values()) {
    for (const entry of entries) {
      if (entry.names.includes(full)) {
        event.preventDefault();
        entry.run(event);
        return;
      }
    }
  }
});

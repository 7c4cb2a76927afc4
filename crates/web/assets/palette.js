// Ctrl K: one box that finds pages at once, and things, settings and acts a moment later.

import { request } from "./api.js";
import { show } from "./dialog.js";
import { $, h, icon } from "./dom.js";
import { plain, t } from "./text.js";

/** So long after the last key the server is asked. */
const PAUSE = 150;

/** @param {{href: string, label: string, group: string, hotkey?: string, symbol: string}[]} places */
export function openPalette(places) {
  if ($("dialog.palette")) return;
  const label = t("Buscar en todo", "Search everything");
  const input = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-label": label,
    placeholder: t(
      "Una página, un pedido, un robot, un ajuste, una acción…",
      "A page, an order, a robot, a setting, something to do…",
    ),
    autofocus: true,
    autocomplete: "off",
  });
  const list = h("ul", { id: "palette-list", role: "listbox", "aria-label": label });
  const note = h("p.palette-note", { role: "status" });
  const dialog = show(h("dialog.palette", { "aria-label": label }, input, list, note));

  let answered = { typed: "", items: [], state: "idle", missing: [] };
  let found = [];
  let chosen = 0;
  let timer = null;
  let control = null;

  const pages = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    return places
      .filter((place) => {
        const text = plain(`${place.label} ${place.group}`);
        return words.every((word) => text.includes(word));
      })
      .map((place) => ({
        href: place.href,
        icon: place.symbol,
        title: place.label,
        kind: t("Página", "Page"),
        detail: place.group,
        hotkey: place.hotkey,
      }));
  };

  const draw = () => {
    found = [...pages(), ...(input.value.trim() ? answered.items : [])];
    chosen = Math.min(chosen, Math.max(0, found.length - 1));
    list.replaceChildren(
      ...found.map((one, index) =>
        h(
          "li",
          {
            id: `place-${index}`,
            role: "option",
            "data-index": index,
            "aria-selected": String(index === chosen),
          },
          icon(one.icon),
          h("span.palette-title", {}, one.title),
          h(
            "small",
            {},
            [one.kind, one.detail, one.app].filter(Boolean).join(" · "),
            one.hotkey ? h("kbd", {}, `g ${one.hotkey}`) : null,
          ),
        ),
      ),
    );
    input.setAttribute("aria-activedescendant", found.length ? `place-${chosen}` : "");
    $(`#place-${chosen}`, list)?.scrollIntoView({ block: "nearest" });
    const text = say();
    if (note.textContent !== text) note.textContent = text;
  };

  const say = () => {
    if (!input.value.trim()) return "";
    if (answered.state === "failed")
      return t("No se pudo buscar. Se puede intentar de nuevo.", "Could not search. Try again.");
    if (answered.missing.length)
      return t(
        `No respondió: ${answered.missing.join(", ")}`,
        `Did not answer: ${answered.missing.join(", ")}`,
      );
    if (answered.state === "asking") return t("Buscando…", "Searching…");
    return found.length ? "" : t("Nada con esas palabras", "Nothing by those words");
  };

  const ask = async () => {
    const typed = input.value.trim();
    control?.abort();
    if (!typed) return;
    control = new AbortController();
    const { signal } = control;
    const url = `/api/search?q=${encodeURIComponent(typed)}`;
    const result = await request("GET", url, { quiet: true, signal }).catch(() => null);
    if (!result || signal.aborted) return;
    const { items = [], missing = [] } = result.data ?? {};
    // What begins with what was typed is meant before what merely contains it.
    const begins = (one) => plain(one.title).startsWith(plain(typed));
    items.sort((one, other) => begins(other) - begins(one));
    answered = { typed, items, missing, state: result.ok ? "done" : "failed" };
    draw();
  };

  input.addEventListener("input", () => {
    chosen = 0;
    clearTimeout(timer);
    answered = { ...answered, items: [], missing: [], state: "asking" };
    timer = setTimeout(ask, PAUSE);
    draw();
  });
  const go = (one) => {
    if (one) location.assign(one.href);
    // A place on this very page does not load: the dialog must not stay in front of it.
    if (one) dialog.close();
  };
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      draw();
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(found[chosen]);
    }
  });
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[data-index]");
    if (item) go(found[item.dataset.index]);
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    control?.abort();
  });
  draw();
}

// What every page of the console has: palette, keyboard help, row selection, relative times.

import "./charts.js";
import { show } from "./dialog.js";
import { $, $$, h, icon } from "./dom.js";
import { help } from "./help.js";
import { bind } from "./keys.js";
import { liveRegions, showState } from "./live.js";
import { ago, plain, t } from "./text.js";
import "./tour.js";

const GENERAL = t("En toda la consola", "Everywhere");

function links() {
  return $$(".rail-group").flatMap((group) =>
    $$("a", group).map((link) => ({
      href: link.getAttribute("href"),
      label: $("span", link).textContent,
      group: group.getAttribute("aria-label"),
      hotkey: link.dataset.hotkey,
      shown: !group.hidden,
      symbol: $("use", link).getAttribute("href").split("#")[1],
    })),
  );
}

function palette() {
  if ($("dialog.palette")) return;
  const places = links();
  const input = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-label": t("Ir a…", "Go to…"),
    placeholder: t("A dónde ir…", "Where to go…"),
    autofocus: true,
    autocomplete: "off",
  });
  const list = h("ul", {
    id: "palette-list",
    role: "listbox",
    "aria-label": t("Lugares", "Places"),
  });
  const dialog = show(h("dialog.palette", { "aria-label": t("Ir a…", "Go to…") }, input, list));
  let found = places;
  let chosen = 0;
  const draw = () => {
    const words = plain(input.value).split(/\s+/);
    found = places.filter((place) =>
      words.every((word) => plain(`${place.label} ${place.group}`).includes(word)),
    );
    chosen = Math.min(chosen, Math.max(0, found.length - 1));
    list.replaceChildren(
      ...found.map((place, index) =>
        h(
          "li",
          {
            id: `place-${index}`,
            role: "option",
            "data-index": index,
            "aria-selected": String(index === chosen),
          },
          icon(place.symbol),
          place.label,
          h("small", {}, place.group, " ", place.hotkey ? h("kbd", {}, `g ${place.hotkey}`) : null),
        ),
      ),
    );
    if (!found.length)
      list.append(
        h(
          "li",
          { role: "option", "aria-disabled": "true" },
          t("Nada con ese nombre", "Nothing by that name"),
        ),
      );
    input.setAttribute("aria-activedescendant", `place-${chosen}`);
    $(`#place-${chosen}`, list)?.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("input", () => {
    chosen = 0;
    draw();
  });
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % Math.max(1, found.length);
      draw();
    } else if (event.key === "Enter" && found[chosen]) {
      event.preventDefault();
      location.assign(found[chosen].href);
    }
  });
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[data-index]");
    if (item) location.assign(found[item.dataset.index].href);
  });
  draw();
}

/** j and k walk the rows of the page's table; Enter opens the row's first link. */
function walkRows(step) {
  const rows = $$("[data-rows] tbody tr");
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
  const next = Math.max(
    0,
    Math.min(rows.length - 1, at < 0 && step < 0 ? rows.length - 1 : at + step),
  );
  rows[at]?.removeAttribute("aria-selected");
  rows[next].setAttribute("aria-selected", "true");
  rows[next].scrollIntoView({ block: "nearest" });
}

function focusSearch() {
  const search = $("main input[type=search], main form[role=search] input");
  if (search) {
    search.focus();
    search.select();
  } else palette();
}

function refreshTimes() {
  for (const element of $$("time[data-ago]")) {
    const text = ago(element.dateTime);
    if (element.textContent !== text) element.textContent = text;
  }
}

const everywhere = { everywhere: true };
bind(GENERAL, "Ctrl+k", t("Ir a…", "Go to…"), palette, everywhere);
bind(GENERAL, "?", t("Esta ayuda", "This help"), help, everywhere);
bind(GENERAL, "/", t("Buscar", "Search"), focusSearch, everywhere);
for (const place of links()) {
  const go = () => location.assign(place.href);
  const options = { everywhere: true, listed: place.shown };
  if (place.hotkey) bind(GENERAL, `g ${place.hotkey}`, place.label, go, options);
}
if ($("[data-rows]")) {
  bind(GENERAL, "j", t("Fila siguiente", "Next row"), () => walkRows(1));
  bind(GENERAL, "k", t("Fila anterior", "Previous row"), () => walkRows(-1));
  bind(GENERAL, "Enter", t("Abrir la fila", "Open the row"), () =>
    $("tr[aria-selected=true] a")?.click(),
  );
}
function menu(open) {
  $("#rail").classList.toggle("open", open);
  $("#menu-open").setAttribute("aria-expanded", String(open));
  if (open) $("#rail a").focus();
}

$("#menu-open")?.addEventListener("click", () => menu(!$("#rail.open")));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("#rail.open")) menu(false);
});
$("#palette-open")?.addEventListener("click", palette);
$("#help-open")?.addEventListener("click", help);
showState($("#live"));
liveRegions();
setInterval(refreshTimes, 15_000);

// What every page of the console has: palette, keyboard help, row selection, relative times.

import { request } from "./api.js";
import "./charts.js";
import { $, $$, h } from "./dom.js";
import { help } from "./help.js";
import { bind } from "./keys.js";
import { liveRegions, showState, subscribe } from "./live.js";
import { openPalette } from "./palette.js";
import { equip } from "./table.js";
import { ago, t } from "./text.js";
import { toast } from "./toast.js";
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

const palette = () => openPalette(links());

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
bind(GENERAL, "Ctrl+k", t("Buscar en todo", "Search everything"), palette, everywhere);
bind(GENERAL, "?", t("Esta ayuda", "This help"), help, everywhere);
bind(GENERAL, "/", t("Buscar", "Search"), focusSearch, everywhere);
for (const place of links()) {
  const go = () => location.assign(place.href);
  const options = { everywhere: true, listed: place.shown };
  if (place.hotkey) bind(GENERAL, `g ${place.hotkey}`, place.label, go, options);
}
equip(GENERAL);

// A page that opens at one of its parts has its notices above the screen: what was done is said there too.
addEventListener("load", () => {
  const done = $(".notices .notice.good[role=status]");
  if (done && done.getBoundingClientRect().bottom < $("header").offsetHeight)
    toast(done.textContent.trim(), { tone: "good" });
});

function menu(open) {
  $("#rail").classList.toggle("open", open);
  $("#menu-open").setAttribute("aria-expanded", String(open));
  if (open) $("#rail a").focus();
}

$("#menu-open")?.addEventListener("click", () => menu(!$("#rail.open")));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && $("#rail.open")) menu(false);
});
/** How many alerts fire, and how bad the worst is: told again when one begins, ends or is muted. */
async function drawMark() {
  const link = $("#rail a[href='/alertas']");
  const firing = link && (await request("GET", "/api/alerts/count", { quiet: true }));
  if (!firing?.ok) return;
  const { count, worst, text } = firing.data;
  $(".mark", link)?.remove();
  if (!count) return;
  const tone = worst === "CRITICAL" ? "bad" : "warn";
  const mark = h("b.mark", { class: tone, title: text }, count, h("span.sr-only", {}, ` ${text}`));
  $("span", link).after(mark);
}
subscribe([], { event: ({ name }) => name?.startsWith("alerta:") && drawMark() });

$("#palette-open")?.addEventListener("click", palette);
$("#help-open")?.addEventListener("click", help);
showState($("#live"));
liveRegions();
setInterval(refreshTimes, 15_000);

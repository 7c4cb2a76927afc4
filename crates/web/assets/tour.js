// The first look: a few steps through an application, each beside the thing it speaks of. An
// application brings its steps (`tour.js` of its own assets); where somebody stands, and that they
// have seen enough, is kept in the browser, for each person.

import { $, h, icon } from "./dom.js";
import { t } from "./text.js";

const body = document.body;
const who = $(".who span")?.textContent ?? "";
const place = `turno.tour.${body.dataset.tour}.${who}`;

// A browser that keeps nothing shows no first look: it would show it for ever. A screen on a wall is
// spared all of them by `turno.tour` = `off`.
function kept() {
  try {
    const off = localStorage.getItem("turno.tour") === "off";
    return { at: JSON.parse(localStorage.getItem(place) ?? "null"), keeps: !off };
  } catch {
    return { at: null, keeps: false };
  }
}
function keep(value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
  } catch {
    // Then it ends with this page.
  }
}

export const hasTour = () => Boolean(body.dataset.tour);

async function steps() {
  return (await import(body.dataset.tour)).default;
}

function leave() {
  $(".tour-card")?.remove();
  $(".tour-target")?.classList.remove("tour-target");
}

function end() {
  keep("seen");
  leave();
  $("#main")?.focus({ preventScroll: true });
}

/** Goes to a step, on its page; what it points at may be drawn a moment later. */
async function go(at) {
  const all = await steps();
  if (at >= all.length) return end();
  keep(at);
  if (all[at].path !== location.pathname) return location.assign(all[at].path);
  draw(all, at);
}

function draw(all, at) {
  leave();
  const step = all[at];
  const target = step.target ? $(step.target) : null;
  target?.classList.add("tour-target");
  target?.scrollIntoView({ block: "center", behavior: "instant" });
  const [title, text] = t(step.es, step.en);
  const last = at === all.length - 1;
  const button = (act, label, spec = "button") => h(spec, { type: "button", "data-tour": act }, label);
  const card = h(
    "section.tour-card",
    { role: "dialog", "aria-labelledby": "tour-title", "aria-describedby": "tour-text", tabindex: -1 },
    h(
      "header",
      {},
      h("h2", { id: "tour-title" }, title),
      h(
        "button.ghost.square",
        { type: "button", "data-tour": "end", "aria-label": t("Cerrar", "Close") },
        icon("close"),
      ),
    ),
    h("p", { id: "tour-text" }, text),
    h(
      "footer.row",
      {},
      h("small.soft", {}, `${at + 1} / ${all.length}`),
      h("span.grow"),
      at > 0 ? button("back", t("Atrás", "Back")) : null,
      button("next", last ? t("Terminar", "Finish") : t("Siguiente", "Next"), "button.primary"),
    ),
  );
  // Above or below, wherever what it speaks of is not.
  const box = target?.getBoundingClientRect();
  if (box && box.top + box.height / 2 > innerHeight / 2) card.classList.add("high");
  body.append(card);
  card.focus({ preventScroll: true });
  card.addEventListener("click", (event) => {
    const act = event.target.closest("[data-tour]")?.dataset.tour;
    if (act) turn(act, at);
  });
  card.addEventListener("keydown", (event) => {
    const act = { Escape: "end", ArrowRight: "next", ArrowLeft: "back" }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    turn(act, at);
  });
}

function turn(act, at) {
  if (act === "end") end();
  else if (act === "next") go(at + 1);
  else if (at > 0) go(at - 1);
}

/** From the beginning, as often as wanted. */
export function startTour() {
  return go(0);
}

/** Whoever is on the first page of an application for the first time is asked once. */
function invite() {
  const main = $("#main");
  const first = $(".rail-group:not([hidden]) a")?.getAttribute("href");
  if (!main || first !== location.pathname) return;
  const name = $(".rail-group:not([hidden])").getAttribute("aria-label");
  const card = h(
    "aside.notice.info.tour-invite",
    { "aria-label": t("Primera mirada", "First look") },
    icon("info"),
    h(
      "span",
      {},
      t(`Primera mirada a ${name}: tres minutos, paso a paso.`,
        `A first look at ${name}: three minutes, step by step.`),
    ),
    h("button.primary", { type: "button", "data-tour": "start" }, t("Empezar", "Begin")),
    h("button", { type: "button", "data-tour": "no" }, t("Ahora no", "Not now")),
  );
  card.addEventListener("click", (event) => {
    const act = event.target.closest("[data-tour]")?.dataset.tour;
    if (!act) return;
    card.remove();
    if (act === "start") startTour();
    else end();
  });
  main.before(card);
}

if (hasTour()) {
  const { at, keeps } = kept();
  if (Number.isInteger(at)) {
    steps().then((all) => {
      if (all[at]?.path === location.pathname) draw(all, at);
      // Whoever walked away on their own goes on alone.
      else keep("seen");
    });
  } else if (at === null && keeps) invite();
}

// Numbers for customers: what is being prepared, what is ready. No names.

import { get } from "../web/api.js";
import { $, h } from "../web/dom.js";
import { coalesce, showState, subscribe } from "../web/live.js";
import { morphChildren } from "../web/morph.js";
import { clock, now, t } from "../web/text.js";

const FRESH = 25_000;
const SHOWN = 24;
const since = new Map();
let numbers = null;

const refresh = coalesce(load);

async function load() {
  const result = await get("/api/pedidos/pantalla", { quiet: true });
  if (!result.ok) return;
  const first = numbers === null;
  numbers = result.data;
  const ready = new Set(numbers.listos);
  for (const id of since.keys()) if (!ready.has(id)) since.delete(id);
  for (const id of ready) if (!since.has(id)) since.set(id, first ? 0 : Date.now());
  draw();
}

function draw() {
  $("#clock").textContent = clock(now());
  if (!numbers) return;
  const item = (id) => h("li", { "data-key": `p${id}` }, String(id));
  const newest = [...numbers.listos].sort((a, b) => since.get(b) - since.get(a) || b - a);
  const done = newest
    .slice(0, SHOWN)
    .map((id) =>
      h(
        "li",
        { "data-key": `l${id}`, class: Date.now() - since.get(id) < FRESH ? "fresh" : "" },
        String(id),
      ),
    );
  fill(
    "#preparing",
    numbers.preparando.slice(0, SHOWN).map(item),
    t("Sin pedidos en cocina", "No orders in the kitchen"),
  );
  fill("#ready", done, t("Todavía ninguno", "None yet"));
}

const fill = (selector, items, none) =>
  morphChildren($(selector), h("ol", {}, items.length ? items : h("li.none", {}, none)));

showState($("#live"));
subscribe(["pedidos"], { event: refresh, resync: refresh, hidden: true });
setInterval(draw, 5_000);
draw();
load();

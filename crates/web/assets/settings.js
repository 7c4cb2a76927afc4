// The settings of one application: what was changed and not yet saved, and a search among them.

import { $, $$, h } from "./dom.js";
import { plain, t } from "./text.js";

const form = $("#settings");
const bar = $("#save-bar");
const rows = $$(".setting", form);
const sections = $$(".settings-section", form);
const input = (row) => $("[data-stood]", row);
const neat = (text) => text.replaceAll("\r\n", "\n").trim();

/** The word of a choice, the dots of a secret, or the value itself. */
function told(control, value) {
  if (control.type === "password") return value ? "••••••" : t("vacío", "empty");
  const option = $$("option", control).find((one) => one.value === value);
  return option?.textContent.trim() || value || t("vacío", "empty");
}

const changed = () =>
  rows.filter((row) => {
    const control = input(row);
    return control && neat(control.value) !== neat(control.dataset.stood);
  });

function draw() {
  const touched = changed();
  for (const row of rows) row.classList.toggle("touched", touched.includes(row));
  bar.classList.toggle("idle", touched.length === 0);
  const n = touched.length;
  $("#save-count").textContent =
    n === 0
      ? ""
      : t(
          n === 1 ? "1 cambio sin guardar" : `${n} cambios sin guardar`,
          n === 1 ? "1 unsaved change" : `${n} unsaved changes`,
        );
  $("#save-list").replaceChildren(
    ...touched.map((row) => {
      const control = input(row);
      const [before, after] = [told(control, control.dataset.stood), told(control, control.value)];
      return h("li", {}, `${row.dataset.label}: `, h("del", {}, before), " → ", h("ins", {}, after));
    }),
  );
  $("#discard").hidden = n === 0;
}

function discard() {
  for (const row of changed()) {
    const control = input(row);
    control.value = control.dataset.stood;
  }
  draw();
}

function sift(typed) {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const finds = (row) => {
    const text = plain(`${$(".what", row).textContent} ${row.dataset.label}`);
    return words.every((word) => text.includes(word));
  };
  for (const row of rows) row.hidden = !finds(row);
  for (const section of sections) {
    section.hidden = $$(".setting", section).every((row) => row.hidden);
    section.dataset.folded ??= section.open ? "" : "folded";
    section.open = words.length > 0 || section.dataset.folded === "";
  }
  $("#none").hidden = rows.some((row) => !row.hidden);
  const url = new URL(location.href);
  if (typed) url.searchParams.set("q", typed);
  else url.searchParams.delete("q");
  history.replaceState(null, "", url);
}

form.addEventListener("input", draw);
// What is wrong can only be pointed at where it is seen.
form.addEventListener("invalid", (event) => (event.target.closest("details").open = true), true);
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-default]");
  if (!button) return;
  const control = input(button.closest(".setting"));
  control.value = button.dataset.default;
  control.focus();
  draw();
});
$("#discard").addEventListener("click", discard);
const q = $("#q");
q.addEventListener("input", () => sift(q.value));
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  q.value = asked;
  sift(asked);
}
draw();

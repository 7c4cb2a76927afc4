// Tells the value of whatever is pointed at in a chart, or reached with the arrow keys.

/** The chart an event happened in, with its columns. */
function chartOf(target) {
  const chart = target.closest?.("[data-chart]");
  return chart && { chart, columns: [...chart.querySelectorAll("[data-told]")] };
}

function tell(chart, column) {
  const out = chart.querySelector(".chart-told");
  for (const one of chart.querySelectorAll(".is-told")) one.classList.remove("is-told");
  if (!out) return;
  out.hidden = !column;
  out.textContent = column ? column.dataset.told : "";
  if (!column) return;
  column.classList.add("is-told");
  const area = column.querySelector(".bar-area").getBoundingClientRect();
  const frame = chart.getBoundingClientRect();
  const middle = area.left + area.width / 2 - frame.left;
  const half = out.offsetWidth / 2;
  out.style.left = `${Math.min(Math.max(middle, half), frame.width - half)}px`;
}

document.addEventListener("pointerover", (event) => {
  const found = chartOf(event.target);
  const column = event.target.closest?.("[data-told]");
  if (found && column) tell(found.chart, column);
});

document.addEventListener("pointerout", (event) => {
  const found = chartOf(event.target);
  if (found && !found.chart.contains(event.relatedTarget)) tell(found.chart, null);
});

document.addEventListener("focusout", (event) => {
  const found = chartOf(event.target);
  if (found) tell(found.chart, null);
});

document.addEventListener("focusin", (event) => {
  const found = chartOf(event.target);
  if (found && event.target === found.chart && event.target.matches(":focus-visible")) {
    tell(found.chart, found.columns.at(-1));
  }
});

document.addEventListener("keydown", (event) => {
  const found = chartOf(event.target);
  if (!found || event.target !== found.chart || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const at = found.columns.findIndex((one) => one.classList.contains("is-told"));
  const last = found.columns.length - 1;
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (next === undefined) {
    if (event.key === "Escape") tell(found.chart, null);
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  tell(found.chart, found.columns[Math.min(Math.max(next, 0), last)]);
});

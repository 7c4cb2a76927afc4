// Which pages are one document: cuts between pages, a type for each part. Only documents that
// change are sent, so that nobody's work on the others is undone.

import { open } from "../web/dialog.js";
import { $, $$, h } from "../web/dom.js";
import { t } from "../web/text.js";

/** The documents beside the task's, as runs of pages. */
function neighbourhood(task) {
  const runs = [];
  for (const page of task.pages) {
    const last = runs.at(-1);
    if (last && last.id === page.document_id && page.document_id) last.pages.push(page);
    else runs.push({ id: page.document_id, doc_type: page.doc_type, pages: [page] });
  }
  const own = runs.findIndex((run) => run.pages[0].page_index === task.page_indices[0]);
  const near = runs.slice(Math.max(0, own - 1), own + 2);
  return near.filter((run) => run.id && run.pages[0].file === runs[own].pages[0].file);
}

/** What to send: from the first document that changes to the last, the task's own among them. */
export function changed(before, after, own) {
  const key = (group) => `${group.doc_type}:${group.pages.join(",")}`;
  const kept = new Set(before.map(key));
  const stays = new Set(after.map(key).filter((one) => kept.has(one)));
  const touched = before.filter((group) => !stays.has(key(group)) || group.pages.includes(own));
  if (touched.every((group) => stays.has(key(group)))) return null;
  const pages = new Set(touched.flatMap((group) => group.pages));
  return after
    .filter((group) => group.pages.some((page) => pages.has(page)))
    .map(({ doc_type, pages }) => ({ doc_type, page_indices: pages }));
}

/** Asks, and answers by `done(groups)`. */
export function regroup(task, done) {
  const runs = neighbourhood(task);
  const pages = runs.flatMap((run) => run.pages);
  const opens = new Set(runs.map((run) => run.pages[0].page_index));
  const types = new Map(runs.map((run) => [run.pages[0].page_index, run.doc_type]));
  const before = runs.map((run) => ({
    doc_type: run.doc_type,
    pages: run.pages.map((page) => page.page_index),
  }));
  const groups = () => {
    const found = [];
    for (const { page_index } of pages) {
      if (opens.has(page_index) || !found.length)
        found.push({ doc_type: types.get(page_index) ?? found.at(-1)?.doc_type, pages: [] });
      found.at(-1).pages.push(page_index);
    }
    return found;
  };
  const strip = h("div.strip", { role: "group", "aria-label": t("Páginas", "Pages") });
  const paint = () => {
    const now = groups();
    const parts = pages.flatMap((page, n) => {
      const cut = opens.has(page.page_index);
      const group = now.find((one) => one.pages[0] === page.page_index);
      const seam =
        n === 0
          ? null
          : h(
              "button.seam",
              {
                type: "button",
                "data-seam": page.page_index,
                "aria-pressed": String(cut),
                "aria-label": t(
                  `Cortar antes de la página ${page.page_index + 1}`,
                  `Cut before page ${page.page_index + 1}`,
                ),
              },
              cut ? "✂" : "+",
            );
      const chooser = group
        ? h(
            "select",
            {
              "data-type": page.page_index,
              "aria-label": t("Tipo", "Type"),
            },
            task.types.map(({ word, title }) =>
              h("option", { value: word, selected: word === group.doc_type }, title),
            ),
          )
        : h("span.joined", {}, "…");
      return [
        seam,
        h(
          "figure",
          { class: task.page_indices.includes(page.page_index) ? "own" : "" },
          h("img", { src: `${page.image_url}?size=thumb`, alt: "" }),
          h("figcaption", {}, `${page.page_index + 1}`, chooser),
        ),
      ];
    });
    const focus = strip.contains(document.activeElement) && document.activeElement.dataset;
    strip.replaceChildren(...parts.filter(Boolean));
    if (focus?.seam) $(`[data-seam="${focus.seam}"]`, strip)?.focus();
    const send = changed(before, now, task.page_indices[0]);
    $$(".regroup-send").forEach((button) => (button.disabled = !send));
  };
  strip.addEventListener("click", (event) => {
    const seam = event.target.closest("[data-seam]");
    if (!seam) return;
    const n = Number(seam.dataset.seam);
    if (!opens.delete(n)) {
      opens.add(n);
      if (!types.has(n)) types.set(n, task.doc_type);
    }
    paint();
  });
  strip.addEventListener("change", (event) => {
    const n = Number(event.target.dataset.type);
    types.set(n, event.target.value);
    paint();
  });
  const button = h(
    "button.primary.regroup-send",
    { type: "button", disabled: true },
    t("Reagrupar y leer de nuevo", "Regroup and read again"),
  );
  const dialog = open(
    t("Reagrupar páginas", "Regroup pages"),
    [
      h(
        "p",
        {},
        t(
          "✂ corta, + une. Los documentos que cambian se vuelven a leer.",
          "✂ cuts, + joins. Documents that change are read again.",
        ),
      ),
      strip,
      h("p.form-error", { role: "alert" }),
    ],
    { className: "wide regroup", foot: [button] },
  );
  paint();
  button.addEventListener("click", async () => {
    const send = changed(before, groups(), task.page_indices[0]);
    if (!send) return;
    button.disabled = true;
    const problem = await done(send);
    if (!problem) return dialog.close();
    button.disabled = false;
    $(".form-error", dialog).textContent = problem.detail || problem.title;
  });
}

// A second document may begin inside the one on the desk: it is said, and the cut is offered.

import { h, icon } from "../web/dom.js";
import { t } from "../web/text.js";

/** The notice, or nothing. Whoever does not cut answers the document as it is. */
export function splitNotice(task) {
  const offered = task.input_data?.suspected_split;
  if (!offered) return null;
  const pages = offered.opens_at.map((n) => n + 1).join(", ");
  return h(
    "div.split-notice",
    { role: "status" },
    icon("warning"),
    h(
      "p",
      {},
      t(
        `Puede que en la página ${pages} empiece otro documento.`,
        `Another document may begin on page ${pages}.`,
      ),
    ),
    h("button", { type: "button", "data-do": "split" }, t("Separar", "Split")),
    h("button.ghost", { type: "button", "data-do": "regroup" }, t("Ver las páginas", "See the pages")),
  );
}

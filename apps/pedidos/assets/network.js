// The sign that there is no network: since when, and what it means for who works here.

import { h, icon } from "../web/dom.js";
import { morphChildren } from "../web/morph.js";
import { clock, t } from "../web/text.js";

/** `updated` is when the server was last heard; absent: nothing is known. */
export function noNetwork(place, offline, updated) {
  const seen = updated
    ? t(`Se muestra lo de las ${clock(updated)}. `, `Showing what was known at ${clock(updated)}. `)
    : "";
  const sign = () =>
    h(
      "p.notice.bad",
      { "data-key": "sign" },
      icon("alert"),
      h(
        "span",
        {},
        h("b", {}, t("Sin conexión. ", "No connection. ")),
        seen,
        t(
          "Lo que se haga queda por enviar y sale solo cuando vuelva.",
          "What is done waits and is sent by itself once it is back.",
        ),
      ),
    );
  morphChildren(place, h("div", {}, offline ? sign() : null));
}

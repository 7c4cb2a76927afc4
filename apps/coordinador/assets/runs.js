// A run that is stopped leaves nothing behind; the reason is kept.

import { change } from "../web/acts.js";
import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-abort]");
  if (!button) return;
  ask({
    title: `${t("Abortar la ejecución", "Abort run")} ${button.dataset.abort}`,
    text: t(
      "No sale ni un paquete más y lo que leyó no se guarda.",
      "Not one more packet leaves, and what it read is not kept.",
    ),
    fields: [{ name: "motivo", label: t("Motivo", "Reason"), required: true, attrs: { maxlength: 500 } }],
    action: t("Abortar", "Abort"),
    danger: true,
    submit: ({ motivo }) =>
      change("POST", `/api/coordinador/ejecuciones/${button.dataset.abort}/abortar`, { motivo }, {
        said: t("Abortada", "Aborted"),
      }),
  });
});

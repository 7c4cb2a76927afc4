// One setting at a time, with the limits it has.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change } from "../web/acts.js";

const typed = (kind, values) => {
  if (kind === "check") return values.valor === "on";
  if (kind === "number") return Number(values.valor);
  return values.valor;
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-setting]");
  if (!button) return;
  const { key, kind, bounds, value, version } = JSON.parse(button.dataset.setting);
  const { words, ...attrs } = bounds;
  const secret = kind === "password";
  ask({
    title: key,
    text: button.dataset.help,
    fields: [
      {
        name: "valor",
        label: kind === "check" ? t("Sí", "Yes") : t("Valor", "Value"),
        type: kind,
        value: value ?? "",
        options: words?.map((word) => [word, word]),
        hint: secret
          ? t("No se muestra; vacío la borra.", "It is not shown; empty clears it.")
          : undefined,
        attrs: { ...attrs, autocomplete: secret ? "new-password" : "off" },
      },
    ],
    action: t("Guardar", "Save"),
    submit: (values) =>
      change("PUT", `/api/sam/configuracion/${key}`, { valor: typed(kind, values) }, { version }),
  });
});

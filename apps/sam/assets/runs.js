// Freeing a runner by hand: the bot itself is not stopped, and the page says so.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change } from "../web/acts.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-unlock]");
  if (!button) return;
  ask({
    title: t("Desbloquear el equipo", "Unlock the runner"),
    text: t(
      "El bot no se detiene: si sigue corriendo en el equipo, otro puede arrancar encima. Comprobalo antes en el Control Room.",
      "The bot is not stopped: if it still runs on the runner, another may start on top of it. Check in the Control Room first.",
    ),
    fields: [
      { name: "motivo", label: t("Motivo", "Reason"), required: true, attrs: { maxlength: 500 } },
    ],
    action: t("Desbloquear", "Unlock"),
    danger: true,
    submit: ({ motivo }) =>
      change(
        "POST",
        `/api/sam/ejecuciones/${button.dataset.unlock}/desbloquear`,
        { motivo },
        { said: t("Desbloqueado", "Unlocked") },
      ),
  });
});

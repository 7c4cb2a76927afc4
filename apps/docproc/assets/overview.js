// Dead letters go back into the queue from here.

import { post } from "../web/api.js";
import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { toast } from "../web/toast.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-replay]");
  if (!button) return;
  const { replay: code, count } = button.dataset;
  ask({
    title: t("Reintentar los abandonados", "Try the dead letters again"),
    text: t(
      `Vuelven a la cola las solicitudes de ${count} mensajes con ${code}.`,
      `The requests of ${count} messages with ${code} go back into the queue.`,
    ),
    fields: [],
    action: t("Reintentar", "Try again"),
    submit: async () => {
      const result = await post("/api/docproc/dead-letters/replay", { code }, { quiet: true });
      if (result.ok) {
        const { requests } = result.data;
        toast(t(`${requests} solicitudes en cola`, `${requests} requests queued`), {
          tone: "good",
        });
      }
      return result;
    },
  });
});

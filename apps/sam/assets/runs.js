// What people do with a run, each with a reason: stop it, free its runner, decide on one in doubt, run it again.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";
import { change } from "../web/acts.js";

const why = { name: "motivo", label: t("Motivo", "Reason"), required: true, attrs: { maxlength: 500 } };

function unlock({ unlock: id, deployed }) {
  const known = deployed === "true";
  ask({
    title: t("Desbloquear el equipo", "Unlock the runner"),
    text: t(
      "El equipo queda libre ahora. Si el bot sigue corriendo en él, otro puede arrancar encima.",
      "The runner is free now. If the bot still runs on it, another may start on top of it.",
    ),
    fields: [
      why,
      ...(known
        ? [{ name: "detener", label: t("Detener también el bot en el Control Room", "Stop the bot in the Control Room too"), type: "check", value: true }]
        : []),
    ],
    action: t("Desbloquear", "Unlock"),
    danger: true,
    submit: ({ motivo, detener }) =>
      change(
        "POST",
        `/api/sam/ejecuciones/${id}/desbloquear`,
        { motivo, detener: detener === "on" },
        { said: t("Desbloqueado", "Unlocked") },
      ),
  });
}

function stop({ stop: id }) {
  ask({
    title: t("Detener la ejecución", "Stop the run"),
    text: t(
      "Se pide al Control Room que la detenga; el equipo queda libre cuando lo confirma.",
      "The Control Room is asked to stop it; the runner is free when it says so.",
    ),
    fields: [why],
    action: t("Detener", "Stop"),
    danger: true,
    submit: ({ motivo }) =>
      change("POST", `/api/sam/ejecuciones/${id}/detener`, { motivo }, { said: t("Pedido", "Asked") }),
  });
}

function settle({ settle: id, suspect }) {
  ask({
    title: t("¿La tomó el Control Room?", "Did the Control Room take it?"),
    text: t(
      "Con su despliegue, la ejecución sigue como ese despliegue. Sin él, se da por no enviada y vuelve a tocarle.",
      "With its deployment, the run goes on as that deployment. Without, it is taken as never sent and is due again.",
    ),
    fields: [
      { name: "deployment_id", label: t("Despliegue (vacío: no corrió)", "Deployment (empty: it did not run)"), value: suspect, attrs: { maxlength: 200 } },
      why,
    ],
    action: t("Decidir", "Decide"),
    danger: true,
    submit: ({ motivo, deployment_id }) =>
      change(
        "POST",
        `/api/sam/ejecuciones/${id}/resolver`,
        { motivo, deployment_id: deployment_id || null },
        { said: t("Resuelto", "Settled"), leave: "/sam/ejecuciones" },
      ),
  });
}

function again({ runAgain: robot, runner }) {
  ask({
    title: t("Ejecutar otra vez", "Run again"),
    text: t(
      "Arranca en el mismo equipo sin esperar su programación ni sus tickets.",
      "It starts on the same runner without waiting for its schedule or tickets.",
    ),
    fields: [why],
    action: t("Ejecutar", "Run"),
    submit: ({ motivo }) =>
      change(
        "POST",
        `/api/sam/robots/${robot}/ejecutar`,
        { equipo_id: Number(runner), motivo },
        { said: t("En marcha", "Under way"), leave: `/sam/ejecuciones?robot_id=${robot}` },
      ),
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-unlock], [data-stop], [data-settle], [data-run-again]");
  if (!button) return;
  if (button.dataset.unlock) unlock(button.dataset);
  else if (button.dataset.stop) stop(button.dataset);
  else if (button.dataset.runAgain) again(button.dataset);
  else settle(button.dataset);
});

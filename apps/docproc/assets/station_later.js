// How long a task is put off.

import { ask } from "../web/dialog.js";
import { t } from "../web/text.js";

const CHOICES = [
  ["5", "5 min"],
  ["15", "15 min"],
  ["60", "1 h"],
  ["240", "4 h"],
];

/** Asks, and answers by `done(minutes)`. */
export const askLater = (done) =>
  ask({
    title: t("Aplazar la tarea", "Put the task off"),
    fields: [
      {
        name: "minutes",
        label: t("Cuánto", "How long"),
        type: "select",
        value: "15",
        options: CHOICES,
      },
    ],
    action: t("Aplazar", "Put off"),
    submit: async ({ minutes }) => {
      await done(Number(minutes));
      return { ok: true };
    },
  });

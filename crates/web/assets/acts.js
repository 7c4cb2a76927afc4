// Buttons that change one thing, and what forms share: send, say it, draw again.

import { request } from "./api.js";
import { ask } from "./dialog.js";
import { $, $$, h } from "./dom.js";
import { stayStill } from "./live.js";
import { morphChildren } from "./morph.js";
import { t } from "./text.js";
import { toast } from "./toast.js";

/** Fetches this page and makes the screen like its new self. */
export async function again() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = $("#screen", page);
  if (fresh) morphChildren($("#screen"), fresh);
}

/** Sends a change; when it was made, says so and draws the screen again. */
export async function change(method, url, body, { version, said, leave, quiet = true } = {}) {
  // What is about to be gone must not be asked for again when its end is told.
  if (leave) stayStill(true);
  const result = await request(method, url, { body, version, quiet });
  if (!result.ok) stayStill(false);
  if (result.ok) {
    toast(said ?? t("Guardado", "Saved"), { tone: "good" });
    if (leave) location.assign(leave);
    else await again();
  }
  return result;
}

/** The choices that the page carries in `<template id>`, with an empty one in front if named. */
export function choices(id, none) {
  const options = $$("option", $(`#${id}`)?.content ?? document.createDocumentFragment());
  const list = options.map((option) => [option.value, option.textContent]);
  return none === undefined ? list : [["", none], ...list];
}

export const whole = (text) => (text === "" || text === undefined ? null : Number(text));

/** `data-act="PUT /api/…"`, with `data-body`, `data-version`, `data-ask` (confirm), `data-said`, `data-leave`. */
async function act(button) {
  const [method, url] = button.dataset.act.split(" ");
  const { body, version, ask: question, said, leave } = button.dataset;
  const send = (quiet) =>
    change(method, url, body ? JSON.parse(body) : undefined, {
      version: version ? Number(version) : undefined,
      said: said || t("Hecho", "Done"),
      leave,
      quiet,
    });
  if (question) {
    const action = button.title || button.getAttribute("aria-label") || button.textContent.trim();
    ask({
      title: action,
      text: question,
      fields: [],
      action,
      danger: "danger" in button.dataset,
      submit: () => send(true),
    });
    return;
  }
  button.disabled = true;
  await send(false).finally(() => (button.disabled = false));
}

/** A spreadsheet goes up whole: one bad row and nothing is taken, and the form says which. */
function bring(url) {
  const file = h("input", { type: "file", id: "f-file", accept: ".csv,text/csv", required: true });
  ask({
    title: t("Importar CSV", "Import CSV"),
    text: t(
      "Las filas de algo conocido lo cambian; las demás crean. Si una está mal, no se toma ninguna.",
      "Rows of something known change it; the others create. If one is wrong, none is taken.",
    ),
    fields: [h("div.field", {}, h("label", { for: "f-file" }, t("Archivo", "File")), file)],
    action: t("Importar", "Import"),
    submit: async () => {
      const headers = { "Content-Type": "text/csv", Accept: "application/json" };
      const body = file.files[0];
      const answer = await fetch(url, { method: "POST", headers, body }).catch(() => null);
      const data = await answer?.json().catch(() => null);
      if (!answer?.ok)
        return { ok: false, problem: data ?? { title: t("Sin conexión", "No connection") } };
      const made = data.creados ?? data.creadas;
      const changed = data.cambiados ?? data.cambiadas;
      toast(t(`Nuevas filas: ${made}; cambiadas: ${changed}`, `${made} new, ${changed} changed`), {
        tone: "good",
      });
      await again();
      return { ok: true };
    },
  });
}

document.addEventListener("bulk-done", again);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (button && !button.disabled) act(button);
  const sheet = event.target.closest("[data-import]");
  if (sheet) bring(sheet.dataset.import);
});

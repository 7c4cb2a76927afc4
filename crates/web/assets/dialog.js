// Dialogs and forms in them. A refused form stays open with its text, and says what is wrong
// beside the field.

import { $, $$, h, icon } from "./dom.js";
import { t } from "./text.js";

/** Opens `content` as a modal and removes it when closed. */
export function open(title, content, { className = "", foot = [] } = {}) {
  const id = `d${Math.random().toString(36).slice(2)}`;
  const dialog = h(
    "dialog",
    { class: className, "aria-labelledby": id },
    h(
      "header.dialog-head",
      {},
      h("h2", { id }, title),
      h(
        "button.ghost.square",
        { type: "button", "data-close": true, "aria-label": t("Cerrar", "Close") },
        icon("close"),
      ),
    ),
    h("div.dialog-body", {}, content),
    foot.length ? h("footer.dialog-foot", {}, foot) : null,
  );
  return show(dialog);
}

export function show(dialog) {
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]") || event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  dialog.showModal();
  $(
    "[autofocus], .dialog-body :is(input, select, textarea), .dialog-foot .primary",
    dialog,
  )?.focus();
  return dialog;
}

/**
 * @typedef {{name: string, label: string, type?: string, value?: any, options?: [string, string][],
 *   required?: boolean, hint?: string, attrs?: object}} Field
 */

/** @param {Field} field */
export function field({ name, label, type = "text", value, options, required, hint, attrs = {} }) {
  const id = `f-${name}`;
  const shared = { id, name, required, ...attrs };
  if (type === "check") {
    return h(
      "label.check",
      {},
      h("input", { ...shared, type: "checkbox", checked: Boolean(value) }),
      label,
    );
  }
  if (type === "choice") {
    return h(
      "fieldset.field",
      { "data-field": name },
      h("legend", {}, label),
      h(
        "div.choices",
        {},
        options.map(([code, text, symbol]) =>
          h(
            "label",
            {},
            h("input", { type: "radio", name, value: code, checked: code === value, required }),
            symbol ? icon(symbol) : null,
            text,
          ),
        ),
      ),
      h("small.error", { role: "alert" }),
    );
  }
  let input;
  if (type === "select") {
    const items = options.map(([code, text]) =>
      h("option", { value: code, selected: code === String(value ?? "") }, text),
    );
    input = h("select", shared, items);
  } else if (type === "area") {
    input = h("textarea", shared, value ?? "");
  } else {
    input = h("input", { ...shared, type, value: value ?? "", autocomplete: "off" });
  }
  return h(
    "div.field",
    { "data-field": name },
    h("label", { for: id }, label, required ? h("i.req", { "aria-hidden": "true" }, " *") : null),
    input,
    hint ? h("small.hint", {}, hint) : null,
    h("small.error", { role: "alert" }),
  );
}

/**
 * A form in a dialog. `submit` answers a result of `request`; the dialog closes when it is ok.
 * @param {{title: string, text?: string, fields: (Field|Node)[], action: string, danger?: boolean,
 *   submit: (values: Record<string, string>) => Promise<{ok: boolean, problem: any}>}} spec
 */
export function ask({ title, text, fields, action, danger, submit }) {
  const body = h(
    "div.dialog-body",
    {},
    text ? h("p", {}, text) : null,
    fields.map((one) => (one instanceof Node ? one : field(one))),
    h("p.form-error", { role: "alert" }),
  );
  const button = h("button.primary", { type: "submit", class: danger ? "danger" : "" }, action);
  const form = h(
    "form",
    { method: "dialog" },
    h(
      "header.dialog-head",
      {},
      h("h2", {}, title),
      h(
        "button.ghost.square",
        { type: "button", "data-close": true, "aria-label": t("Cerrar", "Close") },
        icon("close"),
      ),
    ),
    body,
    h(
      "footer.dialog-foot",
      {},
      h("button", { type: "button", "data-close": true }, t("Volver", "Back")),
      button,
    ),
  );
  const dialog = show(h("dialog", { "aria-label": title }, form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    clearErrors(form);
    const result = await submit(Object.fromEntries(new FormData(form))).finally(
      () => (button.disabled = false),
    );
    if (result?.ok) dialog.close();
    else if (result) showErrors(form, result.problem);
  });
  return dialog;
}

export function clearErrors(form) {
  $$(".invalid", form).forEach((element) => element.classList.remove("invalid"));
  $$(".error, .form-error", form).forEach((element) => (element.textContent = ""));
}

/** Puts each error beside the field whose name is in its path, and the rest under the form. */
export function showErrors(form, problem) {
  const loose = [];
  let first = null;
  for (const { path, message } of problem.errors ?? []) {
    const box =
      $(`[data-field="${CSS.escape(path.split(/[.[]/)[0])}"]`, form) ??
      $(`[data-field="${CSS.escape(path)}"]`, form);
    if (!box) {
      loose.push(`${path}: ${message}`);
      continue;
    }
    box.classList.add("invalid");
    const spot = $(".error", box);
    if (spot) spot.textContent = message;
    first ??= $("input, select, textarea", box);
  }
  const place = $(".form-error", form);
  if (place) {
    const detail =
      first && !loose.length ? "" : [problem.detail || problem.title, ...loose].join(" · ");
    place.textContent = [detail, problem.hint].filter(Boolean).join(" ");
    place.scrollIntoView({ block: "nearest" });
  }
  first?.focus();
}

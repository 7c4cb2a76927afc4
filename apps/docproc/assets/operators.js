// Operators are added and changed in a form; the list draws itself.

import { post, put } from "../web/api.js";
import { ask } from "../web/dialog.js";
import { $, $$, h } from "../web/dom.js";
import { t } from "../web/text.js";
import { toast } from "../web/toast.js";

const DAYS = [
  ["mon", t("lu", "Mon")],
  ["tue", t("ma", "Tue")],
  ["wed", t("mi", "Wed")],
  ["thu", t("ju", "Thu")],
  ["fri", t("vi", "Fri")],
  ["sat", t("sá", "Sat")],
  ["sun", t("do", "Sun")],
];

function skillBoxes(chosen) {
  const options = [...$("#skills").content.querySelectorAll("option")];
  const known = new Set(options.map((option) => option.value));
  const all = [
    ...options.map((option) => [option.value, option.textContent]),
    ...chosen.filter((word) => !known.has(word)).map((word) => [word, word]),
  ];
  return h(
    "fieldset.field",
    { "data-field": "skills" },
    h("legend", {}, t("Habilidades", "Skills")),
    h(
      "small.hint",
      {},
      t(
        "Sin tipos de documento hace los de todos; con alguno, solo esos.",
        "Without types of document they do all; with some, only those.",
      ),
    ),
    h(
      "div.boxes",
      {},
      all.map(([word, title]) =>
        h(
          "label.check",
          {},
          h("input", { type: "checkbox", "data-skill": word, checked: chosen.includes(word) }),
          title,
        ),
      ),
    ),
    h("small.error", { role: "alert" }),
  );
}

function shiftRow({ days = ["mon", "tue", "wed", "thu", "fri"], from = "09:00", to = "17:00" } = {}) {
  return h(
    "div.shift",
    {},
    DAYS.map(([word, title]) =>
      h(
        "label.day",
        {},
        h("input", { type: "checkbox", "data-day": word, checked: days.includes(word) }),
        title,
      ),
    ),
    h("input", { type: "time", "data-from": true, value: from, "aria-label": t("Desde", "From") }),
    h("input", { type: "time", "data-to": true, value: to, "aria-label": t("Hasta", "To") }),
    h("button.ghost", { type: "button", "data-less": true }, t("Quitar", "Remove")),
  );
}

function shifts(given) {
  const box = h(
    "fieldset.field",
    { "data-field": "shifts" },
    h("legend", {}, t("Horario", "Shifts")),
    h("small.hint", {}, t("Sin ninguno, siempre.", "Without any, always.")),
    h("div.shift-list", {}, given.map(shiftRow)),
    h("button.ghost", { type: "button", "data-more": true }, t("Añadir turno", "Add shift")),
    h("small.error", { role: "alert" }),
  );
  box.addEventListener("click", (event) => {
    if (event.target.closest("[data-more]")) $(".shift-list", box).append(shiftRow());
    event.target.closest("[data-less]")?.closest(".shift").remove();
  });
  return box;
}

function edit(profile) {
  const fresh = !profile;
  const one = profile ?? { username: "", display_name: "", skills: ["classification", "extraction"], shifts: [], is_active: true };
  const skills = skillBoxes(one.skills);
  const hours = shifts(one.shifts);
  ask({
    title: fresh ? t("Nuevo operador", "New operator") : one.display_name,
    fields: [
      ...(fresh
        ? [{ name: "username", label: t("Usuario", "User name"), required: true, attrs: { maxlength: 100 } }]
        : []),
      { name: "display_name", label: t("Nombre", "Name"), value: one.display_name, attrs: { maxlength: 200 } },
      skills,
      hours,
      { name: "is_active", label: t("Activo", "Active"), type: "check", value: one.is_active },
    ],
    action: t("Guardar", "Save"),
    submit: async (values) => {
      const body = {
        username: fresh ? values.username : one.username,
        display_name: values.display_name,
        skills: $$("[data-skill]:checked", skills).map((box) => box.dataset.skill),
        shifts: $$(".shift", hours).map((row) => ({
          days: $$("[data-day]:checked", row).map((day) => day.dataset.day),
          from: $("[data-from]", row).value,
          to: $("[data-to]", row).value,
        })),
        is_active: values.is_active === "on",
      };
      const path = "/api/docproc/operators";
      const result = fresh
        ? await post(path, body, { quiet: true })
        : await put(`${path}/${encodeURIComponent(one.username)}`, body, { quiet: true });
      if (result.ok) {
        toast(t("Guardado", "Saved"), { tone: "good" });
        location.reload();
      }
      return result;
    },
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-add]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) edit(JSON.parse(button.dataset.edit));
});

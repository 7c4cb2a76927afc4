// The form of a template: rows that come and go, and whether it all fits, told while one types.

import { request } from "../web/api.js";
import { ask, clearErrors, showErrors } from "../web/dialog.js";
import { $, $$, h, icon } from "../web/dom.js";
import { lang, plain, t } from "../web/text.js";

const form = $("#template");
const panel = $("#fit");
const PAUSE = 300;
const whole = (text) => (text === "" ? null : Number(text));

function row(element) {
  const value = (name) => $(`[name=${name}]`, element).value.trim();
  const master = value("maestro");
  return {
    clave: value("clave"),
    nombre: value("nombre_nodo") || null,
    job_type: value("job_type"),
    espacio: value("espacio") || null,
    oid: value("oid") || null,
    interval_seconds: master ? null : whole(value("interval_seconds")),
    priority: whole(value("priority")),
    enabled: $("[name=enabled]", element).checked,
    maestro: master || null,
    tras_maestro: master ? value("tras_maestro") : null,
  };
}

const body = () => ({
  nombre: form.elements.nombre.value,
  activa: form.elements.activa.checked,
  nodos: $$(".node-row", form).map(row),
  olts: $$("[name=olts]:checked", form).map((box) => Number(box.value)),
});

const number = new Intl.NumberFormat(lang === "en" ? "en-GB" : "es-AR", { maximumFractionDigits: 1 });

function sentence({ demanda_por_hora, capacidad_por_hora, porcentaje }) {
  const [asked, room, share] = [demanda_por_hora, capacidad_por_hora, porcentaje].map((n) => number.format(n));
  return t(
    `se piden ${asked} por hora y entran ${room} (${share} %)`,
    `${asked} per hour are asked for, ${room} can start (${share} %)`,
  );
}

function verdict({ antes, despues }) {
  const fits = despues.factible && despues.corta_factible;
  const short = despues.corta_factible
    ? ""
    : t(
        ` Los de intervalo corto piden ${despues.demanda_corta_por_hora} y su parte es ${despues.capacidad_corta_por_hora}.`,
        ` Short intervals ask for ${despues.demanda_corta_por_hora}; their share is ${despues.capacidad_corta_por_hora}.`,
      );
  return [
    h(
      "p.notice",
      { class: fits ? "good" : "bad" },
      icon(fits ? "check" : "alert"),
      h("span", {}, `${fits ? t("Cabe", "It fits") : t("No cabe", "It does not fit")}: ${sentence(despues)}.${short}`),
    ),
    h("p.soft", {}, `${t("Ahora", "Now")}: ${sentence(antes)}.`),
  ];
}

let asked = 0;
async function tell() {
  const wanted = body();
  if (!wanted.nombre) wanted.nombre = "–";
  const turn = ++asked;
  const place = form.dataset.id ? `?id=${form.dataset.id}` : "";
  const result = await request("POST", `/api/coordinador/plantillas/factibilidad${place}`, { body: wanted, quiet: true });
  if (turn !== asked) return;
  const title = $(".card-title", panel);
  const told = result.ok
    ? verdict(result.data)
    : [h("p.soft", {}, (result.problem.errors ?? []).map(({ path, message }) => `${path}: ${message}`).join(" · ") || result.problem.detail)];
  panel.replaceChildren(title, ...told);
}

let timer = null;
function soon() {
  clearTimeout(timer);
  timer = setTimeout(tell, PAUSE);
}

form.addEventListener("input", (event) => {
  if (event.target.id === "find-olt") {
    const words = plain(event.target.value);
    for (const label of $$(".pick label", form)) label.hidden = !plain(label.textContent).includes(words);
    return;
  }
  soon();
});

form.addEventListener("click", (event) => {
  if (event.target.closest("[data-add]")) {
    $("#rows").append($("#blank").content.cloneNode(true));
    $("#rows").lastElementChild.querySelector("input").focus();
    return soon();
  }
  const drop = event.target.closest("[data-drop]");
  if (drop) {
    drop.closest(".node-row").remove();
    $("[data-add]", form).focus();
    return soon();
  }
  const every = event.target.closest("[data-all], [data-none]");
  if (every) {
    const shown = $$(".pick label", form).filter((label) => !label.hidden);
    for (const label of shown) $("input", label).checked = "all" in every.dataset;
    soon();
  }
});

/** Errors name a row by its number; rows get theirs when the form is sent. */
function name() {
  $$(".node-row", form).forEach((element, at) => {
    for (const box of $$("[data-name]", element)) box.dataset.field = `nodos[${at}].${box.dataset.name}`;
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("[type=submit]", form);
  if (button.disabled) return;
  button.disabled = true;
  clearErrors(form);
  name();
  const { id, version } = form.dataset;
  const result = id
    ? await request("PUT", `/api/coordinador/plantillas/${id}`, { body: body(), version: Number(version), quiet: true })
    : await request("POST", "/api/coordinador/plantillas", { body: body(), quiet: true });
  button.disabled = false;
  if (result.ok) location.assign("/coordinador/plantillas");
  else showErrors(form, result.problem);
});

$("[data-remove]", form)?.addEventListener("click", (event) => {
  const id = event.target.closest("[data-remove]").dataset.remove;
  ask({
    title: t("Borrar la plantilla", "Remove the template"),
    text: t(
      "Los nodos que llevó a las OLT se borran con ella; lo que corre se detiene.",
      "The nodes it took to the OLTs go with it; what runs is stopped.",
    ),
    fields: [],
    action: t("Borrar", "Remove"),
    danger: true,
    submit: async () => {
      const result = await request("DELETE", `/api/coordinador/plantillas/${id}`, { quiet: true });
      if (result.ok) location.assign("/coordinador/plantillas");
      return result;
    },
  });
});

// Limits and test mode are forms on the page; OIDs of the house are entered in a dialog.

import { request } from "../web/api.js";
import { change, choices, whole } from "../web/acts.js";
import { ask, clearErrors, showErrors } from "../web/dialog.js";
import { $ } from "../web/dom.js";
import { t } from "../web/text.js";

/** Sends a form of the page once and shows what is wrong at its fields. */
async function send(form, put) {
  const button = $("[type=submit]", form);
  if (button.disabled) return;
  button.disabled = true;
  clearErrors(form);
  const result = await put(new FormData(form)).finally(() => (button.disabled = false));
  if (!result.ok) showErrors(form, result.problem);
}

const limits = (fields) => Object.fromEntries([...fields].map(([name, value]) => [name, whole(value)]));

function rehearse(form) {
  const fields = new FormData(form);
  const on = fields.has("activo");
  ask({
    title: on ? t("Activar el modo prueba", "Switch test mode on") : t("Apagar el modo prueba", "Switch test mode off"),
    text: t(
      "Si el modo cambia, lo que corre se interrumpe.",
      "If the mode changes, what runs is interrupted.",
    ),
    fields: [],
    action: t("Confirmar", "Confirm"),
    danger: true,
    submit: async () => {
      clearErrors(form);
      const body = {
        activo: on,
        duracion_segundos: whole(fields.get("duracion_segundos")),
        exito_pct: whole(fields.get("exito_pct")),
      };
      const result = await change("PUT", "/api/coordinador/modo-prueba", body);
      if (result.ok) return result;
      showErrors(form, result.problem);
      return { ok: true };
    },
  });
}

async function decode(form) {
  clearErrors(form);
  const query = new URLSearchParams(new FormData(form));
  if (!query.get("modelo")) query.delete("modelo");
  const result = await request("GET", `/api/coordinador/formulas/leer?${query}`, { quiet: true });
  const { slot, port, logical, normalized_id: place } = result.data ?? {};
  $("#decoded").textContent = result.ok
    ? `${place} · slot ${slot}, ${t("puerto", "port")} ${port}${logical === null ? "" : `, ONU ${logical}`}`
    : "";
  if (result.ok) return;
  if (result.problem.errors?.length) showErrors(form, result.problem);
  else $("#decoded").textContent = result.problem.detail || result.problem.title;
}

function oid(standing) {
  ask({
    title: standing ? standing.nombre : t("Nuevo OID", "New OID"),
    fields: [
      { name: "nombre", label: t("Nombre", "Name"), value: standing?.nombre, required: true, attrs: { maxlength: 120 } },
      { name: "oid", label: "OID", value: standing?.oid, required: true },
      { name: "espacio", label: t("Espacio", "Space"), type: "select", value: standing?.espacio, options: choices("spaces") },
      { name: "marca", label: t("Marca", "Brand"), value: standing?.marca, hint: t("Vacía: cualquiera.", "Empty: any."), attrs: { maxlength: 60 } },
      { name: "modelo", label: t("Modelo", "Model"), value: standing?.modelo, attrs: { maxlength: 60 } },
      { name: "keep_previous_value", label: t("Si no hay dato, conservar el anterior", "Without a value, keep the one before"), type: "check", value: standing?.keep_previous_value },
      { name: "format_mac", label: t("Escribir como MAC", "Write as a MAC"), type: "check", value: standing?.format_mac },
    ],
    action: t("Guardar", "Save"),
    submit: (values) => {
      const body = {
        nombre: values.nombre,
        oid: values.oid,
        espacio: values.espacio,
        marca: values.marca || null,
        modelo: values.modelo || null,
        keep_previous_value: values.keep_previous_value === "on",
        format_mac: values.format_mac === "on",
      };
      return standing
        ? change("PUT", `/api/coordinador/oids/${standing.id}`, body)
        : change("POST", "/api/coordinador/oids", body);
    },
  });
}

document.addEventListener("submit", (event) => {
  const { target } = event;
  if (!["limits", "rehearsal", "decode"].includes(target.id)) return;
  event.preventDefault();
  if (target.id === "limits") send(target, (fields) => change("PUT", "/api/coordinador/limites", limits(fields)));
  else if (target.id === "rehearsal") rehearse(target);
  else decode(target);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=oid]")) return oid(null);
  const button = event.target.closest("[data-edit-oid]");
  if (button) oid(JSON.parse(button.dataset.editOid));
});

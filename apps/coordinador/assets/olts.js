// OLTs are entered and changed in a form; what lets us in is written, never read.

import { request } from "../web/api.js";
import { change, choices, whole } from "../web/acts.js";
import { ask, field } from "../web/dialog.js";
import { $$, h } from "../web/dom.js";
import { t } from "../web/text.js";
import { toast } from "../web/toast.js";

const SECRETS = ["comunidad", "usuario", "auth_protocolo", "auth_clave", "priv_protocolo", "priv_clave", "contexto"];

const secret = (name, label, hint) =>
  field({ name, label, type: "password", hint, attrs: { autocomplete: "new-password", maxlength: 255 } });

function access(olt) {
  const keeps = olt ? t("Vacío: queda el que está.", "Empty: the one there stays.") : "";
  const whole3 = olt
    ? t("Para cambiar el acceso, escribir todo de nuevo.", "To change the access, enter all of it again.")
    : "";
  return [
    h("div.stack", { "data-of": "community" }, secret("comunidad", t("Comunidad", "Community"), keeps)),
    h(
      "div.stack",
      { "data-of": "user" },
      field({ name: "usuario", label: t("Usuario", "User"), hint: whole3, attrs: { maxlength: 255 } }),
      field({ name: "auth_protocolo", label: t("Autenticación", "Authentication"), type: "select", options: choices("auth-words", t("Ninguna", "None")) }),
      secret("auth_clave", t("Clave de autenticación", "Authentication key"), ""),
      field({ name: "priv_protocolo", label: t("Privacidad", "Privacy"), type: "select", options: choices("privacy-words", t("Ninguna", "None")) }),
      secret("priv_clave", t("Clave de privacidad", "Privacy key"), ""),
      field({ name: "contexto", label: t("Contexto", "Context"), attrs: { maxlength: 255 } }),
    ),
  ];
}

function fields(olt) {
  const versions = [
    ["2c", "v2c"],
    ["1", "v1"],
    ["3", "v3"],
  ];
  return [
    { name: "abreviatura", label: t("Abreviatura", "Short name"), value: olt?.abreviatura, required: true, attrs: { maxlength: 60 } },
    { name: "marca", label: t("Marca", "Brand"), value: olt?.marca ?? "Huawei", required: true, attrs: { maxlength: 60 } },
    { name: "modelo", label: t("Modelo", "Model"), value: olt?.modelo, attrs: { maxlength: 60 } },
    { name: "ip_address", label: t("Dirección", "Address"), value: olt?.ip_address, required: true, attrs: { maxlength: 255 } },
    { name: "puerto", label: t("Puerto", "Port"), type: "number", value: olt?.puerto ?? 161, attrs: { min: 1, max: 65535 } },
    { name: "version", label: "SNMP", type: "select", value: olt?.version ?? "2c", options: versions },
    ...access(olt),
    { name: "workflow_activo", label: t("Flujo de trabajo activo", "Workflow active"), type: "check", value: olt?.workflow_activo ?? true },
    ...(olt ? [] : [{ name: "habilitar_olt", label: t("Habilitada", "Enabled"), type: "check", value: true }]),
  ];
}

/** Only what the version uses, and only what was written. */
function body(values, olt) {
  const v3 = values.version === "3";
  const used = SECRETS.filter((name) => (name === "comunidad") !== v3 && values[name]);
  return {
    abreviatura: values.abreviatura,
    marca: values.marca,
    modelo: values.modelo || null,
    ip_address: values.ip_address,
    puerto: whole(values.puerto),
    version: values.version,
    workflow_activo: values.workflow_activo === "on",
    ...(olt ? {} : { habilitar_olt: values.habilitar_olt === "on" }),
    ...Object.fromEntries(used.map((name) => [name, values[name]])),
  };
}

function edit(olt) {
  const dialog = ask({
    title: olt ? olt.abreviatura : t("Nueva OLT", "New OLT"),
    fields: fields(olt),
    action: t("Guardar", "Save"),
    submit: (values) =>
      olt
        ? change("PUT", `/api/coordinador/olts/${olt.id}`, body(values, olt), { version: olt.fila_version })
        : change("POST", "/api/coordinador/olts", body(values, null)),
  });
  const version = dialog.querySelector("[name=version]");
  const follow = () => {
    const of = version.value === "3" ? "user" : "community";
    for (const part of $$("[data-of]", dialog)) part.hidden = part.dataset.of !== of;
  };
  version.addEventListener("change", follow);
  follow();
}

async function probe(button) {
  button.disabled = true;
  const { ok, data } = await request("POST", `/api/coordinador/olts/${button.dataset.probe}/probar`);
  button.disabled = false;
  if (!ok) return;
  if (data.responde) {
    const took = Math.round(data.respuesta_ms * 10) / 10;
    toast(t(`Responde en ${took} ms`, `It answers within ${took} ms`), { tone: "good" });
  } else toast(`${t("No responde", "No answer")}: ${data.motivo}`, { tone: "bad" });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=olt]")) return edit(null);
  const button = event.target.closest("[data-edit-olt]");
  if (button) return edit(JSON.parse(button.dataset.editOlt));
  const asked = event.target.closest("[data-probe]");
  if (asked && !asked.disabled) probe(asked);
});

// Whoever comes to enter one finds the form open; once.
const here = new URL(location.href);
if (here.searchParams.has("nueva") && document.querySelector("[data-new=olt]")) {
  here.searchParams.delete("nueva");
  history.replaceState(null, "", here);
  edit(null);
}

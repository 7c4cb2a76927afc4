// Members move between pools: dragged with a pointer, or chosen in their list with the keyboard.

import { ask } from "../web/dialog.js";
import { $, $$ } from "../web/dom.js";
import { t } from "../web/text.js";
import { again, change, whole } from "../web/acts.js";

async function move(member, pool) {
  const [kind, id] = member.dataset.member.split("/");
  const version = Number(member.dataset.version);
  const name = $("a", member).textContent;
  const path = `/api/sam/${kind}/${id}`;
  const said = t(`${name} cambió de pool`, `${name} changed pools`);
  const result = await change("PUT", path, { pool_id: whole(pool) }, { version, said, quiet: false });
  // What was not moved must not look as if it had been.
  if (!result.ok) await again();
  // The list went with its member: whoever used the keyboard goes on from there.
  else $(`[data-key="${kind}-${id}"] select`)?.focus();
}

document.addEventListener("change", (event) => {
  const list = event.target.closest("[data-move]");
  if (list) move(list.closest("[data-member]"), list.value);
});

let dragged = null;

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.("[data-member]");
  if (!dragged) return;
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", $("a", dragged).textContent);
});

const place = (event) => dragged && event.target.closest?.("[data-pool]");

document.addEventListener("dragover", (event) => {
  const pool = place(event);
  for (const other of $$(".pool.over")) if (other !== pool) other.classList.remove("over");
  if (!pool) return;
  event.preventDefault();
  pool.classList.add("over");
});

document.addEventListener("drop", (event) => {
  const pool = place(event);
  if (!pool) return;
  event.preventDefault();
  if (pool !== dragged.closest("[data-pool]")) move(dragged, pool.dataset.pool);
});

document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  for (const pool of $$(".pool.over")) pool.classList.remove("over");
});

function edit(pool) {
  ask({
    title: pool ? pool.nombre : t("Nuevo pool", "New pool"),
    fields: [
      { name: "nombre", label: t("Nombre", "Name"), value: pool?.nombre, required: true, attrs: { maxlength: 100 } },
      { name: "descripcion", label: t("Descripción", "Description"), value: pool?.descripcion, attrs: { maxlength: 500 } },
      { name: "activo", label: t("El balanceador lo atiende", "The balancer serves it"), type: "check", value: pool?.activo ?? true },
    ],
    action: t("Guardar", "Save"),
    submit: (values) => {
      const body = {
        nombre: values.nombre,
        descripcion: values.descripcion || null,
        activo: values.activo === "on",
      };
      return pool
        ? change("PUT", `/api/sam/pools/${pool.id}`, body, { version: pool.version })
        : change("POST", "/api/sam/pools", body);
    },
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-new=pool]")) return edit(null);
  const button = event.target.closest("[data-edit]");
  if (button) edit(JSON.parse(button.dataset.edit));
});

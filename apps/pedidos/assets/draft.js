// The order being written, kept until it is accepted: closing the form by mistake, a refusal or a
// lost connection lose nothing.

import { freshKey } from "../web/api.js";
import { instantOf } from "../web/text.js";

const SHELF = "pedidos.borrador";

export const blankDraft = () => ({
  lines: [],
  cliente_nombre: "",
  cliente_telefono: "",
  cliente_direccion: "",
  modalidad: "RETIRO",
  origen_pedido: "MOSTRADOR",
  when: "ya",
  time: "",
  medio_pago: "EFECTIVO",
  paid: false,
  pago_contra_entrega: false,
  observaciones: "",
});

export function loadDraft() {
  try {
    return { ...blankDraft(), ...JSON.parse(sessionStorage.getItem(SHELF) ?? "{}") };
  } catch {
    return blankDraft();
  }
}

export function saveDraft(draft) {
  try {
    sessionStorage.setItem(SHELF, JSON.stringify(draft));
  } catch {
    // Without storage the draft lives as long as the dialog.
  }
}

export function dropDraft() {
  try {
    sessionStorage.removeItem(SHELF);
  } catch {
    // Nothing was kept.
  }
}

/** Only the lines of an existing order are edited here. */
export const draftOf = (order) => ({
  ...blankDraft(),
  lines: (order.articulos ?? []).map((line) => ({
    ...line,
    observaciones: line.observaciones ?? "",
  })),
});

/** Adds one of an article; the same article without a note only counts up. */
export function addArticle(draft, article) {
  const same = draft.lines.find(
    (line) => line.articulo_id === article.id && !line.observaciones && !line.personalizaciones,
  );
  if (same) same.cantidad += 1;
  else
    draft.lines.push({
      articulo_id: article.id,
      nombre: article.nombre,
      peso: article.peso,
      cantidad: 1,
      precio: article.precio,
      observaciones: "",
    });
}

export const total = (draft) =>
  draft.lines.reduce((sum, line) => sum + line.precio * line.cantidad, 0);

const body = (line) => {
  const shared = { cantidad: line.cantidad, precio: line.precio };
  if (line.observaciones) shared.observaciones = line.observaciones;
  if (line.personalizaciones) shared.personalizaciones = line.personalizaciones;
  return line.articulo_id
    ? { articulo_id: line.articulo_id, ...shared }
    : { nombre: line.nombre, peso: line.peso, ...shared };
};

export const lineBodies = (draft) => draft.lines.map(body);
export const dueOf = (draft) =>
  draft.when === "hora" && draft.time ? instantOf(draft.time) : null;

/** What is sent; empty texts are left out. */
export function bodyOf(draft) {
  const out = {
    articulos: lineBodies(draft),
    modalidad: draft.modalidad,
    origen_pedido: draft.origen_pedido,
    horario_entrega: dueOf(draft),
    medio_pago: draft.medio_pago,
  };
  for (const name of ["cliente_nombre", "cliente_telefono", "cliente_direccion", "observaciones"]) {
    if (draft[name].trim()) out[name] = draft[name].trim();
  }
  if (draft.modalidad === "DELIVERY") out.pago_contra_entrega = draft.pago_contra_entrega;
  return out;
}

/** One key per content: the same order sent twice is one order, a corrected one is another. */
export function keeper() {
  let text = null;
  let key = null;
  return (content) => {
    const next = JSON.stringify(content);
    if (next !== text) {
      text = next;
      key = freshKey();
    }
    return key;
  };
}

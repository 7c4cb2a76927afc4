// Sending documents: drop, pick or paste; each delivery shows its progress and is followed to its
// result. Nothing is lost on an error: the files stay with their row, and can be sent again.

import { freshKey, get } from "../web/api.js";
import { $, $$, badge, h, icon } from "../web/dom.js";
import { bind } from "../web/keys.js";
import { coalesce, subscribe } from "../web/live.js";
import { t } from "../web/text.js";

const form = $("#upload");
const drop = $("#drop");
const picker = $("#files");
const list = $("#sent");
const most = Number(form.dataset.most);
const mayRead = form.dataset.mayRead === "true";
const mayReview = form.dataset.mayReview === "true";
const AT_ONCE = 2;
const FINAL = new Set(["completed", "failed", "cancelled"]);

let chosen = [];
/** @type {{key: string, title: string, body: FormData, state: string, sent: number, size: number,
 *   id?: string, status?: any, problem?: any}[]} */
const deliveries = [];

/* Choosing */
function choose(files) {
  const known = new Set(chosen.map((file) => `${file.name}/${file.size}/${file.lastModified}`));
  for (const file of files)
    if (!known.has(`${file.name}/${file.size}/${file.lastModified}`)) chosen.push(file);
  showChosen();
}

const size = (bytes) =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

function showChosen() {
  const total = chosen.reduce((sum, file) => sum + file.size, 0);
  const files = chosen.length === 1 ? t("archivo", "file") : t("archivos", "files");
  const note = chosen.length ? `${chosen.length} ${files}, ${size(total)}` : "";
  $("#chosen").textContent = note;
  $("#chosen-list")?.remove();
  if (!chosen.length) return;
  const rows = chosen.map((file, index) =>
    h(
      "li",
      {},
      icon("document"),
      h("span", {}, file.name, " ", h("small.soft", {}, size(file.size))),
      h(
        "button.ghost.square",
        {
          type: "button",
          "data-drop": index,
          "aria-label": t(`Quitar ${file.name}`, `Remove ${file.name}`),
        },
        icon("close"),
      ),
    ),
  );
  drop.after(h("ul.chosen", { id: "chosen-list" }, rows));
  say("");
}

const say = (text) => ($("#upload-error").textContent = text);

picker.addEventListener("change", () => {
  choose(picker.files);
  picker.value = "";
});
for (const name of ["dragenter", "dragover"])
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.add("over");
  });
for (const name of ["dragleave", "drop"])
  document.addEventListener(name, (event) => {
    if (name === "dragleave" && event.relatedTarget) return;
    drop.classList.remove("over");
  });
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  choose(event.dataTransfer.files);
});
document.addEventListener("paste", (event) => {
  if (!event.clipboardData?.files.length) return;
  event.preventDefault();
  choose(event.clipboardData.files);
});
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-drop]");
  if (!button) return;
  chosen.splice(Number(button.dataset.drop), 1);
  showChosen();
  ($("#chosen-list button") ?? picker).focus();
});

/* Metadata */
function addPair() {
  const n = $$(".pair").length + 1;
  const input = (name, label) =>
    h("input", { name, "aria-label": `${label} ${n}`, placeholder: label, autocomplete: "off" });
  const remove = h(
    "button.ghost.square",
    { type: "button", "aria-label": t(`Quitar el par ${n}`, `Remove pair ${n}`) },
    icon("close"),
  );
  const pair = h(
    "div.pair",
    {},
    input("meta-key", t("clave", "key")),
    input("meta-value", t("valor", "value")),
    remove,
  );
  remove.addEventListener("click", () => pair.remove());
  $("#pairs").append(pair);
  return pair;
}
$("#add-pair").addEventListener("click", () => $("input", addPair()).focus());
addPair();

function metadata() {
  const pairs = $$(".pair").map((pair) => $$("input", pair).map((input) => input.value.trim()));
  return Object.fromEntries(pairs.filter(([key]) => key));
}

/* Workflows say what they are for. */
const workflow = $("#workflow");
const about = () => {
  $("#workflow-hint").textContent = workflow.selectedOptions[0]?.dataset.about ?? "";
};
workflow.addEventListener("change", about);
about();

/* Sending */
function body(files) {
  const data = new FormData();
  const fields = {
    channel: "web",
    workflow: workflow.value,
    external_id: $("#external_id").value.trim(),
    password: $("#password").value,
  };
  for (const [name, value] of Object.entries(fields)) if (value) data.set(name, value);
  const pairs = metadata();
  if (Object.keys(pairs).length) data.set("metadata", JSON.stringify(pairs));
  for (const file of files) data.append("file", file, file.name);
  return data;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!chosen.length) {
    say(t("Falta elegir al menos un archivo.", "Choose at least one file."));
    picker.focus();
    return;
  }
  const together = form.elements.together.value === "yes";
  const groups = together ? [chosen] : chosen.map((file) => [file]);
  const large = groups.find((files) => files.reduce((sum, file) => sum + file.size, 0) > most);
  if (large) {
    const limit = t(`El límite es ${size(most)}.`, `The limit is ${size(most)}.`);
    say(`${large.map((file) => file.name).join(", ")}: ${limit}`);
    return;
  }
  for (const files of groups) {
    const more = files.length > 1 ? ` + ${files.length - 1}` : "";
    deliveries.unshift({
      key: freshKey(),
      title: files[0].name + more,
      body: body(files),
      state: "waiting",
      sent: 0,
      size: files.reduce((sum, file) => sum + file.size, 0),
    });
  }
  chosen = [];
  showChosen();
  draw();
  sendNext();
});

function sendNext() {
  const busy = deliveries.filter((one) => one.state === "sending").length;
  const waiting = deliveries.filter((one) => one.state === "waiting").reverse();
  for (const one of waiting.slice(0, Math.max(0, AT_ONCE - busy))) send(one);
}

/** XMLHttpRequest, because fetch does not tell how much of a body has left. */
function send(delivery) {
  Object.assign(delivery, { state: "sending", sent: 0, problem: null });
  const call = new XMLHttpRequest();
  call.open("POST", "/process");
  call.setRequestHeader("Accept", "application/json");
  // Sent again after a lost answer, it is still the same delivery.
  call.setRequestHeader("Idempotency-Key", delivery.key);
  call.responseType = "json";
  call.upload.addEventListener("progress", ({ loaded, total }) => {
    delivery.sent = total ? loaded / total : 0;
    draw();
  });
  call.addEventListener("loadend", () => {
    const answer = call.response;
    if (call.status === 200 && answer?.request_id) {
      Object.assign(delivery, { state: "sent", sent: 1, id: answer.request_id, status: answer });
      follow();
    } else {
      delivery.state = "refused";
      delivery.problem = answer?.code ? answer : unreachable(call.status);
      if (answer?.code) delivery.key = freshKey();
    }
    draw();
    sendNext();
  });
  call.send(delivery.body);
  draw();
}

const unreachable = (status) => ({
  detail: status
    ? t(`El servidor respondió ${status}.`, `The server answered ${status}.`)
    : t("No hay conexión con el servidor.", "The server cannot be reached."),
  hint: t(
    "Los archivos siguen aquí; se pueden enviar de nuevo.",
    "The files are still here and can be sent again.",
  ),
});

/* Following */
async function followAll() {
  const open = deliveries.filter((one) => one.id && !FINAL.has(one.status?.status));
  for (const one of open) {
    const { ok, data } = await get(`/status/${one.id}`, { quiet: true });
    if (ok) one.status = data;
  }
  if (open.length) draw();
}
const follow = coalesce(followAll, 400);
subscribe(["docproc"], {
  event: ({ data }) => deliveries.some(({ id }) => id && id === data?.request_id) && follow(),
  resync: follow,
});
setInterval(() => !document.hidden && follow(), 2_500);

/* Drawing */
const STATUSES = {
  received: ["info", t("Recibida", "Received")],
  routing: ["info", t("Eligiendo flujo", "Routing")],
  splitting: ["info", t("Separando páginas", "Splitting")],
  processing: ["info", t("Leyendo", "Reading")],
  extracting: ["info", t("Extrayendo", "Extracting")],
  consolidating: ["info", t("Consolidando", "Consolidating")],
  completed: ["good", t("Completada", "Completed")],
  failed: ["bad", t("Fallida", "Failed")],
  cancelled: ["plain", t("Cancelada", "Cancelled")],
  sla_breached: ["bad", t("Fuera de plazo, sigue en curso", "Deadline missed, still at work")],
};

function line(one) {
  const title =
    one.id && mayRead ? h("a", { href: `/docproc/solicitudes/${one.id}` }, one.title) : one.title;
  return h(
    "li",
    { "data-key": one.key, class: one.state },
    h("div.sent-head", {}, h("b", {}, title), h("small.soft", {}, size(one.size)), state(one)),
    one.state === "sending" ? progress(one) : null,
    one.status?.page_count || one.status?.document_count ? counts(one.status) : null,
    waits(one) && mayReview ? reviewNow(one) : null,
    one.status?.error ? h("p.why-failed", {}, one.status.error) : null,
    one.problem ? refusal(one) : null,
  );
}

function state(one) {
  if (one.state === "waiting") return badge("plain", t("Por enviar", "To be sent"));
  if (one.state === "sending") return badge("info", t("Enviando", "Sending"), "upload");
  if (one.state === "refused") return badge("bad", t("No enviado", "Not sent"));
  if (waits(one)) return badge("warn", t("Espera a una persona", "Waits for a person"), "hand");
  return badge(...(STATUSES[one.status?.status] ?? ["info", one.status?.status ?? ""]));
}

const waits = ({ status }) => status?.questions > 0;

/** What only a person can settle is one click away. */
const reviewNow = (one) =>
  h(
    "p",
    {},
    h(
      "a.button",
      { href: `/backoffice/solicitudes/${one.id}` },
      icon("hand"),
      t("Revisar ahora", "Review now"),
    ),
  );

function progress(one) {
  const percent = Math.round(one.sent * 100);
  return h(
    "div.row.sending",
    {},
    h("progress", { max: 100, value: percent, "aria-label": t("Enviado", "Sent") }),
    h("small", {}, `${percent} %`),
  );
}

const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;
function counts({ page_count: pages, document_count: documents }) {
  const parts = [];
  if (pages) parts.push(plural(pages, t("página", "page"), t("páginas", "pages")));
  if (documents)
    parts.push(plural(documents, t("documento", "document"), t("documentos", "documents")));
  return h("p.soft", {}, parts.join(" · "));
}

function refusal(one) {
  return h(
    "div.refusal",
    { role: "alert" },
    h("p", {}, one.problem.detail || one.problem.title),
    one.problem.hint ? h("small.soft", {}, one.problem.hint) : null,
    h(
      "div.row",
      {},
      h(
        "button",
        { type: "button", "data-again": one.key },
        icon("redo"),
        t("Reintentar", "Try again"),
      ),
      h("button.ghost", { type: "button", "data-forget": one.key }, t("Quitar", "Remove")),
    ),
  );
}

function draw() {
  $("#sent-none").hidden = deliveries.length > 0;
  const focused = document.activeElement?.closest?.("#sent [data-key]")?.dataset.key;
  list.replaceChildren(...deliveries.map(line));
  if (focused) $(`[data-key="${focused}"] :is(a, button)`, list)?.focus({ preventScroll: true });
}

list.addEventListener("click", (event) => {
  const { again, forget } = event.target.closest("button")?.dataset ?? {};
  const at = deliveries.findIndex((one) => one.key === (again ?? forget));
  if (at < 0) return;
  if (again) {
    // A password or a workflow may have been the reason: the form as it stands now is sent.
    deliveries[at].body = body(deliveries[at].body.getAll("file"));
    deliveries[at].state = "waiting";
    sendNext();
  } else deliveries.splice(at, 1);
  draw();
});

addEventListener("beforeunload", (event) => {
  if (deliveries.some((one) => one.state === "sending" || one.state === "waiting"))
    event.preventDefault();
});

const HERE = t("Al subir", "When uploading");
bind(HERE, "f", t("Elegir archivos", "Choose files"), () => picker.click());
bind(HERE, "Ctrl+Enter", t("Enviar", "Send"), () => form.requestSubmit());

// The review station: one task after another, by keyboard, without waiting. The next task and its
// pictures are fetched while the present one is answered; what is typed is kept here at once and on
// the server soon after.

import { freshKey, get, post } from "../web/api.js";
import { $, $$, h, icon } from "../web/dom.js";
import { help } from "../web/help.js";
import { coalesce, subscribe } from "../web/live.js";
import { now, setNow, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import { lapse } from "./refresh.js";
import * as view from "./station_form.js";
import { flush, keepDraft, localDraft, onRefusal, send, waiting, watchOutbox } from "./station_outbox.js";
import { bindKeys } from "./station_keys.js";
import { askLater } from "./station_later.js";
import { regroup } from "./station_regroup.js";
import { splitNotice } from "./station_split.js";
import { Sheet, prefetch, thumb } from "./station_sheet.js";

const root = $("#station");
const operator = root.dataset.operator;
const BEAT = 30_000;
const IDLE = 180_000;
const DRAFT_AFTER = 1_200;
/** How long a verdict is waited for before the next task is laid out. */
const PROMPT = 50;
const late = new Map(); // refusals that came after their task had left the desk

let task = null; // the one on the desk
let next = null; // the one behind it: ours already, its pictures on their way
let coming = null; // a promise of it
let page = 0;
let focused = null; // the field that words are put into
let picked = false; // whether the field was filled by words since it got the cursor
let evidence = {};
let golden = false;
let saving = null;
let touched = Date.now();
let away = false;
let moving = false;
let digit = null; // the type key pressed last, on this task

const form = () => $("#answers");
const field = (name) => task?.fields.find((one) => one.name === name);
const pageOf = (n) => task?.pages.find((one) => one.page_index === n);

/* The paper */
const sheet = new Sheet($("#frame"), {
  pick: (text, box) => {
    if (task?.task_type !== "extraction") return;
    const name = focused ?? firstFlagged();
    if (!name) return;
    if (view.isAbsent(form(), name)) view.setAbsent(form(), name, false);
    const input = view.inputOf(form(), name);
    input.value = picked && input.value ? `${input.value} ${text}` : text;
    evidence[name] = [...(picked ? (evidence[name] ?? []) : []), box];
    picked = true;
    input.focus();
    typed();
    sheet.light(name, marks());
  },
  mark: (name) => view.inputOf(form(), name)?.focus(),
});

const marks = () =>
  task.fields.flatMap((one) =>
    (evidence[one.name] ?? one.boxes).map((box) => ({
      ...box,
      name: one.name,
      tone: view.toneOf(one),
    })),
  );

function turnTo(n) {
  const target = pageOf(n);
  if (!target) return;
  page = n;
  sheet.show(target, marks());
  for (const leaf of $$(".leaf"))
    leaf.setAttribute("aria-pressed", String(Number(leaf.dataset.page) === n));
  $(`.leaf[data-page="${n}"]`)?.scrollIntoView({ block: "nearest" });
  $("#where").textContent = t(
    `Página ${n + 1} de ${task.pages.length}`,
    `Page ${n + 1} of ${task.pages.length}`,
  );
}

const turnBy = (by) => turnTo(Math.max(0, Math.min(task.pages.length - 1, page + by)));

/* The desk */
function title() {
  if (task.task_type === "classification")
    return t(`Clasificar la página ${task.page_indices[0] + 1}`, `Classify page ${task.page_indices[0] + 1}`);
  const name = task.types.find(({ word }) => word === task.doc_type)?.title ?? task.doc_type;
  return t(`Completar: ${name}`, `Complete: ${name}`);
}

function lay(fresh) {
  task = fresh;
  focused = null;
  picked = false;
  evidence = {};
  golden = false;
  digit = null;
  if (!task) return nothing();
  setNow(task.now);
  history.replaceState(null, "", address(task.id));
  document.title = `${title()} · Turno`;
  $("#title").textContent = title();
  $("#file").textContent = [task.file_name, task.external_id].filter(Boolean).join(" · ");
  $("#request").href = `/docproc/solicitudes/${task.request_id}`;
  $("#request").hidden = false;
  root.dataset.kind = task.task_type;
  root.dataset.task = task.id;
  const shape = task.task_type === "classification" ? view.typeForm : view.documentForm;
  $("#questions").replaceChildren(...[splitNotice(task), shape(task)].filter(Boolean));
  const draft = localDraft(operator, task.id) ?? task.draft;
  view.restore(task, form(), draft, evidence);
  const own = new Set(task.page_indices);
  $("#leaves").replaceChildren(
    ...task.pages.map((one) => {
      const leaf = thumb(one, false);
      leaf.classList.toggle("own", own.has(one.page_index));
      return leaf;
    }),
  );
  const can = task.task_type === "extraction" && task.pages.length > 1;
  $("[data-do=regroup]").hidden = !can;
  $("[data-do=golden]").setAttribute("aria-pressed", "false");
  $$("[data-do=submit],[data-do=release],[data-do=postpone],[data-do=golden]").forEach(
    (button) => (button.disabled = false),
  );
  turnTo(task.page_indices[0] ?? 0);
  banner(null);
  count();
  begin();
  const wrong = late.get(task.id);
  if (wrong && late.delete(task.id)) refused(wrong);
}

/** The cursor goes where the work is. */
function begin() {
  if (task.task_type === "classification") {
    ($("[name=doc_type]:checked", form()) ?? $("[name=doc_type]", form()))?.focus();
    return;
  }
  const name = firstFlagged() ?? task.fields[0]?.name;
  if (name) go(name);
}

const flagged = () => $$("[data-flagged]", form()).map((entry) => entry.dataset.entry);
const firstFlagged = () => flagged()[0] ?? null;

function go(name) {
  const input = view.inputOf(form(), name);
  input?.focus();
  input?.select?.();
  view.entryOf(form(), name)?.scrollIntoView({ block: "nearest" });
}

/** Enter: the next flagged field, then the button. */
function onward(from) {
  const list = flagged();
  const rest = list.slice(list.indexOf(from) + 1);
  if (from && !list.includes(from)) return $("[data-do=submit]").focus();
  if (rest.length) go(rest[0]);
  else $("[data-do=submit]").focus();
}

function nothing() {
  root.dataset.kind = "none";
  delete root.dataset.task;
  sheet.clear();
  $("#leaves").replaceChildren();
  $("#title").textContent = t("Nada espera", "Nothing waits");
  $("#file").textContent = "";
  $("#where").textContent = "";
  $("#request").hidden = true;
  $("#left").textContent = "";
  document.title = `${t("Nada espera", "Nothing waits")} · Turno`;
  $$("#actions button").forEach((button) => (button.disabled = true));
  $("#questions").replaceChildren(
    h(
      "div.empty",
      {},
      icon("check"),
      h("h3", {}, t("No hay tareas para ti", "There are no tasks for you")),
      h("p", {}, t("La próxima se abre aquí sola.", "The next one opens here by itself.")),
    ),
  );
}

/* One after another */
const address = (id) => {
  const query = root.dataset.open ? `?operator=${encodeURIComponent(operator)}` : "";
  return `/backoffice/tareas/${id}${query}`;
};

function fetchNext() {
  if (coming) return coming;
  const but = [task?.id, ...waiting().map((entry) => entry.task)].filter(Boolean);
  coming = post("/api/docproc/desk/next", { operator, but }, { quiet: true }).then((answer) => {
    coming = null;
    if (!answer.ok || !answer.data) return null;
    next = answer.data;
    root.dataset.next = next.id;
    const first = next.pages.find((one) => one.page_index === next.page_indices[0]);
    if (first) prefetch(first);
    return next;
  });
  return coming;
}

async function advance() {
  const began = performance.now();
  const ready = next ?? (await fetchNext());
  next = null;
  delete root.dataset.next;
  lay(ready);
  root.dataset.turn = (performance.now() - began).toFixed(1);
  if (ready) fetchNext();
}

async function submit(extra) {
  if (!task || moving) return null;
  const body = { operator, golden, ...(extra ?? view.answers(task, form(), evidence)) };
  if (task.task_type === "classification" && !body.doc_type) return null;
  moving = true;
  clearTimeout(saving);
  const began = performance.now();
  const entry = { task: task.id, title: title(), body, key: freshKey() };
  const verdict = await send(entry, extra ? 5_000 : PROMPT).finally(() => (moving = false));
  if (verdict && !verdict.ok) {
    refused(verdict);
    return verdict.problem;
  }
  done();
  await advance();
  root.dataset.whole = (performance.now() - began).toFixed(1);
  return null;
}

function done() {
  const place = $("#today");
  place.textContent = String(Number(place.textContent) + 1);
}

function refused({ status, problem }) {
  if (status === 422) {
    if (!view.showWrong(form(), problem)) toast(problem.detail, { tone: "bad" });
    return;
  }
  banner(problem);
}

/** A conflict is explained where it happened; what was typed stays. */
function banner(problem) {
  const place = $("#conflict");
  place.hidden = !problem;
  if (!problem) return place.replaceChildren();
  place.replaceChildren(
    icon("warning"),
    h("p", {}, h("b", {}, problem.detail || problem.title), " ", t("Lo que escribiste queda guardado aquí.", "What you typed is kept here.")),
    h("button", { type: "button", "data-do": "retake" }, t("Volver a tomarla", "Take it again")),
    h("button.primary", { type: "button", "data-do": "skip" }, t("Seguir con otra", "Go on with another")),
  );
}

async function retake() {
  const answer = await post(`/tasks/${task.id}/claim`, { operator }, { quiet: true });
  if (answer.ok) {
    banner(null);
    begin();
  } else banner(answer.problem);
}

/* Keeping what was typed */
function typed() {
  touched = Date.now();
  if (!task) return;
  const data = view.answers(task, form(), evidence);
  keepDraft(operator, task.id, data);
  clearTimeout(saving);
  const id = task.id;
  saving = setTimeout(() => post(`/tasks/${id}/draft`, { operator, data }, { quiet: true }), DRAFT_AFTER);
}

async function beat() {
  if (!task || away) return;
  if (Date.now() - touched > IDLE) return leave();
  for (const id of [task.id, next?.id].filter(Boolean)) {
    const answer = await post(`/tasks/${id}/heartbeat`, { operator }, { quiet: true });
    if (answer.ok || answer.status === 0 || answer.status >= 500) continue;
    if (id === task?.id) banner(answer.problem);
    else if (id === next?.id) next = null;
  }
}

/** Nobody has touched anything for minutes: the tasks go to somebody who is there. */
function leave() {
  away = true;
  $("#away").hidden = false;
}

function back() {
  touched = Date.now();
  if (!away) return;
  away = false;
  $("#away").hidden = true;
  beat();
}

function count() {
  if (!task) return;
  const left = (Date.parse(task.deadline_utc) - now()) / 1000;
  const place = $("#left");
  place.textContent =
    left < 0
      ? t(`vencida hace ${lapse(-left)}`, `${lapse(-left)} overdue`)
      : t(`quedan ${lapse(left)}`, `${lapse(left)} left`);
  const whole = (Date.parse(task.deadline_utc) - Date.parse(task.created_at)) / 1000;
  place.className = `left ${left < 0 ? "bad" : left < whole * 0.3 ? "warn" : "plain"}`;
}

/* Giving back */
async function giveBack(what, body = {}) {
  if (!task) return;
  const answer = await post(`/tasks/${task.id}/${what}`, { operator, ...body }, { quiet: true });
  if (!answer.ok && answer.status !== 409 && answer.status !== 403) return toast(answer.problem.detail, { tone: "bad" });
  toast(what === "release" ? t("Devuelta a la cola", "Given back") : t("Aplazada", "Put off"), { tone: "good" });
  await advance();
}

const postpone = () => askLater((minutes) => giveBack("postpone", { minutes }));

const COMMANDS = {
  // A key held down answers one task, not the next one unseen.
  submit: (event) => (event?.repeat ? null : submit()),
  release: () => giveBack("release"),
  postpone,
  retake,
  skip: () => advance(),
  help,
  "zoom-in": () => sheet.magnify(1),
  "zoom-out": () => sheet.magnify(-1),
  fit: () => sheet.fit(),
  rotate: () => sheet.rotate(),
  regroup: () => task?.task_type === "extraction" && task.pages.length > 1 && regroup(task, (groups) => submit({ groups })),
  split: () => submit({ groups: task.input_data.suspected_split.groups }),
  golden: () => {
    golden = !golden;
    $("[data-do=golden]").setAttribute("aria-pressed", String(golden));
  },
};

root.addEventListener("click", (event) => {
  const leaf = event.target.closest(".leaf");
  if (leaf) return turnTo(Number(leaf.dataset.page));
  const none = event.target.closest("[data-absent]");
  if (none) return toggleAbsent(none.dataset.absent);
  COMMANDS[event.target.closest("[data-do]")?.dataset.do]?.();
});
root.addEventListener("submit", (event) => event.preventDefault());
root.addEventListener("input", typed);
root.addEventListener("focusin", (event) => {
  const name = event.target.dataset?.name;
  if (!name || !task) return;
  focused = name;
  picked = false;
  const box = (evidence[name] ?? field(name)?.boxes ?? [])[0];
  if (box && box.page !== page) turnTo(box.page);
  sheet.light(name, marks());
  $$(".entry.at").forEach((entry) => entry.classList.remove("at"));
  view.entryOf(form(), name)?.classList.add("at");
});

function toggleAbsent(name) {
  if (!name) return;
  const absent = !view.isAbsent(form(), name);
  view.setAbsent(form(), name, absent);
  typed();
  if (absent) onward(name);
  else go(name);
}

/** ↓ and ↑ walk through what else the machine saw. */
function alternative(input, by) {
  const one = field(input.dataset.name);
  const list = [one?.value ?? "", ...(one?.alternatives ?? []).map(([value]) => value)];
  if (list.length < 2) return false;
  const at = Math.max(0, list.indexOf(input.value));
  input.value = list[(at + by + list.length) % list.length];
  typed();
  return true;
}

root.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || $("dialog[open]")) return;
  const input = event.target.closest?.(".entry input, .entry select");
  const radio = event.target.closest?.("[name=doc_type]");
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.altKey && event.code === "KeyN") {
    event.preventDefault();
    toggleAbsent(focused);
  } else if (plain && event.key === "Enter" && input) {
    event.preventDefault();
    onward(input.dataset.name);
  } else if (plain && event.key === "Enter" && radio) {
    event.preventDefault();
    submit();
  } else if (plain && input?.matches("input") && ["ArrowDown", "ArrowUp"].includes(event.key)) {
    if (alternative(input, event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
  } else if (plain && event.key === "Escape" && input) {
    input.blur();
  } else if (plain && ["PageDown", "PageUp"].includes(event.key)) {
    event.preventDefault();
    turnBy(event.key === "PageDown" ? 1 : -1);
  } else if (plain && /^[1-9]$/.test(event.key) && task?.task_type === "classification") {
    const choice = $$("[name=doc_type]", form())[Number(event.key) - 1];
    if (!choice) return;
    event.preventDefault();
    // Twice the same key submits; once never does, even for what was suggested.
    const again = digit === event.key && choice.checked;
    digit = event.key;
    choice.checked = true;
    choice.focus();
    typed();
    if (again) submit();
  }
});

for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"])
  document.addEventListener(kind, back, { passive: true, capture: true });

bindKeys(sheet, COMMANDS);

watchOutbox((entries) => {
  const place = $("#unsent");
  place.hidden = entries.length === 0;
  $("span", place).textContent = t(`${entries.length} por enviar`, `${entries.length} to send`);
});
onRefusal(async (entry, answer) => {
  toast(t(`«${entry.title}» no se aceptó`, `“${entry.title}” was not accepted`), {
    tone: "bad",
    detail: answer.problem.detail,
    seconds: 12,
  });
  if (answer.status !== 422) return;
  // It is still ours: it comes back right after the present one, with what is wrong.
  const claimed = await post(`/tasks/${entry.task}/claim`, { operator }, { quiet: true });
  if (!claimed.ok) return;
  late.set(entry.task, answer);
  next = claimed.data;
  if (!task) advance();
});
const network = () => ($("#offline").hidden = navigator.onLine);
window.addEventListener("online", network);
window.addEventListener("offline", network);
network();

subscribe(["docproc"], {
  event: coalesce(() => {
    if (!task && !coming) advance();
    else if (!next && !coming) fetchNext();
  }, 1_000),
  resync: () => (task ? flush() : advance()),
});

/* The task in the address, or whatever is next. */
async function start() {
  const wanted = root.dataset.wanted;
  if (!wanted) return advance();
  const claimed = await post(`/tasks/${wanted}/claim`, { operator }, { quiet: true });
  if (claimed.ok) {
    const first = claimed.data.pages.find((one) => one.page_index === claimed.data.page_indices[0]);
    if (first) prefetch(first);
    lay(claimed.data);
    fetchNext();
    return;
  }
  const read = await get(`/tasks/${wanted}?operator=${encodeURIComponent(operator)}`, { quiet: true });
  if (!read.ok) {
    toast(claimed.problem.detail || claimed.problem.title, { tone: "bad" });
    return advance();
  }
  lay(read.data);
  $$("#actions button").forEach((button) => (button.disabled = true));
  banner(claimed.problem);
}

setInterval(count, 1_000);
setInterval(beat, BEAT);
start();

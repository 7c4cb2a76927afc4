// The review station: one task after another, by keyboard, without waiting. The next task and its
// pictures are fetched while the present one is answered; what is typed is kept here at once and on
// the server soon after.

import { freshKey, get, post } from "../web/api.js";
import { $, $$ } from "../web/dom.js";
import { help } from "../web/help.js";
import { coalesce, subscribe } from "../web/live.js";
import { setNow, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import * as view from "./station_form.js";
import * as box from "./station_outbox.js";
import { bindKeys, hearKeys } from "./station_keys.js";
import { askLater } from "./station_later.js";
import { keepAlive, touch } from "./station_presence.js";
import { regroup } from "./station_regroup.js";
import { countDown, countRest, drawRest, forgetRest, showRest } from "./station_rest.js";
import { splitNotice } from "./station_split.js";
import { Sheet, prefetch, thumb, words } from "./station_sheet.js";
import { arrived, leaving, offerUndo, refusedToo, undo } from "./station_undo.js";
import { locate, meant, readings, shown } from "./station_values.js";

const root = $("#station");
const operator = root.dataset.operator;
const DRAFT_AFTER = 1_200;
const PROMPT = 50; // how long a verdict is waited for before the next task is laid out
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
let moving = false;
let digit = null; // the type key pressed last, on this task
let started = false; // before, what happens elsewhere must not lay out another task

const form = () => $("#answers");
const field = (name) => task?.fields.find((one) => one.name === name);
const pageOf = (n) => task?.pages.find((one) => one.page_index === n);

/* The paper */
const sheet = new Sheet($("#frame"), {
  pick: (found, { range, touch }) => {
    if (task?.task_type !== "extraction") return;
    const name = focused ?? firstFlagged();
    if (!name) return;
    if (view.isAbsent(form(), name)) view.setAbsent(form(), name, false);
    const input = view.inputOf(form(), name);
    const [text, boxes] = [found.map((word) => word.text).join(" "), found.map((word) => word.box)];
    const more = picked && !range && input.value;
    // The keyboard of a tablet would cover the paper that is being read.
    if (touch) at(name);
    else input.focus();
    if (input.take) input.take(text, boxes, more);
    else {
      input.value = more ? `${input.value} ${text}` : text;
      evidence[name] = [...(more ? (evidence[name] ?? []) : []), ...boxes];
    }
    picked = true;
    typed(name);
    light(name);
  },
  mark: (name) => view.inputOf(form(), name)?.focus(),
});

const marks = () => view.marks(task, form(), evidence);

/** Shows where a field stands. */
function light(name) {
  const [lit, first] = view.lit(form(), field(name), evidence);
  if (first && first.page !== page) turnTo(first.page);
  sheet.light(lit, marks());
}

function turnTo(n) {
  const target = pageOf(n);
  if (!target) return;
  page = n;
  sheet.show(target, marks());
  for (const leaf of $$(".leaf")) leaf.setAttribute("aria-pressed", String(Number(leaf.dataset.page) === n));
  $(`.leaf[data-page="${n}"]`)?.scrollIntoView({ block: "nearest" });
  const all = task.pages.length;
  $("#where").textContent = t(`Página ${n + 1} de ${all}`, `Page ${n + 1} of ${all}`);
}

const turnBy = (by) => turnTo(Math.max(0, Math.min(task.pages.length - 1, page + by)));

/* The desk */
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
  document.title = `${view.title(task)} · Turno`;
  $("#title").textContent = view.title(task);
  $("#file").textContent = [task.file_name, task.external_id].filter(Boolean).join(" · ");
  $("#request").href = `/docproc/solicitudes/${task.request_id}`;
  $("#request").hidden = false;
  root.dataset.kind = task.task_type;
  root.dataset.task = task.id;
  const shape = task.task_type === "classification" ? view.typeForm : view.documentForm;
  $("#questions").replaceChildren(...[splitNotice(task), shape(task)].filter(Boolean));
  const draft = box.localDraft(operator, task.id) ?? task.draft;
  view.restore(task, form(), draft, evidence);
  for (const one of task.fields) view.markReading(form(), one);
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
  countDown($("#left"), task);
  countRest();
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
  forgetRest();
  document.title = `${t("Nada espera", "Nothing waits")} · Turno`;
  $$("#actions button").forEach((button) => (button.disabled = true));
  $("#questions").replaceChildren(view.nothing());
}

/* One after another */
const address = (id) => {
  const query = root.dataset.open ? `?operator=${encodeURIComponent(operator)}` : "";
  return `/backoffice/tareas/${id}${query}`;
};

function fetchNext() {
  if (coming) return coming;
  const but = [task?.id, ...box.waiting().map((entry) => entry.task)].filter(Boolean);
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
  const said = extra ?? view.answers(task, form(), evidence);
  const body = { operator, golden, undoable: true, ...said };
  if (task.task_type === "classification" && !body.doc_type) return null;
  moving = true;
  clearTimeout(saving);
  const began = performance.now();
  const entry = { task: task.id, title: view.title(task), body, key: freshKey() };
  leaving(entry, task);
  const verdict = await box.send(entry, extra ? 5_000 : PROMPT).finally(() => (moving = false));
  if (verdict && !verdict.ok) {
    refusedToo(entry);
    refused(verdict);
    return verdict.problem;
  }
  answered(1);
  await advance();
  root.dataset.whole = (performance.now() - began).toFixed(1);
  return null;
}

function answered(more) {
  const place = $("#today");
  place.textContent = String(Number(place.textContent) + more);
}

/** An answer was taken back: its task is on the desk again as it was, the present one waits behind. */
function bringBack(detail, { doc_type, extracted_data, absent, evidence: boxes }) {
  box.keepDraft(operator, detail.id, { doc_type, extracted_data, absent, evidence: boxes });
  if (task) {
    next = task;
    root.dataset.next = next.id;
  }
  answered(-1);
  lay(detail);
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
  $("#conflict").hidden = !problem;
  $("#conflict").replaceChildren(...(problem ? view.conflict(problem) : []));
}

async function retake() {
  const answer = await post(`/tasks/${task.id}/claim`, { operator }, { quiet: true });
  if (answer.ok) {
    banner(null);
    begin();
  } else banner(answer.problem);
}

/* Keeping what was typed */
function typed(name) {
  touch();
  if (!task) return;
  if (name) view.markReading(form(), field(name));
  const data = view.answers(task, form(), evidence);
  box.keepDraft(operator, task.id, data);
  clearTimeout(saving);
  const id = task.id;
  saving = setTimeout(() => post(`/tasks/${id}/draft`, { operator, data }, { quiet: true }), DRAFT_AFTER);
}

/** The box follows the value: to where it stands on the paper, or nowhere. */
async function follow(name) {
  const [one, own] = [field(name), task];
  if (view.gridOf(form(), name)) return;
  const text = view.inputOf(form(), name).value;
  if (meant(one, text) === one.value) delete evidence[name];
  else {
    const pages = await Promise.all(
      task.page_indices.map(async (n) => ({ page: n, words: (await words(pageOf(n)))?.words ?? [] })),
    );
    if (task !== own) return;
    evidence[name] = text.trim() ? locate(one, text, pages, one.boxes[0]) : [];
  }
  light(name);
  typed(name);
}

/** Puts a text into a field, and its box with it. */
function put(name, text) {
  if (view.isAbsent(form(), name)) view.setAbsent(form(), name, false);
  view.inputOf(form(), name).value = text;
  picked = false;
  typed(name);
  follow(name);
}

/** Brings back what the machine read. Answers whether there was anything to bring back. */
function reading(name) {
  const one = field(name);
  const text = shown(one, one.value);
  const same = view.inputOf(form(), name).value === text && !evidence[name];
  if (same && !view.isAbsent(form(), name)) return false;
  put(name, text);
  return true;
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
  undo,
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
  const other = event.target.closest("[data-reading]");
  if (other) {
    const { entry: name } = other.closest("[data-entry]").dataset;
    at(name);
    return put(name, shown(field(name), other.dataset.reading));
  }
  COMMANDS[event.target.closest("[data-do]")?.dataset.do]?.();
});
root.addEventListener("submit", (event) => event.preventDefault());
root.addEventListener("input", (event) => {
  const { name } = event.target.dataset;
  typed(name);
  if (name) follow(name);
});
root.addEventListener("focusin", (event) => {
  const name = event.target.dataset?.name;
  if (name && task) at(name);
});

/** The field that is being looked at. */
function at(name) {
  if (focused !== name) picked = false;
  focused = name;
  light(name);
  for (const entry of $$(".entry")) entry.classList.toggle("at", entry.dataset.entry === name);
}

function toggleAbsent(name) {
  if (!name) return;
  const absent = !view.isAbsent(form(), name);
  view.setAbsent(form(), name, absent);
  typed();
  if (absent) onward(name);
  else go(name);
}

/** ↓ and ↑ walk through what the machine saw. */
function alternative(name, by) {
  const one = field(name);
  const list = readings(one).map((value) => shown(one, value));
  if (list.length < 2) return false;
  const here = Math.max(0, list.indexOf(view.inputOf(form(), name).value));
  put(name, list[(here + by + list.length) % list.length]);
  return true;
}

/** A type by its key: twice the same key submits; once never does, even for what was suggested. */
function chooseType(key) {
  const choice = $$("[name=doc_type]", form())[Number(key) - 1];
  if (task?.task_type !== "classification" || !choice) return false;
  const again = digit === key && choice.checked;
  digit = key;
  choice.checked = true;
  choice.focus();
  typed();
  if (again) submit();
  return true;
}

hearKeys({
  absent: () => toggleAbsent(focused),
  onward,
  submit: () => submit(),
  alternative,
  reading,
  turnBy: (by) => task && turnBy(by),
  chooseType,
  undo,
  help,
});

bindKeys(sheet, COMMANDS);

box.onArrival(arrived);
box.onRefusal(async (entry, answer) => {
  refusedToo(entry);
  answered(-1);
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
subscribe(["docproc"], {
  event: coalesce(() => {
    if (task) countRest();
    if (!started) return;
    if (!task && !coming) advance();
    else if (!next && !coming) fetchNext();
  }, 1_000),
  resync: () => (task ? box.flush() : started && advance()),
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
    return fetchNext();
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

offerUndo($("#sent"), bringBack);
showRest($("#rest"), () => {
  const but = [task?.id, ...box.waiting().map((entry) => entry.task)].filter(Boolean);
  const query = new URLSearchParams({ operator, but: but.join(",") });
  return `/api/docproc/desk?${query}`;
});
setInterval(() => {
  if (!task) return;
  countDown($("#left"), task);
  drawRest();
}, 1_000);
keepAlive(
  operator,
  () => [task?.id, next?.id].filter(Boolean),
  (id, problem) => {
    if (id === task?.id) banner(problem);
    else if (id === next?.id) next = null;
  },
);
start().finally(() => (started = true));

// The review station by hand: words and readings taken, an answer taken back, the page turned, pages
// regrouped, a task put off, an answer that comes too late; and all of it on a tablet.

import assert from "node:assert/strict";

import { deliver, officeThatDoubts } from "./desk.mjs";
import { journey, violations } from "./lib.mjs";
import { eventually, says } from "./shop.mjs";

/** Sure of every type, of no field. */
const PLACE = officeThatDoubts({ types: "0.0", fields: "1.0" });

const sheet = (page) => `FACTURA
Número de factura: F-2026-0071
Fecha: 12/03/2026
Proveedor: Papelera del Sur S.L.
Base imponible: 100,00
IVA 21%: 21,00
Total factura: 121,00 EUR
Página ${page} de 2
`;

/** Sends one invoice of two pages; answers the request and its one task. */
async function invoice(turno) {
  const id = await deliver(turno, "dos-paginas.txt", [sheet(1), sheet(2)].join("\f"));
  const task = await eventually(
    async () => (await turno.api("GET", "/api/tasks?status=pending")).find((one) => one.request_id === id),
    "fields to be looked at",
    30_000,
  );
  return { id, task };
}

const documents = async (turno, id) =>
  (await turno.api("GET", `/api/docproc/requests/${id}`)).documents;

async function sitDown(page, task, operator) {
  await page.goto(`/backoffice/tareas/${task.id}?operator=${operator}`);
  await eventually(
    () => page.locator("#station").evaluate((root, id) => root.dataset.task === id, task.id),
    "the task on the desk",
  );
  await page.locator("#frame [data-word]").first().waitFor({ state: "attached" });
}

journey("a page is turned, a word taken, pages regrouped", PLACE, async (all) => {
  const { turno, page, shot } = all;
  const { id, task } = await invoice(turno);
  assert.equal((await documents(turno, id)).length, 1, "both pages are one invoice");
  await sitDown(page, task, "ana");

  const turned = () => page.locator("#frame svg > g").first().getAttribute("transform");
  await page.keyboard.press("F7");
  assert.match(await turned(), /rotate\(90\)/);
  await shot("turned");
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("F7");
  assert.equal(await turned(), "");

  const field = page.locator("#questions input").first();
  await field.fill("");
  await field.focus();
  const words = page.locator("#frame [data-word]");
  await words.nth(4).click({ force: true });
  await eventually(async () => (await field.inputValue()) !== "", "the word is in the field");
  assert.ok(sheet(1).includes(await field.inputValue()), await field.inputValue());

  await page.keyboard.press("F8");
  const dialog = page.locator("dialog.regroup");
  await dialog.waitFor();
  assert.deepEqual(await violations(page), []);
  await shot("regroup");
  const send = dialog.locator(".regroup-send");
  assert.ok(await send.isDisabled(), "nothing changed yet");
  await dialog.locator("[data-seam]").first().click();
  await send.click();
  await eventually(
    async () => (await documents(turno, id)).length === 2,
    "each page is a document of its own",
  );
});

journey("a task is put off, and a late answer is refused and kept", PLACE, async (all) => {
  const { turno, page, complaints, shot } = all;
  complaints.allow(/409|403/);
  const first = await invoice(turno);
  await sitDown(page, first.task, "ana");
  await page.keyboard.press("F9");
  await page.locator("dialog select[name=minutes]").selectOption("60");
  await page.locator("dialog button[type=submit]").click();
  await says(page.locator("#title"), "Nada espera");
  const queue = await turno.api("GET", "/api/tasks?status=pending");
  assert.deepEqual(queue.map((one) => one.assigned_to), [null], "it waits for its time, with nobody");

  const second = await invoice(turno);
  await sitDown(page, second.task, "ana");
  // Somebody in charge gives it to a colleague while Ana types.
  const luis = { username: "luis", display_name: "Luis", skills: ["extraction"] };
  await turno.api("POST", "/api/docproc/operators", luis);
  await turno.api("POST", `/api/docproc/tasks/${second.task.id}/reassign`, { operator: "luis" });
  const field = page.locator("#questions input").first();
  await field.fill("F-2026-9999");
  await page.keyboard.press("Control+Enter");
  // Where it happened; or, when the answer took so long that the desk had moved on, beside it.
  await page.locator("#conflict:visible, .toast").filter({ hasText: "luis" }).first().waitFor();
  await shot("late");
  if (await page.locator("#conflict").isVisible())
    assert.equal(await field.inputValue(), "F-2026-9999", "what was typed stays");
  assert.equal((await documents(turno, second.id))[0].origin, "AUTO", "nothing was taken");
});

/** One page with two dates and an amount of thousands. */
const BILL = `FACTURA
Número de factura: F-2026-0099
Fecha: 12/03/2026
Vencimiento: 30/04/2026
Base imponible: 1.033,47
IVA 21%: 217,03
Total factura: 1.250,50 EUR
`;

const UNDATED = BILL.replace(/^Fecha.*\nVencimiento.*\n/m, "");

async function bill(turno, text = BILL) {
  const id = await deliver(turno, "una.txt", text);
  const task = await eventually(
    async () => (await turno.api("GET", "/api/tasks?status=pending")).find((one) => one.request_id === id),
    "fields to be looked at",
    30_000,
  );
  return { id, task };
}

const fieldOf = (page, name) => page.locator(`[data-entry="${name}"] input`);
const at = (box) => [box.x + box.width / 2, box.y + box.height / 2];
/** The places on the screen of the words that read so. */
async function wordAt(page, text) {
  const n = await page.evaluate(async (wanted) => {
    const { words } = await import("/assets/docproc/station_sheet.js");
    const id = document.querySelector("#station").dataset.task;
    const task = await (await fetch(`/tasks/${id}`, { headers: { accept: "application/json" } })).json();
    const found = await words(task.pages[0]);
    return found.words.findIndex((word) => word.text === wanted);
  }, text);
  assert.ok(n >= 0, `${text} is on the page`);
  return page.locator(`#frame [data-word="${n}"]`);
}

const HOLDING = officeThatDoubts({ types: "0.0", fields: "1.0", undo: 20 });

journey("an answer is taken back, and when it is too late that is said", HOLDING, async (all) => {
  const { turno, page, complaints, shot } = all;
  complaints.allow(/409/);
  const { id, task } = await bill(turno);
  await sitDown(page, task, "ana");
  await fieldOf(page, "invoice_number").fill("F-2026-1111");
  await page.keyboard.press("Control+Enter");
  await says(page.locator("#sent"), "Enviada: Completar: Factura");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280, "it fits in its place");
  await shot("sent");
  assert.deepEqual(await violations(page), []);
  const stands = async () => (await documents(turno, id))[0].origin;
  assert.equal(await stands(), "AUTO", "nothing has followed yet");
  await page.locator("#sent [data-do=undo]").click();
  await eventually(() => page.locator("#station").evaluate((root, id) => root.dataset.task === id, task.id), "it is back");
  assert.equal(await fieldOf(page, "invoice_number").inputValue(), "F-2026-1111", "with what was typed");
  assert.equal(await page.locator("#today").textContent(), "0");
  const [undone] = (await turno.api("GET", "/api/audit?limit=20")).items.filter((one) => one.action === "task.undone");
  assert.equal(undone.subject, `task/${task.id}`);

  // Sent again; by the time it is asked for, the answer has been used.
  await page.keyboard.press("Control+Enter");
  await says(page.locator("#sent"), "Enviada");
  await turno.api("POST", `/tasks/${task.id}/undo`, { operator: "ana" });
  const data = { invoice_number: "F-2026-2222", total_amount: "1250.50", vendor_name: null, date: null };
  await turno.api("POST", `/tasks/${task.id}/submit`, { operator: "ana", extracted_data: data });
  assert.equal(await stands(), "BACKOFFICE");
  await page.keyboard.press("Alt+z");
  await says(page.locator(".toast"), "Es tarde para deshacer");
  await shot("too late");
});

const reads =
  (lang, total) =>
  async (all) => {
    const { turno, page, shot } = all;
    const { id, task } = await bill(turno);
    const other = await bill(turno, UNDATED);
    await sitDown(page, task, "ana");
    await says(page.locator("#rest"), lang === "es" ? "Queda 1 más · la próxima vence en" : "1 more left · next due in");

    // Values as their reader writes them.
    const amount = fieldOf(page, "total_amount");
    assert.equal(await amount.inputValue(), total);
    assert.equal(await fieldOf(page, "date").inputValue(), "12/03/2026");

    // Another reading by a click, and its box with it.
    const date = fieldOf(page, "date");
    await date.focus();
    const lit = () => page.locator("#frame .mark.lit").first().boundingBox();
    const before = await lit();
    const due = page.locator('[data-entry="date"] [data-reading="2026-04-30"]');
    await due.click();
    assert.equal(await date.inputValue(), "30/04/2026");
    assert.equal(await due.getAttribute("aria-pressed"), "true");
    await eventually(async () => Math.abs((await lit()).y - before.y) > 4, "the box follows the value");
    const word = await (await wordAt(page, "30/04/2026")).boundingBox();
    assert.ok(Math.abs(at(await lit())[1] - at(word)[1]) < 4, "to where it stands");
    await shot("another reading");

    // Typed, it follows too; Esc brings the reading and its box back.
    await date.fill("12/03/2025");
    await eventually(async () => (await page.locator("#frame .mark.lit").count()) === 0, "nowhere on the paper");
    await page.keyboard.press("?");
    await page.locator("dialog.help").waitFor();
    assert.equal(await page.locator("dialog.help").evaluate((one) => one.querySelector(".keys").scrollTop + one.scrollTop), 0);
    await shot("help");
    await page.keyboard.press("Escape");
    assert.equal(await date.inputValue(), "12/03/2025", "a question mark is not typed");
    await date.focus();
    await page.keyboard.press("Escape");
    assert.equal(await date.inputValue(), "12/03/2026");
    await eventually(async () => Math.abs((await lit()).y - before.y) < 2, "its box is back");

    // Several words: by dragging over them, or up to one with Shift.
    const number = fieldOf(page, "invoice_number");
    await number.focus();
    const [from, to] = [await wordAt(page, "Total"), await wordAt(page, "EUR")];
    await page.mouse.move(...at(await from.boundingBox()));
    await page.mouse.down();
    await page.mouse.move(...at(await to.boundingBox()), { steps: 6 });
    await shot("dragging");
    await page.mouse.up();
    await eventually(async () => (await number.inputValue()) === "Total factura: 1.250,50 EUR", "all four words");
    await from.click({ force: true });
    await to.click({ force: true, modifiers: ["Shift"] });
    assert.equal(await number.inputValue(), "Total factura: 1.250,50 EUR");
    await number.focus();
    await page.keyboard.press("Escape");
    assert.equal(await number.inputValue(), "F-2026-0099");

    // «no está» is a word, and what was left as read is sent exactly.
    const none = page.locator('[data-entry="vendor_name"] [data-absent]');
    await says(none, lang === "es" ? "no está" : "not there");
    await none.click();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Control+Enter");
    await eventually(async () => (await documents(turno, id))[0].origin === "BACKOFFICE", "it counts after a moment");
    const { extracted_data: said } = (await documents(turno, id))[0];
    assert.deepEqual([said.total_amount, said.date, said.vendor_name], [1250.5, "2026-03-12", null]);
    await eventually(() => page.locator("#station").evaluate((root, id) => root.dataset.task === id, other.task.id), "the other one");
    await says(page.locator("#rest"), lang === "es" ? "Es la última" : "This is the last one");

    // What was not found is not sure.
    const unread = page.locator('[data-entry="date"] .why');
    await says(unread, lang === "es" ? "no encontrado" : "not found");
    assert.doesNotMatch(await unread.textContent(), /seguro|sure/);
    await shot("not found");
  };
journey("readings are clicked and words dragged", PLACE, reads("es", "1.250,50"));
journey("the same in English", { ...PLACE, locale: "en-GB" }, reads("en", "1,250.50"));

const TABLET = { ...PLACE, viewport: { width: 1024, height: 768 }, touch: true };

journey("on a tablet", TABLET, async ({ turno, page, shot }) => {
  const { id, task } = await bill(turno);
  await sitDown(page, task, "ana");
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await wide(), 1024, "nothing is wider than the screen");
  // Nor on a phone, with what a document of several pages offers.
  await page.locator("[data-do=regroup]").evaluate((button) => (button.hidden = false));
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await wide(), 390, "nothing is wider than a phone");
  await page.setViewportSize(TABLET.viewport);
  const send = page.locator("[data-do=submit]");
  for (const button of [send, page.locator("[data-absent]").first(), page.locator("[data-do=fit]")])
    assert.ok((await button.boundingBox()).height >= 44, "large enough for a finger");
  const number = fieldOf(page, "invoice_number");
  await number.tap();
  await (await wordAt(page, "F-2026-0099")).tap({ force: true });
  assert.equal(await number.inputValue(), "F-2026-0099");
  await page.locator('[data-entry="date"] [data-reading="2026-04-30"]').tap();
  assert.equal(await fieldOf(page, "date").inputValue(), "30/04/2026");
  await shot("taken");
  assert.deepEqual(await violations(page), []);
  await send.tap();
  await says(page.locator("#sent"), "Enviada");
  await eventually(async () => (await documents(turno, id))[0].origin === "BACKOFFICE", "it counts");
});

journey("what waits for a person says so and leads there", PLACE, async (all) => {
  const { turno, page, shot } = all;
  const { id, task } = await bill(turno);
  await page.goto("/docproc/solicitudes?status=review");
  const row = page.locator(`tr[data-key="${id}"]`);
  await says(row, "Espera a una persona");
  await shot("list");
  await page.goto(`/docproc/solicitudes/${id}`);
  await says(page.locator(".head"), "Espera a una persona");
  const words = await page.locator("#why").textContent();
  assert.match(words, /Extracción/);
  assert.doesNotMatch(words, /extract|ESPERA_PERSONA/);
  await shot("request");
  assert.deepEqual(await violations(page), []);
  await page.locator(".head a", { hasText: "Revisar ahora" }).click();
  await page.locator("#operator").fill("ana");
  await page.keyboard.press("Enter");
  await eventually(() => page.locator("#station").evaluate((root, id) => root.dataset.task === id, task.id), "its own task");

  await page.goto("/docproc/subir");
  await page.locator("#files").setInputFiles({ name: "tres.txt", mimeType: "text/plain", buffer: Buffer.from(BILL) });
  await page.locator("#send").click();
  await says(page.locator("#sent"), "Espera a una persona");
  await says(page.locator("#sent a"), "Revisar ahora");
  await shot("upload");
});

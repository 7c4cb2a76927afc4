// The review station by hand: the page turned, a word taken from it, pages regrouped, a task put off,
// an answer that comes too late.

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

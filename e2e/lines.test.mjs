// The lines of an invoice in the review station: a grid by keyboard, its sum said while it is typed, the
// cell shown on the paper.

import assert from "node:assert/strict";

import { deliver, officeThatDoubts } from "./desk.mjs";
import { journey, violations } from "./lib.mjs";
import { eventually, says } from "./shop.mjs";

/** Sure of every type, of no field. */
const PLACE = officeThatDoubts({ types: "0.0", fields: "1.0", lines: true, undo: 20 });

const PAPER = `FACTURA
Número de factura: F-2026-0071                     Fecha: 12/03/2026
Proveedor: Papelera del Sur S.L.

Descripción                     Cantidad    Precio    Importe
Papel reciclado A4                    10    103,00   1.030,00
Transporte                             2     40,00      80,00

Base imponible                                       1.110,00
IVA 21%                                                233,10
Total factura                                        1.343,10 EUR
`;

async function invoice(turno) {
  const id = await deliver(turno, "lineas.txt", PAPER);
  const task = await eventually(
    async () => (await turno.api("GET", "/api/tasks?status=pending")).find((one) => one.request_id === id),
    "fields to be looked at",
    30_000,
  );
  return { id, task };
}

const lines = async (turno, id) =>
  (await turno.api("GET", `/api/docproc/requests/${id}`)).documents[0].extracted_data.lines;

async function sitDown(page, task) {
  await page.goto(`/backoffice/tareas/${task.id}?operator=ana`);
  await eventually(
    () => page.locator("#station").evaluate((root, id) => root.dataset.task === id, task.id),
    "the task on the desk",
  );
  await page.locator("#frame [data-word]").first().waitFor({ state: "attached" });
}

const cell = (page, row, column) => page.locator(`[data-cell="${row},${column}"]`);
const focused = (page) => page.evaluate(() => document.activeElement.dataset.cell ?? "");

journey("lines are corrected in a grid", { ...PLACE, viewport: { width: 1440, height: 900 } }, async (all) => {
  const { turno, page, shot } = all;
  const { id, task } = await invoice(turno);
  await sitDown(page, task);
  const sum = page.locator(".lines-sum");
  await says(sum, "Σ 1.110,00 = Neto");
  assert.equal(await cell(page, 0, 4).inputValue(), "1.030,00");

  // The cell is shown on the paper.
  await cell(page, 0, 4).focus();
  const lit = page.locator("#frame .mark.lit");
  await eventually(async () => (await lit.count()) === 1, "its box is lit");
  const above = await lit.boundingBox();
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "1,4", "Enter goes down");
  await eventually(async () => (await lit.boundingBox()).y > above.y + 4, "the box follows the cell");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(page), "0,4");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(page), "0,3");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await focused(page), "0,2", "an empty cell is left at once");

  // What does not add up is said while it is typed, and Esc brings the reading back.
  await cell(page, 1, 4).fill("90,00");
  await says(sum, "Σ 1.120,00 ≠ 1.110,00 (Neto) · Fila 2: 2 × 40,00 ≠ 90,00");
  await shot("off");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  assert.equal(await cell(page, 1, 4).inputValue(), "80,00");
  await says(sum, "Σ 1.110,00 = Neto");

  // A row is added from the keyboard, filled by the paper, and removed.
  await page.keyboard.press("Alt+Enter");
  assert.equal(await focused(page), "2,0");
  await page.keyboard.type("Embalaje");
  await cell(page, 2, 4).fill("1");
  await says(sum, "Σ 1.111,00 ≠ 1.110,00 (Neto)");
  await page.locator('[data-drop="2"]').click();
  await says(sum, "Σ 1.110,00 = Neto");
  await cell(page, 1, 0).fill("Transporte urgente");
  await page.keyboard.press("Control+Enter");
  await says(page.locator("#sent"), "Enviada");

  // Taken back, it is as it was sent; sent again, it counts.
  await page.locator("#sent [data-do=undo]").click();
  await eventually(() => page.locator("#station").evaluate((root, id) => root.dataset.task === id, task.id), "it is back");
  assert.equal(await cell(page, 1, 0).inputValue(), "Transporte urgente");
  await page.keyboard.press("Control+Enter");
  await says(page.locator("#sent"), "Enviada");
  await eventually(async () => (await lines(turno, id))[1].description === "Transporte urgente", "it counts", 30_000);
  const [first, second] = await lines(turno, id);
  assert.deepEqual(first, { description: "Papel reciclado A4", quantity: 10, unit_price: 103, tax: null, amount: 1030 });
  assert.equal(second.amount, 80, "what was left as read is exact");

  await page.goto(`/docproc/solicitudes/${id}`);
  await says(page.locator("table.lines"), "Transporte urgente");
  await shot("request");
  assert.deepEqual(await violations(page), []);
});

const TELEPHONE = { ...PLACE, viewport: { width: 390, height: 844 }, touch: true, locale: "en-GB" };

journey("the same grid on a telephone, in English", TELEPHONE, async ({ turno, page, shot }) => {
  const { id, task } = await invoice(turno);
  await sitDown(page, task);
  const sum = page.locator(".lines-sum");
  await says(sum, "Σ 1,110.00 = Net");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing is wider than the screen");
  await cell(page, 1, 4).tap();
  await cell(page, 1, 4).fill("90.00");
  await says(sum, "Σ 1,120.00 ≠ 1,110.00 (Net) · Row 2: 2 × 40.00 ≠ 90.00");
  for (const one of [cell(page, 1, 4), page.locator('[data-drop="1"]'), page.locator("[data-add]")])
    assert.ok((await one.boundingBox()).height >= 44, "large enough for a finger");
  await sum.scrollIntoViewIfNeeded();
  await shot("grid");
  assert.deepEqual(await violations(page), []);
  await page.locator('[data-drop="1"]').tap();
  await page.locator("[data-do=submit]").tap();
  await eventually(async () => (await lines(turno, id))?.length === 1, "it counts", 60_000);
});

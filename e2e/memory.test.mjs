// One correction teaches: the first document of a vendor goes to a person, the second needs nobody;
// forgotten, the vendor is a stranger again.

import assert from "node:assert/strict";

import { deliver, officeThatDoubts } from "./desk.mjs";
import { journey, violations } from "./lib.mjs";
import { eventually } from "./shop.mjs";

/** Sure of every type; of fields as the shipped workflow is. */
const PLACE = officeThatDoubts({ types: "0.0", fields: "0.75" });

/** Nothing on it is called what it is called elsewhere. */
const paper = (number, day, net, tax, total) => `Ferralla Umbría                      Polígono El Pinar
Taller y almacén                     Sevilla la Nueva

Asiento ${number}           Jornada ${day}

FACTURA
Pieza              Cuantía      Parte
Varilla corrugada  4  25,00

Mercancía          ${net}
Recargo            ${tax}
Pendiente          ${total}

Rogamos abonen en ventanilla
`;

const taskOf = (turno, id) =>
  eventually(
    async () => (await turno.api("GET", "/api/tasks?status=pending")).find((one) => one.request_id === id),
    "fields to be looked at",
    30_000,
  );

const ended = (turno, id) =>
  eventually(
    async () => {
      const now = await turno.api("GET", `/status/${id}`);
      return now.status === "completed" && now;
    },
    "the request is completed",
    30_000,
  );

const fieldsOf = async (turno, id) =>
  (await turno.api("GET", `/api/docproc/requests/${id}`)).documents[0];

journey("the second document of a vendor needs nobody", PLACE, async (all) => {
  const { turno, page, shot } = all;
  const first = await deliver(turno, "uno.txt", paper("Z/0412-B", "03/04/2026", "100,00", "21,00", "121,00"));
  const task = await taskOf(turno, first);
  await page.goto(`/backoffice/tareas/${task.id}?operator=ana`);
  await page.locator("#v-invoice_number").waitFor();
  const typed = {
    invoice_number: "Z/0412-B",
    total_amount: "121,00",
    vendor_name: "Ferralla Umbría",
    // It writes the month first: only a person knows.
    date: "2026-03-04",
  };
  for (const [field, value] of Object.entries(typed)) await page.locator(`#v-${field}`).fill(value);
  await shot("corrected");
  await page.keyboard.press("Control+Enter");
  await ended(turno, first);

  const second = await deliver(turno, "dos.txt", paper("Z/0978-C", "05/06/2026", "300,00", "63,00", "363,00"));
  await ended(turno, second);
  const read = await fieldsOf(turno, second);
  assert.equal(read.origin, "AUTO", "nobody was asked");
  assert.deepEqual(read.extracted_data, {
    invoice_number: "Z/0978-C",
    total_amount: 363,
    vendor_name: "Ferralla Umbría",
    date: "2026-05-06",
  });

  await page.goto("/docproc/calidad");
  const vendors = page.locator("#vendors");
  const line = vendors.locator("tbody tr");
  assert.equal(await line.count(), 1);
  assert.match(await line.innerText(), /Ferralla Umbría/);
  assert.deepEqual(await violations(page), []);
  await vendors.scrollIntoViewIfNeeded();
  await shot("remembered");
  const [known] = (await turno.api("GET", "/api/docproc/memory")).items;
  assert.deepEqual([known.documents, known.version, known.uses], [1, 1, 1]);
  assert.equal(known.day_order, "month_first");

  await line.getByRole("button").click();
  await page.locator("dialog button[type=submit]").click();
  await eventually(async () => (await page.locator("#vendors tbody tr").count()) === 0, "forgotten");
  const third = await deliver(turno, "tres.txt", paper("Z/1111-D", "07/08/2026", "200,00", "42,00", "242,00"));
  await taskOf(turno, third);
  const audit = await turno.api("GET", "/api/audit?app=docproc&limit=50");
  const entries = audit.items ?? audit;
  assert.ok(entries.some((one) => one.action === "vendor.forget"), "it is in the audit");
});

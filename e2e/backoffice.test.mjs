// The back office by keyboard alone: an operator's morning, a network that fails, a colleague.

import assert from "node:assert/strict";

import { deliver, officeThatDoubts } from "./desk.mjs";
import { journey, violations } from "./lib.mjs";
import { eventually, open, says } from "./shop.mjs";

/** Never sure of anything: every page and every document goes to people. */
const PLACE = officeThatDoubts({ types: "1.0", fields: "1.0" });

const invoice = (n) => `FACTURA
Número de factura: F-2026-00${n}
Fecha: 12/03/2026
Proveedor: Papelera del Sur S.L.
CIF: B12345674
Base imponible: 100,00
IVA 21%: 21,00
Total factura: 121,00 EUR
`;

const pending = (turno) => turno.api("GET", "/api/tasks?status=pending");
const station = (page) => page.locator("#station");

/** Waits for a task other than the one before; answers its id and kind. */
async function onDesk(page, before) {
  return eventually(
    async () => {
      const { task, kind } = await station(page).evaluate((root) => ({ ...root.dataset }));
      return task && task !== before && { task, kind };
    },
    "another task on the desk",
    20_000,
  );
}

/** Answers the task on the desk with keys only. */
async function answer(page, kind, turno) {
  if (kind === "classification") {
    const words = await page.locator("[name=doc_type]").evaluateAll((all) => all.map((one) => one.value));
    await page.keyboard.press(String(words.indexOf("invoice") + 1));
  } else {
    const flagged = await page.locator("[data-flagged]").count();
    for (let n = 0; n < flagged; n += 1) {
      const empty = await page.evaluate(
        () => document.activeElement.required !== undefined && document.activeElement.value === "",
      );
      // What the paper does not say is said not to be there.
      if (empty) await page.keyboard.press("Alt+n");
      else await page.keyboard.press("Enter");
    }
  }
  await page.keyboard.press("Control+Enter");
}

journey("ten tasks by keyboard, and the network drops", PLACE, async (all) => {
  const { turno, page, context, complaints, shot } = all;
  complaints.allow(/ERR_INTERNET_DISCONNECTED|Failed to load resource/);
  const ids = [];
  for (let n = 1; n <= 5; n += 1) ids.push(await deliver(turno, `factura-${n}.txt`, invoice(40 + n)));
  await eventually(async () => (await pending(turno)).length === 5, "five pages to classify", 30_000);

  await open(page, "/backoffice?operator=ana");
  await says(page.locator("#backoffice"), "Clasificar página 1");
  assert.deepEqual(await violations(page), []);
  await shot("front");
  await page.keyboard.press("Enter");

  const times = [];
  let before = null;
  for (let done = 0; done < 10; done += 1) {
    const { task, kind } = await onDesk(page, before);
    if (done === 0) assert.deepEqual(await violations(page), []);
    if (kind === "extraction" && !all.seen) {
      all.seen = true;
      await shot("fields");
      assert.deepEqual(await violations(page), []);
    }
    before = task;
    const ready = done < 4 && (await eventually(
      () => station(page).evaluate((root) => Boolean(root.dataset.next)),
      "the next task, fetched beforehand",
    ));
    if (done === 3) await context.setOffline(true);
    await answer(page, kind, turno);
    if (done === 3) {
      // The answer waits here, and the next task is on the desk all the same.
      const { task: next } = await onDesk(page, before);
      await says(page.locator("#unsent"), "1 por enviar");
      await shot("offline");
      await page.keyboard.press("1");
      await page.reload().catch(() => {});
      await context.setOffline(false);
      await page.goto(`/backoffice/tareas/${next}?operator=ana`);
      await eventually(() => page.locator("#unsent").isHidden(), "the answer is sent");
      before = null;
      continue;
    }
    if (ready && done > 0) {
      await onDesk(page, before);
      times.push(Number(await station(page).evaluate((root) => root.dataset.whole)));
    }
  }
  await says(page.locator("#title"), "Nada espera");
  for (const id of ids) {
    await eventually(
      async () => (await turno.api("GET", `/status/${id}`)).status === "completed",
      "every request is completed",
    );
    const detail = await turno.api("GET", `/api/docproc/requests/${id}`);
    assert.equal(detail.pages[0].origin, "BACKOFFICE");
    assert.equal(detail.documents[0].origin, "BACKOFFICE");
  }
  const learnt = await turno.api("GET", "/api/docproc/corrections");
  assert.equal(learnt.items.length, 10, "each answer once");
  assert.ok(Math.min(...times) < 100, `a task follows another in ${times} ms`);
});

journey("two people, one task", PLACE, async ({ turno, page, context, complaints, shot }) => {
  complaints.allow(/409|403/);
  await deliver(turno, "una.txt", invoice(51));
  await eventually(async () => (await pending(turno)).length === 1, "a page to classify", 30_000);
  const [{ id }] = await pending(turno);
  await page.goto(`/backoffice/tareas/${id}?operator=ana`);
  await onDesk(page, null);
  const other = await context.newPage();
  await other.goto(`/backoffice/tareas/${id}?operator=luis`);
  await says(other.locator("#conflict"), "La tarea la tiene ana");
  await shot("taken");
  // Ana gives it back, and it does not come back to her; Luis takes it.
  await page.keyboard.press("F10");
  await says(page.locator("#title"), "Nada espera");
  await turno.api("POST", "/api/docproc/desk/next", { operator: "ana", but: [] }).then((next) =>
    assert.ok(!next, "what she gave back is for the others"),
  );
  await other.locator("[data-do=retake]").click();
  await eventually(async () => {
    const task = await turno.api("GET", `/tasks/${id}`, undefined, { headers: { accept: "application/json" } });
    return task.assigned_to === "luis";
  }, "luis has it");
  await other.close();
});

journey("operators are added and changed", PLACE, async ({ turno, page, shot }) => {
  await open(page, "/docproc/operadores");
  await says(page.locator("#operators"), "Todavía no hay operadores");
  await page.locator("[data-add]").click();
  await page.locator("#f-username").fill("marta");
  await page.locator("#f-display_name").fill("Marta Gil");
  await page.locator("[data-more]").click();
  await page.locator("dialog button[type=submit]").click();
  await says(page.locator("#operators"), "Marta Gil");
  await says(page.locator("#operators"), "lu ma mi ju vi 09:00–17:00");
  assert.deepEqual(await violations(page), []);
  await shot("list");
  const [one] = (await turno.api("GET", "/api/docproc/operators")).items;
  assert.deepEqual(one.skills, ["classification", "extraction"]);
});

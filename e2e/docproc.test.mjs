// Documents through the screens: sent, followed, looked at, found again, stopped.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

import { journey, violations } from "./lib.mjs";
import { answer, closed, eventually, open, says } from "./shop.mjs";

const PLACE = { clock: "system", args: ["--apps", "docproc"] };
const SETTLED = 30_000;

const INVOICE = `FACTURA
Número de factura: F-2026-0042
Fecha: 12/03/2026
Proveedor: Papelera del Sur S.L.
CIF: B12345674
Base imponible: 100,00
IVA 21%: 21,00
Total factura: 121,00 EUR
`;
const SECOND = INVOICE.replace("F-2026-0042", "F-2026-0043").replaceAll("100,00", "200,00");

/** A file in the journey's own directory: what a person has on a disk. */
function paper(turno, name, ...pages) {
  const file = path.join(turno.dir, name);
  fs.writeFileSync(file, pages.join("\f"));
  return file;
}

async function deliver(turno, name, text, fields = {}) {
  const body = new FormData();
  body.set("file", new Blob([text], { type: "text/plain" }), name);
  for (const [key, value] of Object.entries(fields)) body.set(key, value);
  const sent = await fetch(`${turno.url}/process`, { method: "POST", body });
  assert.equal(sent.status, 200, await sent.clone().text());
  return (await sent.json()).request_id;
}

const detail = (turno, id) => turno.api("GET", `/api/docproc/requests/${id}`);

/** Waits until a request has documents whose fields were looked for. */
const extracted = (turno, id) =>
  eventually(
    async () => {
      const found = await detail(turno, id);
      return found.documents.some(({ fields }) => fields.length > 0) && found;
    },
    "documents with fields",
    SETTLED,
  );

journey("sent by the page, followed, and looked at", PLACE, async ({ turno, page, shot }) => {
  await open(page, "/docproc/subir");
  await page.locator("#workflow").selectOption("facturas");
  await says(page.locator("#workflow-hint"), "Invoices only");
  await page.locator("#files").setInputFiles([paper(turno, "factura.txt", INVOICE, SECOND)]);
  await says(page.locator("#chosen"), "1 archivo");
  await page.locator("summary", { hasText: "Referencia" }).click();
  await page.locator("#external_id").fill("PED-1881");
  await page.locator("[name=meta-key]").fill("proveedor");
  await page.locator("[name=meta-value]").fill("Sur");
  await page.locator("#send").click();
  const row = page.locator("#sent > li").first();
  await says(row, "2 páginas");
  await shot("sent");
  await row.locator("a").first().click();

  await says(page.locator(".head"), "PED-1881");
  await says(page.locator(".head"), "proveedor");
  await page.locator(".paper").first().waitFor({ timeout: SETTLED });
  const number = page.locator(".datum", { hasText: "F-2026-0042" }).first();
  await number.waitFor({ timeout: SETTLED });
  const key = await number.locator("[data-datum]").getAttribute("data-datum");
  const box = page.locator(`#marks [data-box="${key}"]`).first();
  await number.locator("[data-datum]").hover();
  await page.locator(`#marks .lit[data-box="${key}"]`).first().waitFor();
  const [seen, sheet] = [await box.boundingBox(), await page.locator("#picture").boundingBox()];
  assert.ok(seen.width > 5 && seen.height > 2, "the evidence has a size");
  assert.ok(seen.x >= sheet.x && seen.x + seen.width <= sheet.x + sheet.width, "on the page");
  await shot("evidence");

  // A box leads to its field, and a field of another page turns the page.
  await box.click();
  await page.locator(`[data-datum="${key}"][aria-pressed=true]`).waitFor();
  await page.locator(".datum", { hasText: "F-2026-0043" }).first().locator("button").click();
  await page.locator("#viewer[data-page='1']").waitFor();
  await page.locator("#marks .lit").first().waitFor();
  assert.match(page.url(), /pagina=2/);
});

journey("a page that is not there says so", PLACE, async ({ page, complaints }) => {
  complaints.allow(/404/);
  await page.goto("/docproc/solicitudes/00000000-0000-7000-8000-000000000000");
  await says(page.locator("main"), "No existe esa solicitud");
  await page.goto("/docproc");
  await says(page.locator("main"), "Todavía no hay documentos");
  await says(page.locator("pre"), `curl -F file=@factura.pdf ${new URL(page.url()).host}/process`);
});

journey("the list is narrowed by its address", PLACE, async ({ turno, page, shot }) => {
  const first = await deliver(turno, "marzo.txt", INVOICE, { workflow: "facturas" });
  await deliver(turno, "abril.txt", SECOND, { workflow: "default", external_id: "A-1" });
  await open(page, "/docproc/solicitudes");
  const rows = page.locator("#requests tbody tr");
  await eventually(async () => (await rows.count()) === 2, "two rows");
  await page.locator("#workflow").selectOption("facturas");
  await page.locator("form.filters button").click();
  await eventually(async () => (await rows.count()) === 1, "one row");
  assert.match(page.url(), /workflow=facturas/);
  await says(rows, "marzo.txt");
  await page.goto("/docproc/solicitudes?q=A-1");
  await says(rows, "abril.txt");
  assert.equal(await rows.count(), 1);
  await page.goto("/docproc/solicitudes?desde=2020-01-01&hasta=2020-01-02");
  await says(page.locator("#requests"), "Ninguna solicitud coincide");

  // What arrives while one looks shows by itself; j and Enter open it.
  await open(page, "/docproc/solicitudes");
  await deliver(turno, "mayo.txt", INVOICE.replace("0042", "0099"));
  await says(rows, "mayo.txt");
  await shot("list");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await says(page.locator(".head h2"), "mayo.txt");
  await extracted(turno, first);
});

journey("cancelled with a reason, then done again", PLACE, async ({ turno, page, shot }) => {
  const id = await deliver(turno, "carta.txt", "Querida Ana: llegamos el martes.\n");
  await open(page, `/docproc/solicitudes/${id}`);
  await says(page.locator("#why"), "espera a una persona");
  await says(page.locator(".flow-people.warn"), "Personas: 1");
  await shot("waits");
  await page.locator("[data-do=cancel]").click();
  await answer(page, { reason: "No es nuestra" });
  await closed(page);
  await says(page.locator(".head .badge"), "Cancelada");
  await says(page.locator("#why"), "No es nuestra");
  assert.equal((await detail(turno, id)).status, "cancelled");
  assert.equal(await page.locator("[data-do=cancel]").count(), 0);

  await page.locator("[data-do=reprocess]").click();
  await answer(page, { from: "classify" });
  await closed(page);
  await page.locator("[data-do=cancel]").waitFor();
});

journey("a refusal keeps the files", PLACE, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/4\d\d/);
  await open(page, "/docproc/subir");
  await page.locator("#files").setInputFiles([paper(turno, "vacío.pdf", "")]);
  await page.locator("#send").click();
  const row = page.locator("#sent > li").first();
  await says(row, "No enviado");
  await row.locator(".refusal p").waitFor();
  await shot("refused");
  await row.locator("[data-again]").click();
  await says(row, "No enviado");
  await row.locator("[data-forget]").click();
  await says(page.locator("#sent-none"), "Nada enviado");
});

journey("by keyboard alone", PLACE, async ({ turno, page }) => {
  const id = await deliver(turno, "dos.txt", [INVOICE, SECOND].join("\f"), {
    workflow: "facturas",
  });
  await extracted(turno, id);
  await open(page, "/docproc");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL("**/docproc/solicitudes");
  await page.locator("#live[data-state=live]").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator("#request").waitFor();
  await page.locator("#live[data-state=live]").waitFor();
  await page.keyboard.press("j");
  await page.locator("[data-datum][aria-pressed=true]:focus").waitFor();
  await page.keyboard.press("n");
  await page.locator("#viewer[data-page='1']").waitFor();
  await page.keyboard.press("p");
  await page.locator("#viewer[data-page='0']").waitFor();
  await page.keyboard.press("+");
  await page.locator("#sheet.zoom-2").waitFor();
});

journey("thresholds by keyboard, a load by its form", PLACE, async ({ turno, page }) => {
  await page.goto("/docproc/calidad");
  await says(page.locator("main"), "Todavía no hay nada que contar");
  const id = await deliver(turno, "una.txt", INVOICE, { workflow: "facturas" });
  await extracted(turno, id);
  await page.goto("/docproc/calidad");
  const slider = page.locator("#at-extraction");
  await slider.focus();
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowRight");
  await says(page.locator("#sim-extraction output"), "0,78");
  await page.waitForURL("**extraction=0.78*");
  // The slider is still in hand on the page that came.
  await page.locator("#at-extraction:focus").waitFor();
  await page.goto("/docproc/capacidad");
  await page.locator("#requests_per_hour").fill("1200");
  await page.locator("#pages").fill("5");
  await page.locator("#page_seconds").fill("3");
  await page.keyboard.press("Enter");
  await says(page.locator("main"), "Lo que hay no");
  await says(page.locator("tr", { hasText: "Lectura" }), "8");
});

for (const [locale, theme, word] of [
  ["es-AR", "light", "Etapas"],
  ["en-GB", "dark", "Stages"],
]) {
  const looks = { ...PLACE, locale, colorScheme: theme };
  journey(`every screen, ${locale}, ${theme}`, looks, async ({ turno, page, shot }) => {
    const id = await deliver(turno, "dos.txt", [INVOICE, SECOND].join("\f"), {
      workflow: "facturas",
      metadata: JSON.stringify({ centro: "Norte" }),
    });
    await deliver(turno, "carta.txt", "Querida Ana: llegamos el martes.\n");
    await extracted(turno, id);
    const found = [];
    for (const where of [
      "/docproc",
      "/docproc/subir",
      "/docproc/solicitudes",
      `/docproc/solicitudes/${id}`,
    ]) {
      await open(page, where);
      await shot(where.slice(0, 24));
      found.push(...(await violations(page)).map((one) => `${where}: ${one}`));
    }
    await says(page.locator("main"), word);
    const load = "requests_per_hour=36000&pages=5&max_seconds=30&page_seconds=1.5";
    for (const where of ["/docproc/calidad", `/docproc/capacidad?${load}`]) {
      await page.goto(where);
      await shot(where.slice(0, 20));
      found.push(...(await violations(page)).map((one) => `${where}: ${one}`));
    }
    assert.deepEqual(found, []);
  });
}

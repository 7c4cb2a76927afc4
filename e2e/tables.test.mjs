// Lists: ordered, narrowed, walked, chosen from, taken away as CSV, and never wider than the screen.

import assert from "node:assert/strict";
import fs from "node:fs";

import { journey, violations } from "./lib.mjs";
import { choose, closed, eventually, fillMenu, open, order, orders, says } from "./shop.mjs";

const FLEET = {
  now: "2026-03-02T14:00:00Z",
  args: ["--apps", "coordinador"],
  env: { TZ: "UTC", TURNO_TIMEZONE: "America/Argentina/Buenos_Aires" },
};
const OLTS = "/api/coordinador/olts";

const addOlt = (turno, n) =>
  turno.api("POST", OLTS, {
    abreviatura: `SMP-${n}`,
    marca: n % 2 ? "Huawei" : "ZTE",
    ip_address: `192.0.2.${n}`,
    comunidad: "secreta",
  });
const names = (page) => page.locator("tbody th a").allTextContents();
const wide = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - globalThis.innerWidth);
const cut = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".scroll-x")]
      .filter((box) => box.scrollWidth > box.clientWidth + 1)
      .map((box) => box.getAttribute("aria-label")),
  );

journey("a list is ordered, shared, chosen from and saved", FLEET, async (stage) => {
  const { turno, page, shot } = stage;
  for (const n of [10, 2, 33]) await addOlt(turno, n);
  await page.goto("/coordinador/olts");
  const head = page.getByRole("columnheader", { name: "OLT" });
  await head.click();
  assert.deepEqual(await names(page), ["SMP-2", "SMP-10", "SMP-33"], "as people count");
  await head.focus();
  await page.keyboard.press("Enter");
  assert.deepEqual(await names(page), ["SMP-33", "SMP-10", "SMP-2"]);
  await page.reload();
  await says(page.locator("tbody tr").first(), "SMP-33");
  await page.locator("#q").fill("smp");
  await page.getByRole("button", { name: "Filtrar" }).click();
  await page.waitForURL(/q=smp/);
  assert.deepEqual(await names(page), ["SMP-33", "SMP-10", "SMP-2"], "a filter keeps the order");

  // Rows by keyboard: down twice, choose, open.
  await page.locator("h1").click();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await says(page.locator("[data-bulk] b"), "1 elegida");
  await page.locator("[data-pick-all]").check();
  await says(page.locator("[data-bulk] b"), "3 elegidas");
  assert.ok(await page.getByRole("button", { name: /^Habilitar/ }).isDisabled());
  await shot("chosen");

  // One of three is refused: the others are made, and it is named with the reason.
  stage.complaints.allow(/409/);
  const refusal = { code: "OCUPADA", title: "Ocupada", detail: "Otra persona la cambia." };
  await page.route(`**${OLTS}/2`, (route) => route.fulfill({ status: 409, json: refusal }));
  await page.locator("[data-bulk]").getByRole("button", { name: /^Deshabilitar/ }).click();
  const dialog = page.locator("dialog[open]");
  await says(dialog, "SMP-33, SMP-10, SMP-2");
  await dialog.locator("[type=submit]").click();
  await says(page.locator("dialog.bulk-answer"), "2 de 3");
  await says(page.locator("dialog.bulk-answer li"), "SMP-2: Otra persona la cambia.");
  await page.keyboard.press("Escape");
  await closed(page);
  await says(page.locator("tbody tr", { hasText: "SMP-33" }), "eshabilitada");
  const { items } = await turno.api("GET", "/api/audit?app=coordinador&limit=50");
  const made = items.filter((one) => one.action.startsWith("olt.") && one.action !== "olt.crear");
  assert.equal(made.length, 2, "one record for each");

  const download = page.waitForEvent("download");
  await page.locator("[data-csv]").first().click();
  const sheet = fs.readFileSync(await (await download).path(), "utf8").split("\r\n");
  assert.match(sheet[0], /^\uFEFF?"OLT","Salud"/);
  assert.equal(sheet.filter((line) => line.includes("SMP-")).length, 3, "what is shown");
});

for (const [locale, scheme] of [
  ["es-AR", "light"],
  ["en-GB", "dark"],
]) {
  const place = { ...FLEET, locale, colorScheme: scheme, viewport: { width: 390, height: 844 } };
  journey(`a list on a phone, ${locale}`, place, async ({ turno, page, shot }) => {
    for (const n of [1, 2]) await addOlt(turno, n);
    for (const where of ["/coordinador/olts", "/coordinador/nodos", "/eventos", "/auditoria"]) {
      await page.goto(where);
      assert.equal(await wide(page), 0, `${where}: nothing is wider than the phone`);
      assert.deepEqual(await cut(page), [], where);
    }
    await page.goto("/coordinador/olts");
    await shot("cards");
    assert.deepEqual(await violations(page), []);
  });
}

const PHONE = { ...FLEET, viewport: { width: 390, height: 844 } };

journey("a long list on a phone is folded, and its cards keep their headings", PHONE, async ({ turno, page }) => {
  for (let n = 1; n <= 14; n += 1) await addOlt(turno, n);
  await open(page, "/coordinador/olts");
  const shown = () => page.locator("tbody tr:visible").count();
  const more = page.getByRole("button", { name: "Mostrar 4 más" });
  await more.waitFor();
  assert.equal(await shown(), 10);
  await more.click();
  assert.equal(await shown(), 14);
  assert.equal(await page.locator("[data-unfold]").count(), 0);

  // A page that renews itself keeps what only stands in the browser.
  await open(page, "/sistema");
  const bare = () => page.locator("tbody td:not([data-label])").count();
  await eventually(async () => (await bare()) === 0, "cards with headings");
  for (let n = 20; n < 23; n += 1) {
    await addOlt(turno, n);
    await turno.advance(60);
  }
  await page.waitForTimeout(1_500);
  assert.equal(await bare(), 0, "headings after a change");
});

journey("on a phone a card's button stands beside its heading", { viewport: { width: 390, height: 844 } }, async ({ turno, page }) => {
  await turno.api("POST", "/api/sam/robots", { robot: "P1_Conciliacion_Bancaria_De_La_Noche" });
  await open(page, "/sam/robots");
  const row = page.locator("tbody tr").first();
  const parts = [row.locator("th a"), row.locator("button.square"), row.locator("[data-pick]")];
  const [head, edit, pick] = await Promise.all(parts.map((one) => one.boundingBox()));
  assert.ok(edit.y < head.y + head.height, `the button is below its heading: ${edit.y}`);
  assert.ok(head.x + head.width <= edit.x + 8, `the heading reaches ${head.x + head.width}, the button begins at ${edit.x}`);
  assert.ok(edit.x + edit.width <= pick.x + 8, `the button reaches ${edit.x + edit.width}, the box begins at ${pick.x}`);
});

journey("the panel is no wider than a phone", { viewport: { width: 390, height: 844 } }, async (stage) => {
  const { turno, page } = stage;
  await order(turno);
  await open(page, "/pedidos-panel");
  assert.equal(await wide(page), 0);
});

journey("removing an OLT leads away without a trace of errors", FLEET, async ({ turno, page }) => {
  await addOlt(turno, 7);
  await open(page, "/coordinador/olts/1");
  await page.getByRole("button", { name: "Borrar" }).first().click();
  await page.locator("dialog[open] [type=submit]").click();
  await page.waitForURL("**/coordinador/olts");
  await says(page.locator("main"), "Todavía no hay OLT");
});

journey("a button that cannot do anything says why", FLEET, async ({ page }) => {
  await open(page, "/coordinador/plan");
  const button = page.getByRole("button", { name: "Redistribuir ahora" });
  assert.ok(await button.isDisabled());
  await says(page.locator("#spread-already"), "nadie cambiaría de minuto");
});

journey("a key without an order says so", {}, async ({ turno, page }) => {
  await open(page, "/mostrador");
  for (const key of ["w", "c", "x"]) {
    await page.keyboard.press(key);
    await says(page.locator(".toast"), "Primero hay que elegir un pedido");
    await page.locator(".toast button").first().click();
  }
  await order(turno);
  await page.locator("#counter [data-key=o1]").waitFor();
  await choose(page, 1);
  await page.keyboard.press("w");
  await says(page.locator("#why"), "Pedido #1");
});

for (const [locale, words] of [
  ["es-AR", { act: "Nuevo pedido", kind: "Pedido", none: "Nada con esas palabras", typed: "nuevo ped" }],
  ["en-GB", { act: "New order", kind: "Order", none: "Nothing by those words", typed: "new ord" }],
])
  journey(`Ctrl K finds things and acts, ${locale}`, { locale }, async (stage) => {
    const { turno, page, complaints, shot } = stage;
    await fillMenu(turno);
    await orders(turno, 2, { cliente_nombre: "Ángela Ruiz", cliente_telefono: "1155550000" });
    await turno.api("POST", "/api/sam/robots", { robot: "P7_Facturas" });
    await turno.api("POST", OLTS, { abreviatura: "SMP-99", marca: "ZTE", ip_address: "192.0.2.99", comunidad: "x" });
    await page.goto("/sistema");
    const box = page.locator("dialog.palette");
    const look = async (text) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(text);
    };
    for (const [typed, found] of [
      ["ángela", "#2 Ángela Ruiz"],
      ["facturas", "P7_Facturas"],
      ["smp-99", "SMP-99"],
      ["MAX_PEDIDOS", "MAX_PEDIDOS_EN_PREPARACION"],
    ]) {
      await look(typed);
      await says(box.locator("li"), found);
      if (typed === "facturas") await shot("found");
      await page.keyboard.press("Escape");
      await closed(page);
    }
    await look("#1");
    await says(box.locator("[aria-selected=true]"), words.kind);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/mostrador?pedido=1");
    await says(page.locator("#why"), "#1");

    await look(words.typed);
    await says(box.locator("[aria-selected=true]"), words.act);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/mostrador?nuevo=1");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");

    await page.goto("/sistema");
    await look("zzzz-nada");
    await says(box, words.none);
    await page.keyboard.press("Escape");
    await closed(page);
    complaints.allow(/search|Failed to load/);
    await page.route("**/api/search**", (route) => route.abort());
    await look("algo");
    await says(box.locator(".palette-note"), locale === "es-AR" ? "No se pudo buscar" : "Could not search");
  });

// A shop's evening at the counter and in the kitchen, by keyboard, in real windows.

import assert from "node:assert/strict";

import { journey } from "./lib.mjs";
import {
  after,
  answer,
  card,
  choose,
  closed,
  fillMenu,
  move,
  open,
  openAnother,
  order,
  orders,
  says,
  ticket,
} from "./shop.mjs";

const WITHIN_MS = 1_000;
const gone = (locator) => locator.waitFor({ state: "detached" });
const capacity = (page) => page.locator("#capacity b");

journey("an order travels between two windows", { clock: "system" }, async (stage) => {
  const { turno, page: counter, shot } = stage;
  await fillMenu(turno);
  await open(counter, "/mostrador");
  const kitchen = await openAnother(counter, "/cocina");

  await counter.keyboard.press("F1");
  await counter.locator(".tile").first().waitFor();
  await counter.keyboard.type("hambur");
  await counter.keyboard.press("Enter");
  await says(counter.locator(".cart"), "Hamburguesa clásica");
  await counter.keyboard.type("papas");
  await counter.keyboard.press("Enter");
  await says(counter.locator(".quote"), "10 min");
  await shot("form");
  const sent = Date.now();
  await counter.keyboard.press("Control+Enter");
  await Promise.all([card(counter, 1, "EN_PREPARACION").waitFor(), ticket(kitchen, 1).waitFor()]);
  const took = Date.now() - sent;
  assert.ok(took < WITHIN_MS, `the order took ${took} ms to both windows`);

  await kitchen.keyboard.press("1");
  await kitchen.keyboard.press("Shift+Digit1");
  await says(ticket(kitchen, 1).locator("li.done"), "Hamburguesa clásica");
  await kitchen.keyboard.press("Shift+Digit1");
  await gone(ticket(kitchen, 1).locator("li.done"));

  await kitchen.keyboard.press("Enter");
  await gone(ticket(kitchen, 1));
  await card(counter, 1, "LISTO").waitFor();
  await kitchen.keyboard.press("r");
  await ticket(kitchen, 1).waitFor();
  await card(counter, 1, "EN_PREPARACION").waitFor();

  // The last item finishes the ticket.
  await kitchen.keyboard.press("Shift+Digit1");
  await ticket(kitchen, 1).locator("li.done").waitFor();
  await kitchen.keyboard.press("Shift+Digit2");
  await gone(ticket(kitchen, 1));
  await card(counter, 1, "LISTO").waitFor();
});

journey("a full kitchen says why an order waits", {}, async ({ turno, page, shot }) => {
  await orders(turno, 8);
  await open(page, "/mostrador");
  await says(capacity(page), "8/8");
  await order(turno, { cliente_nombre: "Zulema" });
  await card(page, 9, "RECIBIDO").waitFor();
  await choose(page, 9);
  await page.keyboard.press("w");
  const why = page.locator("#why");
  await says(why.locator(".reasons"), "La cocina está llena (8/8); es el 1.º de la fila.");
  await why.locator(".reasons [data-code=COCINA_LLENA]").waitFor();
  await shot("why");
  await page.keyboard.press("Escape");
  await why.waitFor({ state: "hidden" });

  await card(page, 1, "EN_PREPARACION").locator("[data-do=ready]").click();
  await card(page, 1, "LISTO").waitFor();
  await card(page, 9, "EN_PREPARACION").waitFor();
  await says(capacity(page), "8/8");
});

journey("hold, release, change the time, cancel", {}, async ({ turno, page }) => {
  await turno.api("PUT", "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", { valor: 1 });
  await orders(turno, 3);
  await open(page, "/mostrador");
  await choose(page, 2);
  await page.keyboard.press("r");
  await says(card(page, 2, "RECIBIDO"), "Retenido");

  // The place goes to the one behind: a held order does not take it.
  await card(page, 1).locator("[data-do=ready]").click();
  await card(page, 3, "EN_PREPARACION").waitFor();
  await choose(page, 2);
  await page.keyboard.press("r");
  await gone(card(page, 2).filter({ hasText: "Retenido" }));

  await page.keyboard.press("t");
  await answer(page, { cuando: "hora", horario_entrega: "21:30" });
  await closed(page);
  await says(page.locator(".chip[data-id='2']"), "21:30");
  await card(page, 3).locator("[data-do=ready]").click();
  await turno.advance(2 * 3600 + 20 * 60);
  await card(page, 2, "EN_PREPARACION").waitFor();

  await choose(page, 2);
  await page.keyboard.press("x");
  await page.locator("dialog[open] [type=submit]").click();
  assert.ok(await page.locator("dialog[open]").isVisible(), "a reason is needed");
  await answer(page, { motivo: "Se arrepintió" });
  await gone(card(page, 2));
  const cancelled = await turno.api("GET", "/pedidos/2");
  assert.equal(cancelled.estado, "CANCELADO");
  await says(capacity(page), "0/1");
});

journey("charge and hand over", {}, async ({ turno, page }) => {
  await order(turno, { cliente_nombre: "Elsa" });
  await open(page, "/mostrador");
  await choose(page, 1);
  await page.keyboard.press("Enter");
  const ready = card(page, 1, "LISTO");
  await says(ready, "Debe");
  await page.keyboard.press("c");
  await answer(page, { medio_pago: "DEBITO" });
  await says(ready, "Pagado");
  await choose(page, 1);
  await page.keyboard.press("Enter");
  await gone(card(page, 1));
  const { estado, estado_pago: paid, medio_pago: method } = await turno.api("GET", "/pedidos/1");
  assert.deepEqual([estado, paid, method], ["ENTREGADO", "PAGADO", "DEBITO"]);
});

journey("forcing past the limit needs a reason and shows 9/8", {}, async (stage) => {
  const { turno, page, complaints, shot } = stage;
  complaints.allow(/409/);
  await orders(turno, 9);
  await open(page, "/mostrador");
  await choose(page, 9);
  await page.keyboard.press("Enter");
  const dialog = page.locator("dialog[open]");
  await says(dialog, "La cocina está llena (8/8).");
  await dialog.locator("[type=submit]").click();
  assert.ok(await dialog.isVisible(), "without a reason nothing is forced");
  await answer(page, { motivo: "La clienta espera en el local" });
  await closed(page);
  await card(page, 9, "EN_PREPARACION").waitFor();
  await says(capacity(page), "9/8");
  await says(page.locator("#capacity"), "1 de más");
  await shot("over");
  const audit = await turno.api("GET", "/api/audit");
  const kept = audit.items.find(({ reason }) => reason === "La clienta espera en el local");
  assert.equal(kept?.actor, "local");
});

journey("a pause is seen on every screen", {}, async ({ turno, page, shot }) => {
  await open(page, "/mostrador");
  const kitchen = await openAnother(page, "/cocina");
  await page.locator("#pause-button").click();
  await answer(page, { minutos: "30", motivo: "Se cortó el gas" });
  const notice = "Entrada automática en pausa hasta las 19:30: Se cortó el gas";
  for (const screen of [page, kitchen]) await says(screen.locator("#pause .notice"), notice);
  await order(turno);
  await card(page, 1, "RECIBIDO").waitFor();
  await shot("paused");
  await page.locator("[data-do=resume]").click();
  for (const screen of [page, kitchen]) await gone(screen.locator("#pause .notice"));
  await card(page, 1, "EN_PREPARACION").waitFor();
  await ticket(kitchen, 1).waitFor();

  await page.locator("#pause-button").click();
  await answer(page, { minutos: "10", motivo: "Limpieza" });
  await page.locator("#pause .notice").waitFor();
  await turno.advance(10 * 60);
  for (const screen of [page, kitchen]) await gone(screen.locator("#pause .notice"));
});

journey("the kitchen sees what was added and voided", {}, async ({ turno, page }) => {
  const menu = await fillMenu(turno);
  const line = (name) => ({ articulo_id: menu[name].id, cantidad: 1 });
  await order(turno, { articulos: [line("Hamburguesa clásica"), line("Papas con cheddar")] });
  await open(page, "/mostrador");
  const kitchen = await openAnother(page, "/cocina");
  await choose(page, 1);
  await page.keyboard.press("e");
  const form = page.locator("dialog.order-form");
  await form.locator(".tile").first().waitFor();
  await form.getByRole("button", { name: "Uno menos de Papas con cheddar" }).click();
  await page.keyboard.press("Escape");
  await closed(page);

  await page.keyboard.press("e");
  await form.getByRole("button", { name: "Uno menos de Papas con cheddar" }).click();
  await form.locator("[name=menu-search]").fill("flan");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await closed(page);

  const changed = ticket(kitchen, 1);
  await says(changed.locator("li.added"), "Flan casero");
  await says(changed.locator("li.voided"), "Papas con cheddar");
  await kitchen.keyboard.press("Enter");
  await says(kitchen.locator(".toast"), "Hay cambios sin ver");
  await kitchen.keyboard.press("v");
  await gone(changed.locator("li.voided"));
  await gone(changed.locator("li.added"));
  await kitchen.keyboard.press("Enter");
  await gone(changed);
});

journey("a time that is taken is promised to whoever insists", {}, async (stage) => {
  const { turno, page, complaints, shot } = stage;
  complaints.allow(/409/);
  await turno.api("PUT", "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", { valor: 1 });
  await fillMenu(turno);
  await order(turno, { horario_entrega: after(120) });
  await open(page, "/mostrador");
  await page.keyboard.press("F1");
  const form = page.locator("dialog.order-form");
  await form.locator(".tile").first().click();
  await form.locator("[name=when][value=hora]").check();
  const timeZone = await page.evaluate(() => document.documentElement.dataset.zone);
  const at = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
  await form.locator("[name=time]").fill(at.format(new Date(after(120))));
  await says(form.locator(".quote"), "10 min tarde");
  await page.keyboard.press("Control+Enter");
  await says(form.locator(".form-error"), "10 min tarde");
  await says(form.locator("[type=submit]"), "Prometer igual");
  await shot("insist");
  await page.keyboard.press("Control+Enter");
  await closed(page);
  await card(page, 2).waitFor();
});

const OUTAGE = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK/;

journey("the kitchen survives an outage", { clock: "system" }, async (stage) => {
  const { turno, page, complaints, shot } = stage;
  complaints.allow(OUTAGE);
  await orders(turno, 2);
  await open(page, "/cocina");
  await ticket(page, 2).waitFor();
  await page.evaluate(() => (globalThis.sameWindow = true));
  await turno.kill();
  await says(page.locator("#offline"), "Sin conexión.");
  assert.equal(await page.locator(".ticket").count(), 2);
  await shot("offline");

  await turno.restart();
  await order(turno, { observaciones: "Sin sal" });
  await ticket(page, 3).waitFor({ timeout: 20_000 });
  await gone(page.locator("#offline .notice"));
  assert.ok(await page.evaluate(() => globalThis.sameWindow), "the page was not loaded again");
  await page.keyboard.press("Enter");
  await gone(ticket(page, 1));
});

journey("an amber ticket says why", {}, async ({ turno, page, shot }) => {
  await order(turno, { articulos: [{ nombre: "Empanada", peso: 2, cantidad: 40, precio: 100 }] });
  await turno.advance(79 * 60);
  await order(turno);
  await turno.advance(4 * 60);
  await open(page, "/cocina");
  // More minutes left and amber, fewer and green: each says what it is about.
  await says(ticket(page, 1), "Apurar: usó el 83 % de sus 100 min");
  await says(ticket(page, 1).locator(".left"), "quedan");
  assert.equal(await ticket(page, 2).locator(".ticket-hurry").count(), 0);
  await shot("why");
});

journey("a refused form keeps what was typed", {}, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/40[09]|422/);
  const menu = await fillMenu(turno);
  await open(page, "/mostrador");
  await page.keyboard.press("F1");
  const form = page.locator("dialog.order-form");
  const error = (name) => form.locator(`[data-field=${name}] > .error`);
  await form.locator(".tile").first().waitFor();
  await form.locator("[name=cliente_nombre]").fill("Ofelia");
  await form.locator("[name=when][value=hora]").check();
  await page.keyboard.press("Control+Enter");
  await says(error("articulos"), "Agregar al menos un artículo");
  await says(error("horario_entrega"), "Falta la hora");

  // The menu may change while the form is open: the server refuses what it no longer sells.
  await form.locator("[name=when][value=ya]").check();
  await form.locator(".tile", { hasText: "Flan casero" }).click();
  await turno.api("DELETE", `/articulos/${menu["Flan casero"].id}`);
  await page.keyboard.press("Control+Enter");
  await says(error("articulos"), "no existe en el menú");
  assert.equal(await form.locator("[name=cliente_nombre]").inputValue(), "Ofelia");
  await says(form.locator(".cart"), "Flan casero");
  await shot("refused");

  await form.getByRole("button", { name: "Uno menos de Flan casero" }).click();
  await form.locator(".tile", { hasText: "Papas con cheddar" }).click();
  await page.keyboard.press("Escape");
  await closed(page);
  await page.keyboard.press("F1");
  await says(form.locator(".cart"), "Papas con cheddar");
  assert.equal(await form.locator("[name=cliente_nombre]").inputValue(), "Ofelia");
  await page.keyboard.press("Control+Enter");
  await says(card(page, 1, "EN_PREPARACION"), "Ofelia");
});

journey("the customers' screen shows numbers and no names", {}, async ({ turno, page }) => {
  await orders(turno, 2, { cliente_nombre: "Casimiro", cliente_telefono: "11 5555" });
  await open(page, "/pantalla");
  const numbers = (list) => page.locator(`${list} li:not(.none)`).allTextContents();
  await page.locator("#preparing li:text-is('2')").waitFor();
  assert.deepEqual(await numbers("#preparing"), ["1", "2"]);
  await move(turno, 1, "LISTO");
  await page.locator("#ready li:text-is('1')").waitFor();
  assert.deepEqual(await numbers("#preparing"), ["2"]);
  assert.doesNotMatch(await page.content(), /Casimiro|5555/);
});

journey("scheduled orders wait in the strip and enter in time", {}, async ({ turno, page }) => {
  await order(turno, { horario_entrega: after(60), cliente_nombre: "Rita" });
  await open(page, "/mostrador");
  const chip = page.locator(".chip[data-id='1']");
  await says(chip, "20:00");
  await says(chip, "entra 19:50");
  await turno.advance(50 * 60);
  await card(page, 1, "EN_PREPARACION").waitFor();
  await turno.advance(11 * 60);
  await says(card(page, 1), "Atrasado");
});

journey("the capacity of the week has rules", {}, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/409/);
  await open(page, "/pedidos-panel");
  const cell = (hour) =>
    page.locator("#week tbody tr", { hasText: "Viernes" }).locator("td").nth(hour);
  const rule = { dia_semana: "5", desde: "20:00", hasta: "23:00", capacidad: "14" };
  await says(cell(21), "8");
  await page.locator("[data-do=add-rule]").click();
  await answer(page, rule);
  await closed(page);
  await says(page.locator("#rule-list tbody"), "20:00 – 23:00");
  await says(cell(20), "14");
  await says(cell(23), "8");

  await page.locator("[data-do=add-rule]").click();
  await answer(page, { ...rule, desde: "22:00", hasta: "01:00", capacidad: "3" });
  const dialog = page.locator("dialog[open]");
  await says(dialog.locator(".form-error"), "Se solapa con la regla 1");
  assert.equal(await dialog.locator("[name=desde]").inputValue(), "22:00");
  await shot("overlap");
  await dialog.locator("[name=desde]").fill("23:00");
  await dialog.locator("[type=submit]").click();
  await closed(page);
  await says(cell(23), "3");
  assert.equal((await turno.api("GET", "/capacidad-horarios")).length, 2);

  await page
    .locator("#rule-list tr", { hasText: "23:00 – 01:00" })
    .locator("[data-do=drop-rule]")
    .click();
  await says(cell(23), "8");
  await page.locator(".toast .undo").click();
  await says(cell(23), "3");
});

journey("yesterday again, with another kitchen", {}, async ({ turno, page, shot }) => {
  await orders(turno, 12);
  await turno.advance(10 * 60);
  for (let id = 1; id <= 8; id += 1) await move(turno, id, "LISTO");
  await turno.advance(10 * 60);
  for (let id = 9; id <= 12; id += 1) await move(turno, id, "LISTO");
  await open(page, "/pedidos-panel");
  const form = page.locator("#simulation");
  const rows = page.locator("#simulation-result tbody tr");
  for (const places of ["2", "12"]) {
    await form.locator("[name=dia]").selectOption("2026-03-02");
    await form.locator("[name=capacidad]").fill(places);
    await form.locator("[type=submit]").click();
    await rows
      .first()
      .locator("td")
      .first()
      .filter({ hasText: new RegExp(`^${places}$`) })
      .waitFor();
  }
  const [wide, narrow] = await rows.all();
  await says(wide, "0 min");
  assert.doesNotMatch(await narrow.locator("td").nth(4).textContent(), /^\D*0 min$/);
  await shot("simulated");
});

journey("many orders scroll inside their columns", {}, async ({ turno, page }) => {
  await turno.api("PUT", "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", { valor: 15 });
  await orders(turno, 30);
  for (const [where, last] of [
    ["/mostrador", card(page, 30)],
    ["/cocina", ticket(page, 15)],
  ]) {
    await open(page, where);
    await last.waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    assert.ok(overflow <= 0, `${where} is ${overflow} px longer than the window`);
  }
});

const NIGHT = { locale: "en-GB", colorScheme: "dark" };
journey("the same evening in English and in the dark", NIGHT, async ({ turno, page, shot }) => {
  await fillMenu(turno);
  await turno.api("PUT", "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", { valor: 1 });
  await order(turno);
  await open(page, "/mostrador");
  const kitchen = await openAnother(page, "/cocina");
  await says(kitchen.locator("#count"), "ticket");
  await page.keyboard.press("F1");
  await page.locator(".tile").first().waitFor();
  await page.keyboard.type("flan");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await says(page.locator(".toast"), "Order #2 entered");
  await choose(page, 2);
  await page.keyboard.press("w");
  await says(page.locator("#why"), "The kitchen is full (1/1); it is number 1 in line.");
  await shot("why");
  await kitchen.keyboard.press("Enter");
  await says(kitchen.locator(".toast"), "#1 ready");
  await ticket(kitchen, 2).waitFor();
  await card(page, 2, "EN_PREPARACION").waitFor();
});

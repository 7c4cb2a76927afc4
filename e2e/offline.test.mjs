// Counter and kitchen without a network: what was seen stays readable, acts wait and are sent once, a
// refusal is told, a reload loses nothing; and the server itself dies and comes back.

import assert from "node:assert/strict";

import { journey, violations } from "./lib.mjs";
import { answer, card, choose, closed, eventually, fillMenu, open, orders, says, ticket } from "./shop.mjs";

const QUIET = /net::ERR_|Failed to (load resource|fetch)/;

/** Waits until the browser has kept the page for hard times. */
async function prepared(page, where) {
  await open(page, where);
  await eventually(
    () =>
      page.evaluate(async (where) => {
        const cache = await caches.open("turno");
        const there = async (url) => Boolean(await cache.match(url, { ignoreSearch: true }));
        const own = where === "/cocina" ? "kitchen" : "counter";
        return (
          navigator.serviceWorker.controller &&
          (await there(where)) &&
          (await there("/sin-conexion")) &&
          (await there(`/assets/pedidos/${own}.js`)) &&
          (await there("/assets/web/text.js"))
        );
      }, where),
    "the page is kept",
    15_000,
  );
}

const stateOf = async (turno, id) => (await turno.api("GET", `/pedidos/${id}`)).estado;
/** How often an order came into a state. */
const times = async (turno, id, state) =>
  (await turno.api("GET", `/pedidos/${id}/historia`)).filter(({ estado_nuevo }) => estado_nuevo === state).length;

journey("the counter without a network", {}, async ({ turno, page, context, complaints, shot }) => {
  complaints.allow(QUIET);
  complaints.allow(/409/);
  await fillMenu(turno);
  const [first, second] = await orders(turno, 2, { cliente_nombre: "Tomás", estado_pago: "PAGADO" });
  await prepared(page, "/mostrador");
  await card(page, first.id, "EN_PREPARACION").waitFor();
  // The menu, for orders that are taken meanwhile.
  await page.keyboard.press("F1");
  await page.locator(".tile").first().waitFor();
  await page.keyboard.press("Escape");
  await closed(page);

  await context.setOffline(true);
  await choose(page, first.id);
  await page.keyboard.press("Enter");
  await says(page.locator("#outbox"), `#${first.id}: Listo`);
  await says(card(page, first.id), "Por enviar: Listo");
  await choose(page, second.id);
  await page.keyboard.press("Enter");
  await says(page.locator("#outbox"), "2 por enviar");
  await eventually(async () => (await page.locator("#offline .notice").count()) === 1, "the sign", 20_000);
  await says(page.locator("#offline"), "Sin conexión. Se muestra lo de las 19:00.");
  assert.deepEqual(await violations(page), []);
  await shot("without");

  // Loaded again there is still the board, the sign, and what waits.
  await page.reload();
  await says(page.locator("#offline"), "Sin conexión.");
  await says(card(page, first.id, "EN_PREPARACION"), "Tomás");
  await says(page.locator("#outbox"), "2 por enviar");
  await page.keyboard.press("F1");
  await page.locator(".tile").first().click();
  await answer(page, {});
  await closed(page);
  await says(page.locator("#outbox"), "3 por enviar");
  await shot("after a reload");

  // Somebody else cancels the second order meanwhile: that one is refused, and told.
  await turno.api("POST", `/pedidos/${second.id}/cancelar`, { motivo: "se arrepintió" });
  await context.setOffline(false);
  await eventually(async () => (await page.locator("#outbox .notice.warn").count()) === 0, "all is sent", 20_000);
  assert.equal(await stateOf(turno, first.id), "LISTO");
  assert.equal(await times(turno, first.id, "LISTO"), 1);
  assert.equal(await stateOf(turno, second.id), "CANCELADO");
  const { pedidos } = await turno.api("GET", "/api/pedidos/tablero");
  assert.equal(pedidos.length, 2, "the new order is there once");
  await says(page.locator("#outbox .notice.bad"), `No se aceptó: #${second.id}: Listo.`);
  await eventually(async () => (await page.locator("#offline .notice").count()) === 0, "the sign is gone");
  await shot("back");
  await page.reload();
  await says(page.locator("#outbox .notice.bad"), `#${second.id}`);
  await page.locator("#outbox [data-told]").click();
  await eventually(async () => (await page.locator("#outbox .notice").count()) === 0, "it was read");
});

journey("the kitchen while the server is dead", {}, async ({ turno, page, complaints, shot }) => {
  complaints.allow(QUIET);
  await fillMenu(turno);
  const [first, second] = await orders(turno, 2, { articulos: [
    { nombre: "Hamburguesa", peso: 2, cantidad: 1, precio: 8900 },
    { nombre: "Papas", peso: 1, cantidad: 1, precio: 5200 },
  ] });
  await prepared(page, "/cocina");
  await ticket(page, first.id).waitFor();
  await turno.kill();

  // A line of one, the whole of the other.
  await ticket(page, first.id).locator("[data-do=line]").first().click();
  await ticket(page, second.id).locator("[data-do=bump]").click();
  await says(page.locator("#outbox"), "2 por enviar");
  await says(ticket(page, second.id), "Por enviar: listo");
  assert.ok(await ticket(page, second.id).locator("[data-do=bump]").isDisabled(), "once is enough");
  await page.reload();
  await says(page.locator("#offline"), "Sin conexión. Se muestra lo de las 19:00.");
  await says(page.locator("#outbox"), "2 por enviar");
  await says(ticket(page, first.id), "Hamburguesa");
  assert.deepEqual(await violations(page), []);
  await shot("dead");

  await turno.restart();
  await eventually(async () => (await page.locator("#outbox .notice").count()) === 0, "all is sent", 30_000);
  await eventually(async () => (await stateOf(turno, second.id)) === "LISTO", "the second is ready");
  const [left] = await turno.api("GET", "/comandas");
  assert.equal(left.pedido_id, first.id);
  assert.deepEqual(left.lineas.map(({ estado }) => estado), ["LISTA", "PENDIENTE"], "marked once, not twice");
  assert.equal(await times(turno, second.id, "LISTO"), 1);
  await eventually(async () => (await page.locator("#offline .notice").count()) === 0, "the sign is gone", 20_000);
});

for (const [locale, said] of [
  ["es-AR", "Sin conexión"],
  ["en-GB", "No connection"],
])
  journey(`any other page says that there is no network, ${locale}`, { locale, colorScheme: locale === "es-AR" ? "light" : "dark" }, async (all) => {
    const { turno, page, complaints, shot } = all;
    complaints.allow(QUIET);
    await prepared(page, "/mostrador");
    await turno.kill();
    await page.goto("/alertas").catch(() => {});
    await says(page.locator("h1"), said);
    await page.locator(".brand", { hasText: "Turno" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await shot("page");
    await turno.restart();
    await page.locator("#palette-open").waitFor({ timeout: 20_000 });
    assert.equal(new URL(page.url()).pathname, "/alertas", "it came back by itself");
  });

journey("an act that was taken off the list is not sent", {}, async ({ turno, page, context, complaints }) => {
  complaints.allow(QUIET);
  const [one] = await orders(turno, 1, { estado_pago: "PAGADO" });
  await prepared(page, "/mostrador");
  await card(page, one.id, "EN_PREPARACION").waitFor();
  await context.setOffline(true);
  await choose(page, one.id);
  await page.keyboard.press("Enter");
  await says(page.locator("#outbox"), "1 por enviar");
  await page.locator("#outbox [data-withdraw]").click();
  await eventually(async () => (await page.locator("#outbox .notice").count()) === 0, "nothing waits");
  await context.setOffline(false);
  await page.locator("#live[data-state=live]").waitFor({ timeout: 20_000 });
  assert.equal(await stateOf(turno, one.id), "EN_PREPARACION");
});

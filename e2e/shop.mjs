// The shop the journeys play in: its menu, its orders, and where things stand on the screens.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

export const MENU = [
  { nombre: "Hamburguesa clásica", categoria: "Hamburguesas", precio: 8900, peso: 2 },
  { nombre: "Papas con cheddar", categoria: "Guarniciones", precio: 5200, peso: 1 },
  { nombre: "Flan casero", categoria: "Postres", precio: 3100, peso: 1 },
];

/** Puts the menu in and returns the articles by name. */
export async function fillMenu(turno, menu = MENU) {
  const articles = {};
  for (const article of menu)
    articles[article.nombre] = await turno.api("POST", "/articulos", article);
  return articles;
}

/** Takes an order in through the API; one burger to pick up unless told otherwise. */
export function order(turno, changes = {}) {
  const body = {
    modalidad: "RETIRO",
    articulos: [{ nombre: "Hamburguesa", peso: 2, cantidad: 1, precio: 8900 }],
    ...changes,
  };
  return turno.api("POST", "/pedidos", body);
}

/** `count` orders, one after the other, so that their numbers follow each other. */
export async function orders(turno, count, changes) {
  const list = [];
  for (let made = 0; made < count; made += 1) list.push(await order(turno, changes));
  return list;
}

export const move = (turno, id, estado) => turno.api("PUT", `/pedidos/${id}/estado`, { estado });

/** The instant `minutes` after the start of the frozen clock. */
export const after = (minutes, start = "2026-03-02T22:00:00Z") =>
  new Date(Date.parse(start) + minutes * 60_000).toISOString();

/** Opens a screen and waits until it shows the present and hears of changes. */
export async function open(page, where) {
  await page.goto(where);
  await page.locator("#live[data-state=live]").waitFor();
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
  return page;
}

/** A second window rather than a tab: the browser draws hidden tabs once a second. */
export async function openAnother(page, where) {
  const opened = page.context().waitForEvent("page");
  await page.evaluate(() => void globalThis.open("about:blank", "", "popup"));
  return open(await opened, where);
}

export const STATES = ["RECIBIDO", "EN_PREPARACION", "LISTO"];

/** The card of an order on the counter, in one column or wherever it is. */
export const card = (page, id, state) =>
  page.locator(`${state ? `[data-column=${state}] ` : "#counter "}[data-key="o${id}"]`);

export const ticket = (page, id) =>
  page.locator(".ticket").filter({ has: page.locator(`.ticket-id:text-is("#${id}")`) });

/** Points the keyboard at a card, as an arrow key or a tap would. */
export async function choose(page, id) {
  await card(page, id).locator(".order-id, .chip-what").first().click();
  await page.locator(`[data-key="o${id}"][aria-current=true]`).waitFor();
}

/** Fills the open dialog by the names of its fields and confirms it. */
export async function answer(page, fields) {
  const dialog = page.locator("dialog[open]");
  for (const [name, value] of Object.entries(fields)) {
    const field = dialog.locator(`[name="${name}"]`).first();
    const kind = await field.evaluate((element) => element.type);
    if (kind === "radio") await dialog.locator(`[name="${name}"][value="${value}"]`).check();
    else if (kind.startsWith("select")) await field.selectOption(value);
    else await field.fill(value);
  }
  await dialog.locator("[type=submit]").click();
}

export const closed = (page) => page.locator("dialog").waitFor({ state: "detached" });

/** Waits until the element says `text`. */
export const says = (locator, text) => locator.filter({ hasText: text }).first().waitFor();

/** Waits until `ask` answers something true; for what no element shows. */
export async function eventually(ask, what, patience = 5_000) {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    const answered = await ask();
    if (answered) return answered;
    await pause(10);
  }
  assert.fail(`not within ${patience} ms: ${what}`);
}

// The kitchen display: what is due first, how much of each dish, one station's part, and its sound.

import assert from "node:assert/strict";

import { journey } from "./lib.mjs";
import { after, card, eventually, open, openAnother, order, says, ticket } from "./shop.mjs";

const gone = (locator) => locator.waitFor({ state: "detached" });

/** Counts the tones of a page; the machine of the tests has no loudspeaker to listen to. */
const listen = () => {
  globalThis.tones = 0;
  const make = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function () {
    globalThis.tones += 1;
    return make.call(this);
  };
};

journey("the kitchen shows what is due first, how much of each, and sounds", {}, async (stage) => {
  const { turno, page: kitchen, context, shot } = stage;
  await context.addInitScript(listen);
  const line = (nombre, cantidad, peso, estacion) => ({ nombre, cantidad, peso, precio: 100, estacion });
  await order(turno, { articulos: [line("Hamburguesa", 6, 4, "Plancha")] });
  await order(turno, { articulos: [line("Flan", 2, 1, "Fríos")] });
  await open(kitchen, "/cocina");
  const first = kitchen.locator(".ticket .ticket-id");
  // Thirty minutes of burgers came first and are due last.
  await says(first.nth(0), "#2");
  await says(ticket(kitchen, 1).locator(".left"), /29|30/);
  await says(ticket(kitchen, 2).locator(".left"), /9|10/);

  await kitchen.keyboard.press("a");
  const totals = kitchen.locator("#all-day li");
  await says(totals.nth(0), "6Hamburguesa");
  await says(totals.nth(1), "2Flan");

  const tones = () => kitchen.evaluate(() => globalThis.tones);
  await kitchen.keyboard.press("m");
  await says(kitchen.locator("#sound"), "Sonido");
  const before = await eventually(tones, "the tone of the switch");
  // Promised for eight minutes from now: due before everything else.
  await order(turno, { horario_entrega: after(8), articulos: [line("Flan", 1, 1, "Fríos")] });
  await says(first.nth(0), "#3");
  await says(totals.nth(1), "3Flan");
  assert.ok((await tones()) > before, "a new ticket makes no sound");
  await shot("due first");

  // One station sees and counts its own dishes only.
  await kitchen.keyboard.press("s");
  await says(kitchen.locator("#station"), "Fríos");
  await gone(ticket(kitchen, 1));
  assert.equal(await totals.count(), 1);
});

journey("a station finishes its lines, not the order", {}, async (stage) => {
  const { turno, page: kitchen, shot } = stage;
  const line = (nombre, estacion) => ({ nombre, peso: 1, cantidad: 1, precio: 100, estacion });
  await order(turno, { articulos: [line("Hamburguesa", "Plancha"), line("Agua", "Barra")] });
  await order(turno, { articulos: [line("Hamburguesa", "Plancha")] });
  await open(kitchen, "/cocina");
  const counter = await openAnother(kitchen, "/mostrador");
  await says(ticket(kitchen, 1).locator(".stations"), "Barra0/1");
  await shot("expediter");

  // The first station in the order of names is Barra; it has something of one ticket only.
  await kitchen.keyboard.press("s");
  await says(kitchen.locator("#station"), "Barra");
  await gone(ticket(kitchen, 2));
  await says(ticket(kitchen, 1).locator(".bump"), "Barra: listo");
  await shot("station");
  await kitchen.keyboard.press("Enter");
  await says(kitchen.locator(".toast"), "#1: Barra terminó");
  await gone(ticket(kitchen, 1));
  await card(counter, 1, "EN_PREPARACION").waitFor();

  // It takes its own back, and gives it again.
  await kitchen.keyboard.press("r");
  await ticket(kitchen, 1).waitFor();
  await kitchen.keyboard.press("Enter");
  await gone(ticket(kitchen, 1));

  await kitchen.keyboard.press("s");
  await says(kitchen.locator("#station"), "Plancha");
  await kitchen.keyboard.press("1");
  await kitchen.keyboard.press("Enter");
  await says(kitchen.locator(".toast"), "#1 listo");
  await card(counter, 1, "LISTO").waitFor();
  await card(counter, 2, "EN_PREPARACION").waitFor();
});

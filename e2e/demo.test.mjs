// The demonstration: a house with a week behind it, a first look at each application, charts that say
// their values.

import assert from "node:assert/strict";

import { journey } from "./lib.mjs";
import { eventually, says } from "./shop.mjs";

const APPS = {
  pedidos: "/mostrador",
  docproc: "/docproc",
  sam: "/sam",
  coordinador: "/coordinador",
};
const lived = {
  args: ["--demo"],
  firstLook: true,
  readyWithin: 100_000,
  timeout: 240_000,
  viewport: { width: 1440, height: 900 },
};

/** Walks a first look with the keyboard; every step has to point at something that is there. */
async function walk(page, path, words) {
  await page.goto(path);
  const invite = page.locator(".tour-invite");
  await says(invite, words.invite);
  await invite.getByRole("button", { name: words.begin }).click();
  const card = page.locator(".tour-card");
  await says(card, "1 / ");
  const count = Number((await card.locator("small").textContent()).split("/")[1]);
  for (let at = 1; at <= count; at += 1) {
    await says(card, `${at} / ${count}`);
    assert.equal(await page.locator(".tour-target").count(), 1, `${page.url()}: step ${at}`);
    assert.ok((await card.locator("p").textContent()).length > 30);
    await page.keyboard.press("ArrowRight");
  }
  await eventually(async () => (await card.count()) === 0);
  await page.goto(path);
  assert.equal(await invite.count(), 0, "seen once is enough");
}

journey("a lived week, four first looks", lived, async ({ page, turno, shot }) => {
  for (const path of Object.values(APPS)) {
    await walk(page, path, { invite: "Primera mirada", begin: "Empezar" });
  }
  // Again from the help, and left with Escape.
  await page.locator("#help-open").click();
  await page.getByRole("button", { name: "Primera mirada" }).click();
  await says(page.locator(".tour-card"), "1 / ");
  await page.keyboard.press("Escape");
  await eventually(async () => (await page.locator(".tour-card").count()) === 0);

  // What a week leaves behind, in every application.
  const week = new Date(Date.parse("2026-03-02T22:00:00Z") - 6.5 * 86_400_000).toISOString();
  const older = await turno.api("GET", `/pedidos?dia=${week.slice(0, 10)}&limit=5`);
  assert.ok(older.length > 0, "orders of six days ago");
  const runs = await turno.api("GET", "/api/sam/ejecuciones?limit=500");
  assert.ok(runs.items.length > 100, `${runs.items.length} runs of robots`);
  const polls = await turno.api("GET", "/api/coordinador/ejecuciones?limit=500");
  assert.ok(polls.items.length > 200, `${polls.items.length} polls`);
  const corrections = await turno.api("GET", "/api/docproc/corrections");
  assert.ok((corrections.items ?? corrections).length > 0, "corrections");

  const { datos: use } = await turno.api("GET", "/api/sam/analisis/utilizacion?dias=7");
  assert.ok(use.porcentaje > 20, `runners are used at ${use.porcentaje} %`);
  assert.ok(use.equipos.filter((one) => one.porcentaje > 5).length >= 7, "half of the runners work");
  const { items: alerts } = await turno.api("GET", "/api/alerts");
  const volume = alerts.filter((one) => one.fingerprint === "docproc/volumen");
  assert.deepEqual(volume, [], "a quiet house tells of no volume");

  await page.goto("/pedidos-panel");
  const chart = page.locator("[data-chart]").first();
  await says(chart, "100");
  const bars = await chart.locator(".bar").evaluateAll((all) =>
    all.map((bar) => [bar.dataset.told, Number(bar.querySelector(".bar-fill").getAttribute("height"))]),
  );
  assert.equal(bars.length, 24);
  for (const [told, height] of bars) if (height === 0) assert.match(told, /: 0\s%/);
  assert.ok(bars.some(([, height]) => height > 0), "a full chart");
  const shares = bars.map(([told]) => Number(/(\d+)\s%/.exec(told)?.[1] ?? 0));
  assert.ok(Math.max(...shares) >= 25, `the fullest hour has ${Math.max(...shares)} %`);
  await chart.locator(".bar-area").nth(12).hover();
  await says(chart.locator(".chart-told"), "12: ");
  await chart.focus();
  await page.keyboard.press("Home");
  await says(chart.locator(".chart-told"), "00: ");
  await page.keyboard.press("ArrowRight");
  await says(chart.locator(".chart-told"), "01: ");
  await shot("panel");
  await page.getByRole("link", { name: "Mes", exact: true }).click();
  await says(page.locator("#figures"), "últimos 30 días");

  // No blank tail: the page ends where its last card does.
  for (const path of ["/pedidos-panel", "/sam/analisis", "/coordinador", "/docproc"]) {
    await page.goto(path);
    const tail = await page.evaluate(() => {
      const last = Math.max(
        ...[...document.querySelectorAll("main *")]
          .filter((one) => !one.closest(".sr-only") && one.getClientRects().length)
          .map((one) => one.getBoundingClientRect().bottom + scrollY),
      );
      return document.documentElement.scrollHeight - Math.max(last, innerHeight);
    });
    assert.ok(tail < 120, `${path}: ${tail} px after the last thing`);
  }
});

journey("customers go on coming after the shop refused some", { ...lived, args: ["--demo", "--apps", "pedidos"] }, async ({ turno }) => {
  const menu = await turno.api("GET", "/articulos");
  const offer = async (activo) => {
    for (const { id } of menu) await turno.api("PUT", `/articulos/${id}`, { activo });
  };
  const newest = async () => (await turno.api("GET", "/pedidos?limit=1"))[0].id;
  await offer(false);
  const last = await newest();
  await turno.advance(30 * 60);
  assert.equal(await newest(), last, "nothing can be ordered");
  await offer(true);
  await turno.advance(60 * 60);
  assert.ok((await newest()) > last, "and then they order again");
});

journey(
  "a first look on a telephone, in English",
  { ...lived, args: [], locale: "en-GB", viewport: { width: 390, height: 844 } },
  async ({ page, shot }) => {
    await page.goto("/coordinador");
    await says(page.locator(".tour-invite"), "first look");
    await page.getByRole("button", { name: "Begin" }).click();
    const card = page.locator(".tour-card");
    await says(card, "What is at work");
    await shot("step");
    const box = await card.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} px`);
    await card.getByRole("button", { name: "Close" }).click();
    await page.reload();
    assert.equal(await page.locator(".tour-invite, .tour-card").count(), 0);
  },
);

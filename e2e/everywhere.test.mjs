// Every page of the demo house, those in no menu too: no axe violation in either theme, no code where
// a word belongs, and nothing wider or much longer than a phone.

import assert from "node:assert/strict";

import { journey, violations } from "./lib.mjs";
import { eventually } from "./shop.mjs";
import { drawn, places, slug } from "./walk.mjs";

const HOUSE = {
  clock: "system",
  args: ["--demo"],
  env: { DOCPROC_BACKOFFICE_PORT: "off" },
  readyWithin: 150_000,
  timeout: 420_000,
};

/** Something of each application is there to be looked at. */
const furnished = (turno) =>
  eventually(
    async () => {
      const { items } = await turno.api("GET", "/api/docproc/requests");
      const { pedidos } = await turno.api("GET", "/api/pedidos/tablero");
      return items.length > 0 && pedidos.length > 0;
    },
    "a house with something in it",
    60_000,
  );

/** Codes of states and causes, and words that the house's Spanish does without. */
const FOREIGN = new RegExp(
  [
    "\\b(PENDING|RUNNING|SUCCESS|FAILED|INTERRUPTED|UNREACHABLE|QUOTA|QUEUED|DEPLOYED|COMPLETED)\\b",
    "\\b(RUN|DEPLOY|NOT|SAME_TYPE|COMPLETED)_[A-Z_]+\\b",
    "\\b(invoice|payslip|id_card|extraction|classification)\\b(?![-.])",
    "\\b(success|absent|total)[_ ]onus\\b",
    "\\b[Mm]ir(ar|ad[oa]s?|aron|an)\\b|que le des|que ves",
  ].join("|"),
  "gu",
);
/** Pages for programs and for whoever looks into them show what was kept, letter by letter. */
const LITERAL = ["/eventos", "/auditoria", "/api/docs"];

/** What the page says in words of its own, choices of lists too. */
const said = (page) =>
  page.locator("main").evaluate((main) => {
    const copy = main.cloneNode(true);
    for (const one of copy.querySelectorAll("code, pre, kbd, script, template, .key")) one.remove();
    return [...copy.querySelectorAll("*")]
      .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE))
      .map((node) => node.data.trim())
      .join("\n");
  });

for (const [theme, locale, lang] of [
  ["light", "es-AR", "es"],
  ["dark", "en-GB", "en"],
])
  journey(`nothing inaccessible anywhere, ${theme}`, { ...HOUSE, colorScheme: theme, locale }, async (all) => {
    const { turno, page, complaints, shot } = all;
    complaints.allow(/status of (404|409)/);
    await furnished(turno);
    const found = [];
    const foreign = [];
    for (const where of await places(page)) {
      await drawn(page, where);
      if (lang === "es" && !LITERAL.includes(where)) {
        const words = (await said(page)).match(FOREIGN) ?? [];
        if (words.length) foreign.push(`${where}: ${[...new Set(words)].join(" ")}`);
      }
      assert.equal(await page.locator("html").getAttribute("lang"), lang, where);
      found.push(...(await violations(page)).map((one) => `${where}: ${one}`));
      const beyond = await page.evaluate(() => {
        const rail = document.querySelector(".rail");
        return rail ? rail.scrollWidth - rail.clientWidth : 0;
      });
      if (beyond > 0) found.push(`${where}: the rail is ${beyond} px too narrow for its links`);
    }
    await shot("last");
    assert.deepEqual(found, [], "not accessible");
    assert.deepEqual(foreign, [], "codes where words belong");
    await page.goto("/");
    const keys = await page.locator("[data-hotkey]").evaluateAll((all) =>
      all.map((link) => [link.dataset.hotkey, link.getAttribute("href")]),
    );
    const byKey = {};
    for (const [key, href] of keys) (byKey[key] ??= new Set()).add(href);
    const twice = Object.entries(byKey).filter(([, hrefs]) => hrefs.size > 1);
    assert.deepEqual(twice.map(([key]) => key), [], "a key leads to two pages");
  });

/** What a thumb is asked to walk at most in a list, in pixels. */
const LONGEST = 6_000;
/** Pages of many parts, each short. */
const MANY_PARTS = ["/sam/analisis", "/sam/configuracion", "/docproc/calidad", "/coordinador/olts/"];

journey("nothing is wider or much longer than a phone", { ...HOUSE, viewport: { width: 390, height: 844 } }, async (all) => {
  const { turno, page, complaints } = all;
  complaints.allow(/status of (404|409)/);
  await furnished(turno);
  const wide = [];
  for (const where of await places(page)) {
    await drawn(page, where);
    const across = await page.evaluate(() => document.documentElement.scrollWidth);
    if (across > 390) wide.push(`${slug(where)}: ${across} px`);
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    if (tall > LONGEST && !MANY_PARTS.some((part) => where.startsWith(part))) wide.push(`${slug(where)}: ${tall} px long`);
  }
  // On a small desk nothing stands outside its card either.
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const where of await places(page)) {
    await drawn(page, where);
    const beyond = await page.locator(".table .scroll-x").evaluateAll((tables) =>
      tables
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `${one.getAttribute("aria-label")} ${one.scrollWidth} > ${one.clientWidth}`),
    );
    wide.push(...beyond.map((one) => `${slug(where)}: ${one}`));
  }
  assert.deepEqual(wide, []);
});

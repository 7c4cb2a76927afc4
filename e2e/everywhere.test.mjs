// Every page of the demo house, those in no menu too: no axe violation in either theme, and nothing wider
// than a phone.

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

for (const [theme, locale, lang] of [
  ["light", "es-AR", "es"],
  ["dark", "en-GB", "en"],
])
  journey(`nothing inaccessible anywhere, ${theme}`, { ...HOUSE, colorScheme: theme, locale }, async (all) => {
    const { turno, page, complaints, shot } = all;
    complaints.allow(/status of (404|409)/);
    await furnished(turno);
    const found = [];
    for (const where of await places(page)) {
      await drawn(page, where);
      assert.equal(await page.locator("html").getAttribute("lang"), lang, where);
      found.push(...(await violations(page)).map((one) => `${where}: ${one}`));
    }
    await shot("last");
    assert.deepEqual(found, [], "not accessible");
  });

journey("nothing is wider than a phone", { ...HOUSE, viewport: { width: 390, height: 844 } }, async (all) => {
  const { turno, page, complaints } = all;
  complaints.allow(/status of (404|409)/);
  await furnished(turno);
  const wide = [];
  for (const where of await places(page)) {
    await drawn(page, where);
    const across = await page.evaluate(() => document.documentElement.scrollWidth);
    if (across > 390) wide.push(`${slug(where)}: ${across} px`);
  }
  assert.deepEqual(wide, []);
});

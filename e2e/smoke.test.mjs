import assert from "node:assert/strict";

import { journey } from "./lib.mjs";

journey("smoke", {}, async ({ page }) => {
  const answer = await page.goto("/health");
  assert.equal(answer.status(), 200);
});

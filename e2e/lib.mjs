// What a journey needs: its own server, a browser that complains, pictures.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { browser, closeBrowser } from "./browser.mjs";
import { target, Turno } from "./turno.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const pictures = path.join(target, "e2e");

after(closeBrowser);

const unguided = () => {
  // An empty page has no storage.
  if (location.protocol.startsWith("http")) localStorage.setItem("turno.tour", "off");
};

/** Collects what a person would report: console errors, failed loads, requests to strangers. */
class Complaints {
  #found = [];
  #allowed = [];

  constructor(context, url) {
    const own = new URL(url).host;
    context.on("console", (message) => {
      if (message.type() === "error") {
        this.#note(`console: ${message.text()} (${message.location().url})`);
      }
    });
    context.on("weberror", (error) => this.#note(`script: ${error.error().stack}`));
    context.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText ?? "";
      // Leaving a page ends its event stream and pending loads; that is no failure.
      if (reason !== "net::ERR_ABORTED") this.#note(`request: ${request.url()} ${reason}`);
    });
    context.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      const inside = ["data:", "blob:", "about:"].includes(protocol);
      if (!inside && host !== own) this.#note(`another host: ${request.url()}`);
    });
  }

  #note(text) {
    this.#found.push(text);
  }

  /** For journeys that provoke an error on purpose. */
  allow(pattern) {
    this.#allowed.push(pattern);
  }

  check() {
    const rest = this.#found.filter((text) => !this.#allowed.some((p) => p.test(text)));
    assert.deepEqual(rest, [], "the browser complained");
  }
}

/**
 * A test with its own server and its own page.
 * The body receives `{turno, page, context, complaints, shot}`;
 * a picture of the end is always kept.
 */
export function journey(name, options, body) {
  test(name, { timeout: options.timeout ?? 120_000 }, async () => {
    const turno = await Turno.start(options);
    const context = await (
      await browser()
    ).newContext({
      baseURL: turno.url,
      locale: options.locale ?? "es-AR",
      timezoneId: "America/Argentina/Buenos_Aires",
      colorScheme: options.colorScheme ?? "light",
      viewport: options.viewport ?? { width: 1280, height: 800 },
      hasTouch: options.touch ?? false,
      isMobile: options.touch ?? false,
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(10_000);
    // Journeys are about something else, unless they say so.
    if (!options.firstLook) await context.addInitScript(unguided);
    const complaints = new Complaints(context, turno.url);
    const page = await context.newPage();
    const shot = (label) => picture(page, `${name} ${label}`);
    try {
      await body({ turno, page, context, complaints, shot });
      complaints.check();
    } catch (error) {
      error.stack += `\n--- log of turno ---\n${turno.log.slice(-4000)}`;
      throw error;
    } finally {
      await shot("end").catch(() => {});
      await context.close();
      await turno.stop();
    }
  });
}

async function picture(page, label) {
  fs.mkdirSync(pictures, { recursive: true });
  const file = label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
  await page.screenshot({ path: path.join(pictures, `${file}.png`), fullPage: true });
}

const axe = fs.readFileSync(path.join(here, "node_modules/axe-core/axe.min.js"), "utf8");

/** What axe-core can prove against WCAG 2.1 AA on the page as it stands. */
export async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
    const report = await globalThis.axe.run(document, {
      runOnly: tags,
      resultTypes: ["violations"],
    });
    const line = (text) => text.split("\n").at(1)?.trim();
    return report.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${node.target.join(" ")}: ${line(node.failureSummary)}`),
    );
  });
}

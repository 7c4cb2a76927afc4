// What a journey needs: the real binary, under a frozen clock unless said otherwise, a browser that
// complains, pictures.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import test, { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(here, "..", process.env.CARGO_TARGET_DIR ?? "target");
const pictures = path.join(target, "e2e");
const READY_WITHIN_MS = 30_000;

function binary() {
  const built = ["debug", "release"].map((profile) => path.join(target, profile, "turno"));
  const found = [process.env.TURNO_BIN, ...built].find((file) => file && fs.existsSync(file));
  assert.ok(found, "no turno binary: run `make build` first");
  return found;
}

async function freePort() {
  const listener = net.createServer();
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

/** A running server; `restart` keeps its port and its data. */
export class Turno {
  /**
   * `clock` is "manual" unless "system"; `prepare` may use the command line before the start.
   * @param {{clock?: string, now?: string, args?: string[], env?: Record<string, string>,
   *   prepare?: (turno: Turno) => void}} options
   */
  static async start(options = {}) {
    const turno = new Turno();
    turno.options = options;
    turno.port = await freePort();
    turno.url = `http://127.0.0.1:${turno.port}`;
    turno.dir = fs.mkdtempSync(path.join(os.tmpdir(), "turno-e2e-"));
    turno.log = "";
    await options.prepare?.(turno);
    await turno.#launch();
    return turno;
  }

  #environment() {
    const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("TURNO_"));
    return { ...Object.fromEntries(clean), ...this.options.env };
  }

  async #launch() {
    const { clock = "manual", now = "2026-03-02T22:00:00Z", args = [] } = this.options;
    const flags = ["serve", "--listen", `127.0.0.1:${this.port}`, "--data-dir", "data"];
    const time = clock === "manual" ? ["--clock", "manual", "--now", now] : [];
    this.child = spawn(binary(), [...flags, ...time, ...args], {
      cwd: this.dir,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk) => (this.log += chunk);
    this.child.stdout.on("data", keep);
    this.child.stderr.on("data", keep);
    this.gone = new Promise((resolve) => this.child.once("close", resolve));
    await this.#ready();
  }

  async #ready() {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (Date.now() < deadline) {
      assert.equal(this.child.exitCode, null, `turno left instead of starting:\n${this.log}`);
      const answer = await fetch(`${this.url}/ready`).catch(() => null);
      if (answer?.ok) return;
      await pause(20);
    }
    assert.fail(`turno not ready within ${READY_WITHIN_MS} ms:\n${this.log}`);
  }

  /** Runs `turno …` on the same data and returns what it printed. */
  cli(args, input = "") {
    const options = { cwd: this.dir, env: this.#environment(), input, encoding: "utf8" };
    const done = spawnSync(binary(), [...args, "--data-dir", "data"], options);
    assert.equal(done.status, 0, `turno ${args.join(" ")} failed:\n${done.stderr}`);
    return done.stdout.trim();
  }

  /** `kill -9`, as a power cut would. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.gone;
  }

  async restart() {
    await this.#launch();
  }

  async stop() {
    await this.kill();
    fs.rmSync(this.dir, { recursive: true, force: true });
  }

  /** Sends JSON and returns the parsed body; anything but the expected status fails the journey. */
  async api(method, where, body, { status = [200, 201, 204], headers = {} } = {}) {
    const answer = await fetch(this.url + where, {
      method,
      headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    const said = `${method} ${where} answered ${answer.status}: ${text}`;
    assert.ok([status].flat().includes(answer.status), said);
    return text === "" ? null : JSON.parse(text);
  }

  /** Moves the frozen clock; returns when nothing is left to do at the new time. */
  advance(seconds) {
    return this.api("POST", "/debug/clock", { advance_seconds: seconds });
  }
}

let shared;
export async function browser() {
  shared ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-dev-shm-usage",
      "--disable-extensions",
      "--disable-gpu",
      "--disable-sync",
      "--mute-audio",
      "--no-default-browser-check",
      "--no-first-run",
    ],
  });
  return shared;
}
after(async () => shared?.close());

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
  test(name, { timeout: 120_000 }, async () => {
    const turno = await Turno.start(options);
    const context = await (await browser()).newContext({
      baseURL: turno.url,
      locale: options.locale ?? "es-AR",
      timezoneId: "America/Argentina/Buenos_Aires",
      colorScheme: options.colorScheme ?? "light",
      viewport: options.viewport ?? { width: 1280, height: 800 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(10_000);
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
    const report = await globalThis.axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
    const line = (text) => text.split("\n").at(1)?.trim();
    return report.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${node.target.join(" ")}: ${line(node.failureSummary)}`),
    );
  });
}

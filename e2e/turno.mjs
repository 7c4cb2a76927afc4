// The real binary, started for one journey on a free port and an empty directory.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
/** Where cargo builds, and where pictures of journeys are kept. */
export const target = path.resolve(here, "..", process.env.CARGO_TARGET_DIR ?? "target");
const READY_WITHIN_MS = 30_000;

export function binary() {
  const built = ["debug", "release"].map((profile) => path.join(target, profile, "turno"));
  const found = [process.env.TURNO_BIN, ...built].find((file) => file && fs.existsSync(file));
  assert.ok(found, "no turno binary: run `make build` first");
  return found;
}

export async function freePort() {
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
   *   readyWithin?: number,
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
    // Journeys run side by side, and a port of its own has one owner.
    return { ...Object.fromEntries(clean), DOCPROC_BACKOFFICE_PORT: "off", ...this.options.env };
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
    const within = this.options.readyWithin ?? READY_WITHIN_MS;
    const deadline = Date.now() + within;
    while (Date.now() < deadline) {
      assert.equal(this.child.exitCode, null, `turno left instead of starting:\n${this.log}`);
      const answer = await fetch(`${this.url}/ready`).catch(() => null);
      if (answer?.ok) return;
      await pause(20);
    }
    assert.fail(`turno not ready within ${within} ms:\n${this.log}`);
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

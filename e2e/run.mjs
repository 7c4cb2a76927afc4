// Runs every *.test.mjs here, or those whose name contains one of the arguments.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const wanted = process.argv.slice(2);
const files = fs
  .readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (files.length === 0) {
  console.error(`no journey matches ${wanted.join(" ")}`);
  process.exit(2);
}
// The longest begin first, so that none of them is left alone at the end.
const longest = ["everywhere.test.mjs", "pages.test.mjs", "lines.test.mjs", "offline.test.mjs"];
const rank = (name) => (longest.includes(name) ? longest.indexOf(name) : longest.length);
files.sort((one, other) => rank(one) - rank(other));
// A browser keeps a core busy, and each journey has a server of its own.
const together = process.env.TOGETHER ?? Math.min(2, os.availableParallelism());
const flags = ["--test", "--test-reporter=spec", `--test-concurrency=${together}`];
const options = { cwd: here, stdio: "inherit" };
const { status } = spawnSync(process.execPath, [...flags, ...files], options);
process.exit(status ?? 1);

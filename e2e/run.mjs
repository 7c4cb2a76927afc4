// Runs every *.test.mjs here, or those whose name contains one of the arguments.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
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
// One file at a time: two browsers on two cores measure each other, not the program.
const flags = ["--test", "--test-reporter=spec", "--test-concurrency=1"];
const options = { cwd: here, stdio: "inherit" };
const { status } = spawnSync(process.execPath, [...flags, ...files], options);
process.exit(status ?? 1);

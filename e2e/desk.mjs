// A server of documents alone, whose workflow is as sure of itself as a journey needs.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const shipped = fs.readFileSync(path.join(here, "../config/workflows/default.yaml"), "utf8");

const INVOICE_ENDS = "      - {name: date, type: date}\n  receipt:";
const LINES = "      - {name: net_amount, type: decimal}\n      - {name: lines, type: table}\n  receipt:";

/**
 * The shipped workflow with these thresholds, and time enough for a journey. For `undo` seconds an answer
 * may be taken back. With `lines` it asks for those of an invoice.
 */
export const officeThatDoubts = ({ types, fields, undo = 1, lines = false }) => ({
  clock: "system",
  args: ["--apps", "docproc"],
  env: { DOCPROC_BACKOFFICE_PORT: "off", DOCPROC_BACKOFFICE_UNDO_SECONDS: String(undo) },
  prepare: (turno) => {
    const dir = path.join(turno.dir, "config/workflows");
    fs.mkdirSync(dir, { recursive: true });
    const workflow = shipped
      .replace("confidence_threshold: 0.80", `confidence_threshold: ${types}`)
      .replace("confidence_threshold: 0.75", `confidence_threshold: ${fields}`)
      .replace(/deadline_seconds: \d+/, "deadline_seconds: 900")
      .replace(INVOICE_ENDS, lines ? LINES : "$&");
    fs.writeFileSync(path.join(dir, "default.yaml"), workflow);
  },
});

/** Sends a file of text; answers the request's id. */
export async function deliver(turno, name, text) {
  const body = new FormData();
  body.set("file", new Blob([text], { type: "text/plain" }), name);
  const sent = await fetch(`${turno.url}/process`, { method: "POST", body });
  if (sent.status !== 200) throw new Error(`${sent.status}: ${await sent.text()}`);
  return (await sent.json()).request_id;
}

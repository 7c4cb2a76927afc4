// Requests to our own server. A refusal comes back as a value with its problem, and is shown as
// a toast unless the caller shows it in a better place.

import { t } from "./text.js";
import { toast } from "./toast.js";

/**
 * @param {string} method
 * @param {string} url
 * @param {{body?: unknown, version?: number, key?: string, quiet?: boolean,
 *   signal?: AbortSignal}} options
 * @returns {Promise<{ok: boolean, status: number, data: any, problem: any}>}
 */
export async function request(method, url, { body, version, key, quiet = false, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    response = await fetch(url, { method, headers, body: payload, signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return refused(0, unreachable(method), quiet);
  }
  const text = await response.text().catch(() => "");
  const data = parse(text);
  if (response.ok) return { ok: true, status: response.status, data, problem: null };
  if (response.status === 401)
    location.assign(`/login?back=${encodeURIComponent(location.pathname)}`);
  return refused(
    response.status,
    data?.code ? data : { title: `${response.status}`, detail: "", code: "" },
    quiet,
  );
}

const unreachable = (method) => ({
  code: "SIN_CONEXION",
  title: t("Sin conexión", "No connection"),
  detail:
    method === "GET"
      ? t("No se pudo leer del servidor.", "The server could not be read.")
      : t("El cambio no se hizo. Se puede intentar de nuevo.", "The change was not made. Try again."),
});

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function refused(status, problem, quiet) {
  if (!quiet) showProblem(problem);
  return { ok: false, status, data: null, problem };
}

export function showProblem(problem) {
  toast(problem.detail || problem.title, { tone: "bad", detail: problem.hint });
}

export const get = (url, options) => request("GET", url, options);
export const post = (url, body, options = {}) => request("POST", url, { ...options, body });
export const put = (url, body, options = {}) => request("PUT", url, { ...options, body });
export const remove = (url, options) => request("DELETE", url, options);

/** `randomUUID` exists only in secure contexts; a shop's plain http address is not one. */
export function freshKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// SNMP jobs through the screens: OLTs and nodes entered, the hour looked at and spread, runs stopped.

import assert from "node:assert/strict";

import { journey, violations } from "./lib.mjs";
import { answer, closed, eventually, open, says } from "./shop.mjs";

// Monday 2 March 2026, 11:00 in Buenos Aires.
const PLACE = {
  now: "2026-03-02T14:00:00Z",
  args: ["--apps", "coordinador"],
  env: { TZ: "UTC", TURNO_TIMEZONE: "America/Argentina/Buenos_Aires" },
};
const API = "/api/coordinador";
const OID = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15";

const dialog = (page) => page.locator("dialog[open]");
const rehearse = (turno, seconds = 1) =>
  turno.api("PUT", `${API}/modo-prueba`, { activo: true, duracion_segundos: seconds });

/** OLTs, each with one discovery every quarter of an hour that is first due at `at`. */
async function fleet(turno, count, at) {
  const made = [];
  for (let n = 1; n <= count; n += 1) {
    const olt = await turno.api("POST", `${API}/olts`, {
      abreviatura: `SMP-${String(n).padStart(2, "0")}`,
      marca: "Huawei",
      ip_address: `192.0.2.${n}`,
      comunidad: "secreta",
    });
    const node = await turno.api("POST", `${API}/nodos`, {
      olt_id: olt.id,
      nombre: "Descubrimiento",
      job_type: "descubrimiento",
      oid: OID,
      interval_seconds: 900,
      ...(at ? { next_run_at: at } : {}),
    });
    made.push({ olt, node });
  }
  return made;
}

journey("an OLT and its nodes, entered", PLACE, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/422/);
  await open(page, "/coordinador");
  await says(page.locator("main"), "Todavía no hay OLT");
  await open(page, "/coordinador/olts");
  await page.locator("[data-new=olt]").click();
  await answer(page, { abreviatura: "SMP-10", ip_address: "192.0.2.10" });
  await says(dialog(page).locator("[data-field=comunidad] .error"), "falta");
  assert.equal(await dialog(page).locator("[name=abreviatura]").inputValue(), "SMP-10", "it is kept");
  await dialog(page).locator("[name=version]").selectOption("3");
  assert.ok(await dialog(page).locator("[name=comunidad]").isHidden(), "fields follow the version");
  await answer(page, { usuario: "turno", auth_protocolo: "SHA-256", auth_clave: "corta" });
  await says(dialog(page).locator("[data-field=auth_clave] .error"), "8 caracteres");
  await dialog(page).locator("[name=version]").selectOption("2c");
  await answer(page, { comunidad: "secreta" });
  await closed(page);
  await says(page.locator("tbody"), "SMP-10");
  assert.ok(!(await page.content()).includes("secreta"), "what lets us in is not shown");

  await page.locator("tbody").getByRole("link", { name: "SMP-10" }).click();
  await page.locator("[data-new=node]").click();
  await answer(page, { nombre: "Descubrimiento", oid: "1.3.x", primera: "11:15" });
  await says(dialog(page).locator("[data-field=oid].invalid .error"), /./);
  await answer(page, { oid: OID });
  await closed(page);
  await page.locator("#nodos").getByRole("link", { name: "Descubrimiento" }).click();
  await says(page.locator("#siguiente"), "11:15:00");
  await says(page.locator("#siguiente"), "cada 15 min");
  await says(page.locator("#cuota"), "0/4");
  await says(page.locator("#why"), "Todavía no le toca");
  await shot("node");

  // In test mode its slot comes, and one of four is used.
  await open(page, "/coordinador/limites");
  await page.locator("#rehearsal [name=activo]").check();
  await page.locator("#rehearsal [type=submit]").click();
  await dialog(page).locator("[type=submit]").click();
  await closed(page);
  await turno.advance(16 * 60);
  await open(page, "/coordinador/nodos/1");
  await says(page.locator("#cuota"), "1/4");
  await says(page.locator("#cuota"), "25");
  await says(page.locator("#historia"), "Completada");
  await says(page.locator("#siguiente"), "11:30:00");
  await open(page, "/coordinador");
  await says(page.locator(".notice"), "Modo prueba");
});

journey("the seed's incident, seen and spread", PLACE, async ({ turno, page, shot }) => {
  await rehearse(turno);
  await fleet(turno, 17, "2026-03-02T14:15:00Z");
  await open(page, "/coordinador");
  await says(page.locator(".tiles"), "11:15: 17 nodos");
  await open(page, "/coordinador/plan");
  const cell = page.locator("#ahora .minute.bad").first();
  await says(cell, "17/6");
  await says(page.locator("[data-told=before]"), "Pico: 17 de 6");
  await cell.focus();
  await says(page.locator("#ahora .minute-nodes:visible"), "SMP-17");
  await says(page.locator("[data-told=after]"), "Minutos por encima: 0");
  await shot("before");

  // A higher cap would need no move at all.
  await page.locator("#max_executions_per_minute").fill("20");
  await page.getByRole("button", { name: "Calcular" }).click();
  await page.waitForURL("**/plan?max_executions_per_minute=20**");
  await says(page.locator("[data-told=after]"), "Se moverían: 0");
  assert.equal((await turno.api("GET", `${API}/limites`)).max_executions_per_minute, 6, "no effect");

  await open(page, "/coordinador/plan");
  await page.getByRole("button", { name: "Redistribuir ahora" }).click();
  await dialog(page).locator("[type=submit]").click();
  await closed(page);
  await says(page.locator("[data-told=before]"), "Minutos por encima: 0");
  assert.equal(await page.locator("#ahora .minute.bad").count(), 0);
  await shot("after");
  const { pico, overflow } = await turno.api("GET", `${API}/plan`);
  assert.ok(pico <= 6 && overflow.length === 0, `a peak of ${pico}`);
  await turno.advance(19 * 60);
  await open(page, "/coordinador");
  await says(page.locator(".tile").first(), "17");
});

journey("run now, abort, pause, disable", PLACE, async ({ turno, page, complaints }) => {
  complaints.allow(/409/);
  await rehearse(turno, 200);
  const [{ olt, node }] = await fleet(turno, 1);
  await open(page, `/coordinador/nodos/${node.id}`);
  const now = page.getByRole("button", { name: "Ejecutar ahora" });
  await now.click();
  await says(page.locator("#historia"), "Espera");
  await turno.advance(1);
  await says(page.locator("#historia"), "En curso");
  await now.click();
  await says(page.locator(".toast").last(), "Ya corre o espera");
  await open(page, "/coordinador/ejecuciones?status=RUNNING");
  await page.getByRole("button", { name: /^Abortar/ }).click();
  await answer(page, { motivo: "una prueba" });
  await closed(page);
  await says(page.locator("main"), "Ninguna ejecución");
  await open(page, `/coordinador/nodos/${node.id}`);
  await says(page.locator("#historia"), "Una persona la detuvo");

  await page.getByRole("button", { name: "Pausar" }).click();
  await says(page.locator("#why"), "en pausa");
  await page.getByRole("button", { name: "Reanudar" }).click();
  await says(page.locator("main"), "Habilitado");
  await now.click();
  await turno.advance(61);
  await says(page.locator("#historia"), "En curso");
  await open(page, `/coordinador/olts/${olt.id}`);
  await page.getByRole("button", { name: "Deshabilitar" }).click();
  await says(dialog(page), "se detiene");
  await dialog(page).locator("[type=submit]").click();
  await closed(page);
  await says(page.locator("main"), "La OLT se deshabilitó");
  const { items } = await turno.api("GET", `${API}/ejecuciones?limit=1`);
  assert.equal(items[0].status, "INTERRUPTED");
  await open(page, `/coordinador/nodos/${node.id}`);
  await page.locator("#why [title=OLT_DISABLED]").waitFor();
});

journey("a template, whether it fits, and where it goes", PLACE, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/422|409/);
  await fleet(turno, 3);
  await page.goto("/coordinador/plantillas/nueva");
  await page.locator("#nombre").fill("Básica");
  await page.locator("[data-add]").click();
  const row = page.locator(".node-row").nth(1);
  await row.locator("[name=clave]").fill("mac");
  await row.locator("[name=interval_seconds]").fill("60");
  await page.locator("[data-all]").click();
  await page.locator("[type=submit]").click();
  await says(row.locator("[data-name=oid] .error"), "hace falta un OID");
  await row.locator("[name=espacio]").selectOption("mac");
  await says(page.locator("#fit .notice.bad"), "No cabe");
  await row.locator("[name=maestro]").fill("descubrimiento");
  await says(page.locator("#fit .notice.good"), "Cabe: se piden 36 por hora y entran 360");
  await shot("form");
  // Every OLT has a node with that key already, made by hand.
  await page.locator("[type=submit]").click();
  await says(page.locator(".form-error"), "La OLT SMP-01 ya tiene un nodo descubrimiento");
  await page.locator("[name=clave]").first().fill("recorrido");
  await row.locator("[name=maestro]").fill("recorrido");
  await page.locator("[type=submit]").click();
  await page.waitForURL("**/coordinador/plantillas");
  await says(page.locator("tbody"), "Básica");
  await open(page, "/coordinador/nodos?q=mac");
  await eventually(async () => (await page.locator("tbody tr").count()) === 3, "three nodes");
  await says(page.locator("tbody"), "tras Descubrimiento");
  await page.goto("/coordinador/plantillas/1");
  assert.equal(await page.locator(".node-row").count(), 2);
  await open(page, "/coordinador/limites");
  await page.locator("#indice").fill("4194312448.2");
  await page.locator("#decode [type=submit]").click();
  await says(page.locator("#decoded"), "ONU 2");
});

const SCREENS = [
  "",
  "/plan",
  "/plan?max_executions_per_minute=1&ventana_segundos=60",
  "/nodos",
  "/nodos?q=nada",
  "/nodos/1",
  "/olts",
  "/olts/1",
  "/plantillas",
  "/plantillas/nueva",
  "/ejecuciones",
  "/ejecuciones/1",
  "/limites",
];

for (const [locale, colorScheme] of [["es-AR", "light"], ["en-GB", "dark"]]) {
  journey(
    `every screen can be used, ${locale} ${colorScheme}`,
    { ...PLACE, locale, colorScheme },
    async ({ turno, page }) => {
      await page.goto("/coordinador");
      assert.deepEqual(await violations(page), [], "empty");
      await rehearse(turno);
      await fleet(turno, 9, "2026-03-02T14:02:00Z");
      await turno.advance(180);
      await turno.api("POST", `${API}/nodos/1/ejecutar`, undefined, { status: 202 });
      for (const screen of SCREENS) {
        await page.goto(`/coordinador${screen}`);
        assert.deepEqual(await violations(page), [], screen);
        await page.setViewportSize({ width: 400, height: 800 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 400, `${screen} is ${wide} wide on a telephone`);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
    },
  );
}

// Robots through the screens: entered, scheduled, moved between pools, explained, run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";

import { journey, violations } from "./lib.mjs";
import { answer, closed, eventually, open, says } from "./shop.mjs";
import { binary, freePort } from "./turno.mjs";

// Monday 2 March 2026, 10:00 in Buenos Aires.
const PLACE = {
  now: "2026-03-02T13:00:00Z",
  args: ["--apps", "sam"],
  env: { SAM_CALLBACK_PORT: "off", TZ: "UTC", TURNO_TIMEZONE: "America/Argentina/Buenos_Aires" },
};
const SAM = "/api/sam";

const dialog = (page) => page.locator("dialog[open]");

async function enterRobot(page, fields) {
  await page.locator("[data-new=robot]").click();
  await answer(page, fields);
  await closed(page);
}

async function enterRunner(page, fields) {
  await page.locator("[data-new=runner]").click();
  await answer(page, fields);
  await closed(page);
}

async function fill(turno) {
  const pools = [];
  for (const nombre of ["Finanzas", "Logística"])
    pools.push(await turno.api("POST", `${SAM}/pools`, { nombre }));
  const robot = await turno.api("POST", `${SAM}/robots`, {
    robot: "P7_Facturas",
    es_online: true,
    pool_id: pools[0].id,
  });
  const runners = [];
  for (const n of [1, 2])
    runners.push(
      await turno.api("POST", `${SAM}/equipos`, {
        equipo: `VM-0${n}`,
        user_id: n,
        licencia: "RUNTIME",
        permite_balanceo_dinamico: true,
        pool_id: pools[0].id,
      }),
    );
  return { pools, robot, runners };
}

journey("a robot, its runners and a schedule, entered", PLACE, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/422|409/);
  await open(page, "/sam");
  await says(page.locator("main"), "Todavía no hay robots");
  await open(page, "/sam/robots");
  await page.locator("[data-new=robot]").click();
  await answer(page, { robot: "P1_Cierre", parametros: "{no" });
  await says(dialog(page).locator("[data-field=parametros] .error"), "No es JSON");
  assert.equal(await dialog(page).locator("[name=robot]").inputValue(), "P1_Cierre", "it is kept");
  await answer(page, { parametros: '{"a":{"type":"STRING","string":"b"}}', max_equipos: "0" });
  await says(dialog(page).locator("[data-field=max_equipos] .error"), "menor que min_equipos");
  await answer(page, { max_equipos: "3" });
  await closed(page);
  await says(page.locator("tbody"), "P1_Cierre");
  await open(page, "/sam/equipos");
  await enterRunner(page, { equipo: "vm-01", user_id: "7" });
  await enterRunner(page, { equipo: "vm-02", user_id: "8" });
  await says(page.locator("tbody"), "VM-02");

  await page.goto("/sam/programaciones/nueva");
  await page.locator("#hora_inicio").fill("09:00");
  await page.locator("#schedule").evaluate((form) => (form.noValidate = true));
  await page.locator("[type=submit]").click();
  const unchosen = page.locator("[data-field=robot_id] .error");
  await says(unchosen, "Falta elegir el robot");
  await page.locator("#robot_id").selectOption({ label: "P1_Cierre" });
  assert.equal(await unchosen.textContent(), "", "what was mended is no longer said");
  await page.locator("[name=tipo_programacion][value=Semanal]").check();
  await page.locator("[type=submit]").click();
  await says(page.locator("[data-field=dias_semana] .error"), "Falta elegir los días de la semana");
  await page.locator("[name=dias_semana][value=Lu]").check();
  await page.locator("#hora_inicio").fill("09:00");
  await says(page.locator("#preview .sentence"), "09:00");
  await says(page.locator("#preview .next-runs li").first(), "09/03/2026 09:00");
  await page.locator("[name=tipo_programacion][value=Mensual]").check();
  assert.ok(await page.locator("[data-field=dias_semana]").isHidden(), "fields follow the type");
  await says(page.locator("#preview"), "Falta el día del mes");
  await page.locator("[type=submit]").click();
  await says(page.locator("[data-field=dia_del_mes] .error"), "Falta el día del mes");
  await page.locator("[name=tipo_programacion][value=Semanal]").check();
  for (const name of ["VM-01", "VM-02"]) await page.getByLabel(name).check();
  await says(page.locator("#preview .sentence"), "09:00");
  await shot("form");
  await page.locator("[type=submit]").click();
  await page.waitForURL("**/sam/programaciones");
  const row = page.locator("#schedules tbody tr");
  await says(row, "VM-01, VM-02");
  await says(row, "lun 09/03/2026 09:00");

  // A second one at the same time says whom it would meet, before and after saving.
  await page.goto("/sam/programaciones/nueva");
  await page.locator("#robot_id").selectOption({ label: "P1_Cierre" });
  await page.locator("#hora_inicio").fill("09:30");
  await page.getByLabel("VM-01").check();
  await says(page.locator("#preview [data-overlaps]"), "VM-01");
  await page.locator("[type=submit]").click();
  await says(page.locator(".form-error"), "Se solapa");
  await page.locator("[name=permitir_solapamiento]").check();
  await page.locator("[type=submit]").click();
  await page.waitForURL("**/sam/programaciones");
  await page.goto("/sam/programaciones/solapamientos");
  await says(page.locator("tbody"), "VM-01");
  await page.goto("/sam/programaciones/semana?semana=2026-03-11");
  await says(page.locator("#week"), "lun 09/03");
  assert.equal(await page.locator(".week-slot").count(), 8, "seven daily and one weekly");
  const { items } = await turno.api("GET", `${SAM}/programaciones`);
  assert.equal(items.length, 2);
});

journey("a runner moves between pools, by keyboard and by hand", PLACE, async ({ turno, page, shot }) => {
  const { pools, runners } = await fill(turno);
  await open(page, "/sam/pools");
  const pool = (n) => page.locator(`#pool-${pools[n].id}`);
  await says(pool(0), "VM-01");
  const list = page.getByLabel("Pool de VM-01");
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await says(pool(1), "VM-01");
  const where = async (n) => (await turno.api("GET", `${SAM}/equipos/${runners[n].id}`)).pool_id;
  assert.equal(await where(0), pools[1].id);
  assert.ok(
    await page.getByLabel("Pool de VM-01").evaluate((element) => element === document.activeElement),
    "the keyboard goes on from where it was",
  );
  await shot("moved");

  await page.locator(`[data-member="equipos/${runners[1].id}"]`).dragTo(pool(1));
  await eventually(async () => (await where(1)) === pools[1].id, "the other one moved too");
  await says(pool(1), "VM-02");

  await page.getByRole("button", { name: "Pasar a flexible" }).click();
  await says(dialog(page), "desde el próximo balanceo");
  await dialog(page).locator("[type=submit]").click();
  await says(page.locator(".rules"), "Flexible");
});

journey("why a robot waits", PLACE, async ({ turno, page }) => {
  const { robot, runners } = await fill(turno);
  await turno.api("POST", `${SAM}/asignaciones`, { robot_id: robot.id, equipo_id: runners[0].id });
  await turno.api("PUT", `${SAM}/equipos/${runners[0].id}`, { activo_sam: false });
  await open(page, `/sam/robots/${robot.id}`);
  await says(page.locator("#why"), "Falta configurar el Control Room");
  await says(page.locator("#why"), "VM-01: El equipo está en mantenimiento");
  await open(page, "/sam");
  await says(page.locator("#queue"), "P7_Facturas");
  await says(page.locator(".notice"), "Falta configurar el Control Room");

  // Put back in service from its own page, the reason goes.
  await open(page, `/sam/equipos/${runners[0].id}`);
  await page.getByRole("button", { name: "Poner en servicio" }).click();
  await eventually(
    async () => !(await page.locator("#why").textContent()).includes("mantenimiento"),
    "no longer in maintenance",
  );
});

journey("a run starts, and its life is told", { ...PLACE, clock: "system" }, async ({ turno, page, shot }) => {
  const port = await freePort();
  const room = spawn(binary(), ["sim", "a360", "--listen", `127.0.0.1:${port}`], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  try {
    await eventually(() => fetch(`${url}/sim/state`).then((it) => it.ok, () => false), "the room");
    const settings = { permissive: true, start_seconds: 0.2, duration_seconds: 600 };
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/sim/settings`, { method: "PUT", headers, body: JSON.stringify(settings) });
    const { robot, runners } = await fill(turno);
    const set = (key, valor) => turno.api("PUT", `${SAM}/configuracion/${key}`, { valor });
    await set("LANZADOR_SYNC_HABILITAR", false);
    await set("A360_USUARIO", "sam");
    await set("A360_API_KEY", "clave");
    await set("A360_URL", url);
    await open(page, "/sam");
    await turno.api("POST", `${SAM}/asignaciones`, { robot_id: robot.id, equipo_id: runners[0].id });
    // The page hears of it by itself.
    await page.locator(".gantt-bar.info").first().waitFor();
    await shot("running");
    const { items } = await turno.api("GET", `${SAM}/ejecuciones`);
    await open(page, `/sam/ejecuciones/${items[0].id}`);
    await says(page.locator("#timeline"), "Por desplegar");
    await says(page.locator("#timeline"), "Desplegada");
    const [deployment] = await (await fetch(`${url}/sim/deployments`)).json();
    await fetch(`${url}/sim/deployments/${deployment.deploymentId}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ status: "RUN_FAILED" }),
    });
    await says(page.locator("#timeline"), "Fallida");
    await shot("failed");
    await open(page, "/sam");
    await says(page.locator("#troubles"), "P7_Facturas");
  } finally {
    room.kill("SIGKILL");
  }
});

const SCREENS = [
  "",
  "/robots",
  "/robots/1",
  "/equipos",
  "/equipos/1",
  "/pools",
  "/programaciones",
  "/programaciones/nueva",
  "/programaciones/semana",
  "/programaciones/perdidos",
  "/programaciones/solapamientos",
  "/programaciones/feriados",
  "/ejecuciones",
  "/balanceador",
  "/balanceador/simular?t1=25&supuesto=si&desalojo=si",
  "/analisis",
  "/mapeos",
  "/configuracion",
  "/auditoria",
];

for (const [locale, colorScheme] of [["es-AR", "light"], ["en-GB", "dark"]]) {
  journey(
    `every screen can be used, ${locale} ${colorScheme}`,
    { ...PLACE, locale, colorScheme },
    async ({ turno, page }) => {
      await fill(turno);
      await turno.api("PUT", `${SAM}/tickets`, { proveedor: "P", robot: "P7_Facturas", pendientes: 25 });
      await turno.advance(120);
      for (const screen of SCREENS) {
        await page.goto(`/sam${screen}`);
        assert.deepEqual(await violations(page), [], screen);
        await page.setViewportSize({ width: 400, height: 800 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 400, `${screen} is ${wide} wide on a telephone`);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
    },
  );
}

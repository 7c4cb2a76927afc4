// The way of somebody who is here for the first time, in an empty house, from the home page to what the
// application is for: no more presses than told here, and nothing to look for.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { journey } from "./lib.mjs";
import { eventually, says } from "./shop.mjs";
import { binary, freePort } from "./turno.mjs";

/** Counts what a person presses and fills in. */
function hand(page) {
  const done = { presses: 0, fields: 0, since: Date.now() };
  return {
    press: async (where) => {
      // Nobody is quicker than the page.
      await page.waitForLoadState("load");
      await where.first().click();
      done.presses += 1;
    },
    fill: async (where, value) => {
      await where.first().fill(value);
      done.fields += 1;
    },
    most: (presses, fields) => {
      const took = ((Date.now() - done.since) / 1000).toFixed(1);
      console.log(`${done.presses} presses, ${done.fields} fields, ${took} s`);
      assert.ok(done.presses <= presses, `${done.presses} presses`);
      assert.ok(done.fields <= fields, `${done.fields} fields`);
    },
    done,
    dialog: page.locator("dialog[open]"),
    /** A page of the application in the rail. */
    to: (name) => page.locator(".rail-group:not([hidden]) a", { hasText: name }),
  };
}

const alone = (app, more = {}) => ({ clock: "system", args: ["--apps", app], ...more });

journey("first order, cooked and handed over", alone("pedidos"), async ({ page }) => {
  await page.goto("/");
  const { press, fill, most, dialog, to } = hand(page);
  await press(page.getByRole("link", { name: "Abrir el mostrador" }));
  await page.locator("#live[data-state=live]").waitFor();
  await press(page.getByRole("button", { name: /Nuevo pedido/ }));
  await fill(dialog.getByLabel("Nombre"), "Hamburguesa");
  await fill(dialog.getByLabel("Precio"), "8900");
  await press(dialog.getByRole("button", { name: "Agregar" }));
  await press(dialog.getByRole("button", { name: /Confirmar/ }));
  await dialog.waitFor({ state: "detached" });
  await press(to("Cocina"));
  await press(page.locator(".ticket").getByRole("button", { name: /Listo/ }));
  await press(page.locator("a[href='/mostrador']"));
  const ready = page.locator("[data-column=LISTO]");
  await press(ready.getByRole("button", { name: "Cobrar" }));
  await press(dialog.locator("[type=submit]"));
  await press(ready.getByRole("button", { name: "Entregar" }));
  await says(ready, "Nada por entregar");
  most(10, 2);
});

const TABLET = { width: 1200, height: 750 };
const office = alone("docproc", { viewport: TABLET });

journey("first document, sent, reviewed and answered", office, async ({ turno, page }) => {
  const file = path.join(turno.dir, "factura de un proveedor con un nombre muy largo, marzo de 2026.txt");
  fs.writeFileSync(file, "FACTURA\nNúmero: F-2026-0042\nFecha 12/03/2026\nPapelera del Sur\nTotal 121,00\n");
  await page.goto("/");
  const { press, fill, most, done } = hand(page);
  await press(page.getByRole("link", { name: "Subir un documento" }));
  const chooser = page.waitForEvent("filechooser");
  await press(page.getByText("Elegir archivos"));
  await (await chooser).setFiles([file]);
  done.presses += 1;
  await press(page.getByRole("button", { name: "Enviar" }));
  await press(page.getByRole("link", { name: "Revisar ahora" }));
  await fill(page.getByLabel("Operador"), "ana");
  await press(page.getByRole("button", { name: "Entrar" }));
  const station = page.locator("#station");
  await eventually(() => station.getAttribute("data-task"), "a task", 20_000);
  const submit = await page.locator("[data-do=submit]").boundingBox();
  assert.ok(submit.x + submit.width <= TABLET.width, "a long name pushes nothing off the screen");
  await press(page.locator("label:has([name=doc_type][value=invoice])"));
  await press(page.getByRole("button", { name: /Enviar y seguir/ }));
  const { items } = await turno.api("GET", "/api/docproc/requests");
  let answered = "";
  const settled = async () => {
    const { status } = await turno.api("GET", `/status/${items[0].id}`);
    if (status === "completed") return true;
    const [kind, task] = [await station.getAttribute("data-kind"), await station.getAttribute("data-task")];
    if (kind === "extraction" && task && task !== answered) await press(page.getByRole("button", { name: /Enviar y seguir/ }));
    if (kind === "extraction") answered = task;
    return false;
  };
  await eventually(settled, "an answer", 40_000);
  // Nothing waits: no empty paper, nothing that cannot be pressed.
  await says(station, "No hay tareas por revisar");
  assert.ok(await page.locator("#actions").isHidden());
  most(10, 1);
});

journey("first OLT, with a node and its reading", alone("coordinador"), async ({ page }) => {
  const [port, control] = [await freePort(), await freePort()];
  const args = ["sim", "olt", "--count", "1", "--onus", "16", "--port", String(port), "--control", `127.0.0.1:${control}`];
  const network = spawn(binary(), args, { stdio: "ignore" });
  try {
    await page.goto("/");
    const { press, fill, most, dialog } = hand(page);
    await press(page.getByRole("link", { name: "Agregar una OLT" }));
    await fill(dialog.locator("[name=abreviatura]"), "CENTRO-01");
    await fill(dialog.locator("[name=ip_address]"), "127.0.0.1");
    await fill(dialog.locator("[name=puerto]"), String(port));
    await fill(dialog.locator("[name=comunidad]"), "public");
    await press(dialog.locator("[type=submit]"));
    await press(page.getByRole("link", { name: "CENTRO-01" }));
    await press(page.locator("[data-new=node]"));
    await fill(dialog.locator("[name=nombre]"), "Descubrimiento");
    await press(dialog.locator("[type=submit]"));
    await press(page.locator("#nodos").getByRole("link", { name: "Descubrimiento" }));
    assert.match(await page.title(), /CENTRO-01 · Descubrimiento/, "whose node it is");
    await press(page.getByRole("button", { name: "Ejecutar ahora" }));
    await says(page.locator("#historia"), "Completada");
    most(7, 5);
  } finally {
    network.kill("SIGKILL");
  }
});

journey("first Control Room, and a run of a robot", alone("sam", { env: { SAM_CALLBACK_PORT: "off" } }), async ({ page }) => {
  const port = await freePort();
  const room = spawn(binary(), ["sim", "a360", "--listen", `127.0.0.1:${port}`], { stdio: "ignore" });
  try {
    await eventually(() => fetch(`http://127.0.0.1:${port}/sim/state`).then((it) => it.ok, () => false), "the room");
    await page.goto("/");
    const { press, fill, most, dialog, to } = hand(page);
    await press(page.getByRole("link", { name: "Conectar un Control Room" }));
    await fill(page.locator("[name='value.A360_URL']"), `http://127.0.0.1:${port}`);
    await fill(page.locator("[name='value.A360_USUARIO']"), "sam");
    await fill(page.locator("[name='value.A360_API_KEY']"), "clave");
    await press(page.locator("#save-bar .primary"));
    await says(page.locator(".toast"), "se guardaron");
    await press(to("Robots"));
    await press(page.locator("tbody th a"));
    await press(page.getByRole("button", { name: "Ejecutar ahora" }));
    await fill(dialog.getByLabel("Motivo"), "a prueba");
    await press(dialog.locator("[type=submit]"));
    await says(page.locator("main"), /En curso|Desplegada|En cola|Completada/);
    most(6, 4);
  } finally {
    room.kill("SIGKILL");
  }
});

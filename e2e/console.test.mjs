// Running the house: settings, audit, people, keys, problems, alerts, events.

import assert from "node:assert/strict";

import { journey, violations } from "./lib.mjs";
import { card, closed, eventually, open, order, orders, says } from "./shop.mjs";

const PASSWORD = "una clave bien larga";
const LIMIT = "MAX_PEDIDOS_EN_PREPARACION";

/** People exist before the server starts: nobody could sign in to add the first. */
const guarded = {
  env: { TURNO_AUTH: "required" },
  prepare: (turno) => {
    for (const [name, role] of [
      ["ana", "ADMIN"],
      ["caja", "pedidos:CAJERO"],
      ["chef", "pedidos:COCINA"],
    ])
      turno.cli(["user", "add", name, "--role", role, "--password-stdin"], `${PASSWORD}\n`);
  },
};

async function signIn(page, name, password = PASSWORD) {
  await page.locator("#name").fill(name);
  await page.locator("#password").fill(password);
  await page.locator("form[action='/login'] [type=submit]").click();
}

journey("a setting is in force once saved", {}, async ({ turno, page, complaints, shot }) => {
  complaints.allow(/422/);
  await orders(turno, 10);
  await page.goto("/ajustes");
  await page.locator("main").getByRole("link", { name: /^Pedidos/ }).click();
  const row = page.locator(`#${LIMIT}`);
  const bar = page.locator("#save-bar");
  await says(row, "predeterminado");
  await bar.waitFor({ state: "hidden" });
  const set = (value) => row.locator("input[type=number]").fill(value);
  await set("10");
  await says(bar, "1 cambio sin guardar");
  await page.getByRole("button", { name: "Descartar" }).click();
  assert.equal(await row.locator("input[type=number]").inputValue(), "8");
  await bar.waitFor({ state: "hidden" });

  // Several at once: the bar tells the differences, one button saves them.
  await set("9");
  await page.getByLabel("Recordatorio de atrasos").fill("7");
  await says(bar, "2 cambios sin guardar");
  await says(bar, "Capacidad de la cocina: 8 → 9");
  await shot("bar");
  await bar.getByRole("button", { name: "Guardar" }).click();
  await says(page.locator(".notices"), "ya rigen");
  await says(row, "cambiado aquí");
  await says(row, "local");
  await says(row, "Predeterminado: 8");
  await says(row, "Antes: 8");
  assert.equal((await turno.api("GET", "/pedidos/9")).estado, "EN_PREPARACION");
  assert.equal((await turno.api("GET", "/pedidos/10")).estado, "RECIBIDO");
  await page.getByRole("button", { name: "Deshacer Recordatorio de atrasos" }).click();
  await says(page.locator(".notices"), "ya rige");
  assert.equal(await page.getByLabel("Recordatorio de atrasos").inputValue(), "5");

  // What the browser would not let through, the server refuses with words.
  await page.locator("#settings").evaluate((form) => (form.noValidate = true));
  await set("21");
  await bar.getByRole("button", { name: "Guardar" }).click();
  await says(row.locator(".error"), "Ese valor no se acepta");
  await says(row, "Vigente: 9");
  assert.equal(await row.locator("input[type=number]").inputValue(), "21");
  await shot("refused");

  await page.goto("/auditoria");
  const change = page.locator("tbody tr", { hasText: LIMIT }).first();
  await says(change.locator("del"), "8");
  await says(change.locator("ins"), "9");
  await page.getByRole("link", { name: "Verificar la cadena" }).click();
  await says(page.locator(".notice.good"), "La cadena está entera");
});

for (const [locale, name, none] of [
  ["es-AR", "Capacidad de la cocina", "Ningún ajuste"],
  ["en-GB", "Kitchen capacity", "No setting"],
]) {
  const phone = { locale, viewport: { width: 390, height: 844 } };
  journey(`settings are found on a phone, ${locale}`, phone, async ({ page, shot }) => {
    await page.goto("/ajustes/pedidos");
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(await wide(), 0, "nothing is wider than the phone");
    await page.locator("#q").fill("MAX_pedidos");
    await page.locator(".setting:not([hidden])").waitFor();
    assert.equal(await page.locator(".setting:not([hidden])").count(), 1);
    await shot("one");
    await page.keyboard.press("Enter");
    await page.waitForURL(/ajustes\?q=/);
    await page.getByRole("link", { name }).click();
    await page.waitForURL(/ajustes\/pedidos#/);
    await page.goto("/ajustes?q=no-hay-tal");
    await says(page.locator("main"), none);
    assert.equal(await wide(), 0);
  });
}

journey(
  "what the environment fixes is shown and locked",
  {
    env: { TURNO_PEDIDOS__MAX_PEDIDOS_EN_PREPARACION: "3" },
  },
  async ({ page }) => {
    await page.goto("/ajustes/pedidos");
    const row = page.locator(`#${LIMIT}`);
    await says(row, "entorno, fijado");
    assert.equal(await row.locator("output").textContent(), "3");
    assert.equal(await row.locator("input").count(), 0);
  },
);

journey("people and tokens", {}, async ({ turno, page, shot }) => {
  await page.goto("/usuarios");
  await says(page.locator("main"), "Todavía no hay usuarios");
  await page.locator("#user-name").fill("berta");
  await page.locator("#user-password").fill(PASSWORD);
  await page.locator("#user-pedidos").selectOption("CAJERO");
  await page.locator("#user-form [type=submit]").click();
  await says(page.locator("tbody tr", { hasText: "berta" }), "activo");

  await page.locator("#token-name").fill("impresora");
  await page.locator("#token-pedidos").selectOption("COCINA");
  await page.locator("#token-form [type=submit]").click();
  const secret = await page.locator("#secret").inputValue();
  assert.match(secret, /^turno_[0-9a-f]{64}$/);
  await shot("secret");
  const headers = { authorization: `Bearer ${secret}` };
  await turno.api("GET", "/comandas", undefined, { headers });
  await turno.api("GET", "/api/users", undefined, { headers, status: 403 });

  await page.goto("/usuarios");
  assert.doesNotMatch(await page.content(), new RegExp(secret));
  await page.locator("tr", { hasText: "impresora" }).locator("button.danger").click();
  await says(page.locator(".notices"), "El token ya no sirve.");
  await turno.api("GET", "/comandas", undefined, { headers, status: 401 });
});

journey("without a session there is only the door", guarded, async (stage) => {
  const { page, context, complaints, shot } = stage;
  complaints.allow(/401|403/);
  await page.goto("/mostrador");
  assert.equal(new URL(page.url()).pathname, "/login");
  await signIn(page, "ana", "no es esta clave");
  await says(page.locator("[role=alert]"), "El nombre o la contraseña no son correctos.");
  assert.equal(await page.locator("#name").inputValue(), "ana");
  await shot("wrong");
  await signIn(page, "ana");
  await page.waitForURL("**/mostrador");
  await says(page.locator(".who"), "ana");
  await page.goto("/");
  await page.getByRole("button", { name: "Cerrar sesión" }).click();
  await page.waitForURL("**/login");
  await page.goto("/usuarios");
  assert.equal(new URL(page.url()).pathname, "/login");

  const screen = await context.newPage();
  await screen.goto("/pantalla");
  await says(screen.locator("#ready"), "Todavía ninguno");
});

journey("the cook sees the kitchen and no customers", guarded, async (stage) => {
  const { turno, page, context, complaints } = stage;
  complaints.allow(/403/);
  const token = turno.cli(["token", "create", "caja", "--role", "pedidos:CAJERO"]);
  const headers = { authorization: `Bearer ${token}` };
  const seen = [];
  context.on("response", async (response) => {
    if (response.url().endsWith("/comandas") || response.url().endsWith("/tablero"))
      seen.push(await response.text().catch(() => ""));
  });
  await page.goto("/mostrador");
  await signIn(page, "chef");
  await page.waitForURL("**/cocina");
  const body = {
    modalidad: "DELIVERY",
    cliente_nombre: "Casimira",
    cliente_direccion: "Lavalle 900",
    articulos: [{ nombre: "Locro", peso: 2, cantidad: 1, precio: 7000 }],
  };
  await turno.api("POST", "/pedidos", body, { headers });
  await says(page.locator(".ticket"), "Locro");
  assert.ok(seen.some((text) => text.includes("Locro")));
  assert.doesNotMatch(seen.join("\n") + (await page.content()), /Casimira|Lavalle/);

  const answer = await page.goto("/usuarios");
  assert.equal(answer.status(), 403);
  await page.goto("/");
  assert.equal(new URL(page.url()).pathname, "/cocina", "one application: its first page");
  await page.goto("/eventos");
  assert.equal(await page.locator(".rail a[href='/mostrador']").count(), 0);
  assert.equal(await page.locator(".rail a[href='/cocina']").count(), 1);
});

journey("the cashier sells but does not run the kitchen", guarded, async ({ turno, page }) => {
  const token = turno.cli(["token", "create", "caja", "--role", "pedidos:CAJERO"]);
  const headers = { authorization: `Bearer ${token}` };
  const articulos = [{ nombre: "Locro", peso: 2, cantidad: 1, precio: 7000 }];
  await turno.api("POST", "/pedidos", { modalidad: "RETIRO", articulos }, { headers });
  await page.goto("/mostrador");
  await signIn(page, "caja");
  await card(page, 1, "EN_PREPARACION").waitFor();
  assert.ok(await page.locator("#pause-button").isHidden());
  await page.locator("[data-id='1'] [data-do=menu]").click();
  const menu = page.locator(".menu");
  await menu.locator("[data-do=charge]").waitFor();
  assert.equal(await menu.locator("[data-do=force], [data-do=recall]").count(), 0);
  assert.equal(await page.locator(".rail a[href='/pedidos-panel']").count(), 0);
});

journey("the keyboard reaches everything", {}, async ({ page, shot }) => {
  await page.goto("/ajustes");
  await page.keyboard.press("?");
  const help = page.locator("dialog.help");
  await says(help, "En toda la consola");
  await says(help, "Ctrl K");
  await page.keyboard.press("Escape");
  await closed(page);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("coci");
  await says(page.locator("dialog.palette [aria-selected=true]"), "Cocina");
  await shot("palette");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/cocina");
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await says(help, "Recuperar la última");

  await page.goto("/mostrador");
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await page.waitForURL("**/auditoria");
});

for (const [locale, kitchen, label] of [
  ["es-AR", "en cocina", "Menú"],
  ["en-GB", "in the kitchen", "Menu"],
]) {
  const phone = { locale, viewport: { width: 390, height: 844 } };
  journey(`home and menu on a phone, ${locale}`, phone, async ({ page, shot }) => {
    await page.goto("/");
    await says(page.locator(".figures").first(), kitchen);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(await wide(), 0, "nothing is wider than the phone");
    assert.ok((await page.locator(".tabbar .tab").count()) <= 5);
    assert.ok(await page.locator("#rail").isHidden());
    await page.getByRole("button", { name: label }).click();
    await page.locator("#rail a[href='/ajustes'] span").waitFor();
    await shot("menu");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#rail").isHidden());
    await page.goto("/pedidos-panel");
    await page.locator(".tabbar [aria-current=page]").waitFor();
  });
}

journey("the API's page finds an operation and shows its call", {}, async ({ page, shot }) => {
  await page.goto("/api/docs");
  await page.locator("#q").fill("post capacidad");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=post/);
  await says(page.locator("main"), "/capacidad-horarios");
  await page.goto("/api/docs?app=pedidos&q=post+%2Fpedidos");
  const operation = page.locator("#post-pedidos");
  await operation.locator("summary").click();
  await says(operation.locator("pre"), "curl -X POST 'http://127.0.0.1");
  await says(operation.locator("pre"), '"articulos"');
  await shot("operation");
  await page.goto("/api/docs?q=no-hay-tal-cosa");
  await says(page.locator("main"), "Ninguna operación");
});

for (const [locale, width, summary, place, found] of [
  ["es-AR", 1440, "Recibe un pedido.", "dirección", "cobra un pedido"],
  ["en-GB", 390, "Takes an order in.", "path", "charges an order"],
])
  journey(`the API's page speaks ${locale} at ${width}`, {
    locale,
    viewport: { width, height: 844 },
  }, async ({ page, context, shot }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/api/docs?app=pedidos");
    await says(page.locator("#post-pedidos summary"), summary);
    // It is found in one's own words.
    await page.locator("#q").fill(found);
    await page.keyboard.press("Enter");
    const charge = page.locator("#post-pedidos--id--cobrar");
    await charge.locator("summary").click();
    await says(charge, place);
    await charge.locator("[data-copy]").click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await eventually(async () => /^curl -X POST .*\/pedidos\/ID\/cobrar/.test(await copied()), "the call is copied");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.deepEqual(await violations(page), []);
    await shot("operations");
  });

for (const [locale, width, title, back] of [
  ["es-AR", 1440, /no existe/i, "Volver a"],
  ["en-GB", 390, /not found/i, "Back to"],
])
  journey(`from a thing that is not there one goes back, ${locale} at ${width}`, {
    locale,
    viewport: { width, height: 844 },
  }, async ({ page, complaints, shot }) => {
    complaints.allow(/404/);
    for (const [where, list] of [
      ["/sam/robots/999999", "/sam/robots"],
      ["/sam/equipos/999999", "/sam/equipos"],
      ["/sam/ejecuciones/999999", "/sam/ejecuciones"],
      ["/sam/programaciones/999999", "/sam/programaciones"],
      ["/coordinador/olts/999999", "/coordinador/olts"],
      ["/coordinador/nodos/999999", "/coordinador/nodos"],
      ["/coordinador/ejecuciones/999999", "/coordinador/ejecuciones"],
      ["/comandas/999999/impresion", "/mostrador"],
    ]) {
      const answer = await page.goto(where);
      assert.equal(answer.status(), 404, where);
      assert.match(await page.locator("main").textContent(), title, where);
      await page.getByRole("link", { name: back }).click();
      await page.waitForURL((url) => url.pathname === list);
    }
    await page.goto("/sam/robots/999999");
    assert.deepEqual(await violations(page), []);
    await shot("missing");
  });

for (const [locale, title, back] of [
  ["es-AR", /no existe/i, "Ir al inicio"],
  ["en-GB", /no such|not found/i, "Go to the start"],
])
  journey(`a wrong address says so, ${locale}`, { locale }, async ({ page, complaints }) => {
    complaints.allow(/404/);
    const answer = await page.goto("/no-hay-nada");
    assert.equal(answer.status(), 404);
    assert.match(await page.locator("main").textContent(), title);
    await page.getByRole("link", { name: back }).click();
    await page.waitForURL((url) => url.pathname === "/");
  });

journey("language and colours are kept", {}, async ({ page }) => {
  await page.goto("/alertas");
  await page.locator(".top a[lang=en]").click();
  await says(page.locator("h1"), "Alerts");
  await page.goto("/eventos");
  await says(page.locator("h1"), "Events");
  const theme = () => page.locator("html").getAttribute("data-theme");
  const before = await theme();
  await page.getByRole("link", { name: "Change colours" }).click();
  const chosen = await eventually(async () => {
    const now = await theme();
    return now !== before && now;
  }, "the colours change");
  await page.goto("/ajustes");
  assert.equal(await theme(), chosen);
});

journey("an alert is raised, taken over, muted and resolved", {}, async (stage) => {
  const { turno, page, shot } = stage;
  await open(page, "/alertas");
  await says(page.locator("#alerts"), "Nada anda mal");
  await order(turno);
  await turno.advance(25 * 60);
  const alert = () => page.locator("#alerts tbody tr").first();
  await says(alert(), "más de 10 min de atraso");
  assert.doesNotMatch(await alert().textContent(), /late/, "one language at a time");
  await page.reload();
  const mark = page.locator("#rail a[href='/alertas'] .mark");
  await says(mark, "la peor, advertencia");
  await alert().getByRole("link", { name: /más de 10 min/ }).click();
  await page.waitForURL("**/mostrador?pedido=1");

  await page.goto("/alertas");
  await alert().getByText("Hacerse cargo").click();
  await alert().getByLabel("Motivo").first().fill("llega otra persona");
  await shot("reason");
  await alert().getByRole("button", { name: "Confirmar" }).click();
  await says(page.locator(".notices"), "Alerta reconocida");
  await says(alert(), "local");
  await says(alert(), "llega otra persona");
  await alert().getByText("Silenciar", { exact: true }).first().click();
  await alert().getByLabel("Motivo").fill("obra en la cocina");
  await alert().getByRole("button", { name: "Silenciar" }).click();
  await says(page.locator(".notices"), "Alerta silenciada");
  await says(alert(), "obra en la cocina");
  assert.equal(await mark.count(), 0, "what is muted is not counted");
  await shot("muted");
  await page.goto("/auditoria");
  await says(page.locator("tbody tr", { hasText: "alert.mute" }), "obra en la cocina");

  await open(page, "/alertas");
  await turno.api("PUT", "/pedidos/1/estado", { estado: "LISTO" });
  await turno.advance(60);
  await says(page.locator("#alerts"), "Resueltas");
  await says(page.locator("#alerts"), "Nada anda mal");
});

journey("events arrive while they are watched", {}, async ({ turno, page }) => {
  await open(page, "/eventos");
  await says(page.locator("#events"), "Ningún evento");
  await order(turno, { cliente_nombre: "Olga" });
  const created = page.locator("#events tbody tr", { hasText: "pedido:creado" });
  await created.waitFor();
  await created.locator("summary").click();
  await says(created.locator("pre"), "Olga");
  await page.goto("/eventos?name=capacidad:actualizada");
  await says(page.locator("#events tbody"), "capacidad:actualizada");
  assert.equal(await page.locator("#events tbody tr", { hasText: "pedido:creado" }).count(), 0);
});

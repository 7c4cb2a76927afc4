// Every page in both languages and both colours: no axe violation, no error, no foreign request.

import assert from "node:assert/strict";

import { journey, violations } from "./lib.mjs";
import { after, choose, closed, fillMenu, move, open, order, orders } from "./shop.mjs";

const LIVE = ["/mostrador", "/cocina", "/pantalla", "/pedidos-panel", "/", "/eventos", "/alertas"];
const STILL = ["/sistema", "/api/docs", "/ajustes", "/ajustes/coordinador", "/ajustes/docproc", "/ajustes/pedidos", "/ajustes/sam", "/auditoria", "/usuarios", "/login"];
const LOOKS = ["light", "dark"].flatMap((theme) => ["es", "en"].map((lang) => ({ theme, lang })));
const LOCALES = { es: "es-AR", en: "en-GB" };

/** A shop with something to show everywhere: late, risky, scheduled, held, changed, ready. */
async function furnish(turno) {
  const menu = await fillMenu(turno);
  const line = (name, more) => ({ articulo_id: menu[name].id, cantidad: 2, ...more });
  const burger = line("Hamburguesa clásica", { observaciones: "sin sal" });
  await orders(turno, 2, {
    articulos: [burger],
    cliente_nombre: "Tomás",
    observaciones: "Timbre 4",
  });
  await turno.advance(11 * 60);
  await order(turno, { horario_entrega: after(90), modalidad: "DELIVERY", cliente_direccion: "Belgrano 321" });
  await orders(turno, 6, { articulos: [burger, line("Flan casero")] });
  await order(turno, { transicion_automatica: false });
  await order(turno, { origen_pedido: "WEB", medio_pago: "MERCADOPAGO" });
  await move(turno, 4, "LISTO");
  await turno.api("PUT", "/pedidos/5", { articulos: [line("Flan casero")] });
  await turno.api("POST", "/capacidad-horarios", { desde: "20:00", hasta: "23:00", capacidad: 9 });
  const grants = [{ app: "pedidos", role: "CAJERO" }];
  await turno.api("POST", "/api/users", { name: "ana", password: "una clave larga", grants });
  await turno.api("POST", "/api/tokens", { name: "caja", grants });
}

const DIALOGS = [
  ["F1", "form"],
  ["?", "help"],
  ["Control+k", "palette"],
  ["x", "cancel"],
];

for (const { theme, lang } of LOOKS) {
  const options = { locale: LOCALES[lang], colorScheme: theme };
  journey(`every page, ${theme}, ${lang}`, options, async ({ turno, page, shot }) => {
    const found = [];
    const inspect = async (label) => {
      assert.equal(await page.locator("html").getAttribute("lang"), lang);
      await shot(label);
      found.push(...(await violations(page)).map((one) => `${label}: ${one}`));
    };
    await furnish(turno);
    for (const where of LIVE) {
      await open(page, where);
      await inspect(where);
    }
    for (const where of STILL) {
      await page.goto(where);
      await inspect(where);
    }
    await open(page, "/mostrador");
    await choose(page, 5);
    await page.keyboard.press("w");
    await page.locator("#why .ready-now, #why .reasons").waitFor();
    for (const [key, label] of DIALOGS) {
      await page.keyboard.press(key);
      await page.locator("dialog[open]").waitFor();
      if (key === "F1") await page.locator(".tile").first().waitFor();
      await inspect(label);
      await page.keyboard.press("Escape");
      await closed(page);
    }
    assert.deepEqual(found, [], "not accessible");
  });
}

// The pictures of the documents: a busy Friday evening, always the same one (`node evening.mjs`).

import assert from "node:assert/strict";
import fs from "node:fs";
import { fileURLToPath } from "node:url";

import { browser, closeBrowser } from "./browser.mjs";
import { open } from "./shop.mjs";
import { Turno } from "./turno.mjs";

const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
const LARGEST = 150_000;
const PASSWORD = "una clave para la foto";
const START = "2026-03-06T23:20:00Z"; // 20:20 in Buenos Aires

const MENU = {
  muzza: {
    nombre: "Pizza muzzarella",
    categoria: "Pizzas",
    precio: 12500,
    peso: 3,
    estacion: "Horno",
  },
  fuga: { nombre: "Fugazzeta", categoria: "Pizzas", precio: 14200, peso: 3, estacion: "Horno" },
  empanadas: {
    nombre: "Empanada de carne",
    categoria: "Horno",
    precio: 1900,
    peso: 1,
    estacion: "Horno",
  },
  burger: {
    nombre: "Hamburguesa completa",
    categoria: "Plancha",
    precio: 11800,
    peso: 2,
    estacion: "Plancha",
  },
  lomito: {
    nombre: "Lomito con papas",
    categoria: "Plancha",
    precio: 15600,
    peso: 3,
    estacion: "Plancha",
  },
  papas: {
    nombre: "Papas fritas",
    categoria: "Plancha",
    precio: 5400,
    peso: 1,
    estacion: "Plancha",
  },
  ensalada: {
    nombre: "Ensalada César",
    categoria: "Fríos",
    precio: 8700,
    peso: 1,
    estacion: "Fríos",
  },
  flan: { nombre: "Flan con crema", categoria: "Fríos", precio: 4300, peso: 1, estacion: "Fríos" },
};

const away = (direccion) => ({ modalidad: "DELIVERY", cliente_direccion: direccion });
const wanted = (clock) => ({ horario_entrega: `2026-03-06T${clock}:00-03:00` });
const paid = { estado_pago: "PAGADO" };

/** Minutes to let pass, then the order: who, what, and what is special about it. */
const EVENING = [
  [0, "Graciela", { fuga: 1, empanadas: 6 }, { ...wanted("20:45"), ...away("Moreno 1540") }],
  [6, "Nicolás", { lomito: 2, papas: 1 }, { origen_pedido: "TELEFONO" }],
  [1, "Familia Paz", { muzza: 2, ensalada: 1 }, { ...paid, ...away("Belgrano 233, 4.º B") }],
  [4, "Ramiro", { burger: 2, papas: 2 }, { origen_pedido: "WHATSAPP" }],
  [1, "Estela", { empanadas: 12 }, { ...paid, observaciones: "Bien cocidas" }],
  [1, "Joaquín", { lomito: 1, flan: 1 }, { origen_pedido: "WEB", ...paid }],
  [2, "Mónica", { muzza: 1, fuga: 1 }, { origen_pedido: "TELEFONO" }],
  [1, "Iván", { burger: 1, papas: 1 }, { nota: "sin cebolla" }, { ready: 43 }],
  [1, "Lorena", { ensalada: 2 }, paid],
  [1, "Pablo", { burger: 3, papas: 1, flan: 3 }, { origen_pedido: "WHATSAPP" }, { ready: 45 }],
  [1, "Silvia", { muzza: 1 }, { transicion_automatica: false, ...paid }],
  [0, "Verónica", { lomito: 1, papas: 1 }, { observaciones: "Cubiertos para dos" }],
  [1, "Martín", { fuga: 1 }, { origen_pedido: "WHATSAPP", ...away("Sarmiento 88") }],
  [0, "Teresa", { lomito: 4, papas: 4 }, { ...wanted("21:30"), ...paid }],
  [0, "Club Atlético", { muzza: 8 }, { ...wanted("22:15"), ...away("Rivadavia 4100") }],
  [0, "Hernán", { empanadas: 24 }, { ...wanted("22:30"), origen_pedido: "TELEFONO" }],
];

const turno = await Turno.start({
  now: START,
  env: { TURNO_AUTH: "required" },
  prepare: (house) => {
    const add = ["user", "add", "carla", "--role", "pedidos:GERENTE", "--password-stdin"];
    house.cli(add, `${PASSWORD}\n`);
  },
});
const secret = turno.cli(["token", "create", "foto", "--role", "ADMIN"]);
const headers = { authorization: `Bearer ${secret}` };
const api = (method, where, body) => turno.api(method, where, body, { headers });
const move = (id, estado) => api("PUT", `/pedidos/${id}/estado`, { estado });

async function earlier(articles, count) {
  for (let id = 1; id <= count; id += 1) {
    const articulos = [{ articulo_id: articles.burger, cantidad: 1 }];
    await api("POST", "/pedidos", { modalidad: "RETIRO", articulos, estado_pago: "PAGADO" });
    await move(id, "LISTO");
    await move(id, "ENTREGADO");
  }
}

async function evening(articles) {
  for (const [minutes, name, items, { nota, ...more }, { ready } = {}] of EVENING) {
    if (minutes) await api("POST", "/debug/clock", { advance_seconds: minutes * 60 });
    if (ready) await move(ready, "LISTO");
    const articulos = Object.entries(items).map(([key, cantidad], index) => ({
      articulo_id: articles[key],
      cantidad,
      observaciones: index ? undefined : nota,
    }));
    await api("POST", "/pedidos", {
      modalidad: "RETIRO",
      cliente_nombre: name,
      articulos,
      ...more,
    });
  }
}

/** One item already done, one order changed while it cooks. */
async function handiwork(articles) {
  const tickets = await api("GET", "/comandas");
  const { id } = tickets.find((ticket) => ticket.pedido_id === 41);
  await api("POST", `/comandas/${id}/lineas/1/lista`, {});
  const lines = [
    { articulo_id: articles.lomito, cantidad: 1 },
    { articulo_id: articles.papas, cantidad: 1 },
  ];
  await api("PUT", "/pedidos/46", { articulos: lines });
}

async function photograph(page, where, file) {
  await open(page, where);
  await page.locator(".order, .ticket").first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  const png = await page.screenshot({ path: images + file });
  assert.ok(png.length < LARGEST, `${file} has ${png.length} bytes`);
  console.log(`docs/images/${file}: ${Math.round(png.length / 1024)} KB`);
}

try {
  const articles = {};
  for (const [key, article] of Object.entries(MENU))
    articles[key] = (await api("POST", "/articulos", article)).id;
  await earlier(articles, 40);
  await evening(articles);
  await handiwork(articles);

  fs.mkdirSync(images, { recursive: true });
  const context = await (
    await browser()
  ).newContext({
    baseURL: turno.url,
    locale: "es-AR",
    colorScheme: "light",
    viewport: { width: 1200, height: 750 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto("/login");
  await page.locator("#name").fill("carla");
  await page.locator("#password").fill(PASSWORD);
  await page.locator("form[action='/login'] [type=submit]").click();
  await page.waitForURL(`${turno.url}/`);
  await photograph(page, "/mostrador", "mostrador.png");
  await photograph(page, "/cocina", "cocina.png");
} finally {
  await closeBrowser();
  await turno.stop();
}

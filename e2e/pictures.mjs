// One picture of every page, wide and narrow, in both languages and both colours, of the demo house;
// and a sheet to look at them all. `make pictures` writes them to target/pictures.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { browser, closeBrowser } from "./browser.mjs";
import { Turno, target } from "./turno.mjs";
import { drawn, places, slug } from "./walk.mjs";

const out = path.join(target, "pictures");
const WIDTHS = { 1440: 900, 390: 844 };
const LOCALES = { es: "es-AR", en: "en-GB" };
const THEMES = ["light", "dark"];
/** A page that is longer is cut: it is looked at, not read. */
const TALLEST = 6_000;
/** How long the demo is left alone before it is looked at, in seconds. */
const SETTLE = Number(process.env.SETTLE ?? 45);

const looks = Object.keys(WIDTHS).flatMap((width) =>
  Object.keys(LOCALES).flatMap((lang) => THEMES.map((theme) => ({ width, lang, theme }))),
);

async function photograph(page, where, file, wide) {
  await drawn(page, where);
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  const across = await page.evaluate(() => document.documentElement.scrollWidth);
  // As tall as it is: what stands at the foot of the screen then stands at the foot of the picture.
  const height = Math.min(Math.max(tall, WIDTHS[wide]), TALLEST);
  await page.setViewportSize({ width: wide, height });
  await page.screenshot({ path: path.join(out, file) });
  await page.setViewportSize({ width: wide, height: WIDTHS[wide] });
  return { tall, across };
}

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

function sheet(rows) {
  const cell = ({ file, width, lang, theme, across }) => {
    const wrong = across > Number(width) ? ` <b>${across} px wide</b>` : "";
    return `<figure><a href="${file}"><img loading="lazy" src="${file}" alt=""></a>
<figcaption>${width} ${lang} ${theme}${wrong}</figcaption></figure>`;
  };
  const part = ([where, pictures]) =>
    `<section><h2>${escaped(where)}</h2><div>${pictures.map(cell).join("\n")}</div></section>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Turno, page by page</title><style>
body{font:14px system-ui;margin:24px;background:#f3f4f6}h2{font-size:16px;margin:28px 0 8px}
section>div{display:flex;flex-wrap:wrap;gap:12px;align-items:start}figure{margin:0}
img{height:320px;max-width:560px;object-fit:cover;object-position:top;border:1px solid #ccd;background:#fff}
figcaption{color:#556}b{color:#b00}</style></head><body><h1>Turno, page by page</h1>
${[...rows].map(part).join("\n")}</body></html>`;
}

/** Those of the documents, small enough to be in the repository: `node pictures.mjs docs`. */
const DOCS = {
  "inicio.png": "/",
  "mostrador.png": "/mostrador",
  "cocina.png": "/cocina",
  "revision.png": "/backoffice/siguiente?operator=ana",
  "solicitud.png": /^\/docproc\/solicitudes\/./,
  "plan.png": "/coordinador/plan",
};
const LARGEST = 200_000;

async function forDocuments(turno) {
  const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
  const context = await (await browser()).newContext({
    baseURL: turno.url,
    locale: LOCALES.es,
    colorScheme: "light",
    viewport: { width: 1200, height: 750 },
    reducedMotion: "reduce",
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  const all = await places(page);
  for (const [file, which] of Object.entries(DOCS)) {
    await drawn(page, all.find((where) => (which.test ? which.test(where) : which === where)));
    const png = await page.screenshot({ path: images + file });
    if (png.length > LARGEST) throw new Error(`${file} has ${png.length} bytes`);
    console.log(`docs/images/${file}: ${Math.round(png.length / 1024)} KB`);
  }
  await context.close();
}

const wanted = process.argv.slice(2);
const turno = await Turno.start({
  readyWithin: 150_000,
  clock: "system",
  args: ["--demo"],
  env: { DOCPROC_BACKOFFICE_PORT: "off" },
});
try {
  await pause(SETTLE * 1_000);
  if (wanted[0] === "docs") {
    await forDocuments(turno);
  } else await everything();
} finally {
  await closeBrowser();
  await turno.stop();
}

async function everything() {
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  const rows = new Map();
  let all = null;
  for (const look of looks) {
    const { width, lang, theme } = look;
    const context = await (await browser()).newContext({
      baseURL: turno.url,
      locale: LOCALES[lang],
      colorScheme: theme,
      viewport: { width: Number(width), height: WIDTHS[width] },
      reducedMotion: "reduce",
      serviceWorkers: "block",
    });
    const page = await context.newPage();
    all ??= (await places(page)).filter((where) => !wanted.length || wanted.some((part) => where.includes(part)));
    for (const where of all) {
      const file = `${slug(where)}-${width}-${lang}-${theme}.png`;
      const seen = await photograph(page, where, file, Number(width)).catch((error) => ({ error }));
      if (seen.error) console.error(`${where}: ${seen.error.message.split("\n")[0]}`);
      else rows.set(where, [...(rows.get(where) ?? []), { file, ...look, ...seen }]);
    }
    await context.close();
    console.log(`${width} ${lang} ${theme}: ${all.length} pages`);
  }
  fs.writeFileSync(path.join(out, "index.html"), sheet(rows));
  console.log(`${path.relative(process.cwd(), out)}/index.html`);
}

// Every page of a house: those in its menus, and the first of each thing that has a page of its own.

/** Beside the menus: what is met when nobody signed in, nothing is there, or the network is away. */
const ASIDE = ["/login", "/no-hay-tal-pagina", "/sin-conexion"];
const DESK = ["/backoffice?operator=ana", "/backoffice/siguiente?operator=ana"];

/** Pages that are somebody's paper or file, not a screen. */
const isScreen = (href) => /^\/(?!api\/|assets\/|logout|preferencias)[^?#]*$/.test(href);

/** The addresses of all pages, menus first. */
export async function places(page) {
  await page.goto("/");
  const links = (selector) =>
    page.locator(selector).evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const menu = [...new Set(["/", ...(await links(".rail-group a"))])];
  const found = new Set(menu);
  for (const where of menu) {
    await page.goto(where);
    const inside = await links("main tbody a[href^='/'], main .cards a[href^='/']");
    const first = inside.find((href) => isScreen(href) && !menu.includes(href));
    if (first) found.add(first);
  }
  const desk = menu.includes("/backoffice") ? DESK : [];
  return [...found, ...desk, ...ASIDE];
}

/** `/docproc/solicitudes/0198…` as part of a file's name. */
export const slug = (where) =>
  where
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27,}/g, "uno")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "") || "inicio";

/** Waits until a page has drawn itself. */
export async function drawn(page, where) {
  await page.goto(where);
  await page.locator("[aria-busy=true]").waitFor({ state: "detached", timeout: 5_000 }).catch(() => {});
  // Pictures inside drawings are no images of the document: they are there once they were fetched.
  await page.evaluate(async () => {
    await document.fonts.ready;
    const drawn = [...document.querySelectorAll("svg image")].map((one) => one.href.baseVal);
    await Promise.all(drawn.map((href) => fetch(href).then((answer) => answer.blob()).catch(() => {})));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

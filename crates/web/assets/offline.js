// The worker that answers for pages while the network is away, and what it answers with. Browsers allow it
// on this machine and over https; elsewhere a page that is open goes on, and one that is loaded without a
// network is the browser's own.

const CACHE = "turno";
const OFFLINE = "/sin-conexion";
const worker = navigator.serviceWorker;

const registered = worker
  ? worker.register("/sw.js", { scope: "/" }).catch(() => null)
  : Promise.resolve(null);

/** One copy of each address, whatever its version was. */
async function keepOne(cache, url) {
  const response = await fetch(url, { cache: "no-cache" }).catch(() => null);
  if (!response?.ok || response.redirected) return;
  await cache.delete(url, { ignoreSearch: true });
  await cache.put(url, response);
}

/** This page, with all that it is made of, shall be there without a network. */
export async function keepPage() {
  if (!(await registered)) return;
  const { active } = await worker.ready;
  const assets = performance.getEntriesByType("resource").map(({ name }) => name);
  active?.postMessage({ keep: [document.body.dataset.icons, ...assets] });
  // In the language and colours of who reads, which the worker does not know.
  await keepOne(await caches.open(CACHE), location.origin + location.pathname);
}

/** The page that says that there is no network, once for each language and colours. */
async function keepOffline() {
  const { lang, dataset } = document.documentElement;
  const look = `${lang} ${dataset.theme}`;
  if (!(await registered) || sessionStorage.getItem(OFFLINE) === look) return;
  await keepOne(await caches.open(CACHE), OFFLINE);
  sessionStorage.setItem(OFFLINE, look);
}
keepOffline().catch(() => {});

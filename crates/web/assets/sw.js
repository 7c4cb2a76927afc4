// Without a network: screens that were kept for it (`offline.js`) are shown as they were seen last, any
// other page says that there is no connection. With one, nothing here is between a page and the server.
// Only pages and their assets are kept; what the API says is each screen's own to keep.

const CACHE = "turno";
const OFFLINE = "/sin-conexion";
/** The page without a network, and what it is made of. */
const OWN = [
  OFFLINE,
  ...["turno.css", "parts.css", "frame.css", "aside.css", "icons.svg", "favicon.svg", "retry.js"].map(
    (file) => `/assets/web/${file}`,
  ),
];

const isAsset = ({ pathname }) => pathname.startsWith("/assets/");
const here = (url) => url.origin === self.location.origin;

/** One copy of each address, whatever its version was. */
async function put(url, response) {
  if (!response.ok || response.redirected || response.type !== "basic") return;
  const cache = await caches.open(CACHE);
  await cache.delete(url, { ignoreSearch: true });
  await cache.put(url, response);
}

const kept = async (url, options) => (await caches.open(CACHE)).match(url, options);

/** What no page has kept yet, in its reader's language and colours. */
async function begin(url) {
  if (await kept(url, { ignoreSearch: true })) return;
  const response = await fetch(url).catch(() => null);
  if (response) await put(url, response);
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(Promise.all(OWN.map(begin)));
});

/** What a screen is made of. Fetched here, it is not lost when somebody leaves the page meanwhile. */
self.addEventListener("message", (event) => {
  const assets = (event.data?.keep ?? []).map((one) => new URL(one, self.location.origin));
  const ours = assets.filter((url) => here(url) && isAsset(url));
  event.waitUntil(Promise.all(ours.map(({ href }) => begin(href))));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** Kept while it is up to date, shown when there is nothing newer. */
async function visit(request) {
  const url = new URL(request.url);
  const page = url.origin + url.pathname;
  try {
    const response = await fetch(request);
    if (await kept(page)) {
      // Whoever signs out leaves nothing behind for the next one.
      if (response.type === "opaqueredirect") await (await caches.open(CACHE)).delete(page);
      else await put(page, response.clone());
    }
    return response;
  } catch (error) {
    const known = (await kept(page)) ?? (await kept(OFFLINE));
    if (known) return known;
    throw error;
  }
}

async function asset(request) {
  const url = new URL(request.url);
  try {
    const response = await fetch(request);
    if (await kept(url.href, { ignoreSearch: true })) await put(url.href, response.clone());
    return response;
  } catch (error) {
    const known = await kept(url.href, { ignoreSearch: true });
    if (known) return known;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !here(url)) return;
  if (request.mode === "navigate") event.respondWith(visit(request));
  else if (isAsset(url)) event.respondWith(asset(request));
});

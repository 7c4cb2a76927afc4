// The page of a request: pages turn in place, fields and their evidence point at each other, and
// people steer. The server draws everything; here only what is chosen is remembered.

import { post } from "../web/api.js";
import { ask } from "../web/dialog.js";
import { $, $$ } from "../web/dom.js";
import { bind } from "../web/keys.js";
import { coalesce, subscribe } from "../web/live.js";
import { t } from "../web/text.js";
import { toast } from "../web/toast.js";
import { keepFresh, refresh } from "./refresh.js";

const region = $("#request");
const id = region.dataset.request;
const ZOOMS = ["", "zoom-2", "zoom-3"];

let chosen = null; // the field that was picked, by its key
let pointed = null; // the field under the mouse
let zoom = 0;

/** Morphing takes our marks off; they are put on again after every drawing. */
function mark({ scroll = false } = {}) {
  const key = pointed ?? chosen;
  for (const element of $$("[data-datum]", region)) {
    element.setAttribute("aria-pressed", String(element.dataset.datum === chosen));
    element.parentElement.classList.toggle("pointed", element.dataset.datum === key);
  }
  const boxes = $$("[data-box]", region);
  for (const box of boxes) box.classList.toggle("lit", box.dataset.box === key);
  $("#marks", region)?.classList.toggle("dim", boxes.some((box) => box.dataset.box === key));
  $("#sheet", region)?.classList.remove(...ZOOMS.filter(Boolean));
  if (zoom) $("#sheet", region)?.classList.add(ZOOMS[zoom]);
  if (scroll) centre(boxes.find((box) => box.dataset.box === key));
}

/** Brings a box to the middle of the sheet's window, without moving the page around it. */
function centre(box) {
  const frame = $("#sheet-scroll", region);
  if (!box || !frame) return;
  const [inner, outer] = [box.getBoundingClientRect(), frame.getBoundingClientRect()];
  frame.scrollBy({
    left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
    top: inner.top + inner.height / 2 - outer.top - outer.height / 2,
    behavior: "smooth",
  });
}

const again = async () => {
  if (await refresh(region)) mark();
};

async function turnTo(n) {
  if (String(n) === $("#viewer").dataset.page) return;
  const address = new URL(location.href);
  address.searchParams.set("pagina", Number(n) + 1);
  history.replaceState(null, "", address);
  await again();
  $(".thumbs [aria-current]", region)?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Chooses a field and brings its evidence into view, on whatever page that is. */
async function choose(key, { focus = false } = {}) {
  chosen = key;
  const button = $(`[data-datum="${key}"]`, region);
  if (button?.dataset.page !== undefined) await turnTo(button.dataset.page);
  mark({ scroll: true });
  if (!focus) return;
  button?.focus({ preventScroll: true });
  button?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const keys = $$("[data-datum]", region).map((button) => button.dataset.datum);
  if (!keys.length) return;
  const at = keys.indexOf(chosen);
  const next = at < 0 ? (by > 0 ? 0 : keys.length - 1) : at + by;
  choose(keys[Math.max(0, Math.min(keys.length - 1, next))], { focus: true });
}

function turn(by) {
  const link = $(by > 0 ? "a[rel=next]" : "a[rel=prev]", region);
  if (link) turnTo(link.dataset.page);
}

function magnify(by) {
  zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom + by));
  mark({ scroll: Boolean(chosen) });
}

function point(event) {
  const over = event.target.closest?.("[data-datum], [data-box]");
  const key = over?.dataset.datum ?? over?.dataset.box ?? null;
  if (key === pointed) return;
  pointed = key;
  mark();
}

/* Commands */
const address = (what) => `/api/docproc/requests/${id}/${what}`;

async function told(sending, text) {
  const result = await sending;
  if (result.ok) {
    toast(text, { tone: "good" });
    again();
  }
  return result;
}

const COMMANDS = {
  cancel: () =>
    ask({
      title: t("Cancelar la solicitud", "Cancel the request"),
      text: t(
        "No se procesará más; lo encontrado hasta ahora se conserva.",
        "It will not be processed further; what was found so far is kept.",
      ),
      fields: [{ name: "reason", label: t("Motivo", "Reason"), attrs: { maxlength: 500 } }],
      action: t("Cancelar la solicitud", "Cancel the request"),
      danger: true,
      submit: ({ reason }) =>
        told(
          post(address("cancel"), { reason: reason || null }, { quiet: true }),
          t("Solicitud cancelada", "Request cancelled"),
        ),
    }),
  reprocess: () =>
    ask({
      title: t("Reprocesar", "Process again"),
      text: t(
        "Se rehace desde la etapa elegida, con la misma versión del flujo.",
        "It is done again from the chosen stage, with the same version of the workflow.",
      ),
      fields: [
        {
          name: "from",
          label: t("Desde", "From"),
          type: "select",
          options: [...$("#stages").content.querySelectorAll("option")].map((option) => [
            option.value,
            option.textContent,
          ]),
        },
      ],
      action: t("Reprocesar", "Process again"),
      submit: ({ from }) =>
        told(
          post(address(`reprocess?from=${encodeURIComponent(from)}`), undefined, { quiet: true }),
          t("De nuevo en marcha", "On its way again"),
        ),
    }),
  replay: () => told(post(address("replay")), t("De nuevo en marcha", "On its way again")),
  copy: async () => {
    await navigator.clipboard.writeText($("#result-json").textContent).then(
      () => toast(t("Copiado", "Copied"), { tone: "good" }),
      () => toast(t("El navegador no deja copiar", "The browser refuses to copy"), { tone: "bad" }),
    );
  },
};

region.addEventListener("click", (event) => {
  const target = event.target;
  const page = target.closest("a[data-page]");
  if (page && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    turnTo(page.dataset.page);
    return;
  }
  const datum = target.closest("[data-datum]");
  if (datum) choose(datum.dataset.datum);
  const box = target.closest("[data-box]");
  if (box) choose(box.dataset.box, { focus: true });
  const lens = target.closest("[data-zoom]");
  if (lens) magnify(lens.dataset.zoom === "in" ? 1 : -1);
  COMMANDS[target.closest("[data-do]")?.dataset.do]?.();
});
region.addEventListener("pointerover", point);
region.addEventListener("focusin", (event) => {
  const datum = event.target.closest("[data-datum]");
  if (datum && datum.matches(":focus-visible") && datum.dataset.datum !== chosen)
    choose(datum.dataset.datum);
});

const HERE = t("En esta solicitud", "On this request");
bind(HERE, "j", t("Campo siguiente", "Next field"), () => step(1));
bind(HERE, "k", t("Campo anterior", "Previous field"), () => step(-1));
bind(HERE, "n", t("Página siguiente", "Next page"), () => turn(1));
bind(HERE, "p", t("Página anterior", "Previous page"), () => turn(-1));
bind(HERE, "+", t("Ampliar", "Zoom in"), () => magnify(1));
bind(HERE, "-", t("Reducir", "Zoom out"), () => magnify(-1));

const soon = coalesce(again);
subscribe(["docproc"], {
  event: ({ data }) => data?.request_id === id && soon(),
  resync: soon,
});
keepFresh(region, again);
mark();

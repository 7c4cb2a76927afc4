// Building elements. No handlers are attached here: screens listen once and read data attributes,
// so that a rebuilt tree can be morphed into the old one.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** `h("button.primary", { type: "button" }, "Listo")`; null, false and undefined are left out. */
export function h(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.classList.add(...String(value).split(" ").filter(Boolean));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
const sheet = () => document.body.dataset.icons || "/assets/web/icons.svg";

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sheet()}#${name}`);
  svg.append(use);
  return svg;
}

function drawing(name, box, rects) {
  const svg = document.createElementNS(SVG, "svg");
  const own = { class: name, viewBox: box, preserveAspectRatio: "none", "aria-hidden": "true" };
  for (const [key, value] of Object.entries(own)) svg.setAttribute(key, value);
  for (const one of rects) {
    const rect = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries(one)) rect.setAttribute(key, value);
    svg.append(rect);
  }
  return svg;
}

const within = (share) => Math.max(0, Math.min(1, share));

/** A filled share between 0 and 1, drawn without style attributes. */
export const gauge = (share) =>
  drawing("gauge", "0 0 100 4", [
    { class: "gauge-back", width: 100, height: 4 },
    { class: "gauge-fill", width: (within(share) * 100).toFixed(1), height: 4 },
  ]);

/** Small columns of shares between 0 and 1. */
export const columns = (shares) =>
  drawing(
    "columns",
    `0 0 ${shares.length * 4} 24`,
    shares.flatMap((share, index) => [
      { class: "gauge-back", x: index * 4, width: 3, height: 24 },
      {
        class: "gauge-fill",
        x: index * 4,
        y: (24 - within(share) * 24).toFixed(1),
        width: 3,
        height: (within(share) * 24).toFixed(1),
      },
    ]),
  );

const TONE_ICONS = { info: "info", good: "check", warn: "warning", bad: "alert", plain: "dot" };
export const toneIcon = (tone) => icon(TONE_ICONS[tone] ?? "dot");

export const badge = (tone, text, symbol) =>
  h(
    "span.badge",
    { class: tone },
    symbol === null ? null : symbol ? icon(symbol) : toneIcon(tone),
    text,
  );

export const empty = (symbol, title, text, ...more) =>
  h("div.empty", {}, icon(symbol), h("h3", {}, title), text ? h("p", {}, text) : null, ...more);

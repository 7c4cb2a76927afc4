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
  element.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
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

/** A filled share between 0 and 1, drawn without style attributes. */
export function gauge(share) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "gauge");
  svg.setAttribute("viewBox", "0 0 100 4");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, width] of [
    ["gauge-back", 100],
    ["gauge-fill", Math.max(0, Math.min(1, share)) * 100],
  ]) {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("class", name);
    rect.setAttribute("width", width.toFixed(1));
    rect.setAttribute("height", "4");
    svg.append(rect);
  }
  return svg;
}

const TONE_ICONS = { info: "info", good: "check", warn: "warning", bad: "alert", plain: "dot" };
export const toneIcon = (tone) => icon(TONE_ICONS[tone] ?? "dot");

export const badge = (tone, text, symbol) =>
  h("span.badge", { class: tone }, symbol === null ? null : symbol ? icon(symbol) : toneIcon(tone), text);

export const empty = (symbol, title, text, ...more) =>
  h("div.empty", {}, icon(symbol), h("h3", {}, title), text ? h("p", {}, text) : null, ...more);

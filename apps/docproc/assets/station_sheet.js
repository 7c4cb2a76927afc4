// The paper: one page at a time, with what was found on it. It is one drawing in the units of the
// page, so that boxes stay on their words at every size and turn.

import { $, h } from "../web/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const ZOOMS = [0.6, 0.8, 1, 1.3, 1.7, 2.2, 3, 4];
const wordsOf = new Map();
const pictures = new Map();

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Words of a page, asked for once. */
export function words(page) {
  if (!wordsOf.has(page.words_url)) {
    const asked = fetch(page.words_url, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : null))
      .catch(() => null);
    wordsOf.set(page.words_url, asked);
    asked.then((found) => found ?? wordsOf.delete(page.words_url));
    if (wordsOf.size > 60) wordsOf.delete(wordsOf.keys().next().value);
  }
  return wordsOf.get(page.words_url);
}

/** Brings a page's picture and words into the browser before anybody looks. */
export function prefetch(page) {
  if (!pictures.has(page.image_url)) {
    const image = new Image();
    image.src = page.image_url;
    pictures.set(page.image_url, image);
    if (pictures.size > 60) pictures.delete(pictures.keys().next().value);
  }
  words(page);
  return pictures.get(page.image_url).decode().catch(() => {});
}

export class Sheet {
  /**
   * @param {{pick: (words: {text: string, box: object}[], how: {range: boolean, touch: boolean}) =>
   *   void, mark: (name: string) => void}} handlers
   */
  constructor(frame, handlers) {
    this.frame = frame;
    this.handlers = handlers;
    this.zoom = 2;
    this.turn = 0;
    this.page = null;
    this.marks = [];
    this.lit = null;
    this.anchor = null; // the word that was taken last, from which Shift reaches on
    this.drag = null;
    frame.addEventListener("click", (event) => this.#click(event));
    frame.addEventListener("pointerdown", (event) => this.#press(event));
    frame.addEventListener("pointermove", (event) => this.#pull(event));
    document.addEventListener("pointerup", () => this.#let());
    new ResizeObserver(() => this.#size()).observe(frame);
  }

  /** Shows a page with marks `{name, tone, page, x, y, w, h}` of all pages. */
  show(page, marks) {
    const fresh = this.page?.image_url !== page.image_url;
    this.page = page;
    this.marks = marks;
    this.anchor = this.drag = null;
    if (fresh) this.turn = 0;
    this.#draw();
    if (fresh) this.frame.scrollTo(0, 0);
  }

  clear() {
    this.page = null;
    this.frame.replaceChildren();
  }

  async #draw() {
    const page = this.page;
    const width = page.width || 595;
    const height = page.height || 842;
    this.size = [width, height];
    const picture = draw("image", {
      href: page.image_url,
      width,
      height,
      preserveAspectRatio: "none",
    });
    this.inner = draw("g", {}, draw("rect", { class: "paper", width, height }), picture);
    this.svg = draw("svg", { class: "page", role: "img", "aria-label": `${page.page_index + 1}` });
    this.svg.append(this.inner);
    this.frame.replaceChildren(this.svg);
    this.#orient();
    const own = this.svg;
    const found = await words(page);
    if (this.svg !== own) return;
    const layer = draw("g", { class: "words" });
    for (const [n, word] of (found?.words ?? []).entries()) {
      const { x, y, w, h: tall } = word.place;
      const rect = draw("rect", { class: "word", "data-word": n, x, y, width: w, height: tall });
      layer.append(rect);
    }
    this.text = found?.words ?? [];
    this.inner.append(layer);
    this.#mark();
  }

  #mark() {
    $("g.marks", this.svg)?.remove();
    const own = this.marks.filter((one) => one.page === this.page.page_index);
    const layer = draw("g", { class: "marks" });
    for (const { name, tone, x, y, w, h: tall } of own) {
      const lit = name === this.lit ? " lit" : "";
      const place = { x: x - 1.5, y: y - 1.5, width: w + 3, height: tall + 3, rx: 1.5 };
      layer.append(draw("rect", { class: `mark ${tone}${lit}`, "data-mark": name, ...place }));
    }
    layer.classList.toggle("dim", own.some((one) => one.name === this.lit));
    this.inner?.append(layer);
  }

  #orient() {
    const [w, tall] = this.size;
    const turned = this.turn % 180 !== 0;
    this.svg.setAttribute("viewBox", turned ? `0 0 ${tall} ${w}` : `0 0 ${w} ${tall}`);
    const move = {
      0: "",
      90: `translate(${tall} 0) rotate(90)`,
      180: `translate(${w} ${tall}) rotate(180)`,
      270: `translate(0 ${w}) rotate(-90)`,
    }[this.turn];
    this.inner.setAttribute("transform", move);
    this.#size();
  }

  #size() {
    if (!this.svg?.isConnected) return;
    const [w, tall] = this.turn % 180 ? [...this.size].reverse() : this.size;
    const room = [this.frame.clientWidth - 24, this.frame.clientHeight - 24];
    // At its plain size a page fills the width, but a narrow one is not blown up beyond reading.
    const plain = Math.min(room[0], Math.max(room[1] * 1.25 * (w / tall), 420));
    const width = this.whole ? Math.min(room[0], room[1] * (w / tall)) : plain * ZOOMS[this.zoom];
    this.svg.style.width = `${Math.round(width)}px`;
    this.svg.style.height = `${Math.round((width * tall) / w)}px`;
  }

  magnify(by) {
    this.whole = false;
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + by));
    this.#size();
    this.#centre();
  }

  fit() {
    this.whole = !this.whole;
    this.zoom = 2;
    this.#size();
    this.#centre();
  }

  rotate() {
    this.turn = (this.turn + 90) % 360;
    if (this.svg) this.#orient();
  }

  /** Lights a field's boxes and brings the first into view. */
  light(name, marks = this.marks) {
    this.lit = name;
    this.marks = marks;
    if (!this.svg) return;
    this.#mark();
    this.#centre();
  }

  #centre() {
    const box = $(".mark.lit", this.svg);
    if (!box) return;
    const [inner, outer] = [box.getBoundingClientRect(), this.frame.getBoundingClientRect()];
    const hidden =
      inner.top < outer.top + 20 ||
      inner.bottom > outer.bottom - 20 ||
      inner.left < outer.left + 20 ||
      inner.right > outer.right - 20;
    if (!hidden) return;
    this.frame.scrollBy({
      left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
      top: inner.top + inner.height / 2 - outer.top - outer.height / 2,
    });
  }

  /* Taking words: a click takes one, Shift and a click all up to it, dragging all that it meets. A
   * finger that drags moves the page. */
  #click(event) {
    if (this.dragged) return (this.dragged = false);
    const word = event.target.closest?.("[data-word]");
    const mark = event.target.closest?.("[data-mark]");
    if (!word) return mark ? this.handlers.mark(mark.dataset.mark) : undefined;
    const n = Number(word.dataset.word);
    const touch = event.pointerType === "touch";
    if (event.shiftKey && this.anchor !== null) {
      const found = between(this.text, around(this.text[this.anchor].place, this.text[n].place));
      return this.#take(found, { range: true, touch });
    }
    this.anchor = n;
    this.#take([n], { range: false, touch });
  }

  #take(numbers, how) {
    const page = this.page.page_index;
    const found = numbers.map((n) => {
      const { x, y, w, h: tall } = this.text[n].place;
      return { text: this.text[n].text, box: { page, x, y, w, h: tall } };
    });
    if (found.length) this.handlers.pick(found, how);
  }

  /** A point of the screen in the units of the page, whichever way it is turned. */
  #point({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.inner.getScreenCTM().inverse());
  }

  #press(event) {
    if (event.button !== 0 || event.pointerType === "touch" || event.shiftKey) return;
    if (!this.text?.length || !event.target.closest?.("[data-word], .paper, image")) return;
    // The browser would drag the picture away instead.
    event.preventDefault();
    this.dragged = false;
    this.drag = { from: this.#point(event), found: [] };
  }

  #pull(event) {
    if (!this.drag) return;
    const to = this.#point(event);
    const { from } = this.drag;
    if (Math.hypot(to.x - from.x, to.y - from.y) < 3) return;
    const box = around({ x: from.x, y: from.y, w: 0, h: 0 }, { x: to.x, y: to.y, w: 0, h: 0 });
    this.#choose((this.drag.found = meeting(this.text, box)));
  }

  #let() {
    const found = this.drag?.found ?? [];
    this.drag = null;
    this.#choose([]);
    if (!found.length) return;
    this.dragged = true;
    this.anchor = found[0];
    this.#take(found, { range: true, touch: false });
  }

  #choose(numbers) {
    const chosen = new Set(numbers.map(String));
    for (const rect of this.svg?.querySelectorAll(".word") ?? [])
      rect.classList.toggle("chosen", chosen.has(rect.dataset.word));
  }
}

/** The box around two. */
function around(one, other) {
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    w: Math.max(one.x + one.w, other.x + other.w) - x,
    h: Math.max(one.y + one.h, other.y + other.h) - y,
  };
}

/** Line after line, from left to right. */
function inOrder(words, numbers) {
  const middle = (n) => words[n].place.y + words[n].place.h / 2;
  const same = (a, b) => Math.abs(middle(a) - middle(b)) < words[a].place.h / 2;
  return numbers.sort((a, b) =>
    same(a, b) ? words[a].place.x - words[b].place.x : middle(a) - middle(b),
  );
}

const numbersOf = (words, fits) => words.map((_, n) => n).filter((n) => fits(words[n].place));

/** Words whose middle is in a box. */
const between = (words, { x, y, w, h: tall }) =>
  inOrder(
    words,
    numbersOf(words, (place) => {
      const [across, down] = [place.x + place.w / 2, place.y + place.h / 2];
      return across >= x && across <= x + w && down >= y && down <= y + tall;
    }),
  );

/** Words that a box meets. */
const meeting = (words, { x, y, w, h: tall }) =>
  inOrder(
    words,
    numbersOf(
      words,
      (place) =>
        place.x < x + w && place.x + place.w > x && place.y < y + tall && place.y + place.h > y,
    ),
  );

export const thumb = (page, current) =>
  h(
    "button.leaf",
    { type: "button", "data-page": page.page_index, "aria-pressed": String(current) },
    h("img", { src: `${page.image_url}?size=thumb`, alt: "", loading: "lazy" }),
    h("span", {}, String(page.page_index + 1)),
  );

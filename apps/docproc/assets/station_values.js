// Values as their reader writes them, and where on the paper they stand.

import { lang, plain, t } from "../web/text.js";

const whole = new Intl.NumberFormat(t("es-AR", "en-GB"));
const POINT = lang === "en" ? "." : ",";

function amount(text) {
  const parts = /^(-?)(\d{1,30})(?:\.(\d{1,10}))?$/.exec(text);
  if (!parts) return text;
  const [, sign, units, cents = ""] = parts;
  return `${sign}${whole.format(BigInt(units))}${POINT}${cents.padEnd(2, "0")}`;
}

function day(text) {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return parts ? `${parts[3]}/${parts[2]}/${parts[1]}` : text;
}

/** A value of the contract, `1250.5` or `2026-03-12`, as people here write it. */
export function shown({ kind }, value) {
  if (value === null || value === undefined) return "";
  return kind === "decimal" ? amount(value) : kind === "date" ? day(value) : value;
}

/** Everything the machine read for a field, likeliest first. */
export const readings = (field) => [
  ...new Set([field.value, ...field.alternatives.map(([value]) => value)].filter(Boolean)),
];

/** What a text in a field means: a reading that was left as it is stays exact. */
export function meant(field, text) {
  const clean = text.trim();
  return readings(field).find((value) => shown(field, value) === clean) ?? (clean || null);
}

const bare = (text) => plain(text).replace(/[^a-z0-9]/g, "");

/** The ways a value may be printed, without anything but letters and digits. */
function spellings(field, text) {
  const value = meant(field, text) ?? "";
  const all = new Set([bare(text), bare(shown(field, value))]);
  if (value === field.value && field.printed) all.add(bare(field.printed));
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
  if (date) {
    const [, year, month, of] = date;
    for (const one of [year + month + of, of + month + year, of + month + year.slice(2)]) all.add(one);
    all.add(`${Number(of)}${Number(month)}${year}`);
  }
  if (field.kind === "decimal") all.add(bare(amount(value)).replace(/00$/, ""));
  all.delete("");
  return all;
}

/** More words than a value has. */
const MOST_WORDS = 12;

const far = (box, near) =>
  near ? Math.abs(box.page - near.page) * 1e6 + Math.hypot(box.x - near.x, box.y - near.y) : 0;

/**
 * Where a text stands: the boxes of its words, those nearest to `near` if it stands in many places.
 * @param {{page: number, words: {text: string, place: any}[]}[]} pages
 */
export function locate(field, text, pages, near) {
  const wanted = [...spellings(field, text)];
  let best = null;
  for (const { page, words } of pages)
    for (let from = 0; from < words.length; from += 1) {
      let joined = "";
      for (let to = from; to < words.length && to < from + MOST_WORDS; to += 1) {
        joined += bare(words[to].text);
        if (joined && !wanted.some((one) => one.startsWith(joined))) break;
        if (!joined || !wanted.includes(joined)) continue;
        const boxes = words.slice(from, to + 1).map(({ place }) => ({ page, ...place }));
        const away = far(boxes[0], near);
        if (!best || away < best.away) best = { away, boxes };
      }
    }
  return best?.boxes ?? [];
}

// Language, numbers and time as people read them. Texts are pairs at the point of use, as on the
// server: neither language can lack a sentence the other has.

const root = document.documentElement;

export const lang = root.lang === "en" ? "en" : "es";
export const t = (es, en) => (lang === "en" ? en : es);

const locale = t("es-AR", "en-GB");
const zone = root.dataset.zone || "UTC";
const clockFormat = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: zone,
});
const dayFormat = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  timeZone: zone,
});
const dateKey = new Intl.DateTimeFormat("en-CA", { timeZone: zone });

// The server's clock decides: a tablet with the wrong time must not show wrong lateness.
let offset = 0;
export const now = () => Date.now() + offset;
export function setNow(instant) {
  const at = Date.parse(instant ?? "");
  if (!Number.isNaN(at)) offset = at - Date.now();
}
setNow(root.dataset.now);

export const clock = (instant) => clockFormat.format(new Date(instant));

/** The clock, with the day in front when it is not today. */
export function when(instant) {
  const date = new Date(instant);
  const same = dateKey.format(date) === dateKey.format(now());
  return same ? clockFormat.format(date) : `${dayFormat.format(date)} ${clockFormat.format(date)}`;
}

export const minutesSince = (instant) => (now() - Date.parse(instant)) / 60_000;

export function minutes(value) {
  const whole = Math.round(Math.abs(value));
  if (whole < 60) return `${whole} min`;
  const rest = whole % 60;
  return rest ? `${Math.floor(whole / 60)} h ${rest} min` : `${Math.floor(whole / 60)} h`;
}

export function ago(instant) {
  const passed = minutesSince(instant);
  const days = Math.floor(Math.abs(passed) / 1440);
  const text = days
    ? `${days} ${days === 1 ? t("día", "day") : t("días", "days")}`
    : minutes(Math.floor(Math.abs(passed)));
  if (Math.abs(passed) < 0.5) return t("ahora", "now");
  if (Math.abs(passed) < 1) return passed > 0 ? t("hace instantes", "just now") : t("ya", "soon");
  return passed > 0 ? t(`hace ${text}`, `${text} ago`) : t(`en ${text}`, `in ${text}`);
}

const wholeMoney = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const exactMoney = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
export function money(pesos) {
  const amount = Number(pesos) || 0;
  return `$\u00a0${(Number.isInteger(amount) ? wholeMoney : exactMoney).format(amount)}`;
}

/** For searching: without accents or case. */
export const plain = (text) =>
  String(text ?? "")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase();

/**
 * The instant of a wall-clock time `HH:MM` of the shop: today, or tomorrow when it has passed.
 * The zone's offset is found by asking the formatter, twice, because it may change in between.
 */
export function instantOf(wall) {
  const [hour, minute] = wall.split(":").map(Number);
  const [year, month, day] = dateKey.format(now()).split("-").map(Number);
  const guess = (days) => {
    let at = Date.UTC(year, month - 1, day + days, hour, minute);
    for (let round = 0; round < 2; round += 1)
      at = Date.UTC(year, month - 1, day + days, hour, minute) - shift(at);
    return at;
  };
  const today = guess(0);
  return new Date(today < now() - 60_000 ? guess(1) : today).toISOString();
}

const fullFormat = new Intl.DateTimeFormat("en-CA", {
  timeZone: zone,
  hourCycle: "h23",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

function shift(at) {
  const part = Object.fromEntries(
    fullFormat.formatToParts(at).map(({ type, value }) => [type, value]),
  );
  const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return wall - Math.floor(at / 1000) * 1000;
}

// What every screen of ours does between events: deadlines count down, and a page with work under
// way is read again now and then, since progress inside a stage is no event.

import { $, $$ } from "../web/dom.js";
import { morphChildren } from "../web/morph.js";
import { now, t } from "../web/text.js";

const EVERY = 2_500;

const two = (value) => String(value).padStart(2, "0");

/** `43 s`, `2 min 05 s`, `3 h 20 min`, `4 días`: two units at most. */
export function lapse(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}\u00a0s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}\u00a0min ${two(whole % 60)}\u00a0s`;
  const hours = Math.floor(whole / 3_600);
  if (hours < 24) return `${hours}\u00a0h ${two(Math.floor((whole % 3_600) / 60))}\u00a0min`;
  const days = Math.floor(hours / 24);
  return `${days}\u00a0${days === 1 ? t("día", "day") : t("días", "days")}`;
}

function countDown() {
  for (const element of $$("[data-deadline]")) {
    const deadline = Date.parse(element.dateTime);
    const left = (deadline - now()) / 1000;
    const whole = (deadline - Date.parse(element.dataset.from)) / 1000;
    const text =
      left < 0
        ? t(`vencida hace ${lapse(-left)}`, `${lapse(-left)} overdue`)
        : t(`quedan ${lapse(left)}`, `${lapse(left)} left`);
    if (element.textContent !== text) element.textContent = text;
    const tone = left < 0 ? "bad" : left < whole * 0.3 ? "warn" : "plain";
    if (!element.classList.contains(tone)) element.className = `deadline ${tone}`;
  }
}

/** Fetches this page and makes the region like its new self. Answers whether it could. */
export async function refresh(region, address = location.href) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = $(`#${CSS.escape(region.id)}`, page);
  if (!fresh) return false;
  morphChildren(region, fresh);
  return true;
}

/** Reads a busy region again until nothing is under way in it. */
export function keepFresh(region, again) {
  let running = false;
  setInterval(async () => {
    if (running || document.hidden || !$("[data-busy]", region)) return;
    running = true;
    await again();
    running = false;
  }, EVERY);
}

countDown();
setInterval(countDown, 1_000);
for (const region of $$("[data-live]"))
  keepFresh(region, () => refresh(region));

// How many tasks remain and which deadline comes first: people work towards both.

import { get } from "../web/api.js";
import { coalesce } from "../web/live.js";
import { now, t } from "../web/text.js";
import { lapse } from "./refresh.js";

/** How long the task on the desk has. */
export function countDown(place, { created_at: from, deadline_utc: to }) {
  const left = (Date.parse(to) - now()) / 1000;
  place.textContent =
    left < 0
      ? t(`vencida hace ${lapse(-left)}`, `${lapse(-left)} overdue`)
      : t(`quedan ${lapse(left)}`, `${lapse(left)} left`);
  const whole = (Date.parse(to) - Date.parse(from)) / 1000;
  place.className = `left ${left < 0 ? "bad" : left < whole * 0.3 ? "warn" : "plain"}`;
}

let place;
let address = () => "";
let rest = null;

/** `where()` is the address that tells. */
export function showRest(element, where) {
  place = element;
  address = where;
}

export const countRest = coalesce(async () => {
  const answer = await get(address(), { quiet: true });
  if (answer.ok) rest = answer.data;
  drawRest();
}, 1_500);

export function drawRest() {
  if (!rest) return;
  const { waiting, nearest_deadline: nearest } = rest;
  const many =
    waiting === 0
      ? t("Es la última", "This is the last one")
      : waiting === 1
        ? t("Queda 1 más", "1 more left")
        : t(`Quedan ${waiting} más`, `${waiting} more left`);
  const left = nearest ? (Date.parse(nearest) - now()) / 1000 : null;
  const due =
    left === null
      ? ""
      : left < 0
        ? t(` · una venció hace ${lapse(-left)}`, ` · one is ${lapse(-left)} overdue`)
        : t(` · la próxima vence en ${lapse(left)}`, ` · next due in ${lapse(left)}`);
  const text = many + due;
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("late", left !== null && left < 0);
}

export function forgetRest() {
  rest = null;
  place.textContent = "";
}

// Sliders: the number follows at once, the page is asked when the hand rests. They belong to the
// form, so the address says what is looked at, and behind the # which one was in hand.
const REST = 350;
const look = document.getElementById("look");
let resting;
for (const slider of document.querySelectorAll("[data-threshold]")) {
  const lang = document.documentElement.lang || "es";
  const told = slider.parentElement.querySelector("output");
  slider.addEventListener("input", () => {
    const value = Number(slider.value);
    told.textContent = value.toLocaleString(lang, { minimumFractionDigits: 2 });
  });
  slider.addEventListener("change", () => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      const asked = new URLSearchParams(new FormData(look));
      const place = `${window.location.pathname}?${asked}#${slider.id}`;
      window.location.replace(place);
    }, REST);
  });
  if (window.location.hash === `#${slider.id}`) slider.focus();
}

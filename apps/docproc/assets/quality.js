// Sliders: the number follows at once, the page is asked when the hand lets go. They belong to the
// form, so the address says what is looked at.
const look = document.getElementById("look");
for (const slider of document.querySelectorAll("[data-threshold]")) {
  const lang = document.documentElement.lang || "es";
  const told = slider.parentElement.querySelector("output");
  slider.addEventListener("input", () => {
    const value = Number(slider.value);
    told.textContent = value.toLocaleString(lang, { minimumFractionDigits: 2 });
  });
  slider.addEventListener("change", () => {
    const asked = new URLSearchParams(new FormData(look));
    window.location.replace(`${window.location.pathname}?${asked}`);
  });
}

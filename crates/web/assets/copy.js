// Buttons that copy the text of the element they name: <button data-copy="id">.

import { $$ } from "./dom.js";
import { t } from "./text.js";

for (const button of $$("[data-copy]")) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = done ? t("Copiado", "Copied") : t("No se pudo copiar", "Could not copy");
    setTimeout(() => (button.textContent = label), 2000);
  });
}

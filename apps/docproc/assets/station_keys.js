// The keys of the review station, which are also its help page.

import { bind } from "../web/keys.js";
import { t } from "../web/text.js";

const nothing = () => {};

/** Keys that work while typing are function keys; those without a name here are heard by fields. */
export function bindKeys(sheet, commands) {
  const GROUP = t("En la estación", "At the station");
  bind(GROUP, "Ctrl+Enter", t("Enviar y pasar a la siguiente", "Submit and go to the next"), commands.submit);
  bind(GROUP, [], t("Siguiente campo por revisar", "Next field to check"), nothing, { shown: "Enter" });
  bind(GROUP, [], t("Tipo de página (dos veces: enviar)", "Type of page (twice: submit)"), nothing, { shown: "1 – 9" });
  bind(GROUP, [], t("Otra lectura del campo", "Another reading of the field"), nothing, { shown: "↓ / ↑" });
  bind(GROUP, [], t("No está en el documento", "Not on the document"), nothing, { shown: "Alt N" });
  bind(GROUP, [], t("Página anterior, siguiente", "Previous, next page"), nothing, { shown: t("RePág / AvPág", "PgUp / PgDn") });
  bind(GROUP, ["F2", "+"], t("Ampliar", "Zoom in"), () => sheet.magnify(1));
  bind(GROUP, ["F4", "-"], t("Reducir", "Zoom out"), () => sheet.magnify(-1));
  bind(GROUP, ["F6", "0"], t("Página entera o ancho", "Whole page or width"), () => sheet.fit());
  bind(GROUP, ["F7", "r"], t("Girar", "Rotate"), () => sheet.rotate());
  bind(GROUP, "F8", t("Reagrupar páginas", "Regroup pages"), commands.regroup);
  bind(GROUP, "F9", t("Aplazar", "Put off"), commands.postpone);
  bind(GROUP, "F10", t("Devolver a la cola", "Give back"), commands.release);
  bind(GROUP, "?", t("Esta ayuda", "This help"), commands.help);
}

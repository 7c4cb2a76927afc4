// The browser's own printer; once by itself, again on demand.

import { $ } from "../web/dom.js";

$("#print").addEventListener("click", () => window.print());
$("#print").focus();
window.print();

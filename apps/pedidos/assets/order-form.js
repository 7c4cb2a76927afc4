// New order and edit: menu on the left, the order on the right, the promise at the foot.

import { get, post } from "../web/api.js";
import { clearErrors, show, showErrors } from "../web/dialog.js";
import { $, empty, h, icon } from "../web/dom.js";
import { morphChildren } from "../web/morph.js";
import { keep, kept } from "../web/shelf.js";
import { clock, money, plain, t } from "../web/text.js";
import { toast } from "../web/toast.js";
import {
  addArticle,
  blankDraft,
  bodyOf,
  draftOf,
  dropDraft,
  dueOf,
  keeper,
  lineBodies,
  loadDraft,
  saveDraft,
  total,
} from "./draft.js";
import { formFrame, lineRow, tile } from "./order-fields.js";
import { command } from "./outbox.js";

const SHELF = "pedidos.carta"; // the menu as it was last, to take orders by without a network
let menu = null;

async function articles() {
  const result = await get("/articulos", { quiet: true });
  if (result.ok) {
    menu = result.data.filter((article) => article.activo !== false);
    keep(SHELF, menu);
  }
  menu ??= kept(SHELF);
  return menu ?? [];
}

export function openForm({ order = null, refresh }) {
  if ($("dialog.order-form")) return;
  const form = new OrderForm(order, refresh);
  form.open();
}

class OrderForm {
  constructor(order, refresh) {
    this.order = order;
    this.refresh = refresh;
    this.draft = order ? draftOf(order) : loadDraft();
    this.category = null;
    this.query = "";
    this.choice = 0;
    this.keyFor = keeper();
    this.asked = 0;
    this.insists = false;
  }

  open() {
    this.dialog = show(formFrame(this.draft, this.order));
    this.form = $("form", this.dialog);
    this.dialog.addEventListener("input", (event) => this.changed(event));
    this.dialog.addEventListener("click", (event) => this.clicked(event));
    this.dialog.addEventListener("keydown", (event) => this.pressed(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.drawMenu();
    this.drawCart();
    this.drawWhen();
    this.quote();
    articles().then(() => this.drawMenu());
  }

  found() {
    const words = plain(this.query).split(/\s+/).filter(Boolean);
    return (menu ?? []).filter(
      (article) =>
        (this.query || !this.category || article.categoria === this.category) &&
        words.every((word) => plain(`${article.nombre} ${article.categoria}`).includes(word)),
    );
  }

  drawMenu() {
    const groups = [...new Set((menu ?? []).map((article) => article.categoria).filter(Boolean))];
    const tab = (name, text) =>
      h(
        "button",
        {
          type: "button",
          "data-category": name ?? "",
          "aria-pressed": String(!this.query && this.category === name),
        },
        text,
      );
    morphChildren(
      $(".categories", this.dialog),
      h(
        "div",
        {},
        groups.length > 1
          ? [tab(null, t("Todo", "All")), groups.map((name) => tab(name, name))]
          : null,
      ),
    );
    const list = this.found();
    const chosen = this.query ? this.choice : -1;
    const tiles = list.map((article, index) => tile(article, index === chosen));
    const none = menu?.length
      ? empty(
          "search",
          t("Nada con ese nombre", "Nothing by that name"),
          t(
            "Se puede cargar como algo fuera del menú.",
            "You can enter it as something off the menu.",
          ),
        )
      : empty(
          "list",
          t("El menú está vacío", "The menu is empty"),
          t(
            "Cargar lo pedido abajo, con nombre y precio. El menú se completa después.",
            "Enter what was asked for below, with name and price. The menu can come later.",
          ),
        );
    morphChildren(
      $(".tiles", this.dialog),
      h("div", {}, tiles.length ? tiles : menu === null ? null : none),
    );
    if (menu && !menu.length) $(".free-line", this.dialog).open = true;
  }

  drawCart() {
    const lines = this.draft.lines.map(lineRow);
    const none = empty(
      "bag",
      t("Todavía no hay artículos", "No items yet"),
      t("Se eligen del menú; escribir busca.", "Pick them from the menu or type to search."),
    );
    morphChildren(
      $(".cart", this.dialog),
      h("div", {}, lines.length ? h("ul", { "data-key": "lines" }, lines) : none),
    );
    $(".form-total", this.dialog).textContent = lines.length ? money(total(this.draft)) : "";
    if (!this.order) saveDraft(this.draft);
  }

  drawWhen() {
    const at = $("[data-field=horario_entrega]", this.dialog);
    if (at) at.hidden = this.draft.when !== "hora";
    const away = this.draft.modalidad === "DELIVERY";
    $("[data-field=cliente_direccion]", this.dialog)?.classList.toggle("wanted", away);
    const cod = $("[name=pago_contra_entrega]", this.dialog)?.closest("label");
    if (cod) cod.hidden = !away;
  }

  changed(event) {
    const { name, value, type, checked } = event.target;
    if (name === "menu-search") {
      this.query = value;
      this.choice = 0;
      this.drawMenu();
      return;
    }
    if (name.startsWith("note-")) this.draft.lines[Number(name.slice(5))].observaciones = value;
    else if (name in this.draft) this.draft[name] = type === "checkbox" ? checked : value;
    else return;
    event.target.closest(".field")?.classList.remove("invalid");
    this.drawWhen();
    if (!this.order) saveDraft(this.draft);
    if (name === "when" && value === "hora") $("#f-time", this.dialog).focus();
    if (["when", "time"].includes(name)) this.quote();
  }

  clicked(event) {
    const target = event.target.closest("[data-article], [data-category], [data-act]");
    if (!target) return;
    if (target.dataset.article)
      this.add(menu.find(({ id }) => id === Number(target.dataset.article)));
    else if (target.dataset.category !== undefined) {
      this.category = target.dataset.category || null;
      this.query = $("[name=menu-search]", this.dialog).value = "";
      this.drawMenu();
    } else this.lineAct(target.dataset.act, Number(target.closest("[data-line]")?.dataset.line));
  }

  lineAct(act, index) {
    const line = this.draft.lines[index];
    if (act === "more") line.cantidad += 1;
    else if (act === "less") {
      line.cantidad -= 1;
      if (line.cantidad === 0) this.draft.lines.splice(index, 1);
    } else if (act === "free") this.addFree();
    else if (act === "clear") {
      Object.assign(this.draft, blankDraft());
      dropDraft();
      this.dialog.close();
      openForm({ refresh: this.refresh });
      return;
    }
    this.drawCart();
    this.quote();
  }

  add(article) {
    addArticle(this.draft, article);
    this.drawCart();
    this.quote();
  }

  addFree() {
    const read = (name) => $(`[name=free-${name}]`, this.dialog);
    const nombre = read("name").value.trim();
    const box = read("name").closest(".field");
    box.classList.toggle("invalid", !nombre);
    $(".error", box).textContent = nombre ? "" : t("Falta el nombre", "The name is missing");
    if (!nombre) return read("name").focus();
    const number = (name, least) => Math.max(least, Number(read(name).value) || least);
    this.draft.lines.push({
      articulo_id: null,
      nombre,
      peso: Math.min(4, Math.round(number("weight", 1))),
      cantidad: Math.round(number("quantity", 1)),
      precio: number("price", 0),
      observaciones: "",
    });
    for (const [name, value] of [
      ["name", ""],
      ["price", ""],
      ["quantity", 1],
      ["weight", 1],
    ])
      read(name).value = value;
    read("name").focus();
  }

  pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
      return;
    }
    const { name } = event.target;
    if (name === "menu-search") {
      const list = this.found();
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && list.length) {
        event.preventDefault();
        this.choice = (this.choice + step + list.length) % list.length;
        this.drawMenu();
        $(".tile.chosen", this.dialog)?.scrollIntoView({ block: "nearest" });
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (this.query && list[this.choice]) {
          this.add(list[this.choice]);
          event.target.select();
        }
      }
    } else if (event.key === "Enter" && event.target.matches("input")) {
      // Enter in a field must not send half an order; in the free line it adds the line.
      event.preventDefault();
      if (name?.startsWith("free-")) this.lineAct("free");
    }
  }

  /** Asks for the promise a moment after the last change; only the latest answer counts. */
  quote() {
    clearTimeout(this.timer);
    this.insist(false);
    const box = $(".quote", this.dialog);
    if (!this.draft.lines.length || (this.draft.when === "hora" && !this.draft.time)) {
      this.asked += 1;
      box.replaceChildren();
      return;
    }
    this.timer = setTimeout(async () => {
      const turn = ++this.asked;
      const result = await post(
        "/pedidos/cotizacion",
        { articulos: lineBodies(this.draft), horario_entrega: dueOf(this.draft) },
        { quiet: true },
      );
      if (turn !== this.asked || !box.isConnected) return;
      if (!result.ok) return box.replaceChildren();
      const {
        entrada_estimada: entry,
        listo_estimado: ready,
        tiempo_estimado_preparacion: estimate,
        minutos_tarde: late,
        explicacion,
      } = result.data;
      box.replaceChildren(
        h(
          "p",
          {},
          icon("clock"),
          t("Entra ", "Enters "),
          h("b", {}, entry ? clock(entry) : "–"),
          t(" · listo ", " · ready "),
          h("b", {}, ready ? clock(ready) : "–"),
          h("span.soft", {}, ` (${estimate} min)`),
          late ? h("em.late", {}, icon("warning"), t(`${late} min tarde`, `${late} min late`)) : null,
        ),
        ...(explicacion
          ? [
              h(
                "small.soft",
                {},
                typeof explicacion === "string" ? explicacion : (explicacion.texto ?? ""),
              ),
            ]
          : []),
      );
    }, 250);
  }

  check() {
    const errors = [];
    if (!this.draft.lines.length)
      errors.push({
        path: "articulos",
        message: t("Agregar al menos un artículo", "Add at least one item"),
      });
    if (!this.order && this.draft.when === "hora" && !this.draft.time)
      errors.push({ path: "horario_entrega", message: t("Falta la hora", "The time is missing") });
    return errors;
  }

  async submit() {
    const button = $("[type=submit]", this.dialog);
    if (button.disabled) return;
    clearErrors(this.form);
    const errors = this.check();
    if (errors.length) return showErrors(this.form, { errors });
    button.disabled = true;
    const result = await (this.order ? this.save() : this.create()).finally(
      () => (button.disabled = false),
    );
    if (!result.ok && !result.queued) {
      showErrors(this.form, result.problem);
      if (result.problem.code === "PROMESA_NO_SE_CUMPLE") this.insist(true);
      return;
    }
    if (!this.order) dropDraft();
    this.dialog.close();
    this.refresh();
  }

  save() {
    const body = { articulos: lineBodies(this.draft) };
    const { id, version } = this.order;
    const label = `#${id}: ${t("editar", "edit")}`;
    return command("PUT", `/pedidos/${id}`, body, { order: id, version, label });
  }

  /** A promise that was refused may be given all the same, by pressing once more. */
  insist(may) {
    this.insists = may;
    const label = $("[type=submit] span", this.dialog);
    if (label && !this.order)
      label.textContent = may ? t("Prometer igual", "Promise anyway") : t("Confirmar", "Confirm");
  }

  async create() {
    const body = bodyOf(this.draft);
    if (this.insists) body.insistir = true;
    const many = this.draft.lines.reduce((sum, line) => sum + line.cantidad, 0);
    const name = this.draft.cliente_nombre.trim() || t(`${many} art.`, `${many} items`);
    const paying = {
      url: "/pedidos/{id}/cobrar",
      body: { medio_pago: this.draft.medio_pago },
      label: t(`cobrar: ${name}`, `charge: ${name}`),
    };
    const result = await command("POST", "/pedidos", body, {
      key: this.keyFor(body),
      label: t(`Pedido nuevo: ${name}`, `New order: ${name}`),
      then: this.draft.paid ? paying : undefined,
    });
    if (!result.ok) return result;
    const { id } = result.data;
    toast(t(`Pedido #${id} cargado`, `Order #${id} entered`), { tone: "good" });
    // The order stands whether or not the payment is recorded; a failure of that is shown.
    if (this.draft.paid) await post(`/pedidos/${id}/cobrar`, { medio_pago: this.draft.medio_pago });
    return result;
  }
}

//! What clients send about an order, and how it becomes typed.

use db::Tx;
use engine::{Roles as _, Word as _};
use host::{Failure, check::Check};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{Desk, check};
use crate::{
    model::{Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentState},
    policy::Action,
    rules::{
        business_day::{BusinessDay, reference},
        estimate,
        learning::{Dish, Load},
        pricing::{self, Agreed, Asked, MenuItem, Right, Unfit},
    },
    store::{KitchenView, advice, articles},
    wire::{cents, pesos},
};

const LINES: usize = 100;
const QUANTITY: i64 = 999;
const NAME: usize = 150;
const NOTE: usize = 255;
const EXTRAS_BYTES: usize = 4_000;
const GRACE: SignedDuration = SignedDuration::from_mins(1);
/// Orders are taken for at most a year ahead.
const FARTHEST: SignedDuration = SignedDuration::from_hours(24 * 366);

/// A line: an article of the menu, or one written by hand with its own name and weight.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LineaNueva)]
pub(super) struct NewLine {
    pub articulo_id: Option<i64>,
    #[serde(alias = "articulo_nombre")]
    #[schema(max_length = 150)]
    pub nombre: Option<String>,
    /// Kitchen effort of one unit.
    #[schema(minimum = 1, maximum = 4)]
    pub peso: Option<i64>,
    #[schema(minimum = 1, maximum = 999)]
    pub cantidad: i64,
    /// Of one unit, in pesos; the menu's price when absent. Of an article of the menu it is the menu's,
    /// with or without its extras, unless ADMIN or GERENTE say otherwise; of a line written by hand
    /// it is all that one unit costs.
    #[schema(minimum = 0, maximum = 100_000_000_000_i64)]
    pub precio: Option<f64>,
    /// Accepted from older clients and ignored: the server computes it.
    #[serde(rename = "subtotal")]
    #[schema(minimum = 0, maximum = 100_000_000_000_i64)]
    pub _subtotal: Option<f64>,
    #[schema(max_length = 255)]
    pub observaciones: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub personalizaciones: Option<Json>,
    #[schema(max_length = 150)]
    pub estacion: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PedidoNuevo)]
pub(super) struct NewOrder {
    #[schema(min_items = 1, max_items = 100)]
    pub articulos: Vec<NewLine>,
    #[schema(example = "RETIRO")]
    pub modalidad: String,
    #[schema(example = "MOSTRADOR")]
    pub origen_pedido: Option<String>,
    pub medio_pago: Option<String>,
    pub estado_pago: Option<String>,
    pub pago_contra_entrega: Option<bool>,
    /// Absent or null: as soon as possible.
    pub horario_entrega: Option<Timestamp>,
    pub transicion_automatica: Option<bool>,
    /// Only RECIBIDO: an order begins at its beginning.
    pub estado: Option<String>,
    pub cliente_nombre: Option<String>,
    pub cliente_telefono: Option<String>,
    pub cliente_direccion: Option<String>,
    pub cliente_email: Option<String>,
    pub observaciones: Option<String>,
    /// Takes a promise that the queue cannot keep, late as it will be.
    pub insistir: Option<bool>,
}

/// The lines a client wants, checked against the menu. `standing` are those the order has already.
pub(super) async fn lines(
    desk: &Desk,
    tx: &mut Tx,
    wanted: &[NewLine],
    standing: &[Line],
) -> Result<Vec<Line>, Failure> {
    let mut check = check(desk);
    if wanted.is_empty() || wanted.len() > LINES {
        check.wrong("articulos", "debe tener de 1 a 100 líneas", "must have 1 to 100 lines");
        return check.finish().map(|()| Vec::new());
    }
    let mut lines = Vec::with_capacity(wanted.len());
    for (index, new) in wanted.iter().enumerate() {
        let path = |field: &str| format!("articulos[{index}].{field}");
        let article = match new.articulo_id {
            Some(id) => {
                let found = articles::find(tx, id).await?;
                if found.is_none() {
                    not_on_menu(&mut check, &path("articulo_id"));
                    continue;
                }
                found
            }
            None => None,
        };
        let same = wanted.iter().filter(|line| line.articulo_id == new.articulo_id);
        let units = same.map(|line| line.cantidad).fold(0, i64::saturating_add);
        let terms = Terms { article: article.as_ref(), standing, units, right: right(desk) };
        if let Some(line) = line(&mut check, &path, new, &terms, index) {
            lines.push(line);
        }
    }
    if pricing::total(&lines) > pricing::MOST_TOTAL_CENTS {
        let (es, en) = (
            "el total es desmedido: conviene revisar precios y cantidades",
            "the total is beyond measure: check prices and quantities",
        );
        check.wrong("articulos", es, en);
    }
    if estimate::minutes(estimate::effort(&lines), 1) > pricing::MOST_MINUTES {
        let (es, en) = (
            "lleva más de un día de cocina: conviene revisar las cantidades",
            "takes more than a day of kitchen: check the quantities",
        );
        check.wrong("articulos", es, en);
    }
    check.finish()?;
    Ok(lines)
}

/// What a line is held against.
struct Terms<'a> {
    article: Option<&'a articles::Article>,
    standing: &'a [Line],
    /// Of the article in the whole request.
    units: i64,
    right: Right,
}

fn right(desk: &Desk) -> Right {
    if desk.role.can(Action::SetPrices) { Right::AnyPrice } else { Right::MenuOnly }
}

fn not_on_menu(check: &mut Check, path: &str) {
    check.wrong(path, "no existe en el menú", "is not on the menu");
}

fn line(
    check: &mut Check,
    path: &impl Fn(&str) -> String,
    new: &NewLine,
    terms: &Terms<'_>,
    index: usize,
) -> Option<Line> {
    let name = check.text(&path("nombre"), new.nombre.as_deref(), NAME);
    let quantity = check.within(&path("cantidad"), new.cantidad, 1, QUANTITY);
    let weight = check.within(&path("peso"), new.peso.unwrap_or(1), 1, 4);
    let price = new.precio.map(cents);
    if price == Some(None) {
        check.wrong(&path("precio"), "no es un importe válido", "is not a valid amount");
    }
    let (extras, extras_cents) = extras(check, &path("personalizaciones"), new);
    let station = check.text(&path("estacion"), new.estacion.as_deref(), NAME);
    let note = check.text(&path("observaciones"), new.observaciones.as_deref(), NOTE);
    let price = price.flatten();
    let agreed = if let Some(article) = terms.article {
        let asked = Asked {
            name: name.as_deref(),
            price_cents: price,
            extras: extras.as_deref(),
            extras_cents,
            units: terms.units,
        };
        agreed(check, path, article, asked, terms)
    } else {
        if name.is_none() {
            let (es, en) = ("falta articulo_id o nombre", "articulo_id or nombre is missing");
            check.wrong(&path("nombre"), es, en);
        }
        name.map(|name| Agreed { name, price_cents: price.unwrap_or(extras_cents) })
    }?;
    Some(Line {
        n: index as i64 + 1,
        article: terms.article.map(|article| article.id),
        name: agreed.name,
        weight: terms.article.map_or(weight, |article| article.weight),
        quantity,
        price_cents: agreed.price_cents,
        note,
        extras,
        station: station.or_else(|| terms.article.and_then(|article| article.station.clone())),
    })
}

/// What the menu and the order say about an article, or every reason why not.
fn agreed(
    check: &mut Check,
    path: &impl Fn(&str) -> String,
    article: &articles::Article,
    asked: Asked<'_>,
    terms: &Terms<'_>,
) -> Option<Agreed> {
    let menu = MenuItem {
        id: article.id,
        name: &article.name,
        price_cents: article.price_cents,
        active: article.active,
    };
    let unfit = match pricing::agree(menu, terms.standing, asked, terms.right) {
        Ok(agreed) => return Some(agreed),
        Err(unfit) => unfit,
    };
    for one in unfit {
        match one {
            Unfit::Retired => not_on_menu(check, &path("articulo_id")),
            Unfit::Name { menu } => {
                let es = format!("en el menú se llama «{menu}»; cambiarlo es de ADMIN o GERENTE");
                let en = format!("the menu calls it “{menu}”; ADMIN or GERENTE may change it");
                check.wrong(&path("nombre"), &es, &en);
            }
            Unfit::Price { cents } => {
                let price = pesos(cents);
                let es = format!("cuesta {price} según el menú; cambiarlo es de ADMIN o GERENTE");
                let en = format!("costs {price} by the menu; ADMIN or GERENTE may change it");
                check.wrong(&path("precio"), &es, &en);
            }
        }
    }
    None
}

/// The extras of one unit, as they are kept and what they cost.
fn extras(check: &mut Check, path: &str, new: &NewLine) -> (Option<String>, i64) {
    let Some(extras) = new.personalizaciones.as_ref().filter(|extras| !extras.is_null()) else {
        return (None, 0);
    };
    let text = extras.to_string();
    // PostgreSQL keeps no NUL, not even inside JSON.
    if text.len() > EXTRAS_BYTES || text.contains("\\u0000") {
        let (es, en) = ("es demasiado largo o lleva caracteres nulos", "is too long or has NULs");
        check.wrong(path, es, en);
    }
    let mut total = 0_i64;
    for (index, extra) in extras["extras"].as_array().into_iter().flatten().enumerate() {
        let price = extra.get("precio_extra").or_else(|| extra.get("precio"));
        let price = price.filter(|price| !price.is_null());
        let units = extra.get("cantidad").filter(|units| !units.is_null());
        let price = price.map_or(Some(0), |price| price.as_f64().and_then(cents));
        let units = units.map_or(Some(1), Json::as_i64).filter(|units| (1..=99).contains(units));
        let (Some(price), Some(units)) = (price, units) else {
            let (es, en) =
                ("no tiene un precio o una cantidad válidos", "has no valid price or quantity");
            check.wrong(&format!("{path}.extras[{index}]"), es, en);
            continue;
        };
        total = total.saturating_add(price.saturating_mul(units));
    }
    (Some(text), total)
}

/// The estimate of some lines, corrected by what was learned when the operator wants that.
pub(super) async fn estimate(
    tx: &mut Tx,
    kitchen: &KitchenView,
    lines: &[Line],
    now: Timestamp,
) -> Result<i64, db::Error> {
    let policy = &kitchen.policy;
    let plain = estimate::minutes(estimate::effort(lines), policy.estimate_floor);
    if !policy.apply_learning {
        return Ok(plain);
    }
    let lessons = advice::lessons(tx, policy, now).await?;
    let load = Load::of(kitchen.capacity.in_use, kitchen.capacity.limit);
    let dishes: Vec<_> = lines.iter().map(Dish::of).collect();
    Ok(lessons.correct(plain, &dishes, load, policy.estimate_floor).minutes)
}

/// A new order as typed; its number is given by the store.
pub(super) fn order(
    desk: &Desk,
    new: &NewOrder,
    lines: &[Line],
    estimate_minutes: i64,
    kitchen: &KitchenView,
) -> Result<Order, Failure> {
    let mut check = check(desk);
    let mode = check.word("modalidad", Some(&new.modalidad));
    let channel = check.word("origen_pedido", new.origen_pedido.as_deref());
    let method = check.word("medio_pago", new.medio_pago.as_deref());
    let paid = payment_state(&mut check, new.estado_pago.as_deref());
    if new.estado.as_deref().is_some_and(|word| word != OrderState::Received.word()) {
        check.wrong("estado", "debe ser RECIBIDO", "must be RECIBIDO");
    }
    let due = Due::from_instant(new.horario_entrega);
    check_due(&mut check, due, desk.now, kitchen);
    if mode == Some(Mode::Delivery) && blank(new.cliente_direccion.as_deref()) {
        let (es, en) = ("falta: es para DELIVERY", "is missing: it is for DELIVERY");
        check.wrong("cliente_direccion", es, en);
    }
    let customer = Customer {
        name: check.text("cliente_nombre", new.cliente_nombre.as_deref(), NAME),
        phone: check.text("cliente_telefono", new.cliente_telefono.as_deref(), 50),
        address: check.text("cliente_direccion", new.cliente_direccion.as_deref(), NOTE),
        email: check.email("cliente_email", new.cliente_email.as_deref(), 100),
    };
    let note = check.text("observaciones", new.observaciones.as_deref(), NOTE);
    check.finish()?;
    Ok(Order {
        id: OrderId(0),
        state: OrderState::Received,
        received_at: desk.now,
        due,
        estimate_minutes,
        planned_start: due.planned_start(estimate_minutes),
        started_at: None,
        expected_finish: None,
        ready_at: None,
        delivered_at: None,
        cancelled_at: None,
        intake: Intake::from_flag(new.transicion_automatica.unwrap_or(true)),
        mode: mode.unwrap_or(Mode::PickUp),
        channel: channel.unwrap_or(Channel::Counter),
        payment_method: method,
        payment_state: paid.unwrap_or(PaymentState::Pending),
        cash_on_delivery: new.pago_contra_entrega.unwrap_or(false),
        effort: estimate::effort(lines),
        total_cents: pricing::total(lines),
        customer,
        note,
        version: 1,
        stock_restored: false,
        hold_reason: None,
        cancel_reason: None,
    })
}

fn blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

/// Existing clients still send the older word *DEBE* for what is pending.
pub(super) fn payment_state(check: &mut Check, word: Option<&str>) -> Option<PaymentState> {
    match word {
        Some("DEBE") => Some(PaymentState::Pending),
        word => check.word("estado_pago", word),
    }
}

/// A promise for a time that is over cannot be kept; one beyond a year is a typing slip. People choose
/// minutes, so the present one still counts.
pub(super) fn check_due(check: &mut Check, due: Due, now: Timestamp, kitchen: &KitchenView) {
    let Due::At(at) = due else { return };
    let policy = &kitchen.policy;
    let today = BusinessDay::containing(now, &policy.zone, policy.cutoff);
    if reference(due, now) < today.begins {
        let (es, en) = ("es de una jornada que ya terminó", "is of a business day that is over");
        check.wrong("horario_entrega", es, en);
    } else if now.duration_since(at) >= GRACE {
        check.wrong("horario_entrega", "ya pasó", "is already over");
    } else if at.duration_since(now) > FARTHEST {
        let (es, en) = ("es a más de un año", "is more than a year ahead");
        check.wrong("horario_entrega", es, en);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_word_for_pending_is_still_heard() {
        let mut check = Check::new(web::Lang::Es);
        assert_eq!(payment_state(&mut check, Some("DEBE")), Some(PaymentState::Pending));
    }
}

//! What clients send about an order, and how it becomes typed.

use db::Tx;
use engine::Word as _;
use host::{Failure, check::Check};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{Desk, check};
use crate::{
    model::{Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentState},
    rules::{
        business_day::{BusinessDay, reference},
        estimate,
        learning::Load,
    },
    store::{KitchenView, advice, articles},
    wire::cents,
};

const LINES: usize = 100;
const QUANTITY: i64 = 999;
const NAME: usize = 150;
const NOTE: usize = 255;
const EXTRAS_BYTES: usize = 4_000;
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
    /// Of one unit, in pesos; the menu's price when absent.
    #[schema(minimum = 0)]
    pub precio: Option<f64>,
    /// Accepted from older clients and ignored: the server computes it.
    #[serde(rename = "subtotal")]
    #[schema(minimum = 0)]
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
}

/// The lines a client wants, checked against the menu.
pub(super) async fn lines(
    desk: &Desk,
    tx: &mut Tx,
    wanted: &[NewLine],
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
                let found = articles::find(tx, id).await?.filter(|article| article.active);
                if found.is_none() {
                    let (es, en) = ("no existe en el menú", "is not on the menu");
                    check.wrong(&path("articulo_id"), es, en);
                    continue;
                }
                found
            }
            None => None,
        };
        if let Some(line) = line(&mut check, &path, new, article, index) {
            lines.push(line);
        }
    }
    check.finish()?;
    Ok(lines)
}

fn line(
    check: &mut Check,
    path: &impl Fn(&str) -> String,
    new: &NewLine,
    article: Option<articles::Article>,
    index: usize,
) -> Option<Line> {
    let name = check.text(&path("nombre"), new.nombre.as_deref(), NAME);
    let name = name.or_else(|| article.as_ref().map(|article| article.name.clone()));
    if name.is_none() {
        let (es, en) = ("falta articulo_id o nombre", "articulo_id or nombre is missing");
        check.wrong(&path("nombre"), es, en);
    }
    let quantity = check.within(&path("cantidad"), new.cantidad, 1, QUANTITY);
    let weight = check.within(&path("peso"), new.peso.unwrap_or(1), 1, 4);
    let weight = article.as_ref().map_or(weight, |article| article.weight);
    let menu_price = article.as_ref().map_or(0, |article| article.price_cents);
    let price = new.precio.map_or(Some(menu_price), cents);
    if price.is_none() {
        check.wrong(&path("precio"), "no es un importe válido", "is not a valid amount");
    }
    let extras = new.personalizaciones.as_ref().filter(|extras| !extras.is_null());
    let extras = extras.map(ToString::to_string);
    // PostgreSQL keeps no NUL, not even inside JSON.
    let unfit = |extras: &String| extras.len() > EXTRAS_BYTES || extras.contains("\\u0000");
    if extras.as_ref().is_some_and(unfit) {
        let (es, en) = ("es demasiado largo o lleva caracteres nulos", "is too long or has NULs");
        check.wrong(&path("personalizaciones"), es, en);
    }
    let station = check.text(&path("estacion"), new.estacion.as_deref(), NAME);
    Some(Line {
        n: index as i64 + 1,
        article: article.as_ref().map(|article| article.id),
        name: name?,
        weight,
        quantity,
        price_cents: price?,
        note: check.text(&path("observaciones"), new.observaciones.as_deref(), NOTE),
        extras,
        station: station.or_else(|| article.and_then(|article| article.station)),
    })
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
    let known: Vec<i64> = lines.iter().filter_map(|line| line.article).collect();
    Ok(lessons.correct(plain, &known, load, policy.estimate_floor).minutes)
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
    let customer = Customer {
        name: check.text("cliente_nombre", new.cliente_nombre.as_deref(), NAME),
        phone: check.text("cliente_telefono", new.cliente_telefono.as_deref(), 50),
        address: check.text("cliente_direccion", new.cliente_direccion.as_deref(), NOTE),
        email: check.text("cliente_email", new.cliente_email.as_deref(), 100),
    };
    let note = check.text("observaciones", new.observaciones.as_deref(), NOTE);
    check.finish()?;
    let total = |line: &Line| line.price_cents.saturating_mul(line.quantity);
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
        total_cents: lines.iter().map(total).fold(0, i64::saturating_add),
        customer,
        note,
        version: 1,
        stock_restored: false,
        hold_reason: None,
        cancel_reason: None,
    })
}

/// Existing clients still send the older word *DEBE* for what is pending.
pub(super) fn payment_state(check: &mut Check, word: Option<&str>) -> Option<PaymentState> {
    match word {
        Some("DEBE") => Some(PaymentState::Pending),
        word => check.word("estado_pago", word),
    }
}

/// A promise for a day that is over would be a leftover at once; one beyond a year is a typing slip.
pub(super) fn check_due(check: &mut Check, due: Due, now: Timestamp, kitchen: &KitchenView) {
    let Due::At(at) = due else { return };
    let policy = &kitchen.policy;
    let today = BusinessDay::containing(now, &policy.zone, policy.cutoff);
    if reference(due, now) < today.begins {
        let (es, en) = ("es de una jornada que ya terminó", "is of a business day that is over");
        check.wrong("horario_entrega", es, en);
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

//! The demonstration's shop (`turno serve --demo`): customers come by the hour of the day, cooks take as
//! long as cooks take, the counter charges and hands over. It goes by the house's clock, so that the
//! week before the first page was lived in the same way.

use std::{collections::BTreeMap, sync::Arc};

use engine::Chance;
use host::{Actor, Context, Doors, Next, Tick, person};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value as Json, json};
use tokio::sync::Mutex;

use super::{Dish, MENU, dishes, draw};
use crate::store::policy;

const TICK: &str = "pedidos.demo";
/// Who waits in the queue is looked at again this soon.
const LOOK: SignedDuration = SignedDuration::from_mins(2);

/// The tick that plays the shop.
pub(crate) fn tick() -> Tick {
    let shop = Arc::new(Mutex::new(Shop::default()));
    let run = move |context: Context, now: Timestamp| {
        let shop = shop.clone();
        async move { shop.lock().await.live(&context, now).await }
    };
    Tick::new(TICK, run).without_net()
}

/// What somebody is about to do.
#[derive(Clone, Debug)]
enum Act {
    /// A customer comes.
    Order,
    /// Somebody looks how an order stands.
    Look(i64),
    Ready(i64),
    /// The counter charges what is not paid, and hands over.
    HandOver(i64, bool),
    /// The manager does something that the week remembers.
    Manage(usize),
}

#[derive(Default)]
struct Shop {
    open: bool,
    /// Customers come as they did in the past.
    past: bool,
    menu: Vec<Dish>,
    agenda: BTreeMap<(Timestamp, u64), Act>,
    count: u64,
}

impl Shop {
    /// Does what is due and says when the next thing is.
    async fn live(&mut self, context: &Context, now: Timestamp) -> Next {
        let doors = context.doors();
        if !self.open {
            self.open(context, &doors, now).await;
        }
        if self.past && !context.is_past() {
            self.agenda.retain(|_, act| !matches!(act, Act::Order | Act::Manage(_)));
            self.arrange(now + SignedDuration::from_secs(15), Act::Order);
        }
        self.past = context.is_past();
        let due = |agenda: &BTreeMap<(Timestamp, u64), Act>| {
            agenda.first_key_value().is_some_and(|((at, _), _)| *at <= now)
        };
        while due(&self.agenda) {
            if let Some((_, act)) = self.agenda.pop_first() {
                self.act(context, &doors, act, now).await;
            }
        }
        Ok(self.agenda.first_key_value().map(|((at, _), _)| *at))
    }

    /// A shop without a menu gets one; whatever is open from before is followed.
    async fn open(&mut self, context: &Context, doors: &Doors, now: Timestamp) {
        let boss = staff("gabriela", "GERENTE");
        let known = doors.get(&boss, "/articulos").await.body;
        if known.as_array().is_some_and(Vec::is_empty) {
            for (nombre, categoria, precio, peso, estacion) in MENU {
                let body = json!({ "nombre": nombre, "categoria": categoria, "precio": precio,
                                   "peso": peso, "estacion": estacion });
                doors.call(&boss, Method::POST, "/articulos", &body).await;
            }
        }
        if context.is_past() {
            // A kitchen that cooks to order: with quicker dishes it would stand empty.
            for (key, minutes) in [(policy::FLOOR, 18), (policy::BASE, 20)] {
                let path = format!("/configuracion-sistema/{key}");
                doors.call(&boss, Method::PUT, &path, &json!({ "valor": minutes })).await;
            }
        }
        self.menu = dishes(&doors.get(&boss, "/articulos").await.body);
        if self.menu.is_empty() {
            tracing::error!("the demonstration has no menu");
            return;
        }
        self.open = true;
        let board = doors.get(&boss, "/api/pedidos/tablero").await.body;
        for order in board["pedidos"].as_array().into_iter().flatten() {
            if let Some(id) = order["id"].as_i64() {
                self.arrange(now, Act::Look(id));
            }
        }
        self.arrange(now, Act::Order);
        if context.is_past() {
            for n in 0..DEEDS.len() {
                let (day, hour) = (n as i64 + 1, 10 + n as i64);
                self.arrange(now + SignedDuration::from_hours(24 * day + hour % 3), Act::Manage(n));
            }
        }
    }

    fn arrange(&mut self, at: Timestamp, act: Act) {
        self.count += 1;
        self.agenda.insert((at, self.count), act);
    }

    async fn act(&mut self, context: &Context, doors: &Doors, act: Act, now: Timestamp) {
        let mut chance = Chance::of(&[self.count, now.as_microsecond().unsigned_abs()]);
        match act {
            Act::Order => {
                let order = draw(&self.menu, now, &mut chance);
                let who = if order["origen_pedido"] == "WEB" { "web" } else { "carla" };
                let who = staff(who, "CAJERO");
                let made = doors.call(&who, Method::POST, "/pedidos", &order).await;
                self.follow(&made.body, now);
                self.arrange(next_customer(context, now, &mut chance), Act::Order);
            }
            Act::Look(id) => {
                let found = doors.get(&staff("bruno", "COCINA"), &format!("/pedidos/{id}")).await;
                self.wait(doors, id, &found.body, &mut chance, now).await;
            }
            Act::Ready(id) => {
                let cook = staff("bruno", "COCINA");
                self.put(doors, &cook, id, "LISTO", now).await;
            }
            Act::HandOver(id, paid) => {
                let cashier = staff("carla", "CAJERO");
                if !paid {
                    let method = if chance.percent(60.0) { "EFECTIVO" } else { "MERCADOPAGO" };
                    let (path, body) =
                        (format!("/pedidos/{id}/cobrar"), json!({ "medio_pago": method }));
                    doors.call(&cashier, Method::POST, &path, &body).await;
                }
                self.put(doors, &cashier, id, "ENTREGADO", now).await;
            }
            Act::Manage(n) => {
                let (method, path, body) = &DEEDS[n];
                let body = serde_json::from_str(body).unwrap_or_default();
                doors.call(&staff("gabriela", "GERENTE"), method.clone(), path, &body).await;
            }
        }
    }

    /// What becomes of an order that waits: the wallet pays what came from the web, and now and then
    /// someone gives up.
    async fn wait(
        &mut self,
        doors: &Doors,
        id: i64,
        order: &Json,
        chance: &mut Chance,
        now: Timestamp,
    ) {
        let waits = order["estado"] == "RECIBIDO";
        let unpaid = waits && order["origen_pedido"] == "WEB" && order["estado_pago"] != "PAGADO";
        if waits && chance.percent(if unpaid { 12.0 } else { 1.0 }) {
            let body = json!({ "motivo": "el cliente se arrepintió" });
            let path = format!("/pedidos/{id}/cancelar");
            doors.call(&staff("carla", "CAJERO"), Method::POST, &path, &body).await;
            return;
        }
        if unpaid {
            let body = json!({ "medio_pago": "MERCADOPAGO", "estado_pago": "PAGADO" });
            let path = format!("/pedidos/{id}/pago");
            let paid = doors.call(&staff("web", "CAJERO"), Method::PUT, &path, &body).await;
            return match paid.granted() {
                Some(order) => self.follow(&order, now),
                None => self.arrange(now + LOOK, Act::Look(id)),
            };
        }
        self.follow(order, now);
    }

    /// A person of the house may have been quicker: then it is looked at how things stand.
    async fn put(&mut self, doors: &Doors, who: &Actor, id: i64, state: &str, now: Timestamp) {
        let (path, body) = (format!("/pedidos/{id}/estado"), json!({ "estado": state }));
        match doors.call(who, Method::PUT, &path, &body).await.granted() {
            Some(order) => self.follow(&order, now),
            None => self.arrange(now + LOOK, Act::Look(id)),
        }
    }

    /// What happens next to an order that stands like this.
    fn follow(&mut self, order: &Json, now: Timestamp) {
        let Some(id) = order["id"].as_i64() else { return };
        // The same cook is as quick about an order whenever it is asked.
        let mut chance = Chance::of(&[id.unsigned_abs(), 7]);
        let pace = 0.5 + 0.48 * chance.unit() + if chance.percent(5.0) { 0.5 } else { 0.0 };
        let instant = |field: &str| order[field].as_str()?.parse::<Timestamp>().ok();
        match order["estado"].as_str() {
            Some("EN_PREPARACION") => {
                let minutes = order["tiempo_estimado_preparacion"].as_f64().unwrap_or(10.0);
                let needed = SignedDuration::from_secs((minutes * 60.0 * pace) as i64);
                let at = instant("iniciado_en").unwrap_or(now) + needed;
                self.arrange(at.max(now), Act::Ready(id));
            }
            Some("LISTO") => {
                let waits = SignedDuration::from_secs(chance.between(40, 300));
                let paid = order["estado_pago"] == "PAGADO";
                let at = instant("hora_listo").unwrap_or(now) + waits;
                self.arrange(at.max(now), Act::HandOver(id, paid));
            }
            Some("RECIBIDO") => {
                let planned = instant("hora_inicio_preparacion").unwrap_or(now);
                self.arrange(planned.max(now + LOOK), Act::Look(id));
            }
            _ => {}
        }
    }
}

fn staff(name: &str, role: &str) -> Actor {
    person(crate::NAME, name, role)
}

/// What the week remembers of the manager.
const DEEDS: &[(Method, &str, &str)] = &[
    (Method::PUT, "/articulos/1", r#"{"precio": 9400}"#),
    (Method::PUT, "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", r#"{"valor": 10}"#),
    (
        Method::POST,
        "/capacidad-horarios",
        r#"{"dia_semana": 5, "desde": "20:00", "hasta": "23:30", "capacidad": 12}"#,
    ),
    (Method::PUT, "/articulos/9", r#"{"precio": 7600}"#),
    (Method::PUT, "/configuracion-sistema/MAX_PEDIDOS_EN_PREPARACION", r#"{"valor": 8}"#),
];

/// When the next customer comes. In the past the shop was open for lunch and dinner; whoever watches
/// finds it open.
fn next_customer(context: &Context, now: Timestamp, chance: &mut Chance) -> Timestamp {
    let mut at = now;
    // Nobody comes at night: the first of the next opening does.
    for _ in 0..48 {
        let hour = at.to_zoned(context.zone.clone()).hour();
        let pace = match (context.is_past() && !is_recent(context, at), context.is_moved_demo()) {
            (true, _) => Pace::Past,
            (false, true) if !context.is_past() => Pace::Moved,
            (false, _) => Pace::Watched,
        };
        let per_hour = rate(hour, pace);
        if per_hour > 0.0 {
            let gap = -(1.0 - chance.unit()).ln() * 3_600.0 / per_hour;
            return at + SignedDuration::from_secs((gap as i64).clamp(5, 7_200));
        }
        at += SignedDuration::from_mins(30);
    }
    at
}

/// Whether the past ends within the hour: whoever opens the first page finds a shop at work.
fn is_recent(context: &Context, at: Timestamp) -> bool {
    let past = context.options.past;
    past.is_some_and(|past| past.to.duration_since(at) < SignedDuration::from_mins(45))
}

/// How many customers come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Past,
    /// Time is moved by hand.
    Moved,
    Watched,
}

/// Customers per hour.
fn rate(hour: i8, pace: Pace) -> f64 {
    let meal = matches!(hour, 12..=13 | 20..=21);
    match pace {
        Pace::Past if meal => 13.0,
        Pace::Past if matches!(hour, 11 | 14 | 19 | 22) => 5.0,
        Pace::Past => 0.0,
        Pace::Moved if meal => 16.0,
        Pace::Moved => 6.0,
        Pace::Watched if meal => 28.0,
        Pace::Watched => 22.0,
    }
}

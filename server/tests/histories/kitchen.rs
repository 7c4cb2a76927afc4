//! The kitchen in memory: the rules of *Pedidos* over plain vectors, without a database.

use std::collections::BTreeMap;

use db::Tx;
use engine::{Capacity, Roles as _, Word};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use pedidos::{
    model::{
        Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentState, Role,
    },
    policy::{Action, Pause, Policy, PriorityPolicy, Unit},
    rules::{
        business_day::BusinessDay,
        commands::{self, Answer, Change, Class, Refusal},
        estimate,
        intake::{self, Snapshot, Waiting},
        pricing,
        projection::Cooking,
        promise, used,
    },
    store,
};
use serde_json::Value as Json;

use crate::{house::beginning, pedidos::PEOPLE, play::Model, step::Step};

/// The article whose stock is counted, and its effort and price.
pub(crate) const COUNTED: i64 = 1;
pub(crate) const WEIGHT: i64 = 2;
pub(crate) const PRICE: i64 = 500;
pub(crate) const STOCK: i64 = 20;

#[derive(Clone)]
pub(crate) struct Kitchen {
    now: Timestamp,
    policy: Policy,
    pause: Option<Pause>,
    orders: Vec<Order>,
    /// What each took from the counted stock, and what is left.
    taken: Vec<i64>,
    stock: i64,
    /// Who used which key for what.
    keys: BTreeMap<(String, String), Json>,
    /// The table that takes no rows.
    refusing: Option<&'static str>,
}

/// A row was needed in a table that takes none.
struct Refused;

type Applied = Result<(), Refused>;

pub(crate) fn model() -> Box<dyn Model> {
    Box::new(Kitchen {
        now: beginning(),
        policy: Policy::new(TimeZone::UTC),
        pause: None,
        orders: Vec::new(),
        taken: Vec::new(),
        stock: STOCK,
        keys: BTreeMap::new(),
        refusing: None,
    })
}

impl Model for Kitchen {
    fn hear(&mut self, step: &Step, now: Timestamp, answer: Option<u16>) -> Result<(), String> {
        let expected = match step {
            Step::Ask { who, what, body } => {
                let before = self.clone();
                let status = self.asked(who, what, body).unwrap_or(500);
                if status >= 300 {
                    *self = before;
                }
                Some(status)
            }
            Step::Refusing { table, ask } => {
                self.refusing = Some(table);
                let heard = self.hear(ask, now, answer);
                self.refusing = None;
                return heard;
            }
            Step::Advance(_) => {
                self.travel(now);
                None
            }
            Step::Crash | Step::Restore => None,
        };
        if answer == expected { Ok(()) } else { Err(format!("the model answers {expected:?}")) }
    }

    fn look<'a>(&'a self, tx: &'a mut Tx, _: Timestamp) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async {
            let said = |error: db::Error| error.to_string();
            let rows = tx.all("SELECT * FROM orders ORDER BY id", &[]).await.map_err(said)?;
            let kept: Result<Vec<_>, _> = rows.iter().map(store::orders::order).collect();
            let kept = kept.map_err(said)?;
            if kept.len() != self.orders.len() {
                return Err(format!("{} orders, not {}", kept.len(), self.orders.len()));
            }
            if let Some((kept, told)) = kept.iter().zip(&self.orders).find(|(a, b)| a != b) {
                return Err(format!("kept {kept:?}\nthe model has {told:?}"));
            }
            let counted = store::articles::find(tx, COUNTED).await.map_err(said)?;
            let stock = counted.map(|article| article.stock);
            let right = stock == Some(self.stock);
            if right { Ok(()) } else { Err(format!("stock {stock:?}, not {}", self.stock)) }
        })
    }
}

impl Kitchen {
    fn asked(&mut self, who: &str, what: &str, body: &Json) -> Result<u16, Refused> {
        let role = PEOPLE.iter().find(|(name, _)| *name == who).map_or("ADMIN", |(_, role)| role);
        let role = Role::from_word(role).expect("a role of the shop");
        let mut words = what.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let key = words.next().map(|key| (who.to_owned(), key.to_owned()));
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match (method, parts.as_slice()) {
            ("POST", ["pedidos"]) => self.create(role, key, body),
            (_, ["pedidos", id, verb]) => self.act(role, id, verb, body),
            ("PUT", ["configuracion-sistema", key]) => {
                self.set(role.can(Action::Configure), key, &body["valor"])
            }
            ("POST", [.., "pausar"]) => self.stop(role, Some(body)),
            ("POST", [.., "reanudar"]) => self.stop(role, None),
            _ => panic!("the model does not know {what}"),
        }
    }

    fn create(
        &mut self,
        role: Role,
        key: Option<(String, String)>,
        body: &Json,
    ) -> Result<u16, Refused> {
        if !role.can(Action::WriteOrders) {
            return Ok(403);
        }
        if let Some(before) = key.as_ref().and_then(|key| self.keys.get(key)) {
            return Ok(if before == body { 201 } else { 409 });
        }
        let (order, taken) = self.order(body);
        let new = Waiting { id: OrderId(i64::MAX), ..Waiting::from(&order) };
        let verdict = promise::judge(&self.snapshot(), &self.cooking(), &new, self.now);
        let insists = body["insistir"] == true;
        if let Err(refusal) = commands::promised(verdict.filter(|_| !insists)) {
            return Ok(status(&refusal));
        }
        self.needs("order_lines")?;
        if order.payment_state == PaymentState::Paid {
            self.needs("sales")?;
        }
        self.stock -= taken;
        self.taken.push(taken);
        self.orders.push(order);
        self.admit()?;
        self.keys.extend(key.map(|key| (key, body.clone())));
        Ok(201)
    }

    /// An order as it is written down, and what it takes from the counted stock.
    fn order(&self, body: &Json) -> (Order, i64) {
        let line = &body["articulos"][0];
        let number = |value: &Json, otherwise| value.as_i64().unwrap_or(otherwise);
        let article = line["articulo_id"].as_i64();
        let quantity = number(&line["cantidad"], 1);
        let (weight, price_cents) = match article {
            Some(_) => (WEIGHT, PRICE * 100),
            None => (number(&line["peso"], 1), number(&line["precio"], 0) * 100),
        };
        let lines = [Line {
            n: 1,
            article,
            name: String::new(),
            weight,
            quantity,
            price_cents,
            note: None,
            extras: None,
            station: None,
        }];
        let due = body["horario_entrega"].as_str().map(|at| at.parse().expect("an instant"));
        let due = Due::from_instant(due);
        let effort = estimate::effort(&lines);
        let estimate_minutes = estimate::minutes(effort, self.policy.estimate_floor);
        let order = Order {
            id: OrderId(self.orders.len() as i64 + 1),
            state: OrderState::Received,
            received_at: self.now,
            due,
            estimate_minutes,
            planned_start: due.planned_start(estimate_minutes),
            started_at: None,
            expected_finish: None,
            ready_at: None,
            delivered_at: None,
            cancelled_at: None,
            intake: Intake::from_flag(body["transicion_automatica"] != false),
            mode: Mode::PickUp,
            channel: word(&body["origen_pedido"]).unwrap_or(Channel::Counter),
            payment_method: word(&body["medio_pago"]),
            payment_state: word(&body["estado_pago"]).unwrap_or(PaymentState::Pending),
            cash_on_delivery: false,
            effort,
            total_cents: pricing::total(&lines),
            customer: Customer::default(),
            note: None,
            version: 1,
            stock_restored: false,
            hold_reason: None,
            cancel_reason: None,
        };
        (order, if article == Some(COUNTED) { quantity } else { 0 })
    }

    fn act(&mut self, role: Role, id: &str, verb: &str, body: &Json) -> Result<u16, Refused> {
        // Whoever may not is told so before anything is looked up.
        let needed = match verb {
            "estado" | "iniciar-preparacion-manual" => Action::ChangeState,
            "forzar-estado" => Action::ForceState,
            _ => Action::WriteOrders,
        };
        if !role.can(needed) {
            return Ok(403);
        }
        let number = id.parse::<usize>().unwrap_or_default();
        let Some(order) = self.orders.get(number.wrapping_sub(1)).cloned() else {
            return Ok(404);
        };
        let changes = match self.command(&order, role, verb, body) {
            Ok(changes) if changes.is_empty() => return Ok(200),
            Ok(changes) => changes,
            Err(refusal) => return Ok(status(&refusal)),
        };
        for change in &changes {
            self.apply(change)?;
        }
        self.admit()?;
        Ok(200)
    }

    fn command(&self, order: &Order, role: Role, verb: &str, body: &Json) -> Answer {
        let reason = body["motivo"].as_str();
        let state = || word(&body["estado"]).expect("a state");
        let kitchen = commands::Kitchen { capacity: self.capacity(), unit: self.policy.unit };
        match verb {
            "estado" => {
                let reason = reason.unwrap_or("sin motivo informado");
                commands::change_state(order, state(), Some(reason), kitchen, role, self.now)
            }
            "forzar-estado" => {
                commands::force(order, state(), reason.unwrap_or_default(), role, self.now)
            }
            "iniciar-preparacion-manual" => commands::start(order, kitchen, role, self.now),
            "retener" => commands::hold(order, reason, role),
            "liberar" => commands::release(order, role),
            "cancelar" => commands::cancel(order, reason.unwrap_or_default(), role, self.now),
            "cobrar" => commands::pay(order, word(&body["medio_pago"]).expect("a method"), role),
            "pago" => {
                let method = word(&body["medio_pago"]).expect("a method");
                let state = word(&body["estado_pago"]).expect("a state");
                commands::settle_payment(order, method, state)
            }
            "horario-entrega" => {
                let due = body["horario_entrega"].as_str().map(|at| at.parse().expect("a time"));
                let due = Due::from_instant(due);
                let waits = order.state == OrderState::Received && body["insistir"] != true;
                let mut queue = self.snapshot();
                queue.waiting.retain(|waiting| waiting.id != order.id);
                let new = Waiting { due, ..Waiting::from(order) };
                let judged = || promise::judge(&queue, &self.cooking(), &new, self.now);
                commands::reschedule(order, due, waits.then(judged).flatten(), role)
            }
            other => panic!("the model does not know {other}"),
        }
    }

    fn set(&mut self, may: bool, key: &str, value: &Json) -> Result<u16, Refused> {
        if !may {
            return Ok(403);
        }
        match key {
            store::policy::CAPACITY => {
                let wanted = value.as_i64().unwrap_or_default();
                if !(1..=i64::from(self.policy.capacity_ceiling)).contains(&wanted) {
                    return Ok(400);
                }
                self.policy.capacity = wanted as u32;
            }
            store::policy::UNIT => self.policy.unit = word(value).unwrap_or(Unit::Orders),
            store::policy::PRIORITY => {
                self.policy.priority = word(value).unwrap_or(PriorityPolicy::Strict);
            }
            store::policy::AUTOMATION => self.policy.automation = value == true,
            other => panic!("the model does not know {other}"),
        }
        self.admit()?;
        Ok(200)
    }

    fn stop(&mut self, role: Role, pause: Option<&Json>) -> Result<u16, Refused> {
        if !role.can(Action::PauseAutomation) {
            return Ok(403);
        }
        self.pause = pause.map(|body| Pause {
            reason: body["motivo"].as_str().unwrap_or_default().to_owned(),
            until: body["minutos"].as_i64().map(|m| self.now + SignedDuration::from_mins(m)),
            by: String::new(),
        });
        self.admit()?;
        Ok(if pause.is_some() { 200 } else { 204 })
    }

    fn needs(&self, table: &str) -> Applied {
        if self.refusing == Some(table) { Err(Refused) } else { Ok(()) }
    }

    fn apply(&mut self, change: &Change) -> Applied {
        if let Change::OpenTicket { .. } = change {
            return self.needs("tickets");
        }
        if let Change::SetPayment { to: PaymentState::Paid, .. } = change {
            self.needs("sales")?;
        }
        let (Change::SetState { order, .. }
        | Change::SetIntake { order, .. }
        | Change::SetDue { order, .. }
        | Change::SetPayment { order, .. }
        | Change::RestoreStock { order }) = change
        else {
            panic!("the model does not know {change:?}");
        };
        let place = order.0 as usize - 1;
        let order = &mut self.orders[place];
        order.version += 1;
        match change {
            Change::SetState { to, times, reason, .. } => {
                order.state = *to;
                order.started_at = times.started_at;
                order.expected_finish = times.expected_finish;
                order.ready_at = times.ready_at;
                order.delivered_at = times.delivered_at;
                order.cancelled_at = times.cancelled_at;
                if *to == OrderState::Cancelled {
                    order.cancel_reason.clone_from(reason);
                }
            }
            Change::SetIntake { intake, reason, .. } => {
                order.intake = *intake;
                order.hold_reason.clone_from(reason);
            }
            Change::SetDue { due, planned_start, .. } => {
                (order.due, order.planned_start) = (*due, *planned_start);
            }
            Change::SetPayment { method, to, .. } => {
                order.payment_method = method.or(order.payment_method);
                order.payment_state = *to;
            }
            _ => {
                order.version -= 1;
                order.stock_restored = true;
                self.stock += self.taken[place];
            }
        }
        Ok(())
    }

    fn today(&self) -> BusinessDay {
        BusinessDay::containing(self.now, &self.policy.zone, self.policy.cutoff)
    }

    fn capacity(&self) -> Capacity {
        let Policy { unit, stale_hours, .. } = self.policy;
        let in_use = used::in_use(&self.orders, unit, &self.today(), stale_hours, self.now);
        Capacity::new(self.policy.capacity, in_use)
    }

    fn cooking(&self) -> Vec<Cooking> {
        let (today, stale) = (self.today(), self.policy.stale_hours);
        let inside = |order: &&Order| used::occupies(order, &today, stale, self.now);
        self.orders.iter().filter(inside).filter_map(Cooking::of).collect()
    }

    fn snapshot(&self) -> Snapshot {
        let waiting = self.orders.iter().filter(|order| order.state == OrderState::Received);
        Snapshot {
            capacity: self.capacity(),
            unit: self.policy.unit,
            priority: self.policy.priority,
            ageing_minutes: self.policy.ageing_minutes,
            paused: self.policy.stopped(self.pause.clone(), self.now),
            today: self.today(),
            waiting: waiting.map(Waiting::from).collect(),
        }
    }

    /// Lets in whoever can enter.
    fn admit(&mut self) -> Applied {
        for start in intake::plan(&self.snapshot(), self.now).changes {
            for change in start.changes() {
                self.apply(&change)?;
            }
        }
        Ok(())
    }

    /// Stops at every instant at which time alone may let someone in.
    fn travel(&mut self, to: Timestamp) {
        while let Some(at) = self.next_entry().filter(|at| *at <= to) {
            self.now = at;
            let _ = self.admit();
        }
        self.now = to;
    }

    fn next_entry(&self) -> Option<Timestamp> {
        let stale = SignedDuration::from_hours(self.policy.stale_hours);
        let planned = self.orders.iter().filter_map(|order| order.planned_start);
        let forgotten = self.orders.iter().filter_map(|order| Some(order.started_at? + stale));
        let pause = self.pause.iter().filter_map(|pause| pause.until);
        let all = planned.chain(forgotten).chain(pause).chain([self.today().ends]);
        all.filter(|at| *at > self.now).min()
    }
}

fn word<T: Word>(value: &Json) -> Option<T> {
    value.as_str().and_then(T::from_word)
}

fn status(refusal: &Refusal) -> u16 {
    match refusal.class() {
        Class::Forbidden => 403,
        Class::Conflict => 409,
        Class::Unprocessable => 422,
    }
}

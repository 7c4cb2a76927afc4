//! S-15 to S-18: several processes want the last place of the kitchen at the same instant, and some
//! of them die on the way. A process is a context with its own connections to the one database.
//!
//! Each race runs a thousand times under `make soak`, else a hundred times.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::{
    future::poll_fn,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use db::{Decision, events};
use engine::Word as _;
use host::By;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use pedidos::{
    Context, Runtime,
    decisions::{self, Asked, Created, Done},
    model::{
        Channel, Customer, Due, Intake, Line, Mode, Order, OrderId, OrderState, PaymentState, Role,
    },
    rules::{
        commands::{self, Refusal},
        intake::Start,
    },
    store::{KitchenView, articles, changes, orders, scope},
};
use testkit::{Setup, TestDb};
use tokio::task::JoinHandle;

const PROCESSES: usize = 3;
/// Cooking in every round; the kitchen holds one more.
const RESIDENTS: i64 = 7;
const STOCK: i64 = 1_000;
const TAKEN: i64 = 3;

fn rounds() -> usize {
    testkit::rounds(1_000)
}

fn now() -> Timestamp {
    "2026-06-19T23:30:00Z".parse().unwrap()
}

fn by(role: Role) -> By {
    By { app: pedidos::NAME, name: "ana".into(), role: role.word().into() }
}

/// The kitchen with seven of eight places taken, and the processes that share it.
struct Kitchen {
    processes: Vec<Context>,
    article: i64,
}

impl Kitchen {
    async fn open(db: &TestDb) -> Self {
        let zone = TimeZone::get("America/Argentina/Buenos_Aires").unwrap();
        let setup = Setup { zone, ..Setup::at(now(), db) };
        let mut processes = Vec::new();
        for _ in 0..PROCESSES {
            let context = setup.clone().prepare(pedidos::app()).await.context;
            processes.push(Context::new(context, Arc::new(Runtime::default())));
        }
        let mut kitchen = Self { processes, article: 0 };
        kitchen.fixtures().await;
        kitchen
    }

    async fn fixtures(&mut self) {
        let mut decision = self.decide().await;
        let article = articles::Article {
            id: 0,
            name: "Hamburguesa".into(),
            category: None,
            price_cents: 100,
            weight: 1,
            station: None,
            tracks_stock: true,
            stock: STOCK,
            active: true,
            version: 1,
        };
        self.article = articles::insert(&mut decision.tx, &article).await.unwrap();
        for _ in 0..RESIDENTS {
            let id = self.insert(&mut decision, now()).await;
            let finish = now() + SignedDuration::from_mins(10);
            let start = Start { order: id, started_at: now(), expected_finish: finish };
            for change in start.changes() {
                changes::apply(&mut decision, &By::system(pedidos::NAME), &change).await.unwrap();
            }
        }
        decision.commit().await.unwrap();
    }

    async fn decide(&self) -> Decision {
        self.processes[0].store.decide(&scope(), now()).await.unwrap()
    }

    async fn insert(&self, decision: &mut Decision, received_at: Timestamp) -> OrderId {
        let lines = [self.line()];
        articles::take(&mut decision.tx, &[(self.article, TAKEN)]).await.unwrap();
        orders::insert(&mut decision.tx, &order(received_at), &lines, "ana").await.unwrap()
    }

    fn line(&self) -> Line {
        Line {
            n: 1,
            article: Some(self.article),
            name: "Hamburguesa".into(),
            weight: 1,
            quantity: TAKEN,
            price_cents: 100,
            note: None,
            extras: None,
            station: None,
        }
    }

    /// A new round: only the residents cook, one place is free, and the returned orders wait,
    /// oldest first. No command leaves the kitchen like this; a clock that moves does.
    async fn round(&self, waiting: i64) -> Round<'_> {
        let mut decision = self.decide().await;
        for (from, to) in [("EN_PREPARACION", "ENTREGADO"), ("RECIBIDO", "CANCELADO")] {
            let sql = "UPDATE orders SET state = $2 WHERE state = $1 AND id > $3";
            let args = [from.into(), to.into(), RESIDENTS.into()];
            decision.tx.execute(sql, &args).await.unwrap();
        }
        let sql = "UPDATE articles SET stock = $1";
        decision.tx.execute(sql, &[STOCK.into()]).await.unwrap();
        let mut ages: Vec<i64> = (1..=waiting).collect();
        for index in (1..ages.len()).rev() {
            ages.swap(index, rand::random_range(0..=index));
        }
        let mut queue = Vec::new();
        for age in ages {
            let received_at = now() - SignedDuration::from_secs(age);
            queue.push((received_at, self.insert(&mut decision, received_at).await));
        }
        decision.commit().await.unwrap();
        queue.sort();
        let queue = queue.into_iter().map(|(_, id)| id).collect();
        let (_, mark) =
            events::bounds(&mut self.processes[0].store.read().await.unwrap()).await.unwrap();
        let history = self.number("SELECT COALESCE(MAX(id), 0) AS n FROM order_history", &[]).await;
        Round { kitchen: self, queue, mark, history }
    }

    async fn number(&self, sql: &'static str, args: &[db::Value]) -> i64 {
        let mut tx = self.processes[0].store.read().await.unwrap();
        tx.one(sql, args).await.unwrap().get("n").unwrap()
    }

    /// A worker's evaluation in one of the processes.
    fn tick(&self, process: usize) -> JoinHandle<host::Next> {
        let context = self.processes[process].clone();
        soon(async move { decisions::tick(context, now()).await })
    }

    fn create(&self, process: usize) -> JoinHandle<Result<Created, db::Error>> {
        let (context, lines) = (self.processes[process].clone(), [self.line()]);
        soon(async move {
            decisions::create(&context, &by(Role::Cashier), &order(now()), &lines, None, false)
                .await
        })
    }
}

struct Round<'a> {
    kitchen: &'a Kitchen,
    queue: Vec<OrderId>,
    mark: i64,
    history: i64,
}

impl Round<'_> {
    async fn order(&self, id: OrderId) -> Order {
        let mut tx = self.kitchen.processes[0].store.read().await.unwrap();
        orders::find(&mut tx, id).await.unwrap().unwrap()
    }

    /// `(order, from, to)` of every state event since the round began.
    async fn told(&self) -> Vec<(i64, String, String)> {
        let mut tx = self.kitchen.processes[0].store.read().await.unwrap();
        let told = events::since(&mut tx, self.mark).await.unwrap();
        assert!(told.is_sorted_by(|a, b| a.seq < b.seq));
        let word = |data: &serde_json::Value, key: &str| data[key].as_str().unwrap().to_owned();
        told.iter()
            .filter(|event| event.name == "pedido:estado-cambiado")
            .map(|event| {
                let id = event.data["pedidoId"].as_i64().unwrap();
                (id, word(&event.data, "estadoAnterior"), word(&event.data, "estadoNuevo"))
            })
            .collect()
    }

    /// What holds after every race: the kitchen is full and not fuller, whoever cooks has exactly
    /// one ticket and nobody else has one, and what was told is what was written.
    async fn holds(&self) {
        let kitchen = self.kitchen;
        let context = &kitchen.processes[1];
        let mut tx = context.store.read().await.unwrap();
        let view = KitchenView::load(context, &mut tx, now()).await.unwrap();
        drop(tx);
        assert_eq!((view.capacity.in_use, view.capacity.limit), (8, 8));
        let sql = "SELECT COUNT(*) AS n FROM orders WHERE state = 'EN_PREPARACION'
                   AND id NOT IN (SELECT order_id FROM tickets)";
        assert_eq!(kitchen.number(sql, &[]).await, 0, "cooking without a ticket");
        let sql = "SELECT COUNT(*) AS n FROM tickets JOIN orders ON orders.id = tickets.order_id
                   WHERE orders.state = 'RECIBIDO'";
        assert_eq!(kitchen.number(sql, &[]).await, 0, "a ticket without an entry");
        let sql = "SELECT COUNT(*) AS n FROM order_history
                   WHERE id > $1 AND from_state IS NOT NULL";
        let written = kitchen.number(sql, &[self.history.into()]).await;
        assert_eq!(written, self.told().await.len() as i64, "told is written");
    }

    async fn tickets(&self, id: OrderId) -> i64 {
        let sql = "SELECT COUNT(*) AS n FROM tickets WHERE order_id = $1";
        self.kitchen.number(sql, &[id.0.into()]).await
    }
}

fn order(received_at: Timestamp) -> Order {
    Order {
        id: OrderId(0),
        state: OrderState::Received,
        received_at,
        due: Due::AsSoonAsPossible,
        estimate_minutes: 10,
        planned_start: None,
        started_at: None,
        expected_finish: None,
        ready_at: None,
        delivered_at: None,
        cancelled_at: None,
        intake: Intake::Automatic,
        mode: Mode::PickUp,
        channel: Channel::Counter,
        payment_method: None,
        payment_state: PaymentState::Pending,
        cash_on_delivery: false,
        effort: TAKEN,
        total_cents: 300,
        customer: Customer::default(),
        note: None,
        version: 1,
        stock_restored: false,
        hold_reason: None,
        cancel_reason: None,
    }
}

/// Begins work after a random moment of up to two milliseconds, about half a decision.
fn soon<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let delay = Duration::from_micros(rand::random_range(0..2_000));
    tokio::spawn(async move {
        let began = Instant::now();
        while began.elapsed() < delay {
            tokio::task::yield_now().await;
        }
        work.await
    })
}

/// Polls `work` so many times and drops it there, which is how a crash leaves a transaction.
async fn crash_after<T>(polls: usize, work: impl Future<Output = T>) -> Option<T> {
    let (mut work, mut left) = (pin!(work), polls);
    poll_fn(|waker| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        work.as_mut().poll(waker).map(Some)
    })
    .await
}

/// S-15: two workers and a creation meet one free place and five who wait for it.
async fn one_place_for_six(kitchen: &Kitchen) {
    for _ in 0..rounds() {
        let round = kitchen.round(5).await;
        let (one, two, created) = (kitchen.tick(0), kitchen.tick(1), kitchen.create(2));
        one.await.unwrap().unwrap();
        two.await.unwrap().unwrap();
        let Created::New(answer) = created.await.unwrap().unwrap() else { panic!("a new order") };
        assert_eq!(answer["estado"], "RECIBIDO", "five were there before");
        let oldest = round.queue[0];
        let entry = (oldest.0, "RECIBIDO".to_owned(), "EN_PREPARACION".to_owned());
        assert_eq!(round.told().await, [entry], "one enters, the oldest");
        let sql = "SELECT COUNT(*) AS n FROM orders WHERE state = 'RECIBIDO'";
        assert_eq!(kitchen.number(sql, &[]).await, 5, "the others wait");
        assert_eq!(round.tickets(oldest).await, 1);
        round.holds().await;
    }
}

/// S-16: a worker and a person start the same order.
async fn a_worker_and_a_person(kitchen: &Kitchen) {
    let mut won = 0;
    for _ in 0..rounds() {
        let round = kitchen.round(1).await;
        let id = round.queue[0];
        let context = kitchen.processes[1].clone();
        let person = soon(async move {
            decisions::act(&context, by(Role::Cashier), id, Asked::default(), |order, seen, now| {
                commands::start(order, seen.kitchen.room(), Role::Cashier, now)
            })
            .await
        });
        let worker = kitchen.tick(0);
        worker.await.unwrap().unwrap();
        let by_hand = match person.await.unwrap().unwrap() {
            Done::Saved(_) => true,
            Done::Refused(refusal @ Refusal::AlreadyProcessed { .. }) => {
                assert_eq!(refusal.code(), "PEDIDO_YA_PROCESADO");
                false
            }
            other => panic!("{other:?}"),
        };
        won += u32::from(by_hand);
        let found = round.order(id).await;
        assert_eq!((found.state, found.started_at), (OrderState::Preparing, Some(now())));
        assert_eq!(found.intake == Intake::Manual, by_hand, "one of them, not both");
        assert_eq!(round.told().await.len(), 1);
        assert_eq!(round.tickets(id).await, 1);
        round.holds().await;
    }
    println!("the person was first {won} times of {}", rounds());
}

/// S-17: a cancellation meets the worker that would start the order.
async fn a_cancellation_and_a_worker(kitchen: &Kitchen) {
    let mut cooked = 0;
    for _ in 0..rounds() {
        let round = kitchen.round(2).await;
        let (id, next) = (round.queue[0], round.queue[1]);
        let context = kitchen.processes[1].clone();
        let cancel = soon(async move {
            decisions::act(&context, by(Role::Cashier), id, Asked::default(), |order, _, now| {
                commands::cancel(order, "el cliente se fue", Role::Cashier, now)
            })
            .await
        });
        let worker = kitchen.tick(0);
        worker.await.unwrap().unwrap();
        let answer = cancel.await.unwrap().unwrap();
        assert!(matches!(answer, Done::Saved(_)), "{answer:?}");
        let told = round.told().await;
        let path: Vec<_> =
            told.iter().filter(|(of, ..)| *of == id.0).map(|(_, _, to)| to.as_str()).collect();
        match path[..] {
            ["CANCELADO"] => {}
            ["EN_PREPARACION", "CANCELADO"] => cooked += 1,
            _ => panic!("{told:?}"),
        }
        let found = round.order(id).await;
        assert_eq!((found.state, found.stock_restored), (OrderState::Cancelled, true));
        assert_eq!(round.order(next).await.state, OrderState::Preparing, "the place passes on");
        let sql = "SELECT stock AS n FROM articles";
        assert_eq!(kitchen.number(sql, &[]).await, STOCK - TAKEN, "back once, of two taken");
        round.holds().await;
    }
    println!("the worker was first {cooked} times of {}", rounds());
}

/// S-18: the process is gone somewhere between the first and the last line of an admission.
async fn a_crash_anywhere(kitchen: &Kitchen) {
    let mut outcomes = [0, 0];
    for attempt in 0..rounds() {
        let round = kitchen.round(1).await;
        let (id, polls) = (round.queue[0], rand::random_range(0..60));
        let context = kitchen.processes[0].clone();
        if attempt % 2 == 0 {
            crash_after(polls, decisions::tick(context, now())).await;
        } else {
            let lines = [kitchen.line()];
            let (by, new) = (by(Role::Cashier), order(now()));
            crash_after(polls, decisions::create(&context, &by, &new, &lines, None, false)).await;
        }
        // Another process looks after the first one is gone; whoever rolls back is in the way of
        // a decision until it has.
        let check = kitchen.processes[1].store.decide(&scope(), now()).await.unwrap();
        drop(check);
        let entered = round.order(id).await.state == OrderState::Preparing;
        assert_eq!(round.tickets(id).await, i64::from(entered), "all of it, or nothing");
        assert_eq!(round.told().await.len(), usize::from(entered));
        outcomes[usize::from(entered)] += 1;
        // The same process, restarted, finds its connections usable and finishes the work.
        decisions::tick(kitchen.processes[0].clone(), now()).await.unwrap();
        assert_eq!(round.order(id).await.state, OrderState::Preparing);
        assert_eq!(round.told().await.len(), 1);
        round.holds().await;
    }
    println!("lost {} admissions, kept {}", outcomes[0], outcomes[1]);
}

/// S-18: the ticket cannot be written, so the order does not enter either.
async fn a_ticket_that_cannot_be_written(kitchen: &Kitchen) {
    let rename = async |sql: &'static str| {
        let mut decision = kitchen.decide().await;
        decision.tx.execute(sql, &[]).await.unwrap();
        decision.commit().await.unwrap();
    };
    let round = kitchen.round(1).await;
    rename("ALTER TABLE tickets RENAME TO tickets_lost").await;
    decisions::tick(kitchen.processes[0].clone(), now()).await.unwrap_err();
    assert_eq!(round.order(round.queue[0]).await.state, OrderState::Received);
    assert_eq!(round.told().await, []);
    rename("ALTER TABLE tickets_lost RENAME TO tickets").await;
    decisions::tick(kitchen.processes[0].clone(), now()).await.unwrap();
    round.holds().await;
}

macro_rules! races {
    ($($race:ident),*) => {$(
        mod $race {
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_sqlite() {
                testkit::on_sqlite(async |db| super::$race(&super::Kitchen::open(db).await).await)
                    .await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_postgres() {
                testkit::on_postgres(async |db| super::$race(&super::Kitchen::open(db).await).await)
                    .await;
            }
        }
    )*};
}

races!(
    one_place_for_six,
    a_worker_and_a_person,
    a_cancellation_and_a_worker,
    a_crash_anywhere,
    a_ticket_that_cannot_be_written
);

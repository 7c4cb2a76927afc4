//! Four processes on one `PostgreSQL` database, and the same instant in all of them: planned starts
//! fall due, people start, cancel and bump, customers order. Each round asks the database whether
//! everything still adds up; the end replays what was told.
//!
//! A thousand races under `make soak`, else a hundred; a round runs four of them at once.

use std::collections::{HashMap, HashSet};

use db::{Store, events};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, Options, Turno};
use tokio::task::JoinSet;

const PROCESSES: usize = 4;
const CAPACITY: i64 = 8;
/// Scheduled orders whose start falls due in the same instant.
const DUE: usize = 3;
/// The least estimate: promised so many minutes from now is due now.
const ESTIMATE: SignedDuration = SignedDuration::from_mins(10);
const STEP: SignedDuration = SignedDuration::from_secs(30);

/// Four workers for the same places, two hands for orders the workers want, a cancellation of
/// another, and the same bump from two screens: four races in one instant.
const RACES: usize = 4;

fn rounds() -> usize {
    testkit::rounds(1_000).div_ceil(RACES)
}

fn order(due: Option<Timestamp>) -> Json {
    let line = json!({ "nombre": "Empanada", "peso": 1, "cantidad": 2, "precio": 5 });
    json!({ "articulos": [line], "modalidad": "RETIRO", "horario_entrega": due })
}

/// What the clients were told, over all rounds.
#[derive(Default)]
struct Answers {
    created: HashSet<i64>,
    by_status: HashMap<u16, usize>,
}

impl Answers {
    /// Nobody gets a server error, nobody waits for a lock in vain, every refusal says why.
    fn take(&mut self, answer: &Answer) {
        *self.by_status.entry(answer.status).or_default() += 1;
        match answer.status {
            200 => {}
            201 => {
                let id = answer.json()["id"].as_i64().expect("an order has a number");
                assert!(self.created.insert(id), "{id} was created twice");
            }
            409 => {
                let code = answer.json()["code"].as_str().unwrap_or_default().to_owned();
                let known = [
                    "CAPACIDAD_COCINA_LLENA",
                    "PEDIDO_YA_PROCESADO",
                    "PEDIDO_CANCELADO",
                    "PROMESA_NO_SE_CUMPLE",
                    "TRANSICION_INVALIDA",
                ];
                assert!(known.contains(&code.as_str()), "{}", answer.text);
            }
            status => panic!("{status}: {}", answer.text),
        }
    }
}

struct Shop {
    servers: Vec<Turno>,
    clients: Vec<Client>,
    store: Store,
    answers: Answers,
}

impl Shop {
    async fn open(url: String, now: Timestamp) -> Self {
        let start = || Turno::start(Options { database_url: Some(url.clone()), ..at(now) });
        // All of them migrate the same empty database.
        let (one, two, three, four) = tokio::join!(start(), start(), start(), start());
        let servers = vec![one, two, three, four];
        let clients = servers.iter().map(Turno::client).collect();
        let store = Store::open(&url).await.expect("the database opens");
        Self { servers, clients, store, answers: Answers::default() }
    }

    fn client(&self, number: usize) -> Client {
        self.clients[number % PROCESSES].clone()
    }

    /// Sends everything at once, each to its own process, and takes every answer.
    async fn at_once(&mut self, first: usize, requests: Vec<(&'static str, String, Json)>) {
        let mut running = JoinSet::new();
        for (offset, (method, path, body)) in requests.into_iter().enumerate() {
            let client = self.client(first + offset);
            running.spawn(async move {
                match method {
                    "PUT" => client.put(&path, body).await,
                    _ => client.post(&path, body).await,
                }
            });
        }
        while let Some(answer) = running.join_next().await {
            self.answers.take(&answer.expect("no client panics"));
        }
    }

    async fn ids(&self, sql: &'static str) -> Vec<i64> {
        let mut tx = self.store.read().await.expect("the database answers");
        let rows = tx.all(sql, &[]).await.expect("orders");
        rows.iter().map(|row| row.get("id").expect("a number")).collect()
    }

    async fn number(&self, sql: &'static str) -> i64 {
        let mut tx = self.store.read().await.expect("the database answers");
        tx.one(sql, &[]).await.expect("a count").get("n").expect("a number")
    }

    async fn adds_up(&self) {
        let cooking = self.number(COOKING).await;
        assert!(cooking <= CAPACITY, "{cooking} of {CAPACITY} are cooking");
        assert_eq!(self.number(COOKING_WITHOUT_TICKET).await, 0);
        let waiting = self.number(COULD_ENTER).await;
        assert!(cooking == CAPACITY || waiting == 0, "{cooking} cook while {waiting} could");
    }
}

const COOKING: &str = "SELECT COUNT(*) AS n FROM orders WHERE state = 'EN_PREPARACION'";
const COOKING_WITHOUT_TICKET: &str = "SELECT COUNT(*) AS n FROM orders
    WHERE state = 'EN_PREPARACION' AND id NOT IN (SELECT order_id FROM tickets)";
const COULD_ENTER: &str = "SELECT COUNT(*) AS n FROM orders
    WHERE state = 'RECIBIDO' AND automatic = TRUE AND due_at IS NULL";

/// The shop alone: four processes with a directory each share no files.
fn at(now: Timestamp) -> Options {
    let arguments = vec!["--apps".to_owned(), "pedidos".to_owned()];
    Options { arguments, ..Options::at(&now.to_string()) }
}

/// One instant: the clocks of all processes reach the planned start of some orders, while people
/// start one of them by hand, cancel another, bump what cooks, twice, and order more.
async fn round(shop: &mut Shop, number: usize, now: Timestamp) {
    let scheduled = (0..DUE).map(|_| ("POST", "/pedidos".to_owned(), order(Some(now + ESTIMATE))));
    shop.at_once(number, scheduled.collect()).await;
    let waiting = shop
        .ids("SELECT id FROM orders WHERE state = 'RECIBIDO' AND due_at IS NOT NULL ORDER BY id DESC LIMIT 3")
        .await;
    let cooking =
        shop.ids("SELECT id FROM orders WHERE state = 'EN_PREPARACION' ORDER BY id").await;
    let mut requests: Vec<_> = (0..PROCESSES)
        .map(|_| ("POST", "/debug/clock".to_owned(), json!({ "now": now })))
        .collect();
    requests.push(("POST", "/pedidos".to_owned(), order(None)));
    for (place, id) in waiting.iter().enumerate() {
        requests.push(match place {
            0 => ("POST", format!("/pedidos/{id}/iniciar-preparacion-manual"), Json::Null),
            1 => ("POST", format!("/pedidos/{id}/cancelar"), json!({ "motivo": "se fue" })),
            _ => ("PUT", format!("/pedidos/{id}/estado"), json!({ "estado": "EN_PREPARACION" })),
        });
    }
    // More leave than come in, now and then, so that the kitchen is met both full and with room.
    for id in cooking.iter().take(1 + number % 5) {
        for _ in 0..2 {
            requests.push(("PUT", format!("/pedidos/{id}/estado"), json!({ "estado": "LISTO" })));
        }
    }
    shop.at_once(number, requests).await;
    shop.adds_up().await;
}

/// Rebuilds every order from what was told: the count of those cooking never passes the capacity,
/// and the end is what the tables say.
async fn replay(shop: &Shop) -> usize {
    let mut tx = shop.store.read().await.expect("the database answers");
    let (mut last, mut told, mut cooking) = (0, 0, 0);
    let mut states: HashMap<i64, String> = HashMap::new();
    loop {
        let batch = events::since(&mut tx, last).await.expect("events");
        let Some(newest) = batch.last() else { break };
        assert!(batch[0].seq > last && batch.is_sorted_by(|a, b| a.seq < b.seq));
        last = newest.seq;
        for event in batch.iter().filter(|event| event.app == "pedidos") {
            let word = |key: &str| event.data[key].as_str().map(str::to_owned);
            let (from, to) = match event.name.as_str() {
                "pedido:creado" => (None, "RECIBIDO".to_owned()),
                "pedido:estado-cambiado" => {
                    (word("estadoAnterior"), word("estadoNuevo").expect("a state"))
                }
                _ => continue,
            };
            let id = event.data["pedidoId"].as_i64().expect("a number");
            cooking += i64::from(to == "EN_PREPARACION");
            cooking -= i64::from(from.as_deref() == Some("EN_PREPARACION"));
            assert!(cooking <= CAPACITY, "{cooking} cooking after event {}", event.seq);
            assert_eq!(states.insert(id, to), from, "event {} of order {id}", event.seq);
            told += 1;
        }
    }
    for row in tx.all("SELECT id, state FROM orders", &[]).await.expect("orders") {
        let id: i64 = row.get("id").expect("a number");
        let state: String = row.get("state").expect("a state");
        assert_eq!(states.remove(&id), Some(state), "order {id}");
        assert!(shop.answers.created.contains(&id), "nobody was told of order {id}");
    }
    assert!(states.is_empty(), "told of, and not there: {states:?}");
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_processes_never_pass_the_capacity() {
    let Some(url) = testkit::fresh_database().await else { return };
    // Just after the cut-off of the business day, so that all rounds fall into one.
    let mut now: Timestamp = "2026-03-02T04:30:00Z".parse().unwrap();
    let mut shop = Shop::open(url, now).await;
    for number in 0..rounds() {
        now += STEP;
        round(&mut shop, number, now).await;
    }
    let told = replay(&shop).await;
    let orders = shop.number("SELECT COUNT(*) AS n FROM orders").await;
    assert_eq!(orders as usize, shop.answers.created.len());
    let tickets = shop.number("SELECT COUNT(*) AS n FROM tickets").await;
    let started = "SELECT COUNT(DISTINCT order_id) AS n FROM order_history
                   WHERE to_state = 'EN_PREPARACION'";
    assert_eq!(shop.number(started).await, tickets, "one ticket for each that started");
    let entries = "SELECT COUNT(*) AS n FROM order_history WHERE to_state = 'EN_PREPARACION'";
    assert_eq!(shop.number(entries).await, tickets, "each started once");
    println!(
        "{} rounds on 4 processes: {orders} orders, {tickets} tickets, {told} changes told, \
         answers {:?}, never above {CAPACITY}",
        rounds(),
        shop.answers.by_status
    );
    for server in &shop.servers {
        assert!(!server.logs().contains("deadlock"), "{}", server.logs());
    }
}

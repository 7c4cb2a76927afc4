//! The real binary under load, killed with `kill -9` again and again, on the same files each time.
//! What a client was told is there once; what it was not told is there once or not at all, and once
//! after it asks again; the kitchen never held more than its capacity.
//!
//! A hundred times under `make soak`, else ten; `PostgreSQL` gets a fifth of it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};

use db::{Row, Store, events};
use reqwest::{Method, Response};
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};
use tokio::sync::mpsc::{self, UnboundedSender};

const CLIENTS: usize = 4;
const CAPACITY: usize = 8;

fn crashes() -> u32 {
    testkit::rounds(100) as u32
}

/// What a client knows for certain.
enum Note {
    Created {
        key: String,
        id: i64,
    },
    /// Sent, and the server died before the answer.
    Unsure {
        key: String,
    },
    /// Told to be ready.
    Ready {
        id: i64,
    },
    /// Received on the stream of events.
    Heard {
        seq: i64,
        name: String,
    },
}

#[derive(Default)]
struct Ledger {
    created: HashMap<String, i64>,
    unsure: Vec<String>,
    ready: HashSet<i64>,
    heard: BTreeMap<i64, String>,
    repeated: usize,
}

impl Ledger {
    fn note(&mut self, note: Note) {
        match note {
            Note::Created { key, id } => {
                let before = self.created.insert(key.clone(), id);
                assert!(before.is_none_or(|before| before == id), "{key} made two orders");
            }
            Note::Unsure { key } => self.unsure.push(key),
            Note::Ready { id } => {
                self.ready.insert(id);
            }
            Note::Heard { seq, name } => {
                let last = self.heard.last_key_value().map_or(0, |(seq, _)| *seq);
                assert!(seq > last, "{seq} came after {last}");
                self.heard.insert(seq, name);
            }
        }
    }
}

async fn create(client: &Client, key: &str) -> reqwest::Result<(i64, bool)> {
    let line = json!({ "nombre": "Pizza", "peso": 2, "cantidad": 1, "precio": 10 });
    let body = json!({ "articulos": [line], "modalidad": "RETIRO" });
    let request = client.request(Method::POST, "/pedidos").header("Idempotency-Key", key);
    let answer = request.json(&body).send().await?;
    let (status, replayed) =
        (answer.status(), answer.headers().contains_key("idempotency-replayed"));
    let text = answer.text().await?;
    assert_eq!(status, 201, "{text}");
    let order: Json = serde_json::from_str(&text).expect("an order is JSON");
    Ok((order["id"].as_i64().expect("an order has a number"), replayed))
}

/// Creates orders until the server is gone.
async fn order(client: Client, name: String, notes: UnboundedSender<Note>) {
    for count in 0.. {
        let key = format!("{name}-{count}");
        match create(&client, &key).await {
            Ok((id, _)) => notes.send(Note::Created { key, id }).expect("someone takes notes"),
            Err(_) => return notes.send(Note::Unsure { key }).expect("someone takes notes"),
        }
    }
}

/// Makes ready whatever cooks, until the server is gone.
async fn cook(client: Client, notes: UnboundedSender<Note>) {
    while let Ok(answer) =
        client.request(Method::GET, "/pedidos?estado=EN_PREPARACION").send().await
    {
        let Ok(cooking) = answer.json::<Vec<Json>>().await else { return };
        for order in cooking {
            let id = order["id"].as_i64().expect("an order has a number");
            let path = format!("/pedidos/{id}/estado");
            let request = client.request(Method::PUT, &path).json(&json!({ "estado": "LISTO" }));
            let Ok(answer) = request.send().await else { return };
            assert_eq!(answer.status(), 200);
            notes.send(Note::Ready { id }).expect("someone takes notes");
        }
    }
}

/// Hears events after `since`, until the server is gone or `until` was heard.
async fn listen(client: Client, since: i64, until: Option<i64>, notes: UnboundedSender<Note>) {
    let request = client.request(Method::GET, "/api/events?topics=pedidos");
    let Ok(stream) = request.header("Last-Event-ID", since.to_string()).send().await else {
        return;
    };
    let mut frames = Frames { stream, pending: String::new() };
    while let Some((seq, name)) = frames.next().await {
        notes.send(Note::Heard { seq, name }).expect("someone takes notes");
        if until == Some(seq) {
            return;
        }
    }
}

struct Frames {
    stream: Response,
    pending: String,
}

impl Frames {
    /// The number and name of the next whole event; comments keep the line open and say nothing.
    async fn next(&mut self) -> Option<(i64, String)> {
        loop {
            while let Some(end) = self.pending.find("\n\n") {
                let frame: String = self.pending.drain(..end + 2).collect();
                let field = |name| frame.lines().find_map(|line| line.strip_prefix(name));
                if let Some((id, name)) = field("id: ").zip(field("event: ")) {
                    return Some((id.parse().expect("a number"), name.to_owned()));
                }
            }
            let chunk = self.stream.chunk().await.ok()??;
            self.pending.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

/// Load from all sides, then `kill -9` in the middle of it. Ends when the clients noticed.
async fn crash(server: &mut Turno, ledger: &mut Ledger, round: u32) {
    let (notes, mut heard) = mpsc::unbounded_channel();
    let since = ledger.heard.last_key_value().map_or(0, |(seq, _)| *seq);
    tokio::spawn(listen(server.client(), since, None, notes.clone()));
    tokio::spawn(cook(server.client(), notes.clone()));
    for client in 0..CLIENTS {
        tokio::spawn(order(server.client(), format!("{round}-{client}"), notes.clone()));
    }
    drop(notes);
    // The kill falls after as many answers as the round's number says, never in a fixed place.
    let mut left = 5 + (round * 7) % 31;
    while let Some(note) = heard.recv().await {
        let answered = matches!(note, Note::Created { .. } | Note::Ready { .. });
        ledger.note(note);
        if answered && left > 0 {
            left -= 1;
            if left == 0 {
                a_moment(round).await;
                server.kill().await;
            }
        }
    }
}

/// Up to eight milliseconds, more than a commit takes, so that the kill finds requests everywhere.
async fn a_moment(round: u32) {
    let (began, chosen) = (Instant::now(), u64::from(round) * 1_237 % 8_000);
    while began.elapsed() < Duration::from_micros(chosen) {
        tokio::task::yield_now().await;
    }
}

/// Asks again for everything that was sent and not answered.
async fn ask_again(server: &Turno, ledger: &mut Ledger) {
    for key in std::mem::take(&mut ledger.unsure) {
        let (id, replayed) = create(&server.client(), &key).await.expect("the server is back");
        ledger.repeated += usize::from(replayed);
        ledger.note(Note::Created { key, id });
    }
}

async fn run(options: Options, crashes: u32) {
    let url = options.database_url.clone();
    let mut server = Turno::start(options).await;
    let mut ledger = Ledger::default();
    for round in 0..crashes {
        crash(&mut server, &mut ledger, round).await;
        server.restart().await;
        ask_again(&server, &mut ledger).await;
    }
    let url =
        url.unwrap_or_else(|| format!("sqlite://{}", server.data_dir().join("turno.db").display()));
    let store = Store::open(&url).await.expect("the database opens");
    hear_the_rest(&server, &store, &mut ledger).await;
    let moves = replay(&store).await;
    tally(&store, &ledger, moves, crashes).await;
    assert!(server.terminate().await, "{}", server.logs());
}

async fn hear_the_rest(server: &Turno, store: &Store, ledger: &mut Ledger) {
    let newest = number(store, "SELECT MAX(seq) AS n FROM events WHERE app = 'pedidos'").await;
    let since = ledger.heard.last_key_value().map_or(0, |(seq, _)| *seq);
    if since == newest {
        return;
    }
    let (notes, mut heard) = mpsc::unbounded_channel();
    tokio::spawn(listen(server.client(), since, Some(newest), notes));
    while let Some(note) = heard.recv().await {
        ledger.note(note);
    }
}

async fn number(store: &Store, sql: &'static str) -> i64 {
    let mut tx = store.read().await.expect("the database answers");
    tx.one(sql, &[]).await.expect("a count").get("n").expect("a number")
}

/// Every state change in the order it was committed, checked against the one before: each begins
/// where the last one ended, and never are more cooking than the kitchen holds.
async fn replay(store: &Store) -> Vec<(i64, Option<String>, String)> {
    let mut tx = store.read().await.expect("the database answers");
    let sql = "SELECT order_id, from_state, to_state FROM order_history ORDER BY id";
    let mut states: HashMap<i64, String> = HashMap::new();
    let (mut cooking, mut moves) = (0, Vec::new());
    for row in tx.all(sql, &[]).await.expect("history") {
        let id: i64 = row.get("order_id").expect("an order");
        let from: Option<String> = row.maybe("from_state").expect("a state or none");
        let to: String = row.get("to_state").expect("a state");
        assert_eq!(states.insert(id, to.clone()), from, "order {id} to {to}");
        cooking += usize::from(to == "EN_PREPARACION");
        cooking -= usize::from(from.as_deref() == Some("EN_PREPARACION"));
        assert!(cooking <= CAPACITY, "{cooking} cooking at order {id}");
        moves.push((id, from, to));
    }
    for row in tx.all("SELECT id, state FROM orders", &[]).await.expect("orders") {
        let (id, state) = standing(&row);
        assert_eq!(states.remove(&id), Some(state), "order {id} ends where its history ends");
    }
    assert!(states.is_empty(), "history without an order: {states:?}");
    moves
}

fn standing(row: &Row) -> (i64, String) {
    (row.get("id").expect("a number"), row.get("state").expect("a state"))
}

/// The events of the application, as the table keeps them.
async fn told(store: &Store) -> Vec<events::Event> {
    let (mut told, mut last) = (Vec::new(), 0);
    let mut tx = store.read().await.expect("the database answers");
    loop {
        let batch = events::since(&mut tx, last).await.expect("events");
        let Some(newest) = batch.last() else { return told };
        last = newest.seq;
        told.extend(batch.into_iter().filter(|event| event.app == "pedidos"));
    }
}

async fn tally(
    store: &Store,
    ledger: &Ledger,
    moves: Vec<(i64, Option<String>, String)>,
    crashes: u32,
) {
    let orders = number(store, "SELECT COUNT(*) AS n FROM orders").await;
    let ids: HashSet<_> = ledger.created.values().collect();
    assert_eq!(ids.len(), ledger.created.len(), "two keys, one order");
    assert_eq!(orders as usize, ledger.created.len(), "one order per key, lost and doubled none");
    let mut tx = store.read().await.expect("the database answers");
    for row in tx.all("SELECT id, state FROM orders", &[]).await.expect("orders") {
        let (id, state) = standing(&row);
        assert!(ids.contains(&id), "order {id} belongs to no key");
        assert!(!ledger.ready.contains(&id) || state == "LISTO", "order {id} was told to be ready");
    }
    let started: HashSet<i64> =
        moves.iter().filter(|(.., to)| to == "EN_PREPARACION").map(|(id, ..)| *id).collect();
    let tickets = number(store, "SELECT COUNT(*) AS n FROM tickets").await;
    let sql = "SELECT COUNT(DISTINCT order_id) AS n FROM tickets";
    assert_eq!(number(store, sql).await, tickets);
    assert_eq!(tickets as usize, started.len(), "one ticket per started order");

    let told = told(store).await;
    let kept: BTreeMap<_, _> = told.iter().map(|event| (event.seq, event.name.clone())).collect();
    assert_eq!(ledger.heard, kept, "heard is committed, committed is heard, once and in order");
    let word = |event: &events::Event, key: &str| event.data[key].as_str().map(str::to_owned);
    let announced: Vec<_> = told
        .iter()
        .filter_map(|event| {
            let (from, to) = match event.name.as_str() {
                "pedido:creado" => (None, Some("RECIBIDO".to_owned())),
                "pedido:estado-cambiado" => {
                    (word(event, "estadoAnterior"), word(event, "estadoNuevo"))
                }
                _ => return None,
            };
            Some((event.data["pedidoId"].as_i64()?, from, to?))
        })
        .collect();
    assert_eq!(announced, moves, "every change has its event, in the same order");
    println!(
        "{crashes} kills: {orders} orders, 0 lost, 0 doubled ({} answers recovered by asking again); \
         {tickets} tickets for {} started; {} made ready; {} state changes, {} events heard in \
         order; never above {CAPACITY}",
        ledger.repeated,
        started.len(),
        ledger.ready.len(),
        moves.len(),
        ledger.heard.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    run(Options::default(), crashes()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_on_postgres() {
    if let Some(url) = testkit::fresh_database().await {
        run(Options { database_url: Some(url), ..Options::default() }, (crashes() / 5).max(1))
            .await;
    }
}

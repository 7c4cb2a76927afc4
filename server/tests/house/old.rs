//! Databases that earlier versions left behind, kept as text: today's binary opens them, every row is
//! still there, and the four applications go on with them.

use std::{collections::BTreeMap, path::Path, process::Command};

use db::{Scope, Store, Tx, audit, trusted};
use host::{Actor, EVERY_APP, Grant, accounts};
use jiff::Timestamp;
use reqwest::multipart::{Form, Part};
use serde_json::Value as Json;
use testkit::{Answer, Client, Options, TestDb, Turno, server::binary};

use crate::cli::program::order;

/// With which their secrets are sealed.
pub(crate) const KEY: &str = "3dbf5a4e29920f7f2931e3ee25570e8aa2447504e8f74605f4013540d36102b7";
/// When their rows were written.
pub(crate) const THEN: &str = "2026-11-17T17:20:00Z";
/// What a token of the counter was told when it was made.
const COUNTER: &str = "turno_7c4535e68e5712ca1af34ec1b0c1661357747cd27f1c664b3852d6b473018601";
/// Tables that a later version has done without.
const GONE: [&str; 3] = ["pollers", "readings", "workers"];

fn dump(version: &str, dialect: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/house/old")
        .join(format!("{version}.{dialect}.sql"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Makes the database as it was; how many rows each table has.
async fn load(store: &Store, dump: &str) -> BTreeMap<String, i64> {
    let mut tables = Vec::new();
    let mut decision = store.decide(&Scope::new("old"), Timestamp::now()).await.unwrap();
    let (_, statements) = dump.split_once('\n').unwrap();
    for statement in statements.split(";\n").filter(|text| !text.trim().is_empty()) {
        let made = decision.tx.execute(trusted(statement.to_owned()), &[]).await;
        made.unwrap_or_else(|error| panic!("{error}: {statement}"));
        let filled = statement.strip_prefix("INSERT INTO ").and_then(|rest| rest.split(' ').next());
        tables.extend(filled.filter(|table| *table != "migrations").map(str::to_owned));
    }
    let mut rows = BTreeMap::new();
    for table in tables {
        let count = count(&mut decision.tx, &table).await;
        assert!(count > 0, "{table} is empty");
        rows.insert(table, count);
    }
    decision.commit().await.unwrap();
    rows
}

async fn count(tx: &mut Tx, table: &str) -> i64 {
    let sql = trusted(format!("SELECT COUNT(*) AS n FROM {table}"));
    tx.one(sql, &[]).await.unwrap().get("n").unwrap()
}

/// As an operator does it, with the real binary.
fn migrate(url: &str) {
    let done = Command::new(binary()).args(["migrate", "--database-url", url]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A database with one of everything, as today's binary keeps it.
pub(crate) async fn inhabited(database: &TestDb) -> Store {
    let store = Store::open(&database.url).await.unwrap();
    load(&store, &dump("0.1.0_with_broker", "sqlite")).await;
    store.close().await;
    migrate(&database.url);
    Store::open(&database.url).await.unwrap()
}

async fn opens(version: &str, database: &TestDb, dialect: &str) {
    let store = Store::open(&database.url).await.unwrap();
    let before = load(&store, &dump(version, dialect)).await;
    store.close().await;
    migrate(&database.url);
    let store = Store::open(&database.url).await.unwrap();
    let mut tx = store.read().await.unwrap();
    for (table, rows) in &before {
        if GONE.contains(&table.as_str()) {
            continue;
        }
        let after = count(&mut tx, table).await;
        assert_eq!(after, *rows, "rows of {table} ({version}, {dialect})");
    }
    assert_eq!(audit::verify(&mut tx).await.unwrap(), None, "the chain is whole");
    drop(tx);
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let environment = vec![set("TURNO_SECRETS_KEY", KEY)];
    let database_url = Some(database.url.clone());
    // At the time of its rows: what is old is forgotten, and these grow older every day.
    let options = Options { database_url, environment, ..Options::at(THEN) };
    let server = Turno::start(options).await;
    let grants = [Grant { app: EVERY_APP.into(), role: "ADMIN".into() }];
    let (by, now) = (Actor::system(), Timestamp::now());
    let admin = accounts::create_token(&store, &by, "t", &grants, None, now).await.unwrap();
    works(&server.client().with_token(admin), &before).await;
    // Who was known then is known now, with the same rights.
    let counter = server.client().with_token(COUNTER);
    counter.get("/pedidos").await.expect(200);
    counter.get("/api/sam/robots").await.expect(403);
    store.close().await;
}

/// The applications show what they had, and take more.
async fn works(admin: &Client, had: &BTreeMap<String, i64>) {
    for (path, table) in [
        ("/pedidos", "orders"),
        ("/articulos", "articles"),
        ("/comandas?estado=ENTREGADO", "tickets"),
        ("/api/sam/robots", "robots"),
        ("/api/sam/equipos", "runners"),
        ("/api/sam/programaciones", "schedules"),
        ("/api/coordinador/olts", "olts"),
        ("/api/coordinador/nodos", "nodes"),
        ("/api/coordinador/ejecuciones", "node_runs"),
        ("/api/docproc/requests", "requests"),
        ("/api/docproc/operators", "operators"),
        ("/api/docproc/golden?workflow=default", "golden_cases"),
    ] {
        let answer = admin.get(path).await.expect(200);
        let list = answer.as_array().or_else(|| answer["items"].as_array());
        let shown = list.unwrap_or_else(|| panic!("{path}: {answer}")).len() as i64;
        assert!(shown > 0 && shown <= had[table] + 1, "{path} shows {shown} of {}", had[table]);
    }
    let requests = admin.get("/api/docproc/requests?limit=100").await.expect(200);
    for request in requests["items"].as_array().unwrap() {
        let id = request["id"].as_str().unwrap();
        admin.get(&format!("/api/docproc/requests/{id}")).await.expect(200);
    }
    let orders: Vec<Json> = admin.get("/pedidos").await.expect(200).as_array().unwrap().clone();
    for order in &orders {
        admin.get(&format!("/pedidos/{}/why", order["id"])).await.expect(200);
        admin.get(&format!("/pedidos/{}/historia", order["id"])).await.expect(200);
    }
    let made = admin.post("/pedidos", order("Lomo")).await.expect(201);
    assert!(orders.iter().all(|old| old["id"] != made["id"]), "a number of its own");
    let file = Part::text("FACTURA").file_name("a.txt");
    let request = admin.request(reqwest::Method::POST, "/process");
    let request = request.multipart(Form::new().part("file", file));
    assert_eq!(Answer::of(request, "/process").await.expect(200)["status"], "received");
}

async fn both(version: &str) {
    testkit::on_sqlite(async |db| opens(version, db, "sqlite").await).await;
    testkit::on_postgres(async |db| opens(version, db, "postgres").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_the_first_release_goes_on() {
    both("0.1.0").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_from_before_the_last_migrations_goes_on() {
    both("0.1.0_with_broker").await;
}

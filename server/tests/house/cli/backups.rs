//! The drill: back up a working shop, restore it elsewhere, ask the same questions.

use serde_json::Value;
use testkit::{Options, Turno, fresh_database};

use super::program::{Home, order};

const MONDAY: &str = "2026-05-04T15:00:00Z";

async fn orders(server: &Turno) -> Value {
    server.client().get("/pedidos").await.expect(200)
}

/// The shop alone: documents would ask for their files, which are no part of a backup.
async fn on(database_url: String) -> Turno {
    let arguments = vec!["--apps".to_owned(), "pedidos".to_owned()];
    let database_url = Some(database_url);
    Turno::start(Options { database_url, arguments, ..Options::at(MONDAY) }).await
}

#[tokio::test]
async fn a_restored_shop_answers_the_same() {
    let server = Turno::start(Options::at(MONDAY)).await;
    for number in 0..12 {
        server.client().post("/pedidos", order(&format!("Ñoquis {number}"))).await.expect(201);
    }
    server.client().advance(60).await;
    let home = Home::new();
    let source = server.data_dir();
    home.run(&format!("backup b.gz --data-dir {}", source.display())).ok();
    let checked = home.run("restore b.gz --check --json").json();
    assert!(checked["rows"].as_u64() > Some(12), "{checked}");
    let expected = orders(&server).await;
    assert_eq!(expected.as_array().unwrap().len(), 12);

    home.run("restore b.gz --data-dir drill").ok();
    home.run("restore b.gz --data-dir drill").refused(1, &["not empty", "hint:"]);
    let file = home.path().join("drill/turno.db");
    let drill = on(format!("sqlite://{}", file.display())).await;
    assert_eq!(orders(&drill).await, expected);
    let next = drill.client().post("/pedidos", order("Postre")).await.expect(201);
    assert_eq!(next["id"], 13, "numbers go on from where the source stood");

    let Some(url) = fresh_database().await else { return };
    home.run(&format!("restore b.gz --database-url {url}")).ok();
    let moved = on(url).await;
    assert_eq!(orders(&moved).await, expected);
    let next = moved.client().post("/pedidos", order("Postre")).await.expect(201);
    assert_eq!(next["id"], 13);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_taken_while_orders_come_in_holds_what_was_acknowledged() {
    let server = Turno::start(Options::at(MONDAY)).await;
    let client = server.client();
    let (acknowledged, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let writer = tokio::spawn(async move {
        for number in 0.. {
            let created =
                client.post("/pedidos", order(&format!("Lomo {number}"))).await.expect(201);
            if acknowledged.send(created["id"].as_i64().unwrap()).is_err() {
                return;
            }
        }
    });
    let mut known = Vec::new();
    while known.len() < 20 {
        known.push(heard.recv().await.unwrap());
    }
    let home = Home::new();
    let source = server.data_dir().display().to_string();
    home.run(&format!("backup b.gz --data-dir {source}")).ok();
    let during = heard.recv().await.unwrap();
    drop(heard);
    writer.await.unwrap();
    assert!(during > 20);

    home.run("restore b.gz --data-dir drill").ok();
    let file = home.path().join("drill/turno.db");
    let drill = on(format!("sqlite://{}", file.display())).await;
    for id in known {
        let order = drill.client().get(&format!("/pedidos/{id}")).await.expect(200);
        assert_eq!(order["articulos"].as_array().unwrap().len(), 1, "{order}");
    }
    let checked = home.run("doctor --data-dir drill").ok();
    assert!(checked.contains("the chain is whole"), "{checked}");
}

#[test]
fn a_damaged_file_is_refused_and_leaves_nothing_behind() {
    let home = Home::new();
    home.run("migrate").ok();
    home.run("backup b.gz").ok();
    let whole = std::fs::read(home.path().join("b.gz")).unwrap();
    std::fs::write(home.path().join("cut.gz"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(home.path().join("text.gz"), "not a backup").unwrap();
    for file in ["cut.gz", "text.gz"] {
        home.run(&format!("restore {file} --check")).refused(1, &["not a usable backup"]);
        home.run(&format!("restore {file} --data-dir drill")).refused(1, &["not a usable backup"]);
    }
    assert!(!home.path().join("drill").exists());
}

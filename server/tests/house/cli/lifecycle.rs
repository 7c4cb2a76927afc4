//! Start, stop, crash, neighbours.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Options, Turno};

use super::program::{Home, order};

const MONDAY: &str = "2026-05-04T15:00:00Z";

#[tokio::test]
async fn a_manual_clock_moves_when_told() {
    let server = Turno::start(Options::at(MONDAY)).await;
    let client = server.client();
    assert_eq!(client.get("/health").await.expect(200)["now"], MONDAY);
    let moved = client.advance(90).await;
    assert_eq!(moved["now"], "2026-05-04T15:01:30Z");
    assert!(moved["ticks"].as_u64() >= Some(1), "{moved}");
    let back = client.post("/debug/clock", json!({ "now": MONDAY })).await;
    assert_eq!(back.status, 400, "time does not go back");
}

#[tokio::test]
async fn a_real_clock_cannot_be_moved() {
    let server = Turno::start(Options::default()).await;
    let answer = server.client().post("/debug/clock", json!({ "advance_seconds": 1 })).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_stop_ends_streams_and_succeeds_within_the_drain_time() {
    let mut server = Turno::start(Options::default()).await;
    let client = server.client();
    let request = client.request("GET".parse().unwrap(), "/api/events?topics=pedidos");
    let stream = request.send().await.unwrap();
    assert_eq!(stream.status().as_u16(), 200);
    let began = Instant::now();
    assert!(server.terminate().await, "{}", server.logs());
    assert!(began.elapsed() < Duration::from_secs(10), "took {:?}", began.elapsed());
    assert!(!server.logs().contains("still"), "{}", server.logs());
}

#[tokio::test]
async fn applications_answer_on_ports_of_their_own() {
    // Below those that connections are given, so that nobody takes them meanwhile.
    let first = 10_000 + u16::try_from(std::process::id() % 9_000).unwrap();
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut free = (first..).filter(is_free);
    let (review, callback) = (free.next().unwrap(), free.next().unwrap());
    let environment = [("DOCPROC_BACKOFFICE_PORT", review), ("SAM_CALLBACK_PORT", callback)]
        .map(|(name, port)| (name.to_owned(), port.to_string()));
    let options = Options { environment: environment.to_vec(), ..Options::default() };
    let server = Turno::start(options).await;
    let at = |port: u16| testkit::Client::anonymous(format!("http://127.0.0.1:{port}"));
    let front = at(review).get("/").await;
    assert_eq!(front.status, 200, "{}", front.text);
    let title = |page: &str| page.split("title>").nth(1).map(str::to_owned);
    assert!(title(&front.text).is_some());
    assert_eq!(title(&front.text), title(&server.client().get("/backoffice").await.text));
    assert_eq!(at(callback).get("/").await.expect(200)["status"], "ok");
    let call = json!({ "deploymentId": "nobody-knows", "status": "RUN_COMPLETED" });
    let (here, there) = (at(callback), server.client());
    let answers = [
        here.post("/api/callback", call.clone()).await.status,
        there.post("/api/callback", call).await.status,
    ];
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn variables_of_applications_are_checked_at_the_start() {
    let refused = |name: &str, value: &str, words: &[&str]| {
        let serve = "serve --listen 127.0.0.1:0";
        Home::new().run_with(serve, &[(name, value)], "").refused(2, words);
    };
    refused("SAM_CALLBACK_PORT", "eight", &["SAM_CALLBACK_PORT", "eight"]);
    refused("DOCPROC_BACKOFFICE_PORT", "0x1", &["DOCPROC_BACKOFFICE_PORT"]);
    refused("DOCPROC_COMPONENT_NAME", "printer", &["printer", "splitter", "consolidator"]);
    refused("DOCPROC_HEALTH_PORT", "health", &["DOCPROC_HEALTH_PORT"]);
    refused("DOCPROC_WORKERS", "0", &["DOCPROC_WORKERS"]);
}

#[tokio::test]
async fn logs_are_json_lines_with_the_agreed_fields() {
    let mut server = Turno::start(Options::default()).await;
    server.terminate().await;
    let logs = server.logs();
    let mut lines = 0;
    for line in logs.lines().filter(|line| !line.starts_with("Turno ")) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for field in ["timestamp", "level", "component", "event"] {
            assert!(line[field].is_string(), "{field} in {line}");
        }
        lines += 1;
    }
    assert!(lines > 0 && logs.contains("\"event\":\"stopped\""), "{logs}");
}

#[tokio::test]
async fn a_busy_port_is_said_and_nothing_is_touched() {
    let server = Turno::start(Options::default()).await;
    let address = server.url().replace("http://", "");
    let home = Home::new();
    home.run(&format!("serve --listen {address}"))
        .refused(4, &["another program listens on", "hint: stop it, or try --listen"]);
    assert!(!home.path().join("data").exists());
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let mut server = Turno::start(Options::at(MONDAY)).await;
    let client = server.client();
    let (acknowledged, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let writer = tokio::spawn(async move {
        for number in 0.. {
            let request = client.request("POST".parse().unwrap(), "/pedidos");
            let Ok(answer) = request.json(&order(&format!("Lomo {number}"))).send().await else {
                return;
            };
            let Ok(created) = answer.json::<serde_json::Value>().await else { return };
            if acknowledged.send(created["id"].as_i64().unwrap()).is_err() {
                return;
            }
        }
    });
    let mut known = Vec::new();
    while known.len() < 25 {
        known.push(heard.recv().await.expect("the writer goes on until the server is gone"));
    }
    server.kill().await;
    writer.await.unwrap();
    while let Ok(id) = heard.try_recv() {
        known.push(id);
    }
    server.restart().await;
    let client = server.client();
    for id in known {
        client.get(&format!("/pedidos/{id}")).await.expect(200);
    }
    let used = client.get("/pedidos/capacidad").await.expect(200);
    assert_eq!(used["pedidosEnPreparacion"], 8, "{used}");
}

#[tokio::test]
async fn two_processes_share_one_file() {
    let one = Turno::start(Options::at(MONDAY)).await;
    let file = one.data_dir().join("turno.db");
    let shared = Options {
        database_url: Some(format!("sqlite://{}", file.display())),
        environment: vec![(
            "DOCPROC_STORAGE_PATH".to_owned(),
            one.data_dir().join("docproc").display().to_string(),
        )],
        ..Options::at(MONDAY)
    };
    let two = Turno::start(shared).await;
    for (index, server) in [&one, &two].into_iter().cycle().take(12).enumerate() {
        server.client().post("/pedidos", order(&format!("Lomo {index}"))).await.expect(201);
    }
    for server in [&one, &two] {
        let client = server.client();
        client.advance(0).await;
        assert_eq!(client.get("/pedidos").await.expect(200).as_array().unwrap().len(), 12);
        let used = client.get("/pedidos/capacidad").await.expect(200);
        assert_eq!(used["pedidosEnPreparacion"], 8, "{used}");
    }
}

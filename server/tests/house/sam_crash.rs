//! The real binary takes five hundred callbacks a second, half of them repeated, and is killed with
//! `kill -9` in between: every run is closed exactly once, and no deploy is sent twice.

use std::{
    collections::HashSet,
    fmt::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use controlroom::sim::{self, Simulator};
use futures::{StreamExt as _, stream};
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};

const RUNS: usize = 500;
const AT_ONCE: usize = 50;
/// Of runners and their users; the Control Room has some of its own below.
const IDS: std::ops::RangeInclusive<usize> = 5001..=5000 + RUNS;

/// A server with five hundred runners, each reserved for the one robot there is.
async fn set_up(client: &Client, room: &str) {
    for (key, value) in [
        ("A360_URL", json!(room)),
        ("A360_USUARIO", json!("sam")),
        ("A360_API_KEY", json!("clave")),
        ("LANZADOR_SYNC_HABILITAR", json!(false)),
        ("LANZADOR_WORKERS_MAX", json!(32)),
    ] {
        let path = format!("/api/sam/configuracion/{key}");
        client.put(&path, json!({ "valor": value })).await.expect(200);
    }
    let robot = json!({ "id": 9000, "robot": "Uno", "es_online": true, "max_equipos": -1 });
    client.post("/api/sam/robots", robot).await.expect(201);
    let mut sheet = String::from("id,equipo,user_id,licencia\r\n");
    for id in IDS {
        let _ = write!(sheet, "{id},VM-{id:04},{id},RUNTIME\r\n");
    }
    let request = client.request(reqwest::Method::POST, "/api/sam/planillas/equipos");
    let answer =
        request.header("content-type", "text/csv").body(sheet).send().await.expect("an answer");
    assert_eq!(answer.status().as_u16(), 200, "{}", answer.text().await.expect("a text"));
    for id in IDS {
        let pair = json!({ "robot_id": 9000, "equipo_id": id });
        client.post("/api/sam/asignaciones", pair).await.expect(201);
    }
}

async fn live(client: &Client) -> Vec<Json> {
    let page = client.get("/api/sam/ejecuciones?activas=true&limit=1000").await.expect(200);
    page["items"].as_array().expect("a list").clone()
}

async fn until(what: &str, mut there: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    let mut poll = tokio::time::interval(Duration::from_millis(100));
    while !there().await {
        assert!(began.elapsed() < Duration::from_mins(2), "still waiting for {what}");
        poll.tick().await;
    }
}

async fn storm(database_url: Option<String>) {
    let options = sim::Options {
        devices: 0,
        bots: 0,
        duration: Duration::from_hours(5),
        ..sim::Options::default()
    };
    let room = Simulator::local(options).await.expect("a free port");
    let arguments = vec!["--apps".to_owned(), "sam".to_owned()];
    let options = Options { database_url, arguments, ..Options::default() };
    let mut server = Turno::start(options).await;
    let client = server.client();
    set_up(&client, &room.url()).await;
    let deployed = |run: &Json| run["deployment_id"].is_string();
    until("five hundred deploys", async || {
        live(&client).await.iter().filter(|run| deployed(run)).count() == RUNS
    })
    .await;
    // From here on nothing new starts.
    client.put("/api/sam/robots/9000", json!({ "activo": false })).await.expect(200);
    let runs = live(&client).await;
    let ids: Vec<String> = runs
        .iter()
        .map(|run| run["deployment_id"].as_str().expect("deployed").to_owned())
        .collect();
    // Each is said twice; what gets no answer is said again, as the Control Room does.
    let mut unheard: Vec<String> = ids.iter().chain(&ids).cloned().collect();
    let (closed, url) = (AtomicUsize::new(0), server.url());
    let mut killed = false;
    let began = Instant::now();
    while !unheard.is_empty() {
        let (http, said) = (http_client::client(), AtomicUsize::new(0));
        let process = server.process();
        let answers: Vec<(String, Option<String>)> = stream::iter(unheard)
            .map(|id| {
                let (http, url, said) = (http.clone(), url.clone(), &said);
                async move {
                    if said.fetch_add(1, Ordering::Relaxed) == RUNS && !killed {
                        kill(process);
                    }
                    let body = json!({ "deploymentId": id, "status": "RUN_COMPLETED" });
                    let call = http.post(format!("{url}/api/callback")).json(&body).send();
                    let answer = match call.await {
                        Ok(answer) if answer.status().is_success() => answer.text().await.ok(),
                        _ => None,
                    };
                    (id, answer)
                }
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        let first = |text: &String| text.contains("\"closed\"");
        let fresh = answers.iter().filter_map(|(_, text)| text.as_ref()).filter(|text| first(text));
        closed.fetch_add(fresh.count(), Ordering::Relaxed);
        unheard =
            answers.into_iter().filter(|(_, text)| text.is_none()).map(|(id, _)| id).collect();
        if !killed {
            assert!(!unheard.is_empty(), "killed in the middle");
            killed = true;
            server.restart().await;
        }
    }
    println!("{} callbacks with a kill in between: {:?}", RUNS * 2, began.elapsed());
    // An answer may have been lost with the process, never a second one given.
    assert!(closed.load(Ordering::Relaxed) <= RUNS);
    each_ended_once(&server.client(), &Client::anonymous(room.url()), &runs).await;
}

/// Every run was closed by one callback, and deployed once.
async fn each_ended_once(client: &Client, room: &Client, runs: &[Json]) {
    assert_eq!(live(client).await.len(), 0);
    for run in runs {
        let life = client.get(&format!("/api/sam/ejecuciones/{}", run["id"])).await.expect(200);
        let steps = life["pasos"].as_array().expect("steps");
        let ends = steps.iter().filter(|step| step["estado"] == "RUN_COMPLETED").count();
        assert_eq!((ends, life["cierre"].as_str()), (1, Some("CALLBACK")), "{life}");
    }
    let sent = room.get("/sim/deployments").await.expect(200);
    let sent = sent.as_array().expect("a list");
    let tags: HashSet<_> = sent.iter().map(|one| one["automationName"].as_str()).collect();
    assert_eq!((sent.len(), tags.len()), (RUNS, RUNS), "each deployed once");
}

fn kill(process: Option<u32>) {
    let id = process.expect("it runs").to_string();
    let killed = std::process::Command::new("kill").args(["-9", &id]).status();
    assert!(killed.expect("kill is there").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_close_once_whatever_dies_on_a_file() {
    storm(None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_close_once_whatever_dies_on_postgres() {
    if let Some(url) = testkit::fresh_database().await {
        storm(Some(url)).await;
    }
}

//! The whole cluster under load while its processes are killed with `kill -9`, RabbitMQ and
//! PostgreSQL among them: a hundred times, under `make soak`. Whatever was accepted is completed,
//! each thing once, and counted.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Json as Body, Router, extract::State, http::HeaderMap, routing::post};
use db::Store;
use engine::Chance;
use reqwest::multipart::{Form, Part};
use serde_json::Value as Json;
use testkit::Client;
use tokio::{net::TcpListener, task::JoinSet};

use crate::{docproc_crash::FLOW, machines::Cluster};

/// Clients that send at the same time, each after its own pause.
const SENDERS: usize = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// So many of its requests are under way at most: the load is what the machine can carry.
const UNDER_WAY: usize = 5;
/// Everything that is killed.
const VICTIMS: [&str; 13] = [
    "rabbitmq",
    "postgres",
    "api-gateway",
    "workflow-router",
    "splitter",
    "ocr",
    "classifier",
    "classification-aggregator",
    "extractor",
    "extraction-aggregator",
    "consolidator",
    "sla-monitor",
    "backoffice",
];
/// A request that nobody accepted by then, or that is not completed by then, is lost.
const TEST_TIMEOUT: Duration = Duration::from_mins(2);

/// What a client knows of one request.
#[derive(Clone, Debug)]
struct Sent {
    id: String,
    pages: usize,
    /// When it was sent first, and how often until somebody said yes.
    at: Instant,
    tries: usize,
}

/// Whoever is told of completed requests: by request, the keys of what was told and when first.
type Told = Arc<Mutex<HashMap<String, (HashSet<String>, usize, Instant)>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_whose_processes_are_killed_at_random_loses_and_doubles_nothing() {
    if testkit::rounds(2) < 2 {
        println!("skipped: only `make soak` kills a whole cluster");
        return;
    }
    let seed = std::env::var("TURNO_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(rand::random::<u64>);
    println!("TURNO_SEED={seed} kills the same again");
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chaos-{seed}"));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("unattended.yaml"), FLOW).unwrap();
    let workflows = vec![("DOCPROC_WORKFLOWS_DIR", dir.display().to_string())];
    let Some(cluster) = Cluster::up_with(workflows).await else { return };
    let (told, url) = listen().await;
    let (stop, door) = (Arc::new(AtomicBool::new(false)), cluster.client("api-gateway"));
    let sending: Vec<_> = (0..SENDERS as u64)
        .map(|n| {
            let callback = (url.clone(), told.clone());
            tokio::spawn(send_on(door.clone(), [seed, n], callback, stop.clone()))
        })
        .collect();
    let cluster = Arc::new(cluster);
    let killing = cluster.clone();
    let kills = tokio::task::spawn_blocking(move || kill_all(&killing, seed)).await.unwrap();
    stop.store(true, Ordering::SeqCst);
    let mut sent = Vec::new();
    for one in sending {
        sent.extend(one.await.unwrap());
    }
    let late = wait_for_all(&sent, &told).await;
    report(&kills, &sent, &told);
    assert!(late.is_empty(), "{} of {} were lost: {late:?}", late.len(), sent.len());
    counted(&cluster, &sent, &told).await;
    settled(&cluster).await;
    let _ = std::fs::remove_dir_all(dir);
}

/// One kill: of whom, when, and when all were ready again.
struct Kill {
    victim: &'static str,
    at: Instant,
    ready: Duration,
}

/// Every victim has its turn before one has its second; the servers are among the first ten. Others
/// are killed while one is still being started.
fn kill_all(cluster: &Cluster, seed: u64) -> Vec<Kill> {
    let (mut chance, mut deck) = (Chance::new(seed), Vec::new());
    std::thread::scope(|scope| {
        let mut kills = Vec::new();
        for _ in 0..testkit::rounds(100) {
            if deck.is_empty() {
                deck = shuffled(&mut chance);
            }
            let victim = deck.pop().expect("just filled");
            std::thread::sleep(Duration::from_millis(300 + chance.below(2_000) as u64));
            let process = running(cluster, victim).to_string();
            let at = Instant::now();
            let killed = Command::new("kill").args(["-KILL", &process]).status();
            assert!(killed.is_ok_and(|status| status.success()), "{victim} was not killed");
            kills.push(scope.spawn(move || {
                supervise(cluster, victim);
                println!("{victim} is ready again after {:.1?}", at.elapsed());
                Kill { victim, at, ready: at.elapsed() }
            }));
        }
        kills.into_iter().map(|kill| kill.join().unwrap()).collect()
    })
}

fn shuffled(chance: &mut Chance) -> Vec<&'static str> {
    let (servers, components) = VICTIMS.split_at(2);
    let mut deck = components.to_vec();
    for n in 1..deck.len() {
        deck.swap(n, chance.below(n + 1));
    }
    for server in servers {
        deck.insert(deck.len() - chance.below(9), server);
    }
    deck
}

/// The process of a victim, as soon as it runs again.
fn running(cluster: &Cluster, victim: &str) -> u32 {
    let began = Instant::now();
    loop {
        if let Some(process) = cluster.process(victim) {
            return process;
        }
        assert!(began.elapsed() < TEST_TIMEOUT, "{victim} does not run");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Starts a service again, until it runs.
fn supervise(cluster: &Cluster, victim: &str) {
    let began = Instant::now();
    loop {
        let done = cluster.run(&["start", victim]);
        if done.status.success() {
            return;
        }
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(began.elapsed() < TEST_TIMEOUT, "{victim} does not come back: {said}");
        println!("again: {}", said.lines().last().unwrap_or_default());
    }
}

/// A receiver of answers, which remembers every one.
async fn listen() -> (Told, String) {
    let told = Told::default();
    let take = async |State(told): State<Told>, headers: HeaderMap, Body(said): Body<Json>| {
        if said["kind"] == "final" {
            let key = headers["turno-id"].to_str().unwrap().to_owned();
            let request = said["request_id"].as_str().unwrap().to_owned();
            let mut told = told.lock().unwrap();
            let entry = told.entry(request).or_insert((HashSet::new(), 0, Instant::now()));
            entry.0.insert(key);
            entry.1 += 1;
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/told", listener.local_addr().unwrap());
    let router = Router::new().route("/told", post(take)).with_state(told.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (told, url)
}

/// A client that sends one request after another, each until somebody accepted it.
async fn send_on(
    door: Client,
    [seed, sender]: [u64; 2],
    (callback, told): (String, Told),
    stop: Arc<AtomicBool>,
) -> Vec<Sent> {
    let mut chance = Chance::of(&[seed, sender]);
    let mut sent: Vec<Sent> = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        tokio::time::sleep(PAUSE).await;
        let open = {
            let told = told.lock().unwrap();
            sent.iter().filter(|one| !told.contains_key(&one.id)).count()
        };
        if open >= UNDER_WAY {
            continue;
        }
        let (text, pages) = document(&mut chance);
        let key = format!("{seed}/{sender}/{}", sent.len());
        let (at, mut tries) = (Instant::now(), 0);
        let id = loop {
            tries += 1;
            if let Some(id) = post_once(&door, &key, &text, &callback).await {
                break id;
            }
            assert!(at.elapsed() < TEST_TIMEOUT, "{key} was never accepted");
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        sent.push(Sent { id, pages, at, tries });
    }
    sent
}

/// One to six pages; some are too large for a row and are kept as files.
fn document(chance: &mut Chance) -> (String, usize) {
    let number = chance.number();
    let invoice = format!("FACTURA\nFactura n.º: F-{number}\nFecha: 12/03/2024\nTotal: 121,00 €");
    let contract = "CONTRATO DE TRABAJO\nDe una parte la empresa Norte S.L.".to_owned();
    let count = 1 + chance.below(6);
    let mut pages: Vec<String> =
        (0..count).map(|_| chance.pick(&[invoice.clone(), contract.clone()]).clone()).collect();
    if chance.percent(15.0) {
        pages[0].push_str(&"\nNada que nadie conozca.".repeat(3_500));
    }
    (pages.join("\u{c}"), count)
}

/// The id, or nothing when nobody said yes: then it may have been taken all the same.
async fn post_once(door: &Client, key: &str, text: &str, callback: &str) -> Option<String> {
    let form = Form::new()
        .part("file", Part::text(text.to_owned()).file_name("a.txt"))
        .text("workflow", "unattended")
        .text("callback_url", callback.to_owned());
    let request = door.request(reqwest::Method::POST, "/process").header("idempotency-key", key);
    let answer = request.timeout(Duration::from_secs(15)).multipart(form).send().await.ok()?;
    let status = answer.status();
    let said: Json = answer.json().await.ok()?;
    assert!(status.is_success() || status.is_server_error(), "{key}: {status} {said}");
    Some(said["request_id"].as_str()?.to_owned()).filter(|_| status.is_success())
}

/// Waits until of each request somebody was told; those of which nobody was.
async fn wait_for_all(sent: &[Sent], told: &Told) -> Vec<String> {
    let began = Instant::now();
    loop {
        let open: Vec<String> = {
            let told = told.lock().unwrap();
            sent.iter()
                .filter(|one| !told.contains_key(&one.id))
                .map(|one| one.id.clone())
                .collect()
        };
        if open.is_empty() || began.elapsed() > TEST_TIMEOUT {
            return open;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn report(kills: &[Kill], sent: &[Sent], told: &Told) {
    let told = told.lock().unwrap();
    let mut by_victim: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
    for kill in kills {
        let entry = by_victim.entry(kill.victim).or_default();
        *entry = (entry.0 + 1, entry.1.max(kill.ready));
    }
    println!("{:<28}{:>6}  all ready again within", "killed", "times");
    for (victim, (times, ready)) in &by_victim {
        println!("{victim:<28}{times:>6}  {ready:.1?}");
    }
    let ended = |one: &Sent| told.get(&one.id).map(|(_, _, at)| *at);
    let latency = |one: &Sent| ended(one).map(|at| at.duration_since(one.at));
    let mut latencies: Vec<Duration> = sent.iter().filter_map(latency).collect();
    latencies.sort_unstable();
    // From a kill to the first answer to what was sent after it.
    let recovery = |kill: &Kill| {
        let after = sent.iter().filter(|one| one.at > kill.at);
        after.filter_map(ended).min().map(|at| at.duration_since(kill.at))
    };
    let recovery = kills.iter().filter_map(recovery).max().unwrap_or_default();
    let tries: usize = sent.iter().map(|one| one.tries).sum();
    let pages: usize = sent.iter().map(|one| one.pages).sum();
    let (completed, keys) = (latencies.len(), told.values().map(|(keys, ..)| keys.len() - 1));
    let part = |percent: usize| {
        let at = completed.saturating_sub(1) * percent / 100;
        latencies.get(at).copied().unwrap_or_default()
    };
    println!("kills             {}", kills.len());
    println!("sent              {} requests of {pages} pages, in {tries} tries", sent.len());
    println!("accepted          {}", sent.len());
    println!("completed         {completed}");
    println!("lost              {}", sent.len() - completed);
    println!("doubled           {}", keys.sum::<usize>());
    let repeated: usize = told.values().map(|(_, times, _)| times - 1).sum();
    println!("told once more    {repeated}, under the same key");
    let (half, most, worst) = (part(50), part(95), part(100));
    println!("latency           p50 {half:.2?}, p95 {most:.2?}, worst {worst:.2?}");
    println!("longest recovery  {recovery:.2?}");
}

/// What the database has is what was sent, each once.
async fn counted(cluster: &Cluster, sent: &[Sent], told: &Told) {
    let ids: HashSet<&str> = sent.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids.len(), sent.len(), "two keys, two requests");
    for (id, (keys, ..)) in &*told.lock().unwrap() {
        assert!(ids.contains(id.as_str()), "nobody sent {id}");
        assert_eq!(keys.len(), 1, "{id} was completed twice: {keys:?}");
    }
    let (requests, pages) = (sent.len(), sent.iter().map(|one| one.pages).sum());
    let store = Store::open(&cluster.must(&["address", "postgres"])).await.unwrap();
    for (what, expected, sql) in [
        ("requests", requests, "SELECT COUNT(*) AS n FROM requests"),
        ("completed", requests, "SELECT COUNT(*) AS n FROM requests WHERE status = 'completed'"),
        ("pages", pages, "SELECT COUNT(*) AS n FROM pages WHERE ocr_text IS NOT NULL"),
        ("pages in documents", pages, "SELECT COUNT(*) AS n FROM pages
            JOIN documents ON documents.id = document_id WHERE n BETWEEN first_page AND last_page"),
        ("pages in results", pages, "SELECT COUNT(*) AS n FROM requests,
            jsonb_array_elements(result->'documents') one, jsonb_array_elements(one->'page_indices')"),
        ("different ones", pages, "SELECT COUNT(*) AS n FROM (SELECT DISTINCT requests.id, page
            FROM requests, jsonb_array_elements(result->'documents') one,
            jsonb_array_elements(one->'page_indices') page) AS found"),
        ("documents lacking in results", 0, "SELECT (SELECT COUNT(*) FROM documents) - COUNT(*) AS n
            FROM requests, jsonb_array_elements(result->'documents')"),
        ("documents not extracted once", 0, "SELECT COUNT(*) AS n FROM documents WHERE 1 <>
            (SELECT COUNT(*) FROM messages WHERE item = documents.id AND stage = 'extract')"),
        ("pages not read once", 0, "SELECT COUNT(*) AS n FROM pages WHERE 1 <> (SELECT COUNT(*)
            FROM messages WHERE messages.request_id = pages.request_id AND stage = 'ocr'
            AND item = 'p' || pages.n)"),
        ("messages not done", 0, "SELECT COUNT(*) AS n FROM messages WHERE state <> 'DONE'"),
        ("received", requests, "SELECT COUNT(*) AS n FROM events WHERE name = 'request.received'"),
        ("told", requests, "SELECT COUNT(*) AS n FROM events WHERE name = 'request.completed'"),
        ("failed", 0, "SELECT COUNT(*) AS n FROM events WHERE name = 'request.failed'"),
        ("answers", requests, "SELECT COUNT(*) AS n FROM answers WHERE kind = 'final'"),
        ("undelivered", 0, "SELECT COUNT(*) AS n FROM answers WHERE delivery <> 'DONE'"),
        ("effects left", 0, "SELECT COUNT(*) AS n FROM effects WHERE state <> 'DONE'"),
        ("foreign letters", 0, "SELECT COUNT(*) AS n FROM foreign_letters"),
    ] {
        let began = Instant::now();
        loop {
            let found: i64 =
                store.read().await.unwrap().one(sql, &[]).await.unwrap().get("n").unwrap();
            if found == expected as i64 {
                break;
            }
            // The last answers are being recorded as told.
            let late = began.elapsed() > Duration::from_secs(20);
            assert!(!late, "{what}: {found}, not {expected}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    joined(&cluster.client("api-gateway"), sent).await;
}

/// Every join of every request got all it waited for, as operators see it.
async fn joined(door: &Client, sent: &[Sent]) {
    let mut asked = JoinSet::new();
    for one in sent {
        if asked.len() >= 8 {
            asked.join_next().await.unwrap().unwrap();
        }
        let (door, id) = (door.clone(), one.id.clone());
        asked.spawn(async move {
            let detail = door.get(&format!("/api/docproc/requests/{id}")).await.expect(200);
            let joins = detail["fan_in"].as_array().expect("joins");
            assert!(!joins.is_empty(), "{detail}");
            for join in joins {
                assert_eq!(join["received"], join["expected"], "{detail}");
            }
        });
    }
    while let Some(done) = asked.join_next().await {
        done.unwrap();
    }
}

/// Nothing is left in any queue, dead letters least of all.
async fn settled(cluster: &Cluster) {
    let began = Instant::now();
    loop {
        let mut queues = cluster.queues().await;
        queues.retain(|_, (_, here)| *here > 0);
        if queues.is_empty() {
            return;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "still there: {queues:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

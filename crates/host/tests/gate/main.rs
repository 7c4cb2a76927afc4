//! The gate over real sockets: time-outs, places, pace, TLS, and who has to leave.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod carrier;
mod encrypted;
mod guessing;
mod leaving;
mod sealed;

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use db::settings::{Kind, Setting};
use host::{Access, App, Limits, Network, Proxies, Rate, Role};
use jiff::Timestamp;
use testkit::{Answer, LocalServer, Setup, TestDb};

const fn setting(key: &'static str, kind: Kind) -> Setting {
    Setting::new("demo", key, kind, "\"\"", ("", ""))
}

const SETTINGS: &[Setting] =
    &[setting("URL", Kind::Text { max: 100 }), setting("CLAVE", Kind::Secret { max: 100 })];

fn app() -> App {
    App {
        name: "demo",
        title: ("Demostración", "Demonstration"),
        roles: &[Role { word: "OPERARIO", title: ("Operario", "Operator") }],
        settings: SETTINGS,
        destinations: &[("URL", &["CLAVE"])],
        ..App::default()
    }
}

async fn serve(db: &TestDb, access: Access, network: Network) -> LocalServer {
    let now: Timestamp = "2026-03-02T22:00:00Z".parse().unwrap();
    let setup = Setup { access, network: Box::new(network), ..Setup::at(now, db) };
    setup.prepare(app()).await.start().await
}

fn bounded(limits: Limits) -> Network {
    Network { limits, ..Network::default() }
}

fn address(server: &LocalServer) -> SocketAddr {
    server.client.base().trim_start_matches("http://").parse().unwrap()
}

/// A connection that has said half of what it wants.
fn half_open(server: &LocalServer, said: &str) -> TcpStream {
    let mut socket = TcpStream::connect(address(server)).unwrap();
    socket.write_all(said.as_bytes()).unwrap();
    socket
}

/// How long until the other side has hung up, and what it said before.
async fn hung_up(mut socket: TcpStream) -> (Duration, String) {
    tokio::task::spawn_blocking(move || {
        let began = Instant::now();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut said = Vec::new();
        let read = socket.read_to_end(&mut said);
        let refused =
            read.err().is_some_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
        assert!(!refused, "the connection is still open");
        (began.elapsed(), String::from_utf8_lossy(&said).into_owned())
    })
    .await
    .unwrap()
}

const HEAD: &str = "GET /health HTTP/1.1\r\nhost: localhost\r\nx-slow: ";

#[tokio::test(flavor = "multi_thread")]
async fn eleven_hundred_half_open_requests_hold_nobody_up() {
    let db = TestDb::sqlite();
    let server = serve(&db, Access::Open, Network::default()).await;
    let count = if files() > 2_600 { 1_100 } else { files() / 3 };
    let half: Vec<TcpStream> = (0..count).map(|_| half_open(&server, HEAD)).collect();
    let began = Instant::now();
    for _ in 0..10 {
        server.client.get("/health").await.expect(200);
    }
    let each = began.elapsed() / 10;
    assert!(each < Duration::from_millis(100), "{each:?} with {} half-open", half.len());
    drop(half);
    server.stop().await;
}

/// How many files this process may open: both ends of a connection are here.
fn files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    line.split_whitespace().nth(3).and_then(|number| number.parse().ok()).unwrap_or(1_024)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_house_sends_away_who_asked_nothing_and_nobody_else() {
    let db = TestDb::sqlite();
    let limits = Limits { connections: 8, ..Limits::default() };
    let server = serve(&db, Access::Open, bounded(limits)).await;
    let mut stream =
        server.client.request(reqwest::Method::GET, "/api/events").send().await.unwrap();
    assert!(stream.chunk().await.unwrap().is_some(), "it greets");
    let mut half: Vec<TcpStream> = Vec::new();
    for _ in 0..40 {
        half.push(half_open(&server, HEAD));
        server.client.get("/health").await.expect(200);
    }
    let first = half.remove(0);
    assert!(hung_up(first).await.0 < Duration::from_secs(5), "the oldest made room");
    let next = tokio::time::timeout(Duration::from_millis(100), stream.chunk()).await;
    assert!(next.is_err(), "whoever listens stays: {next:?}");
    drop(half);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_and_bodies_come_in_time_or_not_at_all() {
    let db = TestDb::sqlite();
    let short = Duration::from_millis(300);
    let limits = Limits { header: short, body: short, ..Limits::default() };
    let server = serve(&db, Access::Open, bounded(limits)).await;
    for said in ["", "GET", HEAD] {
        let (took, _) = hung_up(half_open(&server, said)).await;
        assert!(took < Duration::from_secs(10), "{said:?}: {took:?}");
    }
    let body = "POST /api/tokens HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 100\r\nconnection: close\r\n\r\n{\"name\":";
    let (took, said) = hung_up(half_open(&server, body)).await;
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_paced_and_programs_of_this_machine_are_not() {
    let db = TestDb::sqlite();
    let limits = Limits {
        actor: Rate::per_minute(1, 3),
        address: Rate::per_minute(1, 6),
        ..Limits::default()
    };
    let trusted_proxies = Proxies::read(["127.0.0.1"]).unwrap();
    let network = Network { trusted_proxies, limits, ..Network::default() };
    let server = serve(&db, Access::SignedIn, network).await;
    let one = server.persona("one", "demo", "OPERARIO").await;
    let two = server.persona("two", "demo", "OPERARIO").await;
    for _ in 0..50 {
        assert_eq!(one.get("/api/alerts").await.status, 200, "it is on this machine");
    }
    let from = async |client: &testkit::Client, address: &str| {
        let request = client.request(reqwest::Method::GET, "/api/alerts");
        Answer::of(request.header("x-forwarded-for", address), "as a proxy").await
    };
    for _ in 0..3 {
        assert_eq!(from(&one, "203.0.113.7").await.status, 200);
    }
    let refused = from(&one, "203.0.113.7").await;
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.json()["code"], "DEMASIADAS_PETICIONES");
    assert_eq!(from(&one, "203.0.113.8").await.status, 429, "it is the same actor elsewhere");
    assert_eq!(from(&two, "203.0.113.7").await.status, 200, "another actor is not");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_do_not_keep_out_whoever_is_behind_the_same_address() {
    let db = TestDb::sqlite();
    let limits = Limits {
        address: Rate::per_minute(1, 6),
        login: Rate::per_minute(1, 2),
        ..Limits::default()
    };
    let trusted_proxies = Proxies::read(["127.0.0.1"]).unwrap();
    let network = Network { trusted_proxies, limits, ..Network::default() };
    let server = serve(&db, Access::SignedIn, network).await;
    let known = server.persona("known", "demo", "OPERARIO").await;
    let late = server.persona("late", "demo", "OPERARIO").await;
    let from_office = async |client: &testkit::Client, path: &str, token: Option<&str>| {
        let request = client.request(reqwest::Method::GET, path);
        let request = request.header("x-forwarded-for", "203.0.113.7");
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        Answer::of(request, path).await.status
    };
    for _ in 0..20 {
        let status = from_office(&known, "/api/alerts", None).await;
        assert_eq!(status, 200, "actors are not counted by their address");
    }
    for _ in 0..6 {
        assert_eq!(from_office(&server.client, "/api/alerts", None).await, 401);
    }
    assert_eq!(from_office(&server.client, "/api/alerts", None).await, 429);
    assert_eq!(from_office(&server.client, "/login", None).await, 200, "the way in stays open");
    for _ in 0..20 {
        assert_eq!(from_office(&known, "/api/alerts", None).await, 200);
        assert_eq!(from_office(&late, "/api/alerts", None).await, 200, "it is looked up first");
    }
    let guesses = [401, 401, 429].map(|expected| (expected, "turno_made_up"));
    for (expected, token) in guesses {
        let status = from_office(&server.client, "/api/alerts", Some(token)).await;
        assert_eq!(status, expected, "looking up what is made up has a bound");
    }
    assert_eq!(from_office(&late, "/api/alerts", None).await, 200, "known by now");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_actor_takes_some_places_among_the_streams() {
    let db = TestDb::sqlite();
    let limits = Limits { streams: 2, ..Limits::default() };
    let server = serve(&db, Access::SignedIn, bounded(limits)).await;
    let greedy = server.persona("greedy", "demo", "OPERARIO").await;
    let other = server.persona("other", "demo", "OPERARIO").await;
    let listen = async |client: &testkit::Client| {
        client.request(reqwest::Method::GET, "/api/events").send().await.unwrap()
    };
    let (first, _second) = (listen(&greedy).await, listen(&greedy).await);
    let third = listen(&greedy).await;
    assert_eq!(third.status().as_u16(), 429);
    assert!(third.headers().contains_key("retry-after"));
    assert_eq!(listen(&other).await.status().as_u16(), 200);
    drop(first);
    let began = Instant::now();
    while listen(&greedy).await.status().as_u16() != 200 {
        assert!(began.elapsed() < Duration::from_secs(20), "a place that was left is free");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_that_strangers_make_up_are_one_label() {
    let db = TestDb::sqlite();
    let server = serve(&db, Access::Open, Network::default()).await;
    for number in 0..5 {
        let method = format!("ODD{number}").parse().unwrap();
        server.client.request(method, "/health").send().await.unwrap();
    }
    let text = server.client.get("/metrics").await.text;
    assert!(text.contains("method=\"other\"") && !text.contains("ODD"), "{text}");
    server.stop().await;
}

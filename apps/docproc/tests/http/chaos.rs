//! Letters that are doubled, out of order, too old, broken or not ours: they cost time and nothing
//! else (R-15a).

use std::time::{Duration, Instant};

use broker::{Broker, Letter, Topology};
use docproc::Part;
use serde_json::{Value as Json, json};
use testkit::{Answer, broker::Vhost};

use crate::{
    broker::{PAGE, carried, depth, publish, services},
    office::{Office, Setup, upload},
    outside::sure,
};

const WITHIN: Duration = Duration::from_secs(40);

/// Looks until it is so, as long as anything may take on a busy machine.
pub(crate) async fn until(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !so().await {
        assert!(began.elapsed() < WITHIN, "{what}: not within {WITHIN:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Everything was done exactly once: no try too many, no page, document or answer doubled or lost,
/// nobody buried, nothing of somebody else.
pub(crate) async fn exact(office: &Office, requests: i64, pages: i64) {
    let counts = [
        ("requests", requests, "SELECT COUNT(*) AS n FROM requests"),
        ("pages", pages, "SELECT COUNT(*) AS n FROM pages WHERE ocr_text IS NOT NULL"),
        ("joined", requests, "SELECT COUNT(*) AS n FROM requests WHERE page_count IS NOT NULL"),
        ("read", pages, "SELECT COUNT(*) AS n FROM messages WHERE stage = 'ocr'"),
        ("split", requests, "SELECT COUNT(*) AS n FROM messages WHERE stage = 'split'"),
        ("tries too many", 0, "SELECT COUNT(*) AS n FROM messages WHERE attempt > 1"),
        ("dead", 0, "SELECT COUNT(*) AS n FROM messages WHERE state IN ('DEAD', 'PARKED')"),
        ("foreign", 0, "SELECT COUNT(*) AS n FROM foreign_letters"),
    ];
    for (what, expected, sql) in counts {
        assert_eq!(office.count(sql).await, expected, "{what}");
    }
}

/// Takes all letters out of a queue.
async fn take_out(vhost: &Vhost, queue: &str) -> Vec<Json> {
    let path = format!("queues/{}/{queue}/get", vhost.name);
    let wish = json!({ "count": 1000, "ackmode": "ack_requeue_false", "encoding": "auto" });
    let taken = vhost.send("POST", &path, &wish).await;
    serde_json::from_str(&taken).unwrap()
}

async fn put_back(vhost: &Vhost, letter: &Json) {
    let path = format!("exchanges/{}/doc.direct/publish", vhost.name);
    let fields = ["properties", "routing_key", "payload", "payload_encoding"];
    let letter: Json = fields.iter().map(|name| (*name, letter[name].clone())).collect();
    assert!(vhost.send("POST", &path, &letter).await.contains("true"), "{letter}");
}

#[tokio::test]
async fn letters_twice_and_backwards_cost_nothing_and_the_urgent_still_go_first() {
    let Some((db, vhost)) = services().await else { return };
    let door = Office::with(carried(&db, &vhost, Part::Gateway)).await;
    let mut ids = Vec::new();
    for priority in [5, 1, 9, 3, 7, 2, 8, 4, 6, 1] {
        let (priority, text) = (priority.to_string(), [PAGE; 2].join("\u{c}"));
        let (files, fields) = ([("a.txt", text.into_bytes())], [("priority", &*priority)]);
        let said = upload(&door.client, "/process", &files, &fields).await.expect(200);
        ids.push(said["request_id"].as_str().unwrap().to_owned());
    }
    until("all are told of", async || depth(&vhost, "q.workflow_router").await == 10).await;
    let letters = take_out(&vhost, "q.workflow_router").await;
    assert_eq!(letters.len(), 10);
    for letter in letters.iter().rev().chain(letters.iter().rev()) {
        put_back(&vhost, letter).await;
    }
    // One thread that holds one message: what it took first, it began first.
    let one = Setup { threads: 1, prefetch: Some(1), ..carried(&db, &vhost, Part::Router) };
    let router = Office::with(one).await;
    let done = "SELECT COUNT(*) AS n FROM messages WHERE stage = 'route' AND state = 'DONE'";
    until("all are routed", async || door.count(done).await == 10).await;
    let overtaken = "SELECT COUNT(*) AS n FROM messages a JOIN messages b ON a.stage = b.stage
        WHERE a.stage = 'route' AND a.started_at < b.started_at
        AND (a.priority, a.deadline_utc, a.id) > (b.priority, b.deadline_utc, b.id)";
    assert_eq!(door.count(overtaken).await, 0, "whatever the broker's order");
    let workers = Office::with(carried(&db, &vhost, Part::Everything)).await;
    for id in &ids {
        door.all_read(id).await;
    }
    until("the letters are used up", async || depth(&vhost, "q.workflow_router").await == 0).await;
    exact(&door, 10, 20).await;
    for office in [workers, router, door] {
        office.close().await;
    }
}

/// A figure of this process.
async fn figure(office: &Office, line: &str) -> i64 {
    let asked = office.client.request(reqwest::Method::GET, "/metrics");
    let text = Answer::of(asked, "/metrics").await.text;
    let value = text.lines().find_map(|one| one.strip_prefix(line));
    value.map_or(0, |value| value.trim().parse::<f64>().unwrap() as i64)
}

#[tokio::test]
async fn a_letter_that_expires_is_counted_and_sent_again_and_its_work_is_done_once() {
    let Some((db, vhost)) = services().await else { return };
    let soon = |part| Setup { ttl: Duration::from_millis(300), ..carried(&db, &vhost, part) };
    let (door, router) =
        (Office::with(soon(Part::Gateway)).await, Office::with(soon(Part::Router)).await);
    let id = door.pages(&[PAGE; 3], "default").await;
    let expired = async || figure(&door, "docproc_dead_letters_total{reason=\"expired\"}").await;
    let sent = async || figure(&door, "docproc_letters_total").await;
    // Nobody splits: its letter dies again and again, and every time another is sent, not two.
    until("it expires", async || expired().await >= 6).await;
    let deaths = expired().await;
    let letters = sent().await;
    // The request's own, the one that waits now, and one that may have been sent since.
    assert!((1..=3).contains(&(letters - deaths)), "{letters} letters, {deaths} deaths");
    let workers = Office::with(soon(Part::Everything)).await;
    door.all_read(&id).await;
    exact(&door, 1, 3).await;
    let dead = door.client.get("/api/docproc/dead-letters").await.expect(200);
    assert_eq!(dead["items"], json!([]), "what only expired is not given up");
    for office in [workers, router, door] {
        office.close().await;
    }
}

/// What no program of ours writes, with the queue whose reader meets it.
async fn send_rubbish(vhost: &Vhost) -> usize {
    let deep = "[".repeat(20_000);
    let bodies = ["", "not json", "{}", "[]", "null", "7", r#"{"request_id": 7}"#, "\0\0", &deep];
    let wrong = r#"[["__next__", {"request_id": "x", "metadata": {"message_id": "seven"}}]]"#;
    let mut sent = 0;
    for body in bodies.into_iter().chain([wrong]) {
        for key in ["request.new", "page.ocr", "page.classified", "stage.result"] {
            publish(vhost, "doc.direct", key, None, body).await;
        }
        publish(vhost, "doc.backoffice", "task.classification", None, body).await;
        publish(vhost, "doc.dlx", "", None, body).await;
        sent += 6;
    }
    for id in ["", "seven", "-", "99999999999999999999", "1e3", "0x1", "1 OR 1=1"] {
        publish(vhost, "doc.direct", "page.ocr", Some(id), "{}").await;
        publish(vhost, "doc.dlx", "", Some(id), "{}").await;
        sent += 2;
    }
    let properties = json!({ "content_type": "image/png", "content_encoding": "gzip",
        "headers": { "x-death": "of old age", "request_id": 7 } });
    let path = format!("exchanges/{}/doc.direct/publish", vhost.name);
    let bytes = json!({ "properties": properties, "routing_key": "page.classify",
        "payload": "iVBORw0KGgoAAAD//w==", "payload_encoding": "base64" });
    assert!(vhost.send("POST", &path, &bytes).await.contains("true"));
    sent + 1
}

#[tokio::test]
async fn whatever_is_malformed_is_kept_and_the_readers_go_on() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    until("queues are there", async || {
        let queues = vhost.get(&format!("queues/{}", vhost.name)).await;
        queues.as_array().is_some_and(|all| all.len() > 10)
    })
    .await;
    let mut sent = send_rubbish(&vhost).await;
    sent += send_huge(&vhost).await;
    let id = office.pages(&[PAGE; 2], "default").await;
    office.all_read(&id).await;
    let kept = async || office.count("SELECT COUNT(*) AS n FROM foreign_letters").await;
    let began = Instant::now();
    while kept().await < sent as i64 {
        assert!(began.elapsed() < WITHIN, "{} of {sent} were kept", kept().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let listed = office.client.get("/api/docproc/dead-letters/foreign").await.expect(200);
    let listed = listed["items"].as_array().unwrap().clone();
    assert!(listed.iter().any(|one| one["bytes"] == 5_000_000), "the size of what was cut");
    let longest = listed.iter().map(|one| one["body"].as_str().unwrap().len()).max();
    assert!(longest.unwrap() <= 3 * 16 * 1024, "only the beginning is kept: {longest:?}");
    let id = office.pages(&[PAGE; 2], "default").await;
    office.all_read(&id).await;
    assert_eq!(kept().await, sent as i64, "each once");
    let tries = "SELECT COUNT(*) AS n FROM messages WHERE attempt > 1 OR state = 'DEAD'";
    assert_eq!(office.count(tries).await, 0, "ours are untouched");
    office.close().await;
}

/// Five megabytes for each kind of reader.
async fn send_huge(vhost: &Vhost) -> usize {
    let letters = ["page.ocr", "stage.result", "page.classified"];
    hand_over(vhost, &letters.map(|key| foreign(key, vec![b'{'; 5_000_000]))).await;
    letters.len()
}

fn foreign(key: &str, body: Vec<u8>) -> Letter {
    let (exchange, key, message_id) = ("doc.direct".to_owned(), key.to_owned(), "x".to_owned());
    Letter { exchange, key, message_id, body, ..Letter::default() }
}

/// Letters of a program that is not ours.
async fn hand_over(vhost: &Vhost, letters: &[Letter]) {
    let address = vhost.url.parse().unwrap();
    let stranger = Broker::open(address, "stranger", Topology::default());
    tokio::time::timeout(WITHIN, stranger.reconnected(&mut None)).await.unwrap();
    assert!(stranger.publish(letters).await.iter().all(Result::is_ok));
    stranger.close();
}

#[tokio::test]
async fn poison_of_any_kind_costs_those_behind_it_less_than_a_second() {
    let Some((db, vhost)) = services().await else { return };
    let one = Setup { threads: 1, ..carried(&db, &vhost, Part::Everything) };
    let office = Office::with(one).await;
    let good = sure("receipt");
    let timed = async || {
        let began = Instant::now();
        let id = office.pages(&[&good], "exact").await;
        assert_eq!(office.finished(&id).await["status"], "completed");
        began.elapsed()
    };
    let mut alone = Duration::ZERO;
    for _ in 0..5 {
        alone = alone.max(timed().await);
    }
    let rubbish: Vec<Letter> = ["request.new", "page.ocr", "doc.extract", "page.classify"]
        .iter()
        .flat_map(|key| (0..100).map(|_| foreign(key, b"{".to_vec())))
        .collect();
    // Fails every time, fails for good, never answers, means nothing.
    let mut worst = Duration::ZERO;
    for poison in ["FAIL 500", "FAIL 422", "WAIT", "nothing"] {
        for _ in 0..3 {
            office.pages(&[poison], "exact").await;
        }
        let behind = timed().await;
        hand_over(&vhost, &rubbish).await;
        let behind = behind.max(timed().await);
        println!("behind {poison}: {behind:?}, alone at most {alone:?}");
        worst = worst.max(behind);
    }
    office.outside.release(3);
    // A machine that is busy with other things is so after it, too.
    for _ in 0..5 {
        alone = alone.max(timed().await);
    }
    assert!(worst < alone + Duration::from_secs(1), "{worst:?}, alone {alone:?}");
    office.close().await;
}

/// More calls than there are places, all to somebody who does not answer.
#[tokio::test]
async fn calls_that_hang_do_not_keep_the_others_waiting() {
    const HANGING: usize = 40;
    let Some((db, vhost)) = services().await else { return };
    for broker in [Some(vhost.url.clone()), None] {
        let office = Office::with(Setup { broker, ..Setup::of(&db) }).await;
        let good = sure("receipt");
        let timed = async || {
            let began = Instant::now();
            let id = office.pages(&[&good], "exact").await;
            assert_eq!(office.finished(&id).await["status"], "completed");
            began.elapsed()
        };
        let mut alone = Duration::ZERO;
        for _ in 0..3 {
            alone = alone.max(timed().await);
        }
        let calls = office.outside.calls.load(std::sync::atomic::Ordering::SeqCst) as usize;
        for _ in 0..HANGING {
            office.pages(&["WAIT\nTYPE receipt 0.95"], "exact").await;
        }
        let behind = timed().await;
        println!("behind {HANGING} calls that hang: {behind:?}, alone at most {alone:?}");
        until("all are called", async || {
            let now = office.outside.calls.load(std::sync::atomic::Ordering::SeqCst) as usize;
            now >= calls + HANGING
        })
        .await;
        let behind = behind.max(timed().await);
        office.outside.release(HANGING);
        for _ in 0..3 {
            alone = alone.max(timed().await);
        }
        assert!(behind < alone + Duration::from_secs(1), "{behind:?}, alone {alone:?}");
        office.close().await;
    }
}

//! Messages carried by a RabbitMQ that is not ours: what it does, loses and brings of others.

use std::time::{Duration, Instant};

use docproc::{Part, model::Component};
use serde_json::{Value as Json, json};
use testkit::broker::Vhost;

use crate::office::{Office, Setup, TestDb};

/// A database and a virtual host of the test's own, or nothing where there is no broker.
pub(crate) async fn services() -> Option<(TestDb, Vhost)> {
    let db = TestDb::postgres().await?;
    Some((db, testkit::broker::vhost().await?))
}

pub(crate) fn carried(db: &TestDb, vhost: &Vhost, part: Part) -> Setup {
    Setup { part, broker: Some(vhost.url.clone()), ..Setup::of(db) }
}

pub(crate) const PAGE: &str = "nothing that anybody knows";

pub(crate) async fn depth(vhost: &Vhost, queue: &str) -> i64 {
    let queues = vhost.get(&format!("queues/{}", vhost.name)).await;
    let found = queues.as_array().unwrap().iter().find(|one| one["name"] == queue);
    found.and_then(|found| found["messages"].as_i64()).unwrap_or_default()
}

pub(crate) async fn publish(
    vhost: &Vhost,
    exchange: &str,
    key: &str,
    id: Option<&str>,
    payload: &str,
) {
    let mut properties = json!({});
    if let Some(id) = id {
        properties["message_id"] = id.into();
    }
    let body = json!({ "properties": properties, "routing_key": key, "payload": payload,
        "payload_encoding": "string" });
    let path = format!("exchanges/{}/{exchange}/publish", vhost.name);
    let began = Instant::now();
    // A process that has just begun is declaring its exchanges and queues.
    let routed = async || {
        let answer = vhost.try_to_send("POST", &path, &body).await;
        answer.is_ok_and(|answer| answer.contains("true"))
    };
    while !routed().await {
        assert!(began.elapsed() < Duration::from_secs(30), "{key} is not routed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_request_goes_through_the_queues_of_one_process_and_of_many() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let id = office.pages(&[PAGE; 3], "default").await;
    office.all_read(&id).await;
    office.close().await;
    let mut parts = vec![Part::Gateway, Part::Router];
    let ours = [Component::Splitter, Component::Ocr, Component::Classifier, Component::Extractor];
    parts.extend(ours.map(Part::Only));
    let mut offices = Vec::new();
    for part in parts {
        offices.push(Office::with(carried(&db, &vhost, part)).await);
    }
    let began = Instant::now();
    let id = offices[0].pages(&[PAGE; 3], "default").await;
    offices[0].all_read(&id).await;
    println!("through one process per component in {:?}", began.elapsed());
    let sql = "SELECT COUNT(DISTINCT worker) AS n FROM messages WHERE state = 'DONE'";
    // Whoever read the last page may have been quicker than whoever classifies it.
    while offices[0].count(sql).await < 4 {
        assert!(began.elapsed() < Duration::from_secs(30), "several processes take part");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // A letter of what was done ahead of it finds nothing and is acknowledged.
    for queue in ["q.workflow_router", "q.splitter", "q.ocr", "q.classifier", "q.dead_letters"] {
        while depth(&vhost, queue).await > 0 {
            assert!(began.elapsed() < Duration::from_mins(1), "{queue} is not empty");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    for office in offices {
        office.close().await;
    }
}

/// What falls due is taken with whatever letter comes first. Its own is then another one's: were it
/// not sent, somebody would wait for the sweep.
#[tokio::test]
async fn what_was_taken_with_another_ones_letter_leaves_its_own() {
    let Some((db, vhost)) = services().await else { return };
    let door = Office::with(carried(&db, &vhost, Part::Gateway)).await;
    let router = Office::with(carried(&db, &vhost, Part::Router)).await;
    door.pages(&[PAGE], "default").await;
    // Nobody splits.
    while depth(&vhost, "q.splitter").await == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (store, scope) = (&door.context().store, db::Scope::new("another program"));
    let sql = "UPDATE messages SET due_at = $1 WHERE component = 'splitter' RETURNING id";
    let soon = door.context().clock.now() + jiff::SignedDuration::from_secs(3);
    let mut decision = store.decide(&scope, door.context().clock.now()).await.unwrap();
    let id: i64 = decision.tx.one(sql, &[soon.into()]).await.unwrap().get("id").unwrap();
    decision.commit().await.unwrap();
    publish(&vhost, "doc.dlx", "", Some(&id.to_string()), "{}").await;
    while depth(&vhost, "q.dead_letters").await > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut decision = store.decide(&scope, door.context().clock.now()).await.unwrap();
    let sql = "UPDATE messages SET state = 'CLAIMED', worker = $2 WHERE id = $1";
    let worker = door.context().process.name.as_str();
    decision.tx.execute(sql, &[id.into(), worker.into()]).await.unwrap();
    decision.commit().await.unwrap();
    let began = Instant::now();
    while depth(&vhost, "q.splitter").await < 2 {
        assert!(began.elapsed() < Duration::from_secs(30), "its letter is not sent");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    router.close().await;
    door.close().await;
}

#[tokio::test]
async fn an_emptied_queue_is_filled_again() {
    let Some((db, vhost)) = services().await else { return };
    let door = Office::with(carried(&db, &vhost, Part::Gateway)).await;
    let id = door.pages(&[PAGE], "default").await;
    // The letter is there: nobody takes it yet.
    while depth(&vhost, "q.workflow_router").await == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let path = format!("queues/{}/q.workflow_router/contents", vhost.name);
    vhost.send("DELETE", &path, &json!({})).await;
    let workers = Office::with(carried(&db, &vhost, Part::Everything)).await;
    door.all_read(&id).await;
    workers.close().await;
    door.close().await;
}

#[tokio::test]
async fn what_is_foreign_is_kept_and_harms_nobody() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    for n in 0..20 {
        publish(&vhost, "doc.direct", "page.ocr", None, &format!("not json {n}")).await;
        publish(&vhost, "doc.direct", "request.new", Some("999999"), "{}").await;
    }
    publish(&vhost, "doc.dlx", "", None, "a letter of somebody else").await;
    publish(&vhost, "doc.direct", "page.classified", Some("x"), "{}").await;
    let id = office.pages(&[PAGE; 2], "default").await;
    office.all_read(&id).await;
    let foreign = async || -> Json {
        office.client.get("/api/docproc/dead-letters/foreign").await.expect(200)["items"].clone()
    };
    // Letters that look like ours and find nothing are permits too many; the others are kept.
    while foreign().await.as_array().unwrap().len() < 22 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let kept = foreign().await.to_string();
    assert!(kept.contains("a letter of somebody else"), "{kept}");
    assert!(kept.contains("q.classification_aggregator"), "{kept}");
    assert!(kept.contains("not json 7"), "{kept}");
    assert_eq!(depth(&vhost, "q.ocr").await, 0);
    office.close().await;
}

#[tokio::test]
async fn without_the_broker_work_goes_on_and_with_a_new_one_too() {
    let Some(db) = TestDb::postgres().await else { return };
    let Some(node) = testkit::broker::node().await else { return };
    let setup = Setup { broker: Some(node.url.clone()), ..Setup::of(&db) };
    let office = Office::with(setup).await;
    let id = office.pages(&[PAGE], "default").await;
    office.all_read(&id).await;
    node.kill().await;
    let id = office.pages(&[PAGE; 2], "default").await;
    office.all_read(&id).await;
    while office.client.get("/ready").await.expect(200)["degraded"] != json!(["broker"]) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    node.restart_empty().await;
    while !office.client.get("/ready").await.expect(200)["degraded"].is_null() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let id = office.pages(&[PAGE], "default").await;
    office.all_read(&id).await;
    office.close().await;
}

#[tokio::test]
async fn a_worker_has_as_many_letters_in_hand_as_it_is_told() {
    let Some((db, vhost)) = services().await else { return };
    let setup = carried(&db, &vhost, Part::Only(Component::Ocr));
    let office = Office::with(Setup { prefetch: Some(3), ..setup }).await;
    let began = Instant::now();
    let in_hand = loop {
        let consumers = vhost.get(&format!("consumers/{}", vhost.name)).await;
        let mut consumers = consumers.as_array().unwrap().iter();
        if let Some(found) = consumers.find(|one| one["queue"]["name"] == "q.ocr") {
            break found["prefetch_count"].clone();
        }
        assert!(began.elapsed() < Duration::from_secs(30), "nobody consumes q.ocr");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(in_hand, 6, "three for each of two threads");
    office.close().await;
}

#[tokio::test]
async fn a_hand_of_one_letter_never_waits_for_a_second() {
    let Some((db, vhost)) = services().await else { return };
    let setup = |part| Setup { threads: 1, prefetch: Some(1), ..carried(&db, &vhost, part) };
    let parts = [Part::Gateway, Part::Router, Part::Only(Component::Splitter)];
    let mut offices = Vec::new();
    for part in parts.into_iter().chain([Part::Only(Component::Ocr)]) {
        offices.push(Office::with(setup(part)).await);
    }
    let began = Instant::now();
    let id = offices[0].pages(&[PAGE; 20], "default").await;
    offices[0].all_read(&id).await;
    // By the poll alone it would be a page every five seconds.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for office in offices {
        office.close().await;
    }
}

#[tokio::test]
async fn whoever_is_quick_has_more_letters_in_hand() {
    let Some((db, vhost)) = services().await else { return };
    let mut offices = Vec::new();
    for part in [Part::Gateway, Part::Router, Part::Only(Component::Splitter)] {
        offices.push(Office::with(carried(&db, &vhost, part)).await);
    }
    offices.push(Office::with(carried(&db, &vhost, Part::Only(Component::Ocr))).await);
    let id = offices[0].pages(&[PAGE; 60], "default").await;
    offices[0].all_read(&id).await;
    let began = Instant::now();
    loop {
        let consumers = vhost.get(&format!("consumers/{}", vhost.name)).await;
        let mut all = consumers.as_array().unwrap().iter();
        let reader = all.find(|one| one["queue"]["name"] == "q.ocr");
        // It began with one for each of two threads, for pages may be pictures; these were text.
        if reader.is_some_and(|one| one["prefetch_count"].as_i64() > Some(2)) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{consumers}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for office in offices {
        office.close().await;
    }
}

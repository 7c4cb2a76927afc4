//! A network that breaks between a process and its servers: in silence, with a bang, and in the very
//! moment between a commit and its answer (R-15b).

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use docproc::Part;
use serde_json::json;
use testkit::{Link, broker::Vhost};

use crate::{
    broker::{PAGE, carried, depth, services},
    chaos::{exact, until},
    office::{Office, Setup, TestDb},
    outside::sure,
};

/// A door beside the broker, and workers who reach it by a way that breaks.
async fn beside(db: &TestDb, vhost: &Vhost) -> (Office, Office, Link) {
    let link = Link::to(&vhost.url).await;
    let door = Office::with(carried(db, vhost, Part::Gateway)).await;
    let far = Setup { broker: Some(link.url.clone()), ..carried(db, vhost, Part::Everything) };
    (door, Office::with(far).await, link)
}

async fn degraded(office: &Office) -> bool {
    office.client.get("/ready").await.expect(200)["degraded"] == json!(["broker"])
}

async fn through_a_break(break_it: impl Fn(&Link)) {
    let Some((db, vhost)) = services().await else { return };
    let (door, workers, link) = beside(&db, &vhost).await;
    let id = door.pages(&[PAGE; 2], "default").await;
    door.all_read(&id).await;
    break_it(&link);
    let began = Instant::now();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(door.pages(&[PAGE; 2], "default").await);
    }
    for id in &ids {
        door.all_read(id).await;
    }
    println!("work went on from the table after {:?}", began.elapsed());
    until("it is said that the broker is away", async || degraded(&workers).await).await;
    assert!(!degraded(&door).await, "whoever reaches it misses nothing");
    link.mend();
    let began = Instant::now();
    until("the broker is back", async || !degraded(&workers).await).await;
    println!("back after {:?}", began.elapsed());
    let id = door.pages(&[PAGE; 2], "default").await;
    door.all_read(&id).await;
    // Letters of what was done meanwhile come to somebody who finds nothing.
    for queue in ["q.workflow_router", "q.splitter", "q.ocr", "q.classifier"] {
        until(queue, async || depth(&vhost, queue).await == 0).await;
    }
    exact(&door, 7, 14).await;
    workers.close().await;
    door.close().await;
}

#[tokio::test]
async fn a_worker_cut_off_in_silence_notices_and_goes_on_from_the_table() {
    through_a_break(Link::silence).await;
}

#[tokio::test]
async fn a_worker_whose_connection_is_cut_goes_on_from_the_table() {
    through_a_break(Link::cut).await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_leaves_no_message_in_nobodys_hands() {
    let Some((db, vhost)) = services().await else { return };
    let link = Link::to(&db.url).await;
    let door = Office::with(carried(&db, &vhost, Part::Gateway)).await;
    let mut far = carried(&db, &vhost, Part::Everything);
    far.house.url.clone_from(&link.url);
    let workers = Office::with(far).await;
    link.lose_one_answer_in(2);
    let mut ids = Vec::new();
    for n in 0..20 {
        let id = door.pages(&[PAGE; 2], "default").await;
        // What comes together is committed together: the first ones come one by one.
        if n < 8 {
            door.all_read(&id).await;
        }
        ids.push(id);
    }
    for id in &ids {
        door.all_read(id).await;
    }
    println!("{} answers were lost", link.lost());
    assert!(link.lost() >= 3, "only {} answers were lost", link.lost());
    let held = "SELECT COUNT(*) AS n FROM messages WHERE state = 'CLAIMED'";
    until("nobody holds anything", async || door.count(held).await == 0).await;
    let pages = door.count("SELECT COUNT(*) AS n FROM pages WHERE ocr_text IS NOT NULL").await;
    assert_eq!(pages, 40);
    link.lose_one_answer_in(0);
    workers.close().await;
    door.close().await;
}

#[tokio::test]
async fn a_request_whose_answer_was_lost_keeps_its_file() {
    let Some(db) = TestDb::postgres().await else { return };
    let link = Link::to(&db.url).await;
    let mut far = Setup { part: Part::Gateway, ..Setup::of(&db) };
    far.house.url.clone_from(&link.url);
    let door = Office::with(far).await;
    // Too large for its row: it is kept as a file.
    let text = format!("{PAGE}\n").repeat(20_000).into_bytes();
    link.lose_one_answer_in(1);
    let send = async || {
        let form = reqwest::multipart::Form::new().text("workflow", "default");
        let part = reqwest::multipart::Part::bytes(text.clone()).file_name("a.txt");
        let request = door.client.request(reqwest::Method::POST, "/process");
        let request = request.header("idempotency-key", "k").multipart(form.part("file", part));
        let answer = request.timeout(Duration::from_secs(20)).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<serde_json::Value>().await.unwrap())
    };
    let (status, said) = send().await;
    assert_eq!(status, 503, "whether it was taken is not known: {said}");
    link.lose_one_answer_in(0);
    let (status, said) = send().await;
    assert_eq!(status, 200, "{said}");
    let id = said["request_id"].as_str().unwrap();
    assert_eq!(door.count("SELECT COUNT(*) AS n FROM requests").await, 1, "the same key, once");
    let workers = Office::with(Setup::of(&db)).await;
    workers.all_read(id).await;
    workers.close().await;
    door.close().await;
}

#[tokio::test]
async fn a_message_taken_twice_by_the_same_process_leaves_no_letter_behind() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let id = office.pages(&[&format!("WAIT\n{}", sure("receipt"))], "exact").await;
    let calls = || office.outside.calls.load(Ordering::SeqCst);
    until("somebody is asked", async || calls() == 1).await;
    // The others take it for dead, and it goes on.
    let context = office.context();
    context.store.bury(std::slice::from_ref(&context.process.name)).await.unwrap();
    context.wake(docproc::decisions::queue::TICK);
    until("somebody is asked again", async || calls() == 2).await;
    office.outside.release(2);
    assert_eq!(office.finished(&id).await["status"], "completed");
    until("all letters are used up", async || depth(&vhost, "q.http").await == 0).await;
    assert_eq!(office.count("SELECT COUNT(*) AS n FROM documents").await, 1);
    office.close().await;
}

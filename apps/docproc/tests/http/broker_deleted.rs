//! What somebody deletes at the broker while requests are under way is declared again, and they go on.

use std::time::{Duration, Instant};

use docproc::{Part, model::Component};
use serde_json::json;
use testkit::broker::Vhost;

use crate::{
    broker::{PAGE, carried, depth, services},
    office::Office,
};

/// A sweep, the grace of a letter and some room; without mending it would be never.
const BOUND: Duration = Duration::from_secs(40);

async fn delete(vhost: &Vhost, what: &str) {
    vhost.send("DELETE", what, &json!({})).await;
}

/// Everybody whom a page needs until it waits to be read.
async fn until_pages_wait(db: &testkit::TestDb, vhost: &Vhost) -> Vec<Office> {
    let mut offices = Vec::new();
    for part in [Part::Gateway, Part::Router, Part::Only(Component::Splitter)] {
        offices.push(Office::with(carried(db, vhost, part)).await);
    }
    offices
}

#[tokio::test]
async fn a_queue_deleted_with_letters_in_it_is_declared_and_filled_again() {
    let Some((db, vhost)) = services().await else { return };
    let mut offices = until_pages_wait(&db, &vhost).await;
    let id = offices[0].pages(&[PAGE; 2], "default").await;
    let began = Instant::now();
    // Nobody reads yet.
    while depth(&vhost, "q.ocr").await < 2 {
        assert!(began.elapsed() < BOUND, "pages do not wait");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    delete(&vhost, &format!("queues/{}/q.ocr", vhost.name)).await;
    let began = Instant::now();
    // The sweep of those who are there declares it, not the one who comes.
    while depth(&vhost, "q.ocr").await < 2 {
        assert!(began.elapsed() < BOUND, "the letters are not sent again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    offices.push(Office::with(carried(&db, &vhost, Part::Only(Component::Ocr))).await);
    offices[0].all_read(&id).await;
    for office in offices {
        office.close().await;
    }
}

#[tokio::test]
async fn a_queue_deleted_under_its_consumers_is_consumed_again() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let id = office.pages(&[PAGE], "default").await;
    office.all_read(&id).await;
    delete(&vhost, &format!("queues/{}/q.ocr", vhost.name)).await;
    let began = Instant::now();
    let id = office.pages(&[PAGE; 3], "default").await;
    office.all_read(&id).await;
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    assert!(office.client.get("/ready").await.expect(200)["degraded"].is_null());
    office.close().await;
}

#[tokio::test]
async fn a_deleted_binding_is_declared_again_by_the_first_letter_without_a_way() {
    let Some((db, vhost)) = services().await else { return };
    let office = Office::with(carried(&db, &vhost, Part::Everything)).await;
    let id = office.pages(&[PAGE], "default").await;
    office.all_read(&id).await;
    delete(&vhost, &format!("bindings/{}/e/doc.direct/q/q.ocr/page.ocr", vhost.name)).await;
    let began = Instant::now();
    let id = office.pages(&[PAGE; 3], "default").await;
    office.all_read(&id).await;
    assert!(began.elapsed() < BOUND, "{:?}", began.elapsed());
    office.close().await;
}

//! A broker that is not ours: what is declared, handed over, delivered, refused and brought back.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{collections::BTreeMap, time::Duration};

use broker::{Address, Broker, Exchange, Fault, Health, Kind, Letter, Queue, Topology, reach};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::{sleep, timeout},
};

const SOON: Duration = Duration::from_secs(10);

fn topology(ttl: u64) -> Topology {
    let exchange = |name: &str, kind| Exchange { name: name.into(), kind };
    let queue =
        |name: &str, dead: Option<&str>, ttl: Option<u64>, bindings: &[(&str, &str)]| Queue {
            name: name.into(),
            dead_letters: dead.map(Into::into),
            ttl: ttl.map(Duration::from_millis),
            bindings: bindings.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
        };
    Topology {
        exchanges: vec![exchange("doc.direct", Kind::Direct), exchange("doc.dlx", Kind::Fanout)],
        queues: vec![
            queue("q.ocr", Some("doc.dlx"), Some(ttl), &[("doc.direct", "page.ocr")]),
            queue("q.dead_letters", None, None, &[("doc.dlx", "")]),
        ],
    }
}

fn letter(key: &str, n: usize) -> Letter {
    let headers = BTreeMap::from([("request_id".to_owned(), "r-1".to_owned())]);
    let (exchange, key, body) = ("doc.direct".into(), key.into(), b"{}".to_vec());
    Letter { exchange, key, message_id: n.to_string(), headers, body }
}

async fn up(address: &Address, topology: Topology) -> Broker {
    let broker = Broker::open(address.clone(), "test", topology);
    timeout(SOON, broker.reconnected(&mut None)).await.expect("a connection");
    broker
}

async fn next(deliveries: &mut UnboundedReceiver<broker::Delivery>) -> broker::Delivery {
    timeout(SOON, deliveries.recv()).await.expect("a delivery").unwrap()
}

/// Ends every connection to a virtual host, as an operator would.
async fn cut(vhost: &testkit::broker::Vhost) {
    for _ in 0..200 {
        let all = vhost.get(&format!("vhosts/{}/connections", vhost.name)).await;
        let names: Vec<_> = all.as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        for name in &names {
            let name = name.as_str().unwrap().replace(' ', "%20").replace('>', "%3E");
            vhost.send("DELETE", &format!("connections/{name}"), &serde_json::json!({})).await;
        }
        if !names.is_empty() {
            return;
        }
        // The node's statistics come every few seconds.
        sleep(Duration::from_millis(100)).await;
    }
    panic!("the broker shows no connection");
}

#[tokio::test]
async fn what_is_handed_over_is_delivered_and_once_acknowledged_gone() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: Address = vhost.url.parse().unwrap();
    let broker = up(&address, topology(60_000)).await;
    let letters: Vec<_> = (0..100).map(|n| letter("page.ocr", n)).collect();
    assert!(broker.publish(&letters).await.iter().all(Result::is_ok));
    assert_eq!(broker.depth("q.ocr").await.unwrap().unwrap().ready, 100);
    assert_eq!(broker.depth("q.nobody").await.unwrap(), None);
    let (sink, mut deliveries) = unbounded_channel();
    let consuming = broker.consume("q.ocr", 10, sink);
    for n in 0..100 {
        let delivery = next(&mut deliveries).await;
        assert_eq!(delivery.message_id, Some(n.to_string()));
        assert_eq!(delivery.headers["request_id"], "r-1");
        assert!(deliveries.len() < 10, "no more than was asked for");
        delivery.ack().await;
    }
    drop(consuming);
    assert_eq!(broker.depth("q.ocr").await.unwrap().unwrap().ready, 0);
}

#[tokio::test]
async fn what_is_refused_or_expires_is_found_among_the_dead_letters() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let broker = up(&vhost.url.parse().unwrap(), topology(300)).await;
    let (sink, mut deliveries) = unbounded_channel();
    let (dead_sink, mut dead) = unbounded_channel();
    let _dead = broker.consume("q.dead_letters", 10, dead_sink);
    let consuming = broker.consume("q.ocr", 1, sink);
    broker.publish(&[letter("page.ocr", 1)]).await.remove(0).unwrap();
    next(&mut deliveries).await.reject().await;
    let refused = next(&mut dead).await;
    assert_eq!(refused.message_id.as_deref(), Some("1"));
    assert_eq!(refused.death.as_ref().map(|death| death.reason.as_str()), Some("rejected"));
    refused.ack().await;
    drop(consuming);
    broker.publish(&[letter("page.ocr", 2)]).await.remove(0).unwrap();
    let expired = next(&mut dead).await;
    let death = expired.death.clone().unwrap();
    assert_eq!((death.queue.as_str(), death.reason.as_str()), ("q.ocr", "expired"));
    expired.ack().await;
}

#[tokio::test]
async fn faults_name_the_thing() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: Address = vhost.url.parse().unwrap();
    let broker = up(&address, topology(60_000)).await;
    let unroutable = broker.publish(&[letter("page.nobody", 1)]).await.remove(0).unwrap_err();
    assert!(unroutable.to_string().contains("page.nobody"), "{unroutable}");
    broker.publish(&[letter("page.ocr", 2)]).await.remove(0).unwrap();

    let different = reach(&address, "test", &topology(1_000)).await.unwrap_err();
    assert!(matches!(different, Fault::Different(_)), "{different}");
    assert!(different.to_string().contains("x-message-ttl"), "{different}");
    assert!(different.to_string().contains("q.ocr"), "{different}");

    let nowhere = reach(&address.within("no-such-vhost"), "test", &topology(1)).await.unwrap_err();
    assert!(matches!(nowhere, Fault::Refused(_)), "{nowhere}");
    let wrong: Address = vhost.url.replace("guest:guest", "guest:wrong").parse().unwrap();
    let refused = reach(&wrong, "test", &topology(1)).await.unwrap_err();
    assert!(matches!(refused, Fault::Refused(_)), "{refused}");
    let away: Address = "amqp://guest:guest@127.0.0.1:9/".parse().unwrap();
    assert!(reach(&away, "test", &topology(1)).await.unwrap_err().may_pass());
}

#[tokio::test]
async fn a_broken_connection_comes_back_and_what_was_not_acknowledged_comes_again() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let broker = up(&vhost.url.parse().unwrap(), topology(60_000)).await;
    let mut seen = None;
    broker.reconnected(&mut seen).await;
    let (sink, mut deliveries) = unbounded_channel();
    let _consuming = broker.consume("q.ocr", 10, sink);
    broker.publish(&[letter("page.ocr", 1)]).await.remove(0).unwrap();
    let held = next(&mut deliveries).await;
    cut(&vhost).await;
    timeout(SOON, broker.reconnected(&mut seen)).await.expect("a new connection");
    held.ack().await;
    let again = next(&mut deliveries).await;
    assert!(again.redelivered, "nobody heard the acknowledgement");
    again.ack().await;
    assert_eq!(broker.health(), Health::Up);
    broker.close();
    while broker.is_up() {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn everybody_hears_what_is_told() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: Address = vhost.url.parse().unwrap();
    let (one, two) =
        (up(&address, Topology::default()).await, up(&address, Topology::default()).await);
    let (sink, mut heard) = unbounded_channel();
    let ear = sink.clone();
    tokio::spawn(
        async move { two.hear("turno.hints", |body| drop(ear.send(body.to_vec()))).await },
    );
    assert_eq!(timeout(SOON, heard.recv()).await.unwrap().unwrap(), b"");
    one.tell("turno.hints", b"events 7").await.unwrap();
    assert_eq!(timeout(SOON, heard.recv()).await.unwrap().unwrap(), b"events 7");
}

#[tokio::test]
async fn letters_that_somebody_had_and_gave_back_are_found_at_the_head() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: Address = vhost.url.parse().unwrap();
    let broker = up(&address, topology(60_000)).await;
    let letters: Vec<_> = (0..5).map(|n| letter("page.ocr", n)).collect();
    assert!(broker.publish(&letters).await.iter().all(Result::is_ok));
    // Somebody takes two and is gone.
    let other = up(&address, Topology::default()).await;
    let (sink, mut deliveries) = unbounded_channel();
    let consuming = other.consume("q.ocr", 2, sink);
    let taken = [next(&mut deliveries).await, next(&mut deliveries).await];
    other.close();
    drop((consuming, taken));
    let began = tokio::time::Instant::now();
    while broker.depth("q.ocr").await.unwrap().unwrap().ready < 5 {
        assert!(began.elapsed() < SOON, "they come back");
        sleep(Duration::from_millis(20)).await;
    }
    let ids = |head: &broker::Head| -> Vec<(String, bool)> {
        let one = |one: &broker::Delivery| (one.message_id.clone().unwrap(), one.redelivered);
        head.letters.iter().map(one).collect()
    };
    let head = broker.returned("q.ocr", 10).await.unwrap();
    let found = [("0", true), ("1", true), ("2", false)].map(|(id, was)| (id.to_owned(), was));
    assert_eq!(ids(&head), found, "those, and the one behind them");
    for letter in head.letters {
        letter.ack().await;
    }
    assert_eq!(broker.depth("q.ocr").await.unwrap().unwrap().ready, 2);
    let head = broker.returned("q.ocr", 10).await.unwrap();
    assert_eq!(ids(&head), [("3".to_owned(), false)]);
    drop(head);
    let began = tokio::time::Instant::now();
    while broker.depth("q.ocr").await.unwrap().unwrap().ready < 2 {
        assert!(began.elapsed() < SOON, "what was dropped is the broker's again");
        sleep(Duration::from_millis(20)).await;
    }
    assert!(broker.returned("q.nobody", 1).await.is_err(), "no such queue");
}

#[tokio::test]
async fn who_stops_consuming_while_it_begins_leaves_no_consumer_behind() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: Address = vhost.url.parse().unwrap();
    let broker = Broker::open(address.clone(), "test", topology(60_000));
    for n in 0..40 {
        let (sink, _deliveries) = unbounded_channel();
        let consuming = broker.consume("q.ocr", 1, sink);
        timeout(SOON, broker.reconnected(&mut None)).await.expect("a connection");
        sleep(Duration::from_micros(100 * n)).await;
        drop(consuming);
    }
    let gone = async {
        while broker.depth("q.ocr").await.unwrap().unwrap().consumers > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, gone).await.expect("nobody consumes");
    broker.close();
}

#[tokio::test]
async fn a_deleted_queue_is_declared_again_for_whoever_consumes_it() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let broker = up(&vhost.url.parse().unwrap(), topology(60_000)).await;
    let (sink, mut deliveries) = unbounded_channel();
    let _consuming = broker.consume("q.ocr", 10, sink);
    broker.publish(&[letter("page.ocr", 1)]).await.remove(0).unwrap();
    next(&mut deliveries).await.ack().await;
    let path = format!("queues/{}/q.ocr", vhost.name);
    vhost.send("DELETE", &path, &serde_json::json!({})).await;
    let began = tokio::time::Instant::now();
    while broker.publish(&[letter("page.ocr", 2)]).await.remove(0).is_err() {
        assert!(began.elapsed() < SOON, "nobody declares it");
        sleep(Duration::from_millis(20)).await;
    }
    let delivery = next(&mut deliveries).await;
    assert_eq!(delivery.message_id.as_deref(), Some("2"));
    delivery.ack().await;
    broker.close();
}

//! What every bus promises. A new transport is a new call of `all` and `between`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bus::{ANYTHING, AmqpBus, Bus, Listener, LocalBus, PostgresBus, RemoteBus};
use db::Store;
use testkit::broker::Vhost;
use tokio::time::timeout;

/// Longer than anything here takes on a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// What holds inside one process, whatever carries hints to the others.
async fn all<B: Bus>(fresh: impl AsyncFn() -> B) {
    every_listener_hears(&fresh().await).await;
    a_look_does_not_wait(&fresh().await).await;
    topics_do_not_mix(&fresh().await).await;
    a_slow_listener_hears_the_highest_mark(&fresh().await).await;
    listening_starts_when_it_starts(&fresh().await).await;
    announcing_without_listeners_is_fine(&fresh().await);
    racing_announcers_lose_nothing(Arc::new(fresh().await)).await;
    everyone_is_woken_at_once(&fresh().await).await;
    closing_ends_listeners(&fresh().await).await;
}

/// What holds between two processes. `sever` ends their connections as a failure would.
async fn between(fresh: impl AsyncFn() -> RemoteBus, sever: impl AsyncFn()) {
    let (one, two) = (fresh().await, fresh().await);
    the_other_process_hears(&one, &two).await;
    own_hints_are_not_doubled(&one, &two).await;
    only_this_process_is_heard_here(&one, &two).await;
    a_topic_can_be_kept_here(&one, &two).await;
    many_topics_go_together(&one, &two).await;
    racing_processes_lose_nothing(Arc::new(fresh().await), &two).await;
    a_lost_connection_comes_back_and_wakes_everyone(&one, &two, &sever).await;
    a_closed_bus_says_nothing(&one, two).await;
}

#[tokio::test]
async fn the_local_bus_conforms() {
    all(async || LocalBus::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bus_through_postgresql_conforms() {
    let Some(url) = testkit::fresh_database().await else { return };
    let store = Store::open(&url).await.unwrap();
    let fresh = async || connected(PostgresBus::open(&store)).await;
    all(fresh).await;
    between(fresh, async || terminate(&store).await).await;
    quickness("PostgreSQL", &fresh().await, &fresh().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bus_through_rabbitmq_conforms() {
    let Some(vhost) = testkit::broker::vhost().await else { return };
    let address: broker::Address = vhost.url.parse().unwrap();
    let fresh = async || connected(AmqpBus::open(address.clone())).await;
    all(fresh).await;
    between(fresh, async || disconnect(&vhost).await).await;
    quickness("RabbitMQ", &fresh().await, &fresh().await).await;
}

/// Nobody is there: whoever announces does not wait, whoever listens here hears.
#[tokio::test]
async fn without_a_broker_hints_stay_in_the_process() {
    let bus = AmqpBus::open("amqp://guest:guest@127.0.0.1:1/".parse().unwrap());
    every_listener_hears(&bus).await;
    assert!(!bus.is_connected());
}

async fn connected(bus: RemoteBus) -> RemoteBus {
    assert!(bus.connected(TEST_TIMEOUT).await, "the other processes are reached");
    bus
}

/// Ends every connection that carries hints, on the server's side.
async fn terminate(store: &Store) {
    let sql = "SELECT pg_terminate_backend(pid) AS gone FROM pg_stat_activity
               WHERE application_name = 'turno-hints' AND datname = current_database()";
    let gone = store.read().await.unwrap().all(sql, &[]).await.unwrap();
    assert!(gone.len() >= 2, "{} connections", gone.len());
}

/// The same at the broker, which lists a connection some time after it was made.
async fn disconnect(vhost: &Vhost) {
    let began = Instant::now();
    let names = loop {
        let listed = vhost.get(&format!("vhosts/{}/connections", vhost.name)).await;
        let name = |one: &serde_json::Value| one["name"].as_str().map(str::to_owned);
        let names: Vec<String> = listed.as_array().unwrap().iter().filter_map(name).collect();
        if names.len() >= 2 {
            break names;
        }
        assert!(began.elapsed() < TEST_TIMEOUT, "{listed}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    for name in names {
        let path = format!("connections/{}", name.replace(' ', "%20").replace('>', "%3E"));
        vhost.send("DELETE", &path, &serde_json::Value::Null).await;
    }
}

async fn next(listener: &mut Listener) -> Option<i64> {
    timeout(TEST_TIMEOUT, listener.next()).await.expect("a hint comes")
}

async fn every_listener_hears(bus: &impl Bus) {
    let (mut one, mut two) = (bus.listen("events"), bus.listen("events"));
    let mut here = bus.listen_here("events");
    bus.announce("events", 7);
    assert_eq!(next(&mut one).await, Some(7));
    assert_eq!(next(&mut two).await, Some(7));
    assert_eq!(next(&mut here).await, Some(7));
}

async fn a_look_does_not_wait(bus: &impl Bus) {
    let mut listener = bus.listen("events");
    assert!(!listener.heard());
    bus.announce("events", 0);
    // A transport between processes takes its time; the mark says nothing, the announcement does.
    assert_eq!(next(&mut listener).await, Some(0));
    assert!(!listener.heard(), "heard once is enough");
    bus.announce("events", 0);
    assert_eq!(next(&mut listener).await, Some(0), "the same mark wakes again");
}

async fn topics_do_not_mix(bus: &impl Bus) {
    let (mut events, mut effects) = (bus.listen("events"), bus.listen("effects"));
    bus.announce("effects", 1);
    bus.announce("events", 2);
    assert_eq!(next(&mut events).await, Some(2));
    assert_eq!(next(&mut effects).await, Some(1));
}

async fn a_slow_listener_hears_the_highest_mark(bus: &impl Bus) {
    let mut slow = bus.listen("events");
    for mark in [1, 5, 3, 4] {
        bus.announce("events", mark);
    }
    let mut heard = 0;
    while heard < 5 {
        heard = next(&mut slow).await.unwrap();
    }
    assert_eq!(heard, 5);
}

async fn listening_starts_when_it_starts(bus: &impl Bus) {
    let _early = bus.listen("events");
    bus.announce("events", 1);
    let mut late = bus.listen("events");
    bus.announce("events", 2);
    assert_eq!(next(&mut late).await, Some(2));
}

fn announcing_without_listeners_is_fine(bus: &impl Bus) {
    bus.announce("nobody", 1);
    assert!(!bus.listen("nobody").heard());
}

async fn racing_announcers_lose_nothing(bus: Arc<impl Bus>) {
    let mut listener = bus.listen("events");
    race(&bus, &mut listener).await;
}

/// Eight at once announce a hundred marks each; the highest is heard.
async fn race(bus: &Arc<impl Bus>, listener: &mut Listener) {
    let announcers: Vec<_> = (0..8)
        .map(|offset| {
            let bus = bus.clone();
            tokio::spawn(async move {
                for n in 0..100 {
                    bus.announce("events", n * 8 + offset + 1);
                }
            })
        })
        .collect();
    let mut highest = 0;
    while highest < 800 {
        highest = highest.max(next(listener).await.unwrap());
    }
    for announcer in announcers {
        announcer.await.unwrap();
    }
}

async fn everyone_is_woken_at_once(bus: &impl Bus) {
    let (mut events, mut here) = (bus.listen("events"), bus.listen_here("effects"));
    bus.wake_everyone();
    assert_eq!(next(&mut events).await, Some(ANYTHING));
    assert_eq!(next(&mut here).await, Some(ANYTHING));
    bus.announce("events", 3);
    assert_eq!(next(&mut events).await, Some(3), "marks count again");
}

async fn closing_ends_listeners(bus: &impl Bus) {
    let mut listener = bus.listen("events");
    let mut here = bus.listen_here("events");
    bus.close();
    assert_eq!(next(&mut listener).await, None);
    assert_eq!(next(&mut here).await, None);
    bus.announce("events", 1);
    assert!(!listener.heard());
    assert_eq!(bus.listen("events").next().await, None);
}

async fn the_other_process_hears(one: &RemoteBus, two: &RemoteBus) {
    let (mut events, mut other) = (two.listen("events"), two.listen("other"));
    one.announce("events", 41);
    assert_eq!(next(&mut events).await, Some(41));
    assert!(!other.heard());
}

/// What a process says comes back to it; by the time an answer is there, that has happened.
async fn own_hints_are_not_doubled(one: &RemoteBus, two: &RemoteBus) {
    let (mut asked, mut own) = (two.listen("question"), one.listen("question"));
    let mut answered = one.listen("answer");
    one.announce("question", 1);
    assert_eq!(next(&mut own).await, Some(1));
    assert_eq!(next(&mut asked).await, Some(1));
    two.announce("answer", 1);
    assert_eq!(next(&mut answered).await, Some(1));
    assert!(!own.heard(), "heard once, here");
}

async fn only_this_process_is_heard_here(one: &RemoteBus, two: &RemoteBus) {
    let (mut here, mut everyone) = (two.listen_here("work"), two.listen("work"));
    one.announce("work", 1);
    assert_eq!(next(&mut everyone).await, Some(1));
    assert!(!here.heard(), "another process said it");
    two.announce("work", 2);
    assert_eq!(next(&mut here).await, Some(2));
}

async fn a_topic_can_be_kept_here(one: &RemoteBus, two: &RemoteBus) {
    let (mut ours, mut theirs) = (one.listen("own"), two.listen("own"));
    let mut after = two.listen("after");
    one.keep_here("own");
    one.announce("own", 3);
    assert_eq!(next(&mut ours).await, Some(3));
    one.announce("after", 1);
    // Hints keep their order: had the first been told, it would be here by now.
    assert_eq!(next(&mut after).await, Some(1));
    assert!(!theirs.heard(), "nobody else is told");
    two.announce("own", 4);
    assert_eq!(next(&mut ours).await, Some(4), "what others tell is heard");
}

/// More than fits into one message of any transport.
async fn many_topics_go_together(one: &RemoteBus, two: &RemoteBus) {
    let name = |n: i64| format!("{n:-<40}");
    let mut ears: Vec<_> = (0..1_000).map(|n| (n, two.listen(&name(n)))).collect();
    for n in 0..1_000 {
        one.announce(&name(n), n);
    }
    for (n, ear) in &mut ears {
        assert_eq!(next(ear).await, Some(*n));
    }
}

async fn racing_processes_lose_nothing(one: Arc<RemoteBus>, two: &RemoteBus) {
    race(&one, &mut two.listen("events")).await;
}

/// Whoever listens is woken when the connection is back, and hears again; what was announced in the
/// meantime is told then.
async fn a_lost_connection_comes_back_and_wakes_everyone(
    one: &RemoteBus,
    two: &RemoteBus,
    sever: &impl AsyncFn(),
) {
    let (mut quiet, mut here) = (two.listen("quiet"), two.listen_here("quiet"));
    sever().await;
    assert_eq!(next(&mut quiet).await, Some(ANYTHING));
    assert!(!here.heard(), "nothing of this process was lost");
    let mut told = two.listen("told");
    one.announce("told", 9);
    let mut heard = 0;
    while heard != 9 {
        heard = next(&mut told).await.unwrap();
    }
    assert!(one.connected(TEST_TIMEOUT).await && two.connected(TEST_TIMEOUT).await);
}

async fn a_closed_bus_says_nothing(one: &RemoteBus, two: RemoteBus) {
    two.close();
    one.announce("events", 1);
    assert_eq!(two.listen("events").next().await, None);
}

/// How long a hint takes to the other process, one at a time.
async fn quickness(name: &str, one: &RemoteBus, two: &RemoteBus) {
    let mut heard = two.listen("events");
    let mut took = Vec::new();
    for mark in 1..=200 {
        let began = Instant::now();
        one.announce("events", mark);
        assert_eq!(next(&mut heard).await, Some(mark));
        took.push(began.elapsed());
    }
    took.sort_unstable();
    println!("{name}: hint to another process p50 {:?} p99 {:?}", took[100], took[197]);
    assert!(took[197] < Duration::from_secs(1), "{:?}", took[197]);
}

//! What every bus promises. A new transport is a new call of `all`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;

use bus::{Bus, LocalBus};

async fn all<B: Bus>(fresh: impl Fn() -> B) {
    every_listener_hears(&fresh()).await;
    a_look_does_not_wait(&fresh()).await;
    topics_do_not_mix(&fresh()).await;
    a_slow_listener_hears_the_highest_mark(&fresh()).await;
    listening_starts_when_it_starts(&fresh()).await;
    announcing_without_listeners_is_fine(&fresh());
    racing_announcers_lose_nothing(Arc::new(fresh())).await;
    closing_ends_listeners(&fresh()).await;
}

#[tokio::test]
async fn the_local_bus_conforms() {
    all(LocalBus::new).await;
}

async fn every_listener_hears(bus: &impl Bus) {
    let (mut one, mut two) = (bus.listen("events"), bus.listen("events"));
    bus.announce("events", 7);
    assert_eq!(one.next().await, Some(7));
    assert_eq!(two.next().await, Some(7));
}

async fn a_look_does_not_wait(bus: &impl Bus) {
    let mut listener = bus.listen("events");
    assert!(!listener.heard());
    bus.announce("events", 0);
    // A transport between processes takes its time; the mark says nothing, the announcement does.
    assert_eq!(listener.next().await, Some(0));
    assert!(!listener.heard(), "heard once is enough");
    bus.announce("events", 0);
    assert_eq!(listener.next().await, Some(0), "the same mark wakes again");
}

async fn topics_do_not_mix(bus: &impl Bus) {
    let (mut events, mut effects) = (bus.listen("events"), bus.listen("effects"));
    bus.announce("effects", 1);
    bus.announce("events", 2);
    assert_eq!(events.next().await, Some(2));
    assert_eq!(effects.next().await, Some(1));
}

async fn a_slow_listener_hears_the_highest_mark(bus: &impl Bus) {
    let mut slow = bus.listen("events");
    for mark in [1, 5, 3, 4] {
        bus.announce("events", mark);
    }
    let mut heard = 0;
    while heard < 5 {
        heard = slow.next().await.unwrap();
    }
    assert_eq!(heard, 5);
}

async fn listening_starts_when_it_starts(bus: &impl Bus) {
    let _early = bus.listen("events");
    bus.announce("events", 1);
    let mut late = bus.listen("events");
    bus.announce("events", 2);
    assert_eq!(late.next().await, Some(2));
}

fn announcing_without_listeners_is_fine(bus: &impl Bus) {
    bus.announce("nobody", 1);
    assert!(!bus.listen("nobody").heard());
}

async fn racing_announcers_lose_nothing(bus: Arc<impl Bus>) {
    let mut listener = bus.listen("events");
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
        highest = highest.max(listener.next().await.unwrap());
    }
    for announcer in announcers {
        announcer.await.unwrap();
    }
}

async fn closing_ends_listeners(bus: &impl Bus) {
    let mut listener = bus.listen("events");
    bus.close();
    assert_eq!(listener.next().await, None);
    bus.announce("events", 1);
    assert!(!listener.heard());
    assert_eq!(bus.listen("events").next().await, None);
}

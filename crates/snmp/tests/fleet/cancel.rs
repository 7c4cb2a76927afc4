//! After somebody calls it off, not one more datagram leaves.

use snmp::sim::Column;
use snmp::{CancellationToken, Fault, Get};

use crate::rig::{LONG, Rig, SHORT, names, states, until};

/// Three questions and answers later, nothing else has arrived.
async fn nothing_more(rig: &Rig) {
    let before = rig.received(0);
    for _ in 0..3 {
        let alive = rig.fleet.probe(&rig.target(0), LONG, &CancellationToken::new()).await;
        assert!(alive.is_ok());
    }
    assert_eq!(rig.received(0), before + 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_walk_stops_between_two_datagrams() {
    let rig = Rig::with(2048, |olt| olt.latency_ms = 30).await;
    let cancel = CancellationToken::new();
    let (target, walk) = (rig.target(0), states());
    let (walked, ()) = tokio::join!(rig.fleet.walk(&target, &walk, &cancel), async {
        until(|| rig.received(0) >= 5).await;
        cancel.cancel();
    });
    assert_eq!(walked, Err(Fault::Cancelled));
    nothing_more(&rig).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_get_stops_with_four_under_way() {
    let rig = Rig::new(1000).await;
    let oids = names(&rig, Column::Mac, 1000).await;
    rig.change(|olt| olt.latency_ms = 30);
    let before = rig.received(0);
    let cancel = CancellationToken::new();
    let (target, get) = (rig.target(0), Get::new(oids));
    let (got, ()) = tokio::join!(rig.fleet.get(&target, &get, &cancel), async {
        until(|| rig.received(0) >= before + 8).await;
        cancel.cancel();
    });
    assert_eq!(got, Err(Fault::Cancelled));
    nothing_more(&rig).await;
}

#[tokio::test]
async fn retries_and_waits_are_called_off_too() {
    let rig = Rig::with(10, |olt| olt.alive = false).await;
    let cancel = CancellationToken::new();
    let (target, patient) = (rig.target(0), snmp::Walk { timeout: LONG, ..states() });
    let (walked, ()) = tokio::join!(rig.fleet.walk(&target, &patient, &cancel), async {
        until(|| rig.received(0) >= 1).await;
        cancel.cancel();
    });
    assert_eq!(walked, Err(Fault::Cancelled));
    rig.change(|olt| olt.alive = true);
    nothing_more(&rig).await;
}

#[tokio::test]
async fn what_was_called_off_before_sends_nothing() {
    let rig = Rig::new(10).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let target = rig.target(0);
    assert_eq!(rig.fleet.walk(&target, &states(), &cancel).await, Err(Fault::Cancelled));
    assert_eq!(rig.fleet.probe(&target, SHORT, &cancel).await, Err(Fault::Cancelled));
    assert_eq!(rig.received(0), 0);
}

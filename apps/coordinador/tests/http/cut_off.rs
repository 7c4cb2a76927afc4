//! What is cut off in the middle of a walk: an OLT switched off, a process that dies. And a house
//! without OLTs.

use std::time::Duration;

use host::Access;
use serde_json::json;
use snmp::sim::{Options, Simulator};
use testkit::on_both;

use crate::network::{Network, extend, from_ten, olt, ten, walk};

/// A discovery that is due, of an OLT at this port; whoever runs it is told to begin.
async fn walking(network: &Network, port: u16) -> (i64, tokio::task::JoinHandle<u16>) {
    let id = network.made("olts", olt("OLT-1", port)).await;
    let mut node = walk(id, "descubrir");
    extend(&mut node, json!({ "next_run_at": ten() }));
    network.made("nodos", node).await;
    let client = network.client.clone();
    let run =
        async move { client.post("/debug/clock", json!({ "advance_seconds": 0 })).await.status };
    (id, tokio::spawn(run))
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_20_not_one_more_packet_after_an_olt_is_switched_off() {
    from_ten(async |network| {
        let options = Options { count: 1, onus: 2048, ..Options::default() };
        let devices = Simulator::start(options).await.unwrap();
        let slow = devices.settings(0).changed(&json!({ "latency_ms": 40 })).unwrap();
        devices.set(0, slow).unwrap();
        let (olt, walking) = walking(network, devices.addresses()[0].port()).await;
        // In the middle of the walk: eighty answers of twenty-five rows are needed.
        while devices.counters(0).received < 10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let path = format!("/api/coordinador/olts/{olt}");
        network.client.put(&path, json!({ "habilitar_olt": false })).await.expect(200);
        assert_eq!(walking.await.unwrap(), 200);
        let after = devices.counters(0).received;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(devices.counters(0).received, after, "silence");
        assert!(after < 60, "it was in the middle: {after}");
        let run = network.items("ejecuciones").await[0].clone();
        assert_eq!(run["status"], "INTERRUPTED");
        assert_eq!(run["reason"], "OLT_DISABLED");
        assert!(network.items("onus").await.is_empty(), "nothing of it was kept");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_18_what_a_dead_process_ran_is_lost() {
    on_both(async |db| {
        // Nobody answers at this port, and nobody waits for the end: the process dies with it.
        let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut network = Network::open(db, ten(), Access::Open).await;
        let (_, asking) = walking(&network, silent.local_addr().unwrap().port()).await;
        silent.recv(&mut [0; 100]).await.unwrap();
        assert_eq!(network.items("ejecuciones?status=RUNNING").await.len(), 1);
        let dead = network.context().process.name.clone();
        network.kill();
        asking.abort();
        network.open_again(ten() + Duration::from_mins(1)).await;
        // What the house does when it misses heartbeats.
        network.context().store.bury(&[dead]).await.unwrap();
        network.client.advance(0).await;
        let run = network.items("ejecuciones").await[0].clone();
        assert_eq!((&run["status"], &run["reason"]), (&json!("INTERRUPTED"), &json!("LOST")));
        assert!(run["finished_at"].is_string());
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_house_without_olts_runs_nothing() {
    from_ten(async |network| {
        network.client.advance(0).await;
        let runs = || {
            ["despacho", "redistribucion", "limpieza"].map(|name| {
                let name = format!("coordinador.{name}");
                let health = network.context().tick_health(&name).unwrap();
                assert_eq!(health.due, None, "{name}");
                health.runs
            })
        };
        let before = runs();
        network.client.at("2026-03-03T10:00:00Z").await;
        assert_eq!(runs(), before);
    })
    .await;
}

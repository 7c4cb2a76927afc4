//! S-17, S-18 and S-20: the process stops, an OLT is switched off.

use serde_json::json;

use crate::network::{Network, from, on_both, rehearsing};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_17_slots_missed_while_down_are_not_caught_up() {
    on_both(async |db| {
        let network = Network::open(db, "10:00:00").await;
        network.lasting(20.0).await;
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:15:00", json!({})).await;
        network.settle().await;
        network.close().await;
        let network = Network::open(db, "11:40:00").await;
        network.at("12:20:00").await;
        let starts = network.starts(node).await;
        assert_eq!(starts, ["11:40:00", "11:45:00", "12:00:00", "12:15:00"], "one, then the grid");
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_18_a_restart_is_no_stampede_and_leaves_nothing_running() {
    on_both(async |db| {
        let network = Network::open(db, "10:00:00").await;
        network.lasting(5.0).await;
        let hourly = json!({ "interval_seconds": 3600 });
        let nodes = network.crowd(40, "10:30:00", hourly.clone()).await;
        let olt = network.olt(1).await;
        let best = network.node(olt, "mejor", "10:31:00", json!({ "priority": 1 })).await;
        network.settle().await;
        network.close().await;
        let network = Network::open(db, "10:50:00").await;
        network.at("10:50:10").await;
        let first = network.runs("").await;
        assert_eq!(first.len(), 6);
        assert_eq!(first[0]["nodo_id"].as_i64(), Some(best), "the best priority first");
        network.at("10:58:00").await;
        for node in nodes {
            assert_eq!(network.starts(node).await.len(), 1, "once");
        }
        network.never_more_than(6).await;
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_18_what_a_dead_process_ran_is_lost() {
    on_both(async |db| {
        // Nobody answers at this port, and nobody waits for the end: the process dies with it.
        let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let network = Network::open(db, "10:00:00").await;
        let olt = network.olt_at(1, silent.local_addr().unwrap().port()).await;
        let node = network.discovery(olt, "10:00:00").await;
        let client = network.client.clone();
        let asking = tokio::spawn(async move {
            client.post("/debug/clock", json!({ "advance_seconds": 0 })).await
        });
        let mut first = [0; 100];
        silent.recv(&mut first).await.unwrap();
        assert_eq!(network.running().await, [node]);
        let dead = network.context().process.name.clone();
        drop(network);
        asking.abort();
        let network = Network::open(db, "10:01:00").await;
        // What the house does when it misses heartbeats.
        network.context().store.bury(&[dead]).await.unwrap();
        network.settle().await;
        let run = network.runs("").await[0].clone();
        assert_eq!((&run["status"], &run["reason"]), (&json!("INTERRUPTED"), &json!("LOST")));
        assert!(run["finished_at"].is_string());
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_20_an_olt_switched_off_ends_everything_of_it() {
    rehearsing(async |network| {
        network.lasting(250.0).await;
        let olt = network.olt(1).await;
        let running = network.node(olt, "g0", "10:01:00", json!({})).await;
        let mut waiting = Vec::new();
        for number in 1..4 {
            let name = format!("g{number}");
            waiting.push(network.node(olt, &name, "10:30:00", json!({})).await);
        }
        network.at("10:01:10").await;
        for node in &waiting {
            network.run_now(*node).await;
        }
        network.at("10:02:00").await;
        assert_eq!(network.running().await, [running]);
        assert_eq!(network.runs("status=PENDING").await.len(), 3);
        let path = format!("/api/coordinador/olts/{olt}");
        network.client.put(&path, json!({ "habilitar_olt": false })).await.expect(200);
        let ended = network.runs("status=INTERRUPTED").await;
        assert_eq!(ended.len(), 4);
        for run in ended {
            assert_eq!(run["reason"], "OLT_DISABLED");
            assert!(run["finished_at"].is_string());
        }
        assert_eq!(network.why(running).await[0], "OLT_DISABLED");
        assert_eq!(network.next_run(running).await, None);
        network.at("12:00:00").await;
        network.client.put(&path, json!({ "habilitar_olt": true })).await.expect(200);
        assert_eq!(network.next_run(running).await.as_deref(), Some("12:15:00"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_house_without_olts_runs_nothing() {
    from("10:00:00", async |network| {
        network.settle().await;
        let runs = || {
            ["despacho", "redistribucion", "limpieza"].map(|name| {
                let name = format!("coordinador.{name}");
                let health = network.context().tick_health(&name).unwrap();
                assert_eq!(health.due, None, "{name}");
                health.runs
            })
        };
        let before = runs();
        network.at("2026-03-03T10:00:00Z").await;
        assert_eq!(runs(), before);
    })
    .await;
}

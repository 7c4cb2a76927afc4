//! S-20, S-22, S-24 and S-25 against simulated OLTs, over real SNMP.

use serde_json::{Value as Json, json};
use snmp::sim::{Options, Simulator};

use crate::network::{DESCRIPTION, Network, on_both};

async fn simulator(count: usize, onus: u32) -> Simulator {
    Simulator::start(Options { count, onus, ..Options::default() }).await.unwrap()
}

/// An OLT of the network that is number `number` of the simulator.
async fn olt(network: &Network, simulator: &Simulator, number: usize) -> i64 {
    network.olt_at(number, simulator.addresses()[number].port()).await
}

fn change(simulator: &Simulator, number: usize, change: &Json) {
    let settings = simulator.settings(number).changed(change).unwrap();
    simulator.set(number, settings).unwrap();
}

async fn onus(network: &Network, query: &str) -> Vec<Json> {
    let path = format!("/api/coordinador/onus?limit=1000&{query}");
    network.client.get(&path).await.expect(200)["items"].as_array().unwrap().clone()
}

/// Runs a node and says how it ended.
async fn run(network: &Network, node: i64) -> Json {
    let id = network.run_now(node).await;
    network.client.advance(60).await;
    network.client.get(&format!("/api/coordinador/ejecuciones/{id}")).await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_24_presence_follows_complete_walks_only() {
    on_both(async |db| {
        let devices = simulator(1, 351).await;
        let network = Network::open(db, "10:00:00").await;
        let olt = olt(&network, &devices, 0).await;
        let node = network.discovery(olt, "").await;
        let first = run(&network, node).await;
        assert_eq!(
            (&first["status"], &first["resumen"]["total_found"]),
            (&json!("SUCCESS"), &json!(351))
        );
        let known = onus(&network, "").await;
        assert_eq!(known.len(), 351);
        assert!(known.iter().all(|onu| onu["presence"] == "ENABLED" && onu["slot"].is_number()));

        change(&devices, 0, &json!({ "onus": 350 }));
        run(&network, node).await;
        let gone = onus(&network, "presence=DISABLED").await;
        assert_eq!((gone.len(), &gone[0]["active"]), (1, &json!(false)));
        change(&devices, 0, &json!({ "onus": 351 }));
        let third = run(&network, node).await;
        assert_eq!(third["resumen"]["reappeared"], 1);
        assert_eq!(onus(&network, "presence=DISABLED").await.len(), 0);

        change(&devices, 0, &json!({ "truncate_after": 100 }));
        network.set("SNMP_TIMEOUT_SECONDS", 1).await;
        network.set("SNMP_RETRIES_DESCUBRIMIENTO", 0).await;
        let cut = run(&network, node).await;
        assert_eq!(cut["status"], "FAILED", "{cut}");
        assert_eq!(onus(&network, "presence=ENABLED").await.len(), 351, "no presence changes");

        change(&devices, 0, &json!({ "truncate_after": null, "onus": 0 }));
        assert_eq!(run(&network, node).await["status"], "SUCCESS", "an empty table says nothing");
        assert_eq!(onus(&network, "presence=ENABLED").await.len(), 351);
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_24_a_walk_that_loses_most_is_held_until_a_person_accepts_it() {
    on_both(async |db| {
        let devices = simulator(1, 100).await;
        let network = Network::open(db, "10:00:00").await;
        let olt = olt(&network, &devices, 0).await;
        let node = network.discovery(olt, "").await;
        run(&network, node).await;
        change(&devices, 0, &json!({ "onus": 40 }));
        let held = run(&network, node).await;
        assert_eq!((&held["status"], &held["reason"]), (&json!("FAILED"), &json!("HELD")));
        let runs = network.runs("").await;
        assert_eq!(runs.len(), 3, "it was walked once more at once: {runs:?}");
        assert_eq!(onus(&network, "presence=ENABLED").await.len(), 100);
        let path = format!("/api/coordinador/olts/{olt}");
        let seen = network.client.get(&path).await.expect(200);
        assert!(seen["recorrido_retenido"].is_number(), "{seen}");
        let accept = format!("{path}/aceptar-recorrido");
        assert_eq!(network.client.post(&accept, json!({})).await.status, 202);
        network.client.advance(60).await;
        assert_eq!(onus(&network, "presence=ENABLED").await.len(), 40);
        assert_eq!(network.client.post(&accept, json!({})).await.status, 409, "nothing is held");
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_25_a_get_keeps_what_it_could_read_and_lists_the_rest() {
    on_both(async |db| {
        let devices = simulator(1, 400).await;
        let network = Network::open(db, "10:00:00").await;
        network.set("SNMP_TIMEOUT_SECONDS", 1).await;
        network.set("SNMP_RETRIES_GET", 0).await;
        let olt = olt(&network, &devices, 0).await;
        let walk = network.discovery(olt, "").await;
        run(&network, walk).await;
        change(&devices, 0, &json!({ "onus": 397, "mute_onus": [0, 7] }));
        let get = network.node(olt, "get", "", json!({})).await;
        let got = run(&network, get).await;
        assert_eq!(
            (&got["status"], &got["reason"]),
            (&json!("SUCCESS"), &json!("PARTIAL")),
            "{got}"
        );
        let sum = &got["resumen"];
        assert_eq!((&sum["success_onus"], &sum["error_onus"]), (&json!(395), &json!(2)), "{sum}");
        assert_eq!(sum["absent_onus"], 3);
        let described = onus(&network, "").await;
        let described = described.iter().filter(|onu| onu["snmp_description"].is_string());
        assert_eq!(described.count(), 395);
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_25_nobody_to_ask_is_a_success_and_the_chain_goes_on() {
    on_both(async |db| {
        let devices = simulator(1, 10).await;
        let network = Network::open(db, "10:00:00").await;
        let olt = olt(&network, &devices, 0).await;
        let get = network.node(olt, "get", "10:01:00", json!({})).await;
        let more = json!({ "interval_seconds": null, "master_node_id": get, "oid": DESCRIPTION });
        let member = network.node(olt, "member", "", more).await;
        network.at("10:02:00").await;
        let runs = network.runs("").await;
        assert_eq!(runs.len(), 2, "{runs:?}");
        assert!(runs.iter().all(|run| run["status"] == "SUCCESS"), "{runs:?}");
        assert_eq!(runs[1]["nodo_id"].as_i64(), Some(member));
        assert_eq!(network.next_run(get).await.as_deref(), Some("10:16:00"));
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_22_a_dead_olt_costs_one_probe_and_comes_back() {
    on_both(async |db| {
        let devices = simulator(2, 20).await;
        change(&devices, 0, &json!({ "alive": false }));
        let network = Network::open(db, "10:00:00").await;
        network.set("SNMP_TIMEOUT_SECONDS", 1).await;
        let (dead, good) = (olt(&network, &devices, 0).await, olt(&network, &devices, 1).await);
        let often = json!({ "interval_seconds": 300 });
        let first = network.node(dead, "g1", "10:01:00", often.clone()).await;
        let second = network.node(dead, "g2", "10:01:10", often.clone()).await;
        let other = network.node(good, "g3", "10:01:10", often).await;
        network.at("10:01:12").await;
        assert_eq!(devices.counters(0).received, 1, "one question, no more");
        assert_eq!(network.runs(&format!("nodo_id={other}")).await[0]["status"], "SUCCESS");
        let failed = network.runs(&format!("nodo_id={first}")).await[0].clone();
        assert_eq!(
            (&failed["status"], &failed["reason"]),
            (&json!("FAILED"), &json!("UNREACHABLE"))
        );
        assert_eq!(network.why(second).await, ["OLT_UNREACHABLE"]);
        network.at("10:12:00").await;
        // 10:01:00, then 15 s, 60 s and every 300 s after.
        assert!(devices.counters(0).received <= 5, "{:?}", devices.counters(0));
        change(&devices, 0, &json!({ "alive": true }));
        network.at("10:20:00").await;
        let told = network.events(&format!("olt_id={dead}")).await;
        let kinds: Vec<_> = told.iter().map(|(kind, _)| kind.as_str()).collect();
        assert!(
            kinds.contains(&"OLT_SIN_RESPUESTA") && kinds.contains(&"OLT_RECUPERADA"),
            "{kinds:?}"
        );
        let seen = network.client.get(&format!("/api/coordinador/olts/{dead}")).await.expect(200);
        assert_eq!(seen["salud"], "RESPONDE");
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_20_not_one_more_packet_after_an_olt_is_switched_off() {
    on_both(async |db| {
        let devices = simulator(1, 2048).await;
        change(&devices, 0, &json!({ "latency_ms": 40 }));
        let network = Network::open(db, "10:00:00").await;
        let olt = olt(&network, &devices, 0).await;
        let node = network.discovery(olt, "10:00:00").await;
        let client = network.client.clone();
        let walking = tokio::spawn(async move {
            client.post("/debug/clock", json!({ "advance_seconds": 0 })).await.status
        });
        // In the middle of the walk: eighty answers of twenty-five rows are needed.
        while devices.counters(0).received < 10 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let path = format!("/api/coordinador/olts/{olt}");
        network.client.put(&path, json!({ "habilitar_olt": false })).await.expect(200);
        assert_eq!(walking.await.unwrap(), 200);
        let after = devices.counters(0).received;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert_eq!(devices.counters(0).received, after, "silence");
        assert!(after < 60, "it was in the middle: {after}");
        let run = network.runs(&format!("nodo_id={node}")).await[0].clone();
        assert_eq!(
            (&run["status"], &run["reason"]),
            (&json!("INTERRUPTED"), &json!("OLT_DISABLED"))
        );
        assert_eq!(onus(&network, "").await.len(), 0, "nothing of it was kept");
        network.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_lie_change_nothing_and_are_named() {
    on_both(async |db| {
        let lies = [
            (json!({ "not_increasing": true }), "NOT_INCREASING"),
            (json!({ "wrong_types": true }), "DECODE"),
            (json!({ "garbled": true }), "DECODE"),
        ];
        let devices = simulator(1, 60).await;
        let network = Network::open(db, "10:00:00").await;
        network.set("SNMP_TIMEOUT_SECONDS", 1).await;
        network.set("SNMP_RETRIES_DESCUBRIMIENTO", 0).await;
        let olt = olt(&network, &devices, 0).await;
        let node = network.discovery(olt, "").await;
        run(&network, node).await;
        let honest = devices.settings(0);
        for (lie, word) in lies {
            change(&devices, 0, &lie);
            let run = run(&network, node).await;
            assert_eq!(run["status"], "FAILED", "{lie}: {run}");
            if lie["garbled"] != true {
                assert_eq!(run["reason"], word, "{lie}");
            }
            assert_eq!(onus(&network, "presence=ENABLED").await.len(), 60, "{lie}");
            devices.set(0, honest.clone()).unwrap();
            network.client.advance(600).await;
        }
        change(&devices, 0, &json!({ "max_repetitions_limit": 10 }));
        assert_eq!(self::run(&network, node).await["status"], "SUCCESS");
        let seen = network.client.get(&format!("/api/coordinador/olts/{olt}")).await.expect(200);
        assert!(seen["max_repetitions"].as_i64().unwrap() <= 10, "{seen}");
        network.close().await;
    })
    .await;
}

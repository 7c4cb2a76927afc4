//! S-19: a master and its chain.

use serde_json::json;

use crate::network::{Network, rehearsing};

async fn family(network: &Network) -> (i64, [i64; 3]) {
    let olt = network.olt(1).await;
    let master = network.discovery(olt, "10:01:00").await;
    let mut members = [0; 3];
    for (at, priority) in [2, 1, 2].into_iter().enumerate() {
        let more = json!({ "interval_seconds": null, "priority": priority,
                           "master_node_id": master });
        members[at] = network.node(olt, &format!("c{at}"), "", more).await;
    }
    (master, members)
}

async fn order(network: &Network) -> Vec<i64> {
    network.runs("").await.iter().map(|run| run["nodo_id"].as_i64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_19_members_follow_one_by_one_by_priority_then_number() {
    rehearsing(async |network| {
        let (master, [a, b, c]) = family(network).await;
        assert_eq!(network.why(a).await, ["WAITS_FOR_MASTER"]);
        network.at("10:03:00").await;
        assert_eq!(order(network).await, [master, b, a, c]);
        let runs = network.runs("").await;
        for pair in runs.windows(2) {
            assert!(pair[1]["started_at"].as_str() >= pair[0]["finished_at"].as_str(), "serial");
        }
        assert!(runs[1..].iter().all(|run| run["cadena"] == true && run["status"] == "SUCCESS"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_19_nobody_follows_a_master_that_was_stopped_or_failed() {
    rehearsing(async |network| {
        let (master, [_, _, last]) = family(network).await;
        network.at("10:01:05").await;
        let run = network.runs("status=RUNNING").await[0]["id"].as_i64().unwrap();
        let path = format!("/api/coordinador/ejecuciones/{run}/abortar");
        network.client.post(&path, json!({})).await.expect(200);
        network.at("10:05:00").await;
        assert_eq!(order(network).await, [master], "INTERRUPTED");
        // From now on every run fails; one member wants to run even so.
        let failing = json!({ "activo": true, "duracion_segundos": 20, "exito_pct": 0 });
        network.client.put("/api/coordinador/modo-prueba", failing).await.expect(200);
        let path = format!("/api/coordinador/nodos/{last}");
        let even_so = json!({ "tras_maestro": "EXITO_O_FALLO" });
        network.client.put(&path, even_so).await.expect(200);
        network.at("10:20:00").await;
        assert_eq!(order(network).await, [master, master, last], "FAILED");
    })
    .await;
}

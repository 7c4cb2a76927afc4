//! S-1 to S-6: the quota of a node.

use serde_json::json;

use crate::network::{instant, rehearsing};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_1_the_quota_of_each_interval() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        for (seconds, max) in [(900, 4), (120, 30), (700, 5), (3600, 1), (7200, 1)] {
            let more = json!({ "interval_seconds": seconds });
            let node = network.node(olt, &format!("n{seconds}"), "", more).await;
            let all = network.client.get("/api/coordinador/cuotas").await.expect(200);
            let quota = all["items"].as_array().unwrap().last().unwrap().clone();
            assert_eq!(
                (quota["nodo_id"].as_i64(), quota["maximo"].as_i64()),
                (Some(node), Some(max))
            );
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_2_at_its_quota_a_node_is_skipped_and_jumps_to_the_full_hour() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:05:00", json!({})).await;
        network.at("10:55:00").await;
        let path = format!("/api/coordinador/nodos/{node}");
        network.client.put(&path, json!({ "next_run_at": instant("11:00:00") })).await.expect(200);
        network.at("11:00:00").await;
        let runs = network.starts(node).await;
        assert_eq!(runs, ["10:05:00", "10:20:00", "10:35:00", "10:50:00"]);
        let next = network.next_run(node).await.unwrap();
        assert!(("12:00:00".."12:03:01").contains(&next.as_str()), "{next}");
        let skipped = ("CUOTA_OMITIDA".to_owned(), "DEBUG".to_owned());
        assert!(network.events(&format!("nodo_id={node}")).await.contains(&skipped));
        let quotas = network.client.get("/api/coordinador/cuotas").await.expect(200);
        let quota = &quotas["items"][0];
        assert_eq!((&quota["usados"], &quota["maximo"]), (&json!(4), &json!(4)));
        assert_eq!((&quota["porcentaje"], &quota["nivel"]), (&json!(100), &json!("COMPLETA")));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_3_an_undisturbed_node_never_blocks_itself() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:00:00", json!({})).await;
        network.at("15:59:59").await;
        let starts = network.starts(node).await;
        assert_eq!(starts.len(), 24, "{starts:?}");
        let on_grid =
            |at: &String| at.ends_with(":00") && ["00", "15", "30", "45"].contains(&&at[3..5]);
        assert!(starts.iter().all(on_grid), "{starts:?}");
        let skips = network.events("tipo=CUOTA_OMITIDA").await;
        assert!(skips.is_empty(), "{skips:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_4_what_runs_and_what_was_asked_by_hand_is_not_counted() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:05:00", json!({})).await;
        network.at("10:40:00").await;
        network.lasting(200.0).await;
        network.run_now(node).await;
        network.at("10:45:00").await;
        // The fourth by plan began at 10:50 and goes on.
        network.at("10:50:30").await;
        let used = |quotas: serde_json::Value| {
            let quota = &quotas["items"][0];
            (quota["usados"].as_i64().unwrap(), quota["porcentaje"].as_i64().unwrap())
        };
        let quotas = network.client.get("/api/coordinador/cuotas").await.expect(200);
        assert_eq!(used(quotas), (3, 75));
        let run = network.runs("status=RUNNING").await[0]["id"].as_i64().unwrap();
        let path = format!("/api/coordinador/ejecuciones/{run}/abortar");
        network.client.post(&path, json!({ "motivo": "prueba" })).await.expect(200);
        let quotas = network.client.get("/api/coordinador/cuotas").await.expect(200);
        assert_eq!(used(quotas), (4, 100), "interrupted, but it had started");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_5_jumps_share_the_first_minutes_of_the_hour() {
    rehearsing(async |network| {
        network.set("REDISTRIBUTION_PERIOD_SECONDS", 3600).await;
        // Two runs an hour, asked for a third within it.
        let every = json!({ "interval_seconds": 1800 });
        let nodes = network.crowd(10, "10:25:00", every).await;
        network.at("11:00:00").await;
        for node in &nodes {
            let path = format!("/api/coordinador/nodos/{node}");
            let next = json!({ "next_run_at": instant("11:15:00") });
            network.client.put(&path, next).await.expect(200);
        }
        network.at("11:15:00").await;
        let mut minutes = std::collections::BTreeMap::<String, usize>::new();
        for node in nodes {
            let next = network.next_run(node).await.unwrap();
            assert!(("12:00:00".."12:03:01").contains(&next.as_str()), "{next}");
            *minutes.entry(next[..5].to_owned()).or_default() += 1;
        }
        assert!(minutes.values().all(|count| *count <= 6), "{minutes:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_6_each_level_is_told_once_when_it_is_reached() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:00:00", json!({ "interval_seconds": 360 })).await;
        // The tenth run of the hour begins at 10:54.
        network.at("10:55:00").await;
        let told = network.events(&format!("nodo_id={node}")).await;
        let expected = [
            ("CUOTA_ADVERTENCIA", "WARNING"),
            ("CUOTA_ALERTA", "ALERT"),
            ("CUOTA_COMPLETA", "INFO"),
        ];
        let expected = expected.map(|(kind, level)| (kind.to_owned(), level.to_owned()));
        assert_eq!(told, expected);
    })
    .await;
}

//! S-7 to S-9, S-14 to S-16 and S-21: who starts, and who waits for what.

use serde_json::json;

use crate::network::{DISCOVERY, clock, rehearsing};

#[tokio::test(flavor = "multi_thread")]
async fn scenario_7_the_same_type_waits_and_starts_when_the_other_ends() {
    rehearsing(async |network| {
        network.lasting(120.0).await;
        network.limits(json!({ "max_running_per_olt": 2 })).await;
        let (a, b) = (network.olt(1).await, network.olt(2).await);
        let g1 = network.node(a, "g1", "10:01:00", json!({})).await;
        let g2 = network.node(a, "g2", "10:01:30", json!({})).await;
        let d1 = network.discovery(a, "10:01:30").await;
        let g3 = network.node(b, "g3", "10:01:30", json!({})).await;
        network.at("10:02:00").await;
        assert_eq!(network.running().await, [g1, d1, g3]);
        assert_eq!(network.why(g2).await, ["SAME_TYPE_RUNNING", "OLT_BUSY"]);
        assert_eq!(network.next_run(g2).await.as_deref(), Some("10:01:30"), "unchanged");
        network.at("10:03:10").await;
        assert_eq!(network.starts(g2).await, ["10:03:00"], "at once");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_7_one_at_a_time_on_an_olt_is_the_default() {
    rehearsing(async |network| {
        network.lasting(120.0).await;
        let (a, b) = (network.olt(1).await, network.olt(2).await);
        let g1 = network.node(a, "g1", "10:01:00", json!({})).await;
        let d1 = network.discovery(a, "10:01:30").await;
        let g3 = network.node(b, "g3", "10:01:30", json!({})).await;
        network.at("10:02:00").await;
        assert_eq!(network.running().await, [g1, g3]);
        assert_eq!(network.why(d1).await, ["OLT_BUSY"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_8_a_run_of_more_than_five_minutes_is_cut_off() {
    rehearsing(async |network| {
        network.lasting(600.0).await;
        let olt = network.olt(1).await;
        let g1 = network.node(olt, "g1", "10:01:00", json!({})).await;
        let g2 = network.node(olt, "g2", "10:02:00", json!({})).await;
        network.at("10:05:59").await;
        assert_eq!(network.running().await, [g1], "at 299 s it still waits");
        network.at("10:06:01").await;
        assert_eq!(network.running().await, [g2]);
        let run = network.runs(&format!("nodo_id={g1}")).await[0].clone();
        assert_eq!((&run["status"], &run["reason"]), (&json!("INTERRUPTED"), &json!("STALE")));
        assert_eq!(clock(run["finished_at"].as_str().unwrap()), "10:06:00");
        let told = network.events(&format!("nodo_id={g1}")).await;
        assert_eq!(told, [("EJECUCION_INTERRUMPIDA".to_owned(), "WARNING".to_owned())]);
        network.at("10:11:30").await;
        let run = network.runs(&format!("nodo_id={g1}")).await[0].clone();
        assert_eq!(run["reason"], "STALE", "its end came too late");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_9_seventeen_at_once_start_six_a_minute() {
    rehearsing(async |network| {
        // Entered too late to be spread: only the dispatcher stands between them and the network.
        network.at("11:14:30").await;
        let nodes = network.crowd(17, "11:15:00", json!({})).await;
        network.at("11:15:30").await;
        assert_eq!(network.running().await.len(), 0, "they took twenty seconds");
        assert_eq!(network.runs("").await.len(), 6);
        assert_eq!(network.why(nodes[16]).await, ["MINUTE_LIMIT"]);
        network.at("11:17:05").await;
        assert_eq!(network.runs("").await.len(), 17);
        network.never_more_than(6).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_14_never_more_at_once_than_ten_twenty_thirty() {
    rehearsing(async |network| {
        network.lasting(60.0).await;
        network.limits(json!({ "max_executions_per_minute": 600 })).await;
        let walks = json!({ "job_type": "descubrimiento", "oid": DISCOVERY, "espacio": null });
        network.crowd(15, "10:10:00", walks).await;
        for number in 0..30 {
            let olt = network.olt(2_000 + number).await;
            network.node(olt, "get", "10:10:00", json!({})).await;
        }
        for (time, running) in [("10:10:05", 30), ("10:11:05", 15), ("10:12:05", 0)] {
            network.at(time).await;
            let live = network.runs("status=RUNNING").await;
            let of = |job: &str| live.iter().filter(|run| run["job_type"] == job).count();
            assert!(of("descubrimiento") <= 10 && of("get") <= 20, "{time}");
            assert_eq!(live.len(), running, "{time}");
        }
        assert_eq!(network.runs("status=SUCCESS").await.len(), 45, "none is lost");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_15_the_long_overdue_then_the_type_then_the_priority() {
    rehearsing(async |network| {
        network.limits(json!({ "max_executions_per_minute": 1, "max_short_per_minute": 1 })).await;
        network.set("REDISTRIBUTION_WINDOW_SECONDS", 0).await;
        let olts = [network.olt(1).await, network.olt(2).await, network.olt(3).await];
        let walk = |priority: i64| {
            json!({ "job_type": "descubrimiento", "oid": DISCOVERY, "espacio": null,
                    "priority": priority })
        };
        let late = network.node(olts[0], "late", "08:00:00", json!({})).await;
        let third = network.node(olts[1], "d3", "10:00:00", walk(3)).await;
        let first = network.node(olts[2], "d1", "10:00:00", walk(1)).await;
        network.at("10:05:00").await;
        let order: Vec<_> =
            network.runs("").await.iter().map(|run| run["nodo_id"].as_i64().unwrap()).collect();
        assert_eq!(order[..3], [late, first, third]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_16_the_grid_holds_however_long_a_run_takes() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        let node = network.node(olt, "n", "10:00:07", json!({})).await;
        for (time, lasts) in [("10:20:00", 120.0), ("10:50:00", 45.0), ("11:20:00", 20.0)] {
            network.lasting(lasts).await;
            network.at(time).await;
        }
        let expected = ["10:00:07", "10:15:07", "10:30:07", "10:45:07", "11:00:07", "11:15:07"];
        assert_eq!(network.starts(node).await, expected);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_21_short_nodes_leave_room_for_the_others() {
    rehearsing(async |network| {
        network.lasting(5.0).await;
        network.crowd(12, "10:10:00", json!({ "interval_seconds": 120 })).await;
        let mut long = Vec::new();
        for number in 0..4 {
            let olt = network.olt(3_000 + number).await;
            long.push(network.node(olt, "largo", "10:15:00", json!({})).await);
        }
        let fits = network.client.get("/api/coordinador/factibilidad").await.expect(200);
        assert_eq!((&fits["demanda_por_hora"], &fits["factible"]), (&json!(376.0), &json!(false)));
        network.at("10:32:00").await;
        for node in long {
            for run in network.runs(&format!("nodo_id={node}")).await {
                assert!(run["atraso_segundos"].as_f64().unwrap() <= 60.0, "{run}");
            }
        }
        network.never_more_than(6).await;
    })
    .await;
}

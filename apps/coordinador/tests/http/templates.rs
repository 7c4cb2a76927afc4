//! Templates and what they leave on OLTs.

use serde_json::{Value as Json, json};

use crate::network::{Network, rehearsing};

fn base(olts: &[i64]) -> Json {
    json!({
        "nombre": "base",
        "nodos": [
            { "clave": "discover.60", "job_type": "descubrimiento", "espacio": "descubrimiento",
              "interval_seconds": 3600, "priority": 1 },
            { "clave": "get.mac", "job_type": "get", "espacio": "mac", "maestro": "discover.60" },
        ],
        "olts": olts,
    })
}

async fn nodes(network: &Network) -> Vec<Json> {
    let all = network.client.get("/api/coordinador/nodos").await.expect(200);
    all["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_pushed_changed_and_taken_back() {
    rehearsing(async |network| {
        let (a, b) = (network.olt(1).await, network.olt(2).await);
        let made =
            network.client.post("/api/coordinador/plantillas", base(&[a, b])).await.expect(201);
        let path = format!("/api/coordinador/plantillas/{}", made["id"]);
        let all = nodes(network).await;
        assert_eq!(all.len(), 4);
        let master = &all[0];
        assert_eq!(master["next_run_at"], "2026-03-02T11:00:00Z", "an interval from now");
        assert_eq!(all[1]["master_node_id"], master["id"]);

        // One OLT has its own interval, and keeps it.
        let own = format!("/api/coordinador/nodos/{}", master["id"]);
        network.client.put(&own, json!({ "interval_seconds": 1800 })).await.expect(200);
        let mut nodos = made["nodos"].clone();
        nodos[0]["interval_seconds"] = 900.into();
        network.client.put(&path, json!({ "nodos": nodos })).await.expect(200);
        let intervals: Vec<_> =
            nodes(network).await.iter().map(|node| node["interval_seconds"].clone()).collect();
        assert_eq!(intervals, [json!(1800), json!(null), json!(900), json!(null)]);

        network.client.put(&path, json!({ "activa": false })).await.expect(200);
        let idle = nodes(network).await;
        assert!(idle.iter().all(|node| node["next_run_at"].is_null()), "{idle:?}");
        let why = network.why(master["id"].as_i64().unwrap()).await;
        assert!(why.contains(&"TEMPLATE_INACTIVE".to_owned()), "{why:?}");
        network.client.put(&path, json!({ "activa": true })).await.expect(200);
        assert!(nodes(network).await[0]["next_run_at"].is_string());

        network.client.put(&path, json!({ "olts": [b] })).await.expect(200);
        assert!(nodes(network).await.iter().all(|node| node["olt_id"] == b), "one OLT less");
        network.client.put(&path, json!({ "nodos": [nodos[0]] })).await.expect(200);
        assert_eq!(nodes(network).await.len(), 1, "one node less");
        network.client.delete(&path).await.expect(204);
        assert_eq!(nodes(network).await.len(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_contradicts_itself_is_refused_whole() {
    rehearsing(async |network| {
        let olt = network.olt(1).await;
        for (field, bad) in [
            ("nodos[0].interval_seconds", json!({ "interval_seconds": 0 })),
            ("nodos[0].interval_seconds", json!({ "interval_seconds": -5 })),
            ("nodos[0].oid", json!({ "oid": "1.x.3" })),
            ("nodos[0].priority", json!({ "priority": 9 })),
            ("nodos[0].espacio", json!({ "espacio": "mac" })),
            ("nodos[0].maestro", json!({ "maestro": "nadie" })),
        ] {
            let mut template = base(&[olt]);
            crate::network::extend(&mut template["nodos"][0], bad);
            let refused =
                network.client.post("/api/coordinador/plantillas", template).await.expect(422);
            assert!(refused["errors"].to_string().contains(field), "{field}: {refused}");
        }
        let unknown = network.client.post("/api/coordinador/plantillas", base(&[olt, 99])).await;
        assert!(unknown.expect(422).to_string().contains("olts[1]"));
        assert_eq!(nodes(network).await.len(), 0);
    })
    .await;
}

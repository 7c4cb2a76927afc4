//! S-10 to S-13: the plan, before and after it is spread.

use serde_json::json;

use crate::network::from;

#[tokio::test(flavor = "multi_thread")]
async fn scenario_10_the_seventeen_of_the_seed_are_spread_and_stay_where_they_are() {
    from("11:05:00", async |network| {
        network.lasting(20.0).await;
        let nodes = network.crowd(17, "11:15:00", json!({})).await;
        assert_eq!(network.planned(20).await[10], 17, "the incident");
        let preview =
            network.client.post("/api/coordinador/plan/previsualizar", json!({})).await.expect(200);
        assert_eq!(
            (&preview["antes"]["pico"], &preview["despues"]["pico"]),
            (&json!(17), &json!(6))
        );
        assert_eq!(network.planned(20).await[10], 17, "a look changes nothing");
        network.settle().await;
        let mut planned = Vec::new();
        for node in &nodes {
            let next = network.next_run(*node).await.unwrap();
            assert!(("11:12:00".."11:18:01").contains(&next.as_str()), "{next}");
            planned.push(next);
        }
        assert!(network.planned(20).await.iter().all(|count| *count <= 6));
        network.at("11:07:01").await;
        for (node, before) in nodes.iter().zip(&planned) {
            assert_eq!(network.next_run(*node).await.as_ref(), Some(before), "a second pass");
        }
        network.at("11:20:00").await;
        network.never_more_than(6).await;
        assert_eq!(network.runs("").await.len(), 17);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_11_six_in_a_minute_are_left_alone_and_seven_are_not() {
    from("11:05:00", async |network| {
        network.lasting(20.0).await;
        network.crowd(6, "11:15:00", json!({})).await;
        network.settle().await;
        assert_eq!(network.planned(20).await[10], 6);
        let olt = network.olt(1).await;
        network.node(olt, "el séptimo", "11:15:00", json!({})).await;
        network.client.post("/api/coordinador/plan/aplicar", json!({})).await.expect(200);
        let planned = network.planned(20).await;
        assert_eq!((planned[10], planned.iter().sum::<usize>()), (6, 7), "{planned:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_12_what_does_not_fit_is_named_and_put_later() {
    from("11:05:00", async |network| {
        network.lasting(5.0).await;
        network.crowd(60, "11:15:00", json!({ "interval_seconds": 3600 })).await;
        network.settle().await;
        let planned = network.planned(30).await;
        assert!(planned.iter().all(|count| *count <= 6), "{planned:?}");
        assert_eq!(planned[7..14].iter().sum::<usize>(), 42, "{planned:?}");
        let told = network.client.get("/api/coordinador/eventos?tipo=DESBORDE").await.expect(200);
        assert_eq!(told["items"][0]["datos"]["desborde"], 18, "{told}");
        assert_eq!(told["items"][0]["motivo"], "OVERFLOW");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_13_a_template_that_asks_for_too_much_is_told_before() {
    from("11:05:00", async |network| {
        let mut olts = Vec::new();
        for number in 0..40 {
            olts.push(network.olt(number).await);
        }
        let node = json!({ "clave": "get.300", "job_type": "get", "espacio": "mac",
                           "interval_seconds": 300 });
        let template = json!({ "nombre": "cada cinco", "nodos": [node], "olts": olts });
        let path = "/api/coordinador/plantillas/factibilidad";
        let told = network.client.post(path, template).await.expect(200);
        assert_eq!(told["antes"]["factible"], true);
        let after = &told["despues"];
        assert_eq!(
            (&after["demanda_por_hora"], &after["factible"]),
            (&json!(480.0), &json!(false))
        );
        let nodes = network.client.get("/api/coordinador/nodos").await.expect(200);
        assert_eq!(nodes["items"], json!([]), "nothing was made");
    })
    .await;
}

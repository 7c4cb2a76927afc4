//! Secrets that are not shown, and sheets that are taken whole or not at all.

use serde_json::json;

use crate::farm::{Farm, on_farm, robot, runner, schedule};

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_not_shown_and_their_mask_changes_nothing() {
    on_farm(async |farm| {
        let client = &farm.client;
        let path = |key: &str| format!("/api/sam/configuracion/{key}");
        for shown in
            ["/api/sam/configuracion", "/api/settings", "/api/audit?app=sam", "/ajustes/sam"]
        {
            let text = client.get(shown).await.text;
            assert!(!text.contains("clave\"") || !text.contains("\"clave\":\"clave\""), "{shown}");
            assert!(!text.contains("valor\":\"clave\""), "{shown}");
        }
        let key = client.get(&path("A360_API_KEY")).await.expect(200);
        assert_eq!(key["valor"], "••••••");
        client.put(&path("A360_API_KEY"), json!({ "valor": "••••••" })).await.expect(200);
        farm.set("BALANCEADOR_POOL_ENFRIAMIENTO_SEG", "120").await;
        let cooling = client.get(&path("BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG")).await.expect(200);
        assert_eq!(cooling["valor"], 120, "a number may come as text, under either name");
        farm.started().await;
        assert_eq!(farm.live().await.len(), 1, "the mask did not replace the key");
    })
    .await;
}

async fn send(farm: &Farm, which: &str, text: &str) -> (u16, serde_json::Value) {
    let request =
        farm.client.request(reqwest::Method::POST, &format!("/api/sam/planillas/{which}"));
    let request = request.header("content-type", "text/csv").body(text.to_owned());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_is_taken_whole_or_not_at_all() {
    on_farm(async |farm| {
        farm.make("robots", robot(10)).await;
        let good = "id,robot,prioridad_balanceo\r\n10,R10,8\r\n11,Nuevo,9\r\n";
        let (status, told) = send(farm, "robots", good).await;
        assert_eq!((status, &told), (200, &json!({ "creados": 1, "cambiados": 1 })));
        let before = farm.client.get("/api/sam/planillas/robots").await.text;
        for bad in [
            "id,robot\r\n12,Bueno\r\n13,\r\n",
            "id,robot,min_equipos,max_equipos\r\n12,Bueno,1,5\r\n13,Malo,5,2\r\n",
            "id,robot\r\n12,Bueno\r\n13,R10\r\n",
            "id,robot,pool_id\r\n12,Bueno,\r\n13,Malo,99\r\n",
            "id,robot,color\r\n12,Bueno,rojo\r\n",
            "id,robot\r\n12,\"Abierto\r\n",
            "",
        ] {
            let (status, told) = send(farm, "robots", bad).await;
            assert_eq!(
                (status, told["code"].as_str()),
                (422, Some("PLANILLA_CON_ERRORES")),
                "{bad}"
            );
            let path = told["errors"][0]["path"].as_str().unwrap();
            assert!(path.starts_with("línea "), "{told}");
        }
        assert_eq!(farm.client.get("/api/sam/planillas/robots").await.text, before);
        let (status, told) = send(farm, "robots", &before).await;
        assert_eq!((status, &told["creados"]), (200, &json!(0)), "what goes out comes back in");
        farm.make("equipos", runner(1)).await;
        farm.make("programaciones", schedule(10, &[1])).await;
        let sheet = farm.client.get("/api/sam/planillas/programaciones").await.text;
        let (status, told) = send(farm, "programaciones", &sheet).await;
        assert_eq!(status, 200, "{told}");
        assert_eq!(send(farm, "otra", "").await.0, 404);
    })
    .await;
}

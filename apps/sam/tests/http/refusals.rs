//! Bad input: refused precisely, nothing half applied.

use serde_json::json;

use crate::farm::{Farm, on_both};

#[tokio::test(flavor = "multi_thread")]
async fn schedules_that_make_no_sense_are_refused_by_field() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.runner(1, None).await;
        farm.robot(10, json!({})).await;
        farm.online(20, 1, None).await;
        let base = json!({
            "robot_id": 10, "tipo_programacion": "Diaria", "hora_inicio": "09:00", "equipos": [1],
        });
        let cases = [
            (json!({ "robot_id": 20 }), 409, "ROBOT_ONLINE", ""),
            (json!({ "robot_id": 99 }), 404, "ROBOT_INEXISTENTE", ""),
            (json!({ "hora_inicio": "25:00" }), 422, "DATOS_INVALIDOS", "hora_inicio"),
            (
                json!({ "tipo_programacion": "Quincenal" }),
                422,
                "DATOS_INVALIDOS",
                "tipo_programacion",
            ),
            (json!({ "tipo_programacion": "Semanal" }), 422, "DATOS_INVALIDOS", "dias_semana"),
            (json!({ "tolerancia": 1441 }), 422, "DATOS_INVALIDOS", "tolerancia"),
            (
                json!({ "tipo_programacion": "Especifica", "fecha_especifica": "2026-02-30" }),
                422,
                "DATOS_INVALIDOS",
                "fecha_especifica",
            ),
            (
                json!({ "fecha_inicio_ventana": "2026-05-01", "fecha_fin_ventana": "2026-04-01" }),
                422,
                "DATOS_INVALIDOS",
                "fecha_fin_ventana",
            ),
            (json!({ "equipos": [1, 77] }), 422, "DATOS_INVALIDOS", "equipos[1]"),
            (json!({ "calendario_id": 5 }), 404, "CALENDARIO_INEXISTENTE", ""),
        ];
        for (change, status, code, path) in cases {
            let mut body = base.clone();
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let refused = farm.client.post("/api/sam/programaciones", body).await.expect(status);
            assert_eq!(refused["code"], code, "{change}");
            if !path.is_empty() {
                let paths: Vec<_> =
                    refused["errors"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
                assert!(paths.contains(&&json!(path)), "{change}: {refused}");
            }
        }
        let all = farm.client.get("/api/sam/programaciones").await.expect(200);
        assert_eq!(all["items"], json!([]), "nothing was kept");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_runners_and_pools_that_cannot_be_are_refused() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let client = &farm.client;
        farm.robot(10, json!({})).await;
        farm.runner(1, None).await;
        let limits = json!({ "robot": "X", "min_equipos": 5, "max_equipos": 2 });
        let refused = client.post("/api/sam/robots", limits).await.expect(422);
        assert_eq!(refused["errors"][0]["path"], "max_equipos");
        client.post("/api/sam/robots", json!({ "id": 10, "robot": "otro" })).await.expect(409);
        client.post("/api/sam/robots", json!({ "robot": "R10" })).await.expect(409);
        client.post("/api/sam/robots", json!({ "robot": "Y", "pool_id": 7 })).await.expect(404);
        client.post("/api/sam/robots", json!({ "robot": "Y", "sobra": 1 })).await.expect(400);
        client
            .post("/api/sam/robots", json!({ "robot": "Y", "parametros": [1] }))
            .await
            .expect(422);
        client.post("/api/sam/equipos", json!({ "equipo": "", "user_id": 1 })).await.expect(422);
        client.post("/api/sam/equipos", json!({ "equipo": "Z" })).await.expect(400);
        let pool = farm.pool("A").await;
        client.post("/api/sam/pools", json!({ "nombre": "A" })).await.expect(409);
        let members = json!({ "robots": [10, 99], "equipos": [1] });
        let path = format!("/api/sam/pools/{pool}/miembros");
        let refused = client.put(&path, members).await.expect(422);
        assert_eq!(refused["errors"][0]["path"], "robots[1]");
        let robot = client.get("/api/sam/robots/10").await.expect(200);
        assert_eq!(robot["pool_id"], json!(null), "nothing half applied");
        farm.schedule(10, &[1], json!({})).await;
        let online =
            client.put("/api/sam/robots/10", json!({ "es_online": true })).await.expect(409);
        assert_eq!(online["code"], "ROBOT_PROGRAMADO");
        let delete = client.delete("/api/sam/robots/10").await.expect(409);
        assert_eq!(delete["code"], "EN_USO");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_joins_a_pool_leaves_the_one_before() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let (a, b) = (farm.pool("A").await, farm.pool("B").await);
        farm.robot(10, json!({ "pool_id": a })).await;
        farm.runner(1, Some(a)).await;
        let both = json!({ "robots": [10], "equipos": [1] });
        farm.client.put(&format!("/api/sam/pools/{b}/miembros"), both).await.expect(200);
        let left = farm.client.get(&format!("/api/sam/pools/{a}")).await.expect(200);
        assert_eq!((&left["robots"], &left["equipos"]), (&json!([]), &json!([])));
        let stale = farm
            .client
            .request(reqwest::Method::PUT, "/api/sam/robots/10")
            .header("If-Match", "\"1\"")
            .json(&json!({ "prioridad_balanceo": 3 }));
        assert_eq!(stale.send().await.unwrap().status().as_u16(), 412, "it changed meanwhile");
        farm.client.delete(&format!("/api/sam/pools/{b}")).await;
        let robot = farm.client.get("/api/sam/robots/10").await.expect(200);
        assert_eq!(robot["pool_id"], json!(null), "members go on without one");
        farm.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_typed_ranged_known_by_both_names_and_secrets_are_not_shown() {
    on_both(async |place| {
        let farm = Farm::open(place).await;
        let client = &farm.client;
        let path = |key: &str| format!("/api/sam/configuracion/{key}");
        for (key, value) in [
            ("LANZADOR_PAUSA_INICIO", json!("99:99")),
            ("LANZADOR_CICLO_INTERVALO_SEG", json!(0)),
            ("BALANCEADOR_PREEMPTION", json!("quizás")),
            ("CALLBACK_AUTH_MODE", json!("a veces")),
            ("A360_URL", json!("ftp://x")),
            ("SYNC_ROBOTS_NOMBRE", json!("(")),
            ("JWT_CLAVE_PUBLICA", json!("no soy una clave")),
        ] {
            let refused = client.put(&path(key), json!({ "valor": value })).await.expect(400);
            assert_eq!(refused["code"], "VALOR_INVALIDO", "{key}");
        }
        let house = "/api/settings/sam/A360_URL";
        let refused = client.put(house, json!({ "valor": "ftp://x" })).await.expect(400);
        assert!(refused.to_string().contains("no es una dirección http(s)"), "{refused}");
        client.put(&path("NADA"), json!({ "valor": 1 })).await.expect(404);
        client
            .put(&path("BALANCEADOR_POOL_ENFRIAMIENTO_SEG"), json!({ "valor": "120" }))
            .await
            .expect(200);
        let cooling = client.get(&path("BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG")).await.expect(200);
        assert_eq!(cooling["valor"], 120);
        for shown in ["/api/sam/configuracion", "/api/settings", "/api/audit?app=sam", "/ajustes"] {
            let text = client.get(shown).await.text;
            assert!(!text.contains("clave\"") || !text.contains("\"clave\":\"clave\""), "{shown}");
            assert!(!text.contains("valor\":\"clave\""), "{shown}");
        }
        let key = client.get(&path("A360_API_KEY")).await.expect(200);
        assert_eq!(key["valor"], "••••••");
        client.put(&path("A360_API_KEY"), json!({ "valor": "••••••" })).await.expect(200);
        farm.runner(1, None).await;
        farm.online(20, 1, None).await;
        farm.reserve(20, 1).await;
        farm.settle().await;
        assert_eq!(farm.running().await.len(), 1, "the mask did not replace the key");
        farm.close().await;
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
    on_both(async |place| {
        let farm = Farm::open(place).await;
        farm.robot(10, json!({ "prioridad_balanceo": 7 })).await;
        let good = "id,robot,prioridad_balanceo\r\n10,R10,8\r\n11,Nuevo,9\r\n";
        let (status, told) = send(&farm, "robots", good).await;
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
            let (status, told) = send(&farm, "robots", bad).await;
            assert_eq!(
                (status, told["code"].as_str()),
                (422, Some("PLANILLA_CON_ERRORES")),
                "{bad}"
            );
            let path = told["errors"][0]["path"].as_str().unwrap();
            assert!(path.starts_with("línea "), "{told}");
        }
        assert_eq!(farm.client.get("/api/sam/planillas/robots").await.text, before);
        let (status, told) = send(&farm, "robots", &before).await;
        assert_eq!((status, &told["creados"]), (200, &json!(0)), "what goes out comes back in");
        farm.runner(1, None).await;
        farm.schedule(10, &[1], json!({})).await;
        let sheet = farm.client.get("/api/sam/planillas/programaciones").await.text;
        let (status, told) = send(&farm, "programaciones", &sheet).await;
        assert_eq!(status, 200, "{told}");
        assert_eq!(send(&farm, "otra", "").await.0, 404);
        farm.close().await;
    })
    .await;
}

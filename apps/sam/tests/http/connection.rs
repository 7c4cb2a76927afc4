//! The connection with the Control Room under many runs at once, and bots that somebody else starts.

use std::time::Instant;

use controlroom::{Client, Config, Deployment, Secret, Target};
use serde_json::{Value as Json, json};

use crate::farm::{Farm, on_farm, online, robot, runner};

const MANY: i64 = 40;

async fn crowd(farm: &Farm) {
    for id in 1..=MANY {
        farm.make("equipos", runner(id)).await;
        farm.make("robots", online(100 + id)).await;
        farm.make("asignaciones", json!({ "robot_id": 100 + id, "equipo_id": id })).await;
    }
}

async fn asked(farm: &Farm, door: &str) -> u64 {
    let state: Json = farm.room.get("/sim/state").await.expect(200);
    state["requests"][door].as_u64().unwrap_or(0)
}

/// Forty runs are claimed; the Control Room says that it is too much. No more are posted than were on
/// their way when it said so, and it was signed in to once.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_circuit_holds_runs_already_claimed() {
    on_farm(async |farm| {
        farm.set("LANZADOR_PAUSA_FIN", "23:00").await;
        crowd(farm).await;
        let limit = json!({ "deploy": { "status": 429, "retry_after": 600 } });
        farm.room.put("/sim/faults", limit).await.expect(200);
        farm.set("LANZADOR_PAUSA_FIN", "00:00").await;
        farm.settle().await;
        let posted = asked(farm, "deploy").await;
        assert!((1..=10).contains(&posted), "{posted} posts into a limit");
        assert_eq!(asked(farm, "authentication").await, 1);
        assert!(farm.live().await.is_empty(), "what was claimed is taken back");
        farm.room.put("/sim/faults", json!({})).await.expect(200);
        farm.client.advance(700).await;
        assert_eq!(farm.live().await.len(), MANY as usize);
    })
    .await;
}

/// Somebody starts a bot on runner 2 by hand, past this house.
async fn by_hand(farm: &Farm) -> String {
    let config = Config::new(farm.room.base(), "ana", Secret::ApiKey("suya".to_owned()));
    let other = Client::new(config).unwrap();
    let on = Target::Unattended { user: 2 };
    let tag = "a mano".to_owned();
    let order = Deployment { bot_id: 77, on, tag, input: None, callback: None };
    other.deploy(&order).await.unwrap()
}

async fn firing(farm: &Farm) -> Vec<Json> {
    let all: Json = farm.client.get("/api/alerts").await.expect(200);
    let all = all["items"].as_array().unwrap().clone();
    let firing = all.into_iter().filter(|one| one["firing"] == true);
    firing.map(|one| one["fingerprint"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_is_not_ours_is_told_of() {
    on_farm(async |farm| {
        farm.started().await;
        farm.make("equipos", runner(2)).await;
        let id = by_hand(farm).await;
        farm.client.advance(300).await;
        assert_eq!(firing(farm).await, ["sam/ajeno/2"]);
        let over = json!({ "status": "RUN_COMPLETED" });
        farm.room.post(&format!("/sim/deployments/{id}"), over).await.expect(200);
        farm.client.advance(300).await;
        assert!(firing(farm).await.is_empty());
    })
    .await;
}

/// Nothing of ours runs: whose bot it is on our runner is asked all the same, less often.
#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_is_not_ours_is_told_of_in_an_idle_house() {
    on_farm(async |farm| {
        farm.make("equipos", runner(2)).await;
        farm.settle().await;
        by_hand(farm).await;
        farm.client.advance(1_500).await;
        assert_eq!(firing(farm).await, ["sam/ajeno/2"]);
    })
    .await;
}

/// A runner whose licence is for a person's session is asked for in that way.
#[tokio::test(flavor = "multi_thread")]
async fn an_attended_runner_is_deployed_to_as_one() {
    on_farm(async |farm| {
        let user = json!({ "id": 7, "license_features": ["ATTENDEDRUNTIME"], "device_id": 7 });
        farm.room.post("/sim/users", user).await;
        let mut attended = runner(7);
        attended["licencia"] = json!("ATTENDEDRUNTIME");
        farm.make("equipos", attended).await;
        farm.make("robots", robot(10)).await;
        let now = json!({ "equipo_id": 7, "motivo": "prueba" });
        farm.client.post("/api/sam/robots/10/ejecutar", now).await.expect(201);
        farm.settle().await;
        let live = farm.live().await;
        assert_eq!(live[0]["estado"], "DEPLOYED", "{live:?}");
    })
    .await;
}

/// What is asked for and nobody knows is refused, not passed over.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_query_parameters_are_refused() {
    on_farm(async |farm| {
        for path in [
            "/api/sam/robots",
            "/api/sam/equipos",
            "/api/sam/pools",
            "/api/sam/programaciones",
            "/api/sam/programaciones/perdidos",
            "/api/sam/programaciones/solapamientos",
            "/api/sam/ejecuciones",
            "/api/sam/asignaciones",
            "/api/sam/balanceos",
            "/api/sam/mapeos",
            "/api/sam/suspensiones",
        ] {
            farm.client.get(path).await.expect(200);
            let answer = farm.client.get(&format!("{path}?estdo=RUNNING")).await;
            assert_eq!(answer.status, 400, "{path}: {}", answer.text);
        }
    })
    .await;
}

/// Many schedules at once: taken whole, quickly, and others write meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_schedules_are_taken_and_others_do_not_wait() {
    on_farm(async |farm| {
        for id in 1..=20 {
            farm.make("equipos", runner(id)).await;
            farm.make("robots", robot(100 + id)).await;
        }
        let mut sheet =
            "robot_id,tipo_programacion,hora_inicio,tolerancia,dias_semana,equipos\r\n".to_owned();
        let days = ["Lu", "Ma", "Mi", "Ju", "Vi"];
        for n in 0..500_usize {
            let (id, turn) = (n % 20 + 1, n / 20);
            let (hour, day) = (6 + turn / 5, days[turn % 5]);
            let line = format!("{},Semanal,{hour:02}:00,30,{day},{id}\r\n", 100 + id);
            sheet.push_str(&line);
        }
        let began = Instant::now();
        let import = farm
            .client
            .request(reqwest::Method::POST, "/api/sam/planillas/programaciones")
            .header("content-type", "text/csv")
            .body(sheet.clone());
        let import = tokio::spawn(async move { import.send().await.unwrap() });
        let mut slowest = std::time::Duration::ZERO;
        while !import.is_finished() {
            let write = Instant::now();
            farm.client.put("/api/sam/robots/101", json!({ "descripcion": "x" })).await;
            slowest = slowest.max(write.elapsed());
        }
        let answer = import.await.unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        println!("500 schedules in {:?}, others wrote in {slowest:?} at most", began.elapsed());
        let told: Json = answer.json().await.unwrap();
        assert_eq!(told, json!({ "creados": 500, "cambiados": 0 }));
        // The same again meets itself, at its first line, and changes nothing.
        let again = farm
            .client
            .request(reqwest::Method::POST, "/api/sam/planillas/programaciones")
            .header("content-type", "text/csv")
            .body(sheet);
        let again = again.send().await.unwrap();
        assert_eq!(again.status().as_u16(), 422);
        let page = farm.client.request(reqwest::Method::GET, "/sam/programaciones");
        let page = page.header("accept", "text/html").header("cookie", "lang=es");
        let page = page.send().await.unwrap().text().await.unwrap();
        assert!(page.contains("1–200 de 500"), "the count stands on the page");
        assert!(page.contains("pagina=2"));
    })
    .await;
}

/// Whoever connects a Control Room sees what it has without waiting for the next hour, and so does
/// whoever mends how it is reached. Until then the pages say why they are empty.
#[tokio::test]
async fn a_control_room_that_was_just_connected_is_synced_at_once() {
    on_farm(async |farm| {
        let state = async || farm.client.get("/api/sam/sync").await.expect(200);
        let says = async |path: &str, text: &str| {
            let page = farm.client.get(path).await.text;
            assert!(page.contains(text), "{path}: {text}");
        };
        let right = farm.room.base().to_owned();
        says("/sam/robots", "está desactivada").await;
        farm.set("A360_URL", "").await;
        says("/sam/robots", "Falta conectar un Control Room").await;
        farm.set("LANZADOR_SYNC_HABILITAR", true).await;
        farm.settle().await;
        for address in ["rpa.example.com", "https://ana:clave@rpa.example.com"] {
            for key in ["A360_URL", "APIGW_URL"] {
                let path = format!("/api/sam/configuracion/{key}");
                farm.client.put(&path, json!({ "valor": address })).await.expect(400);
            }
        }
        farm.set("A360_URL", "http://127.0.0.1:1").await;
        farm.set("A360_API_KEY", "clave").await;
        farm.settle().await;
        assert!(state().await["error"].is_string() && state().await["ultima"].is_null());
        says("/sam/equipos", "Control Room falló: no se llega al Control Room").await;
        farm.set("A360_URL", right).await;
        farm.set("A360_API_KEY", "clave").await;
        farm.settle().await;
        assert!(state().await["error"].is_null() && state().await["ultima"].is_string());
        says("/sam/robots", "P9999_Prueba_Loop").await;
        says("/sam/equipos", "El Control Room contestó y no tiene ninguno").await;
    })
    .await;
}

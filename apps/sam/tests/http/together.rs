//! Two servers on one database: a callback that one of them hears wakes the launcher of the other.

use std::time::{Duration, Instant};

use controlroom::sim::{self, Simulator};
use host::Clock;
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use testkit::{Client, LocalServer, Setup};

use crate::farm::{online, runner};

/// By itself the launcher looks after thirty seconds: whatever is there sooner came by a hint.
const SOON: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_on_one_server_wakes_the_launcher_of_the_other() {
    testkit::on_wires(async |setup| {
        let options = sim::Options {
            devices: 0,
            bots: 0,
            duration: Duration::from_mins(10),
            ..sim::Options::default()
        };
        let room = Simulator::local(options).await.unwrap();
        // The clock of the one that hears callbacks stands still: it launches nothing.
        let ear = Setup { clock: Clock::manual(Timestamp::now()), ..setup.clone() };
        let ear = ear.prepare(sam::app()).await.start().await;
        let launcher = setup.clone().prepare(sam::app()).await.start().await;
        let client = &launcher.client;
        for (key, value) in [
            ("A360_URL", json!(room.url())),
            ("A360_USUARIO", json!("sam")),
            ("A360_API_KEY", json!("clave")),
            ("LANZADOR_SYNC_HABILITAR", json!(false)),
            ("LANZADOR_CICLO_INTERVALO_SEG", json!(3600)),
        ] {
            let body = json!({ "valor": value });
            client.put(&format!("/api/sam/configuracion/{key}"), body).await.expect(200);
        }
        client.post("/api/sam/equipos", runner(1)).await.expect(201);
        client.post("/api/sam/robots", online(20)).await.expect(201);
        let reserved = json!({ "robot_id": 20, "equipo_id": 1 });
        client.post("/api/sam/asignaciones", reserved).await.expect(201);
        let first = deployed(&launcher, "").await;
        let over = json!({ "deploymentId": first, "status": "RUN_COMPLETED" });
        let began = Instant::now();
        ear.client.post("/api/callback", over).await.expect(200);
        let next = deployed(&launcher, &first).await;
        println!("callback on one server, next run on the other after {:?}", began.elapsed());
        assert!(next != first && began.elapsed() < SOON, "{:?}", began.elapsed());
        ear.stop().await;
        launcher.stop().await;
    })
    .await;
}

/// The deployment of the run that is live, once it is another than `before`.
async fn deployed(server: &LocalServer, before: &str) -> String {
    let looks = async {
        let mut look = tokio::time::interval(Duration::from_millis(10));
        loop {
            look.tick().await;
            if let Some(found) = live(&server.client).await.filter(|found| found != before) {
                return found;
            }
        }
    };
    tokio::time::timeout(SOON, looks).await.expect("a run begins")
}

async fn live(client: &Client) -> Option<String> {
    let runs: Json = client.get("/api/sam/ejecuciones?activas=true").await.expect(200);
    Some(runs["items"][0]["deployment_id"].as_str()?.to_owned())
}

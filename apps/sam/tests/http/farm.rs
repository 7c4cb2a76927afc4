//! A farm of robots in this process, beside a Control Room that is simulated.

use std::time::Duration;

use controlroom::sim::{self, Simulator};
use host::Access;
use jiff::Timestamp;
use serde_json::{Value as Json, json};
pub(crate) use testkit::on_both;
use testkit::{Answer, Client, LocalServer, Setup, TestDb};

/// Monday, 2 March 2026, at eight.
pub(crate) fn morning() -> Timestamp {
    "2026-03-02T08:00:00Z".parse().unwrap()
}

/// Runs a case on both databases, on Monday at eight.
pub(crate) async fn on_farm(case: impl AsyncFn(&Farm)) {
    on_farm_with(Access::Open, case).await;
}

pub(crate) async fn on_farm_with(access: Access, case: impl AsyncFn(&Farm)) {
    on_both(async |db| {
        let farm = Farm::open(db, morning(), access).await;
        case(&farm).await;
        farm.close().await;
    })
    .await;
}

pub(crate) struct Farm {
    setup: Setup,
    pub(crate) server: LocalServer,
    pub(crate) client: Client,
    /// The entrances that only a simulated Control Room has.
    pub(crate) room: Client,
    _simulator: Simulator,
}

impl Farm {
    /// With a Control Room whose bots run for ten minutes.
    pub(crate) async fn open(db: &TestDb, at: Timestamp, access: Access) -> Self {
        let options = sim::Options {
            clock: sim::Clock::Manual(at),
            devices: 0,
            bots: 0,
            duration: Duration::from_mins(10),
            ..sim::Options::default()
        };
        let simulator = Simulator::local(options).await.unwrap();
        let setup = Setup { access, ..Setup::at(at, db) };
        let server = setup.clone().prepare(sam::app()).await.start().await;
        let (client, room) = (server.client.clone(), Client::anonymous(simulator.url()));
        let mut farm = Self { setup, server, client, room, _simulator: simulator };
        if access == Access::SignedIn {
            farm.client = farm.server.persona("jefa", host::EVERY_APP, "ADMIN").await;
        }
        {
            farm.set("LANZADOR_SYNC_HABILITAR", false).await;
            farm.set("A360_URL", farm.room.base()).await;
            farm.set("A360_USUARIO", "sam").await;
            farm.set("A360_API_KEY", "clave").await;
            farm.set("A360_TIMEOUT_SEG", 2).await;
            // Whatever starts here starts by a wake-up: the launcher's own looks come too seldom.
            farm.set("LANZADOR_CICLO_INTERVALO_SEG", 3600).await;
            // Bots begin when the Control Room's clock is moved, and most tests move only ours.
            farm.set("LANZADOR_INICIO_MAX_SEG", 86_400).await;
            farm.settle().await;
        }
        farm
    }

    /// Where its database is.
    pub(crate) fn url(&self) -> &str {
        &self.setup.url
    }

    /// Someone who presents nothing.
    pub(crate) fn nobody(&self) -> Client {
        Client::anonymous(self.client.base())
    }

    /// Whether an alert fires, if there ever was one.
    pub(crate) async fn alert(&self, fingerprint: &str) -> Option<bool> {
        let all = self.client.get("/api/alerts").await.expect(200);
        let mut all = all["items"].as_array().unwrap().iter();
        let found = all.find(|one| one["fingerprint"] == fingerprint)?;
        found["firing"].as_bool()
    }

    /// A number out of its database.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        let mut tx = self.server.context().store.read().await.unwrap();
        tx.one(sql, &[]).await.unwrap().get("n").unwrap()
    }

    pub(crate) async fn execute(&self, sql: &'static str) {
        let store = &self.server.context().store;
        let mut decision = store.decide(&db::Scope::new("test"), morning()).await.unwrap();
        decision.tx.execute(sql, &[]).await.unwrap();
        decision.commit().await.unwrap();
    }

    pub(crate) async fn persona(&self, role: &str) -> Client {
        self.server.persona(role, sam::NAME, role).await
    }

    /// Another process takes over.
    pub(crate) async fn restart(&mut self) {
        let next = self.setup.clone().prepare(sam::app()).await.start().await;
        self.client = next.client.clone();
        std::mem::replace(&mut self.server, next).stop().await;
    }

    pub(crate) async fn close(self) {
        self.server.stop().await;
    }

    pub(crate) async fn set(&self, key: &str, value: impl Into<Json>) {
        let body = json!({ "valor": value.into() });
        self.client.put(&format!("/api/sam/configuracion/{key}"), body).await.expect(200);
    }

    /// Moves the Control Room's clock: bots end, callbacks come. Then ours.
    pub(crate) async fn both_at(&self, instant: &str) {
        self.room.post("/sim/clock", json!({ "now": instant })).await.expect(200);
        self.client.at(instant).await;
    }

    /// Runs what is due now.
    pub(crate) async fn settle(&self) {
        self.client.advance(0).await;
    }

    /// Makes one of `what`; its number.
    pub(crate) async fn make(&self, what: &str, body: Json) -> i64 {
        let made = self.client.post(&format!("/api/sam/{what}"), body).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    /// Runner 1 is reserved for robot 20, whose run begins; its deployment.
    pub(crate) async fn started(&self) -> String {
        self.make("equipos", runner(1)).await;
        self.make("robots", online(20)).await;
        self.make("asignaciones", json!({ "robot_id": 20, "equipo_id": 1 })).await;
        self.settle().await;
        self.live().await[0]["deployment_id"].as_str().unwrap().to_owned()
    }

    /// Runs that occupy a runner.
    pub(crate) async fn live(&self) -> Vec<Json> {
        let runs = self.client.get("/api/sam/ejecuciones?activas=true").await.expect(200);
        runs["items"].as_array().unwrap().clone()
    }

    pub(crate) async fn callback(&self, deployment: &str, status: &str) -> Answer {
        let body = json!({ "deploymentId": deployment, "status": status });
        self.client.post("/api/callback", body).await
    }
}

/// A runner that may be balanced.
pub(crate) fn runner(id: i64) -> Json {
    json!({
        "id": id, "equipo": format!("VM-{id}"), "user_id": id, "user_name": format!("u{id}"),
        "licencia": "RUNTIME", "activo_sam": true, "permite_balanceo_dinamico": true,
    })
}

/// A robot that runs by schedule.
pub(crate) fn robot(id: i64) -> Json {
    json!({ "id": id, "robot": format!("R{id}") })
}

/// A robot that runs by tickets: ten for each runner, one to five runners.
pub(crate) fn online(id: i64) -> Json {
    json!({
        "id": id, "robot": format!("R{id}"), "es_online": true, "prioridad_balanceo": 1,
        "min_equipos": 1, "max_equipos": 5, "tickets_por_equipo_adicional": 10,
    })
}

/// Every day at nine.
pub(crate) fn schedule(robot: i64, runners: &[i64]) -> Json {
    json!({
        "robot_id": robot, "tipo_programacion": "Diaria", "hora_inicio": "09:00",
        "tolerancia": 30, "equipos": runners,
    })
}

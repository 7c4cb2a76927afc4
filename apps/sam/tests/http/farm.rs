//! A farm of robots in this process, beside a Control Room that is simulated.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use controlroom::sim::{self, Simulator};
use db::{Store, settings::Settings};
use host::{Access, AlertChannels, Clock, Context, Options, Running};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};
use testkit::Client;
use tokio::net::TcpListener;

/// Monday, 2 March 2026.
pub(crate) const DAY: &str = "2026-03-02";

pub(crate) fn morning() -> Timestamp {
    format!("{DAY}T08:00:00Z").parse().unwrap()
}

/// Where one test keeps its database.
pub(crate) struct Place {
    pub(crate) url: String,
    dir: PathBuf,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn directory() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sam-{}-{count}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Runs a case on `SQLite` and on `PostgreSQL`.
pub(crate) async fn on_both(case: impl AsyncFn(&Place)) {
    let dir = directory();
    let url = format!("sqlite://{}", dir.join("turno.db").display());
    case(&Place { url, dir }).await;
    if let Some(url) = testkit::fresh_database().await {
        case(&Place { url, dir: directory() }).await;
    }
}

pub(crate) struct Farm {
    running: Option<Running>,
    pub(crate) client: Client,
    /// The Control Room's control door.
    pub(crate) room: Client,
    _simulator: Simulator,
}

impl Farm {
    /// Monday at eight, with a Control Room whose bots run for ten minutes.
    pub(crate) async fn open(place: &Place) -> Self {
        Self::with(place, Access::Open).await
    }

    pub(crate) async fn with(place: &Place, access: Access) -> Self {
        let options = sim::Options {
            clock: sim::Clock::Manual(morning()),
            devices: 0,
            bots: 0,
            duration: Duration::from_mins(10),
            ..sim::Options::default()
        };
        let simulator = Simulator::local(options).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let context = context(place, access, url.clone()).await;
        let running = host::start(context, listener).await.unwrap();
        let farm = Self {
            running: Some(running),
            client: Client::anonymous(url),
            room: Client::anonymous(simulator.url()),
            _simulator: simulator,
        };
        if access == Access::Open {
            farm.set("A360_URL", farm.room.base()).await;
            farm.set("A360_USUARIO", "sam").await;
            farm.set("A360_API_KEY", "clave").await;
            farm.set("A360_TIMEOUT_SEG", 2).await;
            farm.set("LANZADOR_SYNC_HABILITAR", false).await;
            // Whatever starts here starts by a wake-up: the net is too wide to help.
            farm.set("LANZADOR_CICLO_INTERVALO_SEG", 3600).await;
            farm.settle().await;
        }
        farm
    }

    pub(crate) fn context(&self) -> &Context {
        self.running.as_ref().expect("open until dropped").context()
    }

    pub(crate) async fn close(mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }

    pub(crate) async fn set(&self, key: &str, value: impl Into<Json>) {
        let body = json!({ "valor": value.into() });
        self.client.put(&format!("/api/sam/configuracion/{key}"), body).await.expect(200);
    }

    /// Moves our clock to a time of the day, or to an instant.
    pub(crate) async fn at(&self, time: &str) {
        self.client.at(&instant(time)).await;
    }

    /// Moves the Control Room's clock: bots end, callbacks come. Then ours.
    pub(crate) async fn both_at(&self, time: &str) {
        self.room.post("/sim/clock", json!({ "now": instant(time) })).await.expect(200);
        self.at(time).await;
    }

    /// Runs what is due now.
    pub(crate) async fn settle(&self) {
        self.client.advance(0).await;
    }

    pub(crate) async fn pool(&self, name: &str) -> i64 {
        let made = self.client.post("/api/sam/pools", json!({ "nombre": name })).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    /// A runner that may be balanced.
    pub(crate) async fn runner(&self, id: i64, pool: Option<i64>) {
        self.runner_with(id, json!({ "pool_id": pool })).await;
    }

    pub(crate) async fn runner_with(&self, id: i64, more: Json) {
        let mut body = json!({
            "id": id, "equipo": format!("VM-{id}"), "user_id": id, "user_name": format!("u{id}"),
            "licencia": "RUNTIME", "activo_sam": true, "permite_balanceo_dinamico": true,
        });
        extend(&mut body, more);
        self.client.post("/api/sam/equipos", body).await.expect(201);
    }

    /// A robot that runs by schedule.
    pub(crate) async fn robot(&self, id: i64, more: Json) {
        let mut body = json!({ "id": id, "robot": format!("R{id}") });
        extend(&mut body, more);
        self.client.post("/api/sam/robots", body).await.expect(201);
    }

    /// A robot that runs by tickets: ten for each runner, one to five runners.
    pub(crate) async fn online(&self, id: i64, priority: i64, pool: Option<i64>) {
        let more = json!({
            "es_online": true, "prioridad_balanceo": priority, "min_equipos": 1, "max_equipos": 5,
            "tickets_por_equipo_adicional": 10, "pool_id": pool,
        });
        self.robot(id, more).await;
    }

    /// A schedule of a robot on runners; its id.
    pub(crate) async fn schedule(&self, robot: i64, runners: &[i64], more: Json) -> i64 {
        let mut body = json!({
            "robot_id": robot, "tipo_programacion": "Diaria", "hora_inicio": "09:00",
            "tolerancia": 30, "equipos": runners,
        });
        extend(&mut body, more);
        let made = self.client.post("/api/sam/programaciones", body).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    pub(crate) async fn reserve(&self, robot: i64, runner: i64) -> i64 {
        let body = json!({ "robot_id": robot, "equipo_id": runner });
        let made = self.client.post("/api/sam/asignaciones", body).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    pub(crate) async fn tickets(&self, robot: i64, pending: impl Into<Json>) {
        let body = json!({
            "proveedor": "cola", "robot": format!("R{robot}"), "pendientes": pending.into(),
        });
        let answer = self.client.put("/api/sam/tickets", body).await;
        assert_eq!(answer.status, 204, "{}", answer.text);
    }

    /// Runs, the newest first.
    pub(crate) async fn runs(&self, query: &str) -> Vec<Json> {
        let path = format!("/api/sam/ejecuciones?{query}");
        self.client.get(&path).await.expect(200)["items"].as_array().unwrap().clone()
    }

    /// The robots that occupy runners, as (robot, runner), in order.
    pub(crate) async fn running(&self) -> Vec<(i64, i64)> {
        let runs = self.runs("activas=true").await;
        let mut pairs: Vec<_> = runs.iter().map(pair).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Who holds what by balance, as (robot, runner), in order.
    pub(crate) async fn dynamic(&self) -> Vec<(i64, i64)> {
        let all = self.client.get("/api/sam/asignaciones").await.expect(200);
        let all = all["items"].as_array().unwrap();
        let dynamic =
            all.iter().filter(|one| one["es_programado"] == false && one["reservado"] == false);
        let mut pairs: Vec<_> = dynamic.map(pair).collect();
        pairs.sort_unstable();
        pairs
    }

    pub(crate) async fn held_by(&self, robot: i64) -> usize {
        self.dynamic().await.iter().filter(|(id, _)| *id == robot).count()
    }

    pub(crate) async fn faults(&self, faults: Json) {
        self.room.put("/sim/faults", faults).await.expect(200);
    }

    pub(crate) async fn deployments(&self) -> Vec<Json> {
        self.room.get("/sim/deployments").await.expect(200).as_array().unwrap().clone()
    }

    /// Changes the state of a run in the Control Room, which sends its callback when it is final.
    pub(crate) async fn becomes(&self, deployment: &str, status: &str) {
        let path = format!("/sim/deployments/{deployment}");
        self.room.post(&path, json!({ "status": status })).await.expect(200);
    }

    pub(crate) async fn callback(&self, deployment: &str, status: &str) -> testkit::Answer {
        let body = json!({ "deploymentId": deployment, "status": status });
        self.client.post("/api/callback", body).await
    }

    /// The codes of why something waits.
    pub(crate) async fn why(&self, subject: &str) -> Vec<String> {
        let why = self.client.get(&format!("/api/sam/why/{subject}")).await.expect(200);
        let reasons = why["reasons"].as_array().unwrap();
        reasons.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Alerts that fire, by fingerprint.
    pub(crate) async fn alerts(&self) -> Vec<String> {
        let all = self.client.get("/api/alerts").await.expect(200);
        let all = all["items"].as_array().unwrap();
        let firing = all.iter().filter(|one| one["firing"] == true);
        firing.map(|one| one["fingerprint"].as_str().unwrap().to_owned()).collect()
    }
}

fn pair(one: &Json) -> (i64, i64) {
    (one["robot_id"].as_i64().unwrap(), one["equipo_id"].as_i64().unwrap())
}

fn extend(body: &mut Json, more: Json) {
    if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
}

/// A time of the day of the test, or an instant as it is.
pub(crate) fn instant(time: &str) -> String {
    if time.contains('T') { time.to_owned() } else { format!("{DAY}T{time}Z") }
}

async fn context(place: &Place, access: Access, url: String) -> Context {
    let store = Store::open(&place.url).await.unwrap();
    let lines = [db::ENGINE, host::MIGRATIONS, sam::store::MIGRATIONS];
    store.migrate(&lines, morning()).await.unwrap();
    let settings = Settings::new(sam::SETTINGS.to_vec(), Vec::new()).unwrap();
    let options = Options {
        access,
        demo: false,
        version: "test",
        body_bytes: 1_000_000,
        vault: host::Vault::ephemeral(),
        sse_connections: 8,
        drain: Duration::from_secs(20),
        alerts: AlertChannels {
            throttle: SignedDuration::from_mins(30),
            ..AlertChannels::default()
        },
        data_dir: std::env::temp_dir(),
        listen: std::net::Ipv4Addr::LOCALHOST.into(),
        url,
    };
    let (apps, bus) = (vec![sam::app()], Arc::new(bus::LocalBus::new()));
    let clock = Clock::manual(morning());
    Context::new(store, settings, clock, TimeZone::UTC, apps, options, bus)
}

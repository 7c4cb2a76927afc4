//! An hour of load on all four applications while the process and its database are killed with `kill -9`,
//! the disk of its files is filled and its clock jumps by hours: only `make soak` selects it
//! (`.config/nextest.toml`), and `TURNO_SOAK_MINUTES` says how long. Whatever was acknowledged is done
//! once, and a table tells it.
//!
//! In the last third nothing is disturbed, so that memory is compared within one process, and everything
//! periodic has to go on, whatever the clock said before.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use controlroom::sim as room;
use db::{Store, Value};
use engine::Chance;
use jiff::Timestamp;
use reqwest::{
    Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::{Value as Json, json};
use snmp::sim as olts;
use testkit::{Client, Options, Turno};

use crate::{disk::Disk, docproc_crash::FLOW};

/// What is not done by then, once nothing disturbs any more, is lost.
const TEST_TIMEOUT: Duration = Duration::from_mins(5);
const OLTS: usize = 10;
const RUNNERS: i64 = 5;

/// One line of the table.
#[derive(Default)]
struct Tally {
    sent: usize,
    acknowledged: usize,
    done: usize,
    lost: usize,
    doubled: usize,
    worst: Duration,
}

/// A PostgreSQL of this test alone, which is killed and comes back with what it kept.
struct Postgres {
    at: PathBuf,
    url: String,
}

impl Postgres {
    fn start(at: PathBuf) -> Self {
        let url = Self::order(&at, "start").expect("a server of its own");
        Self { at, url }
    }

    fn order(at: &Path, what: &str) -> Option<String> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/test-postgres");
        let done = Command::new(script).arg(what).env("POSTGRES_AT", at).output().ok()?;
        let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        done.status.success().then_some(said)
    }

    fn kill_and_restart(&self) {
        let process = Self::order(&self.at, "pid").expect("it runs");
        let killed = Command::new("kill").args(["-KILL", &process]).status();
        assert!(killed.is_ok_and(|status| status.success()), "PostgreSQL was not killed");
        // The old one's children leave its memory one by one; until then a new one does not begin.
        let began = Instant::now();
        while Self::order(&self.at, "ensure").is_none() {
            assert!(began.elapsed() < TEST_TIMEOUT, "PostgreSQL does not come back");
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = Self::order(&self.at, "stop");
    }
}

/// The clock that the process sees: right, or wrong by so many seconds. The database, the Control Room and
/// the devices have the right one.
struct WallClock(PathBuf);

impl WallClock {
    /// Where `scripts/tools soak` puts it.
    fn library() -> String {
        let machine = std::env::consts::ARCH;
        format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1")
    }

    /// `None`, said aloud, where nothing can come between a process and its clock.
    fn install(at: PathBuf) -> Option<Self> {
        if !Path::new(&Self::library()).exists() {
            println!("skipped: no libfaketime, so that no clock jumps");
            return None;
        }
        let clock = Self(at);
        clock.set(0);
        Some(clock)
    }

    fn set(&self, wrong_by: i64) {
        let beside = self.0.with_extension("new");
        std::fs::write(&beside, format!("{wrong_by:+}")).unwrap();
        std::fs::rename(beside, &self.0).unwrap();
    }

    fn environment(&self) -> Vec<(String, String)> {
        let variables = [
            ("LD_PRELOAD", Self::library()),
            ("FAKETIME_TIMESTAMP_FILE", self.0.display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_hour_of_load_on_all_four_loses_and_doubles_nothing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let minutes = number("TURNO_SOAK_MINUTES").unwrap_or(60);
    let seed = number("TURNO_SEED").unwrap_or_else(rand::random);
    println!("TURNO_SEED={seed} disturbs in the same order again");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hour-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("workflows")).unwrap();
    std::fs::write(dir.join("workflows/unattended.yaml"), FLOW).unwrap();
    let postgres = Postgres::start(dir.join("postgres"));
    // What was read stays on it, a megabyte and a half each minute.
    let disk = Disk::mount(&dir.join("files"), &format!("{}m", 64 + 4 * minutes));
    let clock = WallClock::install(dir.join("clock"));
    let mut server = Turno::start(options(&dir, &postgres.url, clock.as_ref())).await;
    let world = World::around(&server.client()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let client = server.client();
    let orders = tokio::spawn(take_orders(client.clone(), stop.clone()));
    let cook = tokio::spawn(cook(client.clone()));
    let documents = tokio::spawn(send_documents(client.clone(), stop.clone()));
    let whole = Duration::from_secs(minutes * 60);
    let outside = Outside { postgres: &postgres, disk: disk.as_ref(), clock: clock.as_ref() };
    let disturbed = disturb(&mut server, &outside, whole * 2 / 3, seed).await;
    let store = Store::open(&postgres.url).await.unwrap();
    let calm = Calm::from_now(&store).await;
    let before = memory(&server);
    tokio::time::sleep(whole / 3).await;
    let after = memory(&server);
    stop.store(true, Ordering::SeqCst);
    let (orders, documents) = (orders.await.unwrap(), documents.await.unwrap());
    let table = [
        ("pedidos", delivered(&store, orders).await),
        ("docproc", completed(&store, documents).await),
        ("sam", world.runs(&client, &store, &calm).await),
        ("coordinador", polls(&store, &calm).await),
    ];
    cook.abort();
    report(&table, &disturbed, [before, after]);
    for (app, tally) in &table {
        assert_eq!((tally.lost, tally.doubled), (0, 0), "{app}");
        assert!(tally.done > 0, "{app} did nothing");
    }
    assert!(server.terminate().await, "{}", server.logs());
    drop((postgres, disk));
    let _ = std::fs::remove_dir_all(dir);
}

fn options(dir: &Path, url: &str, clock: Option<&WallClock>) -> Options {
    let path = |part: &str| dir.join(part).display().to_string();
    let set = |name: &str, value: String| (name.to_owned(), value);
    let mut environment = vec![
        set("DOCPROC_WORKFLOWS_DIR", path("workflows")),
        set("DOCPROC_STORAGE_PATH", path("files")),
        set("TURNO_LIMITS_DISK_RESERVE_MB", "8".to_owned()),
    ];
    environment.extend(clock.map(WallClock::environment).unwrap_or_default());
    Options { database_url: Some(url.to_owned()), environment, ..Options::default() }
}

/// Systems outside, and what the house knows of them.
struct World {
    room: room::Simulator,
    _olts: olts::Simulator,
}

impl World {
    async fn around(client: &Client) -> Self {
        let options = room::Options {
            devices: 0,
            bots: 0,
            duration: Duration::from_secs(3),
            ..room::Options::default()
        };
        let room = room::Simulator::local(options).await.expect("a free port");
        for (key, value) in [
            ("A360_URL", json!(room.url())),
            ("A360_USUARIO", json!("sam")),
            ("A360_API_KEY", json!("clave")),
            ("LANZADOR_SYNC_HABILITAR", json!(false)),
            ("LANZADOR_CONCILIACION_INTERVALO_SEG", json!(10)),
        ] {
            let path = format!("/api/sam/configuracion/{key}");
            client.put(&path, json!({ "valor": value })).await.expect(200);
        }
        let robot = json!({ "id": 9000, "robot": "Uno", "es_online": true, "max_equipos": -1 });
        client.post("/api/sam/robots", robot).await.expect(201);
        for id in 1..=RUNNERS {
            let runner = json!({ "id": id, "equipo": format!("VM-{id}"), "user_id": id,
                                 "licencia": "RUNTIME", "activo_sam": true });
            client.post("/api/sam/equipos", runner).await.expect(201);
            let pair = json!({ "robot_id": 9000, "equipo_id": id });
            client.post("/api/sam/asignaciones", pair).await.expect(201);
        }
        let limits = json!({ "max_executions_per_minute": 600, "max_short_per_minute": 600,
                             "max_descubrimiento": 500, "max_total": 500 });
        client.put("/api/coordinador/limites", limits).await.expect(200);
        let devices = olts::Options { count: OLTS, onus: 20, ..olts::Options::default() };
        let devices = olts::Simulator::start(devices).await.expect("free ports");
        for (number, address) in devices.addresses().iter().enumerate() {
            let olt = json!({ "abreviatura": format!("OLT-{number}"), "marca": "Huawei",
                "comunidad": "public", "ip_address": address.ip().to_string(),
                "puerto": address.port() });
            let olt = client.post("/api/coordinador/olts", olt).await.expect(201);
            let node = json!({ "olt_id": olt["id"], "nombre": "descubrir",
                "job_type": "descubrimiento", "oid": "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15",
                "interval_seconds": 15, "next_run_at": Timestamp::now() });
            client.post("/api/coordinador/nodos", node).await.expect(201);
        }
        Self { room, _olts: devices }
    }

    /// Robots begin nothing more; whatever was deployed is a run that ended, once.
    async fn runs(&self, client: &Client, store: &Store, calm: &Calm) -> Tally {
        client.put("/api/sam/robots/9000", json!({ "activo": false })).await.expect(200);
        until(async || count(store, "SELECT COUNT(*) AS n FROM runs WHERE live").await == 0).await;
        let room = Client::anonymous(self.room.url());
        let sent = room.get("/sim/deployments").await.expect(200);
        let sent = sent.as_array().expect("a list");
        let tags: HashSet<_> = sent.iter().map(|one| one["automationName"].as_str()).collect();
        let deployed = "SELECT COUNT(*) AS n FROM runs WHERE deployment_id IS NOT NULL";
        let took = "SELECT claimed_at AS a, finished_at AS b FROM runs WHERE id > $1";
        let live = count(store, "SELECT COUNT(*) AS n FROM runs WHERE live").await;
        let acknowledged = count(store, deployed).await;
        Tally {
            sent: sent.len(),
            acknowledged,
            done: acknowledged - live,
            lost: live,
            doubled: sent.len() - tags.len(),
            worst: longest(store, took, &[calm.runs.into()]).await,
        }
    }
}

/// The last that was begun before nothing disturbed any more. Times of rows before it were told by a clock
/// that jumped.
struct Calm {
    runs: i64,
    node_runs: i64,
}

impl Calm {
    async fn from_now(store: &Store) -> Self {
        let runs = count(store, "SELECT COALESCE(MAX(id), 0) AS n FROM runs").await;
        let node_runs = count(store, "SELECT COALESCE(MAX(id), 0) AS n FROM node_runs").await;
        Self { runs: runs as i64, node_runs: node_runs as i64 }
    }
}

/// What is disturbed besides the process.
struct Outside<'a> {
    postgres: &'a Postgres,
    disk: Option<&'a Disk>,
    clock: Option<&'a WallClock>,
}

/// Kills, fills and sets clocks for so long; how often each. A clock stays wrong while others are killed,
/// until it is set again.
async fn disturb(
    server: &mut Turno,
    outside: &Outside<'_>,
    long: Duration,
    seed: u64,
) -> BTreeMap<&'static str, usize> {
    let (began, mut chance) = (Instant::now(), Chance::new(seed));
    let mut times = BTreeMap::new();
    while began.elapsed() < long {
        tokio::time::sleep(Duration::from_millis(3_000 + chance.below(12_000) as u64)).await;
        let what = *chance.pick(&["process", "process", "postgres", "disk", "clock"]);
        match what {
            "process" => {
                server.kill().await;
                server.restart().await;
            }
            "postgres" => tokio::task::block_in_place(|| outside.postgres.kill_and_restart()),
            "disk" => {
                let Some(disk) = outside.disk else { continue };
                let junk = disk.fill();
                tokio::time::sleep(Duration::from_secs(5)).await;
                std::fs::remove_file(junk).unwrap();
            }
            _ => {
                let Some(clock) = outside.clock else { continue };
                clock.set(*chance.pick(&[0, -7_200, -300, 300, 7_200]));
            }
        }
        *times.entry(what).or_default() += 1;
    }
    if let Some(clock) = outside.clock {
        clock.set(0);
    }
    times
}

/// Resident memory of the process, in MB.
fn memory(server: &Turno) -> usize {
    let process = server.process().expect("it runs");
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") / 1024
}

/// What a client knows of what it sent: the id it was told, and how long that took.
type Told<T> = HashMap<String, (T, Duration)>;

/// Asks until somebody says yes.
async fn insist(request: impl Fn() -> RequestBuilder) -> (Json, Duration) {
    let began = Instant::now();
    loop {
        let sent = request().timeout(Duration::from_secs(15)).send().await;
        if let Ok(answer) = sent
            && answer.status().is_success()
            && let Ok(said) = answer.json().await
        {
            return (said, began.elapsed());
        }
        assert!(began.elapsed() < TEST_TIMEOUT, "nobody says yes");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn take_orders(client: Client, stop: Arc<AtomicBool>) -> Told<i64> {
    let line = json!({ "nombre": "Pizza", "peso": 2, "cantidad": 1, "precio": 10 });
    let body = json!({ "articulos": [line], "modalidad": "RETIRO", "medio_pago": "EFECTIVO",
                       "estado_pago": "PAGADO" });
    let mut told = Told::new();
    while !stop.load(Ordering::SeqCst) {
        let key = format!("o{}", told.len());
        let order = || {
            let request = client.request(Method::POST, "/pedidos");
            request.header("Idempotency-Key", &key).json(&body)
        };
        let (said, took) = insist(order).await;
        told.insert(key, (said["id"].as_i64().expect("a number"), took));
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    told
}

/// Whatever cooks is ready, and whatever is ready is handed over.
async fn cook(client: Client) {
    let mut poll = tokio::time::interval(Duration::from_millis(200));
    loop {
        poll.tick().await;
        for (from, to) in [("EN_PREPARACION", "LISTO"), ("LISTO", "ENTREGADO")] {
            let path = format!("/pedidos?estado={from}");
            let Ok(answer) = client.request(Method::GET, &path).send().await else { continue };
            let Ok(orders) = answer.json::<Vec<Json>>().await else { continue };
            for order in orders {
                let path = format!("/pedidos/{}/estado", order["id"]);
                let request = client.request(Method::PUT, &path).json(&json!({ "estado": to }));
                let _ = request.send().await;
            }
        }
    }
}

async fn send_documents(client: Client, stop: Arc<AtomicBool>) -> Told<String> {
    let mut told = Told::new();
    while !stop.load(Ordering::SeqCst) {
        let key = format!("d{}", told.len());
        let invoice = format!("FACTURA\nFactura n.º: F-{key}\nFecha: 12/03/2024\nTotal: 121,00 €");
        // Every third is too large for a row and lies on the disk that is filled.
        let more = if told.len() % 3 == 0 {
            "\nNada que nadie conozca.".repeat(3_500)
        } else {
            String::new()
        };
        let text = format!("{invoice}{more}\u{c}{invoice}");
        let request = || {
            let part = Part::text(text.clone()).file_name("a.txt");
            let form = Form::new().part("file", part).text("workflow", "unattended");
            client.request(Method::POST, "/process").header("Idempotency-Key", &key).multipart(form)
        };
        let (said, took) = insist(request).await;
        told.insert(key, (said["request_id"].as_str().expect("an id").to_owned(), took));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    told
}

/// Waits as long as anything may still become so.
async fn until(mut there: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !there().await && began.elapsed() < TEST_TIMEOUT {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn count(store: &Store, sql: &'static str) -> usize {
    count_of(store, sql, &[]).await
}

async fn count_of(store: &Store, sql: &'static str, args: &[Value]) -> usize {
    let mut tx = store.read().await.expect("the database answers");
    tx.one(sql, args).await.expect("a count").get::<i64>("n").expect("a number") as usize
}

/// The longest time between two instants of a row of the calm.
async fn longest(store: &Store, sql: &'static str, calm: &[Value]) -> Duration {
    let mut tx = store.read().await.expect("the database answers");
    let rows = tx.all(sql, calm).await.expect("rows");
    let between = |row: &db::Row| {
        let [a, b] = ["a", "b"].map(|name| row.maybe::<Timestamp>(name).expect("an instant"));
        Duration::try_from(b?.duration_since(a?)).ok()
    };
    rows.iter().filter_map(between).max().unwrap_or_default()
}

async fn settled<T: std::hash::Hash + Eq>(
    store: &Store,
    told: Told<T>,
    [all, done]: [&'static str; 2],
) -> Tally {
    until(async || count(store, done).await >= told.len()).await;
    let done = count(store, done).await;
    let ids: HashSet<_> = told.values().map(|(id, _)| id).collect();
    Tally {
        sent: told.len(),
        acknowledged: ids.len(),
        done,
        lost: told.len().saturating_sub(done),
        doubled: count(store, all).await.saturating_sub(told.len()) + told.len() - ids.len(),
        worst: told.values().map(|(_, took)| *took).max().unwrap_or_default(),
    }
}

async fn delivered(store: &Store, told: Told<i64>) -> Tally {
    let done = "SELECT COUNT(*) AS n FROM orders WHERE state = 'ENTREGADO'";
    settled(store, told, ["SELECT COUNT(*) AS n FROM orders", done]).await
}

async fn completed(store: &Store, told: Told<String>) -> Tally {
    let done = "SELECT COUNT(*) AS n FROM requests WHERE status = 'completed'";
    settled(store, told, ["SELECT COUNT(*) AS n FROM requests", done]).await
}

/// Each run that began ended, no node had two at once, and each ran well once more in the calm. One whose
/// process died is LOST to it, and the node runs again: that is told and is no loss.
async fn polls(store: &Store, calm: &Calm) -> Tally {
    let stuck = "SELECT COUNT(*) AS n FROM node_runs WHERE finished_at IS NULL";
    let begun = "SELECT COUNT(*) AS n FROM node_runs WHERE started_at IS NOT NULL";
    let twice = "SELECT COUNT(*) AS n FROM node_runs one JOIN node_runs other
        ON one.node_id = other.node_id AND one.id < other.id
        WHERE other.started_at < one.finished_at AND one.id > $1";
    let good = "SELECT COUNT(*) AS n FROM node_runs WHERE state = 'SUCCESS'";
    let silent = "SELECT COUNT(*) AS n FROM nodes WHERE NOT EXISTS (SELECT 1 FROM node_runs
        WHERE node_id = nodes.id AND state = 'SUCCESS' AND node_runs.id > $1)";
    let late = "SELECT planned_at AS a, started_at AS b FROM node_runs WHERE id > $1";
    until(async || count(store, stuck).await == 0).await;
    let calm = [calm.node_runs.into()];
    Tally {
        sent: count(store, "SELECT COUNT(*) AS n FROM node_runs").await,
        acknowledged: count(store, begun).await,
        done: count(store, good).await,
        lost: count(store, stuck).await + count_of(store, silent, &calm).await,
        doubled: count_of(store, twice, &calm).await,
        worst: longest(store, late, &calm).await,
    }
}

fn report(table: &[(&str, Tally)], disturbed: &BTreeMap<&str, usize>, [before, after]: [usize; 2]) {
    println!("disturbed: {disturbed:?}");
    println!(
        "{:<12}{:>8}{:>14}{:>8}{:>6}{:>9}  worst latency",
        "", "sent", "acknowledged", "done", "lost", "doubled"
    );
    for (app, Tally { sent, acknowledged, done, lost, doubled, worst }) in table {
        println!("{app:<12}{sent:>8}{acknowledged:>14}{done:>8}{lost:>6}{doubled:>9}  {worst:.1?}");
    }
    println!(
        "memory of the process at the start and end of the last third: {before} MB, {after} MB"
    );
}

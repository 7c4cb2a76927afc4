//! A network of OLTs in this process.

use host::{Access, Context};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
pub(crate) use testkit::on_both;
use testkit::{Client, LocalServer, Setup, TestDb};

/// Monday, 2 March 2026.
pub(crate) const DAY: &str = "2026-03-02";
pub(crate) const DISCOVERY: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.1";
pub(crate) const DESCRIPTION: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.43.1.9";

/// A time of the day of the test, or an instant as it is.
pub(crate) fn instant(time: &str) -> String {
    if time.contains('T') { time.to_owned() } else { format!("{DAY}T{time}Z") }
}

fn parsed(time: &str) -> Timestamp {
    instant(time).parse().unwrap()
}

/// Runs a case on both databases, from a time of the day on.
pub(crate) async fn from(time: &str, case: impl AsyncFn(&Network)) {
    on_both(async |db| {
        let network = Network::open(db, time).await;
        case(&network).await;
        network.close().await;
    })
    .await;
}

/// Runs a case on both databases, from ten on and in test mode: every run takes twenty seconds and
/// ends well.
pub(crate) async fn rehearsing(case: impl AsyncFn(&Network)) {
    from("10:00:00", async |network| {
        network.lasting(20.0).await;
        case(network).await;
    })
    .await;
}

pub(crate) struct Network {
    server: LocalServer,
    pub(crate) client: Client,
}

impl Network {
    pub(crate) async fn open(db: &TestDb, time: &str) -> Self {
        Self::with(db, time, Access::Open).await
    }

    pub(crate) async fn with(db: &TestDb, time: &str, access: Access) -> Self {
        let setup = Setup { access, ..Setup::at(parsed(time), db) };
        let server = setup.prepare(coordinador::app()).await.start().await;
        Self { client: server.client.clone(), server }
    }

    pub(crate) fn context(&self) -> &Context {
        self.server.context()
    }

    pub(crate) async fn persona(&self, role: &str) -> Client {
        self.server.persona(role, coordinador::NAME, role).await
    }

    pub(crate) async fn close(self) {
        self.server.stop().await;
    }

    pub(crate) async fn lasting(&self, seconds: f64) {
        let body = json!({ "activo": true, "duracion_segundos": seconds, "exito_pct": 100 });
        self.client.put("/api/coordinador/modo-prueba", body).await.expect(200);
    }

    pub(crate) async fn set(&self, key: &str, value: impl Into<Json>) {
        let path = format!("/api/settings/coordinador/{key}");
        self.client.put(&path, json!({ "valor": value.into() })).await.expect(200);
    }

    pub(crate) async fn limits(&self, limits: Json) {
        self.client.put("/api/coordinador/limites", limits).await.expect(200);
    }

    pub(crate) async fn at(&self, time: &str) {
        self.client.at(&instant(time)).await;
    }

    /// Runs what is due now.
    pub(crate) async fn settle(&self) {
        self.client.advance(0).await;
    }

    pub(crate) async fn olt(&self, number: usize) -> i64 {
        self.olt_at(number, 161).await
    }

    pub(crate) async fn olt_at(&self, number: usize, port: u16) -> i64 {
        let body = json!({
            "abreviatura": format!("OLT-{number}"), "marca": "Huawei", "modelo": "MA5800",
            "ip_address": "127.0.0.1", "puerto": port, "version": "2c", "comunidad": "public",
            "habilitar_olt": true,
        });
        let made = self.client.post("/api/coordinador/olts", body).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    /// A get of every quarter of an hour, unless it says otherwise.
    pub(crate) async fn node(&self, olt: i64, name: &str, next: &str, more: Json) -> i64 {
        let mut body = json!({
            "olt_id": olt, "nombre": name, "job_type": "get", "oid": DESCRIPTION,
            "espacio": "descripcion", "interval_seconds": 900, "priority": 3, "enabled": true,
        });
        if !next.is_empty() {
            body["next_run_at"] = instant(next).into();
        }
        extend(&mut body, more);
        let made = self.client.post("/api/coordinador/nodos", body).await.expect(201);
        made["id"].as_i64().unwrap()
    }

    pub(crate) async fn discovery(&self, olt: i64, next: &str) -> i64 {
        let more = json!({ "job_type": "descubrimiento", "oid": DISCOVERY, "espacio": null });
        self.node(olt, "descubrir", next, more).await
    }

    /// Masters on OLTs of their own, all planned at one time.
    pub(crate) async fn crowd(&self, count: usize, next: &str, more: Json) -> Vec<i64> {
        let mut nodes = Vec::new();
        for number in 0..count {
            let olt = self.olt(1_000 + number).await;
            nodes.push(self.node(olt, "nodo", next, more.clone()).await);
        }
        nodes
    }

    pub(crate) async fn run_now(&self, node: i64) -> i64 {
        let path = format!("/api/coordinador/nodos/{node}/ejecutar");
        self.client.post(&path, json!({})).await.expect(202)["id"].as_i64().unwrap()
    }

    /// Runs, the oldest first.
    pub(crate) async fn runs(&self, query: &str) -> Vec<Json> {
        let path = format!("/api/coordinador/ejecuciones?limit=1000&{query}");
        let page = self.client.get(&path).await.expect(200);
        let mut items = page["items"].as_array().unwrap().clone();
        items.reverse();
        items
    }

    /// Time of the day at which runs of a node started.
    pub(crate) async fn starts(&self, node: i64) -> Vec<String> {
        let runs = self.runs(&format!("nodo_id={node}")).await;
        runs.iter().filter_map(|run| run["started_at"].as_str()).map(clock).collect()
    }

    pub(crate) async fn running(&self) -> Vec<i64> {
        let runs = self.runs("status=RUNNING").await;
        let mut nodes: Vec<_> = runs.iter().map(|run| run["nodo_id"].as_i64().unwrap()).collect();
        nodes.sort_unstable();
        nodes
    }

    pub(crate) async fn next_run(&self, node: i64) -> Option<String> {
        let node = self.client.get(&format!("/api/coordinador/nodos/{node}")).await.expect(200);
        node["next_run_at"].as_str().map(clock)
    }

    /// The codes of why a node waits.
    pub(crate) async fn why(&self, node: i64) -> Vec<String> {
        let path = format!("/api/coordinador/nodos/{node}/why");
        let why = self.client.get(&path).await.expect(200);
        let reasons = why["reasons"].as_array().unwrap();
        reasons.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Kinds and levels of what was decided about a node, the oldest first.
    pub(crate) async fn events(&self, query: &str) -> Vec<(String, String)> {
        let path = format!("/api/coordinador/eventos?limit=1000&{query}");
        let page = self.client.get(&path).await.expect(200);
        let text = |one: &Json, field: &str| one[field].as_str().unwrap().to_owned();
        let items = page["items"].as_array().unwrap();
        items.iter().rev().map(|one| (text(one, "tipo"), text(one, "nivel"))).collect()
    }

    /// How many are planned in each of the next minutes.
    pub(crate) async fn planned(&self, minutes: i64) -> Vec<usize> {
        let path = format!("/api/coordinador/plan?minutos={minutes}");
        let plan = self.client.get(&path).await.expect(200);
        let minutes = plan["minutos"].as_array().unwrap();
        minutes.iter().map(|minute| minute["nodos"].as_array().unwrap().len()).collect()
    }

    /// In no clock minute and in no sixty seconds more than this many started.
    pub(crate) async fn never_more_than(&self, most: usize) {
        let runs = self.runs("").await;
        let mut starts: Vec<Timestamp> = runs
            .iter()
            .filter_map(|run| run["started_at"].as_str())
            .map(|at| at.parse().unwrap())
            .collect();
        starts.sort_unstable();
        for (at, first) in starts.iter().enumerate() {
            let minute = first.as_second().div_euclid(60);
            let rest = &starts[at..];
            let sliding = rest.iter().filter(|one| one.duration_since(*first).as_secs() < 60);
            assert!(sliding.count() <= most, "from {first} on");
            let same = rest.iter().filter(|one| one.as_second().div_euclid(60) == minute);
            assert!(same.count() <= most, "in the minute of {first}");
        }
    }
}

/// `11:15:00` of an instant.
pub(crate) fn clock(at: &str) -> String {
    at[11..19].to_owned()
}

pub(crate) fn extend(body: &mut Json, more: Json) {
    if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
}

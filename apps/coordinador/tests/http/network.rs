//! A network of OLTs in this process.

use host::{Access, Clock, Context};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use testkit::{Client, LocalServer, Setup, TestDb, on_both};

pub(crate) const DISCOVERY: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15";
const DESCRIPTION: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.43.1.9";

/// Ten on Monday, 2 March 2026.
pub(crate) fn ten() -> Timestamp {
    "2026-03-02T10:00:00Z".parse().unwrap()
}

/// Runs a case on both databases, from ten on.
pub(crate) async fn from_ten(case: impl AsyncFn(&mut Network)) {
    on_both(async |db| {
        let mut network = Network::open(db, ten(), Access::Open).await;
        case(&mut network).await;
        network.close().await;
    })
    .await;
}

pub(crate) struct Network {
    setup: Setup,
    server: Option<LocalServer>,
    pub(crate) client: Client,
}

impl Network {
    pub(crate) async fn open(db: &TestDb, now: Timestamp, access: Access) -> Self {
        let setup = Setup { access, ..Setup::at(now, db) };
        let server = setup.clone().prepare(coordinador::app()).await.start().await;
        Self { setup, client: server.client.clone(), server: Some(server) }
    }

    pub(crate) fn context(&self) -> &Context {
        self.server.as_ref().unwrap().context()
    }

    pub(crate) async fn persona(&self, role: &str) -> Client {
        self.server.as_ref().unwrap().persona(role, coordinador::NAME, role).await
    }

    pub(crate) async fn close(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }

    /// The process dies where it stands.
    pub(crate) fn kill(&mut self) {
        self.server = None;
    }

    /// Another process, at a later time.
    pub(crate) async fn open_again(&mut self, now: Timestamp) {
        self.setup.clock = Clock::manual(now);
        let server = self.setup.clone().prepare(coordinador::app()).await.start().await;
        self.client = server.client.clone();
        self.server = Some(server);
    }

    /// Makes something and gives its number.
    pub(crate) async fn made(&self, what: &str, body: Json) -> i64 {
        let path = format!("/api/coordinador/{what}");
        self.client.post(&path, body).await.expect(201)["id"].as_i64().unwrap()
    }

    pub(crate) async fn items(&self, what: &str) -> Vec<Json> {
        let page = self.client.get(&format!("/api/coordinador/{what}")).await.expect(200);
        page["items"].as_array().unwrap().clone()
    }
}

/// An OLT that listens at a port of this machine.
///
/// At the usual port nobody listens; each has a community of its own, or all would be one device.
pub(crate) fn olt(name: &str, port: u16) -> Json {
    let community = if port == 161 { name } else { "public" };
    json!({
        "abreviatura": name, "marca": "Huawei", "modelo": "MA5800",
        "ip_address": "127.0.0.1", "puerto": port, "version": "2c", "comunidad": community,
        "habilitar_olt": true,
    })
}

/// A get of every quarter of an hour, unless it says otherwise.
pub(crate) fn get(olt: i64, name: &str) -> Json {
    json!({
        "olt_id": olt, "nombre": name, "job_type": "get", "oid": DESCRIPTION,
        "espacio": "descripcion", "interval_seconds": 900, "priority": 3, "enabled": true,
    })
}

/// A discovery of every quarter of an hour, unless it says otherwise.
pub(crate) fn walk(olt: i64, name: &str) -> Json {
    let mut body = get(olt, name);
    extend(&mut body, json!({ "job_type": "descubrimiento", "oid": DISCOVERY, "espacio": null }));
    body
}

pub(crate) fn extend(body: &mut Json, more: Json) {
    if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
}

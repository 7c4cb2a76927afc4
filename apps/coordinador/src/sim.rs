//! The demonstration (`turno serve --demo`): a fleet of simulated OLTs that speak real SNMP, one
//! dead, one slow, one that gives few rows at a time. Everything goes through the same doors as
//! anybody's requests.

use host::Context;
use reqwest::{Client, Method};
use serde_json::{Value as Json, json};
use snmp::sim::{Options, Profile, Simulator};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const OLTS: usize = 12;
const ONUS: u32 = 128;
/// The demonstration's own OLTs are known by it.
const PREFIX: &str = "DEMO-";
const DEAD: usize = 7;
const SLOW: usize = 4;
const SMALL: usize = 9;

/// The demonstration inside a server.
pub async fn demo(context: Context) {
    let url = context.options.url.clone();
    let fleet = match start(&url).await {
        Ok(Some(fleet)) => fleet,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(%error, "the demonstration of Coordinador stopped");
            return;
        }
    };
    context.stopping.cancelled().await;
    drop(fleet);
}

/// The fleet, entered if nothing was; none if somebody else's OLTs are there.
async fn start(url: &str) -> Outcome<Option<Simulator>> {
    let api = Api { url: url.to_owned(), client: http_client::client() };
    let known = api.call(Method::GET, "/api/coordinador/olts?limit=1000", &Json::Null).await?;
    let known = known["items"].as_array().cloned().unwrap_or_default();
    let theirs = |olt: &Json| !olt["abreviatura"].as_str().unwrap_or("").starts_with(PREFIX);
    if known.iter().any(theirs) {
        return Ok(None);
    }
    let fleet = Simulator::start(options()).await?;
    let ports: Vec<u16> = fleet.addresses().iter().map(std::net::SocketAddr::port).collect();
    if known.is_empty() {
        api.enter_fixtures(&ports).await?;
        return Ok(Some(fleet));
    }
    for olt in &known {
        let number = olt["abreviatura"].as_str().and_then(|name| name.strip_prefix(PREFIX));
        let number = number.and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
        let Some(port) = number.checked_sub(1).and_then(|at| ports.get(at)) else { continue };
        let path = format!("/api/coordinador/olts/{}", olt["id"]);
        api.call(Method::PUT, &path, &json!({ "puerto": port })).await?;
    }
    Ok(Some(fleet))
}

fn options() -> Options {
    let mut profile = Profile { all: Some(json!({ "latency_ms": 3 })), ..Profile::default() };
    for number in (0..OLTS).filter(|number| zte(*number)) {
        profile.olts.insert(number.to_string(), json!({ "brand": "zte" }));
    }
    profile.olts.insert(DEAD.to_string(), json!({ "alive": false }));
    profile.olts.insert(SLOW.to_string(), json!({ "latency_ms": 180, "late_ms": 400 }));
    profile.olts.insert(SMALL.to_string(), json!({ "max_repetitions_limit": 10 }));
    Options { count: OLTS, onus: ONUS, profile, ..Options::default() }
}

const fn zte(number: usize) -> bool {
    number % 3 == 2
}

struct Api {
    url: String,
    client: Client,
}

impl Api {
    async fn call(&self, method: Method, path: &str, body: &Json) -> Outcome<Json> {
        let mut asked = self.client.request(method, format!("{}{path}", self.url));
        if !body.is_null() {
            asked = asked.json(body);
        }
        let text = asked.send().await?.error_for_status()?.text().await?;
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// The OLTs, and a template that discovers, reads a chain of two and reads one often.
    async fn enter_fixtures(&self, ports: &[u16]) -> Outcome<()> {
        let mut olts = Vec::new();
        for (number, port) in ports.iter().enumerate() {
            let body = json!({
                "abreviatura": format!("{PREFIX}{:02}", number + 1),
                "marca": if zte(number) { "ZTE" } else { "Huawei" },
                "ip_address": "127.0.0.1", "puerto": port, "version": "2c",
                "comunidad": "public",
            });
            let made = self.call(Method::POST, "/api/coordinador/olts", &body).await?;
            olts.push(made["id"].clone());
        }
        let body = json!({
            "nombre": "Demostración",
            "olts": olts,
            "nodos": [
                { "clave": "descubrimiento", "nombre": "Descubrimiento", "priority": 1,
                  "job_type": "descubrimiento", "espacio": "descubrimiento",
                  "interval_seconds": 900 },
                { "clave": "serial", "nombre": "Serie", "job_type": "get", "espacio": "serial",
                  "maestro": "descubrimiento" },
                { "clave": "descripcion", "nombre": "Descripción", "job_type": "get",
                  "espacio": "descripcion", "maestro": "descubrimiento" },
                { "clave": "distancia", "nombre": "Distancia", "job_type": "get",
                  "espacio": "distancia_onu", "interval_seconds": 300 },
            ],
        });
        self.call(Method::POST, "/api/coordinador/plantillas", &body).await?;
        // A grid begins an interval from now; a few walks at once give the screens life.
        let nodes = self
            .call(Method::GET, "/api/coordinador/nodos?job_type=descubrimiento", &Json::Null)
            .await?;
        for node in nodes["items"].as_array().into_iter().flatten() {
            let path = format!("/api/coordinador/nodos/{}/ejecutar", node["id"]);
            self.call(Method::POST, &path, &Json::Null).await?;
        }
        Ok(())
    }
}

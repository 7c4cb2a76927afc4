//! The demonstration (`turno serve --demo`): a fleet of simulated OLTs that speak real SNMP, one
//! gone, one slow, one that gives few rows at a time. Everything goes through the same doors as
//! anybody's requests.

use std::sync::Arc;

use engine::Chance;
use host::{Actor, Context, Doors, Next, Tick, change_setting, person};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value as Json, json};
use snmp::sim::{Options, Profile, Simulator};
use tokio::sync::Mutex;

use crate::store::policy;

const TICK: &str = "coordinador.demo";
const COMMUNITY: &str = "public";
const OLTS: usize = 8;
const ONUS: u32 = 48;
/// The demonstration's own OLTs are known by it.
const PREFIX: &str = "DEMO-";
const GONE: usize = 6;
const SLOW: usize = 4;
const SMALL: usize = 3;
/// Hours before the present at which one went off the network.
const GONE_SINCE: i64 = 3;
/// Seconds between discoveries and between readings, in the past and for whoever watches.
const PACE: [(i64, i64); 2] = [(43_200, 21_600), (7_200, 900)];
/// What is looked at less often in the past, and then again as it comes.
const SETTINGS: &[(&str, i64, i64)] =
    &[(policy::SPREAD_EVERY, 3_600, 600), (policy::PROBE_THEN, 3_600, 1_800)];
/// Whoever opens the first page finds a full last hour: the end of the past is lived as the present.
const WATCHED: SignedDuration = SignedDuration::from_mins(75);
/// How often the weather of the network changes.
const WEATHER: SignedDuration = SignedDuration::from_hours(6);

/// The tick that plays the network.
pub(crate) fn demo() -> Tick {
    let network = Arc::new(Mutex::new(None));
    let run = move |context: Context, now: Timestamp| {
        let network = network.clone();
        async move { live(&context, &mut *network.lock().await, now).await }
    };
    Tick::new(TICK, run).without_net()
}

/// What this process plays; no fleet where somebody else's OLTs are.
struct Network {
    fleet: Option<Simulator>,
    past: Option<bool>,
    /// Whether answers travel: nobody waits for them while time is moved.
    travels: Option<bool>,
    weather: Timestamp,
    gone: Timestamp,
    is_gone: bool,
}

async fn live(context: &Context, network: &mut Option<Network>, now: Timestamp) -> Next {
    let desk = Office { doors: context.doors(), boss: person(crate::NAME, "tomas", "ADMIN") };
    if network.is_none() {
        let fleet = open(&desk).await;
        let gone = context.options.past.map_or(now, |past| past.to);
        let gone = gone - SignedDuration::from_hours(GONE_SINCE);
        let (past, travels, is_gone) = (None, None, false);
        *network = Some(Network { fleet, past, travels, weather: now, gone, is_gone });
    }
    let Some(network) = network else { return Ok(None) };
    let Some(fleet) = &network.fleet else { return Ok(None) };
    let turn = context.options.past.map(|past| past.to - WATCHED);
    let past = turn.is_some_and(|turn| now < turn);
    if network.past.replace(past) != Some(past) {
        for (key, then, today) in SETTINGS {
            let value = if past { *then } else { *today };
            // A setting that the environment fixes stays as it is.
            let _ =
                change_setting(context, &desk.boss, crate::NAME, key, value.into(), None).await?;
        }
        desk.set_pace(PACE[usize::from(!past)]).await;
    }
    let travels = !context.clock.is_manual();
    let turned = network.travels.replace(travels) != Some(travels);
    if turned || now >= network.weather {
        blow(fleet, travels, now);
        network.weather = now + WEATHER;
    }
    if !network.is_gone && now >= network.gone {
        fleet.unplug(GONE);
        network.is_gone = true;
    }
    let turn = turn.filter(|_| past);
    let next = [Some(network.weather), (!network.is_gone).then_some(network.gone), turn];
    Ok(next.into_iter().flatten().min())
}

/// Light is lost here and found there; some ONUs are off at night.
fn blow(fleet: &Simulator, travels: bool, now: Timestamp) {
    for number in 0..OLTS {
        let mut chance = Chance::of(&[number as u64, now.as_second().unsigned_abs() / 21_600]);
        let latency = match (travels, number) {
            (false, _) => 0,
            (true, SLOW) => 180,
            (true, _) => 3,
        };
        let weather = json!({
            "latency_ms": latency,
            "power_shift": chance.between(-120, 60) - if number == SLOW { 250 } else { 0 },
            "vanish_pct": if chance.percent(40.0) { chance.between(1, 5) } else { 0 },
        });
        let changed = fleet.settings(number).changed(&weather);
        if let Err(error) = changed.and_then(|settings| fleet.set(number, settings)) {
            tracing::warn!(%error, "the weather of the demonstration stays as it is");
        }
    }
}

/// The fleet, entered if nothing was; none if somebody else's OLTs are there.
async fn open(desk: &Office) -> Option<Simulator> {
    let known = desk.get("/api/coordinador/olts?limit=1000").await;
    let known = known["items"].as_array().cloned().unwrap_or_default();
    let theirs = |olt: &Json| !olt["abreviatura"].as_str().unwrap_or("").starts_with(PREFIX);
    if known.iter().any(theirs) {
        return None;
    }
    let fleet = match Simulator::start(options()).await {
        Ok(fleet) => fleet,
        Err(error) => {
            tracing::error!(%error, "the demonstration has no network");
            return None;
        }
    };
    let ports: Vec<u16> = fleet.addresses().iter().map(std::net::SocketAddr::port).collect();
    if known.is_empty() {
        desk.enter_fixtures(&ports).await;
    }
    for olt in &known {
        let number = olt["abreviatura"].as_str().and_then(|name| name.strip_prefix(PREFIX));
        let number = number.and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
        let Some(port) = number.checked_sub(1).and_then(|at| ports.get(at)) else { continue };
        let path = format!("/api/coordinador/olts/{}", olt["id"]);
        // Whoever moves an OLT says again what lets us in.
        let body = json!({ "puerto": port, "comunidad": COMMUNITY });
        desk.call(Method::PUT, &path, &body).await;
    }
    Some(fleet)
}

fn options() -> Options {
    let mut profile = Profile::default();
    for number in (0..OLTS).filter(|number| zte(*number)) {
        profile.olts.insert(number.to_string(), json!({ "brand": "zte" }));
    }
    profile.olts.insert(SMALL.to_string(), json!({ "max_repetitions_limit": 10 }));
    Options { count: OLTS, onus: ONUS, profile, ..Options::default() }
}

const fn zte(number: usize) -> bool {
    number % 4 == 2
}

/// A template that discovers, reads a chain of two and reads one value often: of Huawei the light
/// that arrives, of ZTE the distance.
fn template(zte: bool, olts: &[Json], (discovery, reading): (i64, i64)) -> Json {
    let often = if zte {
        json!({ "clave": "distancia", "nombre": "Distancia", "job_type": "get",
                "espacio": "distancia_onu", "interval_seconds": reading })
    } else {
        json!({ "clave": "senal", "nombre": "Señal", "job_type": "get", "espacio": "lectura",
                "oid": "1.3.6.1.4.1.2011.6.128.1.1.2.51.1.4", "interval_seconds": reading })
    };
    json!({
        "nombre": if zte { "ZTE" } else { "Huawei" },
        "olts": olts,
        "nodos": [
            { "clave": "descubrimiento", "nombre": "Descubrimiento", "priority": 1,
              "job_type": "descubrimiento", "espacio": "descubrimiento",
              "interval_seconds": discovery },
            { "clave": "serial", "nombre": "Serie", "job_type": "get", "espacio": "serial",
              "maestro": "descubrimiento" },
            { "clave": "descripcion", "nombre": "Descripción", "job_type": "get",
              "espacio": "descripcion", "maestro": "descubrimiento" },
            often,
        ],
    })
}

/// Where the network's administrator works.
struct Office {
    doors: Doors,
    boss: Actor,
}

impl Office {
    async fn get(&self, path: &str) -> Json {
        self.doors.get(&self.boss, path).await.body
    }

    async fn call(&self, method: Method, path: &str, body: &Json) -> Json {
        self.doors.call(&self.boss, method, path, body).await.body
    }

    async fn enter_fixtures(&self, ports: &[u16]) {
        let mut olts = [Vec::new(), Vec::new()];
        for (number, port) in ports.iter().enumerate() {
            let body = json!({
                "abreviatura": format!("{PREFIX}{:02}", number + 1),
                "marca": if zte(number) { "ZTE" } else { "Huawei" },
                "ip_address": "127.0.0.1", "puerto": port, "version": "2c",
                "comunidad": COMMUNITY,
            });
            let made = self.call(Method::POST, "/api/coordinador/olts", &body).await;
            olts[usize::from(zte(number))].push(made["id"].clone());
        }
        for (zte, olts) in [false, true].into_iter().zip(&olts) {
            let body = template(zte, olts, PACE[0]);
            self.call(Method::POST, "/api/coordinador/plantillas", &body).await;
        }
        // A grid begins an interval from now; a walk of each at once tells what there is.
        let nodes = self.get("/api/coordinador/nodos?job_type=descubrimiento").await;
        for node in nodes["items"].as_array().into_iter().flatten() {
            let path = format!("/api/coordinador/nodos/{}/ejecutar", node["id"]);
            self.call(Method::POST, &path, &Json::Null).await;
        }
    }

    /// The plan of both templates from now on. With another interval a planned run stays where it is,
    /// half a day away; switched off and on, everything begins anew.
    async fn set_pace(&self, pace: (i64, i64)) {
        let known = self.get("/api/coordinador/plantillas").await;
        for known in known["items"].as_array().into_iter().flatten() {
            let Some(id) = known["id"].as_i64() else { continue };
            let intervals = known["nodos"].as_array().into_iter().flatten();
            if intervals.clone().any(|node| node["interval_seconds"] == pace.1) {
                continue;
            }
            let olts = known["olts"].as_array().cloned().unwrap_or_default();
            let path = format!("/api/coordinador/plantillas/{id}");
            for active in [false, true] {
                let mut body = template(known["nombre"] == "ZTE", &olts, pace);
                body["activa"] = json!(active);
                self.call(Method::PUT, &path, &body).await;
            }
        }
    }
}

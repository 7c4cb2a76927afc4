//! Histories of *Coordinador*: nodes that poll simulated OLTs, people who pause and run them, and OLTs
//! that lie, lose rows or fall silent.

use engine::Chance;
use serde_json::{Value as Json, json};
use snmp::sim::{Options, Simulator};
use testkit::Client;

use crate::{
    play::{Never, Play, World, as_json},
    step::{Step, ask},
};

const OLTS: usize = 2;
/// Nodes that are there at first: one of each kind for each OLT.
const NODES: i64 = 4;

pub(crate) static PLAY: Play = Play {
    name: "coordinador",
    tables: coordinador::store::MIGRATIONS,
    open: |setup| Box::pin(async { setup.prepare(coordinador::app()).await.start().await }),
    people: &[("operator", "OPERADOR"), ("reader", "CONSULTA")],
    prepared,
    opening: || {
        // Whoever moves an OLT says its community again.
        let port = |(olt, name): (usize, &str)| {
            let body = json!({ "puerto": name, "comunidad": "public" });
            ask("nobody", format!("PUT /api/coordinador/olts/{}", olt + 1), body)
        };
        PORTS.into_iter().enumerate().map(port).collect()
    },
    draw,
    world: || {
        Box::pin(async {
            let control = Some("127.0.0.1:0".parse().unwrap());
            let options = Options { count: OLTS, onus: 5, control, ..Options::default() };
            let devices = Simulator::start(options).await.unwrap();
            let control = devices.control().expect("it was asked for");
            let ports = devices.addresses().iter().map(|address| json!(address.port()));
            World {
                people: vec![("devices", Client::anonymous(format!("http://{control}")))],
                names: PORTS.into_iter().zip(ports).collect(),
                _kept: Some(Box::new(devices)),
                ..World::default()
            }
        })
    },
    send: as_json,
    ids: &[],
    reads: |_| {
        let lists = ["ejecuciones", "nodos", "cuotas", "plan"];
        let lists = lists.into_iter().map(|list| format!("/api/coordinador/{list}"));
        let whys = (1..=NODES).map(|id| format!("/api/coordinador/nodos/{id}/why"));
        lists.chain(whys).map(|path| ("operator", path)).collect()
    },
    // Two OLTs are walked at once, and whose ONUs are written first is chance.
    left_out: &[
        ("olts", "response_us"),
        ("onus", "id"),
        ("olt_readings", "id"),
        ("onu_readings", "onu_id"),
        ("onu_readings", "reading_id"),
    ],
    at_once: true,
    ranked: &[],
    model: || Box::new(Never(NEVER)),
    steps: 12,
};

const PORTS: [&str; OLTS] = ["{port0}", "{port1}"];

const NEVER: &[(&str, &str)] = &[
    (
        "a node has two live runs",
        "SELECT COUNT(*) AS n FROM (SELECT node_id FROM node_runs
        WHERE finished_at IS NULL GROUP BY node_id HAVING COUNT(*) > 1) AS found",
    ),
    (
        "an OLT does two things at once",
        "SELECT COUNT(*) AS n FROM (SELECT olt_id FROM node_runs
        WHERE state = 'RUNNING' AND rides_with IS NULL
        GROUP BY olt_id HAVING COUNT(*) > 1) AS found",
    ),
    ("a run was lost", "SELECT COUNT(*) AS n FROM node_runs WHERE ending = 'LOST'"),
];

fn prepared() -> Vec<(&'static str, Json)> {
    let settings = json!({ "valor": 1 });
    let mut asked = vec![("PUT /api/settings/coordinador/SNMP_TIMEOUT_SECONDS", settings)];
    for number in 1..=OLTS {
        let olt = json!({ "abreviatura": format!("OLT-{number}"), "marca": "Huawei",
            "modelo": "MA5800", "ip_address": "127.0.0.1", "puerto": 160 + number,
            "version": "2c", "comunidad": "public", "habilitar_olt": true });
        asked.push(("POST /api/coordinador/olts", olt));
    }
    for olt in 1..=OLTS {
        for (kind, oid, space) in [
            ("descubrimiento", "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15", Json::Null),
            ("get", "1.3.6.1.4.1.2011.6.128.1.1.2.43.1.9", json!("descripcion")),
        ] {
            let node = json!({ "olt_id": olt, "nombre": format!("{kind} {olt}"), "job_type": kind,
                "oid": oid, "espacio": space, "interval_seconds": 600, "priority": 3,
                "enabled": true });
            asked.push(("POST /api/coordinador/nodos", node));
        }
    }
    asked
}

fn draw(chance: &mut Chance) -> Step {
    let node = chance.between(1, NODES + 1);
    let olt = chance.between(1, OLTS as i64);
    let who = *chance.pick(&["operator", "operator", "operator", "reader"]);
    let operator = |what: String, body: Json| ask(who, what, body);
    match chance.below(20) {
        0..7 => Step::Advance(*chance.pick(&[0, 10, 60, 300, 900])),
        7..10 => operator(format!("POST /api/coordinador/nodos/{node}/ejecutar"), json!({})),
        10..12 => {
            let body = json!({ "pausado": chance.percent(50.0) });
            operator(format!("POST /api/coordinador/nodos/{node}/pausar"), body)
        }
        12 => {
            let seconds = *chance.pick(&[300, 600, 900]);
            let body = json!({ "interval_seconds": seconds, "priority": chance.between(1, 5) });
            operator(format!("PUT /api/coordinador/nodos/{node}"), body)
        }
        13 => {
            let body = json!({ "habilitar_olt": chance.percent(60.0) });
            operator(format!("PUT /api/coordinador/olts/{olt}"), body)
        }
        14 => operator(format!("POST /api/coordinador/olts/{olt}/aceptar-recorrido"), json!({})),
        15 => operator("POST /api/coordinador/plan/aplicar".to_owned(), json!({})),
        16 => {
            let body = json!({ "max_executions_per_minute": chance.between(1, 6) });
            ask("nobody", "PUT /api/coordinador/limites", body)
        }
        _ => {
            let number = chance.below(OLTS);
            ask("devices", format!("PUT /sim/olts/{number}"), fault(chance))
        }
    }
}

/// What an OLT does from now on.
fn fault(chance: &mut Chance) -> Json {
    match chance.below(8) {
        0..3 => json!({ "vanish_pct": 0, "not_increasing": false, "wrong_types": false,
                        "truncate_after": null, "community": "public" }),
        3 => json!({ "vanish_pct": chance.pick(&[20, 80]) }),
        4 => json!({ "not_increasing": true }),
        5 => json!({ "wrong_types": true }),
        6 => json!({ "onus": chance.between(3, 7) }),
        _ => json!({ "giant": chance.percent(50.0) }),
    }
}

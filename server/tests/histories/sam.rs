//! Histories of *SAM*: tickets come and go, people reserve, run, stop and schedule, and the Control Room
//! fails.

use std::time::Duration;

use controlroom::sim::{self, Simulator};
use engine::Chance;
use serde_json::{Value as Json, json};
use testkit::Client;

use crate::{
    house::beginning,
    play::{Never, Play, World, as_json},
    step::{Step, ask},
};

pub(crate) static PLAY: Play = Play {
    name: "sam",
    tables: sam::store::MIGRATIONS,
    open: |setup| Box::pin(async { setup.prepare(sam::app()).await.start().await }),
    people: &[("operator", "OPERADOR"), ("reader", "CONSULTA")],
    prepared,
    opening: || vec![set("A360_URL", "{room}")],
    draw,
    world: || {
        Box::pin(async {
            let options = sim::Options {
                clock: sim::Clock::Manual(beginning()),
                devices: 0,
                bots: 0,
                duration: Duration::from_mins(10),
                seed: Some(1),
                ..sim::Options::default()
            };
            let room = Simulator::local(options).await.unwrap();
            let client = Client::anonymous(room.url());
            World {
                people: vec![("room", client.clone())],
                clocks: vec![client],
                names: vec![("{room}", room.url().into())],
                _kept: Some(Box::new(room)),
            }
        })
    },
    send: as_json,
    ids: &[],
    reads: |_| {
        let lists =
            ["ejecuciones", "equipos", "asignaciones", "suspensiones", "programaciones/perdidos"];
        let lists = lists.into_iter().map(|list| format!("/api/sam/{list}"));
        let robots = [10, 20, 21].map(|id| format!("/api/sam/why/robot/{id}"));
        let runners = (1..=RUNNERS).map(|id| format!("/api/sam/why/equipo/{id}"));
        lists.chain(robots).chain(runners).map(|path| ("operator", path)).collect()
    },
    left_out: &[("*", "deployment_id")],
    at_once: true,
    ranked: &[],
    model: || Box::new(Never(NEVER)),
    steps: 16,
};

const RUNNERS: i64 = 3;

const NEVER: &[(&str, &str)] = &[
    (
        "a runner has two live runs",
        "SELECT COUNT(*) AS n FROM (SELECT runner_id FROM runs
        WHERE live = TRUE GROUP BY runner_id HAVING COUNT(*) > 1) AS found",
    ),
    (
        "a run has no steps",
        "SELECT COUNT(*) AS n FROM runs
        WHERE id NOT IN (SELECT run_id FROM run_steps)",
    ),
    (
        "a slot ended well twice",
        "SELECT COUNT(*) AS n FROM (SELECT slot FROM runs
        WHERE slot IS NOT NULL AND state IN ('COMPLETED', 'RUN_COMPLETED')
        GROUP BY schedule_id, runner_id, slot HAVING COUNT(*) > 1) AS found",
    ),
    ("an effect was given up", "SELECT COUNT(*) AS n FROM effects WHERE state = 'DEAD'"),
];

fn set(key: &str, value: impl Into<Json>) -> Step {
    ask("nobody", format!("PUT /api/sam/configuracion/{key}"), json!({ "valor": value.into() }))
}

fn prepared() -> Vec<(&'static str, Json)> {
    let settings = [
        ("PUT /api/sam/configuracion/A360_USUARIO", json!("sam")),
        ("PUT /api/sam/configuracion/A360_API_KEY", json!("clave")),
        ("PUT /api/sam/configuracion/LANZADOR_SYNC_HABILITAR", json!(false)),
        ("PUT /api/sam/configuracion/LANZADOR_CICLO_INTERVALO_SEG", json!(120)),
        ("PUT /api/sam/configuracion/BALANCEADOR_CICLO_INTERVALO_SEG", json!(120)),
    ];
    let settings = settings.map(|(what, value)| (what, json!({ "valor": value })));
    let runners = (1..=RUNNERS).map(|id| {
        let runner = json!({ "id": id, "equipo": format!("VM-{id}"), "user_id": id,
            "user_name": format!("u{id}"), "licencia": "RUNTIME", "activo_sam": true,
            "permite_balanceo_dinamico": true });
        ("POST /api/sam/equipos", runner)
    });
    let robots = [
        json!({ "id": 10, "robot": "R10" }),
        json!({ "id": 20, "robot": "R20", "es_online": true, "prioridad_balanceo": 1,
                "min_equipos": 1, "max_equipos": 3, "tickets_por_equipo_adicional": 10 }),
        json!({ "id": 21, "robot": "R21", "es_online": true, "prioridad_balanceo": 2,
                "min_equipos": 1, "max_equipos": 2, "tickets_por_equipo_adicional": 5 }),
    ];
    let robots = robots.map(|robot| ("POST /api/sam/robots", robot));
    settings.into_iter().chain(runners).chain(robots).collect()
}

fn draw(chance: &mut Chance) -> Step {
    let runner = chance.between(1, RUNNERS);
    let who = *chance.pick(&["operator", "operator", "operator", "reader"]);
    let operator = |what: String, body: Json| ask(who, what, body);
    match chance.below(20) {
        0..6 => Step::Advance(*chance.pick(&[0, 10, 60, 125, 300, 700])),
        6..9 => {
            let robot = *chance.pick(&["R20", "R21"]);
            let pending = *chance.pick(&[0, 1, 8, 25, 60]);
            let body = json!({ "proveedor": "cola", "robot": robot, "pendientes": pending });
            operator("PUT /api/sam/tickets".to_owned(), body)
        }
        9..12 => ask("room", "PUT /sim/faults", fault(chance)),
        12 => {
            let body = json!({ "robot_id": chance.pick(&[20, 21]), "equipo_id": runner });
            operator("POST /api/sam/asignaciones".to_owned(), body)
        }
        13 => {
            operator(format!("DELETE /api/sam/asignaciones/{}", chance.between(1, 6)), Json::Null)
        }
        14 => {
            let robot = *chance.pick(&[10, 20]);
            let body = json!({ "equipo_id": runner, "motivo": "cierre" });
            operator(format!("POST /api/sam/robots/{robot}/ejecutar"), body)
        }
        // Who stops a bot races with what the Control Room then tells of it by itself.
        15..17 => {
            let run = chance.between(1, 6);
            let body = json!({ "motivo": "ya" });
            operator(format!("POST /api/sam/ejecuciones/{run}/desbloquear"), body)
        }
        17 => {
            let body = json!({ "activo_sam": chance.percent(60.0) });
            operator(format!("PUT /api/sam/equipos/{runner}"), body)
        }
        18 => {
            let minute = chance.below(60);
            let body = json!({ "robot_id": 10, "tipo_programacion": "Diaria", "tolerancia": 30,
                               "hora_inicio": format!("20:{minute:02}"), "equipos": [runner] });
            operator("POST /api/sam/programaciones".to_owned(), body)
        }
        _ => {
            let seconds = *chance.pick(&[0, 300]);
            set("BALANCEADOR_PERIODO_ENFRIAMIENTO_SEG", seconds)
        }
    }
}

/// What the Control Room does from now on: nothing wrong, or the same to everybody. Of those that begin at
/// the same instant chance decides who is first, so no trouble is for the first alone: not a deploy that
/// opens the circuit, which holds those behind it.
fn fault(chance: &mut Chance) -> Json {
    match chance.below(5) {
        0..2 => json!({}),
        2 => json!({ "deploy": { "status": 412, "message": "device is offline" } }),
        3 => json!({ "deploy": { "after_accept": true, "drop": true } }),
        _ => json!({ "activity": { "status": 500 } }),
    }
}

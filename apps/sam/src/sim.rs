//! The demonstration (`turno serve --demo`): a farm of robots beside a simulated Control Room, fed
//! with tickets that come and go. Everything goes through the same doors as anybody's requests, and
//! the Control Room follows the house's clock.

use std::{sync::Arc, time::Duration};

use controlroom::sim::{Clock, Followed, Options, Simulator};
use engine::Chance;
use host::{Actor, Context, Doors, Next, Tick, person};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value as Json, json};
use tokio::sync::Mutex;

use crate::store::policy;

const TICK: &str = "sam.demo";
/// By whom it is known that the Control Room is the demonstration's own.
const USER: &str = "demo";

/// robot, pool, online, priority, tickets per runner, most runners
const ROBOTS: &[(i64, &str, usize, bool, i64, i64, i64)] = &[
    (1101, "P1101_Altas", 0, true, 5, 10, 5),
    (1102, "P1102_Reclamos", 0, true, 20, 15, 4),
    (1103, "P1103_Bajas", 0, true, 60, 20, 3),
    (1201, "P1201_Facturas", 1, true, 10, 25, 6),
    (1202, "P1202_Cobranzas", 1, true, 40, 10, 4),
    (1301, "P1301_Conciliacion_Bancaria", 2, false, 100, 10, -1),
    (1302, "P1302_Cierre_Diario", 2, false, 50, 10, -1),
    (1303, "P1303_Reporte_Mensual", 2, false, 100, 10, -1),
];
const POOLS: &[&str] = &["Atención", "Administración", "Nocturno"];
/// Where each runner works, from the first on; the last is in no pool.
const PLACES: [Option<usize>; 14] = [
    Some(1),
    Some(2),
    Some(0),
    Some(0),
    Some(1),
    Some(2),
    Some(0),
    Some(0),
    Some(1),
    Some(2),
    Some(1),
    Some(0),
    Some(1),
    None,
];

/// Settings by which the farm looks around, in the past and for whoever watches.
const PACE: &[(&str, i64, i64)] = &[
    (policy::BALANCE_EVERY, 3_600, 300),
    (policy::RECONCILE_EVERY, 3_600, 300),
    (policy::SYNC_EVERY, 86_400, 3_600),
    // Who is asked about once an hour is not said to have begun before.
    (policy::START_LIMIT, 7_200, 900),
];
/// Minutes between two counts of tickets, in the past and now.
const COUNTS: (i64, i64) = (120, 5);
/// How many times longer than the shortest robots run, in the past and now: few long runs fill a week
/// as many short ones do, and are lived in a fraction of the time.
const LONGER: (i64, i64) = (5, 2);
/// Whoever opens the first page finds robots at work: the end of the past is lived as the present.
const WATCHED: SignedDuration = SignedDuration::from_mins(40);
/// Tickets of a robot at most: by day, and at night.
const MOST: (i64, i64) = (40, 14);

/// The tick that plays the farm.
pub(crate) fn demo() -> Tick {
    let farm = Arc::new(Mutex::new(None));
    let run = move |context: Context, now: Timestamp| {
        let farm = farm.clone();
        async move { live(&context, &mut *farm.lock().await, now).await }
    };
    Tick::new(TICK, run).without_net()
}

/// What this process plays; none where somebody else's Control Room is.
struct Farm {
    room: Option<Simulator>,
    tickets: [i64; 5],
    counted: Option<Timestamp>,
    past: bool,
}

async fn live(context: &Context, farm: &mut Option<Farm>, now: Timestamp) -> Next {
    let doors = Office { doors: context.doors(), boss: person(crate::NAME, "marta", "ADMIN") };
    if farm.is_none() {
        *farm = Some(open(context, &doors).await);
    }
    let Some(farm) = farm else { return Ok(None) };
    let Some(room) = &farm.room else { return Ok(None) };
    let past = !is_watched(context, now);
    if farm.past != past || farm.counted.is_none() {
        pace(room, if past { LONGER.0 } else { LONGER.1 }).await;
        for (key, then, today) in PACE {
            doors.set(key, if past { *then } else { *today }).await;
        }
    }
    let every = SignedDuration::from_mins(if past { COUNTS.0 } else { COUNTS.1 });
    let due = farm.counted.is_none_or(|at| now >= at + every) || farm.past != past;
    farm.past = past;
    if due {
        count(&doors, &mut farm.tickets, context, past, now).await;
        farm.counted = Some(now);
    }
    let next = farm.counted.map(|at| at + every);
    let turn = context.options.past.filter(|_| past).map(|past| past.to - WATCHED);
    Ok([room.catch_up().await, next, turn].into_iter().flatten().min())
}

/// Whether somebody may be looking: now, and what the first page shows of just before.
fn is_watched(context: &Context, now: Timestamp) -> bool {
    context.options.past.is_none_or(|past| now >= past.to - WATCHED)
}

/// How long robots run, and how often they fail.
async fn pace(room: &Simulator, longer: i64) {
    let outside = http_client::client();
    for (id, _, _, online, ..) in ROBOTS {
        let minutes = (14 + id % 5 * 6) * if *online { longer } else { 1 };
        let bot = json!({ "duration_seconds": minutes * 60, "failure_pct": 3 + id % 5 * 2 });
        let url = format!("{}/sim/bots/{id}", room.url());
        if let Err(error) = outside.put(url).json(&bot).send().await {
            tracing::warn!(%error, "a robot of the demonstration runs as it likes");
        }
    }
}

/// People open tickets, most of them during the day; robots work them off at any hour.
async fn count(
    doors: &Office,
    tickets: &mut [i64; 5],
    context: &Context,
    past: bool,
    now: Timestamp,
) {
    let local = now.to_zoned(context.zone.clone());
    let by_day = (8..19).contains(&local.hour());
    let mut chance = Chance::of(&[now.as_second().unsigned_abs(), 3]);
    let online = ROBOTS.iter().filter(|robot| robot.3);
    let mut told = Vec::new();
    for (n, (robot, pending)) in online.zip(tickets).enumerate() {
        // In the past only some of them had work at night: a week passes in seconds.
        let most = match (by_day, past && n % 3 > 0) {
            (true, _) => MOST.0,
            (false, true) => 0,
            (false, false) => MOST.1,
        };
        *pending = (*pending + chance.between(-9, 9)).clamp(if most > 0 { 3 } else { 0 }, most);
        told.push(json!({ "proveedor": "demo", "robot": robot.1, "pendientes": pending }));
    }
    doors.call(Method::PUT, "/api/sam/tickets", &json!(told)).await;
}

/// Enters what a farm needs, unless somebody else's is there.
async fn open(context: &Context, doors: &Office) -> Farm {
    let mut farm = Farm { room: None, tickets: [14, 8, 5, 20, 6], counted: None, past: true };
    let user = doors.get("/api/sam/configuracion/A360_USUARIO").await;
    if user["valor"].as_str().is_some_and(|name| !name.is_empty() && name != USER) {
        return farm;
    }
    let (told, asked) = (context.clone(), context.clone());
    let clock = Clock::Followed(Followed {
        now: Arc::new(move || asked.clock.now()),
        changed: Arc::new(move || told.wake(TICK)),
    });
    let options = Options {
        clock,
        devices: 0,
        bots: 0,
        duration: Duration::from_mins(4),
        ..Options::default()
    };
    let room = match Simulator::local(options).await {
        Ok(room) => room,
        Err(error) => {
            tracing::error!(%error, "the demonstration has no Control Room");
            return farm;
        }
    };
    for (key, value) in [("A360_URL", room.url()), ("A360_USUARIO", USER.into())] {
        doors.set(key, value).await;
    }
    doors.set("A360_API_KEY", "demo").await;
    if doors.get("/api/sam/robots?limit=1").await["items"].as_array().is_none_or(Vec::is_empty) {
        doors.fill().await;
    }
    let outside = http_client::client();
    // A machine that the Control Room never heard of would be shown as offline.
    for n in 1..=PLACES.len() {
        let machine = json!({ "host_name": format!("VDI-{n:02}"), "connected": true });
        let url = format!("{}/sim/devices/{}", room.url(), 500 + n);
        if let Err(error) = outside.put(url).json(&machine).send().await {
            tracing::warn!(%error, "a machine of the demonstration is offline");
        }
    }
    farm.room = Some(room);
    farm
}

/// Where the farm's administrator works.
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

    async fn post(&self, path: &str, body: &Json) -> Json {
        self.call(Method::POST, path, body).await
    }

    async fn set(&self, key: &str, value: impl Into<Json>) {
        let body = json!({ "valor": value.into() });
        self.call(Method::PUT, &format!("/api/sam/configuracion/{key}"), &body).await;
    }

    /// Pools, runners, robots and schedules of a middling company.
    async fn fill(&self) {
        let mut pools = Vec::new();
        for name in POOLS {
            let made = self.post("/api/sam/pools", &json!({ "nombre": name })).await;
            pools.push(made["id"].clone());
        }
        for (n, place) in (1..).zip(PLACES) {
            let pool = place.map(|place| pools[place].clone());
            let body = json!({
                "id": 500 + n, "equipo": format!("VDI-{n:02}"), "user_id": 500 + n,
                "user_name": format!("bot{}", 500 + n), "licencia": "RUNTIME",
                "permite_balanceo_dinamico": true, "pool_id": pool,
            });
            self.post("/api/sam/equipos", &body).await;
        }
        for (id, name, pool, online, priority, per, most) in ROBOTS {
            let body = json!({
                "id": id, "robot": name, "es_online": online, "prioridad_balanceo": priority,
                "tickets_por_equipo_adicional": per, "max_equipos": most, "pool_id": pools[*pool],
            });
            self.post("/api/sam/robots", &body).await;
        }
        for body in [
            json!({ "robot_id": 1301, "tipo_programacion": "Diaria", "hora_inicio": "08:00",
                    "hora_fin": "20:00", "es_ciclico": true, "intervalo_entre_ejecuciones": 120,
                    "equipos": [502] }),
            json!({ "robot_id": 1302, "tipo_programacion": "Semanal", "hora_inicio": "22:00",
                    "tolerancia": 90, "dias_semana": ["Lu", "Ma", "Mi", "Ju", "Vi"],
                    "equipos": [506] }),
            json!({ "robot_id": 1303, "tipo_programacion": "RangoMensual", "hora_inicio": "06:00",
                    "tolerancia": 120, "ultimos_dias_mes": 3, "equipos": [510] }),
        ] {
            self.post("/api/sam/programaciones", &body).await;
        }
    }
}

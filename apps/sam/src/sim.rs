//! The demonstration (`turno serve --demo`): a farm of robots beside a simulated Control Room, fed
//! with tickets that come and go. Everything goes through the same doors as anybody's requests.

use std::time::Duration;

use controlroom::sim::{Options, Simulator};
use host::Context;
use rand::RngExt as _;
use reqwest::{Client, Method};
use serde_json::{Value as Json, json};

const STEP: Duration = Duration::from_secs(30);
/// By whom it is known that the Control Room is the demonstration's own.
const USER: &str = "demo";

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

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
const RUNNERS: i64 = 14;

/// The demonstration inside a server.
pub async fn demo(context: Context) {
    let url = context.options.url.clone();
    tokio::select! {
        () = context.stopping.cancelled() => {}
        ended = run(&url) => {
            if let Err(error) = ended {
                tracing::warn!(%error, "the demonstration of SAM stopped");
            }
        }
    }
}

async fn run(url: &str) -> Outcome<()> {
    let farm = Farm { url: url.to_owned(), client: http_client::client() };
    let user = farm.get("/api/sam/configuracion/A360_USUARIO").await?;
    let theirs = user["valor"].as_str().is_some_and(|name| !name.is_empty() && name != USER);
    if theirs {
        return Ok(());
    }
    let options =
        Options { devices: 0, bots: 0, duration: Duration::from_mins(4), ..Options::default() };
    let room = Simulator::local(options).await?;
    farm.set("A360_URL", room.url()).await?;
    farm.set("A360_USUARIO", USER).await?;
    farm.set("A360_API_KEY", "demo").await?;
    if farm.get("/api/sam/robots?limit=1").await?["items"].as_array().is_none_or(Vec::is_empty) {
        farm.fill().await?;
    }
    for (id, ..) in ROBOTS {
        let minutes = 1 + id % 5;
        let bot = json!({ "duration_seconds": minutes * 60, "failure_pct": 5 });
        farm.send(Method::PUT, &format!("{}/sim/bots/{id}", room.url()), &bot).await?;
    }
    let mut tickets = [40_i64, 20, 10, 60, 15];
    let mut steps = tokio::time::interval(STEP);
    loop {
        steps.tick().await;
        let online = ROBOTS.iter().filter(|robot| robot.3);
        let mut told = Vec::new();
        for (robot, pending) in online.zip(&mut tickets) {
            *pending = (*pending + rand::rng().random_range(-12..=12)).clamp(0, 120);
            told.push(json!({ "proveedor": "demo", "robot": robot.1, "pendientes": pending }));
        }
        farm.call(Method::PUT, "/api/sam/tickets", &json!(told)).await?;
    }
}

struct Farm {
    url: String,
    client: Client,
}

impl Farm {
    async fn get(&self, path: &str) -> Outcome<Json> {
        let answer = self.client.get(format!("{}{path}", self.url)).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    async fn send(&self, method: Method, url: &str, body: &Json) -> Outcome<Json> {
        let answer = self.client.request(method, url).json(body).send().await?;
        let text = answer.error_for_status()?.text().await?;
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    async fn call(&self, method: Method, path: &str, body: &Json) -> Outcome<Json> {
        self.send(method, &format!("{}{path}", self.url), body).await
    }

    async fn set(&self, key: &str, value: impl Into<Json>) -> Outcome<()> {
        let body = json!({ "valor": value.into() });
        self.call(Method::PUT, &format!("/api/sam/configuracion/{key}"), &body).await.map(drop)
    }

    /// Pools, runners, robots and schedules of a middling company.
    async fn fill(&self) -> Outcome<()> {
        let mut pools = Vec::new();
        for name in POOLS {
            let made =
                self.call(Method::POST, "/api/sam/pools", &json!({ "nombre": name })).await?;
            pools.push(made["id"].clone());
        }
        for n in 1..=RUNNERS {
            let pool = pools.get(n as usize % 4).cloned();
            let body = json!({
                "id": 500 + n, "equipo": format!("VDI-{n:02}"), "user_id": 500 + n,
                "user_name": format!("bot{n:02}"), "licencia": "RUNTIME",
                "permite_balanceo_dinamico": true, "pool_id": pool,
            });
            self.call(Method::POST, "/api/sam/equipos", &body).await?;
        }
        for (id, name, pool, online, priority, per, most) in ROBOTS {
            let body = json!({
                "id": id, "robot": name, "es_online": online, "prioridad_balanceo": priority,
                "tickets_por_equipo_adicional": per, "max_equipos": most, "pool_id": pools[*pool],
            });
            self.call(Method::POST, "/api/sam/robots", &body).await?;
        }
        for body in [
            json!({ "robot_id": 1301, "tipo_programacion": "Diaria", "hora_inicio": "08:00",
                    "hora_fin": "20:00", "es_ciclico": true, "intervalo_entre_ejecuciones": 10,
                    "equipos": [502] }),
            json!({ "robot_id": 1302, "tipo_programacion": "Semanal", "hora_inicio": "22:00",
                    "tolerancia": 90, "dias_semana": ["Lu", "Ma", "Mi", "Ju", "Vi"],
                    "equipos": [506] }),
            json!({ "robot_id": 1303, "tipo_programacion": "RangoMensual", "hora_inicio": "06:00",
                    "tolerancia": 120, "ultimos_dias_mes": 3, "equipos": [510] }),
        ] {
            self.call(Method::POST, "/api/sam/programaciones", &body).await?;
        }
        Ok(())
    }
}

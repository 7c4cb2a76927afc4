//! The real binary and a fleet of simulated OLTs: rows that are read, compared and kept, and what
//! becomes of the others when some are dead.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};
use snmp::sim::{self, Brand, Column, Simulator};
use testkit::{Client, Options, Turno};

use crate::{
    report::{Limit, Report},
    sample::Sample,
};

const OLTS: usize = 60;
const ONUS: u32 = 4_096;
const DEAD: usize = 5;
const WATCHED: Duration = Duration::from_mins(1);

async fn serve() -> Turno {
    Turno::start(Options {
        arguments: vec!["--apps".to_owned(), "coordinador".to_owned()],
        environment: vec![("TURNO_LOG__LEVEL".to_owned(), "error".to_owned())],
        ..Options::default()
    })
    .await
}

/// An OLT for each agent, and a node on each.
async fn enter_fixtures(client: &Client, devices: &Simulator, node: &Json) -> Vec<i64> {
    let limits = json!({
        "max_executions_per_minute": 600, "max_short_per_minute": 600, "max_descubrimiento": 500,
        "max_get": 500, "max_total": 500,
    });
    client.put("/api/coordinador/limites", limits).await.expect(200);
    let mut nodes = Vec::new();
    for (number, address) in devices.addresses().iter().enumerate() {
        let olt = json!({
            "abreviatura": format!("OLT-{number}"), "marca": "Huawei", "comunidad": "public",
            "ip_address": address.ip().to_string(), "puerto": address.port(),
        });
        let olt = client.post("/api/coordinador/olts", olt).await.expect(201);
        let mut node = node.clone();
        node["olt_id"] = olt["id"].clone();
        // As a spread plan has them: one after another.
        if let Some(first) = instant(&node, "next_run_at") {
            let next = first + SignedDuration::from_millis(number as i64 * 200);
            node["next_run_at"] = next.to_string().into();
        }
        let made = client.post("/api/coordinador/nodos", node).await.expect(201);
        nodes.push(made["id"].as_i64().unwrap_or_default());
    }
    nodes
}

fn discovery(seconds: i64, next: Timestamp) -> Json {
    json!({
        "nombre": "descubrir", "job_type": "descubrimiento", "interval_seconds": seconds,
        "oid": Brand::Huawei.oid(Column::State).to_string(), "next_run_at": next.to_string(),
    })
}

async fn runs(client: &Client) -> Vec<Json> {
    let page = client.get("/api/coordinador/ejecuciones?limit=1000").await.expect(200);
    page["items"].as_array().cloned().unwrap_or_default()
}

fn instant(run: &Json, field: &str) -> Option<Timestamp> {
    run[field].as_str()?.parse().ok()
}

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let options = sim::Options { count: OLTS, onus: ONUS, ..sim::Options::default() };
    let devices = Simulator::start(options).await?;
    let server = serve().await;
    let client = server.client();
    let far = Timestamp::now() + SignedDuration::from_hours(5);
    let nodes = enter_fixtures(&client, &devices, &discovery(86_400, far)).await;
    for round in ["first walks, every row kept", "walks again, every row compared"] {
        let asked = Timestamp::now();
        for node in &nodes {
            let path = format!("/api/coordinador/nodos/{node}/ejecutar");
            client.post(&path, json!({})).await.expect(202);
        }
        let began = Instant::now();
        let done = loop {
            let all = runs(&client).await;
            let mine: Vec<Json> = all
                .into_iter()
                .filter(|run| instant(run, "started_at").is_some_and(|at| at >= asked))
                .collect();
            let over = mine.iter().filter(|run| run["finished_at"].is_string()).count();
            if over == OLTS {
                break mine;
            }
            ensure!(began.elapsed() < Duration::from_secs(90), "{over} of {OLTS} walks are over");
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        let good = done.iter().filter(|run| run["status"] == "SUCCESS").count();
        ensure!(good == OLTS, "{good} of {OLTS} walks ended well");
        let first = done.iter().filter_map(|run| instant(run, "started_at")).min();
        let last = done.iter().filter_map(|run| instant(run, "finished_at")).max();
        let (Some(first), Some(last)) = (first, last) else { continue };
        let seconds = last.duration_since(first).as_secs_f64();
        let rows = OLTS as f64 * f64::from(ONUS);
        let note = format!("{OLTS} OLTs, {rows:.0} rows in {seconds:.1} s, SQLite, OLTs included");
        let what = format!("fleet stored, {round}");
        report.line(what, rows / seconds, "/s", Limit::AtLeast(100_000.0), note);
    }
    Ok(())
}

/// Sixty OLTs of which five are dead: how many runs of the others begin within a second of plan.
pub(crate) async fn dead(report: &mut Report) -> Result<()> {
    let options = sim::Options { count: OLTS, onus: 512, ..sim::Options::default() };
    let devices = Simulator::start(options).await?;
    for number in 0..DEAD {
        let dead = devices.settings(number).changed(&json!({ "alive": false }))?;
        devices.set(number, dead)?;
    }
    let server = serve().await;
    let client = server.client();
    let soon = Timestamp::now() + SignedDuration::from_secs(5);
    let nodes = enter_fixtures(&client, &devices, &discovery(12, soon)).await;
    let normal = json!({ "max_descubrimiento": 10, "max_get": 20, "max_total": 30 });
    client.put("/api/coordinador/limites", normal).await.expect(200);
    tokio::time::sleep(WATCHED).await;
    let living = &nodes[DEAD..];
    let mut late = Sample::default();
    let (mut on_time, mut all) = (0_usize, 0_usize);
    for run in runs(&client).await {
        let mine = run["nodo_id"].as_i64().is_some_and(|node| living.contains(&node));
        let Some(seconds) = run["atraso_segundos"].as_f64().filter(|_| mine) else { continue };
        late.push(Duration::from_secs_f64(seconds.max(0.0)));
        (all, on_time) = (all + 1, on_time + usize::from(seconds <= 1.0));
    }
    ensure!(all > living.len() * 2, "only {all} runs");
    let share = 100.0 * on_time as f64 / all as f64;
    let note = format!(
        "{all} runs of 55 OLTs, late p50 {:.0} ms, p99 {:.0} ms; 5 dead, time-out 5 s",
        late.percentile(50),
        late.percentile(99)
    );
    report.line("on time beside dead OLTs", share, "%", Limit::AtLeast(99.0), note);
    let probes: u64 = (0..DEAD).map(|number| devices.counters(number).received).sum();
    let note = format!("packets to 5 dead OLTs in {} s", WATCHED.as_secs());
    report.line("cost of the dead", probes as f64, "", Limit::AtMost(25.0), note);
    Ok(())
}

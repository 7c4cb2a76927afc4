//! Callbacks to the real binary, with a simulated Control Room in this process: how soon the runner
//! works again, and how many are taken in a second.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use controlroom::sim::{self, Simulator};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};

use crate::{
    floor,
    report::{Limit, Report},
    sample::Sample,
};

const ROBOT: i64 = 9000;
/// Above the ids that the Control Room has of its own.
const FIRST: usize = 5001;
const RUNNERS: usize = 1_000;
const RELAUNCHES: usize = 100;
const AT_ONCE: usize = 50;
const POLL: Duration = Duration::from_millis(2);
const RUNS_TIMEOUT: Duration = Duration::from_mins(2);

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let lasting = Duration::from_hours(5);
    let options = sim::Options { devices: 0, bots: 0, duration: lasting, ..Default::default() };
    let room = Simulator::local(options).await?;
    let server = Turno::start(Options {
        arguments: vec!["--apps".to_owned(), "sam".to_owned()],
        environment: vec![("TURNO_LOG__LEVEL".to_owned(), "warn".to_owned())],
        ..Options::default()
    })
    .await;
    let client = server.client();
    set_up(&client, &room.url()).await?;
    let runs = all_deployed(&client).await?;
    let again = relaunches(&client, &runs[..RELAUNCHES]).await?;
    let note = format!("p50 {:.0} ms, one after another", again.percentile(50));
    let limit = Limit::AtMost(200.0);
    report.line("callback to the next run DEPLOYED p99", again.percentile(99), "ms", limit, note);

    // From here on nothing new starts: the callbacks have the server for themselves.
    let resting = client.put(&format!("/api/sam/robots/{ROBOT}"), json!({ "activo": false })).await;
    ensure!(resting.status == 200, "{}", resting.text);
    let runs = live(&client).await?;
    let folder = server.data_dir();
    let bare = floor::commit(&format!("sqlite://{}", folder.join("floor.db").display())).await?;
    let began = Instant::now();
    stream::iter(&runs)
        .map(|run| finish(&client, run))
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    let rate = runs.len() as f64 / began.elapsed().as_secs_f64();
    ensure!(live(&client).await?.is_empty(), "every run is closed");
    let alone = 1_000.0 / bare.percentile(50);
    let note = format!(
        "{:.1} times the bare commits one after another; {} callbacks, {AT_ONCE} at once",
        rate / alone,
        runs.len()
    );
    report.line("callbacks that close a run", rate, "/s", Limit::AtLeast(500.0), note);
    Ok(())
}

/// One robot on demand, and every runner reserved for it.
async fn set_up(client: &Client, room: &str) -> Result<()> {
    for (key, value) in [
        ("A360_URL", json!(room)),
        ("A360_USUARIO", json!("sam")),
        ("A360_API_KEY", json!("clave")),
        ("LANZADOR_SYNC_HABILITAR", json!(false)),
    ] {
        let path = format!("/api/sam/configuracion/{key}");
        client.put(&path, json!({ "valor": value })).await.expect(200);
    }
    let robot = json!({ "id": ROBOT, "robot": "Uno", "es_online": true, "max_equipos": -1 });
    client.post("/api/sam/robots", robot).await.expect(201);
    let mut sheet = String::from("id,equipo,user_id,licencia\r\n");
    for id in FIRST..FIRST + RUNNERS {
        let _ = write!(sheet, "{id},VM-{id:04},{id},RUNTIME\r\n");
    }
    let request = client.request(reqwest::Method::POST, "/api/sam/planillas/equipos");
    let answer = request.header("content-type", "text/csv").body(sheet).send().await?;
    ensure!(answer.status().is_success(), "{}", answer.text().await?);
    for id in FIRST..FIRST + RUNNERS {
        let pair = json!({ "robot_id": ROBOT, "equipo_id": id });
        client.post("/api/sam/asignaciones", pair).await.expect(201);
    }
    Ok(())
}

async fn live(client: &Client) -> Result<Vec<Json>> {
    let answer = client.get("/api/sam/ejecuciones?activas=true&limit=1000").await;
    ensure!(answer.status == 200, "{}", answer.text);
    Ok(answer.json()["items"].as_array().context("a list")?.clone())
}

async fn all_deployed(client: &Client) -> Result<Vec<Json>> {
    let began = Instant::now();
    let mut poll = tokio::time::interval(Duration::from_millis(200));
    loop {
        poll.tick().await;
        let runs = live(client).await?;
        if runs.iter().filter(|run| run["deployment_id"].is_string()).count() == RUNNERS {
            return Ok(runs);
        }
        ensure!(began.elapsed() < RUNS_TIMEOUT, "{} of {RUNNERS} runs deployed", runs.len());
    }
}

async fn finish(client: &Client, run: &Json) -> Result<()> {
    let verdict = json!({ "deploymentId": run["deployment_id"], "status": "RUN_COMPLETED" });
    let answer = client.post("/api/callback", verdict).await;
    ensure!(answer.status == 200, "{}: {}", answer.status, answer.text);
    Ok(())
}

/// One runner at a time, from the callback to the next run in the Control Room's hands.
async fn relaunches(client: &Client, runs: &[Json]) -> Result<Sample> {
    let mut sample = Sample::default();
    for run in runs {
        let latest = format!("/api/sam/ejecuciones?equipo_id={}&limit=1", run["equipo_id"]);
        let began = Instant::now();
        finish(client, run).await?;
        let mut poll = tokio::time::interval(POLL);
        loop {
            poll.tick().await;
            let next = client.get(&latest).await.expect(200)["items"][0].clone();
            if next["id"] != run["id"] && next["estado"] == "DEPLOYED" {
                break;
            }
            ensure!(
                began.elapsed() < RUNS_TIMEOUT,
                "runner {} never works again",
                run["equipo_id"]
            );
        }
        sample.push(began.elapsed());
    }
    Ok(sample)
}

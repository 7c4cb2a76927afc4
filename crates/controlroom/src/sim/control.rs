//! The entrances that only a simulated Control Room has.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{MethodRouter, get, post, put};
use axum::{Json, Router};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::access::Refusal;
use super::faults::Faults;
use super::server::Shared;
use super::settings::{Settings, length};
use super::status::Status;
use super::world::World;
use super::{doors, fixtures};

type Sim = State<Arc<Shared>>;
type Answer = Result<Json<Value>, Refusal>;

const HELP: &str = "\
A simulated Control Room. Beside the entrances of a real one:

GET  /sim/state                 everything there is
GET  /sim/deployments           what was deployed; /sim/deployments/{id} for one
POST /sim/deployments/{id}      {status, message?, bot_output?}; UNKNOWN loses track of it
PUT  /sim/devices/{id}          {connected, lose_track, host_name, user_ids}; POST /sim/devices
PUT  /sim/bots/{id}             {duration_seconds, outcome, failure_pct, name, path}; POST /sim/bots
PUT  /sim/users/{id}            {username, license_features, device_id}; POST /sim/users
PUT  /sim/faults                {deploy, activity, authentication, manage, devices, users, files,
                                callback}, each {status, message, body, times, after_accept,
                                delay_ms, retry_after, drop, repeat, bot_id, device_id, user_id,
                                hide_seconds}; users is version 1 of that list, users_v2 the other
PUT  /sim/tickets               {robot: count, …} or null for a provider that fails; served as
                                Clouders does: /automatizacion/task/api/stats/pending_by_robot
PUT  /sim/settings              {permissive, token_seconds, start_seconds, duration_seconds, secret}
POST /sim/clock                 {advance_seconds} or {now}, with a manual clock
POST /sim/reset                 as at the start
";

/// What the world is like now.
fn shown(look: fn(&World, Timestamp) -> Value) -> MethodRouter<Arc<Shared>> {
    get(move |State(shared): Sim| async move {
        let now = shared.now();
        Json(shared.look(|world| look(world, now)))
    })
}

pub(super) fn routes() -> Router<Arc<Shared>> {
    let faults = shown(|world, _| json!(world.faults));
    let settings = shown(|world, _| json!(world.settings));
    Router::new()
        .route("/", get(|| async { HELP }))
        .route("/health", get(|| async { Json(json!({ "status": "OK" })) }))
        .route("/sim/state", shown(World::state))
        .route("/sim/deployments", shown(|world, _| json!(world.deployments())))
        .route("/sim/deployments/{id}", get(deployment).post(change_deployment))
        .route("/sim/faults", faults.put(change_faults).delete(clear_faults))
        .route("/sim/settings", settings.put(change_settings))
        .route("/sim/tickets", put(change_tickets))
        .route("/automatizacion/task/api/stats/pending_by_robot", get(tickets))
        .route("/sim/clock", get(clock).post(move_clock))
        .route("/debug/clock", post(move_clock))
        .route("/sim/reset", post(reset))
        .merge(fixtures::routes())
}

pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let value = doors::read(body)?;
    serde_json::from_value(value).map_err(|error| Refusal::new(400, error.to_string()))
}

async fn deployment(State(shared): Sim, Path(id): Path<String>) -> Answer {
    shared.look(|world| {
        let run = world.by_deployment.get(&id).and_then(|number| world.runs.get(number));
        run.map(|run| Json(run.record())).ok_or_else(|| missing("deployment", &id))
    })
}

pub(super) fn missing(what: &str, id: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(404, format!("No {what} {id}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewStatus {
    status: String,
    message: Option<String>,
    bot_output: Option<Value>,
}

/// Answers when the callback, if there is one, was sent.
async fn change_deployment(State(shared): Sim, Path(id): Path<String>, body: Bytes) -> Answer {
    let NewStatus { status, message, bot_output } = read(&body)?;
    let changed = shared.change_and_tell(|world, now| {
        let number = *world.by_deployment.get(&id).ok_or_else(|| missing("deployment", &id))?;
        if let (Some(run), Some(output)) = (world.runs.get_mut(&number), bot_output) {
            run.output = output;
        }
        if status.eq_ignore_ascii_case("UNKNOWN") {
            world.lose(number, true, now);
        } else {
            if let Some(run) = world.runs.get_mut(&number) {
                run.lost = false;
            }
            world.set(number, Status::parse(&status), now);
        }
        if let (Some(run), Some(message)) = (world.runs.get_mut(&number), message) {
            run.message = Some(message);
        }
        Ok(())
    });
    changed.await?;
    deployment(State(shared), Path(id)).await
}

/// All that is to go wrong from now on: what is not named goes right.
async fn change_faults(State(shared): Sim, body: Bytes) -> Answer {
    let new: Faults = read(&body)?;
    Ok(Json(shared.change(|world, _| {
        world.faults = new;
        json!(world.faults)
    })))
}

async fn clear_faults(State(shared): Sim) -> StatusCode {
    shared.change(|world, _| world.faults = Faults::default());
    StatusCode::NO_CONTENT
}

/// Changes what is named.
async fn change_tickets(State(shared): Sim, body: Bytes) -> Answer {
    let told = read(&body)?;
    shared.change(|world, _| world.tickets = told);
    Ok(Json(json!({})))
}

/// A list of objects, each of one robot.
async fn tickets(State(shared): Sim) -> Answer {
    let told = shared.look(|world| world.tickets.clone());
    let told = told.ok_or_else(|| Refusal::new(500, "no figures today"))?;
    Ok(Json(told.into_iter().map(|(name, count)| json!({ name: count })).collect()))
}

async fn change_settings(State(shared): Sim, body: Bytes) -> Answer {
    let Value::Object(new) = doors::read(&body)? else {
        return Err(Refusal::new(400, "settings are an object"));
    };
    shared.change(|world, _| {
        let mut all = json!(world.settings);
        all["secret"] = json!(world.settings.secret);
        for (name, value) in new {
            all[name] = value;
        }
        let settings: Settings =
            serde_json::from_value(all).map_err(|error| Refusal::new(400, error.to_string()))?;
        world.settings = settings;
        Ok(Json(json!(world.settings)))
    })
}

async fn clock(State(shared): Sim) -> Json<Value> {
    Json(json!({ "now": shared.now(), "manual": shared.is_manual() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    advance_seconds: Option<f64>,
    now: Option<Timestamp>,
}

/// Answers when everything due on the way has happened and every callback was sent.
async fn move_clock(State(shared): Sim, body: Bytes) -> Answer {
    if !shared.is_manual() {
        return Err(Refusal::new(409, "The clock is real; start with --clock manual"));
    }
    let to = match read(&body)? {
        Move { now: Some(now), advance_seconds: None } => now,
        Move { now: None, advance_seconds: Some(seconds) } if seconds >= 0.0 => {
            let by: SignedDuration = length(seconds);
            shared.now().saturating_add(by).unwrap_or(Timestamp::MAX)
        }
        Move { .. } => return Err(Refusal::new(400, "advance_seconds, or now; never back")),
    };
    let ticks = shared.move_to(to).await?;
    Ok(Json(json!({ "now": shared.now(), "ticks": ticks })))
}

async fn reset(State(shared): Sim) -> Json<Value> {
    shared.reset();
    Json(json!({ "now": shared.now() }))
}

//! Devices, bots and users: made, changed, taken offline.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{post, put};
use axum::{Json, Router};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::access::Refusal;
use super::control::{missing, read};
use super::server::Shared;
use super::settings::length;
use super::status::Outcome;
use super::world::{Account, Bot, Machine, World};

type Sim = State<Arc<Shared>>;
type Answer = Result<Json<Value>, Refusal>;
type Made = Result<(StatusCode, Json<Value>), Refusal>;

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/sim/devices", post(add_device))
        .route("/sim/devices/{id}", put(change_device))
        .route("/sim/bots", post(add_bot))
        .route("/sim/bots/{id}", put(change_bot))
        .route("/sim/users", post(add_user))
        .route("/sim/users/{id}", put(change_user))
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DeviceChange {
    id: Option<i64>,
    host_name: Option<String>,
    connected: Option<bool>,
    lose_track: Option<bool>,
    user_ids: Option<Vec<i64>>,
}

async fn add_device(State(shared): Sim, body: Bytes) -> Made {
    let change: DeviceChange = read(&body)?;
    let record = shared.change(|world, now| {
        let id = change.id.unwrap_or_else(|| free(world.devices.keys().next_back(), 101));
        world.devices.entry(id).or_insert_with(|| Machine::new(format!("PC-{id}")));
        apply_device(world, id, &change, now)
    });
    record.map(|record| (StatusCode::CREATED, Json(record)))
}

async fn change_device(State(shared): Sim, Path(id): Path<i64>, body: Bytes) -> Answer {
    let change: DeviceChange = read(&body)?;
    let apply = |world: &mut World, now| apply_device(world, id, &change, now);
    shared.change_and_tell(apply).await.map(Json)
}

fn apply_device(
    world: &mut World,
    id: i64,
    change: &DeviceChange,
    now: Timestamp,
) -> Result<Value, Refusal> {
    let machine = world.machine(id).ok_or_else(|| missing("device", &id))?;
    if let Some(host) = &change.host_name {
        machine.host.clone_from(host);
    }
    machine.connected = change.connected.unwrap_or(machine.connected);
    machine.lost = change.lose_track.unwrap_or(machine.lost);
    for user in change.user_ids.iter().flatten() {
        let account = world.user(*user).ok_or_else(|| missing("user", user))?;
        account.device = Some(id);
    }
    // A device that nobody has is the device of the user with its number.
    if !world.users.values().any(|account| account.device == Some(id)) {
        world.user(id);
    }
    if let Some(lost) = change.lose_track {
        // What has ended and was told of is known; what ended unseen is not.
        let concerned = world.runs.iter().filter(|(_, run)| run.device == id);
        let concerned = concerned.filter(|(_, run)| run.lost || !run.status.is_final());
        let numbers: Vec<u64> = concerned.map(|(number, _)| *number).collect();
        for number in numbers {
            world.lose(number, lost, now);
        }
    }
    world.pass_on(id, now);
    Ok(world.device_record(id))
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BotChange {
    id: Option<i64>,
    name: Option<String>,
    path: Option<String>,
    description: Option<String>,
    duration_seconds: Option<f64>,
    outcome: Option<String>,
    failure_pct: Option<u8>,
}

async fn add_bot(State(shared): Sim, body: Bytes) -> Made {
    let change: BotChange = read(&body)?;
    let record = shared.change(|world, _| {
        let id = change.id.unwrap_or_else(|| free(world.bots.keys().next_back(), 1001));
        world.bots.entry(id).or_insert_with(|| Bot::numbered(id));
        apply_bot(world, id, &change)
    });
    record.map(|record| (StatusCode::CREATED, Json(record)))
}

async fn change_bot(State(shared): Sim, Path(id): Path<i64>, body: Bytes) -> Answer {
    let change: BotChange = read(&body)?;
    shared.change(|world, _| apply_bot(world, id, &change)).map(Json)
}

fn apply_bot(world: &mut World, id: i64, change: &BotChange) -> Result<Value, Refusal> {
    let outcome = match change.outcome.as_deref() {
        None => None,
        Some(outcome) => Some(Outcome::parse(outcome).ok_or_else(|| {
            Refusal::new(
                400,
                "outcome is COMPLETED, RUN_FAILED, RUN_ABORTED, RUN_TIMED_OUT, DEPLOY_FAILED, \
                 UNKNOWN or RUNNING",
            )
        })?),
    };
    if change.failure_pct.is_some_and(|share| share > 100) {
        return Err(Refusal::new(400, "failure_pct is at most 100"));
    }
    let bot = world.bot(id).ok_or_else(|| missing("bot", &id))?;
    let texts = [
        (&mut bot.name, &change.name),
        (&mut bot.path, &change.path),
        (&mut bot.description, &change.description),
    ];
    for (text, new) in texts {
        if let Some(new) = new {
            text.clone_from(new);
        }
    }
    bot.duration = change.duration_seconds.map(length).or(bot.duration);
    bot.outcome = outcome.unwrap_or(bot.outcome);
    bot.failure_pct = change.failure_pct.unwrap_or(bot.failure_pct);
    Ok(world.bot_record(id))
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct UserChange {
    id: Option<i64>,
    username: Option<String>,
    license_features: Option<Vec<String>>,
    device_id: Link,
}

/// Which default device a user gets; null takes it away.
#[derive(Clone, Copy, Default)]
enum Link {
    #[default]
    Unsaid,
    Nothing,
    Device(i64),
}

impl<'de> Deserialize<'de> for Link {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(from)?.map_or(Self::Nothing, Self::Device))
    }
}

async fn add_user(State(shared): Sim, body: Bytes) -> Made {
    let change: UserChange = read(&body)?;
    let record = shared.change(|world, _| {
        let id = change.id.unwrap_or_else(|| free(world.users.keys().next_back(), 201));
        world.users.entry(id).or_insert_with(|| Account::numbered(id, None));
        apply_user(world, id, &change)
    });
    record.map(|record| (StatusCode::CREATED, Json(record)))
}

async fn change_user(State(shared): Sim, Path(id): Path<i64>, body: Bytes) -> Answer {
    let change: UserChange = read(&body)?;
    shared.change(|world, _| apply_user(world, id, &change)).map(Json)
}

fn apply_user(world: &mut World, id: i64, change: &UserChange) -> Result<Value, Refusal> {
    if let Link::Device(device) = change.device_id {
        world.machine(device).ok_or_else(|| missing("device", &device))?;
    }
    let account = world.user(id).ok_or_else(|| missing("user", &id))?;
    if let Some(username) = &change.username {
        account.username.clone_from(username);
    }
    if let Some(licence) = &change.license_features {
        account.license_features.clone_from(licence);
    }
    match change.device_id {
        Link::Unsaid => {}
        Link::Nothing => account.device = None,
        Link::Device(device) => account.device = Some(device),
    }
    Ok(world.user_record(id))
}

fn free(last: Option<&i64>, first: i64) -> i64 {
    last.map_or(first, |last| last.saturating_add(1).max(first))
}

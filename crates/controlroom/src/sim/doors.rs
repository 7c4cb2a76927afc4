//! The entrances that every Control Room has.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use engine::Word as _;
use futures::stream;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::access::Refusal;
use super::deploying::Order;
use super::faults::{Door, Fault, Subject};
use super::listing::{ACTIVITY_FIELDS, DEVICE_FIELDS, FILE_FIELDS, USER_FIELDS};
use super::select::{Record, select};
use super::server::Shared;
use super::world::World;
use crate::query::Query;

type Sim = State<Arc<Shared>>;

/// What is done at an entrance.
type Work = fn(&mut World, Timestamp, &Value) -> Result<Value, Refusal>;

pub(super) fn routes() -> Router<Arc<Shared>> {
    let sign_in = |work: Work| {
        post(move |sim: Sim, body: Bytes| enter(sim, Door::Authentication, None, body, work))
    };
    // For those who bring a token.
    let at = |door: Door, work: Work| {
        post(move |sim: Sim, headers: HeaderMap, body: Bytes| {
            enter(sim, door, Some(headers), body, work)
        })
    };
    let activity: Work = |world, now, body| list(world.activities(now), ACTIVITY_FIELDS, body);
    let devices: Work = |world, _, body| list(world.device_records(), DEVICE_FIELDS, body);
    let users: Work = |world, _, body| list(world.user_records(), USER_FIELDS, body);
    let files: Work = |world, _, body| list(world.file_records(), FILE_FIELDS, body);
    Router::new()
        .route("/v2/authentication", sign_in(|world, now, body| world.log_in(body, now)))
        .route("/v1/authentication/token", sign_in(|world, now, body| world.renew(body, now)))
        .route("/v4/automations/deploy", at(Door::Deploy, deploy))
        .route("/v3/activity/list", at(Door::Activity, activity))
        .route(
            "/v3/activity/manage",
            at(Door::Manage, |world, now, body| Ok(manage(world, now, body))),
        )
        .route("/v2/devices/list", at(Door::Devices, devices))
        .route("/v1/usermanagement/users/list", at(Door::Users, users))
        .route("/v2/usermanagement/users/list", at(Door::UsersV2, users))
        .route("/v2/repository/workspaces/public/files/list", at(Door::Files, files))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let body = json!({ "code": status.as_str(), "details": null, "message": self.message });
        (status, Json(body)).into_response()
    }
}

/// What is not JSON is not heard; nothing at all is an empty request.
pub(super) fn read(body: &[u8]) -> Result<Value, Refusal> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(body).map_err(|error| Refusal::new(400, format!("Bad JSON: {error}")))
}

fn token(headers: &HeaderMap) -> Option<&str> {
    headers.get("X-Authorization")?.to_str().ok()
}

fn manage(world: &mut World, now: Timestamp, body: &Value) -> Value {
    let ids = body["stop_executions"]["execution_ids"].as_array();
    let ids: Vec<&str> = ids.into_iter().flatten().filter_map(Value::as_str).collect();
    let failed = world.stop(&ids, now).into_iter().map(|id| {
        let message = "The execution is not active or was not found";
        json!({ "execution_id": id, "error_response": { "message": message } })
    });
    json!({ "manage_action_errors": failed.collect::<Vec<_>>() })
}

fn list<T: Record>(records: Vec<T>, fields: &str, body: &Value) -> Result<Value, Refusal> {
    let query: Query = serde_json::from_value(body.clone())
        .map_err(|error| Refusal::new(400, format!("Bad request: {error}")))?;
    select(records, fields, &query).map_err(|message| Refusal::new(400, message))
}

fn deploy(world: &mut World, now: Timestamp, body: &Value) -> Result<Value, Refusal> {
    let id = world.deploy(Order::read(body)?, now)?;
    Ok(json!({ "deploymentId": id, "automationName": body["automationName"] }))
}

/// Every entrance: who is not let in is told so; then whatever is to go wrong here does.
async fn enter(
    State(shared): Sim,
    door: Door,
    headers: Option<HeaderMap>,
    body: Bytes,
    work: Work,
) -> Response {
    let body = match read(&body) {
        Ok(body) => body,
        Err(refusal) => return refusal.into_response(),
    };
    let begun = shared.change(|world, now| {
        *world.requests.entry(door.word()).or_default() += 1;
        if let Some(headers) = &headers {
            world.admit(token(headers), now)?;
        }
        let subject = match door {
            Door::Deploy => world.subject(&Order::read(&body)?),
            _ => Subject::default(),
        };
        Ok(world.faults.at(door).take(subject))
    });
    let fault = match begun {
        Ok(fault) => fault.unwrap_or_default(),
        Err(refusal) => return Refusal::into_response(refusal),
    };
    let done = || {
        shared.change(|world, now| {
            world.hides = fault.hide_seconds;
            work(world, now, &body)
        })
    };
    if fault.after_accept {
        let answer = done();
        tokio::time::sleep(fault.delay()).await;
        return spoilt(&fault).unwrap_or_else(|| respond(answer));
    }
    if fault.delay_ms.is_some() {
        tokio::time::sleep(fault.delay()).await;
    }
    spoilt(&fault).unwrap_or_else(|| respond(done()))
}

fn respond(answer: Result<Value, Refusal>) -> Response {
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

/// What is answered in place of an answer, if anything is.
fn spoilt(fault: &Fault) -> Option<Response> {
    if fault.is_silence() {
        // A body that fails closes the connection before the answer is whole.
        let broken = stream::iter([Err::<Bytes, _>(std::io::Error::other("dropped"))]);
        return Some(Body::from_stream(broken).into_response());
    }
    let mut response = match (&fault.body, fault.status) {
        (Some(body), status) => {
            let status = StatusCode::from_u16(status.unwrap_or(200)).unwrap_or_default();
            (status, [(header::CONTENT_TYPE, "application/json")], body.clone()).into_response()
        }
        (None, Some(status)) => {
            let message = fault.message.as_deref().unwrap_or("Simulated fault");
            Refusal::new(status, message).into_response()
        }
        (None, None) => return None,
    };
    let wait = fault.retry_after.as_ref().map(|wait| HeaderValue::from_str(&wait.header()));
    if let Some(Ok(wait)) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, wait);
    }
    Some(response)
}

//! The entrances that every Control Room has.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
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

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v2/authentication", post(authenticate))
        .route("/v1/authentication/token", post(renew))
        .route("/v4/automations/deploy", post(deploy))
        .route("/v3/activity/list", post(activity))
        .route("/v3/activity/manage", post(manage))
        .route("/v2/devices/list", post(devices))
        .route("/v2/usermanagement/users/list", post(users))
        .route("/v2/repository/workspaces/public/files/list", post(files))
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

async fn authenticate(sim: Sim, body: Bytes) -> Response {
    let work = |world: &mut World, now, body: &Value| world.log_in(body, now);
    enter(sim, Door::Authentication, None, body, work).await
}

async fn renew(sim: Sim, body: Bytes) -> Response {
    let work = |world: &mut World, now, body: &Value| world.renew(body, now);
    enter(sim, Door::Authentication, None, body, work).await
}

async fn activity(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work =
        |world: &mut World, _, body: &Value| list(world.activities(), &ACTIVITY_FIELDS, body);
    enter(sim, Door::Activity, Some(&headers), body, work).await
}

async fn devices(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work =
        |world: &mut World, _, body: &Value| list(world.device_records(), &DEVICE_FIELDS, body);
    enter(sim, Door::Devices, Some(&headers), body, work).await
}

async fn users(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work = |world: &mut World, _, body: &Value| list(world.user_records(), &USER_FIELDS, body);
    enter(sim, Door::Users, Some(&headers), body, work).await
}

async fn files(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work = |world: &mut World, _, body: &Value| list(world.file_records(), &FILE_FIELDS, body);
    enter(sim, Door::Files, Some(&headers), body, work).await
}

async fn manage(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work = |world: &mut World, now, body: &Value| {
        let ids = body["stop_executions"]["execution_ids"].as_array();
        let ids: Vec<&str> = ids.into_iter().flatten().filter_map(Value::as_str).collect();
        let failed = world.stop(&ids, now).into_iter().map(|id| {
            let message = "The execution is not active or was not found";
            json!({ "execution_id": id, "error_response": { "message": message } })
        });
        Ok(json!({ "manage_action_errors": failed.collect::<Vec<_>>() }))
    };
    enter(sim, Door::Manage, Some(&headers), body, work).await
}

fn list<T: Record>(records: Vec<T>, fields: &[&str], body: &Value) -> Result<Value, Refusal> {
    let query: Query = serde_json::from_value(body.clone())
        .map_err(|error| Refusal::new(400, format!("Bad request: {error}")))?;
    select(records, fields, &query).map_err(|message| Refusal::new(400, message))
}

async fn deploy(sim: Sim, headers: HeaderMap, body: Bytes) -> Response {
    let work = |world: &mut World, now, body: &Value| {
        let order = Order::read(body)?;
        let id = world.deploy(order, now)?;
        Ok(json!({ "deploymentId": id, "automationName": body["automationName"] }))
    };
    enter(sim, Door::Deploy, Some(&headers), body, work).await
}

/// Every entrance: who is not let in is told so; then whatever is to go wrong here does.
async fn enter(
    State(shared): Sim,
    door: Door,
    headers: Option<&HeaderMap>,
    body: Bytes,
    work: impl FnOnce(&mut World, Timestamp, &Value) -> Result<Value, Refusal>,
) -> Response {
    let body = match read(&body) {
        Ok(body) => body,
        Err(refusal) => return refusal.into_response(),
    };
    let begun = shared.change(|world, now| {
        *world.requests.entry(door.word()).or_default() += 1;
        if let Some(headers) = headers {
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
    if fault.after_accept {
        let answer = shared.change(|world, now| work(world, now, &body));
        tokio::time::sleep(fault.delay()).await;
        return spoilt(&fault).unwrap_or_else(|| respond(answer));
    }
    if fault.delay_ms.is_some() {
        tokio::time::sleep(fault.delay()).await;
    }
    spoilt(&fault).unwrap_or_else(|| respond(shared.change(|world, now| work(world, now, &body))))
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

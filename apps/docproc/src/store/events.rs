//! What happened, for everyone who watches.

use db::{Decision, events::NewEvent};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::model::Status;
use engine::Word as _;

fn emit(decision: &mut Decision, name: &'static str, request: &str, data: Json) {
    let subject = Some(format!("request/{request}"));
    decision.emit(NewEvent { app: crate::NAME, name, subject, data });
}

pub fn received(decision: &mut Decision, request: &str, workflow: &str, files: usize) {
    let data = json!({ "request_id": request, "workflow_name": workflow, "files": files });
    emit(decision, "request.received", request, data);
}

pub fn status(decision: &mut Decision, request: &str, status: Status) {
    let data = json!({ "request_id": request, "status": status.word() });
    emit(decision, "request.status", request, data);
}

pub fn completed(decision: &mut Decision, request: &str, documents: usize) {
    let data = json!({ "request_id": request, "status": "completed", "documents": documents });
    emit(decision, "request.completed", request, data);
}

pub fn failed(decision: &mut Decision, request: &str, code: &str, error: &str) {
    let data = json!({ "request_id": request, "status": "failed", "code": code, "error": error });
    emit(decision, "request.failed", request, data);
}

pub fn cancelled(decision: &mut Decision, request: &str, by: &str) {
    let data = json!({ "request_id": request, "status": "cancelled", "by": by });
    emit(decision, "request.cancelled", request, data);
}

pub fn restarted(decision: &mut Decision, request: &str, stage: &str, by: &str) {
    let data = json!({ "request_id": request, "stage": stage, "by": by });
    emit(decision, "request.restarted", request, data);
}

pub fn review(decision: &mut Decision, request: &str, task: &str, kind: &str) {
    let data = json!({ "request_id": request, "task_id": task, "task_type": kind });
    emit(decision, "task.created", request, data);
}

/// A checkpoint of its deadline was reached.
pub fn deadline(decision: &mut Decision, request: &str, name: &'static str, deadline: Timestamp) {
    let data = json!({ "request_id": request, "deadline_utc": deadline });
    emit(decision, name, request, data);
}

/// An answer was given that lacks some documents.
pub fn partial(decision: &mut Decision, request: &str, kind: &str, pending: usize) {
    let data = json!({ "request_id": request, "kind": kind, "pending": pending });
    emit(decision, "request.partial", request, data);
}

/// A task changed hands: `task.assigned`, `task.timeout`, `task.released`, `task.completed`.
pub fn task(decision: &mut Decision, name: &'static str, request: &str, task: &str, by: &str) {
    let data = json!({ "request_id": request, "task_id": task, "operator": by });
    emit(decision, name, request, data);
}

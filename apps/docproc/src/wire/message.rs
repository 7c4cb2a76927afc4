//! *`PipelineMessage`* (§2.3): the envelope that travels through every queue.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{
    drivers::runtime::ROUTER,
    model::Item,
    rules::{topology, workflow::Workflow},
    store::steps::BACKOFFICE,
};

/// Who sends a request on its way.
pub const GATEWAY: &str = "api_gateway";

/// The nine fields of §2.3, and which of our messages it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineMessage {
    pub request_id: String,
    pub trace_id: String,
    pub workflow_name: String,
    pub current_stage: String,
    /// Who produced it.
    pub source_component: String,
    pub payload: Map<String, Json>,
    pub page_index: Option<u32>,
    pub document_id: Option<String>,
    pub deadline_utc: Timestamp,
    pub metadata: Mark,
}

/// Tells a message from every other, also from the same one tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub message_id: i64,
    pub attempt: i64,
}

/// What is on the outside of a message: nothing that its documents say.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    pub id: i64,
    pub attempt: i64,
    pub request: String,
    pub trace: String,
    pub workflow: String,
    pub stage: String,
    pub component: String,
    /// The component whose result it follows.
    pub source: String,
    pub item: Item,
    pub deadline: Timestamp,
    /// The routing key that its stage asks for.
    pub key: String,
    /// Whether it waits for somebody to take it, and since or from when.
    pub ready: bool,
    pub due: Timestamp,
    /// Somebody outside works on its letter.
    pub outside: bool,
}

impl PipelineMessage {
    /// For a component of ours: it finds what it works on in the database.
    pub fn small(to: &Address) -> Self {
        Self::with(to, Map::new())
    }

    pub fn with(to: &Address, payload: Map<String, Json>) -> Self {
        let (page_index, document_id) = match &to.item {
            Item::Request => (None, None),
            Item::Page(n) => (Some(*n), None),
            Item::Document(id) => (None, Some(id.clone())),
        };
        Self {
            request_id: to.request.clone(),
            trace_id: to.trace.clone(),
            workflow_name: to.workflow.clone(),
            current_stage: to.stage.clone(),
            source_component: to.source.clone(),
            payload,
            page_index,
            document_id,
            deadline_utc: to.deadline,
            metadata: Mark { message_id: to.id, attempt: to.attempt },
        }
    }
}

/// A message with where it goes, for whoever carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    pub component: String,
    /// The routing key that its stage asks for.
    pub key: String,
    pub message: PipelineMessage,
}

/// The routing key of a stage.
pub fn key(workflow: &Workflow, at: i32) -> &str {
    let stage = usize::try_from(at).ok().and_then(|at| workflow.stages.get(at));
    stage.map_or(topology::NEW_REQUEST, |stage| &stage.routing_key)
}

/// Who sends something to a stage: the component before it, or the person who answered about it
/// there.
pub fn source(workflow: &Workflow, at: i32, by_person: bool) -> &str {
    match usize::try_from(at) {
        _ if by_person => BACKOFFICE,
        Err(_) => GATEWAY,
        Ok(0) => ROUTER,
        Ok(at) => workflow.stages.get(at - 1).map_or(ROUTER, |stage| stage.component_name()),
    }
}

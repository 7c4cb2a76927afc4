//! The words of the outside contract (§2.3, §13; wire: `DocProc`).

pub mod message;
pub mod people;

use engine::Word as _;
use host::Actor;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{FieldValue, Item, Origin, Status},
    policy::Role,
    store::{
        documents::DocumentRow,
        pages::PageRow,
        partial::Partial,
        requests::{Aside, FileRow, RequestRow},
        reviews::TaskRow,
    },
};

pub fn role_of(actor: &Actor) -> Option<Role> {
    actor.role_in(crate::NAME).and_then(Role::from_word)
}

/// Events carry ids and states, never what documents say; whoever has a role may see them, but for
/// workers outside, who see what they fetch.
pub fn redact(actor: &Actor, _: &str, data: Json) -> Option<Json> {
    role_of(actor).filter(|role| *role != Role::Component).map(|_| data)
}

/// `GET /status/{id}` (§13.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct StatusView {
    pub request_id: String,
    #[schema(example = "completed")]
    pub status: &'static str,
    pub workflow_name: String,
    pub created_at: Timestamp,
    pub deadline_utc: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub page_count: Option<u32>,
    pub document_count: Option<u32>,
    #[schema(value_type = Option<Object>)]
    pub result: Option<Json>,
    pub error: Option<String>,
    /// Whether the result lacks documents that are still at work.
    pub partial: bool,
    pub pending: Vec<Json>,
    /// Questions that wait for a person.
    pub questions: u32,
    pub sla_breached_at: Option<Timestamp>,
}

impl StatusView {
    pub fn new(row: &RequestRow, so_far: Option<Partial>, questions: u32, lang: Lang) -> Self {
        let late = row.breached_at.is_some() && !row.status.is_final();
        let (part, pending) = so_far.map(|one| (one.result, one.pending)).unzip();
        Self {
            request_id: row.id.clone(),
            status: if late { "sla_breached" } else { row.status.word() },
            workflow_name: row.workflow_name.clone(),
            created_at: row.created_at,
            deadline_utc: row.deadline,
            completed_at: row.completed_at,
            page_count: row.page_count,
            document_count: row.document_count,
            partial: row.result.is_none() && part.is_some(),
            result: row.result.clone().or(part),
            error: row.error.as_deref().map(|error| lang.told(error)),
            // Of what has ended nothing is waited for any more.
            pending: pending.filter(|_| !row.status.is_final()).unwrap_or_default(),
            questions,
            sla_breached_at: row.breached_at,
        }
    }
}

/// A request in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestView {
    pub id: String,
    pub external_id: Option<String>,
    pub channel: String,
    pub workflow_name: String,
    #[schema(example = "processing")]
    pub status: &'static str,
    pub priority: i64,
    pub sla_seconds: f64,
    pub deadline_utc: Timestamp,
    pub page_count: Option<u32>,
    pub document_count: Option<u32>,
    pub error: Option<String>,
    pub error_code: Option<String>,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub sla_breached_at: Option<Timestamp>,
    /// When its contents were removed; the counts stay.
    pub cleared_at: Option<Timestamp>,
}

impl RequestView {
    pub fn new(row: &RequestRow, lang: Lang) -> Self {
        Self {
            id: row.id.clone(),
            external_id: row.external_id.clone(),
            channel: row.channel.clone(),
            workflow_name: row.workflow_name.clone(),
            status: row.status.word(),
            priority: row.priority,
            sla_seconds: row.sla_seconds,
            deadline_utc: row.deadline,
            page_count: row.page_count,
            document_count: row.document_count,
            error: row.error.as_deref().map(|error| lang.told(error)),
            error_code: row.error_code.clone(),
            created_at: row.created_at,
            completed_at: row.completed_at,
            sla_breached_at: row.breached_at,
            cleared_at: row.cleared_at,
        }
    }
}

/// Everything about one request.
#[derive(Debug, Serialize, ToSchema)]
pub struct RequestDetail {
    #[serde(flatten)]
    pub request: RequestView,
    pub trace_id: String,
    pub metadata: Json,
    pub workflow_version: i64,
    pub duplicate_of: Option<String>,
    pub created_by: String,
    #[schema(value_type = Option<Object>)]
    pub result: Option<Json>,
    pub files: Vec<FileView>,
    pub pages: Vec<PageView>,
    pub documents: Vec<DocumentView>,
    /// *Fan-in*: how many of how many have come, per join.
    pub fan_in: Vec<FanIn>,
    pub timeline: Vec<TimelineView>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct FileView {
    pub n: u32,
    pub name: String,
    pub kind: String,
    pub bytes: u64,
    pub sha256: String,
    pub packed_in: Option<u32>,
    pub pages: Option<u32>,
    /// Of an archive: what in it could not be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<Aside>,
}

impl FileView {
    pub fn new(file: &FileRow) -> Self {
        Self {
            n: file.n,
            name: file.name.clone(),
            kind: file.kind.clone(),
            bytes: file.bytes,
            sha256: file.sha256.clone(),
            packed_in: file.packed_in,
            pages: file.pages,
            set_aside: file.set_aside.clone(),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PageView {
    pub page_index: u32,
    pub file: u32,
    pub page_in_file: u32,
    #[schema(example = "PENDIENTE_OCR")]
    pub status: &'static str,
    pub stage: Option<String>,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub ocr_text: Option<String>,
    pub ocr_confidence: Option<f64>,
    pub ocr_source: Option<String>,
    pub doc_type: Option<String>,
    pub classification_confidence: Option<f64>,
    /// Pairs of type and probability, best first.
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    pub scores: Option<Json>,
    #[schema(value_type = String)]
    pub origin: Origin,
    pub document_id: Option<String>,
    pub image_url: String,
}

impl PageView {
    pub fn new(request: &str, page: &PageRow, stage: Option<String>) -> Self {
        Self {
            page_index: page.n,
            file: page.file,
            page_in_file: page.page_in_file,
            status: page.status(),
            stage,
            width: page.width,
            height: page.height,
            ocr_text: page.ocr_text.clone(),
            ocr_confidence: page.ocr_confidence,
            ocr_source: page.ocr_source.clone(),
            doc_type: page.doc_type.clone(),
            classification_confidence: page.classification_confidence,
            scores: page.scores.clone(),
            origin: page.origin,
            document_id: page.document_id.clone(),
            image_url: format!("/api/docproc/requests/{request}/pages/{}/image", page.n),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentView {
    pub document_id: String,
    pub doc_type: String,
    pub page_indices: Vec<u32>,
    #[schema(example = "completed")]
    pub status: &'static str,
    #[schema(value_type = Option<Object>)]
    pub extracted_data: Option<Json>,
    pub extraction_confidence: Option<f64>,
    #[schema(value_type = String)]
    pub origin: Origin,
    #[schema(value_type = Vec<Object>)]
    pub fields: Vec<FieldValue>,
}

impl DocumentView {
    pub fn new(document: &DocumentRow, settled: bool) -> Self {
        Self {
            document_id: document.id.clone(),
            doc_type: document.doc_type.clone(),
            page_indices: document.page_indices(),
            status: document.status(settled),
            extracted_data: document.extracted_data.clone(),
            extraction_confidence: document.extraction_confidence,
            origin: document.origin,
            fields: document.fields.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FanIn {
    pub stage: String,
    pub expected: u32,
    pub received: u32,
    pub is_complete: bool,
}

/// One stage of one item.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimelineView {
    pub stage: String,
    pub component: String,
    pub page_index: Option<u32>,
    pub document_id: Option<String>,
    pub state: String,
    pub attempt: i64,
    pub queued_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub worker: Option<String>,
    pub error: Option<String>,
}

impl TimelineView {
    pub fn of_item(item: &Item) -> (Option<u32>, Option<String>) {
        match item {
            Item::Request => (None, None),
            Item::Page(n) => (Some(*n), None),
            Item::Document(id) => (None, Some(id.clone())),
        }
    }
}

/// A task in the seed's list (§13.4).
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskView {
    pub id: String,
    pub request_id: String,
    pub task_type: String,
    pub status: String,
    pub priority: i64,
    pub assigned_to: Option<String>,
    pub created_at: Timestamp,
    pub deadline_utc: Timestamp,
    pub required_skills: Json,
    /// The stage of the workflow that asked.
    pub source_stage: String,
    pub workflow_name: String,
    /// The team's queue it waits in.
    #[schema(example = "task.classification")]
    pub backoffice_queue: String,
    pub input_data: Json,
    /// Of an answer that can still be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_until: Option<Timestamp>,
}

impl From<TaskRow> for TaskView {
    fn from(row: TaskRow) -> Self {
        Self {
            id: row.id,
            request_id: row.request_id,
            task_type: row.task_type,
            status: row.status.word().to_owned(),
            priority: row.priority,
            assigned_to: row.assigned_to,
            created_at: row.created_at,
            deadline_utc: row.deadline,
            required_skills: row.required_skills,
            source_stage: row.source_stage,
            workflow_name: row.workflow_name,
            backoffice_queue: row.queue,
            input_data: row.input_data,
            undo_until: None,
        }
    }
}

/// Statuses a list can be narrowed to.
pub fn known_status(word: &str) -> bool {
    Status::from_word(word).is_some() || matches!(word, "open" | "review" | "sla_breached")
}

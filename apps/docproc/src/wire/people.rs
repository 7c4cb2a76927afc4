//! The back office on the wire (§13.4).

use jiff::{Timestamp, civil::Time};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use understand::extract::CellKind;
use utoipa::ToSchema;

use super::TaskView;
use crate::{
    model::{EvidenceBox, RuleOutcome},
    rules::shift::{Day, Shift},
    store::{corrections::CorrectionRow, operators::OperatorRow},
};

/// Everything a person needs to answer a task.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskDetail {
    #[serde(flatten)]
    pub task: TaskView,
    pub claimed: bool,
    pub assigned_at: Option<Timestamp>,
    /// When it is offered to somebody else unless its operator is heard of.
    pub lapses_at: Option<Timestamp>,
    pub postponed_until: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub file_name: String,
    pub external_id: Option<String>,
    /// The types a page of this workflow may have.
    pub types: Vec<TypeChoice>,
    /// Of a page under review, likeliest first.
    pub scores: Vec<TypeScore>,
    pub doc_type: Option<String>,
    /// The pages the task is about.
    pub page_indices: Vec<u32>,
    pub fields: Vec<FieldDetail>,
    /// All pages of the request.
    pub pages: Vec<PageBrief>,
    /// What this operator had typed.
    #[schema(value_type = Option<Object>)]
    pub draft: Option<Json>,
    pub now: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TypeChoice {
    pub word: String,
    pub title: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TypeScore {
    pub word: String,
    pub title: String,
    pub confidence: f64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FieldDetail {
    pub name: String,
    pub title: String,
    #[schema(example = "decimal")]
    pub kind: String,
    /// The allowed ones of an enum.
    pub values: Vec<String>,
    /// Of a table, whose value is a list of rows: a value, or null, for each of these.
    pub columns: Vec<ColumnDetail>,
    pub value: Option<String>,
    /// As printed on the paper.
    pub printed: Option<String>,
    pub confidence: f64,
    pub required: bool,
    pub needs_review: bool,
    #[schema(value_type = Vec<Object>)]
    pub boxes: Vec<EvidenceBox>,
    #[schema(value_type = Vec<Object>)]
    pub rules: Vec<RuleOutcome>,
    /// Pairs of value and probability.
    #[schema(value_type = Vec<Object>)]
    pub alternatives: Vec<(String, f64)>,
}

/// A column of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct ColumnDetail {
    pub name: String,
    pub title: String,
    /// `text`, `number`, `money` or `percent`.
    #[schema(value_type = String, example = "money")]
    pub kind: CellKind,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PageBrief {
    pub page_index: u32,
    pub file: u32,
    pub image_url: String,
    pub words_url: String,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub doc_type: Option<String>,
    pub title: Option<String>,
    pub document_id: Option<String>,
}

/// *Operador*.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorView {
    pub username: String,
    pub display_name: String,
    pub skills: Vec<String>,
    #[schema(value_type = Vec<ShiftBody>)]
    pub shifts: Vec<Shift>,
    pub is_active: bool,
    /// Whether their hours are now.
    pub in_shift: bool,
    /// `here`, `assumed` or `silent`.
    pub presence: &'static str,
    pub seen_at: Option<Timestamp>,
    /// Tasks in their hands.
    pub open_tasks: u32,
    pub created_at: Timestamp,
    pub version: i64,
}

/// What an administrator says of an operator.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorBody {
    #[schema(max_length = 100)]
    pub username: Option<String>,
    #[schema(max_length = 200)]
    pub display_name: Option<String>,
    pub skills: Option<Vec<String>>,
    pub shifts: Option<Vec<ShiftBody>>,
    pub is_active: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShiftBody {
    /// `mon`…`sun`, `Lu`…`Do` or 1–7; none: every day.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub days: Vec<Json>,
    /// `HH:MM` of the house's zone.
    #[schema(example = "09:00")]
    pub from: String,
    #[schema(example = "17:00")]
    pub to: String,
}

impl ShiftBody {
    pub fn shift(&self) -> Option<Shift> {
        let day = |day: &Json| match day {
            Json::String(word) => Day::named(word),
            Json::Number(n) => Day::named(&n.to_string()),
            _ => None,
        };
        let time = |text: &str| text.trim().parse::<Time>().ok();
        Some(Shift {
            days: self.days.iter().map(day).collect::<Option<_>>()?,
            from: time(&self.from)?,
            to: time(&self.to)?,
        })
    }
}

/// What the machine said and what a person said.
#[derive(Debug, Serialize, ToSchema)]
pub struct CorrectionView {
    pub id: String,
    pub task_id: String,
    pub request_id: String,
    #[schema(example = "classification")]
    pub kind: String,
    pub workflow_name: String,
    pub operator: String,
    pub doc_type: String,
    #[schema(value_type = Object)]
    pub machine: Json,
    #[schema(value_type = Object)]
    pub person: Json,
    pub changed: bool,
    pub golden: bool,
    pub created_at: Timestamp,
}

impl From<CorrectionRow> for CorrectionView {
    fn from(row: CorrectionRow) -> Self {
        Self {
            id: row.id,
            task_id: row.task_id,
            request_id: row.request_id,
            kind: row.kind,
            workflow_name: row.workflow_name,
            operator: row.operator,
            doc_type: row.doc_type,
            machine: row.machine,
            person: row.person,
            changed: row.changed,
            golden: row.golden,
            created_at: row.created_at,
        }
    }
}

impl OperatorView {
    pub fn new(row: OperatorRow, in_shift: bool, presence: &'static str, open_tasks: u32) -> Self {
        Self {
            username: row.username,
            display_name: row.display_name,
            skills: row.skills,
            shifts: row.shifts,
            is_active: row.active,
            in_shift,
            presence,
            seen_at: row.seen_at,
            open_tasks,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

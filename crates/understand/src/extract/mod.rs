//! Fields of a document: found by their labels and places, weighed, checked and given a confidence.

mod amounts;
pub mod calibrate;
mod codes;
mod dates;
mod ids;
mod judge;
mod labels;
mod lexicon;
pub mod memory;
mod money;
mod order;
mod parse;
mod party;
mod reading;
mod resolve;
mod role;
mod schema;
mod sheet;
mod table;
pub(crate) mod text;
mod trees;
mod value;
mod words;

pub use judge::check_value;
use page::Rect;
pub use resolve::{extract, extract_with, observe, sight};
pub use schema::{CellKind, Column, FieldSpec, Kind, Schema, SchemaProblem, Validator};
use serde::{Deserialize, Serialize};
pub use value::{Complaint, Normalised};

/// Everything found in one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// In the order of the schema.
    pub fields: Vec<Field>,
    /// That of the least sure field; 1 for a schema without fields. A table counts where it is
    /// required: what nobody has to have sends nothing to people.
    pub confidence: f32,
    /// What the fields and the other amounts of the document say about each other.
    pub checks: Vec<Check>,
}

/// One field with everything a person needs to judge it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
    /// As printed.
    pub value: Option<String>,
    pub normalised: Option<String>,
    pub confidence: f32,
    pub required: bool,
    pub evidence: Vec<Evidence>,
    pub rules: Vec<RuleResult>,
    /// Other readings and their confidence, best first, at most three.
    pub alternatives: Vec<(String, f32)>,
}

/// Where on the document a value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Index into the pages that were given.
    pub page: usize,
    pub place: Rect,
    /// Of a table: the row and the column whose cell it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<[u16; 2]>,
}

/// One rule applied to one value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleResult {
    pub rule: String,
    pub ok: bool,
    pub detail: String,
}

/// A statement about several values of the document at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub name: String,
    pub ok: bool,
    pub sentence: String,
}

impl Extraction {
    fn new(fields: Vec<Field>, checks: Vec<Check>) -> Self {
        let counts =
            |field: &&Field| field.required || field.value.is_some() && field.kind != Kind::Table;
        let counted = fields.iter().filter(counts);
        let confidence = counted.map(|field| field.confidence).fold(1.0, f32::min);
        Self { fields, confidence, checks }
    }

    /// Name to typed value: amounts are numbers, dates ISO strings, null what was not found.
    pub fn data(&self) -> serde_json::Map<String, serde_json::Value> {
        let typed = |field: &Field| field.normalised.as_deref().map(|text| field.kind.json(text));
        let entry = |field: &Field| (field.name.clone(), typed(field).unwrap_or_default());
        self.fields.iter().map(entry).collect()
    }
}

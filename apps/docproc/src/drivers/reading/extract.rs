//! *Extractor* (§3.7): the fields of a document, with where each was found.

use std::sync::Arc;

use jiff::civil::Date;
use page::PageText;
use understand::extract::{self, memory};

use super::classify::rounded;
use crate::{
    model::{EvidenceBox, FieldValue, Reading, RuleOutcome},
    rules::workflow::Workflow,
    store::{layouts::Known, progress::Found},
};

/// `first` is the document's first page within the request; `known` are the vendors that whoever sent
/// it sends documents of.
pub(super) fn extract(
    workflow: &Workflow,
    doc_type: &str,
    pages: &[PageText],
    first: u32,
    today: Date,
    known: &[Arc<Known>],
) -> Found {
    let Some(schema) = workflow.schemas.get(doc_type) else {
        // Recognised, with nothing to extract: settled as it is.
        let (fields, extracted_data) = (Vec::new(), serde_json::Map::new());
        let (missing_required, layout) = (false, None);
        let nothing = Reading { fields, extracted_data, confidence: 1.0, missing_required, layout };
        return Found::Document(Box::new(nothing));
    };
    let pages: Vec<&PageText> = pages.iter().collect();
    let layouts: Vec<&memory::Layout> = known.iter().map(|one| &one.layout).collect();
    let (found, recalled) = memory::extract(doc_type, schema, &pages, today, &layouts);
    let layout = recalled.map(|one| (known[one.layout].id.clone(), known[one.layout].version));
    let missing_required = found.fields.iter().any(|f| f.required && f.value.is_none());
    Found::Document(Box::new(Reading {
        extracted_data: found.data(),
        confidence: rounded(found.confidence),
        missing_required,
        layout,
        fields: found.fields.into_iter().map(|field| field_value(field, first)).collect(),
    }))
}

fn field_value(field: extract::Field, first: u32) -> FieldValue {
    let place = |evidence: &extract::Evidence| {
        let page::Rect { x, y, w, h } = evidence.place;
        EvidenceBox { page: first + evidence.page as u32, x, y, w, h, cell: evidence.cell }
    };
    let rule = |rule: extract::RuleResult| RuleOutcome {
        rule: rule.rule,
        ok: rule.ok,
        detail: rule.detail,
    };
    FieldValue {
        boxes: field.evidence.iter().map(place).collect(),
        rules: field.rules.into_iter().map(rule).collect(),
        alternatives: field.alternatives.into_iter().map(|(v, p)| (v, rounded(p))).collect(),
        confidence: rounded(field.confidence),
        name: field.name,
        value: field.value,
        normalised: field.normalised,
        required: field.required,
    }
}

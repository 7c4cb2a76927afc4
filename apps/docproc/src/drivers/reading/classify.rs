//! *Classifier* (§3.4): how likely each type is, for one page.

use page::PageText;

use crate::{drivers::runtime::Runtime, rules::workflow::Workflow, store::progress::Found};

pub(super) fn classify(runtime: &Runtime, workflow: &Workflow, text: &PageText) -> Found {
    // Nobody can tell by words that are not there: what the reader said stands.
    if text.words.is_empty() {
        return Found::Page { text: None, evidence: None, scores: None };
    }
    let types = workflow.types();
    let scores = runtime.classifier.scores(text, &types);
    let scores = scores.into_iter().map(|(name, p)| (name, rounded(p))).collect();
    Found::Page { text: None, evidence: None, scores: Some(scores) }
}

/// Four digits are more than a confidence means, and 0.96 stays 0.96 in every answer.
pub(super) fn rounded(p: f32) -> f64 {
    (f64::from(p) * 10_000.0).round() / 10_000.0
}

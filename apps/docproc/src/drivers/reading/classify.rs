//! *Classifier* (§3.4): how likely each type is, for one page.

use page::PageText;

use super::{Found, Kept};
use crate::{
    drivers::runtime::Runtime,
    rules::{course::Known, workflow::Workflow},
};

pub(super) fn classify(runtime: &Runtime, workflow: &Workflow, text: &PageText) -> Found {
    // Nobody can tell by words that are not there: what the reader said stands.
    if text.words.is_empty() {
        return (Known::Page { evidence: None, scores: None }, Kept::default());
    }
    let types = workflow.types();
    let scores = runtime.classifier.scores(text, &types);
    let scores = scores.into_iter().map(|(name, p)| (name, rounded(p))).collect();
    (Known::Page { evidence: None, scores: Some(scores) }, Kept::default())
}

/// Four digits are more than a confidence means, and 0.96 stays 0.96 in every answer.
pub(super) fn rounded(p: f32) -> f64 {
    (f64::from(p) * 10_000.0).round() / 10_000.0
}

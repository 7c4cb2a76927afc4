//! *Juego de pruebas* (§11.5): an answer beside the one that was expected.
//!
//! Ids and confidences are not compared; amounts and days are compared by what they mean. The
//! fields that the expected answer names are judged, empty ones too: a field that a later version
//! of the workflow added was never promised.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use understand::extract::{FieldSpec, Kind, check_value};

use super::workflow::Workflow;
use engine::Sentence;

/// More than any answer has.
const MOST: usize = 5000;

/// An answer as far as it is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub documents: Vec<Document>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub doc_type: String,
    #[serde(rename = "page_indices")]
    pub pages: Vec<u32>,
    #[serde(rename = "extracted_data", default)]
    pub data: Map<String, Json>,
}

/// Something that is not as it was expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Difference {
    /// These pages should be a document, and are not.
    Lost {
        pages: Vec<u32>,
        expected: String,
    },
    /// These pages are a document nobody expected.
    Found {
        pages: Vec<u32>,
        got: String,
    },
    Type {
        pages: Vec<u32>,
        expected: String,
        got: String,
    },
    Field {
        pages: Vec<u32>,
        doc_type: String,
        field: String,
        expected: Json,
        got: Json,
    },
}

/// How often people would be asked, per case: a version that is right only because it asks is no
/// better. `None`: the case was not played to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManualShare {
    pub before: u32,
    pub after: u32,
}

/// Questions of the version in force and of the one that waits, over the cases that both played.
pub fn manual_share(before: &[Option<u32>], after: &[Option<u32>]) -> ManualShare {
    let both = before.iter().zip(after).filter_map(|(before, after)| before.zip(*after));
    both.fold(ManualShare::default(), |sum, (before, after)| ManualShare {
        before: sum.before + before,
        after: sum.after + after,
    })
}

impl ManualShare {
    pub const fn grows(self) -> bool {
        self.after > self.before
    }
}

/// Reads an expected answer: the result of §13.2, or its documents alone.
pub fn read(answer: &Json) -> Result<Answer, Sentence> {
    let answer: Answer = match answer {
        Json::Array(_) => {
            serde_json::from_value(answer.clone()).map(|documents| Answer { documents })
        }
        _ => serde_json::from_value(answer.clone()),
    }
    .map_err(|_| {
        // What a library says of it names our types, and not what was sent.
        Sentence::new(
            "La respuesta esperada no tiene la forma de un resultado: una lista «documents», y de cada \
             uno «doc_type», «page_indices» y «extracted_data».",
            "The expected answer does not have the form of a result: a list “documents”, and of each \
             “doc_type”, “page_indices” and “extracted_data”.",
        )
    })?;
    let mut seen = BTreeSet::new();
    let pages: Vec<u32> = answer.documents.iter().flat_map(|one| one.pages.clone()).collect();
    let once = pages.iter().all(|page| seen.insert(*page));
    let empty = answer.documents.iter().any(|one| one.pages.is_empty());
    if answer.documents.len() > MOST || !once || empty || answer.documents.is_empty() {
        return Err(Sentence::new(
            format!("La respuesta esperada tiene de 1 a {MOST} documentos, cada página en uno."),
            format!("The expected answer has 1 to {MOST} documents, each page in one of them."),
        ));
    }
    Ok(answer)
}

/// Types that a workflow does not have, in an answer that is expected of it.
pub fn strangers(answer: &Answer, workflow: &Workflow) -> BTreeSet<String> {
    let known = workflow.types();
    let strange = answer.documents.iter().filter(|one| !known.contains(&one.doc_type.as_str()));
    strange.map(|one| one.doc_type.clone()).collect()
}

/// What is not as expected; empty exactly when everything is. `today` tells which century a year of
/// two digits is in.
pub fn differences(
    expected: &Answer,
    got: &Answer,
    workflow: &Workflow,
    today: Date,
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut rest: Vec<&Document> = got.documents.iter().collect();
    for wanted in &expected.documents {
        let Some(at) = rest.iter().position(|one| one.pages == wanted.pages) else {
            let (pages, expected) = (wanted.pages.clone(), wanted.doc_type.clone());
            found.push(Difference::Lost { pages, expected });
            continue;
        };
        let given = rest.remove(at);
        if given.doc_type == wanted.doc_type {
            fields(wanted, given, workflow, today, &mut found);
        } else {
            found.push(Difference::Type {
                pages: wanted.pages.clone(),
                expected: wanted.doc_type.clone(),
                got: given.doc_type.clone(),
            });
        }
    }
    found.extend(
        rest.into_iter()
            .map(|one| Difference::Found { pages: one.pages.clone(), got: one.doc_type.clone() }),
    );
    found
}

fn fields(
    wanted: &Document,
    given: &Document,
    workflow: &Workflow,
    today: Date,
    found: &mut Vec<Difference>,
) {
    for (field, expected) in &wanted.data {
        let got = given.data.get(field).unwrap_or(&Json::Null);
        let kind = kind_of(workflow, &wanted.doc_type, field);
        if !same(kind, expected, got, today) {
            found.push(Difference::Field {
                pages: wanted.pages.clone(),
                doc_type: wanted.doc_type.clone(),
                field: field.clone(),
                expected: expected.clone(),
                got: got.clone(),
            });
        }
    }
}

pub fn kind_of(workflow: &Workflow, doc_type: &str, field: &str) -> Option<Kind> {
    let schema = workflow.schemas.get(doc_type)?;
    schema.fields.iter().find(|spec| spec.name == field).map(|spec| spec.kind)
}

/// Whether two values mean the same.
pub fn same(kind: Option<Kind>, one: &Json, other: &Json, today: Date) -> bool {
    // A table by its cells: what is said of one row is said of the other.
    if let (Json::Array(one), Json::Array(other)) = (one, other) {
        let row = |(one, other): (&Json, &Json)| same(None, one, other, today);
        return one.len() == other.len() && one.iter().zip(other).all(row);
    }
    if let (Json::Object(one), Json::Object(other)) = (one, other) {
        let cell =
            |of: &Map<String, Json>, name: &String| of.get(name).cloned().unwrap_or_default();
        let mut names = one.keys().chain(other.keys());
        return names.all(|name| same(None, &cell(one, name), &cell(other, name), today));
    }
    meaning(kind, one, today) == meaning(kind, other, today)
}

/// A value in the one form it is compared in; nothing for nothing.
fn meaning(kind: Option<Kind>, value: &Json, today: Date) -> Option<String> {
    let text = match value {
        Json::Null => return None,
        Json::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => value.to_string(),
    };
    if text.is_empty() {
        return None;
    }
    let number = matches!(kind, Some(Kind::Decimal | Kind::Integer)) || value.is_number();
    if number && let Some(plain) = plain_number(&text) {
        return Some(plain);
    }
    let Some(kind) = kind else { return Some(text) };
    match check_value(&FieldSpec::new("value", kind), &text, today) {
        Ok(value) if number => {
            let text = value.to_string();
            Some(plain_number(&text).unwrap_or(text))
        }
        Ok(value) => Some(value.to_string()),
        Err(_) => Some(text),
    }
}

/// `121`, `121.0` and `0121.00` are one number.
fn plain_number(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let part = part.trim_end_matches('0');
    let point = if part.is_empty() { "" } else { "." };
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if whole == "0" && part.is_empty() { "" } else { sign };
    Some(format!("{sign}{whole}{point}{part}"))
}

#[cfg(test)]
#[path = "golden_tests.rs"]
mod tests;

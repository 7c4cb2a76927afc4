//! *Memoria de emisores*: what a person's answer teaches about a vendor's documents, in the commit of
//! that answer, and how a vendor is forgotten.

use db::{Decision, Error, audit::Entry};
use host::By;
use page::{PageText, Rect};
use serde_json::json;
use understand::extract::{
    Evidence, Schema,
    memory::{self, Answer, Layout},
};

use super::Refusal;
use crate::{
    Context,
    model::{EvidenceBox, FieldValue},
    rules::correct::Corrected,
    store::{
        documents::DocumentRow,
        layouts::{self, NewLayout, Shelf},
        people_scope,
    },
};

/// A document that a person answered for.
pub(super) struct Lesson<'a> {
    pub request: &'a str,
    pub shelf: Shelf,
    pub schema: &'a Schema,
    pub document: &'a DocumentRow,
    pub corrected: &'a Corrected,
    pub by: &'a str,
    pub today: jiff::civil::Date,
}

/// Learns from an answer, and judges by it what had been recalled. The caller holds the people's
/// scope.
pub(super) async fn learn(decision: &mut Decision, lesson: &Lesson<'_>) -> Result<(), Error> {
    let document = lesson.document;
    let (first, last) = (document.first_page, document.last_page);
    let texts = layouts::texts(&mut decision.tx, lesson.request, first, last).await?;
    let pages: Vec<&PageText> = texts.iter().collect();
    let answers = answers(&lesson.corrected.fields, first);
    let taught = |known: Option<&Layout>| {
        let Lesson { shelf, schema, today, .. } = lesson;
        memory::remember(known, &shelf.doc_type, schema, &pages, &answers, *today)
    };
    let fresh = taught(None);
    let key = fresh.as_ref().and_then(Layout::key);
    let (right, wrong) = recalled(&document.fields, &lesson.corrected.fields);
    let mut judged = false;
    if let (Some(fresh), Some(key)) = (&fresh, &key) {
        let known = layouts::find(&mut decision.tx, &lesson.shelf, key).await?;
        let grown = known.as_ref().and_then(|known| taught(Some(&known.layout)));
        let own = known.as_ref().is_some_and(|one| document.layout.as_ref() == Some(&one.id));
        judged = own;
        let new = NewLayout {
            known: known.as_ref().map(|one| (one.id.as_str(), one.version)),
            shelf: &lesson.shelf,
            key,
            layout: grown.as_ref().unwrap_or(fresh),
            by: lesson.by,
            taught: true,
            right: if own { right } else { 0 },
            wrong: if own { wrong } else { 0 },
        };
        layouts::keep(decision, &new).await?;
    }
    // Read by another vendor's layout: it is judged, and learns nothing.
    if let Some(id) = document.layout.as_ref().filter(|_| !judged && right + wrong > 0)
        && let Some(other) = layouts::by_id(&mut decision.tx, id).await?
        && let Some(key) = other.layout.key()
    {
        let Lesson { shelf, schema, today, .. } = lesson;
        let layout =
            memory::judged(&other.layout, &shelf.doc_type, schema, &pages, &answers, *today);
        let new = NewLayout {
            known: Some((&other.id, other.version)),
            shelf: &other.shelf,
            key: &key,
            layout: &layout,
            by: lesson.by,
            taught: false,
            right,
            wrong,
        };
        layouts::keep(decision, &new).await?;
    }
    Ok(())
}

fn answers(fields: &[FieldValue], first: u32) -> Vec<Answer<'_>> {
    let place = |one: &EvidenceBox| {
        let page = one.page.checked_sub(first)? as usize;
        let place = Rect { x: one.x, y: one.y, w: one.w, h: one.h };
        Some(Evidence { page, place, cell: one.cell })
    };
    let mut answers = Vec::with_capacity(fields.len());
    for field in fields {
        if let Some(value) = field.normalised.as_deref() {
            let boxes = field.boxes.iter().filter_map(place).collect();
            answers.push(Answer { field: &field.name, value, boxes });
        }
    }
    answers
}

/// How many of the recalled values the person left, and how many not.
fn recalled(machine: &[FieldValue], person: &[FieldValue]) -> (i64, i64) {
    let by_memory = |field: &&FieldValue| field.rules.iter().any(|rule| rule.rule == memory::RULE);
    let (mut right, mut wrong) = (0, 0);
    for field in machine.iter().filter(by_memory) {
        let now = person.iter().find(|one| one.name == field.name);
        if now.is_some_and(|now| now.normalised == field.normalised) {
            right += 1;
        } else {
            wrong += 1;
        }
    }
    (right, wrong)
}

/// *Olvidar*: a vendor's documents are strangers again.
pub async fn forget(context: &Context, by: &By, id: &str) -> Result<Result<(), Refusal>, Error> {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    let known = layouts::by_id(&mut decision.tx, id).await?;
    let Some(known) = known else { return Ok(Err(Refusal::NotFound)) };
    layouts::forget(&mut decision, id, &by.name).await?;
    // What documents say stays out of the audit.
    let before = json!({ "workflow": known.shelf.workflow, "doc_type": known.shelf.doc_type,
                         "version": known.version, "documents": known.documents });
    let entry = by.did("vendor.forget", format!("vendor/{id}"));
    decision.audit(Entry { before: Some(before), ..entry });
    decision.commit().await?;
    Ok(Ok(()))
}

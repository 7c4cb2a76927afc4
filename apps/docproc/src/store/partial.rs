//! What is known of a request so far (§3.10), and what is not.

use std::collections::HashMap;

use db::{Error, Tx};
use serde_json::{Value as Json, json};

use super::{
    documents::{self, DocumentRow},
    progress::{self, Loaded},
};
use crate::{
    model::{Progress, Standing},
    rules::{
        advance::Thresholds,
        answer::{self, Piece},
        workflow::Workflow,
    },
    store::catalogue::Workflows,
};

/// An answer without the documents that are still at work.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    pub result: Json,
    /// What it lacks, and whom that waits for.
    pub pending: Vec<Json>,
}

pub async fn of(
    tx: &mut Tx,
    workflows: &Workflows,
    request: &str,
    house: Thresholds,
) -> Result<Option<Partial>, Error> {
    let loaded = progress::load(tx, &[request.to_owned()], workflows).await?;
    let Some(loaded) = loaded.first() else { return Ok(None) };
    let documents = documents::all(tx, request).await?;
    Ok(Some(compose(loaded, &documents, house)))
}

/// The same for many, by request.
pub async fn of_all(
    tx: &mut Tx,
    loaded: &[&Loaded],
    house: Thresholds,
) -> Result<HashMap<String, Partial>, Error> {
    let ids: Vec<&str> = loaded.iter().map(|one| one.row.id.as_str()).collect();
    let mut documents = documents::of_all(tx, &ids).await?;
    let compose = |one: &&Loaded| {
        let rows = documents.remove(&one.row.id).unwrap_or_default();
        (one.row.id.clone(), compose(one, &rows, house))
    };
    Ok(loaded.iter().map(compose).collect())
}

pub fn compose(loaded: &Loaded, documents: &[DocumentRow], house: Thresholds) -> Partial {
    let Loaded { row, workflow, snapshot } = loaded;
    let pieces: Vec<Piece> =
        documents.iter().map(|one| progress::piece_so_far(one, workflow, house)).collect();
    let mut pending: Vec<Json> = documents
        .iter()
        .zip(&pieces)
        .filter(|(_, piece)| !piece.settled)
        .map(|(document, piece)| {
            let standing = Standing { at: document.stage_at, progress: document.progress };
            let indices = document.page_indices();
            open(workflow, Some(piece), &indices, standing)
        })
        .collect();
    pending.extend(loose_pages(loaded));
    if row.page_count.is_none() && documents.is_empty() {
        pending.push(open(workflow, None, &[], snapshot.standing));
    }
    let pages = row.page_count.unwrap_or_default();
    let result = answer::compose(&row.id, &row.workflow_name, pages, &pieces);
    Partial { result, pending }
}

/// Pages that are no document yet, neighbours that wait for the same thing together.
fn loose_pages(loaded: &Loaded) -> Vec<Json> {
    let mut runs: Vec<(Vec<u32>, Standing)> = Vec::new();
    for page in loaded.snapshot.pages.iter().filter(|page| !page.grouped) {
        match runs.last_mut() {
            Some((indices, standing))
                if *standing == page.standing
                    && indices.last() == page.n.checked_sub(1).as_ref() =>
            {
                indices.push(page.n);
            }
            _ => runs.push((vec![page.n], page.standing)),
        }
    }
    runs.iter().map(|(pages, at)| open(&loaded.workflow, None, pages, *at)).collect()
}

fn open(workflow: &Workflow, piece: Option<&Piece>, pages: &[u32], standing: Standing) -> Json {
    let stage = usize::try_from(standing.at).ok().and_then(|at| workflow.stages.get(at));
    let waits_for = if standing.progress == Progress::Review { "person" } else { "machine" };
    json!({
        "document_id": piece.map(|piece| &piece.id),
        "doc_type": piece.map(|piece| &piece.doc_type),
        "page_indices": pages,
        "stage": stage.map_or("route", |stage| stage.name.as_str()),
        "waits_for": waits_for,
        "fields": piece.map(|piece| &piece.open),
    })
}

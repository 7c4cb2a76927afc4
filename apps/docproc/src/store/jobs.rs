//! What a worker needs to know to do what a message asks.

use std::{collections::HashMap, sync::Arc};

use ::store::{Error, Tx, Value, trusted};
use page::PageText;
use serde_json::Value as Json;

use super::{
    CHUNK,
    messages::Claim,
    pages::page_text,
    requests::{self, FileRow, RequestRow},
};
use crate::{
    model::{Component, Item},
    rules::workflow::{Stage, Workflow},
    workflows::Workflows,
};

/// A message with everything its stage works on.
#[derive(Clone, Debug)]
pub struct Job {
    pub claim: Claim,
    pub request: Arc<Brief>,
    pub input: Input,
}

/// What all jobs of a request share.
#[derive(Debug)]
pub struct Brief {
    pub row: RequestRow,
    pub files: Vec<FileRow>,
    pub workflow: Arc<Workflow>,
}

#[derive(Clone, Debug)]
pub enum Input {
    Request,
    Page { n: u32, file: u32, page_in_file: u32, text: Option<PageText> },
    Document { id: String, doc_type: String, first: u32, pages: Vec<PageText>, data: Option<Json> },
}

impl Job {
    /// The stage it is for; the router is before all stages.
    pub fn stage(&self) -> Option<&Stage> {
        usize::try_from(self.claim.at).ok().and_then(|at| self.request.workflow.stages.get(at))
    }
}

/// Loads the inputs of claimed messages, in their order.
pub async fn load(
    tx: &mut Tx,
    claims: Vec<Claim>,
    workflows: &Workflows,
) -> Result<Vec<Job>, Error> {
    let briefs = briefs(tx, &claims, workflows).await?;
    let mut jobs = Vec::with_capacity(claims.len());
    let inputs = page_inputs(tx, &claims, &briefs).await?;
    for claim in claims {
        let Some(request) = briefs.get(&claim.request).cloned() else { continue };
        let input = match &claim.item {
            Item::Request => Input::Request,
            Item::Page(n) => match inputs.get(&(claim.request.clone(), *n)) {
                Some(input) => input.clone(),
                None => continue,
            },
            Item::Document(id) => match document(tx, &claim.request, id).await? {
                Some(input) => input,
                None => continue,
            },
        };
        jobs.push(Job { claim, request, input });
    }
    Ok(jobs)
}

async fn briefs(
    tx: &mut Tx,
    claims: &[Claim],
    workflows: &Workflows,
) -> Result<HashMap<String, Arc<Brief>>, Error> {
    let mut ids: Vec<&str> = claims.iter().map(|claim| claim.request.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut briefs = HashMap::with_capacity(ids.len());
    for chunk in ids.chunks(CHUNK) {
        let args: Vec<Value> = chunk.iter().map(|id| (*id).into()).collect();
        let list = (1..=chunk.len()).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ");
        let mut files: HashMap<String, Vec<FileRow>> = HashMap::new();
        let sql = format!("SELECT * FROM request_files WHERE request_id IN ({list}) ORDER BY n");
        for row in tx.all(trusted(sql), &args).await? {
            files.entry(row.get("request_id")?).or_default().push(requests::file(&row)?);
        }
        let sql = format!("SELECT * FROM requests WHERE id IN ({list})");
        for row in tx.all(trusted(sql), &args).await? {
            let row = requests::request(&row)?;
            let workflow = workflows.version(tx, row.workflow_id).await?;
            let files = files.remove(&row.id).unwrap_or_default();
            briefs.insert(row.id.clone(), Arc::new(Brief { row, files, workflow }));
        }
    }
    Ok(briefs)
}

type PageInputs = HashMap<(String, u32), Input>;

/// Pages in one query per request; their words only when the stage reads them.
async fn page_inputs(
    tx: &mut Tx,
    claims: &[Claim],
    briefs: &HashMap<String, Arc<Brief>>,
) -> Result<PageInputs, Error> {
    let mut wanted: HashMap<&str, (Vec<u32>, bool)> = HashMap::new();
    for claim in claims {
        let Item::Page(n) = claim.item else { continue };
        let Some(brief) = briefs.get(&claim.request) else { continue };
        let stage = brief.workflow.stages.get(claim.at.max(0) as usize);
        let entry = wanted.entry(&claim.request).or_default();
        entry.0.push(n);
        entry.1 |= stage.is_some_and(|stage| stage.component != Component::Ocr);
    }
    let mut inputs = PageInputs::new();
    for (request, (pages, with_words)) in wanted {
        let list = pages.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let words = if with_words { "words" } else { "NULL AS words" };
        let sql = format!(
            "SELECT n, file, page_in_file, width, height, turned, ocr_source, {words} FROM pages
             WHERE request_id = $1 AND n IN ({list})"
        );
        for row in tx.all(trusted(sql), &[request.into()]).await? {
            let has_words = with_words && row.maybe::<String>("words")?.is_some();
            let text = if has_words { Some(page_text(&row)?) } else { None };
            let n = row.get::<i64>("n")? as u32;
            let (file, page_in_file) = (row.get::<i64>("file")?, row.get::<i64>("page_in_file")?);
            let (file, page_in_file) = (file as u32, page_in_file as u32);
            inputs.insert((request.to_owned(), n), Input::Page { n, file, page_in_file, text });
        }
    }
    Ok(inputs)
}

async fn document(tx: &mut Tx, request: &str, id: &str) -> Result<Option<Input>, Error> {
    let sql = "SELECT doc_type, first_page, last_page, extracted_data FROM documents WHERE id = $1";
    let Some(row) = tx.optional(sql, &[id.into()]).await? else { return Ok(None) };
    let (first, last): (i64, i64) = (row.get("first_page")?, row.get("last_page")?);
    let (doc_type, data) = (row.get("doc_type")?, row.maybe("extracted_data")?);
    let sql = "SELECT n, width, height, words, ocr_source, turned FROM pages
               WHERE request_id = $1 AND n BETWEEN $2 AND $3 AND words IS NOT NULL ORDER BY n";
    let rows = tx.all(sql, &[request.into(), first.into(), last.into()]).await?;
    let pages = rows.iter().map(page_text).collect::<Result<_, _>>()?;
    Ok(Some(Input::Document { id: id.to_owned(), doc_type, first: first as u32, pages, data }))
}

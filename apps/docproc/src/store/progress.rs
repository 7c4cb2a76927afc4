//! Loads what the planner of a request looks at, and applies what it wants, for many requests in
//! one transaction.

use std::{collections::HashMap, sync::Arc, time::Duration};

use db::{Decision, Error, Row, Rows, Slice, Tx};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    documents,
    requests::{self, RequestRow},
    writing::Writing,
};
use crate::{
    drivers::reading::Finding,
    model::{Progress, Standing, Unit},
    rules::{
        advance::{Change, Document, Page, Snapshot, Thresholds},
        answer::Piece,
        continuity::PagePosition,
        workflow::Workflow,
    },
    store::catalogue::Workflows,
};

/// The requests that one decision looks at, and what was found out about them.
#[derive(Debug)]
pub struct Requests<'a> {
    pub ids: &'a [String],
    pub workflows: &'a Workflows,
    pub house: Thresholds,
    /// By request.
    pub findings: &'a HashMap<String, Vec<&'a Finding>>,
    /// Who found it out.
    pub worker: &'a str,
}

/// A stage that ran, and when.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    pub at: i32,
    pub started: Timestamp,
    pub finished: Timestamp,
    pub took: Duration,
}

/// A request with its workflow, as loaded.
#[derive(Debug)]
pub struct Loaded {
    pub row: RequestRow,
    pub workflow: Arc<Workflow>,
    pub snapshot: Snapshot,
}

/// Everything that happens to several requests, in order.
pub type Batch = Vec<(usize, Change)>;

impl Slice for Requests<'_> {
    type Snapshot = Vec<Loaded>;
    type Change = Batch;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Vec<Loaded>, Error> {
        load(tx, self.ids, self.workflows).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        snapshot: &Vec<Loaded>,
        batch: &Batch,
    ) -> Result<(), Error> {
        let mut writing = Writing::new(snapshot, self.worker, self.house);
        for (which, change) in batch {
            match change {
                Change::Learn(n) => {
                    let findings = self.findings.get(&snapshot[*which].row.id);
                    if let Some(finding) = findings.and_then(|all| all.get(*n)) {
                        writing.learn(*which, finding);
                    }
                }
                change => writing.take(*which, change),
            }
        }
        writing.finish(decision).await
    }
}

pub async fn load(
    tx: &mut Tx,
    ids: &[String],
    workflows: &Workflows,
) -> Result<Vec<Loaded>, Error> {
    let ids = Rows::of(&["id"], ids);
    let sql = "SELECT * FROM requests WHERE id IN (SELECT id FROM ROWS)";
    let rows = tx.all_of(sql, &[], &ids).await?;
    let mut pages: HashMap<String, Vec<Page>> = HashMap::new();
    let sql = "SELECT request_id, n, file, stage_at, standing, scores, evidence, doc_type,
               document_id FROM pages WHERE request_id IN (SELECT id FROM ROWS)
               ORDER BY request_id, n";
    for row in tx.all_of(sql, &[], &ids).await? {
        pages.entry(row.get("request_id")?).or_default().push(page(&row)?);
    }
    let mut documents: HashMap<String, Vec<Document>> = HashMap::new();
    let sql = "SELECT request_id, id, stage_at, standing, extraction_confidence, missing_required
               FROM documents WHERE request_id IN (SELECT id FROM ROWS)
               ORDER BY request_id, first_page";
    for row in tx.all_of(sql, &[], &ids).await? {
        documents.entry(row.get("request_id")?).or_default().push(document(&row)?);
    }
    let mut loaded = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = requests::request(row)?;
        let workflow = workflows.version(tx, row.workflow_id).await?;
        let snapshot = Snapshot {
            status: row.status,
            standing: Standing { at: row.stage_at, progress: row.progress },
            page_count: row.page_count,
            document_count: row.document_count,
            pages: pages.remove(&row.id).unwrap_or_default(),
            documents: documents.remove(&row.id).unwrap_or_default(),
        };
        loaded.push(Loaded { row, workflow, snapshot });
    }
    Ok(loaded)
}

fn standing(row: &Row) -> Result<Standing, Error> {
    Ok(Standing {
        at: row.get::<i64>("stage_at")? as i32,
        progress: row.word("standing", Progress::from_word)?,
    })
}

fn page(row: &Row) -> Result<Page, Error> {
    let scores: Option<Json> = row.maybe("scores")?;
    let scores = scores
        .map(serde_json::from_value)
        .transpose()
        .map_err(|error| Error::corrupt(format!("scores: {error}")))?;
    let evidence: Option<Json> = row.maybe("evidence")?;
    let (place, identity) = evidence.as_ref().map_or((PagePosition::Unknown, None), read_evidence);
    Ok(Page {
        n: row.get::<i64>("n")? as u32,
        file: row.get::<i64>("file")? as u32,
        standing: standing(row)?,
        scores,
        place,
        identity,
        doc_type: row.maybe("doc_type")?,
        grouped: row.maybe::<String>("document_id")?.is_some(),
    })
}

/// What a page says of its place in a document, as kept with it.
pub fn evidence(place: PagePosition, identity: Option<&str>) -> Json {
    let word = match place {
        PagePosition::First => "first",
        PagePosition::Later => "later",
        PagePosition::Unknown => "unknown",
        PagePosition::Opens => "opens",
        PagePosition::Joins => "joins",
    };
    json!({ "place": word, "identity": identity })
}

pub fn read_evidence(evidence: &Json) -> (PagePosition, Option<String>) {
    let place = match evidence["place"].as_str() {
        Some("first") => PagePosition::First,
        Some("later") => PagePosition::Later,
        Some("opens") => PagePosition::Opens,
        Some("joins") => PagePosition::Joins,
        _ => PagePosition::Unknown,
    };
    (place, evidence["identity"].as_str().map(str::to_owned))
}

fn document(row: &Row) -> Result<Document, Error> {
    Ok(Document {
        id: row.get("id")?,
        standing: standing(row)?,
        confidence: row.maybe("extraction_confidence")?,
        missing_required: row.get::<i64>("missing_required")? != 0,
    })
}

/// A document's id follows from its request, run and first page: opened twice, it is the same.
pub fn document_id(request: &str, run: i64, first: u32) -> String {
    let digest = db::sha256_hex(format!("{request}/{run}/{first}").as_bytes());
    let bytes = u128::from_str_radix(&digest[..32], 16).unwrap_or_default();
    uuid::Builder::from_custom_bytes(bytes.to_be_bytes()).into_uuid().to_string()
}

pub fn piece(row: &documents::DocumentRow, settled: bool) -> Piece {
    Piece {
        id: row.id.clone(),
        doc_type: row.doc_type.clone(),
        first_page: row.first_page,
        last_page: row.last_page,
        extracted_data: row.extracted_data.clone(),
        extraction_confidence: row.extraction_confidence,
        settled,
    }
}

/// Requests at work of which nothing is queued, under way or with people: a plan that was not
/// carried out. There should be none; the tick makes sure.
pub async fn standing_still(tx: &mut Tx, before: Timestamp) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM requests
               WHERE status NOT IN ('completed', 'failed', 'cancelled') AND updated_at < $1
               AND NOT EXISTS (SELECT 1 FROM messages WHERE request_id = requests.id
                               AND state IN ('READY', 'CLAIMED'))
               AND NOT EXISTS (SELECT 1 FROM review_tasks WHERE request_id = requests.id
                               AND status IN ('pending', 'assigned', 'timeout'))
               LIMIT 100";
    let rows = tx.all(sql, &[before.into()]).await?;
    rows.iter().map(|row| row.get("id")).collect()
}

/// Whether nothing is left to do about a document itself.
pub fn is_settled(document: &documents::DocumentRow, workflow: &Workflow) -> bool {
    let stage = workflow.stages.get(document.stage_at.max(0) as usize);
    stage.is_none_or(|stage| stage.component.is_join() || stage.unit != Unit::Document)
}

//! Loads what the planner of a request looks at, and applies what it wants, for many requests in
//! one transaction.

use std::{collections::HashMap, sync::Arc};

use db::{Decision, Error, Row, Rows, Slice, Tx};
use engine::Word as _;
use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::{
    documents,
    patches::Patches,
    requests::{self, FileRow, RequestRow},
};
use crate::{
    model::{Component, FieldValue, Origin, Progress, Standing, Unit},
    rules::{
        advance::{Change, Document, Page, Snapshot, Thresholds},
        answer::Piece,
        continuity::Evidence,
        course::{self, suspected},
        workflow::Workflow,
    },
    store::catalogue::Workflows,
};

/// The requests that one decision looks at, and what was found out about them.
#[derive(Debug)]
pub struct Requests<'a> {
    pub workflows: &'a Workflows,
    pub house: Thresholds,
    /// By request.
    pub findings: &'a HashMap<String, Vec<&'a Finding>>,
    /// Who found it out.
    pub worker: &'a str,
}

/// What was found out, with the rows of files that a split adds.
pub type Finding = course::Finding<FileRow>;
pub type Found = course::Found<FileRow>;

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
        load(tx, self.findings.keys(), self.workflows).await
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        snapshot: &Vec<Loaded>,
        batch: &Batch,
    ) -> Result<(), Error> {
        let mut patches = Patches::new(snapshot, self.worker, self.house);
        for (which, change) in batch {
            match change {
                Change::Learn(n) => {
                    let findings = self.findings.get(&snapshot[*which].row.id);
                    if let Some(finding) = findings.and_then(|all| all.get(*n)) {
                        patches.learn(*which, finding);
                    }
                }
                change => patches.take(*which, change),
            }
        }
        patches.finish(decision).await
    }
}

pub async fn load<'a>(
    tx: &mut Tx,
    ids: impl IntoIterator<Item = &'a String>,
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
    let mut documents: HashMap<String, Vec<Row>> = HashMap::new();
    let sql = "SELECT request_id, id, stage_at, standing, extraction_confidence, missing_required,
               first_page, last_page, origin FROM documents
               WHERE request_id IN (SELECT id FROM ROWS) ORDER BY request_id, first_page";
    for row in tx.all_of(sql, &[], &ids).await? {
        documents.entry(row.get("request_id")?).or_default().push(row);
    }
    let mut loaded = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = requests::request(row)?;
        let workflow = workflows.version(tx, row.workflow_id).await?;
        let pages = pages.remove(&row.id).unwrap_or_default();
        let documents = documents.remove(&row.id).unwrap_or_default();
        let documents = documents.iter().map(|row| document(row, &pages, &workflow));
        let documents = documents.collect::<Result<_, _>>()?;
        let snapshot = Snapshot {
            status: row.status,
            standing: Standing { at: row.stage_at, progress: row.progress },
            page_count: row.page_count,
            document_count: row.document_count,
            pages,
            documents,
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
    Ok(Page {
        n: row.get::<i64>("n")? as u32,
        file: row.get::<i64>("file")? as u32,
        standing: standing(row)?,
        scores,
        evidence: read_evidence(row.maybe("evidence")?),
        doc_type: row.maybe("doc_type")?,
        grouped: row.maybe::<String>("document_id")?.is_some(),
    })
}

/// What a page says of its document, as kept with it.
pub fn evidence(evidence: &Evidence) -> Json {
    serde_json::to_value(evidence).unwrap_or_default()
}

pub fn read_evidence(kept: Option<Json>) -> Evidence {
    kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
}

fn document(row: &Row, pages: &[Page], workflow: &Workflow) -> Result<Document, Error> {
    let own = row.get::<i64>("first_page")?..=row.get("last_page")?;
    let own = pages.iter().filter(|page| own.contains(&i64::from(page.n)));
    // A person who answered about it has seen it.
    let seen = row.word("origin", Origin::from_word)? == Origin::Person;
    let suspected = suspected(workflow, own.map(|page| (page.n, &page.evidence)));
    Ok(Document {
        id: row.get("id")?,
        standing: standing(row)?,
        confidence: row.maybe("extraction_confidence")?,
        missing_required: row.get::<i64>("missing_required")? != 0,
        suspected: !seen && !suspected.is_empty(),
    })
}

/// A document's id follows from its request, run and first page: opened twice, it is the same.
pub fn document_id(request: &str, run: i64, first: u32) -> String {
    let digest = db::sha256_hex(format!("{request}/{run}/{first}").as_bytes());
    let bytes = u128::from_str_radix(&digest[..32], 16).unwrap_or_default();
    uuid::Builder::from_custom_bytes(bytes.to_be_bytes()).into_uuid().to_string()
}

/// A settled document, as an answer shows it.
pub fn piece(row: &documents::DocumentRow) -> Piece {
    Piece {
        id: row.id.clone(),
        doc_type: row.doc_type.clone(),
        first_page: row.first_page,
        last_page: row.last_page,
        source: row.source.clone(),
        extracted_data: row.extracted_data.clone(),
        extraction_confidence: row.extraction_confidence,
        settled: true,
        open: Vec::new(),
    }
}

/// A document as far as it is known: what is certain of one that is still at work, and which of
/// its fields are not.
pub fn piece_so_far(row: &documents::DocumentRow, workflow: &Workflow, house: Thresholds) -> Piece {
    let piece = piece(row);
    if is_settled(row, workflow) {
        return piece;
    }
    let threshold = threshold(row, workflow, house);
    let certain = |one: &&FieldValue| one.value.is_some() && one.confidence >= threshold;
    let (sure, rest): (Vec<_>, Vec<_>) = row.fields.iter().partition(certain);
    let open = rest.into_iter().filter(|one| one.required || one.value.is_some());
    let known = |name: &String| sure.iter().any(|one| one.name == *name);
    let data = piece.extracted_data.as_ref().and_then(Json::as_object);
    let data = data.map(|data| data.iter().filter(|(name, _)| known(name)));
    let data: Map<String, Json> =
        data.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect();
    Piece {
        settled: false,
        open: open.map(|one| one.name.clone()).collect(),
        extracted_data: Some(data).filter(|data| !data.is_empty()).map(Json::Object),
        ..piece
    }
}

/// What the fields of a document have to reach.
pub fn threshold(row: &documents::DocumentRow, workflow: &Workflow, house: Thresholds) -> f64 {
    let stages = &workflow.stages;
    let own = usize::try_from(row.stage_at).ok().and_then(|at| stages.get(at)?.threshold);
    let extractor = || stages.iter().find(|one| one.component == Component::Extractor);
    own.or_else(|| extractor()?.threshold).unwrap_or(house.extraction)
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

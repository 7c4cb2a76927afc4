//! Loads what the planner of a request looks at, and applies what it wants, for many requests in
//! one transaction.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use ::store::{Decision, Error, Row, Rows, Slice, Tx};
use engine::lifecycle::Lifecycle as _;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    answers::{self, Given},
    documents, events,
    messages::{self, NewMessage},
    questions,
    requests::{self, RequestRow},
    reviews::{self, NewTask},
};
use crate::{
    model::{Item, Progress, Standing, Status, Unit},
    rules::{
        advance::{Change, Document, Page, Snapshot, Thresholds},
        answer::{self, Piece},
        continuity::Place,
        workflow::Workflow,
    },
    workflows::Workflows,
};

/// The requests that one decision looks at.
#[derive(Debug)]
pub struct Requests<'a> {
    pub ids: &'a [String],
    pub workflows: &'a Workflows,
    pub house: Thresholds,
}

/// A request with its workflow, as loaded.
#[derive(Debug)]
pub struct Loaded {
    pub row: RequestRow,
    pub workflow: Arc<Workflow>,
    pub snapshot: Snapshot,
}

/// Everything the plans of several requests want, in their order.
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
        let mut writing = Writing::default();
        for (which, change) in batch {
            writing.take(decision, &snapshot[*which], change, self.house).await?;
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
    let (place, identity) = evidence.as_ref().map_or((Place::Unknown, None), read_evidence);
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
pub fn evidence(place: Place, identity: Option<&str>) -> Json {
    let word = match place {
        Place::First => "first",
        Place::Later => "later",
        Place::Unknown => "unknown",
        Place::Opens => "opens",
        Place::Joins => "joins",
    };
    json!({ "place": word, "identity": identity })
}

pub fn read_evidence(evidence: &Json) -> (Place, Option<String>) {
    let place = match evidence["place"].as_str() {
        Some("first") => Place::First,
        Some("later") => Place::Later,
        Some("opens") => Place::Opens,
        Some("joins") => Place::Joins,
        _ => Place::Unknown,
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
    let digest = ::store::sha256_hex(format!("{request}/{run}/{first}").as_bytes());
    let bytes = u128::from_str_radix(&digest[..32], 16).unwrap_or_default();
    uuid::Builder::from_custom_bytes(bytes.to_be_bytes()).into_uuid().to_string()
}

/// Changes gathered by kind, so that each kind is one statement.
#[derive(Default)]
struct Writing {
    sends: Vec<NewMessage>,
    stands: Vec<(String, Item, Standing)>,
    accepted: Vec<(String, u32, String, f64)>,
    opened: Vec<Opened>,
    reviews: Vec<(NewTask, Standing)>,
    counts: Vec<(String, u32)>,
    statuses: Vec<(String, Status)>,
    complete: Vec<RequestRow>,
    /// Requests whose new questions come before all others.
    urgent: Vec<String>,
}

struct Opened {
    id: String,
    request: String,
    first: u32,
    last: u32,
    doc_type: String,
    standing: Standing,
}

impl Writing {
    async fn take(
        &mut self,
        decision: &mut Decision,
        loaded: &Loaded,
        change: &Change,
        house: Thresholds,
    ) -> Result<(), Error> {
        let Loaded { row, workflow, .. } = loaded;
        let id = || row.id.clone();
        match change {
            Change::Status(status) => self.statuses.push((id(), *status)),
            Change::Send { item, at } => {
                let standing = Standing { at: *at as i32, progress: Progress::Sent };
                self.stands.push((id(), item.clone(), standing));
                self.sends.push(message(row, workflow, item.clone(), *at));
            }
            Change::Stand { item, standing } => self.stands.push((id(), item.clone(), *standing)),
            Change::Accept { page, doc_type, confidence } => {
                self.accepted.push((id(), *page, doc_type.clone(), *confidence));
            }
            Change::Review { item, at } => {
                let standing = Standing { at: *at as i32, progress: Progress::Review };
                let task = questions::question(decision, loaded, item, *at, house).await?;
                self.reviews.push((task, standing));
                if row.priority == 0 {
                    self.urgent.push(id());
                }
            }
            Change::Open { first, last, doc_type, at } => {
                let document = document_id(&row.id, row.run, *first);
                let stage = workflow.stages.get(*at);
                let sent =
                    stage.is_some_and(|s| s.unit == Unit::Document && !s.component.is_join());
                let progress = if sent { Progress::Sent } else { Progress::Todo };
                if sent {
                    let item = Item::Document(document.clone());
                    self.sends.push(message(row, workflow, item, *at));
                }
                self.opened.push(Opened {
                    id: document,
                    request: id(),
                    first: *first,
                    last: *last,
                    doc_type: doc_type.clone(),
                    standing: Standing { at: *at as i32, progress },
                });
            }
            Change::Documents(count) => self.counts.push((id(), *count)),
            Change::Complete => self.complete.push(row.clone()),
        }
        Ok(())
    }

    async fn finish(mut self, decision: &mut Decision) -> Result<(), Error> {
        accept(decision, &self.accepted).await?;
        open(decision, &self.opened).await?;
        for (task, standing) in &self.reviews {
            reviews::ask(decision, task).await?;
            self.stands.push((task.request.clone(), task.item.clone(), *standing));
        }
        let urgent: Vec<&str> = self.urgent.iter().map(String::as_str).collect();
        reviews::raise(decision, &urgent).await?;
        stand(decision, &last_of_each(&self.stands)).await?;
        messages::send(decision, &self.sends).await?;
        count(decision, &self.counts).await?;
        for (request, status) in &self.statuses {
            events::status(decision, request, *status);
        }
        let latest: HashMap<String, Status> = self.statuses.into_iter().collect();
        requests::set_statuses(decision, &Vec::from_iter(latest)).await?;
        complete(decision, &self.complete).await
    }
}

/// An item may move several times in one plan; where it stands at the end is written.
fn last_of_each(stands: &[(String, Item, Standing)]) -> Vec<&(String, Item, Standing)> {
    let mut seen = HashSet::new();
    stands.iter().rev().filter(|(request, item, _)| seen.insert((request, item))).collect()
}

fn message(row: &RequestRow, workflow: &Workflow, item: Item, at: usize) -> NewMessage {
    let stage = &workflow.stages[at];
    NewMessage {
        request: row.id.clone(),
        run: row.run,
        at: at as i32,
        stage: stage.name.clone(),
        component: stage.component.word(),
        item,
        priority: row.priority,
        deadline: row.deadline,
    }
}

/// The same update of standings for requests, pages and documents.
async fn stand(decision: &mut Decision, stands: &[&(String, Item, Standing)]) -> Result<(), Error> {
    let mut requests = Rows::new(&["id", "stage_at", "standing"]);
    let mut documents = requests.clone();
    let mut pages = Rows::new(&["request_id", "n", "stage_at", "standing"]);
    for (request, item, standing) in stands {
        let (at, progress) = (standing.at.into(), standing.progress.word().into());
        match item {
            Item::Page(n) => pages.push([request.into(), (*n).into(), at, progress]),
            Item::Document(id) => documents.push([id.into(), at, progress]),
            Item::Request => requests.push([request.into(), at, progress]),
        }
    }
    let sql = "UPDATE pages SET stage_at = v.stage_at, standing = v.standing FROM ROWS
               WHERE pages.request_id = v.request_id AND pages.n = v.n";
    decision.tx.each(sql, &[], &pages).await?;
    let sql = "UPDATE documents SET stage_at = v.stage_at, standing = v.standing, updated_at = $1
               FROM ROWS WHERE documents.id = v.id";
    decision.tx.each(sql, &[decision.now.into()], &documents).await?;
    let sql = "UPDATE requests SET stage_at = v.stage_at, standing = v.standing FROM ROWS
               WHERE requests.id = v.id";
    decision.tx.each(sql, &[], &requests).await.map(drop)
}

async fn accept(
    decision: &mut Decision,
    accepted: &[(String, u32, String, f64)],
) -> Result<(), Error> {
    let mut rows = Rows::new(&["request_id", "n", "doc_type", "confidence"]);
    for (request, page, doc_type, confidence) in accepted {
        rows.push([request.into(), (*page).into(), doc_type.into(), (*confidence).into()]);
    }
    let sql = "UPDATE pages SET doc_type = v.doc_type, classification_confidence = v.confidence
               FROM ROWS WHERE pages.request_id = v.request_id AND pages.n = v.n";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

async fn open(decision: &mut Decision, opened: &[Opened]) -> Result<(), Error> {
    let mut rows =
        Rows::new(&["id", "request_id", "first", "last", "doc_type", "stage_at", "standing"]);
    for one in opened {
        rows.push([
            one.id.as_str().into(),
            one.request.as_str().into(),
            one.first.into(),
            one.last.into(),
            one.doc_type.as_str().into(),
            one.standing.at.into(),
            one.standing.progress.word().into(),
        ]);
    }
    let sql = "INSERT INTO documents (id, request_id, first_page, last_page, doc_type, stage_at,
               standing, created_at, updated_at)
               SELECT id, request_id, v.first, v.last, doc_type, stage_at, standing, $1, $1
               FROM ROWS";
    decision.tx.each(sql, &[decision.now.into()], &rows).await?;
    let sql = "UPDATE pages SET document_id = v.id FROM ROWS
               WHERE pages.request_id = v.request_id AND pages.n BETWEEN v.first AND v.last";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

async fn count(decision: &mut Decision, counts: &[(String, u32)]) -> Result<(), Error> {
    let mut rows = Rows::new(&["id", "documents"]);
    for (request, count) in counts {
        rows.push([request.into(), (*count).into()]);
    }
    let sql = "UPDATE requests SET document_count = v.documents FROM ROWS
               WHERE requests.id = v.id";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// Writes the answers of requests.
async fn complete(decision: &mut Decision, done: &[RequestRow]) -> Result<(), Error> {
    let ids: Vec<&str> = done.iter().map(|row| row.id.as_str()).collect();
    let documents = documents::of_all(&mut decision.tx, &ids).await?;
    let mut rows = Rows::new(&["id", "result"]);
    let mut told = Vec::new();
    for row in done {
        let of_request = documents.get(&row.id).into_iter().flatten();
        let pieces: Vec<Piece> = of_request.map(|row| piece(row, true)).collect();
        let pages = row.page_count.unwrap_or_default();
        let result = answer::compose(&row.id, &row.workflow_name, pages, &pieces);
        if row.callback_url.is_some() {
            let status = Status::Completed.word();
            told.push(Given::new(row, answers::Kind::Final, status, Some(&result), &[]));
        }
        rows.push([row.id.as_str().into(), result.into()]);
        events::completed(decision, &row.id, pieces.len());
    }
    let sql = "UPDATE requests SET status = 'completed', standing = 'DONE', result = v.result,
               error = NULL, error_code = NULL, completed_at = $1, updated_at = $1
               FROM ROWS WHERE requests.id = v.id
               AND status NOT IN ('completed', 'failed', 'cancelled')";
    let completed = decision.tx.each(sql, &[decision.now.into()], &rows).await?;
    if completed != rows.len() as u64 {
        return Err(Error::conflict("request"));
    }
    answers::give(decision, &told).await?;
    // A password is needed only while pages are read.
    let sql = "UPDATE request_files SET password = NULL
               WHERE request_id IN (SELECT id FROM ROWS) AND password IS NOT NULL";
    decision.tx.each(sql, &[], &Rows::of(&["id"], ids)).await.map(drop)
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

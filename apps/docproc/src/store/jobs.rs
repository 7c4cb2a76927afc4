//! What a worker needs to know to do what a message asks.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use db::{Error, Rows, Tx};
use page::PageText;
use serde_json::Value as Json;

use super::{
    documents,
    messages::Claim,
    pages::page_text,
    progress::Finding,
    requests::{self, FileRow, RequestRow},
};
use crate::{
    model::{Component, FieldValue, Item},
    rules::{
        advance::Thresholds,
        retry::Trouble,
        workflow::{Stage, Workflow},
    },
    store::catalogue::Workflows,
};

/// A message with everything its stage works on and, once a worker is through, what came of it.
#[derive(Clone, Debug)]
pub struct Job {
    pub claim: Claim,
    pub request: Arc<Brief>,
    pub input: Input,
    /// The stages that ran. Behind the one that the message asks for stand those that ran ahead of
    /// being asked.
    pub findings: Vec<Finding>,
    /// What stopped the next one.
    pub trouble: Option<Trouble>,
}

/// What all jobs of a request share.
#[derive(Debug)]
pub struct Brief {
    pub row: RequestRow,
    pub files: Vec<FileRow>,
    pub workflow: Arc<Workflow>,
    /// The house's thresholds when it was taken up.
    pub house: Thresholds,
}

#[derive(Clone, Debug)]
pub enum Input {
    Request,
    Page {
        n: u32,
        file: u32,
        page_in_file: u32,
        text: Option<PageText>,
    },
    Document {
        id: String,
        doc_type: String,
        first: u32,
        /// The file its pages are in.
        file: u32,
        pages: Vec<PageText>,
        /// What is known of it so far.
        data: Option<Json>,
        fields: Vec<FieldValue>,
    },
}

impl Job {
    pub const fn new(claim: Claim, request: Arc<Brief>, input: Input) -> Self {
        Self { claim, request, input, findings: Vec::new(), trouble: None }
    }

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
    house: Thresholds,
) -> Result<Vec<Job>, Error> {
    let briefs = briefs(tx, &claims, workflows, house).await?;
    let mut jobs = Vec::with_capacity(claims.len());
    let pages = page_inputs(tx, &claims, &briefs).await?;
    let mut documents = document_inputs(tx, &claims).await?;
    for claim in claims {
        let Some(request) = briefs.get(&claim.request).cloned() else { continue };
        let input = match &claim.item {
            Item::Request => Some(Input::Request),
            Item::Page(n) => pages.get(&(claim.request.clone(), *n)).cloned(),
            Item::Document(id) => documents.remove(id),
        };
        jobs.extend(input.map(|input| Job::new(claim, request, input)));
    }
    Ok(jobs)
}

async fn briefs(
    tx: &mut Tx,
    claims: &[Claim],
    workflows: &Workflows,
    house: Thresholds,
) -> Result<HashMap<String, Arc<Brief>>, Error> {
    let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.request.as_str()).collect();
    let ids = Rows::of(&["id"], ids);
    let mut files: HashMap<String, Vec<FileRow>> = HashMap::new();
    let sql = "SELECT * FROM request_files WHERE request_id IN (SELECT id FROM ROWS)
               ORDER BY request_id, n";
    for row in tx.all_of(sql, &[], &ids).await? {
        files.entry(row.get("request_id")?).or_default().push(requests::file(&row)?);
    }
    let mut briefs = HashMap::with_capacity(ids.len());
    let sql = "SELECT * FROM requests WHERE id IN (SELECT id FROM ROWS)";
    for row in tx.all_of(sql, &[], &ids).await? {
        let row = requests::request(&row)?;
        let workflow = workflows.version(tx, row.workflow_id).await?;
        let files = files.remove(&row.id).unwrap_or_default();
        briefs.insert(row.id.clone(), Arc::new(Brief { row, files, workflow, house }));
    }
    Ok(briefs)
}

type PageInputs = HashMap<(String, u32), Input>;

/// The pages; their words only when the stage reads them.
async fn page_inputs(
    tx: &mut Tx,
    claims: &[Claim],
    briefs: &HashMap<String, Arc<Brief>>,
) -> Result<PageInputs, Error> {
    let mut wanted = Rows::new(&["request_id", "n", "with_words"]);
    for claim in claims {
        let Item::Page(n) = claim.item else { continue };
        let Some(brief) = briefs.get(&claim.request) else { continue };
        let stage = brief.workflow.stages.get(claim.at.max(0) as usize);
        let with_words = stage.is_some_and(|stage| stage.component != Component::Ocr);
        wanted.push([claim.request.as_str().into(), n.into(), i64::from(with_words).into()]);
    }
    let sql = "SELECT pages.request_id, pages.n, file, page_in_file, width, height, turned,
               ocr_source, CASE WHEN v.with_words = 1 THEN words END AS words
               FROM ROWS JOIN pages ON pages.request_id = v.request_id AND pages.n = v.n";
    let mut inputs = PageInputs::new();
    for row in tx.all_of(sql, &[], &wanted).await? {
        let number = |name| row.get::<i64>(name).map(|n| n as u32);
        let (n, file, page_in_file) = (number("n")?, number("file")?, number("page_in_file")?);
        let has_words = row.maybe::<String>("words")?.is_some();
        let text = if has_words { Some(page_text(&row)?) } else { None };
        let key = (row.get("request_id")?, n);
        // Two stages of one page may be taken together, when one of them is delivered again: the
        // words that either needs are there for both.
        if text.is_some() || !inputs.contains_key(&key) {
            inputs.insert(key, Input::Page { n, file, page_in_file, text });
        }
    }
    Ok(inputs)
}

/// Documents with the words of their pages.
async fn document_inputs(tx: &mut Tx, claims: &[Claim]) -> Result<HashMap<String, Input>, Error> {
    let ids = claims.iter().filter_map(|claim| match &claim.item {
        Item::Document(id) => Some(id),
        Item::Request | Item::Page(_) => None,
    });
    let ids = Rows::of(&["id"], ids);
    let sql = "SELECT documents.id AS document, pages.n, width, height, words, ocr_source, turned
               FROM ROWS JOIN documents ON documents.id = v.id
               JOIN pages ON pages.request_id = documents.request_id
               AND pages.n BETWEEN first_page AND last_page
               WHERE words IS NOT NULL ORDER BY documents.id, pages.n";
    let mut texts: HashMap<String, Vec<PageText>> = HashMap::new();
    for row in tx.all_of(sql, &[], &ids).await? {
        texts.entry(row.get("document")?).or_default().push(page_text(&row)?);
    }
    let sql = "SELECT id, doc_type, first_page, extracted_data, fields, COALESCE((SELECT file
               FROM pages WHERE pages.request_id = documents.request_id AND n = first_page), 0)
               AS file FROM documents WHERE id IN (SELECT id FROM ROWS)";
    let mut inputs = HashMap::new();
    for row in tx.all_of(sql, &[], &ids).await? {
        let id: String = row.get("id")?;
        let input = Input::Document {
            doc_type: row.get("doc_type")?,
            first: row.get::<i64>("first_page")? as u32,
            file: row.get::<i64>("file")? as u32,
            pages: texts.remove(&id).unwrap_or_default(),
            data: row.maybe("extracted_data")?,
            fields: documents::fields(&row)?,
            id: id.clone(),
        };
        inputs.insert(id, input);
    }
    Ok(inputs)
}

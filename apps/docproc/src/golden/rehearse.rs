//! The planner of requests, played on a case in memory.

use std::{collections::VecDeque, sync::Arc};

use jiff::civil::Date;
use page::PageText;
use paper::Document as Paper;
use serde_json::{Map, Value as Json};
use understand::extract::Extraction;

use super::{Readers, perform};
use crate::{
    model::{Component, Item, Progress, Standing, Status, Unit},
    room::Room,
    rules::{
        advance::{self, Change, Document, Page, Snapshot, Thresholds},
        continuity::Place,
        golden::{self, Answer},
        workflow::{How, Workflow},
    },
    store::{golden::Observed, requests::FileRow},
};

/// A plan moves every item at least one stage on; more rounds than this are no plan.
const MOST_ROUNDS: usize = 10_000;

/// Everything that decides what becomes of a case.
#[derive(Debug)]
pub struct Rehearsal<'a> {
    pub room: &'a Room,
    pub workflow: &'a Workflow,
    pub house: Thresholds,
    pub expected: &'a Answer,
    pub today: Date,
}

/// How often people would have been asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// For the type of a page.
    pub types: u32,
    /// For the fields of a document.
    pub documents: u32,
}

/// What became of a case.
#[derive(Clone, Debug, Default)]
pub struct Rehearsed {
    pub answer: Answer,
    pub asked: Asked,
    pub observed: Vec<Observed>,
}

/// A request that exists only here.
struct Play<'a> {
    rehearsal: &'a Rehearsal<'a>,
    files: &'a [FileRow],
    readers: &'a mut Readers,
    papers: Vec<Arc<Paper>>,
    snapshot: Snapshot,
    sheets: Vec<Sheet>,
    bundles: Vec<Bundle>,
    sent: VecDeque<(Item, usize)>,
    asked: Asked,
    observed: Vec<Observed>,
}

/// A page beside its row in the snapshot.
struct Sheet {
    paper: usize,
    page: usize,
    text: Option<PageText>,
}

/// A document beside its row in the snapshot.
struct Bundle {
    first: u32,
    last: u32,
    doc_type: String,
    found: Option<Extraction>,
    data: Map<String, Json>,
}

impl Rehearsal<'_> {
    /// Plays a request with these files to its end.
    pub(super) fn play(
        &self,
        files: &[FileRow],
        readers: &mut Readers,
    ) -> Result<Rehearsed, String> {
        let calls = self.workflow.stages.iter().find(|one| one.component == Component::Http);
        if let Some(stage) = calls {
            // A service outside cannot tell a rehearsal from a request, and may charge or file it.
            return Err(format!(
                "stage {} calls a service outside; it is not rehearsed",
                stage.name
            ));
        }
        let mut play = Play {
            rehearsal: self,
            files,
            readers,
            papers: Vec::new(),
            snapshot: Snapshot {
                status: Status::Routing,
                standing: Standing { at: -1, progress: Progress::Done },
                page_count: None,
                document_count: None,
                pages: Vec::new(),
                documents: Vec::new(),
            },
            sheets: Vec::new(),
            bundles: Vec::new(),
            sent: VecDeque::new(),
            asked: Asked::default(),
            observed: Vec::new(),
        };
        for _ in 0..MOST_ROUNDS {
            let next = advance::plan(&play.snapshot, self.workflow, self.house);
            let idle = next.changes.is_empty();
            for change in next.changes {
                play.apply(change);
            }
            if play.snapshot.status.is_final() {
                return Ok(play.ended());
            }
            if idle && play.sent.is_empty() {
                break;
            }
            while let Some((item, at)) = play.sent.pop_front() {
                play.perform(&item, at)?;
            }
        }
        Err("it stands still".to_owned())
    }
}

impl Play<'_> {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Status(status) => self.snapshot.status = status,
            Change::Send { item, at } => {
                self.stand(&item, Standing { at: at as i32, progress: Progress::Sent });
                self.sent.push_back((item, at));
            }
            Change::Stand { item, standing } => self.stand(&item, standing),
            Change::Accept { page, doc_type, confidence } => {
                self.observe_type(page, &doc_type, confidence);
                self.snapshot.pages[page as usize].doc_type = Some(doc_type);
            }
            Change::Review { item: Item::Page(n), at } => self.ask_type(n, at),
            Change::Review { item, at } => self.ask_fields(&item, at),
            Change::Open { first, last, doc_type, at } => self.open(first, last, doc_type, at),
            Change::Documents(count) => self.snapshot.document_count = Some(count),
            Change::Complete => self.snapshot.status = Status::Completed,
        }
    }

    fn stand(&mut self, item: &Item, standing: Standing) {
        match item {
            Item::Request => self.snapshot.standing = standing,
            Item::Page(n) => self.snapshot.pages[*n as usize].standing = standing,
            Item::Document(id) => {
                let documents = &mut self.snapshot.documents;
                if let Some(one) = documents.iter_mut().find(|one| one.id == *id) {
                    one.standing = standing;
                }
            }
        }
    }

    fn open(&mut self, first: u32, last: u32, doc_type: String, at: usize) {
        let stage = self.rehearsal.workflow.stages.get(at);
        let sent = stage.is_some_and(|one| one.unit == Unit::Document && !one.component.is_join());
        let progress = if sent { Progress::Sent } else { Progress::Todo };
        let id = first.to_string();
        if sent {
            self.sent.push_back((Item::Document(id.clone()), at));
        }
        let standing = Standing { at: at as i32, progress };
        let row = Document { id, standing, confidence: None, missing_required: false };
        let before = self.bundles.partition_point(|one| one.first < first);
        self.snapshot.documents.insert(before, row);
        let bundle = Bundle { first, last, doc_type, found: None, data: Map::new() };
        self.bundles.insert(before, bundle);
        for page in &mut self.snapshot.pages {
            page.grouped |= (first..=last).contains(&page.n);
        }
    }

    fn perform(&mut self, item: &Item, at: usize) -> Result<(), String> {
        let workflow = self.rehearsal.workflow;
        let room = self.rehearsal.room;
        let stage = &workflow.stages[at];
        match (stage.component, item) {
            (Component::Splitter, Item::Request) => self.split(at)?,
            (Component::Ocr, Item::Page(n)) => {
                let How::Read { engine } = stage.how else { return Err(misplaced(&stage.name)) };
                let sheet = &mut self.sheets[*n as usize];
                let paper = &self.papers[sheet.paper];
                let said = perform::read(room, self.readers, engine, paper, sheet.page)?;
                let page = &mut self.snapshot.pages[*n as usize];
                (page.place, page.identity) = (said.place, said.identity);
                sheet.text = Some(said.text);
            }
            (Component::Classifier, Item::Page(n)) => {
                let text = self.sheets[*n as usize].text.as_ref();
                let text = text.ok_or_else(|| misplaced(&stage.name))?;
                let scores = perform::classify(room, workflow, text);
                self.snapshot.pages[*n as usize].scores = Some(scores);
            }
            (Component::Extractor, Item::Document(id)) => self.extract(id),
            _ => return Err(misplaced(&stage.name)),
        }
        self.stand(item, Standing { at: at as i32, progress: Progress::Done });
        Ok(())
    }

    fn split(&mut self, at: usize) -> Result<(), String> {
        self.papers = perform::open(self.rehearsal.room, self.files)?;
        for (file, paper) in self.papers.iter().enumerate() {
            for page in 0..paper.page_count() {
                let n = self.sheets.len() as u32;
                self.sheets.push(Sheet { paper: file, page, text: None });
                self.snapshot.pages.push(Page {
                    n,
                    file: file as u32,
                    standing: Standing::todo(at + 1),
                    scores: None,
                    place: Place::Unknown,
                    identity: None,
                    doc_type: None,
                    grouped: false,
                });
            }
        }
        self.snapshot.page_count = Some(self.sheets.len() as u32);
        Ok(())
    }

    fn extract(&mut self, id: &str) {
        let Some(n) = self.snapshot.documents.iter().position(|one| one.id == id) else { return };
        let bundle = &mut self.bundles[n];
        let pages = self.sheets.get(bundle.first as usize..=bundle.last as usize);
        let texts: Vec<&PageText> =
            pages.unwrap_or_default().iter().filter_map(|sheet| sheet.text.as_ref()).collect();
        let Rehearsal { workflow, today, expected, .. } = self.rehearsal;
        let found = perform::extract(workflow, &bundle.doc_type, &texts, *today);
        bundle.data = found.data();
        let row = &mut self.snapshot.documents[n];
        row.confidence = Some(perform::rounded(found.confidence));
        row.missing_required = found.fields.iter().any(|one| one.required && one.value.is_none());
        if let Some(wanted) = wanted(expected, bundle) {
            for field in found.fields.iter().filter(|one| one.value.is_some()) {
                let Some(truth) = wanted.get(&field.name) else { continue };
                let said = bundle.data.get(&field.name).unwrap_or(&Json::Null);
                self.observed.push(Observed {
                    doc_type: bundle.doc_type.clone(),
                    field: Some(field.name.clone()),
                    confidence: perform::rounded(field.confidence),
                    right: golden::same(Some(field.kind), truth, said, *today),
                });
            }
        }
        bundle.found = Some(found);
    }

    /// A person knows the type of a page that the expected answer has.
    fn ask_type(&mut self, n: u32, at: usize) {
        self.asked.types += 1;
        let best = self.snapshot.pages[n as usize].scores.as_ref();
        let best = best.and_then(|scores| scores.first().cloned());
        if let Some((doc_type, confidence)) = &best {
            self.observe_type(n, doc_type, *confidence);
        }
        let known = self.rehearsal.expected.documents.iter().find(|one| one.pages.contains(&n));
        let known = known.map(|one| one.doc_type.clone());
        let page = &mut self.snapshot.pages[n as usize];
        // Nobody's word at all would hold the page for ever.
        page.doc_type = known.or(best.map(|(doc_type, _)| doc_type)).or(Some(String::new()));
        page.standing = Standing { at: at as i32, progress: Progress::Done };
    }

    /// A person mends what they are shown as doubtful and fills in what the machine left empty; what
    /// it was sure of stays its word.
    fn ask_fields(&mut self, item: &Item, at: usize) {
        self.asked.documents += 1;
        let Item::Document(id) = item else { return };
        let Some(n) = self.snapshot.documents.iter().position(|one| one.id == *id) else { return };
        let stage = &self.rehearsal.workflow.stages[at];
        let threshold = stage.threshold.unwrap_or(self.rehearsal.house.extraction);
        let bundle = &mut self.bundles[n];
        let fields = bundle.found.as_ref().map(|found| found.fields.clone()).unwrap_or_default();
        if let Some(wanted) = wanted(self.rehearsal.expected, bundle).cloned() {
            let shown = |field: &&understand::extract::Field| {
                field.value.is_none() || perform::rounded(field.confidence) < threshold
            };
            for field in fields.iter().filter(shown) {
                if let Some(truth) = wanted.get(&field.name) {
                    bundle.data.insert(field.name.clone(), truth.clone());
                }
            }
        }
        let row = &mut self.snapshot.documents[n];
        (row.confidence, row.missing_required) = (Some(1.0), false);
        row.standing = Standing { at: at as i32, progress: Progress::Done };
    }

    fn observe_type(&mut self, n: u32, said: &str, confidence: f64) {
        let known = self.rehearsal.expected.documents.iter().find(|one| one.pages.contains(&n));
        self.observed.extend(known.map(|one| Observed {
            doc_type: one.doc_type.clone(),
            field: None,
            confidence,
            right: one.doc_type == said,
        }));
    }

    fn ended(self) -> Rehearsed {
        let documents = self.bundles.into_iter().map(|bundle| golden::Document {
            doc_type: bundle.doc_type,
            pages: (bundle.first..=bundle.last).collect(),
            data: bundle.data,
        });
        let answer = Answer { documents: documents.collect() };
        Rehearsed { answer, asked: self.asked, observed: self.observed }
    }
}

/// What is expected of the document with these pages, if it is one of this type.
fn wanted<'a>(expected: &'a Answer, bundle: &Bundle) -> Option<&'a Map<String, Json>> {
    let same = |one: &&golden::Document| {
        one.doc_type == bundle.doc_type
            && one.pages.first() == Some(&bundle.first)
            && one.pages.last() == Some(&bundle.last)
    };
    expected.documents.iter().find(same).map(|one| &one.data)
}

fn misplaced(stage: &str) -> String {
    format!("stage {stage} got something it does not work on")
}

//! The planner of requests, played on a case in memory.

use std::{collections::BTreeMap, sync::Arc};

use jiff::civil::Date;
use page::PageText;
use paper::Document as Paper;
use serde_json::{Map, Value as Json};
use understand::extract::Extraction;

use super::{Readers, perform};
use crate::{
    drivers::runtime::Runtime,
    model::{Component, Item, PageInFile, Progress, Reading, Standing, Status},
    rules::{
        advance::{Change, Snapshot, Thresholds},
        course::{Course, Finding, Found, Via},
        golden::{self, Answer},
        workflow::{How, Workflow},
    },
    store::{golden::Observed, layouts::Shelf, requests::FileRow},
};

/// A plan moves every item at least one stage on; more rounds than this are no plan.
const MOST_ROUNDS: usize = 10_000;

/// The documents of a case need no other names.
static BY_FIRST_PAGE: fn(u32) -> String = |first| first.to_string();

/// Everything that decides what becomes of a case.
#[derive(Debug)]
pub struct Rehearsal<'a> {
    pub runtime: &'a Runtime,
    pub workflow: &'a Workflow,
    pub house: Thresholds,
    pub expected: &'a Answer,
    pub today: Date,
    /// Who would have sent it: what is remembered of vendors is theirs.
    pub owner: &'a str,
}

/// How often people would have been asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// For the type of a page.
    pub types: u32,
    /// For the fields of a document.
    pub documents: u32,
    /// Documents that were read with what is remembered of their vendor.
    pub recalled: u32,
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
    course: Course<'a>,
    sheets: Vec<Sheet>,
    /// By their first page.
    bundles: BTreeMap<u32, Bundle>,
    asked: Asked,
    observed: Vec<Observed>,
}

/// A page beside what the planner knows of it.
struct Sheet {
    paper: usize,
    page: usize,
    text: Option<PageText>,
}

/// A document beside what the planner knows of it.
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
        let calls = self.workflow.stages.iter().find(|one| one.component.is_elsewhere());
        if let Some(stage) = calls {
            // A service outside cannot tell a rehearsal from a request, and may charge or file it.
            return Err(format!(
                "stage {} calls a service outside; it is not rehearsed",
                stage.name
            ));
        }
        let snapshot = Snapshot {
            status: Status::Routing,
            standing: Standing { at: -1, progress: Progress::Done },
            page_count: None,
            document_count: None,
            pages: Vec::new(),
            documents: Vec::new(),
        };
        let mut play = Play {
            rehearsal: self,
            files,
            readers,
            papers: Vec::new(),
            course: Course::new(snapshot, self.workflow, self.house, &BY_FIRST_PAGE),
            sheets: Vec::new(),
            bundles: BTreeMap::new(),
            asked: Asked::default(),
            observed: Vec::new(),
        };
        for _ in 0..MOST_ROUNDS {
            let (changes, _) = play.course.advance();
            if play.course.snapshot.status.is_final() {
                return Ok(play.ended());
            }
            if changes.is_empty() {
                break;
            }
            for change in &changes {
                play.note(change);
                if let Some((item, at)) = play.course.sent(change) {
                    play.perform(&item, at)?;
                }
            }
        }
        Err("it stands still".to_owned())
    }
}

impl Play<'_> {
    fn note(&mut self, change: &Change) {
        match change {
            Change::Accept { page, doc_type, confidence } => {
                self.observe_type(*page, doc_type, *confidence);
            }
            Change::Review { item: Item::Page(n), at } => self.ask_type(*n, *at),
            Change::Review { item, at } => self.ask_fields(item, *at),
            Change::Open { first, last, doc_type, .. } => {
                let (first, last, doc_type) = (*first, *last, doc_type.clone());
                let bundle = Bundle { first, last, doc_type, found: None, data: Map::new() };
                self.bundles.insert(first, bundle);
            }
            Change::Learn(_)
            | Change::Status(_)
            | Change::Send { .. }
            | Change::Stand { .. }
            | Change::Documents(_)
            | Change::Complete => {}
        }
    }

    fn perform(&mut self, item: &Item, at: usize) -> Result<(), String> {
        let workflow = self.rehearsal.workflow;
        let runtime = self.rehearsal.runtime;
        let stage = &workflow.stages[at];
        let found = match (stage.component, item) {
            (Component::Splitter, Item::Request) => self.split()?,
            (Component::Ocr, Item::Page(n)) => {
                let How::Read { engine } = stage.how else { return Err(misplaced(&stage.name)) };
                let sheet = &mut self.sheets[*n as usize];
                let paper = &self.papers[sheet.paper];
                let read = perform::read(runtime, self.readers, engine, paper, sheet.page)?;
                sheet.text = Some(read.text);
                Found::Page { text: None, evidence: Some(read.evidence), scores: None }
            }
            (Component::Classifier, Item::Page(n)) => {
                let text = self.sheets[*n as usize].text.as_ref();
                let text = text.ok_or_else(|| misplaced(&stage.name))?;
                let scores = Some(perform::classify(runtime, workflow, text));
                Found::Page { text: None, evidence: None, scores }
            }
            (Component::Extractor, Item::Document(id)) => self.extract(id),
            _ => return Err(misplaced(&stage.name)),
        };
        self.course.learn(&Finding::<()>::new(item.clone(), at as i32, found));
        Ok(())
    }

    fn split(&mut self) -> Result<Found, String> {
        self.papers = perform::open(self.rehearsal.runtime, self.files)?;
        for (paper, opened) in self.papers.iter().enumerate() {
            let sheets = (0..opened.page_count()).map(|page| Sheet { paper, page, text: None });
            self.sheets.extend(sheets);
        }
        let page = |sheet: &Sheet| PageInFile { file: sheet.paper as u32, page: sheet.page as u32 };
        Ok(Found::Split { pages: self.sheets.iter().map(page).collect(), files: Vec::new() })
    }

    fn bundle(&mut self, id: &str) -> Option<&mut Bundle> {
        self.bundles.get_mut(&id.parse().ok()?)
    }

    fn extract(&mut self, id: &str) -> Found {
        let Rehearsal { workflow, today, expected, runtime, owner, .. } = self.rehearsal;
        let Some(bundle) = id.parse().ok().and_then(|first: u32| self.bundles.get_mut(&first))
        else {
            return Found::Nothing;
        };
        let pages = self.sheets.get(bundle.first as usize..=bundle.last as usize);
        let texts: Vec<&PageText> =
            pages.unwrap_or_default().iter().filter_map(|sheet| sheet.text.as_ref()).collect();
        let known = runtime.memories.of(&Shelf {
            owner: (*owner).to_owned(),
            workflow: workflow.name.clone(),
            doc_type: bundle.doc_type.clone(),
        });
        let layouts: Vec<_> = known.iter().map(|one| &one.layout).collect();
        let (found, recalled) =
            perform::extract(workflow, &bundle.doc_type, &texts, *today, &layouts);
        self.asked.recalled += u32::from(recalled);
        bundle.data = found.data();
        let missing_required = found.fields.iter().any(|one| one.required && one.value.is_none());
        let reading =
            read(bundle.data.clone(), perform::rounded(found.confidence), missing_required);
        if let Some(wanted) = wanted(expected, bundle) {
            for field in found.fields.iter().filter(|one| one.value.is_some()) {
                let Some(truth) = wanted.get(&field.name) else { continue };
                let found = bundle.data.get(&field.name).unwrap_or(&Json::Null);
                self.observed.push(Observed {
                    doc_type: bundle.doc_type.clone(),
                    field: Some(field.name.clone()),
                    confidence: perform::rounded(field.confidence),
                    right: golden::same(Some(field.kind), truth, found, *today),
                });
            }
        }
        bundle.found = Some(found);
        reading
    }

    /// A person knows the type of a page that the expected answer has.
    fn ask_type(&mut self, n: u32, at: usize) {
        self.asked.types += 1;
        let best = self.course.snapshot.pages[n as usize].scores.as_ref();
        let best = best.and_then(|scores| scores.first().cloned());
        if let Some((doc_type, confidence)) = &best {
            self.observe_type(n, doc_type, *confidence);
        }
        let known = self.rehearsal.expected.documents.iter().find(|one| one.pages.contains(&n));
        let known = known.map(|one| one.doc_type.clone());
        // Nobody's word at all would hold the page for ever.
        let doc_type = known.or(best.map(|(doc_type, _)| doc_type)).unwrap_or_default();
        self.answer(Item::Page(n), at, Found::Type(doc_type));
    }

    /// A person mends what they are shown as doubtful and fills in what the machine left empty;
    /// what it was sure of stays its word.
    fn ask_fields(&mut self, item: &Item, at: usize) {
        self.asked.documents += 1;
        let Item::Document(id) = item else { return };
        let rehearsal = self.rehearsal;
        let stage = &rehearsal.workflow.stages[at];
        let threshold = stage.threshold.unwrap_or(rehearsal.house.extraction);
        let Some(bundle) = self.bundle(id) else { return };
        let fields = bundle.found.as_ref().map(|found| found.fields.clone()).unwrap_or_default();
        if let Some(wanted) = wanted(rehearsal.expected, bundle) {
            let shown = |field: &&understand::extract::Field| {
                field.value.is_none() || perform::rounded(field.confidence) < threshold
            };
            for field in fields.iter().filter(shown) {
                if let Some(truth) = wanted.get(&field.name) {
                    bundle.data.insert(field.name.clone(), truth.clone());
                }
            }
        }
        let certain = read(bundle.data.clone(), 1.0, false);
        self.answer(item.clone(), at, certain);
    }

    fn answer(&mut self, item: Item, at: usize, found: Found) {
        let answer = Finding { via: Via::Person, ..Finding::new(item, at as i32, found) };
        self.course.learn(&answer);
    }

    fn observe_type(&mut self, n: u32, found: &str, confidence: f64) {
        let known = self.rehearsal.expected.documents.iter().find(|one| one.pages.contains(&n));
        self.observed.extend(known.map(|one| Observed {
            doc_type: one.doc_type.clone(),
            field: None,
            confidence,
            right: one.doc_type == found,
        }));
    }

    fn ended(self) -> Rehearsed {
        let documents = self.bundles.into_values().map(|bundle| golden::Document {
            doc_type: bundle.doc_type,
            pages: (bundle.first..=bundle.last).collect(),
            data: bundle.data,
        });
        let answer = Answer { documents: documents.collect() };
        Rehearsed { answer, asked: self.asked, observed: self.observed }
    }
}

/// A document as it was read; its fields are with its bundle.
fn read(extracted_data: Map<String, Json>, confidence: f64, missing_required: bool) -> Found {
    let (fields, layout) = (Vec::new(), None);
    Found::Document(Box::new(Reading {
        fields,
        extracted_data,
        confidence,
        missing_required,
        layout,
    }))
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

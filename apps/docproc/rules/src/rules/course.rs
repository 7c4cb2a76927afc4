//! A request on its way while findings about it come in, before anything of it is written: what one
//! worker finds out in a row is planned together and written once.

use std::time::Duration;

use jiff::Timestamp;
use page::PageText;
use serde_json::{Map, Value as Json};

use super::{
    advance::{self, Change, Document, Held, Page, Snapshot, Thresholds},
    continuity::{Evidence, Scores},
    group,
    workflow::{Boundaries, How, Workflow},
};
use crate::model::{Item, PageInFile, Progress, Reading, Standing, Status, Unit};

/// What a stage, a person or a service outside found out about an item. It travels as it is from
/// whoever found it to the planner and to the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<File = ()> {
    pub item: Item,
    /// The position of the stage that found it.
    pub at: i32,
    /// The last stage it stands for: a routing key may pass others over.
    pub through: i32,
    pub found: Found<File>,
    pub via: Via,
    /// Whoever found it wants a person to look.
    pub asks: bool,
    /// What a service outside answered beside text, type and fields.
    pub extra: Option<Map<String, Json>>,
    /// When the stage ran. A person's answer has none.
    pub ran: Option<Ran>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Found<File = ()> {
    /// The stage ran, and that is all.
    Nothing,
    /// The pages of the request in their order, and the files that the database does not know yet.
    Split {
        pages: Vec<PageInFile>,
        files: Vec<File>,
    },
    Page {
        text: Option<PageText>,
        evidence: Option<Evidence>,
        scores: Option<Scores>,
    },
    /// The type of a page, as a person says.
    Type(String),
    Document(Box<Reading>),
}

/// How a finding came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// A message asked for it.
    Message,
    /// A worker went on before a message was sent.
    Ahead,
    /// A person was asked.
    Person,
}

/// When a stage ran, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ran {
    pub started: Timestamp,
    pub finished: Timestamp,
    pub took: Duration,
}

impl<File> Finding<File> {
    /// What the stage at this position found, asked by a message.
    pub const fn new(item: Item, at: i32, found: Found<File>) -> Self {
        let (via, asks, extra, ran) = (Via::Message, false, None, None);
        Self { item, at, through: at, found, via, asks, extra, ran }
    }
}

pub struct Course<'a> {
    pub snapshot: Snapshot,
    workflow: &'a Workflow,
    house: Thresholds,
    /// The id of the document that begins with a page.
    document_id: &'a dyn Fn(u32) -> String,
}

impl<'a> Course<'a> {
    pub fn new(
        snapshot: Snapshot,
        workflow: &'a Workflow,
        house: Thresholds,
        document_id: &'a dyn Fn(u32) -> String,
    ) -> Self {
        Self { snapshot, workflow, house, document_id }
    }

    /// Takes findings in and plans what follows. One about an item that is not where it was found
    /// is left out: the item moved on since, or its turn never came.
    pub fn run<File>(&mut self, findings: &[&Finding<File>]) -> (Vec<Change>, Vec<Held>) {
        let mut changes = Vec::new();
        for (n, finding) in findings.iter().enumerate() {
            if !self.stands(finding) {
                changes.extend(self.advance().0);
            }
            if self.learn(finding) {
                changes.push(Change::Learn(n));
                if finding.asks && !self.snapshot.status.is_final() {
                    let (item, at) = (finding.item.clone(), finding.through.max(0) as usize);
                    let review = Change::Review { item, at };
                    self.follow(&review);
                    changes.push(review);
                }
            }
        }
        let (rest, held) = self.advance();
        changes.extend(rest);
        (changes, held)
    }

    /// Whether the item of a finding stands where the finding was made.
    fn stands<File>(&mut self, finding: &Finding<File>) -> bool {
        // Pages that come after their request failed are kept for when it is tried again.
        if finding.item == Item::Request && self.snapshot.status.is_final() {
            return false;
        }
        let &Finding { at, via, .. } = finding;
        let straight_on = via == Via::Ahead && self.workflow.goes_straight_on(at - 1);
        let Some(standing) = self.standing(&finding.item) else { return false };
        let progress = if via == Via::Person { Progress::Review } else { Progress::Sent };
        *standing == Standing { at, progress }
            || straight_on && *standing == Standing { at: at - 1, progress: Progress::Done }
    }

    /// Takes a finding in, if its item still stands where it was found. Answers whether it did.
    pub fn learn<File>(&mut self, finding: &Finding<File>) -> bool {
        if !self.stands(finding) {
            return false;
        }
        let Snapshot { pages, documents, .. } = &mut self.snapshot;
        match (&finding.item, &finding.found) {
            (Item::Request, Found::Split { pages, .. }) => self.split(pages, finding.through),
            (Item::Page(n), Found::Page { evidence, scores, .. }) => {
                if let Some(page) = pages.iter_mut().find(|page| page.n == *n) {
                    if let Some(evidence) = evidence {
                        page.evidence = evidence.clone();
                    }
                    page.scores = scores.clone().or(page.scores.take());
                }
            }
            (Item::Page(n), Found::Type(doc_type)) => {
                if let Some(page) = pages.iter_mut().find(|page| page.n == *n) {
                    page.doc_type = Some(doc_type.clone());
                }
            }
            (Item::Document(id), Found::Document(reading)) => {
                if let Some(document) = documents.iter_mut().find(|one| one.id == *id) {
                    document.confidence = Some(reading.confidence);
                    document.missing_required = reading.missing_required;
                    // A person who answered about it has seen it.
                    document.suspected &= finding.via != Via::Person;
                }
            }
            (Item::Request | Item::Page(_) | Item::Document(_), _) => {}
        }
        if let Some(standing) = self.standing(&finding.item) {
            *standing = Standing { at: finding.through, progress: Progress::Done };
        }
        true
    }

    fn split(&mut self, pages: &[PageInFile], at: i32) {
        let standing = Standing { at: at + 1, progress: Progress::Todo };
        let page = |(n, page): (usize, &PageInFile)| Page {
            n: n as u32,
            file: page.file,
            standing,
            scores: None,
            evidence: Evidence::default(),
            doc_type: None,
            grouped: false,
        };
        self.snapshot.pages = pages.iter().enumerate().map(page).collect();
        self.snapshot.page_count = Some(pages.len() as u32);
    }

    /// Plans what follows, and goes there.
    pub fn advance(&mut self) -> (Vec<Change>, Vec<Held>) {
        let plan = advance::plan(&self.snapshot, self.workflow, self.house);
        for change in &plan.changes {
            self.follow(change);
        }
        (plan.changes, plan.held)
    }

    /// The message that a change puts into the queue, if it does.
    pub fn sent(&self, change: &Change) -> Option<(Item, usize)> {
        match change {
            Change::Send { item, at } => Some((item.clone(), *at)),
            Change::Open { first, at, .. } if goes_on(self.workflow, *at) => {
                Some((Item::Document((self.document_id)(*first)), *at))
            }
            Change::Learn(_)
            | Change::Status(_)
            | Change::Stand { .. }
            | Change::Accept { .. }
            | Change::Review { .. }
            | Change::Open { .. }
            | Change::Documents(_)
            | Change::Complete => None,
        }
    }

    fn follow(&mut self, change: &Change) {
        match change {
            Change::Learn(_) => {}
            Change::Status(status) => self.snapshot.status = *status,
            Change::Send { item, at } => {
                self.stand(item, Standing { at: *at as i32, progress: Progress::Sent });
            }
            Change::Stand { item, standing } => self.stand(item, *standing),
            Change::Accept { page, doc_type, .. } => {
                if let Some(page) = self.snapshot.pages.iter_mut().find(|one| one.n == *page) {
                    page.doc_type = Some(doc_type.clone());
                }
            }
            Change::Review { item, at } => {
                self.stand(item, Standing { at: *at as i32, progress: Progress::Review });
            }
            Change::Open { first, last, at, .. } => self.open(*first, *last, *at),
            Change::Documents(count) => self.snapshot.document_count = Some(*count),
            Change::Complete => self.snapshot.status = Status::Completed,
        }
    }

    fn open(&mut self, first: u32, last: u32, at: usize) {
        for page in &mut self.snapshot.pages {
            page.grouped |= (first..=last).contains(&page.n);
        }
        let id = (self.document_id)(first);
        let document = opened(&self.snapshot.pages, self.workflow, id, (first, last), at);
        self.snapshot.documents.push(document);
    }

    fn stand(&mut self, item: &Item, to: Standing) {
        if let Some(standing) = self.standing(item) {
            *standing = to;
        }
    }

    fn standing(&mut self, item: &Item) -> Option<&mut Standing> {
        let Snapshot { standing, pages, documents, .. } = &mut self.snapshot;
        match item {
            Item::Request => Some(standing),
            Item::Page(n) => {
                pages.iter_mut().find(|page| page.n == *n).map(|page| &mut page.standing)
            }
            Item::Document(id) => {
                documents.iter_mut().find(|one| one.id == *id).map(|one| &mut one.standing)
            }
        }
    }
}

/// A document of these pages that opens before a stage.
pub fn opened(
    pages: &[Page],
    workflow: &Workflow,
    id: String,
    (first, last): (u32, u32),
    at: usize,
) -> Document {
    let own = pages.iter().filter(|page| (first..=last).contains(&page.n));
    Document {
        id,
        standing: opened_at(workflow, at),
        confidence: None,
        missing_required: false,
        suspected: !suspected(workflow, own.map(|page| (page.n, &page.evidence))).is_empty(),
    }
}

/// Where inside a document a second one may begin, if the workflow looks for that.
pub fn suspected<'a>(
    workflow: &Workflow,
    pages: impl IntoIterator<Item = (u32, &'a Evidence)>,
) -> Vec<u32> {
    match workflow.grouping().map(|at| &workflow.stages[at].how) {
        Some(How::Group { boundaries: Boundaries::Auto, .. }) => group::suspected(pages),
        _ => Vec::new(),
    }
}

/// Where a document stands that opens before a stage.
pub fn opened_at(workflow: &Workflow, at: usize) -> Standing {
    let progress = if goes_on(workflow, at) { Progress::Sent } else { Progress::Todo };
    Standing { at: at as i32, progress }
}

/// Whether a stage works on single documents.
fn goes_on(workflow: &Workflow, at: usize) -> bool {
    let stage = workflow.stages.get(at);
    stage.is_some_and(|stage| stage.unit == Unit::Document && !stage.component.is_join())
}

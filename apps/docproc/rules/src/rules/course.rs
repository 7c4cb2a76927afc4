//! A request on its way while findings about it come in, before anything of it is written: what one
//! worker finds out in a row is planned together and written once.

use super::{
    advance::{self, Change, Document, Held, Page, Snapshot, Thresholds},
    continuity::{Evidence, Scores},
    group,
    workflow::{Boundaries, How, Workflow},
};
use crate::model::{Item, Progress, Standing, Status, Unit};

/// What became known of an item, as far as plans depend on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// A stage ran, and that is all.
    Nothing,
    /// The pages of the request: the file of each.
    Split {
        files: Vec<u32>,
    },
    Page {
        evidence: Option<Evidence>,
        scores: Option<Scores>,
    },
    Document {
        confidence: f64,
        missing_required: bool,
    },
}

impl Known {
    /// Together with what a later stage found about the same item.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        match (self, later) {
            (
                Self::Page { evidence, scores },
                Self::Page { evidence: later_evidence, scores: later_scores },
            ) => Self::Page {
                evidence: later_evidence.or(evidence),
                scores: later_scores.or(scores),
            },
            (known, Self::Nothing) => known,
            (_, later) => later,
        }
    }
}

/// What stages that ran in a row found out about an item: what plans depend on, and what is kept
/// of it, which plans do not look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<Kept = ()> {
    pub item: Item,
    /// The first of these stages; the item was sent there.
    pub from: i32,
    /// The last of them.
    pub at: i32,
    pub known: Known,
    /// Whoever found it out wants a person to look.
    pub asks: bool,
    pub kept: Kept,
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
    pub fn run<Kept>(&mut self, findings: &[&Finding<Kept>]) -> (Vec<Change>, Vec<Held>) {
        let mut changes = Vec::new();
        for (n, finding) in findings.iter().enumerate() {
            if !self.stands(finding) {
                changes.extend(self.advance().0);
            }
            if self.learn(finding) {
                changes.push(Change::Learn(n));
                if finding.asks && !self.snapshot.status.is_final() {
                    let (item, at) = (finding.item.clone(), finding.at.max(0) as usize);
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

    fn stands<Kept>(&mut self, finding: &Finding<Kept>) -> bool {
        // Pages that come after their request failed are kept for when it is tried again.
        if finding.item == Item::Request && self.snapshot.status.is_final() {
            return false;
        }
        let sent = Standing { at: finding.from, progress: Progress::Sent };
        self.standing(&finding.item).is_some_and(|standing| *standing == sent)
    }

    /// Takes a finding in, if its item still stands where it was sent. Answers whether it did.
    pub fn learn<Kept>(&mut self, finding: &Finding<Kept>) -> bool {
        if !self.stands(finding) {
            return false;
        }
        match (&finding.item, &finding.known) {
            (Item::Request, Known::Split { files }) => self.split(files, finding.at),
            (Item::Page(n), Known::Page { evidence, scores }) => {
                if let Some(page) = self.snapshot.pages.iter_mut().find(|page| page.n == *n) {
                    if let Some(evidence) = evidence {
                        page.evidence = evidence.clone();
                    }
                    page.scores = scores.clone().or(page.scores.take());
                }
            }
            (Item::Document(id), Known::Document { confidence, missing_required }) => {
                let documents = &mut self.snapshot.documents;
                if let Some(document) = documents.iter_mut().find(|one| one.id == *id) {
                    document.confidence = Some(*confidence);
                    document.missing_required = *missing_required;
                }
            }
            (Item::Request | Item::Page(_) | Item::Document(_), _) => {}
        }
        if let Some(standing) = self.standing(&finding.item) {
            *standing = Standing { at: finding.at, progress: Progress::Done };
        }
        true
    }

    fn split(&mut self, files: &[u32], at: i32) {
        let standing = Standing { at: at + 1, progress: Progress::Todo };
        let page = |(n, file): (usize, &u32)| Page {
            n: n as u32,
            file: *file,
            standing,
            scores: None,
            evidence: Evidence::default(),
            doc_type: None,
            grouped: false,
        };
        self.snapshot.pages = files.iter().enumerate().map(page).collect();
        self.snapshot.page_count = Some(files.len() as u32);
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

//! The planner of a request: what follows from what is known.
//!
//! Workers only report facts: a page's text, its scores, a document's fields. Everything that
//! follows (accept or ask a person, group, fan in, answer) is decided here, in the transaction
//! that records the fact. So a join cannot fire twice, and a message delivered twice changes
//! nothing: planning again right after a commit finds nothing left to do.

use engine::Plan;

use super::{
    arrive, blank,
    continuity::{self, Evidence, Scores},
    course::opened,
    group::{self, Leaf, Sort},
    workflow::{How, Stage, Workflow},
};
use crate::model::{Component, Item, Progress, Standing, Status, Unit};

/// A request as the planner sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub status: Status,
    pub standing: Standing,
    /// `None` until it was split.
    pub page_count: Option<u32>,
    pub document_count: Option<u32>,
    /// In order.
    pub pages: Vec<Page>,
    /// In order of their first page.
    pub documents: Vec<Document>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub n: u32,
    pub file: u32,
    pub standing: Standing,
    /// What the classifier said.
    pub scores: Option<Scores>,
    pub evidence: Evidence,
    pub doc_type: Option<String>,
    pub grouped: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub id: String,
    pub standing: Standing,
    pub confidence: Option<f64>,
    pub missing_required: bool,
    /// A second document may begin inside it, and nobody looked yet.
    pub suspected: bool,
}

/// The house's thresholds, for workflows that leave them out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    pub classification: f64,
    pub extraction: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// What a worker found holds: the finding of this number.
    Learn(usize),
    Status(Status),
    /// Puts a message for this item and stage into the queue; the item stands there.
    Send {
        item: Item,
        at: usize,
    },
    /// Moves an item to a stage without a message: it has arrived.
    Stand {
        item: Item,
        standing: Standing,
    },
    /// The classifier's word is good enough.
    Accept {
        page: u32,
        doc_type: String,
        confidence: f64,
    },
    /// A person decides; the item stays where it is.
    Review {
        item: Item,
        at: usize,
    },
    /// Pages that are one document.
    Open {
        first: u32,
        last: u32,
        doc_type: String,
        at: usize,
    },
    Documents(u32),
    Complete,
}

/// Why something of the request waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// A message is in the queue or with a worker.
    Working {
        item: Item,
        at: usize,
    },
    Person {
        item: Item,
        at: usize,
    },
    /// Waits for the page before it, which may settle its type.
    Neighbour {
        page: u32,
    },
    /// Waits until the page before it is through a stage that takes one at a time.
    Turn {
        page: u32,
        at: usize,
    },
    /// *Fan-in*: how many of how many have come.
    Join {
        at: usize,
        arrived: u32,
        expected: u32,
    },
}

/// What follows. Idempotent: the plan of a settled request is empty.
pub fn plan(snapshot: &Snapshot, workflow: &Workflow, house: Thresholds) -> Plan<Change, Held> {
    let mut planner = Planner { workflow, house, request: snapshot.clone(), plan: Plan::new() };
    if !snapshot.status.is_final() {
        planner.run();
    }
    planner.plan
}

struct Planner<'a> {
    workflow: &'a Workflow,
    house: Thresholds,
    request: Snapshot,
    plan: Plan<Change, Held>,
}

/// The type of a page that nobody could tell.
const UNKNOWN: &str = "unknown";

/// What comes after a result.
enum Next {
    On,
    Person,
}

impl Planner<'_> {
    fn run(&mut self) {
        self.request_moves();
        for n in 0..self.request.pages.len() {
            self.page_moves(n);
        }
        self.open_documents();
        for n in 0..self.request.documents.len() {
            self.document_moves(n);
        }
        self.join();
        self.say_status();
    }

    /// Stages before the split, and those after all joins.
    fn request_moves(&mut self) {
        let standing = self.request.standing;
        match standing.progress {
            Progress::Sent => {
                let at = standing.at.max(0) as usize;
                self.plan.held.push(Held::Working { item: Item::Request, at });
            }
            Progress::Done => {
                let from = (standing.at + 1).max(0) as usize;
                // A checked workflow ends with a stage for the request.
                if let Some(next) = self.workflow.next_for(Unit::Request, from) {
                    let standing = Standing::todo(next);
                    self.request.standing = standing;
                    self.plan.changes.push(Change::Stand { item: Item::Request, standing });
                }
            }
            Progress::Todo | Progress::Review => {}
        }
    }

    fn offer_request(&mut self) {
        let standing = self.request.standing;
        if standing.progress != Progress::Todo
            || !arrive::children_arrived(&self.request, self.workflow)
        {
            return;
        }
        let at = standing.at.max(0) as usize;
        match self.workflow.stages.get(at) {
            Some(stage) if stage.component == Component::Consolidator => {
                if self.request.status < Status::Consolidating {
                    self.plan.changes.push(Change::Status(Status::Consolidating));
                }
                self.plan.changes.push(Change::Complete);
                self.request.status = Status::Completed;
            }
            Some(_) => self.send(&Item::Request, at),
            None => {}
        }
    }

    fn arrived(&self, standing: Standing, unit: Unit) -> bool {
        arrive::arrived(self.workflow, standing, unit)
    }

    fn page_moves(&mut self, n: usize) {
        let page = self.request.pages[n].clone();
        let item = Item::Page(page.n);
        let at = page.standing.at.max(0) as usize;
        match page.standing.progress {
            Progress::Sent => self.plan.held.push(Held::Working { item, at }),
            Progress::Review => self.plan.held.push(Held::Person { item, at }),
            Progress::Todo => self.offer_page(n),
            Progress::Done => match self.judge_page(n) {
                Some(Next::On) => {
                    self.request.pages[n].standing = Standing::todo(at + 1);
                    let standing = self.request.pages[n].standing;
                    if self.arrived(standing, Unit::Page) || self.is_taken(standing) {
                        let standing = Standing::todo(at + 1);
                        self.plan.changes.push(Change::Stand { item, standing });
                    }
                    self.offer_page(n);
                }
                Some(Next::Person) => {
                    self.request.pages[n].standing.progress = Progress::Review;
                    self.plan.changes.push(Change::Review { item: item.clone(), at });
                    self.plan.held.push(Held::Person { item, at });
                }
                None => self.plan.held.push(Held::Neighbour { page: page.n }),
            },
        }
    }

    fn offer_page(&mut self, n: usize) {
        let page = &self.request.pages[n];
        if self.arrived(page.standing, Unit::Page) {
            return;
        }
        let (item, at) = (Item::Page(page.n), page.standing.at as usize);
        if self.is_taken(page.standing) {
            self.plan.held.push(Held::Turn { page: page.n, at });
            return;
        }
        self.request.pages[n].standing.progress = Progress::Sent;
        self.send(&item, at);
    }

    /// Whether a stage takes the pages of a request one at a time, and has one.
    fn is_taken(&self, standing: Standing) -> bool {
        let stage = self.workflow.stages.get(standing.at.max(0) as usize);
        let sent = Standing { progress: Progress::Sent, ..standing };
        stage.is_some_and(Stage::is_one_by_one)
            && self.request.pages.iter().any(|page| page.standing == sent)
    }

    /// Whether the classifier's word is enough. `None`: the page before may still settle it.
    fn judge_page(&mut self, n: usize) -> Option<Next> {
        let page = &self.request.pages[n];
        let stage = self.workflow.stages.get(page.standing.at.max(0) as usize)?;
        let Some(scores) = page.scores.clone().filter(|scores| !scores.is_empty()) else {
            return Some(self.judge_untyped(n, page.standing.at.max(0) as usize));
        };
        if page.doc_type.is_some() {
            return Some(Next::On);
        }
        let threshold = stage.threshold.unwrap_or(self.house.classification);
        let mut best = scores[0].clone();
        if best.1 < threshold && continues(stage) && scores.len() > 1 {
            match self.before(n) {
                Before::Nobody => {}
                Before::Undecided => return None,
                Before::Type(doc_type) => {
                    best =
                        continuity::beside(&scores, &doc_type, page.evidence.place).swap_remove(0);
                }
            }
        }
        if best.1 < threshold && stage.backoffice_queue.is_some() {
            return Some(Next::Person);
        }
        let page = &mut self.request.pages[n];
        page.doc_type = Some(best.0.clone());
        let (doc_type, confidence) = best;
        self.plan.changes.push(Change::Accept { page: page.n, doc_type, confidence });
        Some(Next::On)
    }

    /// A page on which nobody said a word, and nobody will before the pages are grouped, goes to
    /// people, or on as a type nobody knows: it must not hold the others up for ever.
    fn judge_untyped(&mut self, n: usize, at: usize) -> Next {
        let stages = &self.workflow.stages;
        let typed = self.request.pages[n].doc_type.is_some();
        let grouping = self.workflow.grouping();
        let fixed = grouping.is_some_and(|group| {
            matches!(&stages[group].how, How::Group { doc_type: Some(_), .. })
        });
        let later = |group: usize| {
            let rest = stages.get(at + 1..group).unwrap_or_default();
            rest.iter().any(|s| s.component == Component::Classifier || s.component.is_elsewhere())
        };
        if typed || fixed || grouping.is_none_or(later) {
            return Next::On;
        }
        if stages[at].backoffice_queue.is_some() {
            return Next::Person;
        }
        let page = &mut self.request.pages[n];
        page.doc_type = Some(UNKNOWN.to_owned());
        let doc_type = UNKNOWN.to_owned();
        self.plan.changes.push(Change::Accept { page: page.n, doc_type, confidence: 0.0 });
        Next::On
    }

    /// The page before, of the same file. One that waits for a person is not waited for: two
    /// doubtful pages are better asked at once than one after the other.
    fn before(&self, n: usize) -> Before {
        let blank = |page: &&Page| page.doc_type.as_deref() == Some(blank::BLANK);
        let Some(before) = self.request.pages[..n].iter().rev().find(|page| !blank(page)) else {
            return Before::Nobody;
        };
        if before.file != self.request.pages[n].file {
            return Before::Nobody;
        }
        match &before.doc_type {
            Some(doc_type) => Before::Type(doc_type.clone()),
            None if before.standing.progress == Progress::Review => Before::Nobody,
            None => Before::Undecided,
        }
    }

    fn open_documents(&mut self) {
        let Some(at) = self.workflow.grouping() else { return };
        let How::Group { boundaries, doc_type } = &self.workflow.stages[at].how else { return };
        let mut leaves: Vec<Leaf> =
            self.request.pages.iter().map(|page| leaf(page, at, doc_type.as_deref())).collect();
        blank::absorb(&mut leaves);
        let groups = group::closed(&leaves, *boundaries);
        for group in groups {
            let already =
                self.request.pages.iter().any(|page| page.n == group.first && page.grouped);
            if already {
                continue;
            }
            for page in &mut self.request.pages {
                page.grouped |= (group.first..=group.last).contains(&page.n);
            }
            let next = at + 1;
            let (first, last) = (group.first, group.last);
            self.plan.changes.push(Change::Open {
                first,
                last,
                doc_type: group.doc_type,
                at: next,
            });
            let id = format!("new:{first}");
            let document = opened(&self.request.pages, self.workflow, id, (first, last), next);
            if document.standing.progress == Progress::Sent {
                let item = Item::Document(document.id.clone());
                self.plan.held.push(Held::Working { item, at: next });
            }
            self.request.documents.push(document);
        }
        let expected = self.request.pages.len() as u32;
        let arrived = leaves.iter().filter(|leaf| leaf.sort.is_some()).count() as u32;
        if arrived < expected {
            self.plan.held.push(Held::Join { at, arrived, expected });
        }
    }

    fn document_moves(&mut self, n: usize) {
        let document = self.request.documents[n].clone();
        let item = Item::Document(document.id.clone());
        let at = document.standing.at.max(0) as usize;
        match document.standing.progress {
            // A document just opened is told of where it is opened.
            _ if document.id.starts_with("new:") => {}
            Progress::Sent => self.plan.held.push(Held::Working { item, at }),
            Progress::Review => self.plan.held.push(Held::Person { item, at }),
            Progress::Todo => self.offer_document(n),
            Progress::Done if self.doubtful(&document, at) => {
                self.request.documents[n].standing.progress = Progress::Review;
                self.plan.changes.push(Change::Review { item: item.clone(), at });
                self.plan.held.push(Held::Person { item, at });
            }
            Progress::Done => {
                let standing = Standing::todo(at + 1);
                self.request.documents[n].standing = standing;
                if self.arrived(standing, Unit::Document) {
                    self.plan.changes.push(Change::Stand { item, standing });
                }
                self.offer_document(n);
            }
        }
    }

    fn doubtful(&self, document: &Document, at: usize) -> bool {
        let Some(stage) = self.workflow.stages.get(at) else { return false };
        let threshold = stage.threshold.unwrap_or(self.house.extraction);
        let weak = document.confidence.is_some_and(|confidence| confidence < threshold);
        let asks = weak || document.missing_required || document.suspected;
        stage.backoffice_queue.is_some() && asks
    }

    fn offer_document(&mut self, n: usize) {
        let document = &self.request.documents[n];
        if self.arrived(document.standing, Unit::Document) {
            return;
        }
        let (item, at) = (Item::Document(document.id.clone()), document.standing.at as usize);
        self.request.documents[n].standing.progress = Progress::Sent;
        self.send(&item, at);
    }

    /// Documents back into the request, when the last one came.
    fn join(&mut self) {
        let documents = self.request.documents.len() as u32;
        let complete =
            !self.request.pages.is_empty() && self.request.pages.iter().all(|page| page.grouped);
        if (complete || documents > 0) && self.request.document_count != Some(documents) {
            self.plan.changes.push(Change::Documents(documents));
        }
        let through = |d: &&Document| self.arrived(d.standing, Unit::Document);
        let arrived = self.request.documents.iter().filter(through).count() as u32;
        if documents > 0 && arrived < documents {
            let at = self.request.standing.at.max(0) as usize;
            self.plan.held.push(Held::Join { at, arrived, expected: documents });
        }
        self.offer_request();
    }

    fn send(&mut self, item: &Item, at: usize) {
        if *item == Item::Request {
            self.request.standing = Standing { at: at as i32, progress: Progress::Sent };
        }
        self.plan.changes.push(Change::Send { item: item.clone(), at });
        self.plan.held.push(Held::Working { item: item.clone(), at });
    }

    /// Says how far the request is, never backwards.
    fn say_status(&mut self) {
        let now = arrive::reached(&self.request, self.workflow);
        if now > self.request.status && self.request.status != Status::Completed {
            self.plan.changes.push(Change::Status(now));
        }
    }
}

enum Before {
    Nobody,
    Undecided,
    Type(String),
}

/// A page as grouping sees it: sorted once it has come to the join.
fn leaf(page: &Page, grouping: usize, fixed: Option<&str>) -> Leaf {
    let there = page.standing.at >= grouping as i32;
    let doc_type = fixed.map(str::to_owned).or_else(|| page.doc_type.clone());
    let sort = doc_type
        .filter(|_| there)
        .map(|doc_type| Sort { doc_type, evidence: page.evidence.clone() });
    Leaf { page: page.n, file: page.file, sort }
}

fn continues(stage: &Stage) -> bool {
    matches!(stage.how, How::Classify { continuity: true })
}

#[cfg(test)]
#[path = "advance_tests.rs"]
mod tests;

//! The planner driven as the store drives it: facts in any order, changes applied, planned again.

use proptest::prelude::*;

use super::*;
use crate::model::{PageInFile, Reading};
use crate::rules::{
    course::{Course, Finding, Found, Via},
    workflow,
};

const HOUSE: Thresholds = Thresholds { classification: 0.80, extraction: 0.75 };

fn default_workflow() -> Workflow {
    workflow::parse(workflow::DEFAULT).expect("the shipped workflow loads")
}

fn document_id(first: u32) -> String {
    format!("d{first}")
}

/// A page's fate: its type and confidence, and what is found in a document that starts with it.
#[derive(Clone, Debug)]
struct Fate {
    doc_type: &'static str,
    sure: bool,
    fields_sure: bool,
}

/// A request in memory, with the effects of every change.
struct Bench {
    workflow: Workflow,
    request: Snapshot,
    queue: Vec<(Item, usize)>,
    people: Vec<(Item, usize)>,
    fates: Vec<Fate>,
    completed: u32,
    spans: Vec<(u32, u32, String)>,
    statuses: Vec<Status>,
}

impl Bench {
    fn new(fates: Vec<Fate>) -> Self {
        let standing = Standing { at: -1, progress: Progress::Sent };
        Self {
            workflow: default_workflow(),
            request: Snapshot {
                status: Status::Received,
                standing,
                page_count: None,
                document_count: None,
                pages: Vec::new(),
                documents: Vec::new(),
            },
            queue: Vec::new(),
            people: Vec::new(),
            fates,
            completed: 0,
            spans: Vec::new(),
            statuses: vec![Status::Received],
        }
    }

    /// The router and the splitter in one go.
    fn split(&mut self) {
        let split = self.finding_of_split();
        self.learn(&[split]);
    }

    fn finding_of_split(&self) -> Finding {
        let page = |page| PageInFile { file: 0, page };
        let pages = (0..self.fates.len() as u32).map(page).collect();
        let found = Found::Split { pages, files: Vec::new() };
        Finding { through: 0, ..Finding::new(Item::Request, -1, found) }
    }

    fn settle(&mut self) {
        let mut course = Course::new(self.request.clone(), &self.workflow, HOUSE, &document_id);
        let (changes, _) = course.advance();
        let sent: Vec<_> = changes.iter().filter_map(|change| course.sent(change)).collect();
        let (again, _) = course.advance();
        assert!(again.is_empty(), "not a fixpoint: {again:?}");
        let before = std::mem::replace(&mut self.request, course.snapshot);
        for message in sent {
            assert!(!self.queue.contains(&message), "sent twice");
            self.queue.push(message);
        }
        for change in changes {
            self.note(&before, change);
        }
    }

    fn note(&mut self, before: &Snapshot, change: Change) {
        match change {
            Change::Status(status) => {
                assert!(engine::lifecycle::allows(before.status, status));
                self.statuses.push(status);
            }
            Change::Review { item, at } => self.people.push((item, at)),
            Change::Open { first, last, doc_type, .. } => {
                let pages = &before.pages[first as usize..=last as usize];
                assert!(pages.iter().all(|page| !page.grouped), "a page belongs to one document");
                self.spans.push((first, last, doc_type));
            }
            Change::Complete => self.completed += 1,
            Change::Learn(_)
            | Change::Send { .. }
            | Change::Stand { .. }
            | Change::Accept { .. }
            | Change::Documents(_) => {}
        }
    }

    /// What a worker finds out about an item.
    fn found(&self, item: &Item, at: usize) -> Finding {
        let found = match item {
            Item::Page(n) => {
                let fate = &self.fates[*n as usize];
                let confidence = if fate.sure { 0.95 } else { 0.60 };
                let scores = vec![(fate.doc_type.to_owned(), confidence)];
                let scores = (at == 2).then_some(scores);
                Found::Page { text: None, evidence: None, scores }
            }
            Item::Document(id) => {
                let first: usize = id[1..].parse().expect("d<page>");
                let confidence = if self.fates[first].fields_sure { 0.9 } else { 0.5 };
                document(confidence)
            }
            Item::Request => Found::Nothing,
        };
        Finding::new(item.clone(), at as i32, found)
    }

    fn learn(&mut self, news: &[Finding]) {
        let mut course = Course::new(self.request.clone(), &self.workflow, HOUSE, &document_id);
        for one in news {
            assert!(course.learn(one), "it stands where it was sent: {one:?}");
        }
        self.request = course.snapshot;
        self.settle();
    }

    /// A worker reports; the same report again is no news.
    fn deliver(&mut self, pick: usize) {
        let (item, at) = self.queue.remove(pick % self.queue.len());
        let news = self.found(&item, at);
        self.learn(std::slice::from_ref(&news));
        let mut course = Course::new(self.request.clone(), &self.workflow, HOUSE, &document_id);
        assert!(!course.learn(&news), "heard twice");
    }

    fn person(&mut self, pick: usize) {
        let (item, at) = self.people.remove(pick % self.people.len());
        let found = match &item {
            Item::Page(n) => Found::Type(self.fates[*n as usize].doc_type.to_owned()),
            Item::Request | Item::Document(_) => document(1.0),
        };
        let answer = Finding { via: Via::Person, ..Finding::new(item, at as i32, found) };
        self.learn(&[answer]);
    }

    fn run(&mut self, picks: &[usize]) {
        self.split();
        let mut picks = picks.iter().copied().cycle();
        while !(self.queue.is_empty() && self.people.is_empty()) {
            let pick = picks.next().unwrap_or(0);
            if self.queue.is_empty() || (pick % 3 == 0 && !self.people.is_empty()) {
                self.person(pick / 3);
            } else {
                self.deliver(pick / 3);
            }
        }
        self.spans.sort();
    }
}

fn fates(types: &[&'static str]) -> Vec<Fate> {
    let fate = |doc_type: &&'static str| Fate { doc_type, sure: true, fields_sure: true };
    types.iter().map(fate).collect()
}

fn document(confidence: f64) -> Found {
    let (fields, extracted_data, layout) = (Vec::new(), serde_json::Map::new(), None);
    let missing_required = false;
    let reading = Reading { fields, extracted_data, confidence, missing_required, layout };
    Found::Document(Box::new(reading))
}

#[test]
fn five_pages_become_three_documents_and_one_answer() {
    let mut bench = Bench::new(fates(&["invoice", "invoice", "id_card", "payslip", "payslip"]));
    bench.run(&[1, 2, 4]);
    let spans: Vec<_> = bench.spans.iter().map(|(first, last, _)| (*first, *last)).collect();
    assert_eq!(spans, [(0, 1), (2, 2), (3, 4)]);
    assert_eq!((bench.completed, bench.request.document_count), (1, Some(3)));
}

#[test]
fn a_closed_document_is_extracted_while_other_pages_are_still_read() {
    let mut bench = Bench::new(fates(&["id_card", "id_card", "invoice", "invoice"]));
    bench.split();
    for page in 0..3 {
        for at in [1, 2] {
            let wanted = (Item::Page(page), at);
            let pick = bench.queue.iter().position(|one| *one == wanted).expect("in the queue");
            bench.deliver(pick);
        }
    }
    assert_eq!(bench.spans, [(0, 1, "id_card".to_owned())]);
    assert!(bench.queue.contains(&(Item::Document("d0".into()), 4)));
}

fn any_fate() -> impl Strategy<Value = Fate> {
    let doc_type = prop_oneof![Just("invoice"), Just("id_card"), Just("payslip")];
    (doc_type, any::<bool>(), any::<bool>()).prop_map(|(doc_type, sure, fields_sure)| Fate {
        doc_type,
        sure,
        fields_sure,
    })
}

#[test]
fn pages_of_a_stage_that_is_not_parallel_go_one_by_one() {
    let fate = Fate { doc_type: "invoice", sure: true, fields_sure: true };
    let mut bench = Bench::new(vec![fate; 3]);
    let source = workflow::DEFAULT.replace("    parallel: true\n", "    parallel: false\n");
    bench.workflow = workflow::parse(&source).expect("it loads");
    bench.split();
    for n in 0..3 {
        let reading: Vec<_> = bench.queue.iter().filter(|(_, at)| *at == 1).collect();
        assert_eq!(reading, [&(Item::Page(n), 1)], "one page is read at a time");
        bench.queue.retain(|(_, at)| *at != 1);
        let found = bench.found(&Item::Page(n), 1);
        bench.learn(&[found]);
    }
    assert!(bench.queue.iter().all(|(_, at)| *at == 2), "{:?}", bench.queue);
}

#[test]
fn a_request_is_consolidating_before_it_is_completed() {
    let fate = Fate { doc_type: "invoice", sure: true, fields_sure: true };
    let mut bench = Bench::new(vec![fate]);
    bench.split();
    while let Some((item, at)) = bench.queue.pop() {
        let found = bench.found(&item, at);
        bench.learn(&[found]);
    }
    assert_eq!(bench.completed, 1);
    let (extracting, consolidating) = (Status::Extracting, Status::Consolidating);
    assert_eq!(bench.statuses[bench.statuses.len() - 2..], [extracting, consolidating]);
}

proptest! {
    #[test]
    fn any_order_of_work_gives_the_same_documents_and_one_answer(
        fates in prop::collection::vec(any_fate(), 1..9),
        picks in prop::collection::vec(0usize..1000, 1..40),
    ) {
        let mut straight = Bench::new(fates.clone());
        straight.run(&[1]);
        let mut shuffled = Bench::new(fates.clone());
        shuffled.run(&picks);
        prop_assert_eq!(&straight.spans, &shuffled.spans);
        prop_assert_eq!((straight.completed, shuffled.completed), (1, 1));
        prop_assert!(shuffled.statuses.is_sorted());
        let pages: u32 = shuffled.spans.iter().map(|(first, last, _)| last - first + 1).sum();
        prop_assert_eq!(pages as usize, fates.len());
    }

    #[test]
    fn work_done_ahead_of_its_messages_ends_where_messages_lead(
        fates in prop::collection::vec(any_fate(), 1..9),
        upto in 0usize..40,
    ) {
        let mut asked = Bench::new(fates.clone());
        let mut news = vec![asked.finding_of_split()];
        asked.split();
        while news.len() <= upto && !asked.queue.is_empty() {
            let (item, at) = asked.queue[0].clone();
            news.push(asked.found(&item, at));
            asked.deliver(0);
        }
        for one in &mut news[1..] {
            one.via = Via::Ahead;
        }
        // All of it told at once, with the split.
        let ahead = Bench::new(fates);
        let mut course = Course::new(ahead.request, &ahead.workflow, HOUSE, &document_id);
        let (changes, _) = course.run(&news.iter().collect::<Vec<_>>());
        let heard = changes.iter().filter(|one| matches!(one, Change::Learn(_))).count();
        prop_assert_eq!(heard, news.len());
        prop_assert_eq!(&course.snapshot, &asked.request);
    }
}

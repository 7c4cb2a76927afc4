//! Goes on with a request that was just split, by the same worker, while everything about it is
//! quick: a small file with a text layer is through before anybody could have taken its messages.
//!
//! The planner says here, as it does for the record, what would be sent; what is done by then is
//! recorded with the split, and the rest is sent.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use page::PageText;

use super::worker::{Haste, Worker};
use crate::{
    model::{Item, PageInFile, Progress, Standing},
    rules::{
        advance::{Change, Snapshot},
        course::Course,
    },
    store::{
        jobs::{Input, Job},
        messages::Claim,
        progress::{Finding, Found, document_id},
    },
};

/// After this long others take part: large files are read by all workers, and what is more urgent
/// is not kept waiting.
const LONGEST: Duration = Duration::from_millis(25);

/// Pages, their words and documents, as far as work went ahead.
#[derive(Default)]
struct Papers {
    pages: Vec<PageInFile>,
    texts: HashMap<u32, PageText>,
    /// First and last page, and type.
    documents: HashMap<String, (u32, u32, String)>,
}

impl Worker {
    pub(super) fn go_ahead(&mut self, job: &mut Job) {
        let began = Instant::now();
        let Some(Found::Split { pages, .. }) = job.findings.last().map(|last| &last.found) else {
            return;
        };
        let mut papers = Papers { pages: pages.clone(), ..Papers::default() };
        let request = job.request.clone();
        let (row, house) = (&request.row, request.house);
        let name = |first| document_id(&row.id, row.run, first);
        let mut course = Course::new(taken_up(job), &request.workflow, house, &name);
        if !job.findings.iter().all(|finding| course.learn(finding)) {
            return;
        }
        loop {
            let done = job.findings.len();
            for change in course.advance().0 {
                let Some((item, at)) = course.sent(&change) else { continue };
                papers.note(&change, &item);
                let Some(input) = papers.input(&item) else { continue };
                if began.elapsed() > LONGEST {
                    return;
                }
                let Some(mut ahead) = self.asked(job, item, at, input) else { continue };
                // What fails here fails again with a message of its own, and its own tries.
                let _ = self.chain(&mut ahead, Haste::Quick);
                for finding in ahead.findings {
                    if course.learn(&finding) {
                        papers.keep(&finding);
                        job.findings.push(finding);
                    }
                }
            }
            if job.findings.len() == done {
                return;
            }
        }
    }

    /// The message that would be sent, if this process could take it.
    fn asked(&self, job: &Job, item: Item, at: usize, input: Input) -> Option<Job> {
        let stage = job.request.workflow.stages.get(at)?;
        let here = !stage.component.is_elsewhere();
        if !here || !self.context.runtime.config.part.hosts(stage.component) {
            return None;
        }
        let claim = Claim {
            item,
            at: at as i32,
            stage: stage.name.clone(),
            component: stage.component_name().to_owned(),
            attempt: 1,
            ..job.claim.clone()
        };
        Some(Job::new(claim, job.request.clone(), input))
    }
}

/// The request as its message found it.
fn taken_up(job: &Job) -> Snapshot {
    Snapshot {
        status: job.request.row.status,
        standing: Standing { at: job.claim.at, progress: Progress::Sent },
        page_count: None,
        document_count: None,
        pages: Vec::new(),
        documents: Vec::new(),
    }
}

impl Papers {
    fn note(&mut self, change: &Change, item: &Item) {
        if let (Change::Open { first, last, doc_type, .. }, Item::Document(id)) = (change, item) {
            self.documents.insert(id.clone(), (*first, *last, doc_type.clone()));
        }
    }

    fn keep(&mut self, finding: &Finding) {
        if let (Item::Page(n), Found::Page { text: Some(text), .. }) =
            (&finding.item, &finding.found)
        {
            self.texts.insert(*n, text.clone());
        }
    }

    /// What a stage works on, if it is at hand.
    fn input(&self, item: &Item) -> Option<Input> {
        match item {
            Item::Request => None,
            Item::Page(n) => {
                let page = self.pages.get(*n as usize)?;
                let text = self.texts.get(n).cloned();
                Some(Input::Page { n: *n, file: page.file, page_in_file: page.page, text })
            }
            Item::Document(id) => {
                let (first, last, doc_type) = self.documents.get(id)?;
                let texts = (*first..=*last).map(|n| self.texts.get(&n).cloned());
                Some(Input::Document {
                    id: id.clone(),
                    doc_type: doc_type.clone(),
                    first: *first,
                    file: self.pages.get(*first as usize)?.file,
                    pages: texts.collect::<Option<_>>()?,
                    data: None,
                    fields: Vec::new(),
                })
            }
        }
    }
}

//! One thread's work: a message, and as many of the following stages as can be done at once.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use engine::{Sentence, Word as _};
use tokio::sync::mpsc::UnboundedSender;

use super::{
    classify,
    extract::extract,
    job_queue::JobQueue,
    read::{self, Engines, misplaced},
    split::split,
};
use crate::{
    Context,
    model::{Component, Unit},
    rules::{
        course::{Ran, Via},
        retry::Trouble,
        workflow::How,
    },
    store::{
        jobs::{Input, Job},
        layouts::Shelf,
        progress::{Finding, Found},
    },
};

pub(super) struct Worker {
    pub context: Context,
    pub queue: Arc<JobQueue>,
    pub results: UnboundedSender<Job>,
    pub engines: Engines,
    /// Takes only jobs that need no picture read.
    pub quick_only: bool,
}

/// Whether there is time to read a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Haste {
    None,
    Quick,
}

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn work(mut self) {
        while let Some(mut job) = self.queue.take(self.quick_only) {
            let done = catch_unwind(AssertUnwindSafe(|| self.perform(&mut job)));
            job.trouble = match done {
                Ok(done) => done.err(),
                Err(panic) => {
                    self.engines.forget();
                    Some(panicked(&*panic))
                }
            };
            if self.results.send(job).is_err() {
                return;
            }
        }
    }

    fn perform(&mut self, job: &mut Job) -> Result<(), Trouble> {
        self.chain(job, Haste::None)?;
        self.go_ahead(job);
        Ok(())
    }

    /// Goes on through following stages that need no judgement in between and live here: a page
    /// that was read is classified by the same worker.
    pub(super) fn chain(&mut self, job: &mut Job, haste: Haste) -> Result<(), Trouble> {
        let mut next = Some(job.claim.at);
        let mut via = if haste == Haste::None { Via::Message } else { Via::Ahead };
        while let Some(at) = next {
            let (started, clock) = (self.context.clock.now(), Instant::now());
            let Some(found) = self.stage(job, at, haste)? else { break };
            let (finished, took) = (self.context.clock.now(), clock.elapsed());
            let ran = Some(Ran { started, finished, took });
            let item = job.claim.item.clone();
            job.findings.push(Finding { via, ran, ..Finding::new(item, at, found) });
            via = Via::Ahead;
            next = self.next_here(job, at);
        }
        Ok(())
    }

    /// The following stage, if it needs no judgement in between and this process does it for the
    /// same unit.
    fn next_here(&self, job: &Job, at: i32) -> Option<i32> {
        let workflow = &job.request.workflow;
        let stage = workflow.stages.get((at + 1) as usize)?;
        let here = usize::try_from(at).ok().map(|at| &workflow.stages[at]);
        let unit = here.map_or(Unit::Request, |stage| stage.unit);
        let in_process = !stage.component.is_join() && !stage.component.is_elsewhere();
        (workflow.goes_straight_on(at)
            && in_process
            && stage.unit == unit
            && self.context.runtime.config.part.hosts(stage.component))
        .then_some(at + 1)
    }

    /// Runs one stage. `None`: it would have to read a picture, and there is no time for that.
    fn stage(&mut self, job: &Job, at: i32, haste: Haste) -> Result<Option<Found>, Trouble> {
        let Ok(position) = usize::try_from(at) else { return Ok(Some(Found::Nothing)) };
        let Some(stage) = job.request.workflow.stages.get(position) else {
            return Err(misplaced("workflow"));
        };
        match stage.component {
            Component::Splitter => {
                split(&self.context.runtime, job, &self.context.runtime.limits()).map(Some)
            }
            Component::Ocr => {
                let How::Read { engine } = stage.how else { return Err(misplaced("ocr")) };
                if let Some(found) = read::layer(&self.context.runtime, job)? {
                    return Ok(Some(found));
                }
                if haste == Haste::Quick {
                    return Ok(None);
                }
                // Working time: while other pages hold the cores it does not pass.
                let budget = stage.timeout.max(Duration::from_secs(1));
                read::picture(&self.context.runtime, job, &mut self.engines, engine, budget)
                    .map(Some)
            }
            Component::Classifier => {
                let Input::Page { text: stored, .. } = &job.input else {
                    return Err(misplaced("classifier"));
                };
                // The stage before may have read it a moment ago.
                let read = job.findings.last().and_then(|before| match &before.found {
                    Found::Page { text, .. } => text.as_ref(),
                    _ => None,
                });
                let text = read.or(stored.as_ref()).ok_or_else(|| misplaced("classifier"))?;
                Ok(Some(classify::classify(&self.context.runtime, &job.request.workflow, text)))
            }
            Component::Extractor => {
                let Input::Document { doc_type, pages, first, .. } = &job.input else {
                    return Err(misplaced("extractor"));
                };
                let today = self.context.clock.now().to_zoned(self.context.zone.clone()).date();
                let request = &job.request;
                let theirs = Shelf {
                    owner: request.row.created_by.clone(),
                    workflow: request.row.workflow_name.clone(),
                    doc_type: doc_type.clone(),
                };
                let known = self.context.runtime.memories.of(&theirs);
                Ok(Some(extract(&request.workflow, doc_type, pages, *first, today, &known)))
            }
            Component::ClassificationAggregator
            | Component::ExtractionAggregator
            | Component::Consolidator
            | Component::Http
            | Component::Outside => Err(misplaced(stage.component.word())),
        }
    }
}

/// Why a stage panicked: only the page it worked on fails.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Trouble {
    let message = panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned());
    Trouble {
        code: "PANICKED".into(),
        detail: Sentence::new(
            format!("la etapa falló por dentro: {message}"),
            format!("the stage panicked: {message}"),
        )
        .kept(),
        lasting: false,
    }
}

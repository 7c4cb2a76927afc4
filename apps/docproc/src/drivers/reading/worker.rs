//! One thread's work: a message, and as many of the following stages as can be done at once.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use engine::{Sentence, Word as _};
use page::PageText;
use tokio::sync::mpsc::UnboundedSender;

use super::{
    Finding, Found, Kept, Outcome, classify,
    extract::extract,
    job_queue::JobQueue,
    read::{self, Engines, misplaced},
    split::split,
};
use crate::{
    Context,
    model::{Component, Unit},
    rules::{course::Known, retry::Trouble, workflow::How},
    store::{
        jobs::{Input, Job},
        layouts::Shelf,
        progress::Ran,
    },
};

pub(super) struct Worker {
    pub context: Context,
    pub queue: Arc<JobQueue>,
    pub outcomes: UnboundedSender<Outcome>,
    pub engines: Engines,
    /// Takes only what is done in no time.
    pub nimble: bool,
}

/// Whether whoever asks can wait for a picture to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Haste {
    None,
    Quick,
}

impl Worker {
    /// Works until the queue is closed.
    pub(super) fn work(mut self) {
        while let Some(job) = self.queue.take(self.nimble) {
            let mut findings = Vec::new();
            let done = catch_unwind(AssertUnwindSafe(|| self.perform(&job, &mut findings)));
            let trouble = match done {
                Ok(Ok(())) => None,
                Ok(Err(trouble)) => Some(trouble),
                Err(panic) => {
                    self.engines.forget();
                    Some(panicked(&*panic))
                }
            };
            let outcome = Outcome { job, findings, trouble };
            if self.outcomes.send(outcome).is_err() {
                return;
            }
        }
    }

    fn perform(&mut self, job: &Job, findings: &mut Vec<Finding>) -> Result<(), Trouble> {
        self.chain(job, Haste::None, findings)?;
        self.go_ahead(job, findings);
        Ok(())
    }

    /// Goes on through following stages that need no judgement in between and live here: a page
    /// that was read is classified by the same worker.
    pub(super) fn chain(
        &mut self,
        job: &Job,
        haste: Haste,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Trouble> {
        let (mut at, from, before) = (job.claim.at, job.claim.at, findings.len());
        loop {
            let (started, clock) = (self.context.clock.now(), Instant::now());
            let read = findings.get(before).and_then(|one| one.kept.text.as_ref());
            let Some((known, mut kept)) = self.stage(job, at, read, haste)? else { return Ok(()) };
            let (finished, took) = (self.context.clock.now(), clock.elapsed());
            kept.ran.push(Ran { at, started, finished, took });
            if let Some(finding) = findings.get_mut(before) {
                let so_far = std::mem::replace(&mut finding.known, Known::Nothing);
                (finding.at, finding.known) = (at, so_far.and(known));
                finding.kept.add(kept);
            } else {
                kept.ahead = haste == Haste::Quick;
                let item = job.claim.item.clone();
                findings.push(Finding { item, from, at, known, asks: false, kept });
            }
            match self.next_here(job, at) {
                Some(next) => at = next,
                None => return Ok(()),
            }
        }
    }

    /// The following stage, if it needs no judgement in between and this process does it for the
    /// same unit.
    fn next_here(&self, job: &Job, at: i32) -> Option<i32> {
        let stages = &job.request.workflow.stages;
        let next = (at + 1) as usize;
        let stage = stages.get(next)?;
        let here = usize::try_from(at).ok().map(|at| &stages[at]);
        let unit = here.map_or(Unit::Request, |stage| stage.unit);
        let sure = here.is_none_or(|stage| stage.component == Component::Ocr);
        let in_process = !stage.component.is_join() && !stage.component.is_elsewhere();
        (sure
            && in_process
            && stage.unit == unit
            && self.context.runtime.config.part.hosts(stage.component))
        .then_some(next as i32)
    }

    /// Nothing, when it takes too long for somebody in haste.
    fn stage(
        &mut self,
        job: &Job,
        at: i32,
        text: Option<&PageText>,
        haste: Haste,
    ) -> Result<Option<Found>, Trouble> {
        let Ok(position) = usize::try_from(at) else {
            return Ok(Some((Known::Nothing, Kept::default())));
        };
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
                let text = text.or(stored.as_ref()).ok_or_else(|| misplaced("classifier"))?;
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

/// A page that breaks the program fails alone.
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

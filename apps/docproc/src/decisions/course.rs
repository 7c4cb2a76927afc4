//! Records what came of messages, and plans what follows, for many of them in one transaction.

use std::collections::HashMap;

use db::{Decision, Error};
use engine::{Chance, Plan, Sentence, Word as _};

use crate::{
    Context,
    decisions::{golden, people},
    drivers::reading::report,
    drivers::runtime::ROUTER,
    model::{Component, Status},
    rules::{
        advance::{self, Change, Thresholds},
        course::{Course, Ran},
        retry::{self, Trouble, Verdict},
    },
    store::{
        early, events,
        jobs::Job,
        messages::{self, Claim},
        pages,
        policy::{self, Policy},
        progress::{self, Finding, Found, Loaded, Requests},
        requests,
    },
};

/// A process that dies with a message in hand costs it a try; this many deaths are the message's
/// own fault.
const DEATHS: u32 = 25;

/// Records finished jobs and settles their requests. A result whose claim was lost is dropped.
/// Answers which messages are dead.
pub(crate) async fn record(
    context: &Context,
    decision: &mut Decision,
    worker: &str,
    finished: &[Job],
    policy: &Policy,
) -> Result<Vec<i64>, Error> {
    let claims: Vec<&Claim> = finished.iter().map(|job| &job.claim).collect();
    let held = messages::still_held(&mut decision.tx, worker, &claims).await?;
    let mut results = Results::default();
    for (job, held) in finished.iter().zip(held) {
        if held {
            results.add(context, job, decision.now);
        }
    }
    results.write(decision).await?;
    follow(context, decision, worker, &results.findings, policy).await?;
    Ok(results.dead.iter().map(|(id, ..)| *id).collect())
}

/// Takes in what a person answered about a request, if anything, plans what follows and applies
/// it.
pub async fn settle(
    context: &Context,
    decision: &mut Decision,
    request: &str,
    answer: Option<&Finding>,
) -> Result<(), Error> {
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    let findings = HashMap::from([(request.to_owned(), answer.into_iter().collect())]);
    let learnt = follow(context, decision, "", &findings, &policy).await?;
    // An answer that is about nothing any more must not seem to be taken.
    if learnt < usize::from(answer.is_some()) { Err(Error::conflict("answer")) } else { Ok(()) }
}

/// Takes findings in by request and plans what follows for each. Answers how many it could take in.
async fn follow(
    context: &Context,
    decision: &mut Decision,
    worker: &str,
    findings: &HashMap<String, Vec<&Finding>>,
    policy: &Policy,
) -> Result<usize, Error> {
    if findings.is_empty() {
        return Ok(0);
    }
    let (workflows, house) = (&context.runtime.workflows, policy.thresholds);
    let slice = Requests { workflows, house, findings, worker };
    let mut eager = Vec::new();
    let plan = decision.plan(&slice, |loaded| {
        let mut batch = progress::Batch::new();
        let mut waiting = Vec::new();
        for (which, one) in loaded.iter().enumerate() {
            let found = findings.get(&one.row.id).map(Vec::as_slice).unwrap_or_default();
            let (changes, held) = course(one, house, found);
            let completes = changes.contains(&Change::Complete);
            if early::is_candidate(&one.row, &one.workflow) && !completes {
                eager.push(one.row.id.clone());
            }
            batch.extend(changes.into_iter().map(|one| (which, one)));
            waiting.extend(held);
        }
        Plan { changes: if batch.is_empty() { Vec::new() } else { vec![batch] }, held: waiting }
    });
    let plan = plan.await?.plan;
    let asks = |(_, one): &(usize, Change)| matches!(one, Change::Review { .. });
    if plan.changes.iter().flatten().any(asks) {
        people::assign(context, decision).await?;
    }
    if plan.changes.iter().flatten().any(|(_, one)| *one == Change::Complete) {
        // It may be a case to be judged by.
        decision.wake(golden::TICK);
    }
    early::consider(decision, workflows, &eager, house).await?;
    let learns = |(_, one): &&(usize, Change)| matches!(one, Change::Learn(_));
    Ok(plan.changes.iter().flatten().filter(learns).count())
}

fn course(
    loaded: &Loaded,
    house: Thresholds,
    findings: &[&Finding],
) -> (Vec<Change>, Vec<advance::Held>) {
    let Loaded { row, workflow, snapshot } = loaded;
    let document_id = |first| progress::document_id(&row.id, row.run, first);
    Course::new(snapshot.clone(), workflow, house, &document_id).run(findings)
}

/// What finished jobs found, and what becomes of their messages.
#[derive(Default)]
struct Results<'a> {
    /// By request; one whose message only failed has an empty list.
    findings: HashMap<String, Vec<&'a Finding>>,
    done: Vec<(i64, jiff::Timestamp, jiff::Timestamp)>,
    again: Vec<(i64, jiff::Timestamp, &'a Trouble)>,
    waits: Vec<(i64, jiff::Timestamp, &'a Trouble)>,
    dead: Vec<(i64, &'a str, &'a Trouble)>,
}

impl<'a> Results<'a> {
    fn add(&mut self, context: &Context, job: &'a Job, now: jiff::Timestamp) {
        let claim = &job.claim;
        for finding in &job.findings {
            if let Some(ran) = finding.ran {
                measure(context, job, finding, ran);
            }
        }
        self.findings.entry(claim.request.clone()).or_default().extend(&job.findings);
        if let Some(first) = job.findings.first().and_then(|one| one.ran) {
            self.done.push((claim.id, first.started, first.finished));
        }
        if let Some(trouble) = &job.trouble {
            self.fail(job, trouble, now);
        }
    }

    fn fail(&mut self, job: &'a Job, trouble: &'a Trouble, now: jiff::Timestamp) {
        let claim = &job.claim;
        metrics::counter!("docproc_troubles_total", "component" => claim.component.clone(),
            "code" => trouble.code.clone())
        .increment(1);
        // A later stage of the chain failed: it gets a message of its own, and its own tries.
        if !job.findings.is_empty() {
            report::trouble(job, trouble, None);
            return;
        }
        let retry = job.request.workflow.retry;
        let attempt = claim.attempt as u32;
        // Its own chance: what fails together is spread, and the same history waits as long.
        let chance = Chance::of(&[claim.id as u64, u64::from(attempt)]).unit();
        let verdict = retry::after(trouble, attempt, retry, now, chance);
        report::trouble(job, trouble, Some(verdict));
        match verdict {
            Verdict::Again { at } => self.again.push((claim.id, at, trouble)),
            Verdict::Waits { at } => self.waits.push((claim.id, at, trouble)),
            Verdict::Dead => self.dead.push((claim.id, &claim.request, trouble)),
        }
    }

    async fn write(&self, decision: &mut Decision) -> Result<(), Error> {
        messages::done(decision, &self.done).await?;
        for (id, at, trouble) in &self.again {
            messages::again(decision, *id, *at, &trouble.code, &trouble.detail).await?;
        }
        for (id, at, trouble) in &self.waits {
            messages::waits(decision, *id, *at, &trouble.code, &trouble.detail).await?;
        }
        for (id, request, trouble) in &self.dead {
            bury(decision, *id, request, trouble).await?;
        }
        Ok(())
    }
}

/// The time that a stage took, in the metrics and in the log.
fn measure(context: &Context, job: &Job, finding: &Finding, ran: Ran) {
    let stages = &job.request.workflow.stages;
    let stage = usize::try_from(finding.at).ok().and_then(|at| stages.get(at));
    let component = stage.map_or(ROUTER, |stage| stage.component_name());
    metrics::histogram!("docproc_stage_seconds", "component" => component.to_owned())
        .record(ran.took.as_secs_f64());
    if let Found::Page { text: Some(text), .. } = &finding.found
        && component == Component::Ocr.word()
    {
        let source = pages::source_word(text.source);
        metrics::histogram!("docproc_reading_seconds", "source" => source)
            .record(ran.took.as_secs_f64());
    }
    report::stage(job, finding, ran, stage, component, context.process.used());
}

/// A message that cannot be done goes to the dead letters, and its request fails with it.
pub(crate) async fn bury(
    decision: &mut Decision,
    id: i64,
    request: &str,
    trouble: &Trouble,
) -> Result<(), Error> {
    messages::bury(decision, id, request, &trouble.code, &trouble.detail).await?;
    requests::fail(decision, request, Status::Failed, &trouble.code, &trouble.detail).await?;
    events::failed(decision, request, &trouble.code, &trouble.detail);
    Ok(())
}

/// A message that many processes died with is dead itself.
pub(crate) fn deadly(claim: &Claim, attempts: u32) -> Option<Trouble> {
    (claim.attempt as u32 > attempts + DEATHS).then(|| Trouble {
        code: "WORKER_LOST".into(),
        detail: Sentence::new(
            format!("{} procesos terminaron mientras lo tenían", claim.attempt - 1),
            format!("{} workers ended while they held it", claim.attempt - 1),
        )
        .kept(),
        lasting: true,
    })
}

//! Records what came of messages, and plans what follows, for many of them in one transaction.

use std::collections::HashMap;

use db::{Decision, Error};
use engine::{Chance, Plan, Sentence, Word as _};

use crate::{
    Context,
    decisions::{golden, people},
    drivers::reading::{Finding, Outcome, report},
    drivers::runtime::ROUTER,
    model::{Component, Status},
    rules::{
        advance::{self, Change, Thresholds},
        course::Course,
        retry,
        retry::{Trouble, Verdict},
    },
    store::{
        early, events,
        messages::{self, Claim},
        pages,
        policy::{self, Policy},
        progress::{self, Loaded, Requests},
        requests,
    },
};

/// A process that dies with a message in hand costs it a try; this many deaths are the message's
/// own fault.
const DEATHS: u32 = 25;

/// Records outcomes and settles their requests. A result whose claim was lost is dropped. Answers
/// which messages are dead.
pub(crate) async fn record(
    context: &Context,
    decision: &mut Decision,
    worker: &str,
    outcomes: &[Outcome],
    policy: &Policy,
) -> Result<Vec<i64>, Error> {
    let claims: Vec<&Claim> = outcomes.iter().map(|outcome| &outcome.job.claim).collect();
    let held = messages::still_held(&mut decision.tx, worker, &claims).await?;
    let mut book = Book::default();
    for (outcome, held) in outcomes.iter().zip(held) {
        if held {
            book.take(context, outcome, decision.now);
        }
    }
    book.write(decision).await?;
    let ids: Vec<String> = book.findings.keys().cloned().collect();
    let settling = Settling { ids: &ids, findings: &book.findings, worker };
    follow(context, decision, &settling, policy).await?;
    Ok(book.dead.iter().map(|(id, ..)| *id).collect())
}

/// Plans what follows for these requests and applies it.
pub async fn settle(
    context: &Context,
    decision: &mut Decision,
    ids: &[String],
) -> Result<(), Error> {
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    let nothing = Settling { ids, findings: &HashMap::new(), worker: "" };
    follow(context, decision, &nothing, &policy).await
}

/// Requests about which something may have become known.
struct Settling<'a> {
    ids: &'a [String],
    findings: &'a HashMap<String, Vec<&'a Finding>>,
    worker: &'a str,
}

async fn follow(
    context: &Context,
    decision: &mut Decision,
    settling: &Settling<'_>,
    policy: &Policy,
) -> Result<(), Error> {
    let &Settling { ids, findings, worker } = settling;
    if ids.is_empty() {
        return Ok(());
    }
    let slice = Requests {
        ids,
        workflows: &context.runtime.workflows,
        house: policy.thresholds,
        findings,
        worker,
    };
    let mut eager = Vec::new();
    let plan = decision.plan(&slice, |loaded| {
        let mut batch = progress::Batch::new();
        let mut waiting = Vec::new();
        for (which, one) in loaded.iter().enumerate() {
            let found = findings.get(&one.row.id).map(Vec::as_slice).unwrap_or_default();
            let (changes, held) = course(one, policy.thresholds, found);
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
    early::consider(decision, &context.runtime.workflows, &eager, policy.thresholds).await
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

/// What a batch of outcomes writes, by kind.
#[derive(Default)]
struct Book<'a> {
    /// By request; one whose message only failed has an empty list.
    findings: HashMap<String, Vec<&'a Finding>>,
    done: Vec<(i64, jiff::Timestamp, jiff::Timestamp)>,
    again: Vec<(i64, jiff::Timestamp, Trouble)>,
    waits: Vec<(i64, jiff::Timestamp, Trouble)>,
    dead: Vec<(i64, String, Trouble)>,
}

impl<'a> Book<'a> {
    fn take(&mut self, context: &Context, outcome: &'a Outcome, now: jiff::Timestamp) {
        let claim = &outcome.job.claim;
        let workflow = &outcome.job.request.workflow;
        for finding in &outcome.findings {
            for ran in &finding.kept.ran {
                let stage = usize::try_from(ran.at).ok().and_then(|at| workflow.stages.get(at));
                let component = stage.map_or(ROUTER, |stage| stage.component_name());
                metrics::histogram!("docproc_stage_seconds", "component" => component.to_owned())
                    .record(ran.took.as_secs_f64());
                let read =
                    finding.kept.text.as_ref().filter(|_| component == Component::Ocr.word());
                if let Some(text) = read {
                    let source = pages::source_word(text.source);
                    metrics::histogram!("docproc_reading_seconds", "source" => source)
                        .record(ran.took.as_secs_f64());
                }
                let used = context.process.used();
                report::stage(outcome, finding, *ran, stage, component, used);
            }
        }
        self.findings.entry(claim.request.clone()).or_default().extend(&outcome.findings);
        if let Some(first) = outcome.findings.first().and_then(|one| one.kept.ran.first()) {
            self.done.push((claim.id, first.started, first.finished));
        }
        if let Some(trouble) = &outcome.trouble {
            self.trouble(outcome, trouble, now);
        }
    }

    fn trouble(&mut self, outcome: &Outcome, trouble: &Trouble, now: jiff::Timestamp) {
        let claim = &outcome.job.claim;
        metrics::counter!("docproc_troubles_total", "component" => claim.component.clone(),
            "code" => trouble.code.clone())
        .increment(1);
        // A later stage of the chain failed: it gets a message of its own, and its own tries.
        if !outcome.findings.is_empty() {
            report::trouble(outcome, trouble, None);
            return;
        }
        let retry = outcome.job.request.workflow.retry;
        let attempt = claim.attempt as u32;
        // Its own chance: what fails together is spread, and the same history waits as long.
        let chance = Chance::of(&[claim.id as u64, u64::from(attempt)]).unit();
        let verdict = retry::after(trouble, attempt, retry, now, chance);
        report::trouble(outcome, trouble, Some(verdict));
        match verdict {
            Verdict::Again { at } => self.again.push((claim.id, at, trouble.clone())),
            Verdict::Waits { at } => self.waits.push((claim.id, at, trouble.clone())),
            Verdict::Dead => self.dead.push((claim.id, claim.request.clone(), trouble.clone())),
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

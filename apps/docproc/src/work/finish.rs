//! Records what came of messages, and plans what follows, for many of them in one transaction.

use std::collections::{BTreeSet, HashMap, HashSet};

use ::store::{Decision, Error, Rows};
use engine::Plan;
use host::Context;
use serde_json::json;

use super::{Fact, Outcome};
use crate::{
    decisions::people,
    model::{Item, Status},
    room::Room,
    rules::{
        advance::{self, Change},
        retry,
        retry::{Trouble, Verdict},
    },
    store::{
        documents::{self, Reading},
        early, events,
        messages::{self, Claim, NewMessage, Ran},
        pages::{self, Finding},
        policy,
        progress::{self, Requests},
        requests,
    },
};

/// A process that dies with a message in hand costs it a try; this many deaths are the message's
/// own fault.
const DEATHS: u32 = 25;

/// Records outcomes and settles their requests. A result whose claim was lost is dropped.
pub(super) async fn record(
    context: &Context,
    room: &Room,
    decision: &mut Decision,
    worker: &str,
    outcomes: &[Outcome],
) -> Result<(), Error> {
    let claims: Vec<&Claim> = outcomes.iter().map(|outcome| &outcome.claim).collect();
    let held = messages::still_held(&mut decision.tx, worker, &claims).await?;
    let mut book = Book::default();
    for (outcome, held) in outcomes.iter().zip(held) {
        if held {
            book.take(outcome, context.clock.now());
        }
    }
    book.write(decision, worker).await?;
    let ids: Vec<String> = book.requests.into_iter().collect();
    settle(context, room, decision, &ids).await
}

/// Plans what follows for these requests and applies it.
pub async fn settle(
    context: &Context,
    room: &Room,
    decision: &mut Decision,
    ids: &[String],
) -> Result<(), Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    let slice = Requests { ids, workflows: &room.workflows, house: policy.thresholds };
    let mut eager = Vec::new();
    let plan = decision.plan(&slice, |loaded| {
        let mut batch = progress::Batch::new();
        let mut held = Vec::new();
        for (which, one) in loaded.iter().enumerate() {
            let plan = advance::plan(&one.snapshot, &one.workflow, policy.thresholds);
            if early::is_candidate(&one.row, &one.workflow)
                && !plan.changes.contains(&Change::Complete)
            {
                eager.push(one.row.id.clone());
            }
            batch.extend(plan.changes.into_iter().map(|change| (which, change)));
            held.extend(plan.held);
        }
        Plan { changes: if batch.is_empty() { Vec::new() } else { vec![batch] }, held }
    });
    let plan = plan.await?;
    let asks =
        |(_, change): &(usize, advance::Change)| matches!(change, advance::Change::Review { .. });
    if plan.changes.iter().flatten().any(asks) {
        people::assign(context, decision).await?;
    }
    early::consider(decision, &room.workflows, &eager, policy.thresholds).await
}

/// What a batch of outcomes writes, by kind.
#[derive(Default)]
struct Book {
    requests: BTreeSet<String>,
    done: Vec<(i64, jiff::Timestamp, jiff::Timestamp)>,
    ran: Vec<Ran>,
    findings: Vec<Finding>,
    readings: Vec<Reading>,
    splits: HashMap<i64, Split>,
    stands: Vec<(Claim, i32)>,
    again: Vec<(i64, jiff::Timestamp, Trouble)>,
    dead: Vec<(i64, String, Trouble)>,
}

struct Split {
    files: Vec<requests::FileRow>,
    leaves: Vec<pages::Leaf>,
}

impl Book {
    fn take(&mut self, outcome: &Outcome, now: jiff::Timestamp) {
        let claim = &outcome.claim;
        let workflow = &outcome.job.request.workflow;
        self.requests.insert(claim.request.clone());
        for (n, step) in outcome.steps.iter().enumerate() {
            let stage = usize::try_from(step.at).ok().and_then(|at| workflow.stages.get(at));
            let component = stage.map_or(crate::room::ROUTER, |stage| stage.component.word());
            metrics::histogram!("docproc_stage_seconds", "component" => component)
                .record(step.took.as_secs_f64());
            if n == 0 {
                self.done.push((claim.id, step.started, step.finished));
            } else {
                let message = NewMessage {
                    request: claim.request.clone(),
                    run: claim.run,
                    at: step.at,
                    stage: stage.map(|stage| stage.name.clone()).unwrap_or_default(),
                    component,
                    item: claim.item.clone(),
                    priority: claim.priority,
                    deadline: claim.deadline,
                };
                self.ran.push(Ran { message, started: step.started, finished: step.finished });
            }
            super::report::step(outcome, step, stage, component);
        }
        self.facts(outcome);
        if let Some(trouble) = &outcome.trouble {
            self.trouble(outcome, trouble, now);
        }
    }

    /// Only the last stage that ran says where the item stands.
    fn facts(&mut self, outcome: &Outcome) {
        let claim = &outcome.claim;
        let Some(last) = outcome.steps.last() else { return };
        let facts = outcome.steps.iter().flat_map(|step| &step.facts);
        match &claim.item {
            Item::Request => {
                let split = facts.filter_map(|fact| match fact {
                    Fact::Split { files, leaves } => Some((files.clone(), leaves.clone())),
                    _ => None,
                });
                for (files, leaves) in split {
                    self.splits.insert(claim.id, Split { files, leaves });
                }
                self.stands.push((claim.clone(), last.at));
            }
            Item::Page(n) => self.findings.push(finding(claim, *n, last.at, facts)),
            Item::Document(id) => self.readings.extend(facts.filter_map(|fact| match fact {
                Fact::Extracted(found) => Some(Reading {
                    document: id.clone(),
                    from: claim.at,
                    at: last.at,
                    fields: found.fields.clone(),
                    extracted_data: found.data.clone(),
                    confidence: found.confidence,
                    missing_required: found.missing_required,
                }),
                _ => None,
            })),
        }
    }

    fn trouble(&mut self, outcome: &Outcome, trouble: &Trouble, now: jiff::Timestamp) {
        let claim = &outcome.claim;
        metrics::counter!("docproc_troubles_total", "component" => claim.component.clone(),
            "code" => trouble.code.clone())
        .increment(1);
        // A later stage of the chain failed: it gets a message of its own, and its own tries.
        if !outcome.steps.is_empty() {
            return;
        }
        let retry = outcome.job.request.workflow.retry;
        let attempt = claim.attempt as u32;
        match retry::after(trouble, attempt, retry, now, rand::random()) {
            Verdict::Again { at } => self.again.push((claim.id, at, trouble.clone())),
            Verdict::Dead => self.dead.push((claim.id, claim.request.clone(), trouble.clone())),
        }
    }

    async fn write(&self, decision: &mut Decision, worker: &str) -> Result<(), Error> {
        messages::done(decision, &self.done).await?;
        messages::remember(decision, worker, &self.ran).await?;
        pages::record(decision, &self.findings).await?;
        documents::record(decision, &self.readings).await?;
        self.stand(decision).await?;
        for (id, at, trouble) in &self.again {
            messages::again(decision, *id, *at, &trouble.code, &trouble.detail).await?;
        }
        for (id, request, trouble) in &self.dead {
            messages::bury(decision, *id, request, &trouble.code, &trouble.detail).await?;
            requests::fail(decision, request, Status::Failed, &trouble.code, &trouble.detail)
                .await?;
            events::failed(decision, request, &trouble.code, &trouble.detail);
        }
        Ok(())
    }
}

impl Book {
    /// Moves requests behind the stages that ran, and writes the pages of those that were split. One
    /// that moved on since takes nothing from a message that came twice.
    async fn stand(&self, decision: &mut Decision) -> Result<(), Error> {
        let mut rows = Rows::new(&["id", "came_from", "stage_at", "pages"]);
        for (claim, at) in &self.stands {
            let pages = self.splits.get(&claim.id).map(|split| split.leaves.len() as i64);
            let request = claim.request.as_str().into();
            rows.push([request, claim.at.into(), (*at).into(), pages.into()]);
        }
        let sql = "UPDATE requests SET stage_at = v.stage_at, standing = 'DONE',
                   page_count = COALESCE(v.pages, page_count)
                   FROM ROWS WHERE requests.id = v.id AND requests.stage_at = v.came_from
                   AND requests.standing = 'SENT' RETURNING requests.id AS id";
        let moved = decision.tx.all_of(sql, &[], &rows).await?;
        let moved =
            moved.iter().map(|row| row.get("id")).collect::<Result<HashSet<String>, _>>()?;
        let split: Vec<(&str, &Split, i32)> = self
            .stands
            .iter()
            .filter(|(claim, _)| moved.contains(&claim.request))
            .filter_map(|(claim, at)| {
                Some((claim.request.as_str(), self.splits.get(&claim.id)?, at + 1))
            })
            .collect();
        let files: Vec<_> = split
            .iter()
            .flat_map(|(request, split, _)| split.files.iter().map(move |file| (*request, file)))
            .collect();
        requests::put_files(decision, &files).await?;
        let leaves: Vec<_> =
            split.iter().map(|(request, split, at)| (*request, &*split.leaves, *at)).collect();
        pages::insert(decision, &leaves).await
    }
}

fn finding<'a>(claim: &Claim, n: u32, at: i32, facts: impl Iterator<Item = &'a Fact>) -> Finding {
    let request = claim.request.clone();
    let mut finding =
        Finding { request, n, from: claim.at, at, text: None, evidence: None, scores: None };
    for fact in facts {
        match fact {
            Fact::Read { text, place, identity } => {
                finding.evidence = Some(progress::evidence(*place, identity.as_deref()));
                finding.text = Some(text.clone());
            }
            Fact::Classified { scores } => finding.scores = Some(json!(scores)),
            Fact::Routed | Fact::Split { .. } | Fact::Extracted(_) | Fact::Answered => {}
        }
    }
    finding
}

/// A message that many processes died with is dead itself.
pub(super) fn deadly(claim: &Claim, attempts: u32) -> Option<Trouble> {
    (claim.attempt as u32 > attempts + DEATHS).then(|| Trouble {
        code: "WORKER_LOST".into(),
        detail: format!("{} workers ended while they held it", claim.attempt - 1),
        lasting: true,
    })
}

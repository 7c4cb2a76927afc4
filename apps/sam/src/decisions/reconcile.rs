//! The reconciler's tick: ask the Control Room, then decide on its answers.

use db::{Decided, Decision, Error, Slice, Tx};
use engine::Plan;
use host::Next;
use jiff::{SignedDuration, Timestamp};

use super::{alarms, deploy, launch, runs as closing};
use crate::{
    Context, drivers,
    model::{Closing, Run, RunId, RunState, RunnerId},
    rules::reconcile::{self, Answers, Change, Limits, Seen, Stranger},
    store::{self, outcomes, policy, runners, runs, runs::End, strangers},
};

pub const TICK: &str = "sam.conciliador";
/// While nothing of ours runs, the Control Room is asked so many times less often.
const SELDOM: i32 = 4;
const LOOK: &str = "sam.conciliador.ajenos";

/// The runs we believe live, and how long silence about them is borne.
struct Reconciling<'a> {
    context: &'a Context,
}

impl Slice for Reconciling<'_> {
    type Snapshot = (Vec<Run>, Limits);
    type Change = Change;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let policy = policy::load(&self.context.settings, &self.context.zone, tx).await?;
        let limits = Limits { misses: policy.misses_allowed, age: policy.age_limit };
        Ok((runs::live(tx).await?, limits))
    }

    async fn apply(
        &self,
        decision: &mut Decision,
        (live, _): &Self::Snapshot,
        change: &Change,
    ) -> Result<(), Error> {
        let run = live.iter().find(|run| run.id == change.run());
        write(decision, run.ok_or_else(|| Error::corrupt("a change without its run"))?, change)
            .await
    }
}

pub async fn tick(context: Context, now: Timestamp) -> Next {
    let mut tx = context.store.read().await?;
    let believed = runs::live(&mut tx).await?;
    let strange = strangers::all(&mut tx).await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    let idle = believed.is_empty() && strange.is_empty();
    let nobody = idle && runners::all(&mut tx).await?.is_empty();
    drop(tx);
    if nobody || !policy::is_configured(&values)? {
        context.runtime.idle(TICK);
        context.runtime.idle(LOOK);
        return Ok(None);
    }
    let every = SignedDuration::from_secs(values.int(policy::RECONCILE_EVERY)?);
    // Somebody else's bot may run where nothing of ours does.
    let (kind, other, every) =
        if idle { (LOOK, TICK, every * SELDOM) } else { (TICK, LOOK, every) };
    context.runtime.idle(other);
    if let Some(until) = context.runtime.wait(kind, every, now) {
        return Ok(Some(until));
    }
    let answers = match drivers::reconcile::ask(&context, &values, &believed).await? {
        Ok(answers) => {
            alarms::reconciled(&context).await?;
            answers
        }
        Err(fault) if idle => {
            tracing::debug!(fault, "not looked for bots of others");
            return Ok(Some(now + every));
        }
        Err(fault) => {
            // A failed question is not a miss: age alone is judged.
            tracing::warn!(fault, "not reconciled");
            alarms::unreconciled(&context, &fault).await?;
            Answers::default()
        }
    };
    settle(&context, &answers, now).await?;
    Ok(Some(now + every))
}

/// Decides on the answers against the runs as they are by now.
async fn settle(context: &Context, answers: &Answers, now: Timestamp) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Decided { plan, snapshot } = decision
        .plan(&Reconciling { context }, |(live, limits)| Plan::<_, RunId> {
            changes: reconcile::plan(live, answers, *limits, now),
            held: Vec::new(),
        })
        .await?;
    if !plan.is_settled() {
        decision.wake(launch::TICK);
    }
    let bots = if answers.listed { met(&mut decision, answers).await? } else { Vec::new() };
    decision.commit().await?;
    for (runner, stranger) in bots {
        match stranger {
            Some(one) => alarms::strange_bot(context, runner, &one).await?,
            None => alarms::strange_bot_gone(context, runner).await?,
        }
    }
    for change in &plan.changes {
        match change {
            Change::Unfound { run, suspect, ask: true, .. } => {
                if let Some(run) = snapshot.0.iter().find(|one| one.id == *run) {
                    alarms::in_doubt(context, run, suspect.as_deref()).await?;
                }
            }
            Change::Adopt { run, .. } | Change::Withdraw { run } => {
                alarms::settled(context, *run).await?;
            }
            _ => {}
        }
    }
    let strange = plan.changes.into_iter().filter_map(|change| match change {
        Change::Strange { run, status } => Some((run, status)),
        _ => None,
    });
    alarms::strange(context, &strange.collect::<Vec<_>>()).await
}

/// Bots of others that were not there before, or are another one, and runners that have none any more.
async fn met(
    decision: &mut Decision,
    answers: &Answers,
) -> Result<Vec<(RunnerId, Option<Stranger>)>, Error> {
    let now = decision.now;
    let known = strangers::all(&mut decision.tx).await?;
    let mut news = Vec::new();
    for (runner, one) in &answers.strangers {
        if known.get(runner) != Some(one) {
            strangers::put(&mut decision.tx, *runner, one, now).await?;
            news.push((*runner, Some(one.clone())));
        }
    }
    for runner in known.keys().filter(|runner| !answers.strangers.contains_key(runner)) {
        strangers::gone(&mut decision.tx, *runner).await?;
        news.push((*runner, None));
    }
    Ok(news)
}

/// A run is seen to have ended, outside the usual round.
pub async fn ended(context: &Context, id: RunId, seen: &Seen) -> Result<(), Error> {
    let mut decision = context.store.decide(&store::scope(), context.clock.now()).await?;
    let run = runs::find(&mut decision.tx, id).await?.filter(|run| run.live);
    let state = RunState::told(&seen.status).filter(|state| state.is_final());
    if let (Some(run), Some(state)) = (run, state) {
        told(&mut decision, &run, state, seen).await?;
        decision.wake(launch::TICK);
        decision.commit().await?;
    }
    Ok(())
}

async fn write(decision: &mut Decision, run: &Run, change: &Change) -> Result<(), Error> {
    let now = decision.now;
    match change {
        Change::Adopt { seen, .. } => {
            deploy::take_in(decision, run, &seen.deployment, "CONCILIADOR").await.map(drop)
        }
        Change::Withdraw { .. } => {
            deploy::withdraw(decision, run, "el Control Room no la recibió").await
        }
        Change::Told { state, seen, .. } => told(decision, run, *state, seen).await,
        Change::Strange { status, .. } => {
            let news = runs::News {
                state: run.state,
                raw: status,
                started_at: None,
                source: "CONCILIADOR",
            };
            runs::told(&mut decision.tx, run, &news, now).await
        }
        Change::Unfound { misses, suspect, .. } => {
            outcomes::unfound(&mut decision.tx, run, *misses, suspect.as_deref(), now).await
        }
        Change::Miss { misses, .. } => runs::missed(&mut decision.tx, run, *misses, now).await,
        Change::Infer { misses, .. } => {
            let cause = format!("ausente en {misses} conciliaciones seguidas");
            let end = End::new(RunState::Inferred, Closing::Inferred, now).because(&cause);
            closing::close(decision, run, &end).await
        }
        Change::Age { .. } => {
            let end = End::new(RunState::Unknown, Closing::Aged, now);
            let end = end.because("sin noticias por demasiado tiempo");
            closing::close(decision, run, &end).await
        }
    }
}

async fn told(
    decision: &mut Decision,
    run: &Run,
    state: RunState,
    seen: &Seen,
) -> Result<(), Error> {
    let now = decision.now;
    if state.is_final() {
        let at = seen.ended_at.filter(|at| *at <= now).unwrap_or(now);
        let end = End::new(state, Closing::Reconciler, at);
        let message = seen.message.as_deref();
        let end = End { raw: Some(&seen.status), started_at: seen.started_at, message, ..end };
        return closing::close(decision, run, &end).await;
    }
    let news =
        runs::News { state, raw: &seen.status, started_at: seen.started_at, source: "CONCILIADOR" };
    runs::told(&mut decision.tx, run, &news, now).await?;
    if state != run.state {
        closing::went_on(decision, run, state);
    }
    Ok(())
}

//! What became of a deploy is committed: accepted, failed, in doubt, or taken back.

use db::{Decided, Decision, Error, Slice, Tx};
use engine::Word as _;
use host::{By, Outcome};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{alarms, callback, emit, launch, runs as closing};
use crate::{
    Context,
    model::{Closing, Run, RunId, RunState},
    rules::{
        deploy::{self, Consequence, Fault, Tried, Verdict},
        doubt::{self, Look},
        world::{Suspended, Suspension},
    },
    store::{self, circuit, outcomes, policy, runs, runs::End, strays, suspensions},
    wire,
};

/// Between two looks for a run in doubt; doubled with each that finds nothing.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(2);

/// Notes that a deploy is about to be posted; from now on it may exist. Whether it may: while the
/// Control Room is left alone, what was claimed before is taken back.
pub async fn posting(context: &Context, run: &Run) -> Result<bool, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let current = runs::find(&mut decision.tx, run.id).await?;
    let waits = |run: &Run| run.state == RunState::Pending && run.posted_at.is_none();
    let Some(run) = current.filter(waits) else { return Ok(false) };
    let (breaker, _) = circuit::load(&mut decision.tx, true).await?;
    let open = breaker.opened.filter(|opened| now < opened.until);
    match &open {
        None => runs::posting(&mut decision.tx, &run, now).await?,
        Some(opened) => {
            withdraw(&mut decision, &run, &opened.detail).await?;
            decision.wake(launch::TICK);
        }
    }
    decision.commit().await?;
    Ok(open.is_none())
}

/// The Control Room has it: what an error had suspended is lifted, and a callback that came before
/// this commit is heard now.
pub async fn accepted(
    context: &Context,
    run: &Run,
    deployment: &str,
    source: &str,
) -> Result<Outcome, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Some(run) = runs::find(&mut decision.tx, run.id).await? else { return Ok(Outcome::Done) };
    if run.state != RunState::Pending {
        return Ok(Outcome::Done);
    }
    let reopened = take_in(&mut decision, &run, deployment, source).await?;
    if reopened {
        decision.wake(launch::TICK);
    }
    decision.commit().await?;
    alarms::well(context, run.robot, run.runner).await?;
    alarms::settled(context, run.id).await?;
    Ok(Outcome::Done)
}

/// Whether somebody else may start now.
pub async fn take_in(
    decision: &mut Decision,
    run: &Run,
    deployment: &str,
    source: &str,
) -> Result<bool, Error> {
    let now = decision.now;
    runs::deployed(&mut decision.tx, run, deployment, source, now).await?;
    for what in [
        Suspended::Robot(run.robot),
        Suspended::Runner(run.runner),
        Suspended::Pair(run.robot, run.runner),
    ] {
        suspensions::lift(&mut decision.tx, what).await?;
    }
    circuit::accepted(&mut decision.tx, now).await?;
    let (breaker, _) = circuit::load(&mut decision.tx, true).await?;
    let closed = breaker.failures > 0 || breaker.opened.is_some();
    if closed {
        circuit::save(&mut decision.tx, &deploy::answered(&breaker)).await?;
    }
    closing::went_on(decision, run, RunState::Deployed);
    let Some((status, payload)) = strays::matching(&mut decision.tx, deployment, now).await? else {
        return Ok(closed);
    };
    let Some(state) = RunState::told(&status).filter(|state| state.is_final()) else {
        return Ok(closed);
    };
    let Some(run) = runs::find(&mut decision.tx, run.id).await? else { return Ok(closed) };
    callback::verdict(decision, &run, &status, state, &payload).await?;
    Ok(true)
}

/// A deploy that failed, while its run still waits for it.
struct Failing<'a> {
    context: &'a Context,
    run: RunId,
    fault: &'a Fault,
}

impl Slice for Failing<'_> {
    type Snapshot = Option<(Run, Tried)>;
    type Change = Consequence;

    async fn load(&self, tx: &mut Tx, _: Timestamp) -> Result<Self::Snapshot, Error> {
        let run = runs::find(tx, self.run).await?;
        let Some(run) = run.filter(|run| run.state == RunState::Pending) else { return Ok(None) };
        let tried = Tried {
            robot: run.robot,
            runner: run.runner,
            attempts: run.attempts,
            policy: policy::load(&self.context.settings, &self.context.zone, tx).await?,
            circuit: circuit::load(tx, true).await?.0,
            accepted_at: circuit::accepted_at(tx).await?,
            known: suspensions::all(tx).await?,
        };
        Ok(Some((run, tried)))
    }

    /// For the run, for whom it suspends, for the breaker.
    async fn apply(
        &self,
        decision: &mut Decision,
        pending: &Self::Snapshot,
        change: &Consequence,
    ) -> Result<(), Error> {
        let Some((run, _)) = pending else { return Ok(()) };
        let cause = &self.fault.detail;
        circuit::save(&mut decision.tx, &change.circuit).await?;
        if let Some(cause) = change.lift {
            suspensions::lift_all(&mut decision.tx, cause.word()).await?;
        }
        if let Some((what, suspension)) = &change.suspend {
            suspend(decision, *what, suspension).await?;
        }
        match change.verdict {
            Verdict::Again { .. } => runs::unposted(&mut decision.tx, run).await,
            Verdict::Doubt => Ok(()),
            Verdict::Withdraw => withdraw(decision, run, cause).await,
            Verdict::Fail => {
                let end = End::new(RunState::DeployFailed, Closing::Deploy, decision.now);
                let end = End { keeps_slot: false, ..end.because(cause) };
                closing::close(decision, run, &end).await
            }
        }
    }
}

async fn suspend(
    decision: &mut Decision,
    what: Suspended,
    suspension: &Suspension,
) -> Result<(), Error> {
    suspensions::put(&mut decision.tx, what, suspension).await?;
    let mut entry = By::system(crate::NAME).did("suspension", wire::suspended_word(what));
    entry.after = Some(json!({
        "codigo": suspension.code, "hasta": suspension.until.to_string(),
        "fallos": suspension.failures,
    }));
    entry.reason = Some(suspension.detail.clone());
    // A runner that is away for a moment fails at every launch: the first time says it all.
    if suspension.failures == 1 {
        decision.audit(entry);
    }
    Ok(())
}

/// What a fault means is decided and written down.
pub async fn failed(context: &Context, run: &Run, fault: &Fault) -> Result<Outcome, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Decided { plan, .. } = decision
        .plan(&Failing { context, run: run.id, fault }, |pending| {
            deploy::plan(pending.as_ref().map(|(_, tried)| tried), fault, now)
        })
        .await?;
    let Some(consequence) = plan.changes.first() else { return Ok(Outcome::Done) };
    decision.wake(launch::TICK);
    decision.commit().await?;
    tracing::warn!(run = run.id.0, robot = run.robot.0, runner = run.runner.0, fault = %fault.detail,
                   verdict = ?consequence.verdict, "deploy failed");
    metrics::counter!("sam_deploy_failures_total", "code" => fault.cause.word()).increment(1);
    if let Some(alarm) = consequence.alarm {
        alarms::raise(context, alarm, run, &fault.detail).await?;
    }
    if let Some(cause) = consequence.lift {
        alarms::not_refused(context, cause).await?;
    }
    let again = |at| Outcome::Again { error: fault.detail.clone(), at };
    Ok(match consequence.verdict {
        Verdict::Again { at } => again(at),
        Verdict::Doubt => again(now + LOOK_AGAIN),
        Verdict::Withdraw | Verdict::Fail => Outcome::Done,
    })
}

/// Takes a claim back: nothing ran, and the slot is open again.
pub async fn withdraw(decision: &mut Decision, run: &Run, cause: &str) -> Result<(), Error> {
    runs::withdraw(&mut decision.tx, run).await?;
    let data = json!({
        "ejecucion_id": run.id.0, "robot_id": run.robot.0, "equipo_id": run.runner.0,
        "causa": cause,
    });
    emit(decision, "ejecucion:retirada", format!("ejecucion/{}", run.id), data);
    Ok(())
}

/// It is looked for again, later each time.
pub fn later(context: &Context, error: &str, misses: i64) -> Outcome {
    let wait = LOOK_AGAIN.checked_mul(1 << misses.clamp(0, 5)).unwrap_or(LOOK_AGAIN);
    let at: Timestamp = context.clock.now() + wait;
    Outcome::Again { error: error.to_owned(), at }
}

/// Not found: looked for again; taken back when two looks agree, left to a person when they do not.
pub async fn not_found(context: &Context, run: &Run, look: &Look) -> Result<Outcome, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let current = runs::find(&mut decision.tx, run.id).await?;
    let Some(run) = current.filter(|run| run.state == RunState::Pending) else {
        return Ok(Outcome::Done);
    };
    let policy = policy::load(&context.settings, &context.zone, &mut decision.tx).await?;
    match doubt::judge(&run, look, policy.misses_allowed, now) {
        doubt::Verdict::Adopt(seen) => {
            drop(decision);
            accepted(context, &run, &seen.deployment, "BUSQUEDA").await
        }
        doubt::Verdict::Withdraw => {
            withdraw(&mut decision, &run, "el Control Room no la recibió").await?;
            decision.wake(launch::TICK);
            decision.commit().await?;
            alarms::settled(context, run.id).await?;
            Ok(Outcome::Done)
        }
        doubt::Verdict::Wait { misses, suspect, ask } => {
            let suspect = suspect.as_deref();
            outcomes::unfound(&mut decision.tx, &run, misses, suspect, now).await?;
            decision.commit().await?;
            if ask {
                alarms::in_doubt(context, &run, suspect).await?;
            }
            Ok(later(context, "not found yet", misses))
        }
    }
}

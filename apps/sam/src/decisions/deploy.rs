//! What became of a deploy is committed: accepted, failed, in doubt, or taken back.

use db::{Decision, Error};
use engine::Word as _;
use host::{By, Outcome};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{alarms, callback, emit, launch, runs as closing};
use crate::{
    Context,
    model::{Closing, Run, RunState},
    rules::{
        deploy::{self, Consequence, Fault, Tried, Verdict},
        world::Suspended,
    },
    store::{self, circuit, policy, runs, runs::End, suspensions},
    wire,
};

/// Between two looks for a run in doubt; doubled with each that finds nothing.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(2);

/// Notes that a deploy is about to be posted; from now on it may exist.
pub async fn posting(context: &Context, run: &Run) -> Result<(), Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    runs::posting(&mut decision.tx, run, now).await?;
    decision.commit().await.map(drop)
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
    let (breaker, _) = circuit::load(&mut decision.tx, true).await?;
    let closed = breaker.failures > 0 || breaker.opened.is_some();
    if closed {
        circuit::save(&mut decision.tx, &deploy::answered(&breaker)).await?;
    }
    closing::went_on(decision, run, RunState::Deployed);
    let Some((status, payload)) = runs::match_stray(&mut decision.tx, deployment, now).await?
    else {
        return Ok(closed);
    };
    let Some(state) = RunState::told(&status).filter(|state| state.is_final()) else {
        return Ok(closed);
    };
    let Some(run) = runs::find(&mut decision.tx, run.id).await? else { return Ok(closed) };
    callback::verdict(decision, &run, &status, state, &payload).await?;
    Ok(true)
}

/// What a fault means is written down: for the run, for whom it suspends, for the breaker.
pub async fn failed(context: &Context, run: &Run, fault: &Fault) -> Result<Outcome, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let Some(run) = runs::find(&mut decision.tx, run.id).await? else { return Ok(Outcome::Done) };
    if run.state != RunState::Pending {
        return Ok(Outcome::Done);
    }
    let tx = &mut decision.tx;
    let policy = policy::load(&context.settings, &context.zone, tx).await?;
    let (breaker, _) = circuit::load(tx, true).await?;
    let known = suspensions::all(tx).await?;
    let tried = Tried {
        robot: run.robot,
        runner: run.runner,
        attempts: run.attempts,
        policy: &policy,
        circuit: &breaker,
        known: &known,
    };
    let consequence = deploy::consequence(&tried, fault, now);
    let outcome = apply(&mut decision, &run, fault, &consequence).await?;
    decision.wake(launch::TICK);
    decision.commit().await?;
    tracing::warn!(run = run.id.0, robot = run.robot.0, runner = run.runner.0, fault = %fault.detail,
                   verdict = ?consequence.verdict, "deploy failed");
    metrics::counter!("sam_deploy_failures_total", "code" => fault.cause.word()).increment(1);
    if let Some(alarm) = consequence.alarm {
        alarms::raise(context, alarm, &run, &fault.detail).await?;
    }
    Ok(outcome)
}

async fn apply(
    decision: &mut Decision,
    run: &Run,
    fault: &Fault,
    consequence: &Consequence,
) -> Result<Outcome, Error> {
    let now = decision.now;
    circuit::save(&mut decision.tx, &consequence.circuit).await?;
    if let Some((what, suspension)) = &consequence.suspend {
        suspensions::put(&mut decision.tx, *what, suspension).await?;
        let subject = wire::suspended_word(*what);
        let mut entry = By::system(crate::NAME).did("suspension", subject);
        entry.after = Some(json!({
            "codigo": suspension.code, "hasta": suspension.until.to_string(),
            "fallos": suspension.failures,
        }));
        entry.reason = Some(suspension.detail.clone());
        // A runner that is away for a moment fails at every launch: the first time says it all.
        if suspension.failures == 1 {
            decision.audit(entry);
        }
    }
    Ok(match &consequence.verdict {
        Verdict::Again { at } => {
            runs::unposted(&mut decision.tx, run).await?;
            Outcome::Again { error: fault.detail.clone(), at: *at }
        }
        Verdict::Doubt => Outcome::Again { error: fault.detail.clone(), at: now + LOOK_AGAIN },
        Verdict::Withdraw => {
            withdraw(decision, run, &fault.detail).await?;
            Outcome::Done
        }
        Verdict::Fail => {
            let end = End {
                state: RunState::DeployFailed,
                closing: Closing::Deploy,
                raw: None,
                started_at: None,
                finished_at: now,
                cause: Some(&fault.detail),
                callback: None,
                keeps_slot: false,
            };
            closing::close(decision, run, &end).await?;
            Outcome::Done
        }
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

/// Not found: looked for again, and in the end taken back.
pub async fn not_found(context: &Context, run: &Run) -> Result<Outcome, Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let current = runs::find(&mut decision.tx, run.id).await?;
    let Some(run) = current.filter(|run| run.state == RunState::Pending) else {
        return Ok(Outcome::Done);
    };
    let policy = policy::load(&context.settings, &context.zone, &mut decision.tx).await?;
    let misses = run.misses + 1;
    if misses >= policy.misses_allowed {
        withdraw(&mut decision, &run, "el Control Room no la recibió").await?;
        decision.wake(launch::TICK);
        decision.commit().await?;
        return Ok(Outcome::Done);
    }
    runs::missed(&mut decision.tx, &run, misses, now).await?;
    decision.commit().await?;
    Ok(later(context, "not found yet", misses))
}

//! Sends a claimed run to the Control Room: once, and never blindly again.
//!
//! That a deploy is about to be posted is committed before it is. Whoever comes back to such a run
//! — after a crash, a time-out, an answer that was lost — looks it up by its tag first.

use controlroom::{Callback, Client, Deployment, Fault, Place};
use db::{Decision, Error, effects::Claimed, settings::Values};
use host::{Context, Driver, Outcome};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{By, callback, emit, runs as closing};
use crate::{
    alarms,
    model::{Closing, Robot, Run, RunId, RunState},
    room::{Room, stir},
    rules::{
        deploy::{self, Consequence, Tried, Verdict},
        world::Suspended,
    },
    store::{self, circuit, policy, robots, runs, runs::End, suspensions},
    wire,
};

pub const KIND: &str = "sam.deploy";

pub fn driver() -> Driver {
    Driver::new(KIND, perform)
}

/// Between two looks for a run in doubt; doubled with each that finds nothing.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(2);

async fn perform(context: Context, effect: Claimed) -> Outcome {
    let Some(id) = effect.payload["run"].as_i64() else {
        return Outcome::Refused("no run is named".into());
    };
    match attempt(&context, RunId(id)).await {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn attempt(context: &Context, id: RunId) -> Result<Outcome, Error> {
    let room = context.shared::<Room>();
    let mut tx = context.store.read().await?;
    let run = runs::find(&mut tx, id).await?;
    let Some(run) = run.filter(|run| run.state == RunState::Pending) else {
        return Ok(Outcome::Done);
    };
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    let robot = robots::find(&mut tx, run.robot).await?;
    drop(tx);
    let client = match room.client(&values)? {
        Ok(client) => client,
        Err(bad) => return failed(context, &run, &unusable(&bad)).await,
    };
    let Some(robot) = robot else { return Ok(Outcome::Refused("the robot is gone".into())) };
    if run.posted_at.is_some() {
        return look_up(context, &client, &run).await;
    }
    let workers = room.workers(values.int(policy::WORKERS)?);
    let Ok(_busy) = workers.acquire().await else { return Ok(Outcome::Failed("stopping".into())) };
    let now = context.clock.now();
    let mut decision = context.store.decide(&store::scope(), now).await?;
    runs::posting(&mut decision.tx, &run, now).await?;
    decision.commit().await?;
    match client.deploy(&order(context, &values, &run, &robot)?).await {
        Ok(deployment) => accepted(context, &run, &deployment, "LANZADOR").await,
        Err(fault) => failed(context, &run, &fault).await,
    }
}

/// A client that cannot be made reaches nobody.
fn unusable(bad: &controlroom::BadConfig) -> Fault {
    Fault::Unreachable { reason: bad.to_string() }
}

fn order(
    context: &Context,
    values: &Values,
    run: &Run,
    robot: &Robot,
) -> Result<Deployment, Error> {
    let url = values.text(policy::CALLBACK_URL)?.trim();
    let url = if url.is_empty() {
        format!("{}/api/callback", context.options.url.trim_end_matches('/'))
    } else {
        url.to_owned()
    };
    let token = values.text(policy::CALLBACK_TOKEN)?;
    let headers = (!token.is_empty()).then(|| ("X-Authorization".to_owned(), token.to_owned()));
    Ok(Deployment {
        bot_id: robot.id.0,
        run_as_user: run.user_id,
        tag: run.tag(),
        input: Some(wire::bot_input(robot, values.int(policy::REPETITIONS)?)),
        callback: Some(Callback { url, headers: headers.into_iter().collect() }),
    })
}

/// The Control Room has it: what an error had suspended is lifted, and a callback that came before
/// this commit is heard now.
async fn accepted(
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
    decision.commit().await?;
    if reopened {
        stir(context);
    }
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

async fn failed(context: &Context, run: &Run, fault: &Fault) -> Result<Outcome, Error> {
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
    decision.commit().await?;
    tracing::warn!(run = run.id.0, robot = run.robot.0, runner = run.runner.0, fault = %fault,
                   verdict = ?consequence.verdict, "deploy failed");
    metrics::counter!("sam_deploy_failures_total", "code" => deploy::code(fault)).increment(1);
    if let Some(alarm) = consequence.alarm {
        alarms::raise(context, alarm, &run, fault).await?;
    }
    stir(context);
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
        let mut entry = By::system().did("suspension", subject);
        entry.after = Some(json!({
            "codigo": suspension.code, "hasta": suspension.until.to_string(),
            "fallos": suspension.failures,
        }));
        entry.reason = Some(suspension.detail.clone());
        // A runner that is away for a moment fails at every beat: the first time says it all.
        if suspension.failures == 1 {
            decision.audit(entry);
        }
    }
    Ok(match &consequence.verdict {
        Verdict::Again { at } => {
            runs::unposted(&mut decision.tx, run).await?;
            Outcome::Again { error: fault.to_string(), at: *at }
        }
        Verdict::Doubt => Outcome::Again { error: fault.to_string(), at: now + LOOK_AGAIN },
        Verdict::Withdraw => {
            withdraw(decision, run, &fault.to_string()).await?;
            Outcome::Done
        }
        Verdict::Fail => {
            let cause = fault.to_string();
            let end = End {
                state: RunState::DeployFailed,
                closing: Closing::Deploy,
                raw: None,
                started_at: None,
                finished_at: now,
                cause: Some(&cause),
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

/// A deploy was posted and how it ended is not known.
async fn look_up(context: &Context, client: &Client, run: &Run) -> Result<Outcome, Error> {
    let since = run.posted_at.unwrap_or(run.claimed_at);
    let found = client
        .find_by_tag(Place::Runner { device: run.runner.0, user: run.user_id }, &run.tag(), since)
        .await;
    match found {
        Ok(Some(activity)) => {
            let Some(deployment) = activity.deployment_id else {
                return Ok(later(context, "found without a deployment id", run.misses));
            };
            accepted(context, run, &deployment, "BUSQUEDA").await
        }
        Ok(None) => not_found(context, run).await,
        Err(fault) => Ok(later(context, &fault.to_string(), 3)),
    }
}

fn later(context: &Context, error: &str, misses: i64) -> Outcome {
    let wait = LOOK_AGAIN.checked_mul(1 << misses.clamp(0, 5)).unwrap_or(LOOK_AGAIN);
    let at: Timestamp = context.clock.now() + wait;
    Outcome::Again { error: error.to_owned(), at }
}

/// Not found: looked for again, and in the end taken back.
async fn not_found(context: &Context, run: &Run) -> Result<Outcome, Error> {
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
        decision.commit().await?;
        stir(context);
        return Ok(Outcome::Done);
    }
    runs::missed(&mut decision.tx, &run, misses, now).await?;
    decision.commit().await?;
    Ok(later(context, "not found yet", misses))
}

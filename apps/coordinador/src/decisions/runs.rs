//! How runs end. Each ending frees its permits and lets the chain go on in the same commit.

use db::{Decision, Error, audit};
use engine::Word as _;
use host::{Failure, conflict, unknown};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use web::{Lang, Problem};

use super::{alarms, commit, dispatch, emit};
use crate::{
    Context, Desk,
    drivers::job,
    model::{Cause, Ending, Node, Olt, Role, Run, RunId, RunState, Switch},
    policy::Policy,
    rules::{
        backoff,
        chain::{self, Member},
        quota::{self, Level as Fullness, Usage},
    },
    store::{
        self,
        journal::{self, Entry, Kind, Level},
        nodes, olts, policy, runs,
        runs::{Ended, NewRun},
        world,
    },
};

/// Ends a live run and does what follows from it; not one more packet leaves for it once that is
/// committed. `false`: it was over already.
pub async fn end(
    context: &Context,
    decision: &mut Decision,
    policy: &Policy,
    run: &Run,
    ended: &Ended,
) -> Result<bool, Error> {
    if !end_one(context, decision, policy, run, ended).await? {
        return Ok(false);
    }
    // What is asked together ends together, whoever ends it.
    for rider in runs::riders(&mut decision.tx, run.id).await? {
        let ended = Ended { again: false, ..ended.clone() };
        end_one(context, decision, policy, &rider, &ended).await?;
    }
    Ok(true)
}

async fn end_one(
    context: &Context,
    decision: &mut Decision,
    policy: &Policy,
    run: &Run,
    ended: &Ended,
) -> Result<bool, Error> {
    let now = decision.now;
    if !runs::end(&mut decision.tx, run.id, ended, now).await? {
        return Ok(false);
    }
    decision.wake(dispatch::TICK);
    decision.wake(job::ENDED);
    decision.wake(alarms::TICK);
    let (runtime, id) = (context.runtime.clone(), run.id);
    decision.then(move || runtime.stop([id]));
    if run.started_at.is_some() {
        let well = ended.state == RunState::Success;
        nodes::ran(&mut decision.tx, run.node, run.started_at, well, now).await?;
    }
    let over =
        Run { state: ended.state, finished_at: Some(now), ending: ended.ending, ..run.clone() };
    tell(decision, &over).await?;
    tell_quota(decision, policy, &over).await?;
    if ended.again {
        let again = NewRun::waiting(run.node, run.olt, run.job, Cause::Manual, now);
        let again = NewRun { asked_by: Some("SISTEMA"), ..again };
        runs::insert(&mut decision.tx, &again, now).await?;
    }
    follow(decision, &over).await?;
    Ok(true)
}

async fn tell(decision: &mut Decision, run: &Run) -> Result<(), Error> {
    let (state, reason) = (run.state.word(), run.ending.map(Ending::word));
    metrics::counter!("coordinador_runs_total", "job" => run.job.word(), "status" => state)
        .increment(1);
    let data = json!({
        "ejecucion_id": run.id.0, "nodo_id": run.node.0, "olt_id": run.olt.0,
        "job_type": run.job.word(), "status": state, "reason": reason,
    });
    emit(decision, "ejecucion:terminada", format!("ejecucion/{}", run.id), data.clone());
    let level = match run.state {
        RunState::Failed => Level::Warning,
        RunState::Interrupted if run.ending == Some(Ending::Stale) => Level::Warning,
        RunState::Interrupted => Level::Info,
        RunState::Pending | RunState::Running | RunState::Success => return Ok(()),
    };
    let kind = match run.state {
        RunState::Failed => Kind::RunFailed,
        _ => Kind::RunInterrupted,
    };
    let (olt, node, run) = (Some(run.olt), Some(run.node), Some(run.id));
    let entry = Entry { olt, node, run, ..Entry::new(level, kind, reason, data) };
    journal::write(&mut decision.tx, &entry, decision.now).await
}

/// 80 % warns, 90 % alerts, 100 % is told: once for each crossing (§5.5).
async fn tell_quota(decision: &mut Decision, policy: &Policy, run: &Run) -> Result<(), Error> {
    if !run.counts() {
        return Ok(());
    }
    let now = decision.now;
    let Some(node) = nodes::find(&mut decision.tx, run.node).await? else { return Ok(()) };
    let Role::Master { cadence, .. } = node.role else { return Ok(()) };
    let mut recent = world::recent_starts(&mut decision.tx, std::iter::once(node.id), now).await?;
    let starts = recent.remove(&node.id).unwrap_or_default();
    let after = Usage::at(&starts, cadence.interval, now);
    let before = Usage { used: after.used.saturating_sub(1), max: after.max };
    let Some(level) = quota::crossing(before, after, &policy.quota) else { return Ok(()) };
    let (level, kind) = match level {
        Fullness::Normal => return Ok(()),
        Fullness::Warn => (Level::Warning, Kind::QuotaWarning),
        Fullness::Alert => (Level::Alert, Kind::QuotaAlert),
        Fullness::Full => (Level::Info, Kind::QuotaFull),
    };
    let (used, max) = (after.used, after.max);
    match level {
        Level::Debug | Level::Info => {
            tracing::info!(node = node.id.0, used, max, "{}", kind.word());
        }
        Level::Warning | Level::Alert => {
            tracing::warn!(node = node.id.0, used, max, "{}", kind.word());
        }
    }
    let data = json!({
        "nodo_id": node.id.0, "usados": used, "maximo": max, "porcentaje": after.percent(),
    });
    emit(decision, "cuota:nivel", format!("nodo/{}", node.id), data.clone());
    let (olt, node, run) = (Some(node.olt), Some(node.id), Some(run.id));
    let entry = Entry { olt, node, run, ..Entry::new(level, kind, Some("QUOTA"), data) };
    journal::write(&mut decision.tx, &entry, now).await
}

/// The next of the chain waits for its turn, if there is one.
async fn follow(decision: &mut Decision, run: &Run) -> Result<(), Error> {
    let now = decision.now;
    let Some(node) = nodes::find(&mut decision.tx, run.node).await? else { return Ok(()) };
    let (master, first) = match &node.role {
        Role::Master { .. } => (node.id, run.id),
        Role::Chain { master, .. } => {
            let told = runs::one(&mut decision.tx, run.id).await?;
            // A member that a person ran by hand starts no chain.
            let Some(first) = told.and_then(|told| told.follows) else { return Ok(()) };
            (*master, first)
        }
    };
    let nodes = nodes::chain(&mut decision.tx, master).await?;
    let Some(head) = runs::find(&mut decision.tx, first).await? else { return Ok(()) };
    let done = runs::followers(&mut decision.tx, first).await?;
    let done: Vec<_> = done.iter().map(|run| run.node).collect();
    let members: Vec<Member> = nodes.iter().filter_map(member).collect();
    let ended = |run: &Run| chain::Ended { state: run.state, ending: run.ending };
    let next = chain::next(ended(&head), ended(run), &members, &done);
    let Some(next) = nodes.iter().find(|node| Some(node.id) == next) else { return Ok(()) };
    if !runs::live_of(&mut decision.tx, &[next.id]).await?.is_empty() {
        return Ok(());
    }
    let new = NewRun::waiting(next.id, next.olt, next.job, Cause::Chained, now);
    let new = NewRun { follows: Some(first), ..new };
    let id = runs::insert(&mut decision.tx, &new, now).await?;
    let data = json!({
        "ejecucion_id": id.0, "nodo_id": next.id.0, "olt_id": next.olt.0, "status": "PENDING",
        "tras_ejecucion": first.0,
    });
    emit(decision, "ejecucion:pedida", format!("ejecucion/{id}"), data);
    Ok(())
}

/// None: it may not run.
fn member(node: &Node) -> Option<Member> {
    let Role::Chain { after, .. } = node.role else { return None };
    let able = node.switch == Switch::On && node.oid.is_some();
    able.then_some(Member { node: node.id, priority: node.priority, after })
}

/// The device answered; after a silence that is news.
pub async fn heard(decision: &mut Decision, olt: &Olt, heard: olts::Heard) -> Result<(), Error> {
    let now = decision.now;
    let was = olts::find(&mut decision.tx, olt.id).await?.and_then(|olt| olt.backoff);
    olts::answered(&mut decision.tx, olt.id, heard, now).await?;
    let Some(recovered) = backoff::answered(was) else { return Ok(()) };
    let seconds = now.duration_since(recovered.since).as_secs();
    tracing::info!(olt = olt.id.0, seconds, "the OLT answers again");
    news(decision, olt, Level::Info, Kind::OltBack, json!({ "segundos": seconds })).await
}

/// The device did not answer: left alone for a while, longer each time.
pub async fn unheard(
    decision: &mut Decision,
    policy: &Policy,
    olt: &Olt,
    began: Timestamp,
) -> Result<(), Error> {
    let now = decision.now;
    let was = olts::find(&mut decision.tx, olt.id).await?.and_then(|olt| olt.backoff);
    let backoff = backoff::failed(was, &policy.probe, began, now);
    olts::silent(&mut decision.tx, olt.id, &backoff).await?;
    if was.is_some() {
        return Ok(());
    }
    tracing::warn!(olt = olt.id.0, until = %backoff.until, "the OLT does not answer");
    let data = json!({ "proximo_intento": backoff.until });
    news(decision, olt, Level::Warning, Kind::OltSilent, data).await
}

async fn news(
    decision: &mut Decision,
    olt: &Olt,
    level: Level,
    kind: Kind,
    data: Json,
) -> Result<(), Error> {
    let told = json!({ "olt_id": olt.id.0, "tipo": kind.word(), "datos": data });
    emit(decision, "olt:salud", format!("olt/{}", olt.id), told);
    let reason = (level == Level::Warning).then_some("UNREACHABLE");
    let entry = Entry { olt: Some(olt.id), ..Entry::new(level, kind, reason, data) };
    journal::write(&mut decision.tx, &entry, decision.now).await
}

pub fn missing(lang: Lang) -> Problem {
    let (es, en) = ("No existe esa ejecución.", "There is no such run.");
    unknown(lang, "EJECUCION_INEXISTENTE", es, en)
}

/// An operator stops a run.
pub async fn abort(desk: &Desk, id: RunId, reason: Option<String>) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let run = runs::find(&mut decision.tx, id).await?.ok_or_else(|| missing(desk.lang))?;
    let policy = policy::load(&desk.context, &mut decision.tx).await?;
    let by = desk.by();
    let mut ended = Ended::interrupted(Ending::Cancelled, json!({ "por": by.name }));
    ended.detail.clone_from(&reason);
    if !end(&desk.context, &mut decision, &policy, &run, &ended).await? {
        let (es, en) = ("La ejecución ya terminó.", "The run is over already.");
        return Err(conflict(desk.lang, "EJECUCION_TERMINADA", es, en).into());
    }
    let status = |state: RunState| Some(json!({ "status": state.word() }));
    let (before, after) = (status(run.state), status(ended.state));
    let entry = by.did("ejecucion.abortar", format!("ejecucion/{id}"));
    decision.audit(audit::Entry { before, after, reason, ..entry });
    Ok(commit(decision).await?)
}

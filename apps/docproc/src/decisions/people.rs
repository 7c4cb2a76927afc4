//! Tasks and the holder they are in (§8): given, taken, kept alive, given back.

use db::{Decision, Error, Tx, audit::Entry};
use engine::Sentence;
use host::{By, Next};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{Refusal, undo};
use crate::{
    Context,
    model::TaskState,
    rules::assign::{self, House, can_do},
    store::{
        assign::BackOffice,
        offers::{self, Demand},
        operators::{self, OperatorRow},
        people_scope, policy,
        reviews::{self, Ending, TaskRow},
    },
};

/// The tick that takes back what lapsed and offers what waits.
pub const TICK: &str = "docproc.personas";
/// The longest a task may be put off.
pub const LONGEST_POSTPONEMENT: SignedDuration = SignedDuration::from_hours(24);

pub(super) type Took = Result<Result<TaskRow, Refusal>, Error>;

/// Takes back what lapsed and offers what waits, in this decision.
pub async fn assign(context: &Context, decision: &mut Decision) -> Result<(), Error> {
    plan(context, decision, true).await
}

/// Only takes back: a person who acts now is judged by the time it is.
pub(super) async fn take_back_lapsed(
    context: &Context,
    decision: &mut Decision,
) -> Result<(), Error> {
    plan(context, decision, false).await
}

async fn plan(context: &Context, decision: &mut Decision, offering: bool) -> Result<(), Error> {
    decision.hold(&people_scope()).await?;
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    let house = House { offering, ..policy.desk };
    let now = decision.now;
    let local = now.to_zoned(context.zone.clone()).datetime();
    let rule = |snapshot: &assign::Snapshot| assign::plan(snapshot, house, now, local);
    let plan = decision.plan(&BackOffice, rule).await?.plan;
    if !plan.is_settled() {
        // Something lapses earlier or later than the tick knows.
        decision.wake(TICK);
    }
    Ok(())
}

/// *Reclamar*: takes a task that nobody has, or takes up one that was offered. Of many who ask at
/// once one gets it.
pub async fn claim(context: &Context, operator: &str, id: &str) -> Took {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    let Some(mut task) = reviews::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    if task.status == TaskState::Assigned && !task.is_with(operator) {
        // Many ask for what one has: that it cannot have lapsed yet is seen without the planner.
        let task_timeout =
            policy::load(&context.settings, &mut decision.tx).await?.desk.task_timeout;
        if task.heard().is_some_and(|heard| decision.now.duration_since(heard) < task_timeout) {
            return Ok(Err(taken(&task)));
        }
        take_back_lapsed(context, &mut decision).await?;
        task = match reviews::find(&mut decision.tx, id).await? {
            Some(task) => task,
            None => return Ok(Err(Refusal::NoTask)),
        };
    }
    let profile = operators::find(&mut decision.tx, operator).await?;
    if let Err(refusal) = may_take(&task, operator, profile.as_ref()) {
        return Ok(Err(refusal));
    }
    take(&mut decision, &task, operator).await?;
    assign(context, &mut decision).await?;
    finish(decision, id).await
}

async fn take(decision: &mut Decision, task: &TaskRow, operator: &str) -> Result<(), Error> {
    operators::heard(decision, operator).await?;
    if task.is_with(operator) {
        return reviews::beat(decision, &task.id, operator).await;
    }
    reviews::give(decision, &task.id, operator, true).await
}

pub(super) async fn finish(mut decision: Decision, id: &str) -> Took {
    let task = reviews::find(&mut decision.tx, id).await?;
    decision.commit().await?;
    Ok(task.ok_or(Refusal::NoTask))
}

fn may_take(task: &TaskRow, operator: &str, profile: Option<&OperatorRow>) -> Result<(), Refusal> {
    if task.is_with(operator) {
        return Ok(());
    }
    match task.status {
        TaskState::Pending | TaskState::Timeout => may_work(task, profile),
        TaskState::Assigned | TaskState::Completed | TaskState::Cancelled => Err(taken(task)),
    }
}

/// A name without a profile may do whatever its role allows; a profile says what its owner can.
fn may_work(task: &TaskRow, profile: Option<&OperatorRow>) -> Result<(), Refusal> {
    let Some(profile) = profile else { return Ok(()) };
    if !profile.active {
        return Err(Refusal::Forbidden {
            code: "OPERADOR_INACTIVO",
            sentence: Sentence::new("El perfil está inactivo.", "Your profile is inactive."),
        });
    }
    let required = task.skills();
    if can_do(&profile.skills, &required) {
        return Ok(());
    }
    let list = required.join(", ");
    Err(Refusal::Forbidden {
        code: "SIN_HABILIDAD",
        sentence: Sentence::new(
            format!("La tarea pide {list} y el perfil no lo tiene."),
            format!("The task asks for {list}, which your profile does not have."),
        ),
    })
}

/// Why a task cannot be had.
fn taken(task: &TaskRow) -> Refusal {
    let (code, sentence) = match task.status {
        TaskState::Completed => (
            "TAREA_TERMINADA",
            Sentence::new(
                "Alguien ya respondió esta tarea.",
                "Somebody has answered this task already.",
            ),
        ),
        TaskState::Cancelled => (
            "TAREA_RETIRADA",
            Sentence::new(
                "La tarea se retiró: ya no hace falta.",
                "The task was withdrawn: it is no longer needed.",
            ),
        ),
        TaskState::Pending | TaskState::Timeout | TaskState::Assigned => {
            let who = task.assigned_to.as_deref().unwrap_or("?");
            let sentence =
                Sentence::new(format!("La tarea la tiene {who}."), format!("{who} has this task."));
            ("TAREA_OCUPADA", sentence)
        }
    };
    Refusal::Conflict { code, sentence }
}

/// Whether a task is in this operator's holder, or why not.
pub(super) async fn held(
    decision: &mut Decision,
    operator: &str,
    id: &str,
) -> Result<Result<TaskRow, Refusal>, Error> {
    let Some(task) = reviews::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    if task.is_with(operator) {
        return Ok(Ok(task));
    }
    if !task.is_open() {
        return Ok(Err(taken(&task)));
    }
    if reviews::let_lapse(&mut decision.tx, id, operator).await? {
        return Ok(Err(Refusal::Conflict {
            code: "TAREA_VENCIDA",
            sentence: Sentence::new(
                "El turno con esta tarea venció y se ofreció a otra persona; el borrador se guarda.",
                "Your turn with this task lapsed and it was offered to somebody else; your draft \
                 is kept.",
            ),
        }));
    }
    Ok(Err(Refusal::Forbidden {
        code: "TAREA_AJENA",
        sentence: match &task.assigned_to {
            Some(who) => Sentence::new(
                format!("La tarea la tiene {who}, no {operator}."),
                format!("{who} has this task, not {operator}."),
            ),
            None => Sentence::new(
                "Nadie tiene la tarea: hay que reclamarla antes.",
                "Nobody has this task: claim it first.",
            ),
        },
    }))
}

/// *Presencia*: an operator is there; with a task, at that task.
pub async fn heartbeat(context: &Context, operator: &str, id: Option<&str>) -> Answer {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    take_back_lapsed(context, &mut decision).await?;
    let mut task = None;
    if let Some(id) = id {
        match held(&mut decision, operator, id).await? {
            Ok(_) => reviews::beat(&mut decision, id, operator).await?,
            Err(refusal) => return Ok(Err(refusal)),
        }
        task = reviews::find(&mut decision.tx, id).await?;
    }
    operators::heard(&mut decision, operator).await?;
    assign(context, &mut decision).await?;
    decision.commit().await?;
    Ok(Ok(task))
}

type Answer = Result<Result<Option<TaskRow>, Refusal>, Error>;

/// Gives a task back, for somebody else or for later.
pub async fn give_back(
    context: &Context,
    operator: &str,
    id: &str,
    later: Option<SignedDuration>,
) -> Took {
    let now = context.clock.now();
    let mut decision = context.store.decide(&people_scope(), now).await?;
    take_back_lapsed(context, &mut decision).await?;
    if let Err(refusal) = held(&mut decision, operator, id).await? {
        return Ok(Err(refusal));
    }
    let until = later.and_then(|wait| now.checked_add(wait.min(LONGEST_POSTPONEMENT)).ok());
    let ending = until.map_or(Ending::Released, Ending::Postponed);
    operators::heard(&mut decision, operator).await?;
    reviews::take_back(&mut decision, id, operator, ending).await?;
    assign(context, &mut decision).await?;
    finish(decision, id).await
}

/// Keeps what somebody has typed. Also after they lost the task: nothing typed is thrown away.
pub async fn keep_draft(
    context: &Context,
    operator: &str,
    id: &str,
    data: &serde_json::Value,
) -> Took {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    let Some(task) = reviews::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    let theirs = task.is_with(operator)
        || (task.is_open() && reviews::let_lapse(&mut decision.tx, id, operator).await?);
    if !theirs {
        return Ok(held(&mut decision, operator, id).await?.map(|_| task));
    }
    operators::heard(&mut decision, operator).await?;
    if task.is_with(operator) {
        reviews::beat(&mut decision, id, operator).await?;
    }
    reviews::keep_draft(&mut decision, id, operator, data).await?;
    decision.commit().await?;
    Ok(Ok(task))
}

/// The most urgent task for an operator among what they were offered and what nobody has; it is
/// theirs from now on. `but` are tasks they have before them already; what they gave back themselves
/// is for the others, unless they open it.
pub async fn next(context: &Context, operator: &str, but: &[String]) -> Answer {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    take_back_lapsed(context, &mut decision).await?;
    operators::heard(&mut decision, operator).await?;
    let open = on_offer(&mut decision.tx, operator, decision.now).await?;
    let Some(task) = open.iter().find(|task| !but.contains(&task.id)) else {
        assign(context, &mut decision).await?;
        decision.commit().await?;
        return Ok(Ok(None));
    };
    take(&mut decision, task, operator).await?;
    assign(context, &mut decision).await?;
    Ok(finish(decision, &task.id).await?.map(Some))
}

/// What an operator may work on now, most urgent first: all they have, and as much of the rest as one
/// look takes in.
pub async fn on_offer(tx: &mut Tx, operator: &str, now: Timestamp) -> Result<Vec<TaskRow>, Error> {
    let profile = operators::find(tx, operator).await?;
    let may = |task: &TaskRow| may_take(task, operator, profile.as_ref()).is_ok();
    let mut free = offers::free(tx, operator, None, now).await?;
    let looked_at = free.len();
    free.retain(may);
    if looked_at == offers::LOOK && free.len() < looked_at {
        let theirs = demands_on(tx, operator, now).await?;
        free = offers::free(tx, operator, Some(&theirs), now).await?;
        free.retain(may);
    }
    let mut open = offers::own(tx, operator).await?;
    open.extend(free);
    open.sort_by_key(|task| (task.priority, task.deadline, task.created_at, task.id.clone()));
    Ok(open)
}

/// What waits that this operator may take, by what it demands.
async fn demands_on(tx: &mut Tx, operator: &str, now: Timestamp) -> Result<Vec<Demand>, Error> {
    let profile = operators::find(tx, operator).await?;
    let mut demands = offers::demands(tx, Some(operator), now).await?;
    demands.retain(|one| {
        let skills = profile.as_ref().filter(|profile| profile.active).map(|it| &it.skills);
        profile.is_none() || skills.is_some_and(|skills| can_do(skills, &one.required))
    });
    Ok(demands)
}

/// How many tasks remain for an operator besides those they have before them, and the deadline that
/// comes first.
pub async fn remaining(
    tx: &mut Tx,
    operator: &str,
    but: &[&str],
    now: Timestamp,
) -> Result<(usize, Option<Timestamp>), Error> {
    let open = on_offer(tx, operator, now).await?;
    let other = open.iter().filter(|task| !but.contains(&task.id.as_str()));
    let mut deadlines: Vec<_> = other.clone().map(|task| task.deadline).collect();
    let mut count = deadlines.len();
    if open.iter().filter(|task| task.assigned_to.is_none()).count() == offers::LOOK {
        let own = other.filter(|task| task.assigned_to.is_some()).count();
        let demands = demands_on(tx, operator, now).await?;
        count = own + demands.iter().map(|demand| demand.waiting).sum::<usize>();
        deadlines.extend(demands.iter().map(|demand| demand.nearest));
    }
    Ok((count, deadlines.into_iter().min()))
}

/// A supervisor puts a task into somebody's holder, or back into the queue.
pub async fn reassign(context: &Context, by: &By, id: &str, to: Option<&str>) -> Took {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    take_back_lapsed(context, &mut decision).await?;
    let Some(task) = reviews::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NoTask));
    };
    if !task.is_open() {
        return Ok(Err(taken(&task)));
    }
    if let Some(to) = to {
        let Some(profile) = operators::find(&mut decision.tx, to).await? else {
            return Ok(Err(Refusal::Invalid {
                code: "OPERADOR_DESCONOCIDO",
                sentence: Sentence::new(
                    format!("No hay un operador «{to}»."),
                    format!("There is no operator “{to}”."),
                ),
            }));
        };
        if let Err(refusal) = may_work(&task, Some(&profile)) {
            return Ok(Err(refusal));
        }
    }
    if let Some(holder) = &task.assigned_to {
        reviews::take_back(&mut decision, id, holder, Ending::Reassigned).await?;
    }
    if let Some(to) = to {
        reviews::give(&mut decision, id, to, false).await?;
    }
    let after = json!({ "operator": to, "before": task.assigned_to });
    let entry = by.did("task.reassign", format!("task/{id}"));
    decision.audit(Entry { after: Some(after), ..entry });
    assign(context, &mut decision).await?;
    finish(decision, id).await
}

/// Registers an operator, or rewrites one; `new` says which is meant.
pub async fn put_operator(
    context: &Context,
    by: &By,
    row: &OperatorRow,
    new: bool,
) -> Result<Result<OperatorRow, Refusal>, Error> {
    let mut decision = context.store.decide(&people_scope(), context.clock.now()).await?;
    let before = operators::find(&mut decision.tx, &row.username).await?;
    match (&before, new) {
        (Some(_), true) => {
            return Ok(Err(Refusal::Conflict {
                code: "OPERADOR_EXISTE",
                sentence: Sentence::new(
                    "Ya hay un operador con ese nombre.",
                    "That operator exists already.",
                ),
            }));
        }
        (None, false) => return Ok(Err(Refusal::NotFound)),
        (Some(_), false) | (None, true) => {}
    }
    let version = before.as_ref().map_or(1, |one| one.version + 1);
    operators::put(&mut decision, &OperatorRow { version, ..row.clone() }).await?;
    let shown = |one: &OperatorRow| {
        json!({ "display_name": one.display_name, "skills": one.skills,
                "shifts": one.shifts, "is_active": one.active })
    };
    let action = if new { "operator.add" } else { "operator.change" };
    decision.audit(Entry {
        before: before.as_ref().map(shown),
        after: Some(shown(row)),
        ..by.did(action, format!("operator/{}", row.username))
    });
    assign(context, &mut decision).await?;
    let kept = operators::find(&mut decision.tx, &row.username).await?;
    decision.commit().await?;
    Ok(kept.ok_or(Refusal::NotFound))
}

/// Answers when the next task lapses, one that was put off comes back or an answer counts; while somebody waits,
/// also the next minute, for a shift may begin with it.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    let held = undo::settle_due(&context, now).await?;
    // Most ticks find nothing: a look is cheaper than a turn at the lock.
    let mut tx = context.store.read().await?;
    let house = policy::load(&context.settings, &mut tx).await?.desk;
    let mut snapshot = crate::store::assign::load(&mut tx, None, now).await?;
    drop(tx);
    let local = now.to_zoned(context.zone.clone()).datetime();
    if !assign::plan(&snapshot, house, now, local).is_settled() {
        let mut decision = context.store.decide(&people_scope(), now).await?;
        assign(&context, &mut decision).await?;
        decision.commit().await?;
        snapshot = crate::store::assign::load(&mut context.store.read().await?, None, now).await?;
    }
    let minute = Timestamp::from_second((now.as_second().div_euclid(60) + 1) * 60).ok();
    let due = snapshot.tasks.iter().filter_map(|task| match task.holder {
        assign::Holder::With { .. } => assign::lapses_at(&snapshot, task, house.task_timeout),
        assign::Holder::Nobody { until: Some(until) } if until > now => Some(until),
        assign::Holder::Nobody { .. } => minute,
    });
    Ok(due.chain(held).min())
}

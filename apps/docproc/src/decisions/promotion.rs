//! *Promoción* (§11.5): a version comes into force when its golden set agrees, and goes again
//! when it does not.

use db::{Decision, Error, audit::Entry};
use engine::Sentence;
use host::By;
use serde_json::{Value as Json, json};

use super::{Refusal, golden};
use crate::{
    Context,
    golden::Verdict,
    rules::golden::{ManualShare, manual_share},
    store::{
        golden as cases,
        workflows::{self as versions, Version},
    },
};

/// What came of a promotion.
#[derive(Clone, Debug)]
pub struct Promotion {
    pub version: i64,
    /// The version in force before it.
    pub previous: Option<i64>,
    pub outcome: Outcome,
    /// The run that decided.
    pub set: Vec<Verdict>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Promoted,
    /// Its set did not agree; nothing changed.
    Refused,
    /// It would ask people more than the version in force does; nothing changed.
    AsksMore(ManualShare),
    /// Its set did not agree once it was in force; the version before is in force again.
    RolledBack,
}

/// Which version shall come into force, and whether it may ask people more than the one before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The newest that waits unless told.
    pub version: Option<i64>,
    pub may_ask_more: bool,
}

/// Puts a waiting version into force if its golden set agrees and people are not asked more than
/// before, and runs the set again on what is then in force.
pub async fn promote(
    context: &Context,
    by: &By,
    name: &str,
    wanted: Wanted,
) -> Result<Result<Promotion, Refusal>, Error> {
    let runtime = context.runtime.clone();
    let mut tx = context.store.read().await?;
    let active = versions::active(&mut tx, name).await?;
    let candidate = match wanted.version {
        Some(id) => versions::find(&mut tx, id).await?.filter(|one| one.name == name),
        None => versions::waiting(&mut tx, name).await?,
    };
    let Some(candidate) = candidate.filter(|one| !one.active) else {
        let any = !versions::versions(&mut tx, Some(name)).await?.is_empty();
        return Ok(Err(if any { nothing_waits() } else { Refusal::NotFound }));
    };
    let workflow = runtime.workflows.version(&mut tx, candidate.id).await?;
    let in_force = match &active {
        Some(active) => runtime.workflows.loadable(&mut tx, active.id).await?,
        None => None,
    };
    let set = cases::in_use(&mut tx, name).await?;
    drop(tx);
    let verdicts = golden::run(context, &workflow, None, &set).await?;
    let previous = active.as_ref().map(|one| one.id);
    let done = |outcome, set| Promotion { version: candidate.id, previous, outcome, set };
    let refused = if !verdicts.iter().all(Verdict::is_equal) {
        Some(Outcome::Refused)
    } else if let Some(in_force) = in_force.filter(|_| !wanted.may_ask_more) {
        let before = golden::run(context, &in_force, None, &set).await?;
        let asked = |set: &[Verdict]| set.iter().map(Verdict::questions).collect::<Vec<_>>();
        let share = manual_share(&asked(&before), &asked(&verdicts));
        share.grows().then_some(Outcome::AsksMore(share))
    } else {
        None
    };
    if let Some(outcome) = refused {
        let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
        let entry = entry(by, "workflow.refuse", name, active.as_ref(), &candidate);
        decision.audit(Entry { after: Some(told(&candidate, &verdicts)), ..entry });
        decision.commit().await?;
        return Ok(Ok(done(outcome, verdicts)));
    }
    let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
    let now_active = versions::active(&mut decision.tx, name).await?.map(|one| one.id);
    if now_active != previous {
        return Ok(Err(golden::conflict(
            "CAMBIO_ENTRETANTO",
            "Otra versión entró en vigor mientras se probaba; no se cambió nada.".to_owned(),
            "Another version came into force meanwhile; nothing was changed.".to_owned(),
        )));
    }
    versions::activate(&mut decision, &candidate).await?;
    let entry = entry(by, "workflow.promote", name, active.as_ref(), &candidate);
    decision.audit(Entry { after: Some(told(&candidate, &verdicts)), ..entry });
    decision.commit().await?;
    runtime.workflows.take_up(&mut context.store.read().await?).await?;
    tracing::info!(workflow = name, version = candidate.id, cases = verdicts.len(), "promoted");
    match confirm(context, by, name).await? {
        Ok(verdicts) => Ok(Ok(done(Outcome::Promoted, verdicts))),
        Err(verdicts) => Ok(Ok(done(Outcome::RolledBack, verdicts))),
    }
}

/// Runs the set on the version in force; when it does not agree, the one before it is in force
/// again. `Err` holds what did not agree.
pub async fn confirm(
    context: &Context,
    by: &By,
    name: &str,
) -> Result<Result<Vec<Verdict>, Vec<Verdict>>, Error> {
    let runtime = context.runtime.clone();
    let mut tx = context.store.read().await?;
    let Some(active) = versions::active(&mut tx, name).await? else { return Ok(Ok(Vec::new())) };
    let workflow = runtime.workflows.version(&mut tx, active.id).await?;
    let set = cases::in_use(&mut tx, name).await?;
    drop(tx);
    let verdicts = golden::run(context, &workflow, Some(active.id), &set).await?;
    if verdicts.iter().all(Verdict::is_equal) {
        return Ok(Ok(verdicts));
    }
    let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
    let now_active = versions::active(&mut decision.tx, name).await?;
    if now_active.is_some_and(|one| one.id == active.id) {
        let after = told(&active, &verdicts);
        back(&mut decision, by, &active, after, "golden").await?;
        decision.commit().await?;
        runtime.workflows.take_up(&mut context.store.read().await?).await?;
        tracing::error!(workflow = name, version = active.id, "rolled back: its set differs");
    }
    Ok(Err(verdicts))
}

/// A person takes the version in force back. Answers which one was, and which one is.
pub async fn rollback(
    context: &Context,
    by: &By,
    name: &str,
    reason: &str,
) -> Result<Result<(i64, i64), Refusal>, Error> {
    let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
    let Some(active) = versions::active(&mut decision.tx, name).await? else {
        return Ok(Err(Refusal::NotFound));
    };
    let Some(previous) = versions::previous(&mut decision.tx, name).await? else {
        return Ok(Err(golden::conflict(
            "SIN_VERSION_ANTERIOR",
            "No hay una versión anterior a la que volver.".to_owned(),
            "There is no version before this one to go back to.".to_owned(),
        )));
    };
    back(&mut decision, by, &active, json!({ "version": previous.id }), reason).await?;
    decision.commit().await?;
    context.runtime.workflows.take_up(&mut context.store.read().await?).await?;
    Ok(Ok((active.id, previous.id)))
}

/// Without a version before it, nothing of the name is in force.
async fn back(
    decision: &mut Decision,
    by: &By,
    active: &Version,
    after: Json,
    reason: &str,
) -> Result<(), Error> {
    let previous = versions::previous(&mut decision.tx, &active.name).await?;
    versions::withdraw(decision, active.id).await?;
    if let Some(previous) = &previous {
        versions::activate(decision, previous).await?;
    }
    let entry = entry(by, "workflow.rollback", &active.name, Some(active), active);
    decision.audit(Entry { after: Some(after), reason: Some(reason.to_owned()), ..entry });
    Ok(())
}

fn told(version: &Version, set: &[Verdict]) -> Json {
    let different = set.iter().filter(|one| !one.is_equal()).count();
    let questions: u32 = set.iter().filter_map(Verdict::questions).sum();
    json!({ "version": version.id, "digest": version.digest, "cases": set.len(),
            "different": different, "questions": questions })
}

fn entry(by: &By, action: &str, name: &str, before: Option<&Version>, of: &Version) -> Entry {
    Entry {
        before: before.map(|one| json!({ "version": one.id, "digest": one.digest })),
        after: Some(json!({ "version": of.id })),
        ..by.did(action, format!("workflow/{name}"))
    }
}

fn nothing_waits() -> Refusal {
    Refusal::Conflict {
        code: "NADA_QUE_PROMOVER",
        sentence: Sentence::new(
            "Ninguna versión de este flujo espera su promoción.",
            "No version of this workflow waits for its promotion.",
        ),
    }
}

//! OLTs: entered, changed, switched, deleted.

use db::{Error, audit::Entry};
use engine::Word as _;
use host::{By, Failure};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;

use super::{Changed, commit, emit, nodes as planning, record, sweep};
use crate::{
    Context,
    drivers::credential::Secrets,
    model::{Ending, JobType, Olt, OltId},
    store::{self, nodes, olts, policy},
};

/// What the audit keeps of an OLT: nothing secret.
fn shown(olt: &Olt) -> Json {
    json!({
        "abreviatura": olt.name, "marca": olt.brand, "modelo": olt.model,
        "ip_address": olt.address, "puerto": olt.port, "version": olt.version.word(),
        "habilitar_olt": olt.enabled, "workflow_activo": olt.workflow_active,
    })
}

pub async fn create(
    context: &Context,
    by: &By,
    mut olt: Olt,
    secrets: &Secrets,
    now: Timestamp,
) -> Result<Changed<Olt>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    if olts::by_name(&mut decision.tx, &olt.name).await?.is_some() {
        return Ok(Changed::Duplicate);
    }
    olt.id = olts::insert(&mut decision.tx, &olt, now).await?;
    let sealed = secrets.seal(&context.options.vault, olt.id)?;
    olts::seal(&mut decision.tx, olt.id, sealed).await?;
    record(&mut decision, by, "olt.crear", format!("olt/{}", olt.id), None, Some(shown(&olt)));
    emit(&mut decision, "olt:creada", format!("olt/{}", olt.id), json!({ "olt_id": olt.id.0 }));
    decision.wake(sweep::TICK);
    decision.commit().await?;
    Ok(Changed::Done(olt))
}

/// Changes an OLT into what `typed` makes of it and its sealed credential. Switched off, its runs
/// end and no packet leaves for it; switched on, its nodes begin a new grid an interval from now.
pub async fn update(
    context: &Context,
    by: &By,
    id: OltId,
    expected: Option<i64>,
    typed: impl Fn(&Olt, &[u8]) -> Result<(Olt, Option<Secrets>), Failure>,
    now: Timestamp,
) -> Result<Changed<Olt>, Failure> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(standing) = olts::find(tx, id).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != standing.row_version) {
        return Ok(Changed::Stale { current: standing.row_version });
    }
    let (wanted, secrets) = typed(&standing, &olts::sealed(tx, id).await?)?;
    let wanted = Olt { id, row_version: standing.row_version, ..wanted };
    let named = olts::by_name(tx, &wanted.name).await?;
    if named.is_some_and(|other| other.id != wanted.id) {
        return Ok(Changed::Duplicate);
    }
    olts::update(tx, &wanted).await?;
    if let Some(secrets) = secrets {
        let sealed = secrets.seal(&context.options.vault, wanted.id)?;
        olts::seal(tx, wanted.id, sealed).await?;
    }
    let was = standing.enabled && standing.workflow_active;
    let is = wanted.enabled && wanted.workflow_active;
    let mut ended = Vec::new();
    if was != is {
        let mine = nodes::of_olt(tx, wanted.id).await?;
        if is {
            planning::revive(&mut decision, &mine).await?;
        } else {
            let policy = policy::load(context, tx).await?;
            ended = planning::halt(&mut decision, &policy, &mine, Ending::OltDisabled).await?;
        }
    }
    let (before, after) = (Some(shown(&standing)), Some(shown(&wanted)));
    record(&mut decision, by, "olt.cambiar", format!("olt/{}", wanted.id), before, after);
    let data = json!({ "olt_id": wanted.id.0, "habilitar_olt": wanted.enabled });
    emit(&mut decision, "olt:cambiada", format!("olt/{}", wanted.id), data);
    commit(context, decision, ended).await?;
    Ok(Changed::Done(Olt { row_version: wanted.row_version + 1, ..wanted }))
}

/// Deletes an OLT softly: its history stays, its name is free.
pub async fn delete(
    context: &Context,
    by: &By,
    id: OltId,
    expected: Option<i64>,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<Changed<()>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(olt) = olts::find(tx, id).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != olt.row_version) {
        return Ok(Changed::Stale { current: olt.row_version });
    }
    let mine = nodes::of_olt(tx, id).await?;
    let policy = policy::load(context, tx).await?;
    olts::delete(tx, &olt, &by.name, reason, now).await?;
    let ended = planning::halt(&mut decision, &policy, &mine, Ending::OltDisabled).await?;
    let (before, reason) = (Some(shown(&olt)), reason.map(str::to_owned));
    decision.audit(Entry { before, reason, ..by.did("olt.borrar", format!("olt/{id}")) });
    emit(&mut decision, "olt:borrada", format!("olt/{id}"), json!({ "olt_id": id.0 }));
    commit(context, decision, ended).await?;
    Ok(Changed::Done(()))
}

/// How many OLTs a sheet brought.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = OltImportacion)]
pub struct Imported {
    creadas: usize,
    cambiadas: usize,
}

/// Takes the rows of a sheet, all of them or none: a known name changes that OLT, a new one is made.
/// `typed` reads a row over what stands.
pub async fn import<Row>(
    context: &Context,
    by: &By,
    rows: impl IntoIterator<Item = (String, Row)>,
    typed: impl Fn(Option<&Olt>, Row) -> Result<(Olt, Option<Secrets>), Failure>,
    now: Timestamp,
) -> Result<Imported, Failure> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let mut imported = Imported::default();
    for (name, row) in rows {
        let tx = &mut decision.tx;
        let standing = olts::by_name(tx, &name).await?;
        let (mut olt, secrets) = typed(standing.as_ref(), row)?;
        if let Some(before) = standing {
            (olt.id, olt.row_version) = (before.id, before.row_version);
            // Switching on and off has consequences of its own: not by a sheet.
            olt.enabled = before.enabled;
            olts::update(tx, &olt).await?;
            imported.cambiadas += 1;
        } else {
            olt.id = olts::insert(tx, &olt, now).await?;
            imported.creadas += 1;
        }
        if let Some(secrets) = secrets {
            let sealed = secrets.seal(&context.options.vault, olt.id)?;
            olts::seal(tx, olt.id, sealed).await?;
        }
    }
    record(&mut decision, by, "olt.importar", "olts".to_owned(), None, Some(json!(imported)));
    emit(&mut decision, "olt:importadas", "olts".to_owned(), json!(imported));
    decision.wake(sweep::TICK);
    commit(context, decision, Vec::new()).await?;
    Ok(imported)
}

/// What became of a person's word that a walk that lost many was right.
#[derive(Debug)]
pub enum Accepted {
    Done,
    NotFound,
    NoneHeld,
}

/// The OLT is walked once more, and that walk is believed.
pub async fn accept_walk(
    context: &Context,
    by: &By,
    id: OltId,
    now: Timestamp,
) -> Result<Accepted, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    if olts::find(tx, id).await?.is_none() {
        return Ok(Accepted::NotFound);
    }
    let Some(held) = olts::health(tx, id).await?.held_run else { return Ok(Accepted::NoneHeld) };
    olts::accept_loss(tx, id).await?;
    let mine = nodes::of_olt(tx, id).await?;
    let before = Some(json!({ "ejecucion_id": held.0 }));
    record(&mut decision, by, "olt.aceptar_recorrido", format!("olt/{id}"), before, None);
    if let Some(node) = mine.iter().find(|node| node.job == JobType::Discovery) {
        // It may run already; then that walk is the one that is believed.
        planning::ask(&mut decision, by, node.id).await?;
    }
    commit(context, decision, Vec::new()).await?;
    Ok(Accepted::Done)
}

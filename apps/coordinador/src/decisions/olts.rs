//! OLTs: entered, changed, switched, deleted.

use db::Error;
use engine::Word as _;
use host::Context;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{By, emit, nodes as planning};
use crate::{
    credential::Secrets,
    fleet::{Fleet, stir},
    model::{Ending, Olt, OltId},
    store::{self, nodes, olts, policy},
};

/// How a change of something that is kept ended.
#[derive(Debug)]
pub enum Changed<T> {
    Done(T),
    NotFound,
    /// Somebody changed it after the caller looked.
    Stale {
        current: i64,
    },
    /// The name is taken.
    Duplicate,
    /// An OLT has a node with that key that comes from elsewhere.
    KeyTaken {
        olt: String,
        key: String,
    },
}

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
    let mut entry = by.did("olt.crear", format!("olt/{}", olt.id));
    entry.after = Some(shown(&olt));
    decision.audit(entry);
    emit(&mut decision, "olt:creada", format!("olt/{}", olt.id), json!({ "olt_id": olt.id.0 }));
    decision.commit().await?;
    Ok(Changed::Done(olt))
}

/// Changes an OLT. Switched off, its runs end and no packet leaves for it; switched on, its nodes
/// begin a new grid an interval from now.
pub async fn update(
    context: &Context,
    by: &By,
    wanted: &Olt,
    secrets: Option<&Secrets>,
    expected: Option<i64>,
    now: Timestamp,
) -> Result<Changed<Olt>, Error> {
    let mut decision = context.store.decide(&store::scope(), now).await?;
    let tx = &mut decision.tx;
    let Some(standing) = olts::find(tx, wanted.id).await? else { return Ok(Changed::NotFound) };
    if expected.is_some_and(|expected| expected != standing.row_version) {
        return Ok(Changed::Stale { current: standing.row_version });
    }
    let named = olts::by_name(tx, &wanted.name).await?;
    if named.is_some_and(|other| other.id != wanted.id) {
        return Ok(Changed::Duplicate);
    }
    let wanted = Olt { row_version: standing.row_version, ..wanted.clone() };
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
            let policy = policy::load(&context.settings, &context.zone, tx).await?;
            ended = planning::halt(&mut decision, &policy, &mine, Ending::OltDisabled).await?;
        }
    }
    let mut entry = by.did("olt.cambiar", format!("olt/{}", wanted.id));
    entry.before = Some(shown(&standing));
    entry.after = Some(shown(&wanted));
    decision.audit(entry);
    let data = json!({ "olt_id": wanted.id.0, "habilitar_olt": wanted.enabled });
    emit(&mut decision, "olt:cambiada", format!("olt/{}", wanted.id), data);
    decision.commit().await?;
    context.shared::<Fleet>().stop(ended);
    stir(context);
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
    let policy = policy::load(&context.settings, &context.zone, tx).await?;
    olts::delete(tx, &olt, &by.name, reason, now).await?;
    let ended = planning::halt(&mut decision, &policy, &mine, Ending::OltDisabled).await?;
    let mut entry = by.did("olt.borrar", format!("olt/{id}"));
    entry.before = Some(shown(&olt));
    entry.reason = reason.map(str::to_owned);
    decision.audit(entry);
    emit(&mut decision, "olt:borrada", format!("olt/{id}"), json!({ "olt_id": id.0 }));
    decision.commit().await?;
    context.shared::<Fleet>().stop(ended);
    stir(context);
    Ok(Changed::Done(()))
}

//! OLTs: entered, changed, switched, deleted.

use db::{Decision, Error, Tx};
use engine::{Word as _, sheet::Row};
use host::{Failure, check::Check, conflict, edit::Editable, merged, of_json, unknown};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use utoipa::ToSchema;
use web::Problem;

use super::{commit, emit, nodes as planning, record, sweep, wake};
use crate::{
    Context, Desk,
    drivers::credential::Secrets,
    model::{Ending, JobType, Olt, OltId},
    policy::Role,
    store::{self, nodes, olts},
    wire::{OltRequest, OltView, lets_in},
};

/// How OLTs are edited.
#[derive(Debug)]
pub struct Olts;

impl Editable for Olts {
    type Item = Olt;
    type Role = Role;
    type Context = Context;
    type Request = OltRequest;
    type View = OltView;
    const NOUN: &'static str = "olt";
    const CHANGED: &'static str = "cambiar";

    fn id(olt: &Olt) -> i64 {
        olt.id.0
    }

    fn version(olt: &Olt) -> Option<i64> {
        Some(olt.row_version)
    }

    fn missing(desk: &Desk) -> Problem {
        unknown(desk.lang, "OLT_INEXISTENTE", "No existe esa OLT.", "There is no such OLT.")
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Olt>, Error> {
        olts::find(tx, OltId(id)).await
    }

    async fn view(olt: &Olt, _: &Desk, tx: &mut Tx) -> Result<OltView, Error> {
        Ok(OltView::new(olt, &olts::health(tx, olt.id).await?))
    }

    fn recorded(olt: &Olt, _: &OltView) -> Result<Json, Error> {
        Ok(json!({
            "abreviatura": olt.name, "marca": olt.brand, "modelo": olt.model,
            "ip_address": olt.address, "puerto": olt.port, "version": olt.version.word(),
            "habilitar_olt": olt.enabled, "workflow_activo": olt.workflow_active,
        }))
    }

    async fn standing(olt: &Olt, _: &mut Tx, _: &Map<String, Json>) -> Result<OltRequest, Error> {
        Ok(OltRequest::standing(olt))
    }

    /// Switched off, its runs end and no packet leaves for it; switched on, its nodes begin a new
    /// grid an interval from now.
    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Olt>,
        request: &OltRequest,
    ) -> Result<Olt, Failure> {
        let (olt, secrets) = typed(desk, &mut decision.tx, before, request).await?;
        let named = olts::by_name(&mut decision.tx, &olt.name).await?;
        if named.is_some_and(|other| Some(other.id) != before.map(|before| before.id)) {
            let es = "Ya hay una OLT con esa abreviatura.";
            let en = "There is an OLT with that name.";
            return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
        }
        check_device(desk, &mut decision.tx, before, &olt, secrets.as_ref()).await?;
        let olt = write(desk, decision, before, olt, secrets).await?;
        let Some(before) = before else {
            emit(decision, "olt:creada", format!("olt/{}", olt.id), json!({ "olt_id": olt.id.0 }));
            decision.wake(sweep::TICK);
            return Ok(olt);
        };
        if before.works() != olt.works() {
            let mine = nodes::of_olt(&mut decision.tx, olt.id).await?;
            if olt.works() {
                planning::revive(decision, &mine).await?;
            } else {
                planning::halt(&desk.context, decision, &mine, Ending::OltDisabled).await?;
            }
        }
        let data = json!({ "olt_id": olt.id.0, "habilitar_olt": olt.enabled });
        emit(decision, "olt:cambiada", format!("olt/{}", olt.id), data);
        wake(decision);
        Ok(olt)
    }

    async fn remove(olt: &Olt, desk: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        Self::remove_because(olt, desk, decision, None).await
    }

    /// Deletes it softly: its history stays, its name is free.
    async fn remove_because(
        olt: &Olt,
        desk: &Desk,
        decision: &mut Decision,
        reason: Option<&str>,
    ) -> Result<(), Failure> {
        let mine = nodes::of_olt(&mut decision.tx, olt.id).await?;
        olts::delete(&mut decision.tx, olt, &desk.actor.name, reason, desk.now).await?;
        planning::halt(&desk.context, decision, &mine, Ending::OltDisabled).await?;
        emit(decision, "olt:borrada", format!("olt/{}", olt.id), json!({ "olt_id": olt.id.0 }));
        wake(decision);
        Ok(())
    }
}

/// One device is one OLT.
async fn check_device(
    desk: &Desk,
    tx: &mut Tx,
    before: Option<&Olt>,
    olt: &Olt,
    secrets: Option<&Secrets>,
) -> Result<(), Failure> {
    let Some(other) = same_device(desk, tx, before, olt, secrets).await? else { return Ok(()) };
    let es = format!("Ese equipo ya es la OLT {other}.");
    let en = format!("That device is OLT {other} already.");
    Err(conflict(desk.lang, "EQUIPO_REPETIDO", &es, &en).into())
}

/// The OLT that this device is already: it would be asked twice as often as it bears.
async fn same_device(
    desk: &Desk,
    tx: &mut Tx,
    before: Option<&Olt>,
    olt: &Olt,
    secrets: Option<&Secrets>,
) -> Result<Option<String>, Error> {
    let moved = before.is_none_or(|before| {
        (&before.address, before.port) != (&olt.address, olt.port) || secrets.is_some()
    });
    if !moved {
        return Ok(None);
    }
    let vault = &desk.context.options.vault;
    let kept = match (secrets, before) {
        (Some(secrets), _) => Some(secrets.clone()),
        (None, Some(before)) => {
            Secrets::open(vault, before.id, &olts::sealed(tx, before.id).await?)
        }
        (None, None) => None,
    };
    let Some(own) = kept else { return Ok(None) };
    for other in olts::at(tx, &olt.address, olt.port).await? {
        if before.is_some_and(|before| before.id == other.id) {
            continue;
        }
        let sealed = olts::sealed(tx, other.id).await?;
        let theirs = Secrets::open(vault, other.id, &sealed);
        if theirs.is_some_and(|theirs| own.same_place(olt.version, &theirs, other.version)) {
            return Ok(Some(other.name));
        }
    }
    Ok(None)
}

/// What is asked for, if a device of that kind can be entered with what is known of it.
async fn typed(
    desk: &Desk,
    tx: &mut Tx,
    before: Option<&Olt>,
    request: &OltRequest,
) -> Result<(Olt, Option<Secrets>), Failure> {
    let mut check = Check::new(desk.lang);
    let (olt, secrets) = request.typed(&mut check);
    match before {
        None if secrets.is_none() => check.wrong("comunidad", "falta", "is missing"),
        // Whoever points us elsewhere must not be told there what was meant for another.
        Some(before)
            if secrets.is_none() && (&olt.address, olt.port) != (&before.address, before.port) =>
        {
            let (es, en) = ("falta: la dirección cambió", "is missing: the address changed");
            check.wrong("comunidad", es, en);
        }
        Some(before) if secrets.is_none() && olt.version != before.version => {
            let sealed = olts::sealed(tx, before.id).await?;
            let kept = Secrets::open(&desk.context.options.vault, before.id, &sealed);
            lets_in(&mut check, olt.version, &kept.unwrap_or_default());
        }
        _ => {}
    }
    check.finish()?;
    Ok((olt, secrets))
}

/// A new one, or what the operator may change of the one before.
async fn write(
    desk: &Desk,
    decision: &mut Decision,
    before: Option<&Olt>,
    mut olt: Olt,
    secrets: Option<Secrets>,
) -> Result<Olt, Error> {
    let tx = &mut decision.tx;
    if let Some(before) = before {
        (olt.id, olt.row_version, olt.backoff) = (before.id, before.row_version, before.backoff);
        olts::update(tx, &olt).await?;
        olt.row_version += 1;
    } else {
        olt.id = olts::insert(tx, &olt, decision.now).await?;
    }
    if let Some(secrets) = secrets {
        let sealed = secrets.seal(&desk.context.options.vault, olt.id)?;
        olts::seal(tx, olt.id, sealed).await?;
    }
    Ok(olt)
}

/// How many OLTs a sheet brought.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = OltImportacion)]
pub struct Imported {
    creadas: usize,
    cambiadas: usize,
}

/// Takes the rows of a sheet, all of them or none: a known name changes that OLT, a new one is made.
/// An empty cell of a known OLT leaves what stands.
pub async fn import(desk: &Desk, rows: Vec<Row>) -> Result<Imported, Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let mut imported = Imported::default();
    for row in rows {
        let tx = &mut decision.tx;
        let line = row.line;
        let name = row.fields.get("abreviatura").and_then(Json::as_str).unwrap_or_default();
        let before = olts::by_name(tx, name).await?;
        let mut fields = row.fields;
        fields.retain(|_, value| !value.is_null());
        let asked = match &before {
            Some(before) => merged(&OltRequest::standing(before), fields, desk.lang),
            None => of_json(fields.into(), desk.lang),
        };
        let typed = match asked {
            Ok(request) => typed(desk, tx, before.as_ref(), &request).await,
            Err(failure) => Err(failure),
        };
        let (mut olt, secrets) = typed.map_err(|failure| {
            let told = web::sheet::at_line(line, failure.problem(), desk.lang);
            told.map_or(failure, Failure::from)
        })?;
        if let Some(before) = &before {
            // Switching on and off has consequences of its own: not by a sheet.
            olt.enabled = before.enabled;
            imported.cambiadas += 1;
        } else {
            imported.creadas += 1;
        }
        let tx = &mut decision.tx;
        check_device(desk, tx, before.as_ref(), &olt, secrets.as_ref()).await?;
        write(desk, &mut decision, before.as_ref(), olt, secrets).await?;
    }
    let by = desk.by();
    record(&mut decision, &by, "olt.importar", "olts".to_owned(), None, Some(json!(imported)));
    emit(&mut decision, "olt:importadas", "olts".to_owned(), json!(imported));
    decision.wake(sweep::TICK);
    commit(decision).await?;
    Ok(imported)
}

/// A person says that a walk that lost many was right: the OLT is walked once more, and believed.
pub async fn accept_walk(desk: &Desk, id: OltId) -> Result<(), Failure> {
    let mut decision = desk.context.store.decide(&store::scope(), desk.now).await?;
    let tx = &mut decision.tx;
    if olts::find(tx, id).await?.is_none() {
        return Err(Olts::missing(desk).into());
    }
    let Some(held) = olts::health(tx, id).await?.held_run else {
        let (es, en) = ("No hay ningún recorrido retenido.", "No walk is held.");
        return Err(conflict(desk.lang, "SIN_RECORRIDO_RETENIDO", es, en).into());
    };
    olts::accept_loss(tx, id).await?;
    let mine = nodes::of_olt(tx, id).await?;
    let before = Some(json!({ "ejecucion_id": held.0 }));
    let by = desk.by();
    record(&mut decision, &by, "olt.aceptar_recorrido", format!("olt/{id}"), before, None);
    if let Some(node) = mine.iter().find(|node| node.job == JobType::Discovery) {
        // It may run already; then that walk is the one that is believed.
        let _ = planning::ask(desk, &mut decision, node.id).await?;
    }
    Ok(commit(decision).await?)
}

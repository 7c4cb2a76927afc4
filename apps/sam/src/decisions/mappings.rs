//! Mappings, what others call our robots, are created, changed and removed.

use db::{Decision, Error, Scope, Tx};
use host::{Failure, conflict, edit::Editable, unknown};
use serde_json::{Map, Value as Json};
use web::Problem;

use super::robots::Robots;
use crate::{
    Context, Desk,
    policy::Role,
    store::{self, mappings, mappings::Mapping, robots},
    wire::{MappingRequest, MappingView},
};

/// How mappings are edited.
#[derive(Debug)]
pub struct Mappings;

impl Editable for Mappings {
    type Item = Mapping;
    type Role = Role;
    type Context = Context;
    type Request = MappingRequest;
    type View = MappingView;
    const NOUN: &'static str = "mapeo";

    fn scope() -> Scope {
        store::scope()
    }

    fn id(mapping: &Mapping) -> i64 {
        mapping.id
    }

    fn version(_: &Mapping) -> Option<i64> {
        None
    }

    fn missing(desk: &Desk) -> Problem {
        unknown(desk.lang, "MAPEO_INEXISTENTE", "No existe ese mapeo.", "There is no such mapping.")
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<Mapping>, Error> {
        mappings::find(tx, id).await
    }

    async fn view(mapping: &Mapping, _: &Desk, _: &mut Tx) -> Result<MappingView, Error> {
        Ok(MappingView::new(mapping))
    }

    async fn standing(
        mapping: &Mapping,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<MappingRequest, Error> {
        Ok(MappingRequest::new(mapping))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&Mapping>,
        request: &MappingRequest,
    ) -> Result<Mapping, Failure> {
        let mut mapping = request.typed(desk.lang, desk.now)?;
        if let Some(before) = before {
            (mapping.id, mapping.created_at) = (before.id, before.created_at);
        }
        if let Some(problem) = refused(desk, &mut decision.tx, &mapping).await? {
            return Err(problem.into());
        }
        if before.is_some() {
            mappings::update(&mut decision.tx, &mapping).await?;
        } else {
            mapping.id = mappings::insert(&mut decision.tx, &mapping).await?;
        }
        Ok(mapping)
    }

    async fn remove(mapping: &Mapping, _: &Desk, decision: &mut Decision) -> Result<(), Failure> {
        Ok(mappings::remove(&mut decision.tx, mapping.id).await?)
    }
}

/// Why a mapping cannot be so.
async fn refused(desk: &Desk, tx: &mut Tx, mapping: &Mapping) -> Result<Option<Problem>, Error> {
    if robots::find(tx, mapping.robot).await?.is_none() {
        return Ok(Some(Robots::missing(desk)));
    }
    let other = mappings::of(tx, &mapping.provider, &mapping.external_name).await?;
    if other.is_some_and(|other| other.id != mapping.id) {
        let (es, en) = (
            "Ese nombre del proveedor ya está asignado a un robot.",
            "That name of the provider is mapped to a robot already.",
        );
        return Ok(Some(conflict(desk.lang, "MAPEO_REPETIDO", es, en)));
    }
    Ok(None)
}

//! The house's own OIDs: entered, changed, removed.

use db::{Decision, Error, Tx};
use host::{Failure, conflict, edit::Editable, unknown};
use serde_json::{Map, Value as Json};
use web::Problem;

use crate::{
    Context, Desk,
    model::{CatalogueEntry, Column, JobType, Node, Space},
    policy::Role,
    rules,
    store::{catalogue, olts},
    wire::{OidRequest, OidView},
};

/// The house's OIDs before the shipped ones.
pub async fn entries(tx: &mut Tx) -> Result<Vec<CatalogueEntry>, Error> {
    let mut entries = catalogue::all(tx).await?;
    entries.extend(rules::catalogue::shipped());
    Ok(entries)
}

/// The same as people are shown them.
pub async fn views(tx: &mut Tx) -> Result<Vec<OidView>, Error> {
    Ok(entries(tx).await?.iter().map(OidView::new).collect())
}

/// The entry that a node's OID is, on a device of this brand.
pub fn entry<'a>(
    entries: &'a [CatalogueEntry],
    node: &Node,
    brand: &str,
) -> Option<&'a CatalogueEntry> {
    node.oid.as_ref().and_then(|oid| rules::catalogue::named(entries, oid, brand))
}

/// What a get fills in: the node says it, or the catalogue by the OID.
pub fn column(node: &Node, entry: Option<&CatalogueEntry>) -> Option<Column> {
    node.column.or_else(|| entry.map(|entry| entry.space).and_then(Space::column))
}

/// Nodes as people are shown them: with the column that the catalogue gives to their OID.
pub async fn filled(tx: &mut Tx, mut nodes: Vec<Node>) -> Result<Vec<Node>, Error> {
    let vague = |node: &Node| node.job == JobType::Get && node.column.is_none();
    if !nodes.iter().any(vague) {
        return Ok(nodes);
    }
    let entries = entries(tx).await?;
    let ids = nodes.iter().filter(|node| vague(node)).map(|node| node.olt).collect();
    let olts = olts::of(tx, ids).await?;
    for node in nodes.iter_mut().filter(|node| vague(node)) {
        let olt = olts.iter().find(|olt| olt.id == node.olt);
        node.column = olt.and_then(|olt| column(node, entry(&entries, node, &olt.brand)));
    }
    Ok(nodes)
}

/// How OIDs are edited.
#[derive(Debug)]
pub struct Oids;

impl Editable for Oids {
    type Item = CatalogueEntry;
    type Role = Role;
    type Context = Context;
    type Request = OidRequest;
    type View = OidView;
    const NOUN: &'static str = "oid";
    const CHANGED: &'static str = "cambiar";

    fn id(entry: &CatalogueEntry) -> i64 {
        entry.id.0
    }

    fn version(_: &CatalogueEntry) -> Option<i64> {
        None
    }

    fn missing(desk: &Desk) -> Problem {
        let es = "No existe ese OID en el catálogo de la casa.";
        unknown(desk.lang, "OID_INEXISTENTE", es, "The house's catalogue has no such OID.")
    }

    async fn find(tx: &mut Tx, id: i64) -> Result<Option<CatalogueEntry>, Error> {
        Ok(catalogue::all(tx).await?.into_iter().find(|entry| entry.id.0 == id))
    }

    async fn view(entry: &CatalogueEntry, _: &Desk, _: &mut Tx) -> Result<OidView, Error> {
        Ok(OidView::new(entry))
    }

    async fn standing(
        entry: &CatalogueEntry,
        _: &mut Tx,
        _: &Map<String, Json>,
    ) -> Result<OidRequest, Error> {
        Ok(OidRequest::from(entry))
    }

    async fn save(
        desk: &Desk,
        decision: &mut Decision,
        before: Option<&CatalogueEntry>,
        request: &OidRequest,
    ) -> Result<CatalogueEntry, Failure> {
        let mut entry = request.typed(desk.lang)?;
        let own = before.map(|before| before.id);
        let all = catalogue::all(&mut decision.tx).await?;
        if all.iter().any(|other| other.name == entry.name && Some(other.id) != own) {
            let (es, en) = ("Ya hay un OID con ese nombre.", "There is an OID with that name.");
            return Err(conflict(desk.lang, "NOMBRE_REPETIDO", es, en).into());
        }
        if let Some(id) = own {
            entry.id = id;
            catalogue::update(&mut decision.tx, &entry).await?;
        } else {
            entry.id = catalogue::insert(&mut decision.tx, &entry).await?;
        }
        Ok(entry)
    }

    async fn remove(
        entry: &CatalogueEntry,
        _: &Desk,
        decision: &mut Decision,
    ) -> Result<(), Failure> {
        Ok(catalogue::remove(&mut decision.tx, entry.id).await?)
    }
}

//! The screens. Structs here carry what a page shows; the routes fill them.

mod brought;
pub(crate) mod glance;
pub(crate) mod history;
pub(crate) mod lexicon;
pub(crate) mod limits;
pub(crate) mod nodes;
pub(crate) mod olts;
pub(crate) mod overview;
pub(crate) mod plan;
pub(crate) mod runs;
pub(crate) mod templates;
pub(crate) mod words;

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    marker::PhantomData,
    sync::LazyLock,
};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor},
};
use web::Bundle;
use web::rust_embed::RustEmbed;

use crate::model::{Node, NodeId, Olt, OltId};

#[derive(RustEmbed)]
#[crate_path = "web::rust_embed"]
#[folder = "assets"]
struct Files;

/// Scripts and styles of these screens, served at `/assets/coordinador/…`.
pub(crate) static ASSETS: LazyLock<Bundle> = LazyLock::new(|| Bundle::of::<Files>("coordinador"));

/// The address of one of our files, for templates.
pub(crate) fn asset(file: &str) -> String {
    ASSETS.url(file)
}

/// What everything is called. Something that is gone is called by its number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub(crate) olts: BTreeMap<i64, String>,
    /// With the OLT it is on.
    nodes: HashMap<i64, (String, OltId)>,
}

impl Names {
    pub(crate) fn of(olts: &[Olt], nodes: &[Node]) -> Self {
        Self {
            olts: olts.iter().map(|olt| (olt.id.0, olt.name.clone())).collect(),
            nodes: nodes.iter().map(|node| (node.id.0, (node.name.clone(), node.olt))).collect(),
        }
    }

    pub(crate) fn olt(&self, id: OltId) -> String {
        self.olts.get(&id.0).cloned().unwrap_or_else(|| format!("#{id}"))
    }

    /// By the OLT it is on: every OLT of a template has nodes of the same names.
    pub(crate) fn node(&self, id: NodeId) -> String {
        match self.nodes.get(&id.0) {
            Some((name, olt)) => format!("{} · {name}", self.olt(*olt)),
            None => format!("#{id}"),
        }
    }

    /// Its own name alone, where the OLT is known.
    pub(crate) fn bare(&self, id: NodeId) -> String {
        self.nodes.get(&id.0).map_or_else(|| format!("#{id}"), |(name, _)| name.clone())
    }
}

/// The filter of a list as the address has it; what is empty narrows nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Narrowed(BTreeMap<String, String>);

/// The names that a page reads: any other is a stranger.
pub(crate) trait Reads {
    const NAMES: &'static [&'static str];
}

/// The filter of a page that reads these names.
#[derive(Debug)]
pub(crate) struct Asked<R>(pub(crate) Narrowed, pub(crate) PhantomData<R>);

impl<'de, R: Reads> Deserialize<'de> for Asked<R> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let narrowed = source.deserialize_struct("Narrowed", R::NAMES, Pairs)?;
        Ok(Self(narrowed, PhantomData))
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Narrowed;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Narrowed, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((name, value)) = pairs.next_entry()? {
            all.insert(name, value);
        }
        Ok(Narrowed(all))
    }
}

impl Narrowed {
    pub(crate) fn of(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// What is no number narrows nothing.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.of(name).parse().ok()
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.of(name) {
            "si" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    /// What is searched for.
    pub(crate) fn part(&self) -> Option<String> {
        Some(self.of("q").to_owned()).filter(|part| !part.is_empty())
    }

    pub(crate) fn is_empty(&self) -> bool {
        let aside = |name: &str| matches!(name, "cursor" | "orden");
        self.0.iter().all(|(name, value)| aside(name) || value.is_empty())
    }

    /// Where the list goes on.
    pub(crate) fn after(&self, path: &str, cursor: &str) -> String {
        let parts = self.0.iter().filter(|(name, value)| *name != "cursor" && !value.is_empty());
        let parts = parts.map(|(name, value)| (name.as_str(), value.as_str()));
        let parts = parts.chain([("cursor", cursor)]).filter_map(|(name, value)| {
            let value = askama::filters::urlencode_strict(value).ok()?;
            Some(format!("{name}={value}"))
        });
        format!("{path}?{}", parts.collect::<Vec<_>>().join("&"))
    }
}

/// Something as the forms of a page read it.
pub(crate) fn record(view: impl Serialize) -> String {
    serde_json::to_string(&view).unwrap_or_default()
}

/// Whether a choice is the one that the address names.
pub(crate) fn same(value: impl std::fmt::Display, chosen: impl AsRef<str>) -> bool {
    value.to_string() == chosen.as_ref()
}

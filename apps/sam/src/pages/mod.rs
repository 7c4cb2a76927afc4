//! The screens. Structs here carry what a page shows; the routes fill them.

pub mod analysis;
pub mod balance;
pub mod gantt;
pub(crate) mod glance;
pub(crate) mod lexicon;
pub mod overview;
pub mod pools;
pub mod robots;
pub mod runners;
pub mod runs;
pub mod schedules;
pub mod settings;
pub mod shown;
pub mod supply;
pub mod week;
pub mod words;

use std::{collections::BTreeMap, sync::LazyLock};

use web::Bundle;
use web::rust_embed::RustEmbed;

pub use analysis::AnalysisPage;
pub use balance::{BalancePage, SimulatePage};
pub use overview::OverviewPage;
pub use pools::PoolsPage;
pub use robots::{RobotPage, RobotsPage};
pub use runners::{RunnerPage, RunnersPage};
pub use runs::{RunPage, RunsPage};
pub use schedules::{
    HolidaysPage, MissedPage, OverlapsPage, PreviewPart, SchedulePage, SchedulesPage, WeekPage,
};
pub use settings::{AuditPage, ConfigurationPage, MappingsPage};
pub use supply::Supply;

use crate::{
    model::{Pool, PoolId, RobotId, RunnerId},
    rules::world::World,
};

#[derive(RustEmbed)]
#[crate_path = "web::rust_embed"]
#[folder = "assets"]
struct Files;

/// Scripts and styles of these screens, served at `/assets/sam/…`.
pub static ASSETS: LazyLock<Bundle> = LazyLock::new(|| Bundle::of::<Files>("sam"));

/// The address of one of our files, for templates.
pub(crate) fn asset(file: &str) -> String {
    ASSETS.url(file)
}

/// What everything is called. Something that is gone is called by its number.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub robots: BTreeMap<i64, String>,
    pub runners: BTreeMap<i64, String>,
    pub pools: BTreeMap<i64, String>,
}

impl Names {
    pub fn of(world: &World, pools: &[Pool]) -> Self {
        Self {
            robots: world.robots.values().map(|one| (one.id.0, one.name.clone())).collect(),
            runners: world.runners.values().map(|one| (one.id.0, one.name.clone())).collect(),
            pools: pools.iter().map(|one| (one.id.0, one.name.clone())).collect(),
        }
    }

    pub fn robot(&self, id: RobotId) -> String {
        self.robots.get(&id.0).cloned().unwrap_or_else(|| format!("#{id}"))
    }

    pub fn runner(&self, id: RunnerId) -> String {
        self.runners.get(&id.0).cloned().unwrap_or_else(|| format!("#{id}"))
    }

    /// The runner that a reason is about.
    pub(crate) fn of_reason(&self, data: &serde_json::Value) -> Option<String> {
        data["equipo_id"].as_i64().map(|id| self.runner(RunnerId(id)))
    }

    pub fn pool(&self, id: Option<PoolId>) -> String {
        let Some(id) = id else { return "–".to_owned() };
        self.pools.get(&id.0).cloned().unwrap_or_else(|| format!("#{id}"))
    }
}

/// Whether the page is the one of this address, whatever its filters.
pub(crate) fn is_here(page: &web::Page, href: &str) -> bool {
    page.path.split('?').next() == href.split('?').next()
}

/// A filter that is yes, no, or anything.
pub(crate) fn passes(wanted: &str, is: bool) -> bool {
    match wanted {
        "si" => is,
        "no" => !is,
        _ => true,
    }
}

/// Whether `text` has every word that is looked for, whatever the case.
pub(crate) fn found(wanted: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    wanted.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// An address with the parts of a filter that say something.
pub(crate) fn address(path: &str, parts: &[(&str, &str)]) -> String {
    let said = parts.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> = said
        .filter_map(|(name, value)| {
            let value = askama::filters::urlencode_strict(value).ok()?;
            Some(format!("{name}={value}"))
        })
        .collect();
    if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&")) }
}

/// Whether a choice is the one that the address names.
pub(crate) fn same(value: impl std::fmt::Display, chosen: impl AsRef<str>) -> bool {
    value.to_string() == chosen.as_ref()
}

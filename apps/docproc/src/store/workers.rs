//! Which processes live, and which of them take messages.

use db::{Error, Tx, processes};
use host::Resources;
use jiff::Timestamp;
use serde_json::Value as Json;

/// A process of the pipeline.
#[derive(Clone, Debug)]
pub struct WorkerProcess {
    pub name: String,
    /// The component it was started as; `all` where it is everything.
    pub part: String,
    /// Absent: all of them.
    pub components: Option<Vec<String>>,
    pub threads: i64,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
    /// As of its last heartbeat.
    pub used: Resources,
}

impl WorkerProcess {
    pub fn takes(&self, component: &str) -> bool {
        self.components.as_ref().is_none_or(|all| all.iter().any(|one| one == component))
    }
}

/// Those that take messages.
pub async fn all(tx: &mut Tx) -> Result<Vec<WorkerProcess>, Error> {
    let works = |one: &WorkerProcess| one.components.as_ref().is_none_or(|all| !all.is_empty());
    Ok(everyone(tx).await?.into_iter().filter(works).collect())
}

/// Joins and doors too, which take none.
pub async fn everyone(tx: &mut Tx) -> Result<Vec<WorkerProcess>, Error> {
    let worker = |process: processes::Process| {
        let role = process.roles.get(crate::NAME)?;
        let list = |list: &Vec<Json>| {
            list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        Some(WorkerProcess {
            components: role["components"].as_array().map(list),
            part: role["name"].as_str().unwrap_or_default().to_owned(),
            threads: role["threads"].as_i64().unwrap_or(1),
            used: host::used(&process),
            name: process.name,
            started_at: process.started_at,
            beat_at: process.beat_at,
        })
    };
    Ok(processes::all(tx).await?.into_iter().filter_map(worker).collect())
}

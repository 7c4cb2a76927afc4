//! Which processes take messages, of those that live.

use db::{Error, Tx, processes};
use jiff::Timestamp;
use serde_json::Value as Json;

/// A process that takes messages.
#[derive(Clone, Debug)]
pub struct WorkerProcess {
    pub name: String,
    /// Absent: all of them.
    pub components: Option<Vec<String>>,
    pub threads: i64,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
}

impl WorkerProcess {
    pub fn takes(&self, component: &str) -> bool {
        self.components.as_ref().is_none_or(|all| all.iter().any(|one| one == component))
    }
}

pub async fn all(tx: &mut Tx) -> Result<Vec<WorkerProcess>, Error> {
    let worker = |process: processes::Process| {
        let role = process.roles.get(crate::NAME)?;
        let list = |list: &Vec<Json>| {
            list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let components = role["components"].as_array().map(list);
        // Joins and doors take no messages.
        components.as_ref().is_none_or(|all| !all.is_empty()).then(|| WorkerProcess {
            components,
            threads: role["threads"].as_i64().unwrap_or(1),
            name: process.name,
            started_at: process.started_at,
            beat_at: process.beat_at,
        })
    };
    Ok(processes::all(tx).await?.into_iter().filter_map(worker).collect())
}

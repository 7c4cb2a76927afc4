//! Which processes live: one row each, renewed in real time whatever the business clock says. This is
//! the one rule for how long silence lasts; whoever holds something by the name of a process (a claim,
//! a run, a lease) holds it as long as that process has its row.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use crate::{Error, Store, Tx};

/// How often a process renews its row.
pub const HEARTBEAT: Duration = Duration::from_secs(2);
/// After so long without a heartbeat a process is gone: three heartbeats missed.
pub const SILENCE: SignedDuration = SignedDuration::from_secs(6);

/// A process that takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Nobody else has it, ever: `host/pid/chance`.
    pub name: String,
    pub host: String,
    pub pid: i64,
    /// What it does, by application, in the application's words.
    pub roles: Json,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
}

impl Store {
    /// Renews the row of a process, or writes it for the first time.
    pub async fn heartbeat(&self, process: &Process) -> Result<(), Error> {
        let sql = "INSERT INTO processes (name, host, pid, roles, started_at, beat_at)
                   VALUES ($1, $2, $3, $4, $5, $6)
                   ON CONFLICT (name) DO UPDATE SET roles = excluded.roles, beat_at = excluded.beat_at";
        let args = [
            process.name.as_str().into(),
            process.host.as_str().into(),
            process.pid.into(),
            process.roles.clone().into(),
            process.started_at.into(),
            process.beat_at.into(),
        ];
        let mut tx = self.write_unlocked().await?;
        tx.execute(sql, &args).await?;
        tx.commit().await
    }

    /// Removes the rows of processes that are gone. Answers how many there were: of two processes
    /// that notice at once, one is told.
    pub async fn bury(&self, names: &[String]) -> Result<u64, Error> {
        let mut tx = self.write_unlocked().await?;
        let mut buried = 0;
        for name in names {
            let sql = "DELETE FROM processes WHERE name = $1";
            buried += tx.execute(sql, &[name.into()]).await?;
        }
        tx.commit().await?;
        Ok(buried)
    }
}

/// Every process that has a row, the longest serving first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Process>, Error> {
    let rows = tx.all("SELECT * FROM processes ORDER BY started_at, name LIMIT 500", &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Process {
                name: row.get("name")?,
                host: row.get("host")?,
                pid: row.get("pid")?,
                roles: row.get("roles")?,
                started_at: row.get("started_at")?,
                beat_at: row.get("beat_at")?,
            })
        })
        .collect()
}

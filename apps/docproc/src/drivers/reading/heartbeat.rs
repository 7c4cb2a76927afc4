//! Workers say that they live; one that falls silent gives its messages back. Real time, whatever
//! the business clock says: this is about processes.

use db::{Error, Tx};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use crate::{
    drivers::runtime::Runtime,
    store::{messages, queue_scope},
};

pub(super) const EVERY: std::time::Duration = std::time::Duration::from_secs(2);
const SILENT: SignedDuration = SignedDuration::from_secs(10);

/// A process that takes messages.
#[derive(Clone, Debug)]
pub struct Process {
    pub id: String,
    pub components: Json,
    pub threads: i64,
    pub started_at: Timestamp,
    pub beat_at: Timestamp,
}

/// A name nobody else has, that tells a person where to look.
pub(super) fn name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    let host = if host.is_empty() { "host" } else { host };
    let unique = uuid::Uuid::now_v7().simple().to_string();
    format!("{host}/{}/{}", std::process::id(), &unique[20..])
}

pub(super) async fn beat(context: &Context, runtime: &Runtime, worker: &str) -> Result<(), Error> {
    let now = Timestamp::now();
    let mut decision = context.store.decide(&queue_scope(), context.clock.now()).await?;
    let sql = "INSERT INTO workers (id, components, threads, started_at, beat_at)
               VALUES ($1, $2, $3, $4, $4)
               ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at";
    let components = json!(runtime.config.part.takes());
    let threads = runtime.config.threads as i64;
    let args = [worker.into(), components.into(), threads.into(), now.into()];
    decision.tx.execute(sql, &args).await?;
    decision.commit().await.map(drop)
}

/// Ends a worker in order: what it did not begin is free at once.
pub(super) async fn leave(context: &Context, worker: &str) -> Result<(), Error> {
    let mut decision = context.store.decide(&queue_scope(), context.clock.now()).await?;
    messages::give_back(&mut decision, &[worker.to_owned()]).await?;
    decision.commit().await.map(drop)
}

/// Takes back what silent or dead processes held. Answers how many messages are free again.
pub async fn give_back_silent(context: &Context, own: &str) -> Result<u64, Error> {
    let now = Timestamp::now();
    let gone = |worker: &Process| {
        worker.id != own
            && (now.duration_since(worker.beat_at) > SILENT || is_dead(&worker.id, own))
    };
    let listed = workers(&mut context.store.read().await?).await?;
    let silent: Vec<String> = listed.into_iter().filter(gone).map(|worker| worker.id).collect();
    if silent.is_empty() {
        return Ok(0);
    }
    let mut decision = context.store.decide(&queue_scope(), context.clock.now()).await?;
    let given = messages::give_back(&mut decision, &silent).await?;
    decision.commit().await?;
    tracing::warn!(workers = ?silent, messages = given, "silent workers gave their messages back");
    Ok(given)
}

/// A process of this machine that is not there any more need not be waited for.
fn is_dead(worker: &str, own: &str) -> bool {
    let parts = |name: &str| {
        let mut parts = name.split('/');
        Some((parts.next()?.to_owned(), parts.next()?.parse::<u32>().ok()?))
    };
    let (Some((host, pid)), Some((here, me))) = (parts(worker), parts(own)) else { return false };
    let alive = || std::path::Path::new(&format!("/proc/{pid}")).exists();
    let can_tell = std::path::Path::new("/proc/self").exists();
    host == here && pid != me && can_tell && !alive()
}

pub async fn workers(tx: &mut Tx) -> Result<Vec<Process>, Error> {
    let rows = tx.all("SELECT * FROM workers ORDER BY started_at LIMIT 500", &[]).await?;
    rows.iter()
        .map(|row| {
            Ok(Process {
                id: row.get("id")?,
                components: row.get("components")?,
                threads: row.get("threads")?,
                started_at: row.get("started_at")?,
                beat_at: row.get("beat_at")?,
            })
        })
        .collect()
}

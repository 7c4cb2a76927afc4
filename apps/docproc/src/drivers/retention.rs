//! Retention per workflow, and files that nobody owns: contents go when their time is over; what
//! happened stays on record.

use std::time::Duration;

use db::Error;
use host::Next;
use jiff::{SignedDuration, Timestamp};

use crate::{
    Context, decisions,
    rules::sweep,
    store::{requests, scope, sweep::Ended},
};

/// The tick that removes what is no longer kept.
pub const TICK: &str = "docproc.limpieza";
const EVERY: SignedDuration = SignedDuration::from_hours(1);

pub async fn tick(context: Context, now: Timestamp) -> Next {
    sweep(context, now).await?;
    Ok(Some(now + EVERY))
}

/// Requests cleared in one transaction.
const BATCH: usize = 100;

/// Removes files, words and results of requests that ended longer ago than their workflow keeps
/// them.
async fn clear(context: &Context, now: Timestamp) -> Result<(), Error> {
    for workflow in context.runtime.workflows.active().values() {
        let Some(days) = workflow.retention_days else { continue };
        let kept = SignedDuration::from_hours(i64::from(days) * 24);
        let before = now.saturating_sub(kept).unwrap_or(Timestamp::MIN);
        loop {
            let mut tx = context.store.read().await?;
            let ids = requests::outlived(&mut tx, &workflow.name, before, BATCH as i64).await?;
            drop(tx);
            if clear_batch(context, ids, days, kept, now).await? < BATCH {
                break;
            }
        }
    }
    Ok(())
}

async fn clear_batch(
    context: &Context,
    mut ids: Vec<String>,
    days: u32,
    kept: SignedDuration,
    now: Timestamp,
) -> Result<usize, Error> {
    // Files first: should the process end here, the rows still say what is left to do.
    let mut stay = Vec::new();
    for id in &ids {
        if let Err(error) = context.runtime.storage.remove(id).await {
            tracing::warn!(%error, request_id = id, "files outlive their time");
            stay.push(id.clone());
        }
    }
    ids.retain(|id| !stay.contains(id));
    if ids.is_empty() {
        return Ok(0);
    }
    let scopes: Vec<_> = ids.iter().map(|id| scope(id)).collect();
    let mut decision = context.store.decide_all(&scopes, now).await?;
    let ended = Ended { ids: &ids, days };
    let gone = decision.plan(&ended, |all| sweep::over(all, kept, now)).await?.plan.changes.len();
    decision.commit().await?;
    tracing::info!(requests = gone, days, "contents removed after their time");
    Ok(gone)
}

/// How long files may be without a request: longer than any upload takes.
const ORPHANED: Duration = Duration::from_hours(24);

/// Removes files that no request owns: an upload that was cut off, or a process that ended between
/// storing and committing.
pub async fn sweep(context: Context, now: Timestamp) -> Result<(), Error> {
    clear(&context, now).await?;
    let runtime = context.runtime.clone();
    let old = runtime.storage.owners_older_than(ORPHANED).await;
    let mut tx = context.store.read().await?;
    for ids in old.chunks(500) {
        for orphan in requests::unknown(&mut tx, ids).await? {
            match runtime.storage.remove(&orphan).await {
                Ok(()) => tracing::info!(request_id = orphan, "files without a request removed"),
                Err(error) => tracing::warn!(%error, request_id = orphan, "files stay"),
            }
        }
    }
    drop(tx);
    decisions::golden::sweep(&context, ORPHANED).await
}

//! Retention per workflow, and files that nobody owns: contents go when their time is over; what
//! happened stays on record.

use std::time::Duration;

use db::{Error, audit::Entry};
use host::{By, Next};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{
    Context, decisions,
    drivers::runtime::Runtime,
    store::{requests, retention, scope},
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
pub async fn clear(context: &Context, now: Timestamp) -> Result<(), Error> {
    let runtime = context.runtime.clone();
    for workflow in runtime.workflows.active().values() {
        let Some(days) = workflow.retention_days else { continue };
        let kept = SignedDuration::from_hours(i64::from(days) * 24);
        let before = now.saturating_sub(kept).unwrap_or(Timestamp::MIN);
        loop {
            let mut tx = context.store.read().await?;
            let ids = requests::outlived(&mut tx, &workflow.name, before, BATCH as i64).await?;
            drop(tx);
            let cleared = clear_batch(context, &runtime, &ids, days, now).await?;
            if cleared < BATCH {
                break;
            }
        }
    }
    Ok(())
}

async fn clear_batch(
    context: &Context,
    runtime: &Runtime,
    ids: &[String],
    days: u32,
    now: Timestamp,
) -> Result<usize, Error> {
    let mut gone = Vec::with_capacity(ids.len());
    for id in ids {
        // Files first: should the process end here, the rows still say what is left to do.
        match runtime.storage.remove(id).await {
            Ok(()) => gone.push(id),
            Err(error) => tracing::warn!(%error, request_id = id, "files outlive their time"),
        }
    }
    if gone.is_empty() {
        return Ok(0);
    }
    let scopes: Vec<_> = gone.iter().map(|id| scope(id)).collect();
    let mut decision = context.store.decide_all(&scopes, now).await?;
    retention::clear(&mut decision, &gone).await?;
    for id in &gone {
        let by = By { app: crate::NAME, name: "retention".to_owned(), role: String::new() };
        let after = Some(json!({ "days": days }));
        decision.audit(Entry { after, ..by.did("request.clear", format!("request/{id}")) });
    }
    decision.commit().await?;
    tracing::info!(requests = gone.len(), days, "contents removed after their time");
    Ok(gone.len())
}

/// How long files may be without a request: longer than any upload takes.
const ORPHANED: Duration = Duration::from_hours(24);

/// Removes files that no request owns: an upload that was cut off, or a process that ended between
/// storing and committing.
pub async fn sweep(context: Context, now: Timestamp) -> Result<(), Error> {
    clear(&context, now).await?;
    let runtime = context.runtime.clone();
    let storage = runtime.storage.clone();
    let old = tokio::task::spawn_blocking(move || storage.owners_older_than(ORPHANED));
    let old = old.await.unwrap_or_default();
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

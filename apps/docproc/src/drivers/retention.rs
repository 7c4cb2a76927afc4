//! Retention per workflow: contents go when their time is over; what happened stays on record.

use db::{Error, audit::Entry};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{
    drivers::runtime::{Runtime, runtime},
    store::{requests, retention, scope},
};

/// Requests cleared in one transaction.
const BATCH: usize = 100;

/// Removes files, words and results of requests that ended longer ago than their workflow keeps
/// them.
pub async fn clear(context: &Context, now: Timestamp) -> Result<(), Error> {
    let runtime = runtime(context);
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
        decision.audit(Entry {
            app: crate::NAME,
            actor: "retention".to_owned(),
            role: String::new(),
            action: "request.clear".to_owned(),
            subject: format!("request/{id}"),
            before: None,
            after: Some(json!({ "days": days })),
            reason: None,
        });
    }
    decision.commit().await?;
    tracing::info!(requests = gone.len(), days, "contents removed after their time");
    Ok(gone.len())
}

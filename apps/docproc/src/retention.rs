//! Retention per workflow: contents go when their time is over; what happened stays on record.

use db::{Error, Rows, audit::Entry};
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{
    room::{Room, room},
    store::{requests, scope},
};

/// Requests cleared in one transaction.
const BATCH: usize = 100;

/// Removes files, words and results of requests that ended longer ago than their workflow keeps
/// them.
pub async fn clear(context: &Context, now: Timestamp) -> Result<(), Error> {
    let room = room(context);
    for workflow in room.workflows.active().values() {
        let Some(days) = workflow.retention_days else { continue };
        let kept = SignedDuration::from_hours(i64::from(days) * 24);
        let before = now.saturating_sub(kept).unwrap_or(Timestamp::MIN);
        loop {
            let mut tx = context.store.read().await?;
            let ids = requests::outlived(&mut tx, &workflow.name, before, BATCH as i64).await?;
            drop(tx);
            let cleared = clear_batch(context, &room, &ids, days, now).await?;
            if cleared < BATCH {
                break;
            }
        }
    }
    Ok(())
}

async fn clear_batch(
    context: &Context,
    room: &Room,
    ids: &[String],
    days: u32,
    now: Timestamp,
) -> Result<usize, Error> {
    let mut gone = Vec::with_capacity(ids.len());
    for id in ids {
        // Files first: should the process end here, the rows still say what is left to do.
        match room.storage.remove(id).await {
            Ok(()) => gone.push(id),
            Err(error) => tracing::warn!(%error, request_id = id, "files outlive their time"),
        }
    }
    if gone.is_empty() {
        return Ok(0);
    }
    let scopes: Vec<_> = gone.iter().map(|id| scope(id)).collect();
    let mut decision = context.store.decide_all(&scopes, now).await?;
    let rows = Rows::of(&["id"], gone.iter().copied());
    for sql in [
        "UPDATE pages SET words = NULL, ocr_text = NULL, scores = NULL, evidence = NULL
         WHERE request_id IN (SELECT id FROM ROWS)",
        "UPDATE documents SET extracted_data = NULL, fields = NULL
         WHERE request_id IN (SELECT id FROM ROWS)",
        "UPDATE review_tasks SET input_data = '{}', output_data = NULL
         WHERE request_id IN (SELECT id FROM ROWS)",
        "UPDATE answers SET body = '{}' WHERE request_id IN (SELECT id FROM ROWS)",
        "UPDATE request_files SET name = '', password = NULL, content = NULL
         WHERE request_id IN (SELECT id FROM ROWS)",
    ] {
        decision.tx.each(sql, &[], &rows).await?;
    }
    let sql = "UPDATE requests SET result = NULL, metadata = '{}', external_id = NULL,
               callback_url = NULL, cleared_at = $1 WHERE id IN (SELECT id FROM ROWS)";
    decision.tx.each(sql, &[now.into()], &rows).await?;
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

//! *Monitor de SLA* (§7.2): looks at every request when one of its checkpoints has come, and
//! says when the next one comes.

use db::Error;
use engine::{Plan, Word as _};
use host::Next;
use jiff::Timestamp;

use super::{alarms, queue};
use crate::{
    Context,
    rules::sla::{self, Checkpoint},
    store::{
        deadlines::{self, Deadlines, Look},
        people_scope, policy, queue_scope,
        requests::RequestRow,
        scope,
    },
};

/// The tick that keeps deadlines.
pub const TICK: &str = "docproc.sla";
/// Requests looked at in one transaction.
const BATCH: i64 = 250;

pub async fn tick(context: Context, now: Timestamp) -> Next {
    watch(context.clone(), now).await?;
    deadlines::next(&mut context.store.read().await?).await
}

/// Does what is due, until nothing is.
pub async fn watch(context: Context, now: Timestamp) -> Result<(), Error> {
    loop {
        let ids = deadlines::due(&mut context.store.read().await?, now, BATCH).await?;
        if ids.is_empty() {
            return Ok(());
        }
        if look(&context, &ids, now).await? {
            alarms::check(&context, now).await?;
        }
        if (ids.len() as i64) < BATCH {
            return Ok(());
        }
    }
}

/// Answers whether somebody has to be alerted now.
async fn look(context: &Context, ids: &[String], now: Timestamp) -> Result<bool, Error> {
    let runtime = context.runtime.clone();
    let scopes: Vec<_> = ids.iter().map(|id| scope(id)).collect();
    let mut decision = context.store.decide_all(&scopes, now).await?;
    // Tasks and messages change their place; whoever takes them waits for that.
    decision.hold(&people_scope()).await?;
    decision.hold(&queue_scope()).await?;
    let house = policy::load(&context.settings, &mut decision.tx).await?.thresholds;
    let slice = Deadlines { ids, workflows: &runtime.workflows, house };
    let mut seen = Vec::new();
    let plan = decision
        .plan(&slice, |late| {
            let mut looks = Vec::with_capacity(late.len());
            let mut held = Vec::new();
            for (which, one) in late.iter().enumerate() {
                let plan = sla::plan(&one.watched, now);
                let reached = plan.changes.iter().map(|reached| reached.checkpoint);
                seen.extend(reached.map(|checkpoint| (checkpoint, one.loaded.row.clone())));
                let next = plan.held.first().map(|ahead| ahead.at);
                looks.push(Look { which, reached: plan.changes, next });
                held.extend(plan.held);
            }
            Plan { changes: vec![looks], held }
        })
        .await?;
    drop(plan);
    queue::wake(context, &mut decision);
    decision.commit().await?;
    for (checkpoint, row) in &seen {
        say(*checkpoint, row, now, context.options.demo);
    }
    Ok(seen.iter().any(|(checkpoint, _)| *checkpoint == Checkpoint::Alert))
}

/// One line of the log for each checkpoint (§7.2, §9.1). A deadline that is missed in a demonstration is
/// part of the play, no error.
fn say(checkpoint: Checkpoint, row: &RequestRow, now: Timestamp, demo: bool) {
    metrics::counter!("docproc_sla_checkpoints_total", "checkpoint" => checkpoint.word())
        .increment(1);
    let request_id = row.id.as_str();
    let trace_id = row.trace_id.as_str();
    let elapsed_s = now.duration_since(row.created_at).as_secs_f64();
    let restante_ms = now.duration_until(row.deadline).as_millis() as i64;
    let deadline = row.deadline;
    let workflow = row.workflow_name.as_str();
    macro_rules! line {
        ($level:ident, $event:literal) => {
            tracing::$level!(component = "sla_monitor", request_id, trace_id, elapsed_s, workflow,
                %deadline, restante_ms, $event)
        };
    }
    match checkpoint {
        Checkpoint::Warn => line!(warn, "sla_warning"),
        Checkpoint::Alert => line!(warn, "sla_alert"),
        Checkpoint::Escalate => line!(warn, "sla_escalated"),
        Checkpoint::Breach if demo => line!(warn, "sla_breached"),
        Checkpoint::Breach => line!(error, "sla_breached"),
    }
}

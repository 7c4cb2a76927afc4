//! The ways state changes: each opens one decision on a request and ends by settling it, so that
//! what follows from a change is committed with it.

pub mod alarms;
pub mod answers;
pub mod course;
pub mod deadlines;
pub mod golden;
pub mod people;
pub mod promotion;
pub mod receive;

use std::time::Duration;

use db::{Decision, Error, audit::Entry};
use engine::Sentence;
use engine::Word as _;
use host::Context;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

use crate::{
    drivers::reading,
    drivers::runtime::{Runtime, runtime},
    model::{Component, Status},
    store::{
        events, messages, policy, progress, queue_scope,
        requests::{self, RequestRow},
        reviews, rewind, scope,
    },
};

/// The tick that keeps this application's time.
pub const TICK: &str = "docproc.cola";
const PERIOD: SignedDuration = SignedDuration::from_secs(5);

/// Who asks, for the record.
#[derive(Clone, Debug)]
pub struct By {
    pub name: String,
    pub role: &'static str,
}

/// An `Idempotency-Key` with the fingerprint of its request.
#[derive(Clone, Debug)]
pub struct Key {
    pub key: String,
    pub fingerprint: String,
}

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotFound,
    /// It has ended, or has not.
    Conflict {
        code: &'static str,
        said: Sentence,
    },
    Invalid {
        code: &'static str,
        said: Sentence,
    },
    NoTask,
    /// Not theirs to do.
    Forbidden {
        code: &'static str,
        said: Sentence,
    },
    /// Values that cannot be taken, by field.
    Wrong {
        said: Sentence,
        errors: Vec<(String, Sentence)>,
    },
}

type Answer = Result<Result<(), Refusal>, Error>;

/// Ends a request that nobody wants any more.
pub async fn cancel(context: &Context, by: &By, id: &str, reason: &str) -> Answer {
    steer(context, id, async |decision, row| {
        if row.status.is_final() {
            return Ok(Err(ended(row.status)));
        }
        messages::drop_open(decision, id).await?;
        reviews::withdraw(decision, id).await?;
        requests::fail(decision, id, Status::Cancelled, "CANCELLED", reason).await?;
        events::cancelled(decision, id, &by.name);
        decision.audit(entry(by, "request.cancel", id, json!({ "reason": reason })));
        Ok(Ok(()))
    })
    .await
}

/// Tries again what could not be done: its dead letters go back into the queue.
pub async fn replay(context: &Context, by: &By, id: &str) -> Answer {
    steer(context, id, async |decision, row| {
        if row.cleared_at.is_some() {
            return Ok(Err(cleared()));
        }
        if row.status != Status::Failed {
            return Ok(Err(Refusal::Conflict {
                code: "NO_FALLIDA",
                said: Sentence::new(
                    format!(
                        "La solicitud está {}; sólo una fallida se reintenta.",
                        row.status.word()
                    ),
                    format!(
                        "The request is {}; only a failed one is tried again.",
                        row.status.word()
                    ),
                ),
            }));
        }
        let back = messages::replay(decision, id).await?;
        rewind::reopen(decision, row, reached(row)).await?;
        decision.audit(entry(by, "request.replay", id, json!({ "messages": back })));
        Ok(Ok(()))
    })
    .await
}

/// Where a request that failed stood.
fn reached(row: &RequestRow) -> Status {
    match (row.page_count, row.document_count) {
        (None, _) => Status::Routing,
        (Some(_), _) => Status::Processing,
    }
}

/// Does a request over from a stage on, keeping what stages before it found.
pub async fn restart(context: &Context, by: &By, id: &str, stage: &str) -> Answer {
    let runtime = runtime(context);
    steer(context, id, async |decision, row| {
        if row.cleared_at.is_some() {
            return Ok(Err(cleared()));
        }
        let workflow = runtime.workflows.version(&mut decision.tx, row.workflow_id).await?;
        let Some(at) = workflow.position(stage) else {
            let known: Vec<_> = workflow.stages.iter().map(|stage| stage.name.as_str()).collect();
            let known = known.join(", ");
            return Ok(Err(Refusal::Invalid {
                code: "ETAPA_DESCONOCIDA",
                said: Sentence::new(
                    format!("El flujo no tiene la etapa {stage:?}; tiene {known}."),
                    format!("The workflow has no stage {stage:?}; it has {known}."),
                ),
            }));
        };
        if row.page_count.is_none() && workflow.stages[at].component != Component::Splitter {
            return Ok(Err(Refusal::Conflict {
                code: "SIN_PAGINAS",
                said: Sentence::new(
                    "La solicitud todavía no se ha dividido en páginas.",
                    "The request has not been split into pages yet.",
                ),
            }));
        }
        rewind::rewind(decision, row, &workflow, at).await?;
        events::restarted(decision, id, stage, &by.name);
        decision.audit(entry(by, "request.restart", id, json!({ "stage": stage })));
        Ok(Ok(()))
    })
    .await
}

async fn steer(
    context: &Context,
    id: &str,
    command: impl AsyncFnOnce(&mut Decision, &RequestRow) -> Result<Result<(), Refusal>, Error>,
) -> Answer {
    let runtime = runtime(context);
    let mut decision = context.store.decide(&scope(id), context.clock.now()).await?;
    let Some(row) = requests::find(&mut decision.tx, id).await? else {
        return Ok(Err(Refusal::NotFound));
    };
    if let Err(refusal) = command(&mut decision, &row).await? {
        return Ok(Err(refusal));
    }
    course::settle(context, &runtime, &mut decision, &[id.to_owned()]).await?;
    // Questions that were withdrawn leave their operators free for others.
    people::assign(context, &mut decision).await?;
    decision.commit().await?;
    runtime.work.notify_one();
    Ok(Ok(()))
}

fn cleared() -> Refusal {
    Refusal::Conflict {
        code: "CONTENIDO_ELIMINADO",
        said: Sentence::new(
            "El contenido de la solicitud se eliminó al acabar su plazo de conservación.",
            "The contents of the request were removed when their retention ended.",
        ),
    }
}

fn ended(status: Status) -> Refusal {
    Refusal::Conflict {
        code: "YA_TERMINADA",
        said: Sentence::new(
            format!("La solicitud ya terminó: {}.", status.word()),
            format!("The request has ended already: {}.", status.word()),
        ),
    }
}

pub(crate) fn entry(by: &By, action: &str, id: &str, after: Json) -> Entry {
    Entry {
        app: crate::NAME,
        actor: by.name.clone(),
        role: by.role.to_owned(),
        action: action.to_owned(),
        subject: format!("request/{id}"),
        before: None,
        after: Some(after),
        reason: None,
    }
}

/// The safety net: messages of silent workers, workflows that changed, requests that stand still
/// although they could go on.
pub async fn tick(context: Context, now: Timestamp) -> Result<(), Error> {
    let runtime = runtime(&context);
    refresh(&context, &runtime).await?;
    expire(&context, now).await?;
    let stuck = progress::standing_still(&mut context.store.read().await?, now - PERIOD).await?;
    for id in stuck {
        let mut decision = context.store.decide(&scope(&id), now).await?;
        course::settle(&context, &runtime, &mut decision, &[id]).await?;
        decision.commit().await?;
    }
    runtime.work.notify_one();
    if context.clock.is_manual() {
        reading::idle(&context).await?;
    }
    Ok(())
}

/// Gives up messages that waited longer than the house allows (seed §5.3): dead letters, to be
/// replayed when the cause is mended.
async fn expire(context: &Context, now: Timestamp) -> Result<(), Error> {
    let mut tx = context.store.read().await?;
    let Some(ttl) = policy::load(&context.settings, &mut tx).await?.message_ttl else {
        return Ok(());
    };
    let before = now.checked_sub(ttl).unwrap_or(Timestamp::MIN);
    let outdated = messages::outdated(&mut tx, before).await?;
    drop(tx);
    for (id, request) in outdated {
        let mut decision = context.store.decide(&scope(&request), now).await?;
        decision.hold(&queue_scope()).await?;
        // The first one of a request takes the others out of the queue.
        if !messages::waits(&mut decision.tx, id).await? {
            continue;
        }
        let (code, error) = ("MESSAGE_EXPIRED", format!("nobody took it within {ttl:?}"));
        messages::bury(&mut decision, id, &request, code, &error).await?;
        requests::fail(&mut decision, &request, Status::Failed, code, &error).await?;
        events::failed(&mut decision, &request, code, &error);
        decision.commit().await?;
        tracing::warn!(request_id = request, "a message expired");
    }
    Ok(())
}

/// When a message that waits for its next try falls due.
pub async fn next(context: Context, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    let mut tx = context.store.read().await?;
    let due = messages::next_due(&mut tx, &[]).await?;
    if !context.clock.is_manual() {
        return Ok(due);
    }
    // A manual clock has to stop for what is due at once, and for what is in our hands already.
    let busy = match runtime(&context).status.worker.get() {
        Some(worker) => messages::any_in_hand(&mut tx, worker).await?,
        None => false,
    };
    Ok(if busy { Some(now) } else { due.map(|due| due.max(now)) })
}

/// Takes up what changed outside this process: workflow files, a trained classifier, settings.
pub async fn refresh(context: &Context, runtime: &Runtime) -> Result<(), Error> {
    let dir = runtime.config.workflows.as_deref();
    runtime.workflows.refresh(context, dir).await?;
    runtime.classifier.refresh(&crate::drivers::runtime::trained(&runtime.config));
    let policy = policy::load(&context.settings, &mut context.store.read().await?).await?;
    runtime.heed(&policy);
    Ok(())
}

/// A setting was changed in this process: no need to wait for the tick.
pub async fn settings_changed(context: &Context, decision: &mut Decision) -> Result<(), Error> {
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    runtime(context).heed(&policy);
    Ok(())
}

/// How long files may be without a request: longer than any upload takes.
const ORPHANED: Duration = Duration::from_hours(24);

/// Removes files that no request owns: an upload that was cut off, or a process that ended between
/// storing and committing.
pub async fn sweep(context: Context, now: Timestamp) -> Result<(), Error> {
    crate::drivers::retention::clear(&context, now).await?;
    let runtime = runtime(&context);
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
    golden::sweep(&context, ORPHANED).await
}

pub fn period() -> Result<SignedDuration, Error> {
    Ok(PERIOD)
}

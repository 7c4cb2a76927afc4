//! The ways state changes: each opens one decision on a request and ends by settling it, so that
//! what follows from a change is committed with it.

pub mod alarms;
pub mod answers;
pub mod course;
pub mod deadlines;
pub mod golden;
pub mod memory;
pub mod outside;
pub mod people;
pub mod promotion;
pub mod queue;
pub mod receive;
pub mod storage;
pub mod undo;

use db::{Decision, Error, audit::Entry};
use engine::Sentence;
use engine::Word as _;
use host::By;
use serde_json::json;

use crate::{
    Context,
    model::{Component, Status},
    rules::workflow::Workflow,
    store::{
        Visibility, events, messages, policy,
        requests::{self, RequestRow},
        reviews, rewind, scope,
    },
};

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
    /// The request or task is not in a state for it.
    Conflict {
        code: &'static str,
        sentence: Sentence,
    },
    Invalid {
        code: &'static str,
        sentence: Sentence,
    },
    NoTask,
    /// The operator may not do it.
    Forbidden {
        code: &'static str,
        sentence: Sentence,
    },
    /// Values that cannot be taken, by field.
    Wrong {
        sentence: Sentence,
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
        decision.audit(Entry {
            after: Some(json!({ "reason": reason })),
            ..by.did("request.cancel", request(id))
        });
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
                sentence: Sentence::new(
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
        decision.audit(Entry {
            after: Some(json!({ "messages": back })),
            ..by.did("request.replay", request(id))
        });
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

/// From where a request is done over, and by what.
#[derive(Clone, Debug, Default)]
pub struct Over {
    /// The first one unless given.
    pub stage: Option<String>,
    /// The one it had unless given.
    pub workflow: Option<String>,
}

/// Does a request over from a stage on, keeping what stages before it found. Its deadline stays.
pub async fn restart(context: &Context, by: &By, id: &str, over: &Over) -> Answer {
    steer(context, id, async |decision, row| {
        if row.cleared_at.is_some() {
            return Ok(Err(cleared()));
        }
        let workflows = &context.runtime.workflows;
        let version = match &over.workflow {
            None => row.workflow_id,
            Some(name) => match workflows.id_of(name) {
                Some(version) => version,
                None => return Ok(Err(unknown_workflow(name))),
            },
        };
        let workflow = workflows.version(&mut decision.tx, version).await?;
        let first = || workflow.stages.first().map(|stage| stage.name.clone()).unwrap_or_default();
        let stage = over.stage.clone().unwrap_or_else(first);
        let Some(at) = workflow.position(&stage) else {
            return Ok(Err(unknown_stage(&workflow, &stage)));
        };
        if row.page_count.is_none() && workflow.stages[at].component != Component::Splitter {
            return Ok(Err(Refusal::Conflict {
                code: "SIN_PAGINAS",
                sentence: Sentence::new(
                    "La solicitud todavía no se ha dividido en páginas.",
                    "The request has not been split into pages yet.",
                ),
            }));
        }
        rewind::rewind(decision, row, &workflow, at).await?;
        if version != row.workflow_id {
            rewind::change_workflow(decision, row, version, &workflow.name).await?;
        }
        events::restarted(decision, id, &stage, &by.name);
        let before = Some(json!({ "workflow": row.workflow_name }));
        let after = Some(json!({ "stage": stage, "workflow": workflow.name }));
        decision.audit(Entry { before, after, ..by.did("request.restart", request(id)) });
        Ok(Ok(()))
    })
    .await
}

fn unknown_workflow(name: &str) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    Refusal::Invalid {
        code: "FLUJO_DESCONOCIDO",
        sentence: Sentence::new(
            format!("No hay un flujo «{shown}»."),
            format!("There is no workflow “{shown}”."),
        ),
    }
}

fn unknown_stage(workflow: &Workflow, stage: &str) -> Refusal {
    let known: Vec<_> = workflow.stages.iter().map(|stage| stage.name.as_str()).collect();
    let known = known.join(", ");
    Refusal::Invalid {
        code: "ETAPA_DESCONOCIDA",
        sentence: Sentence::new(
            format!("El flujo no tiene la etapa {stage:?}; tiene {known}."),
            format!("The workflow has no stage {stage:?}; it has {known}."),
        ),
    }
}

async fn steer(
    context: &Context,
    id: &str,
    command: impl AsyncFnOnce(&mut Decision, &RequestRow) -> Result<Result<(), Refusal>, Error>,
) -> Answer {
    let mut decision = context.store.decide(&scope(id), context.clock.now()).await?;
    let Some(row) = requests::find(&mut decision.tx, Visibility::All, id).await? else {
        return Ok(Err(Refusal::NotFound));
    };
    if let Err(refusal) = command(&mut decision, &row).await? {
        return Ok(Err(refusal));
    }
    course::settle(context, &mut decision, id, None).await?;
    // Questions that were withdrawn leave their operators free for others.
    people::assign(context, &mut decision).await?;
    queue::wake(context, &mut decision);
    decision.commit().await?;
    Ok(Ok(()))
}

/// How the audit names a request.
fn request(id: &str) -> String {
    format!("request/{id}")
}

fn cleared() -> Refusal {
    Refusal::Conflict {
        code: "CONTENIDO_ELIMINADO",
        sentence: Sentence::new(
            "El contenido de la solicitud se eliminó al acabar su plazo de conservación.",
            "The contents of the request were removed when their retention ended.",
        ),
    }
}

fn ended(status: Status) -> Refusal {
    Refusal::Conflict {
        code: "YA_TERMINADA",
        sentence: Sentence::new(
            format!("La solicitud ya terminó: {}.", status.word()),
            format!("The request has ended already: {}.", status.word()),
        ),
    }
}

/// Takes up what changed outside this process: workflow files, a trained classifier, settings.
pub async fn refresh(context: &Context) -> Result<(), Error> {
    let runtime = &context.runtime;
    crate::drivers::workflows::refresh(context).await?;
    runtime.classifier.refresh(&runtime.storage).await;
    let policy = policy::load(&context.settings, &mut context.store.read().await?).await?;
    runtime.heed(&policy);
    Ok(())
}

/// A setting was changed in this process: it holds here at once, elsewhere once they hear of it.
pub async fn settings_changed(context: &Context, decision: &mut Decision) -> Result<(), Error> {
    let policy = policy::load(&context.settings, &mut decision.tx).await?;
    context.runtime.heed(&policy);
    decision.wake(crate::store::workflows::CHANGED);
    for tick in [queue::TICK, deadlines::TICK, people::TICK, alarms::TICK] {
        decision.wake(tick);
    }
    Ok(())
}

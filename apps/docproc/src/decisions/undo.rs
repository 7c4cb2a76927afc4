//! *Deshacer* (§8.2): an answer that its operator may take back for a moment. It is checked and the
//! task is done, but nothing follows from it until its time has come.

use db::{Decision, Error, audit::Entry};
use engine::Sentence;
use host::By;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{
    Refusal,
    answers::{self, Answer, TaskAnswer},
    people::{self, Took},
};
use crate::{
    Context,
    rules::hold::{self, Undo},
    store::{
        held::{self, HeldRow},
        operators, people_scope, reviews, scope,
    },
};

/// Takes an answer back: the task is its operator's again, with what they had typed.
pub async fn undo(context: &Context, by: &By, id: &str) -> Took {
    let known = reviews::find(&mut context.store.read().await?, id).await?;
    let Some(known) = known else { return Ok(Err(Refusal::NoTask)) };
    let mut decision = context.store.decide(&scope(&known.request_id), context.clock.now()).await?;
    decision.hold(&people_scope()).await?;
    let row = held::find(&mut decision.tx, id).await?;
    let seen = row.as_ref().map(|row| (row.operator.as_str(), row.due_at));
    let row = match (hold::undo(seen, &by.name, decision.now), row) {
        (Undo::Yes, Some(row)) => row,
        (Undo::NotTheirs, Some(row)) => return Ok(Err(not_theirs(&row.operator))),
        (Undo::Yes | Undo::NotTheirs | Undo::TooLate, _) => return Ok(Err(too_late())),
    };
    take_back(&mut decision, &row).await?;
    let after = json!({ "request_id": known.request_id, "task_type": known.task_type });
    let entry = by.did("task.undone", format!("task/{id}"));
    decision.audit(Entry { after: Some(after), ..entry });
    operators::heard(&mut decision, &by.name).await?;
    people::assign(context, &mut decision).await?;
    people::finish(decision, id).await
}

/// The task is open again and in the same hands; what was typed is a draft.
async fn take_back(decision: &mut Decision, row: &HeldRow) -> Result<(), Error> {
    held::remove(decision, &row.task_id).await?;
    reviews::reopen(decision, &row.task_id, &row.operator).await?;
    let draft = serde_json::from_value(row.said.clone()).ok().map(|answer| draft(&answer));
    if let Some(draft) = draft {
        reviews::keep_draft(decision, &row.task_id, &row.operator, &draft).await?;
    }
    decision.wake(people::TICK);
    Ok(())
}

/// What the form of a task takes.
fn draft(answer: &Answer) -> Json {
    match answer {
        Answer::Type(doc_type) => json!({ "doc_type": doc_type }),
        Answer::Fields(said) => {
            json!({ "extracted_data": said.values, "absent": said.absent,
                    "evidence": said.evidence })
        }
        Answer::Groups(_) => json!({}),
    }
}

fn too_late() -> Refusal {
    Refusal::Conflict {
        code: "TARDE_PARA_DESHACER",
        sentence: Sentence::new(
            "Es tarde para deshacer: la respuesta ya se usó.",
            "It is too late to undo: the answer has been used.",
        ),
    }
}

fn not_theirs(who: &str) -> Refusal {
    Refusal::Forbidden {
        code: "TAREA_AJENA",
        sentence: Sentence::new(
            format!("La respuesta la dio {who}: solo {who} la deshace."),
            format!("{who} gave this answer: only {who} takes it back."),
        ),
    }
}

/// Applies every answer whose time has come; answers when the next one is due.
pub(super) async fn settle_due(
    context: &Context,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    loop {
        let due = held::due(&mut context.store.read().await?, now).await?;
        if due.is_empty() {
            return held::next(&mut context.store.read().await?).await;
        }
        for (task, request) in due {
            settle(context, now, &task, &request).await?;
        }
    }
}

async fn settle(context: &Context, now: Timestamp, id: &str, request: &str) -> Result<(), Error> {
    let mut decision = context.store.decide(&scope(request), now).await?;
    decision.hold(&people_scope()).await?;
    // Another process may have been here, or its operator.
    let row = held::find(&mut decision.tx, id).await?.filter(|row| row.due_at <= now);
    let task = reviews::find(&mut decision.tx, id).await?;
    let (Some(row), Some(task)) = (row, task) else { return Ok(()) };
    let answer: Option<Answer> = serde_json::from_value(row.said.clone()).ok();
    let checked = match &answer {
        Some(answer) => {
            answers::check(context, &mut decision, &task, &row.operator, answer).await?
        }
        None => Err(Refusal::NoTask),
    };
    match checked {
        Ok(checked) => {
            held::remove(&mut decision, id).await?;
            let answer = TaskAnswer { task: &task, operator: &row.operator, golden: row.golden };
            answers::apply(context, &mut decision, &answer, checked).await?;
        }
        // What it was about is gone.
        Err(Refusal::NoTask) => held::remove(&mut decision, id).await?,
        // The document changed under it: whoever answered looks again.
        Err(_) => take_back(&mut decision, &row).await?,
    }
    people::assign(context, &mut decision).await?;
    decision.commit().await.map(drop)
}

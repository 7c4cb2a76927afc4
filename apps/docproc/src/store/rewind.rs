//! Puts a request back in front of a stage, keeping what stages before it found.

use db::{Decision, Error, Value};
use engine::Word as _;

use super::{events, messages, requests::RequestRow, reviews};
use crate::{
    model::{Component, Status, Unit},
    rules::workflow::Workflow,
};

/// What of a request is done over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// From the split on: its pages come anew.
    Split,
    /// Pages stay; what they are is found out anew.
    Pages,
    /// Documents stay; what they say is found out anew.
    Documents,
}

pub async fn rewind(
    decision: &mut Decision,
    row: &RequestRow,
    workflow: &Workflow,
    at: usize,
) -> Result<(), Error> {
    messages::drop_open(decision, &row.id).await?;
    reviews::withdraw(decision, &row.id).await?;
    let split = workflow.stages.iter().position(|one| one.component == Component::Splitter);
    let from = if split.is_none_or(|split| at <= split) {
        From::Split
    } else if at <= workflow.grouping().unwrap_or(usize::MAX) {
        From::Pages
    } else {
        From::Documents
    };
    for sql in forgotten(workflow, from, at) {
        run(decision, sql, &row.id, None).await?;
    }
    let at_stage = match from {
        From::Split => None,
        // From wherever they stand: waiting there already, sent, done or with a person.
        From::Pages => Some(
            "UPDATE pages SET stage_at = $2, standing = 'WAITING' WHERE request_id = $1
             AND standing IN ('WAITING', 'SENT', 'DONE', 'REVIEW')",
        ),
        From::Documents => Some(
            "UPDATE documents SET stage_at = $2, standing = 'WAITING', origin = 'AUTO'
             WHERE request_id = $1 AND standing IN ('WAITING', 'SENT', 'DONE', 'REVIEW')",
        ),
    };
    if let Some(sql) = at_stage {
        run(decision, sql, &row.id, Some(at)).await?;
    }
    let sql = "DELETE FROM stage_replies WHERE request_id = $1 AND stage_at >= $2";
    run(decision, sql, &row.id, Some(at)).await?;
    let (resume, status) = if from == From::Split {
        (workflow.next_for(Unit::Request, at), Status::Routing)
    } else {
        let next = split.and_then(|split| workflow.next_for(Unit::Request, split + 1));
        (next, Status::Processing)
    };
    let sql = "UPDATE requests SET stage_at = $2, standing = 'WAITING', run = run + 1
               WHERE id = $1 AND stage_at = $3 AND standing = $4";
    let resume = resume.unwrap_or(at) as i64;
    let seen = [row.stage_at.into(), row.progress.word().into()];
    let args: Vec<Value> =
        [row.id.as_str().into(), resume.into()].into_iter().chain(seen).collect();
    decision.tx.guarded("request", sql, &args).await?;
    reopen(decision, row, status).await
}

/// From here on the request goes by another workflow.
pub async fn change_workflow(
    decision: &mut Decision,
    row: &RequestRow,
    version: i64,
    name: &str,
) -> Result<(), Error> {
    let sql = "UPDATE requests SET workflow_id = $2, workflow_name = $3
               WHERE id = $1 AND workflow_id = $4";
    let args = [row.id.as_str().into(), version.into(), name.into(), row.workflow_id.into()];
    decision.tx.guarded("request", sql, &args).await
}

async fn run(
    decision: &mut Decision,
    sql: &'static str,
    request: &str,
    at: Option<usize>,
) -> Result<(), Error> {
    let mut args: Vec<Value> = vec![request.into()];
    args.extend(at.map(|at| Value::from(at as i64)));
    decision.tx.execute(sql, &args).await.map(drop)
}

/// What the stages from here on had found; what a stage before found stays.
fn forgotten(workflow: &Workflow, from: From, at: usize) -> Vec<&'static str> {
    let mut all = Vec::new();
    if from != From::Documents {
        all.push("UPDATE pages SET document_id = NULL WHERE request_id = $1");
        all.push("DELETE FROM documents WHERE request_id = $1");
        all.push("UPDATE requests SET document_count = NULL WHERE id = $1");
    }
    if from == From::Split {
        all.push("DELETE FROM pages WHERE request_id = $1");
        all.push("UPDATE requests SET page_count = NULL WHERE id = $1");
        all.push("DELETE FROM request_files WHERE request_id = $1 AND packed_in IS NOT NULL");
    }
    if from == From::Pages {
        let grouping = workflow.grouping().unwrap_or(usize::MAX).min(workflow.stages.len());
        let reads = workflow.stages[at..].iter().any(|one| one.component == Component::Ocr);
        let sorts = workflow.stages[at..grouping]
            .iter()
            .any(|one| one.component == Component::Classifier || one.component.is_elsewhere());
        if reads {
            all.push("UPDATE pages SET words = NULL, ocr_text = NULL WHERE request_id = $1");
        }
        if sorts || reads {
            // A type decided from here on is open again.
            all.push(
                "UPDATE pages SET doc_type = NULL, scores = NULL, origin = 'AUTO',
                 classification_confidence = NULL WHERE request_id = $1",
            );
        }
    }
    all
}

/// A request goes on, from the status it was seen in.
pub async fn reopen(
    decision: &mut Decision,
    row: &RequestRow,
    status: Status,
) -> Result<(), Error> {
    // The deadline of a request that was answered once has been met or missed for good.
    let sql = "UPDATE requests SET status = $2, error = NULL, error_code = NULL, result = NULL,
               next_check_at = CASE WHEN status = 'completed' THEN NULL ELSE next_check_at END,
               completed_at = NULL, partial_at = NULL, updated_at = $3
               WHERE id = $1 AND status = $4";
    let args = [
        row.id.as_str().into(),
        status.word().into(),
        decision.now.into(),
        row.status.word().into(),
    ];
    decision.tx.guarded("request", sql, &args).await?;
    events::status(decision, &row.id, status);
    Ok(())
}

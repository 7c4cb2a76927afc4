//! Gives an early answer when what is known is enough.

use db::{Decision, Error, Rows};
use engine::Word as _;

use super::{
    answers::{self, Given, Kind},
    documents, events, partial, progress,
    requests::RequestRow,
};
use crate::{
    rules::{
        advance::Thresholds,
        sufficient::{self, Field, Found},
        workflow::Workflow,
    },
    store::catalogue::Workflows,
};

/// Whether a request may still get an early answer.
pub fn is_candidate(row: &RequestRow, workflow: &Workflow) -> bool {
    !workflow.sufficient.is_empty() && row.partial_at.is_none() && !row.status.is_final()
}

/// Looks at requests whose workflow says what is enough, after something became known.
pub async fn consider(
    decision: &mut Decision,
    workflows: &Workflows,
    ids: &[String],
    house: Thresholds,
) -> Result<(), Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let loaded = progress::load(&mut decision.tx, ids, workflows).await?;
    let keys: Vec<&str> = ids.iter().map(String::as_str).collect();
    let rows = documents::of_all(&mut decision.tx, &keys).await?;
    let (mut given, mut met) = (Vec::new(), Vec::new());
    for one in &loaded {
        let of_request = rows.get(&one.row.id).map(Vec::as_slice).unwrap_or_default();
        let found: Vec<Found> =
            of_request.iter().map(|row| found(row, &one.workflow, house)).collect();
        if !sufficient::is_met(&one.workflow.sufficient, &found) {
            continue;
        }
        let known = partial::compose(one, of_request, house);
        let status = one.row.status.word();
        let (result, pending) = (Some(&known.result), &known.pending);
        given.push(Given::new(&one.row, Kind::Early, status, result, pending));
        events::partial(decision, &one.row.id, Kind::Early.word(), pending.len());
        met.push(one.row.id.as_str());
    }
    let sql = "UPDATE requests SET partial_at = $1 WHERE id IN (SELECT id FROM ROWS)";
    decision.tx.each(sql, &[decision.now.into()], &Rows::of(&["id"], met)).await?;
    answers::give(decision, &given).await
}

fn found(row: &documents::DocumentRow, workflow: &Workflow, house: Thresholds) -> Found {
    let field = |field: &crate::model::FieldValue| Field {
        name: field.name.clone(),
        present: field.value.is_some() || field.normalised.is_some(),
        confidence: field.confidence,
    };
    Found {
        doc_type: row.doc_type.clone(),
        settled: progress::is_settled(row, workflow),
        threshold: progress::threshold(row, workflow, house),
        fields: row.fields.iter().map(field).collect(),
    }
}

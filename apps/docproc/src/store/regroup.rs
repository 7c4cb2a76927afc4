//! Takes documents apart whose pages belong together otherwise.

use std::collections::HashMap;

use db::{Decision, Error, Rows};

use super::{messages, progress, reviews};
use crate::rules::{
    continuity::{Evidence, PagePosition},
    regroup::Regrouping,
};

/// Pages go back to the grouping with a person's word on them. The run counts on, so that what
/// comes of the pages is new to the queue.
pub async fn undo(
    decision: &mut Decision,
    request: &str,
    at: usize,
    done: &Regrouping,
) -> Result<(), Error> {
    reviews::withdraw_items(decision, request, &done.undone).await?;
    messages::drop_items(decision, request, &done.undone).await?;
    let places: HashMap<u32, PagePosition> = done
        .pages
        .iter()
        .map(|page| (page.n, if page.opens { PagePosition::Opens } else { PagePosition::Joins }))
        .chain(done.after.map(|n| (n, PagePosition::Opens)))
        .collect();
    let sql = "SELECT n, evidence, standing FROM pages WHERE request_id = $1 ORDER BY n";
    let mut evidence = Rows::new(&["n", "evidence"]);
    let mut types = Rows::new(&["n", "doc_type", "standing"]);
    for row in decision.tx.all(sql, &[request.into()]).await? {
        let n = row.get::<i64>("n")? as u32;
        if let Some(page) = done.pages.iter().find(|page| page.n == n) {
            let standing: String = row.get("standing")?;
            types.push([n.into(), page.doc_type.as_str().into(), standing.into()]);
        }
        let Some(place) = places.get(&n) else { continue };
        let before = progress::read_evidence(row.maybe("evidence")?);
        let now = Evidence { place: *place, ..before };
        evidence.push([n.into(), progress::evidence(&now).into()]);
    }
    let sql = "UPDATE pages SET evidence = v.evidence FROM ROWS
               WHERE pages.request_id = $1 AND pages.n = v.n";
    decision.tx.each(sql, &[request.into()], &evidence).await?;
    let sql = "UPDATE pages SET doc_type = v.doc_type, classification_confidence = 1.0,
               origin = 'BACKOFFICE', document_id = NULL, stage_at = $2, standing = 'WAITING'
               FROM ROWS WHERE pages.request_id = $1 AND pages.n = v.n
               AND pages.standing = v.standing";
    decision.tx.each(sql, &[request.into(), (at as i64).into()], &types).await?;
    let sql = "DELETE FROM documents WHERE id IN (SELECT v.id FROM ROWS)";
    decision.tx.each(sql, &[], &Rows::of(&["id"], &done.undone)).await?;
    let sql = "UPDATE requests SET run = run + 1, updated_at = $2 WHERE id = $1";
    decision.tx.execute(sql, &[request.into(), decision.now.into()]).await.map(drop)
}

//! Removes the contents of requests; what happened stays on record.

use db::{Decision, Error, Rows};

pub async fn clear(decision: &mut Decision, requests: &[&String]) -> Result<(), Error> {
    let rows = Rows::of(&["id"], requests.iter().copied());
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
    decision.tx.each(sql, &[decision.now.into()], &rows).await.map(drop)
}

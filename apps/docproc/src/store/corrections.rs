//! What the machine said and what a person said: what we learn from, and are judged by.

use db::{Decision, Error, Row, Tx};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::{pages::page_text, reviews::TaskRow};
use crate::training::Lesson;

/// What a person decided.
#[derive(Clone, Debug)]
pub struct NewCorrection<'a> {
    pub task: &'a TaskRow,
    pub kind: &'static str,
    pub operator: &'a str,
    pub doc_type: &'a str,
    pub machine: Json,
    pub person: Json,
    pub changed: bool,
    pub golden: bool,
    /// The page whose words are kept with it.
    pub page: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct CorrectionRow {
    pub id: String,
    pub task_id: String,
    pub request_id: String,
    pub kind: String,
    pub workflow_name: String,
    pub operator: String,
    pub doc_type: String,
    pub machine: Json,
    pub person: Json,
    pub changed: bool,
    pub golden: bool,
    pub created_at: Timestamp,
}

pub async fn keep(decision: &mut Decision, new: &NewCorrection<'_>) -> Result<String, Error> {
    let sql = "INSERT INTO review_corrections (id, task_id, request_id, item, kind, workflow_name,
               operator, doc_type, machine, person, changed, golden, created_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let id = uuid::Uuid::now_v7().to_string();
    let args = [
        id.as_str().into(),
        new.task.id.as_str().into(),
        new.task.request_id.as_str().into(),
        new.task.item.key().into(),
        new.kind.into(),
        new.task.workflow_name.as_str().into(),
        new.operator.into(),
        new.doc_type.into(),
        new.machine.clone().into(),
        new.person.clone().into(),
        i64::from(new.changed).into(),
        i64::from(new.golden).into(),
        decision.now.into(),
    ];
    decision.tx.execute(sql, &args).await?;
    if let Some(n) = new.page {
        let sql = "UPDATE review_corrections SET width = p.width, height = p.height,
                   words = p.words, ocr_source = p.ocr_source, turned = p.turned
                   FROM pages AS p WHERE review_corrections.id = $1
                   AND p.request_id = $2 AND p.n = $3";
        let args = [id.as_str().into(), new.task.request_id.as_str().into(), n.into()];
        decision.tx.execute(sql, &args).await?;
    }
    Ok(id)
}

/// Marks a correction as a case to be judged by. Answers whether there is one.
pub async fn mark(decision: &mut Decision, id: &str, golden: bool) -> Result<bool, Error> {
    let sql = "UPDATE review_corrections SET golden = $2 WHERE id = $1";
    Ok(decision.tx.execute(sql, &[id.into(), i64::from(golden).into()]).await? == 1)
}

/// Newest first.
pub async fn list(
    tx: &mut Tx,
    kind: Option<&str>,
    golden: Option<bool>,
    before: Option<&str>,
    limit: i64,
) -> Result<Vec<CorrectionRow>, Error> {
    let sql = "SELECT * FROM review_corrections WHERE ($1 IS NULL OR kind = $1)
               AND ($2 IS NULL OR golden = $2) AND ($3 IS NULL OR id < $3)
               ORDER BY id DESC LIMIT $4";
    let golden = golden.map(i64::from);
    let args = [kind.into(), golden.into(), before.into(), limit.into()];
    tx.all(sql, &args).await?.iter().map(correction).collect()
}

pub async fn find(tx: &mut Tx, id: &str) -> Result<Option<CorrectionRow>, Error> {
    let sql = "SELECT * FROM review_corrections WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(correction).transpose()
}

/// Pages whose type a person gave, newest first.
pub async fn lessons(tx: &mut Tx, limit: i64) -> Result<Vec<Lesson>, Error> {
    let sql = "SELECT doc_type, width, height, words, ocr_source, turned FROM review_corrections
               WHERE kind = 'classification' AND words IS NOT NULL
               ORDER BY created_at DESC, id DESC LIMIT $1";
    let rows = tx.all(sql, &[limit.into()]).await?;
    let lesson = |row: &Row| Ok(Lesson { page: page_text(row)?, doc_type: row.get("doc_type")? });
    rows.iter().map(lesson).collect()
}

fn correction(row: &Row) -> Result<CorrectionRow, Error> {
    Ok(CorrectionRow {
        id: row.get("id")?,
        task_id: row.get("task_id")?,
        request_id: row.get("request_id")?,
        kind: row.get("kind")?,
        workflow_name: row.get("workflow_name")?,
        operator: row.get("operator")?,
        doc_type: row.get("doc_type")?,
        machine: row.get("machine")?,
        person: row.get("person")?,
        changed: row.get::<i64>("changed")? != 0,
        golden: row.get::<i64>("golden")? != 0,
        created_at: row.get("created_at")?,
    })
}

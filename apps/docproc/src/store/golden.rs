//! Golden cases: files with the answer they must get. Cases are added and retired; nothing here
//! changes or removes one.

use std::collections::HashSet;

use db::{Decision, Error, Row, Rows, Scope, Tx};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::requests::FileRow;

#[derive(Clone, Debug)]
pub struct CaseRow {
    pub id: String,
    pub workflow: String,
    pub name: String,
    /// The request it was taken from.
    pub request_id: Option<String>,
    pub expected: Json,
    pub added_by: String,
    pub added_at: Timestamp,
    pub retired: Option<Retired>,
    /// When it was last run with the version in force.
    pub last: Option<Last>,
}

#[derive(Clone, Debug)]
pub struct Retired {
    pub at: Timestamp,
    pub by: String,
    pub reason: String,
}

#[derive(Clone, Debug)]
pub struct Last {
    pub verdict: String,
    pub version: i64,
    pub at: Timestamp,
}

/// How sure the machine was of something whose truth is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    pub doc_type: String,
    /// Absent: the type of a page.
    pub field: Option<String>,
    pub confidence: f64,
    pub right: bool,
}

/// Decisions about cases happen one after another.
pub fn scope() -> Scope {
    Scope::new("docproc golden")
}

pub async fn insert(
    decision: &mut Decision,
    case: &CaseRow,
    files: &[FileRow],
) -> Result<(), Error> {
    let sql = "INSERT INTO golden_cases (id, workflow_name, name, request_id, expected, added_by,
               added_at, retired_at, retired_by, retired_reason)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let retired = case.retired.as_ref();
    let args = [
        case.id.as_str().into(),
        case.workflow.as_str().into(),
        case.name.as_str().into(),
        case.request_id.clone().into(),
        case.expected.clone().into(),
        case.added_by.as_str().into(),
        case.added_at.into(),
        retired.map(|one| one.at).into(),
        retired.map(|one| one.by.clone()).into(),
        retired.map(|one| one.reason.clone()).into(),
    ];
    decision.tx.execute(sql, &args).await?;
    let mut rows = Rows::new(&["n", "name", "kind", "bytes", "sha256", "place", "content"]);
    for file in files {
        rows.push([
            file.n.into(),
            file.name.as_str().into(),
            file.kind.as_str().into(),
            i64::try_from(file.bytes).unwrap_or(i64::MAX).into(),
            file.sha256.as_str().into(),
            file.place.as_str().into(),
            file.content.as_ref().map(|content| content.to_vec()).into(),
        ]);
    }
    let sql = "INSERT INTO golden_files (case_id, n, name, kind, bytes, sha256, place, content)
               SELECT $1, n, name, kind, bytes, sha256, place, content FROM ROWS";
    decision.tx.each(sql, &[case.id.as_str().into()], &rows).await.map(drop)
}

/// Who sent the request a case was taken from; of files that were added, whoever added them.
pub async fn owner(tx: &mut Tx, case: &CaseRow) -> Result<String, Error> {
    let sql = "SELECT created_by FROM requests WHERE id = $1";
    let row = match &case.request_id {
        Some(id) => tx.optional(sql, &[id.as_str().into()]).await?,
        None => None,
    };
    row.map_or_else(|| Ok(case.added_by.clone()), |row| row.get("created_by"))
}

/// Takes a case out of the set; it stays listed. Answers whether it was in it.
pub async fn retire(
    decision: &mut Decision,
    id: &str,
    by: &str,
    reason: &str,
) -> Result<bool, Error> {
    let sql = "UPDATE golden_cases SET retired_at = $2, retired_by = $3, retired_reason = $4
               WHERE id = $1 AND retired_at IS NULL";
    let args = [id.into(), decision.now.into(), by.into(), reason.into()];
    Ok(decision.tx.execute(sql, &args).await? == 1)
}

/// What came of a case with a version that is in force.
pub async fn record(
    decision: &mut Decision,
    id: &str,
    version: i64,
    verdict: &str,
    observed: &[Observed],
) -> Result<(), Error> {
    let sql = "UPDATE golden_cases SET verdict = $2, verdict_version = $3, verdict_at = $4,
               observed = $5 WHERE id = $1";
    let observed =
        serde_json::to_value(observed).map_err(|error| Error::corrupt(error.to_string()))?;
    let args = [id.into(), verdict.into(), version.into(), decision.now.into(), observed.into()];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Oldest first, after a case with this id; ids grow with time.
pub async fn list(
    tx: &mut Tx,
    workflow: Option<&str>,
    after: Option<&str>,
    limit: i64,
) -> Result<Vec<CaseRow>, Error> {
    let sql = "SELECT * FROM golden_cases WHERE ($1 IS NULL OR workflow_name = $1)
               AND ($2 IS NULL OR id > $2) ORDER BY id LIMIT $3";
    let args = [workflow.into(), after.into(), limit.into()];
    tx.all(sql, &args).await?.iter().map(case).collect()
}

/// Every case of a workflow that is not retired, oldest first.
pub async fn in_use(tx: &mut Tx, workflow: &str) -> Result<Vec<CaseRow>, Error> {
    let sql = "SELECT * FROM golden_cases WHERE workflow_name = $1 AND retired_at IS NULL
               ORDER BY id";
    tx.all(sql, &[workflow.into()]).await?.iter().map(case).collect()
}

pub async fn find(tx: &mut Tx, id: &str) -> Result<Option<CaseRow>, Error> {
    let sql = "SELECT * FROM golden_cases WHERE id = $1";
    tx.optional(sql, &[id.into()]).await?.as_ref().map(case).transpose()
}

/// The case that has this name or was taken from this request, of those in use.
pub async fn twin(
    tx: &mut Tx,
    workflow: &str,
    name: &str,
    request: Option<&str>,
) -> Result<Option<CaseRow>, Error> {
    let sql = "SELECT * FROM golden_cases WHERE retired_at IS NULL
               AND ((workflow_name = $1 AND name = $2) OR request_id = $3) ORDER BY id LIMIT 1";
    let args = [workflow.into(), name.into(), request.into()];
    tx.optional(sql, &args).await?.as_ref().map(case).transpose()
}

/// Which of these are no cases.
pub async fn unknown(tx: &mut Tx, ids: &[String]) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM golden_cases WHERE id IN (SELECT id FROM ROWS)";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], ids)).await?;
    let known = rows.iter().map(|row| row.get("id")).collect::<Result<HashSet<String>, _>>()?;
    Ok(ids.iter().filter(|id| !known.contains(*id)).cloned().collect())
}

pub async fn files(tx: &mut Tx, id: &str) -> Result<Vec<FileRow>, Error> {
    let sql = "SELECT * FROM golden_files WHERE case_id = $1 ORDER BY n";
    tx.all(sql, &[id.into()]).await?.iter().map(file).collect()
}

fn file(row: &Row) -> Result<FileRow, Error> {
    Ok(FileRow {
        n: row.get::<i64>("n")? as u32,
        name: row.get("name")?,
        kind: row.get("kind")?,
        bytes: row.get::<i64>("bytes")? as u64,
        sha256: row.get("sha256")?,
        place: row.get("place")?,
        content: row.maybe::<Vec<u8>>("content")?.map(bytes::Bytes::from),
        packed_in: None,
        password: None,
        pages: None,
        set_aside: Vec::new(),
    })
}

/// Completed requests with a correction that was marked golden, of which no case was ever made,
/// and who corrected them.
pub async fn marked(tx: &mut Tx, limit: i64) -> Result<Vec<(String, String)>, Error> {
    let sql = "SELECT c.request_id, MIN(c.operator) AS operator FROM review_corrections AS c
               JOIN requests AS r ON r.id = c.request_id
               WHERE c.golden = 1 AND r.status = 'completed' AND r.cleared_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM golden_cases AS g WHERE g.request_id = c.request_id)
               GROUP BY c.request_id LIMIT $1";
    let rows = tx.all(sql, &[limit.into()]).await?;
    rows.iter().map(|row| Ok((row.get("request_id")?, row.get("operator")?))).collect()
}

/// What the cases in use showed when they were last run.
pub async fn observed(tx: &mut Tx, workflow: Option<&str>) -> Result<Vec<Observed>, Error> {
    let sql = "SELECT observed FROM golden_cases WHERE retired_at IS NULL
               AND observed IS NOT NULL AND ($1 IS NULL OR workflow_name = $1)
               ORDER BY id DESC LIMIT 2000";
    let mut all = Vec::new();
    for row in tx.all(sql, &[workflow.into()]).await? {
        let of_case: Vec<Observed> = serde_json::from_value(row.get::<Json>("observed")?)
            .map_err(|error| Error::corrupt(format!("observed: {error}")))?;
        all.extend(of_case);
    }
    Ok(all)
}

/// By workflow: cases in use, and of those how many differed or failed when last run.
pub async fn tally(tx: &mut Tx) -> Result<Vec<(String, i64, i64)>, Error> {
    let sql = "SELECT workflow_name, COUNT(*) AS n,
               SUM(CASE WHEN verdict IN ('different', 'failed') THEN 1 ELSE 0 END) AS off
               FROM golden_cases WHERE retired_at IS NULL GROUP BY workflow_name
               ORDER BY workflow_name";
    let rows = tx.all(sql, &[]).await?;
    rows.iter().map(|row| Ok((row.get("workflow_name")?, row.get("n")?, row.get("off")?))).collect()
}

fn case(row: &Row) -> Result<CaseRow, Error> {
    let retired = match row.maybe("retired_at")? {
        Some(at) => {
            Some(Retired { at, by: row.get("retired_by")?, reason: row.get("retired_reason")? })
        }
        None => None,
    };
    let last = match row.maybe("verdict")? {
        Some(verdict) => {
            Some(Last { verdict, version: row.get("verdict_version")?, at: row.get("verdict_at")? })
        }
        None => None,
    };
    Ok(CaseRow {
        id: row.get("id")?,
        workflow: row.get("workflow_name")?,
        name: row.get("name")?,
        request_id: row.maybe("request_id")?,
        expected: row.get("expected")?,
        added_by: row.get("added_by")?,
        added_at: row.get("added_at")?,
        retired,
        last,
    })
}

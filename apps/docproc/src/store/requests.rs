//! Requests and their files.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use db::{Decision, Error, Row, Rows, Tx, Value, trusted};
use engine::Word as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;

use super::{
    Visibility,
    answers::{self, Given},
};
use crate::model::{Progress, Standing, Status};

#[derive(Clone, Debug)]
pub struct RequestRow {
    pub id: String,
    pub trace_id: String,
    pub external_id: Option<String>,
    pub channel: String,
    pub workflow_id: i64,
    pub workflow_name: String,
    pub status: Status,
    pub priority: i64,
    pub sla_seconds: f64,
    pub deadline: Timestamp,
    pub page_count: Option<u32>,
    pub document_count: Option<u32>,
    pub stage_at: i32,
    pub progress: Progress,
    pub run: i64,
    pub metadata: Json,
    pub result: Option<Json>,
    pub error: Option<String>,
    pub error_code: Option<String>,
    pub duplicate_of: Option<String>,
    pub created_by: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub breached_at: Option<Timestamp>,
    /// When the monitor next has to look at it.
    pub next_check: Option<Timestamp>,
    /// When a first answer was given that still lacked documents.
    pub partial_at: Option<Timestamp>,
    /// Who wants to be told of answers.
    pub callback_url: Option<String>,
    /// When its files and contents were removed.
    pub cleared_at: Option<Timestamp>,
}

/// A file of a request. `place` is where the storage keeps it unless it is small and its content is
/// here; the client's name is only shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    pub n: u32,
    pub name: String,
    pub kind: String,
    pub bytes: u64,
    pub sha256: String,
    pub place: String,
    pub content: Option<Bytes>,
    pub packed_in: Option<u32>,
    pub password: Option<String>,
    pub pages: Option<u32>,
    /// Of an archive: what in it could not be read.
    pub set_aside: Vec<Aside>,
}

/// A file of an archive that was set aside, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Aside {
    pub name: String,
    pub code: String,
    pub es: String,
    pub en: String,
}

pub async fn insert(decision: &mut Decision, requests: &[RequestRow]) -> Result<(), Error> {
    let mut rows = Rows::new(db::columns![
        id trace_id external_id channel workflow_id workflow_name priority sla_seconds
        deadline_utc metadata duplicate_of created_by created_at next_check_at callback_url
    ]);
    for request in requests {
        rows.push([
            request.id.as_str().into(),
            request.trace_id.as_str().into(),
            request.external_id.clone().into(),
            request.channel.as_str().into(),
            request.workflow_id.into(),
            request.workflow_name.as_str().into(),
            request.priority.into(),
            request.sla_seconds.into(),
            request.deadline.into(),
            request.metadata.clone().into(),
            request.duplicate_of.clone().into(),
            request.created_by.as_str().into(),
            request.created_at.into(),
            request.next_check.into(),
            request.callback_url.clone().into(),
        ]);
    }
    let sql = "INSERT INTO requests (id, trace_id, external_id, channel, workflow_id,
               workflow_name, priority, sla_seconds, deadline_utc, metadata, duplicate_of,
               created_by, created_at, updated_at, next_check_at, callback_url)
               SELECT id, trace_id, external_id, channel, workflow_id, workflow_name, priority,
               sla_seconds, deadline_utc, metadata, duplicate_of, created_by, created_at,
               created_at, next_check_at, callback_url FROM ROWS";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

/// Writes files; one that is there already learns how many pages it has.
pub async fn put_files(decision: &mut Decision, files: &[(&str, &FileRow)]) -> Result<(), Error> {
    let mut rows = Rows::new(db::columns![
        request_id n name kind bytes sha256 place content packed_in password pages set_aside
    ]);
    for (request, file) in files {
        rows.push([
            (*request).into(),
            file.n.into(),
            file.name.as_str().into(),
            file.kind.as_str().into(),
            i64::try_from(file.bytes).unwrap_or(i64::MAX).into(),
            file.sha256.as_str().into(),
            file.place.as_str().into(),
            file.content.as_ref().map(|content| content.to_vec()).into(),
            file.packed_in.into(),
            file.password.clone().into(),
            file.pages.into(),
            told(&file.set_aside).into(),
        ]);
    }
    let sql = "INSERT INTO request_files (request_id, n, name, kind, bytes, sha256, place,
               content, packed_in, password, pages, set_aside)
               SELECT request_id, n, name, kind, bytes, sha256, place, content, packed_in,
               password, pages, set_aside FROM ROWS WHERE true
               ON CONFLICT (request_id, n) DO UPDATE SET pages = excluded.pages,
               set_aside = excluded.set_aside";
    decision.tx.each(sql, &[], &rows).await.map(drop)
}

fn told(aside: &[Aside]) -> Option<Json> {
    if aside.is_empty() { None } else { serde_json::to_value(aside).ok() }
}

/// What was set aside of the archives of these requests.
pub async fn set_aside(tx: &mut Tx, ids: &[&str]) -> Result<HashMap<String, Vec<Aside>>, Error> {
    let sql = "SELECT request_id, set_aside FROM request_files WHERE set_aside IS NOT NULL
               AND request_id IN (SELECT id FROM ROWS) ORDER BY request_id, n";
    let mut aside: HashMap<String, Vec<Aside>> = HashMap::new();
    for row in tx.all_of(sql, &[], &Rows::of(&["id"], ids.iter().copied())).await? {
        aside.entry(row.get("request_id")?).or_default().extend(asides(&row)?);
    }
    Ok(aside)
}

fn asides(row: &Row) -> Result<Vec<Aside>, Error> {
    let told = row.maybe::<Json>("set_aside")?;
    Ok(told.and_then(|told| serde_json::from_value(told).ok()).unwrap_or_default())
}

/// A request that is there for whoever asks.
pub async fn find(
    tx: &mut Tx,
    visibility: Visibility<'_>,
    id: &str,
) -> Result<Option<RequestRow>, Error> {
    let sql = "SELECT * FROM requests WHERE id = $1 AND ($2 IS NULL OR created_by = $2)";
    let args = [id.into(), visibility.owner().map(str::to_owned).into()];
    tx.optional(sql, &args).await?.as_ref().map(request).transpose()
}

pub async fn files(tx: &mut Tx, id: &str) -> Result<Vec<FileRow>, Error> {
    let sql = "SELECT * FROM request_files WHERE request_id = $1 ORDER BY n";
    tx.all(sql, &[id.into()]).await?.iter().map(file).collect()
}

/// Passwords that are kept, as they are kept.
pub async fn passwords(tx: &mut Tx) -> Result<Vec<(String, i64, String)>, Error> {
    let sql = "SELECT request_id, n, password FROM request_files WHERE password IS NOT NULL";
    let rows = tx.all(sql, &[]).await?;
    rows.iter()
        .map(|row| Ok((row.get("request_id")?, row.get("n")?, row.get("password")?)))
        .collect()
}

pub async fn set_password(tx: &mut Tx, id: &str, n: i64, password: &str) -> Result<(), Error> {
    let sql = "UPDATE request_files SET password = $3 WHERE request_id = $1 AND n = $2";
    tx.execute(sql, &[id.into(), n.into(), password.into()]).await.map(drop)
}

/// The oldest requests that sent the same contents before, by hash.
pub async fn with_hashes(tx: &mut Tx, hashes: &[&str]) -> Result<HashMap<String, String>, Error> {
    let sql = "SELECT v.hash, (SELECT requests.id FROM request_files
                               JOIN requests ON requests.id = request_files.request_id
                               WHERE request_files.sha256 = v.hash
                               ORDER BY requests.created_at LIMIT 1) AS id FROM ROWS";
    let mut found = HashMap::new();
    for row in tx.all_of(sql, &[], &Rows::of(&["hash"], hashes.iter().copied())).await? {
        if let Some(id) = row.maybe("id")? {
            found.insert(row.get("hash")?, id);
        }
    }
    Ok(found)
}

/// Which of these are no requests.
pub async fn unknown(tx: &mut Tx, ids: &[String]) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM requests WHERE id IN (SELECT id FROM ROWS)";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], ids)).await?;
    let known = rows.iter().map(|row| row.get("id")).collect::<Result<HashSet<String>, _>>()?;
    Ok(ids.iter().filter(|id| !known.contains(*id)).cloned().collect())
}

/// Requests of a workflow that ended before an instant and still have their contents.
pub async fn outlived(
    tx: &mut Tx,
    workflow: &str,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM requests WHERE workflow_name = $1 AND completed_at < $2
               AND completed_at IS NOT NULL AND cleared_at IS NULL
               AND status IN ('completed', 'failed', 'cancelled')
               ORDER BY completed_at LIMIT $3";
    let rows = tx.all(sql, &[workflow.into(), before.into(), limit.into()]).await?;
    rows.iter().map(|row| row.get("id")).collect()
}

/// Remembers a dropped file with its request. `Some`: it was taken before, by this one.
pub async fn dropped(
    decision: &mut Decision,
    key: &str,
    request: &str,
) -> Result<Option<String>, Error> {
    let sql = "INSERT INTO folder_files (key, request_id, taken_at) VALUES ($1, $2, $3)
               ON CONFLICT (key) DO NOTHING RETURNING request_id";
    let args = [key.into(), request.into(), decision.now.into()];
    if decision.tx.optional(sql, &args).await?.is_some() {
        return Ok(None);
    }
    let sql = "SELECT request_id FROM folder_files WHERE key = $1";
    decision.tx.one(sql, &[key.into()]).await?.get("request_id").map(Some)
}

/// What a list of requests is narrowed by.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<String>,
    pub workflow: Option<String>,
    pub channel: Option<String>,
    /// In the external reference, the id or a file's name.
    pub text: Option<String>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// The last one of the page before: when it was created, and its id.
    pub before: Option<(Timestamp, String)>,
    pub limit: i64,
}

/// Newest first, of those that are there for whoever asks.
pub async fn list(
    tx: &mut Tx,
    visibility: Visibility<'_>,
    filter: &Filter,
) -> Result<Vec<RequestRow>, Error> {
    let mut sql = "SELECT * FROM requests WHERE 1 = 1".to_owned();
    let mut args: Vec<Value> = Vec::new();
    let mut narrow = |condition: &str, values: Vec<Value>| {
        let mut condition = condition.to_owned();
        for value in values {
            args.push(value);
            condition = condition.replacen('?', &format!("${}", args.len()), 1);
        }
        sql.push_str(&condition);
    };
    if let Some(owner) = visibility.owner() {
        narrow(" AND created_by = ?", vec![owner.into()]);
    }
    match filter.status.as_deref() {
        Some("open") => narrow(" AND status NOT IN ('completed', 'failed', 'cancelled')", vec![]),
        Some("review") => narrow(
            " AND id IN (SELECT request_id FROM review_tasks WHERE status IN ('pending', \
             'assigned', 'timeout'))",
            vec![],
        ),
        Some("sla_breached") => narrow(" AND sla_breached_at IS NOT NULL", vec![]),
        Some(status) => narrow(" AND status = ?", vec![status.into()]),
        None => {}
    }
    if let Some(workflow) = &filter.workflow {
        narrow(" AND workflow_name = ?", vec![workflow.into()]);
    }
    if let Some(channel) = &filter.channel {
        narrow(" AND channel = ?", vec![channel.into()]);
    }
    if let Some(text) = &filter.text {
        let exact: Value = text.into();
        let like: Value = format!("%{}%", escaped(text)).into();
        narrow(
            " AND (id = ? OR external_id LIKE ? ESCAPE '\\' OR id IN (SELECT request_id FROM \
             request_files WHERE name LIKE ? ESCAPE '\\'))",
            vec![exact, like.clone(), like],
        );
    }
    if let Some(from) = filter.from {
        narrow(" AND created_at >= ?", vec![from.into()]);
    }
    if let Some(to) = filter.to {
        narrow(" AND created_at < ?", vec![to.into()]);
    }
    if let Some((at, id)) = &filter.before {
        narrow(
            " AND (created_at < ? OR (created_at = ? AND id < ?))",
            vec![(*at).into(), (*at).into(), id.into()],
        );
    }
    narrow(" ORDER BY created_at DESC, id DESC LIMIT ?", vec![filter.limit.into()]);
    tx.all(trusted(sql), &args).await?.iter().map(request).collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// What changes of a request; what is left out stays as it was.
#[derive(Debug, Default)]
pub struct RequestPatch {
    pub standing: Option<Standing>,
    pub page_count: Option<u32>,
    pub document_count: Option<u32>,
    pub status: Option<Status>,
    /// Its answer, when it is completed.
    pub result: Option<Json>,
}

/// Writes requests that are under way: id, what changes.
pub async fn write(
    decision: &mut Decision,
    requests: &[(&str, &RequestPatch)],
) -> Result<(), Error> {
    let mut rows =
        Rows::new(&["id", "stage_at", "progress", "pages", "documents", "state", "answer"]);
    for (id, request) in requests {
        let completed = request.status == Some(Status::Completed);
        let progress = request.standing.map(|standing| standing.progress);
        let progress = if completed { Some(Progress::Done) } else { progress };
        rows.push([
            (*id).into(),
            request.standing.map(|standing| standing.at).into(),
            progress.map(Progress::word).into(),
            request.page_count.into(),
            request.document_count.into(),
            request.status.map(Status::word).into(),
            request.result.clone().into(),
        ]);
    }
    let sql = "UPDATE requests SET stage_at = COALESCE(v.stage_at, requests.stage_at),
               standing = COALESCE(v.progress, requests.standing),
               page_count = COALESCE(v.pages, page_count),
               document_count = COALESCE(v.documents, document_count),
               status = COALESCE(v.state, status), result = COALESCE(v.answer, result),
               error = CASE WHEN v.state = 'completed' THEN NULL ELSE error END,
               error_code = CASE WHEN v.state = 'completed' THEN NULL ELSE error_code END,
               completed_at = CASE WHEN v.state = 'completed' THEN $1 ELSE completed_at END,
               updated_at = $1
               FROM ROWS WHERE requests.id = v.id
               AND status NOT IN ('completed', 'failed', 'cancelled')";
    if decision.tx.each(sql, &[decision.now.into()], &rows).await? != rows.len() as u64 {
        return Err(Error::conflict("request"));
    }
    Ok(())
}

/// Ends a request that cannot go on.
pub async fn fail(
    decision: &mut Decision,
    id: &str,
    status: Status,
    code: &str,
    error: &str,
) -> Result<(), Error> {
    let sql = "UPDATE requests SET status = $2, error_code = $3, error = $4, updated_at = $5,
               completed_at = $5 WHERE id = $1
               AND status NOT IN ('completed', 'failed', 'cancelled') RETURNING *";
    let args = [id.into(), status.word().into(), code.into(), error.into(), decision.now.into()];
    let Some(ended) = decision.tx.optional(sql, &args).await? else { return Ok(()) };
    let ended = request(&ended)?;
    if ended.callback_url.is_some() {
        let answer = Given::new(&ended, answers::Kind::Final, status.word(), None, &[]);
        answers::give(decision, &[answer]).await?;
    }
    Ok(())
}

pub(super) fn request(row: &Row) -> Result<RequestRow, Error> {
    let count = |name| row.maybe::<i64>(name).map(|n| n.map(|n| n as u32));
    Ok(RequestRow {
        id: row.get("id")?,
        trace_id: row.get("trace_id")?,
        external_id: row.maybe("external_id")?,
        channel: row.get("channel")?,
        workflow_id: row.get("workflow_id")?,
        workflow_name: row.get("workflow_name")?,
        status: row.word("status", Status::from_word)?,
        priority: row.get("priority")?,
        sla_seconds: row.get("sla_seconds")?,
        deadline: row.get("deadline_utc")?,
        page_count: count("page_count")?,
        document_count: count("document_count")?,
        stage_at: row.get::<i64>("stage_at")? as i32,
        progress: row.word("standing", Progress::from_word)?,
        run: row.get("run")?,
        metadata: row.get("metadata")?,
        result: row.maybe("result")?,
        error: row.maybe("error")?,
        error_code: row.maybe("error_code")?,
        duplicate_of: row.maybe("duplicate_of")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        completed_at: row.maybe("completed_at")?,
        breached_at: row.maybe("sla_breached_at")?,
        next_check: row.maybe("next_check_at")?,
        partial_at: row.maybe("partial_at")?,
        callback_url: row.maybe("callback_url")?,
        cleared_at: row.maybe("cleared_at")?,
    })
}

pub(super) fn file(row: &Row) -> Result<FileRow, Error> {
    Ok(FileRow {
        n: row.get::<i64>("n")? as u32,
        name: row.get("name")?,
        kind: row.get("kind")?,
        bytes: row.get::<i64>("bytes")? as u64,
        sha256: row.get("sha256")?,
        place: row.get("place")?,
        content: row.maybe::<Vec<u8>>("content")?.map(Bytes::from),
        packed_in: row.maybe::<i64>("packed_in")?.map(|n| n as u32),
        password: row.maybe("password")?,
        pages: row.maybe::<i64>("pages")?.map(|n| n as u32),
        set_aside: asides(row)?,
    })
}

//! What the screens count.

use std::collections::{BTreeMap, HashMap};

use db::{Error, Row, Rows, Tx, trusted};
use jiff::{SignedDuration, Timestamp};

/// Requests by how they stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub ever: bool,
    pub open: i64,
    pub completed: i64,
    pub failed: i64,
    /// Of the completed ones, those in time.
    pub in_time: i64,
    /// Open and past their deadline.
    pub late: i64,
    /// Open with less than three tenths of their time left (§7.2).
    pub at_risk: i64,
}

/// Older requests that ended since are few, and not worth reading the whole history for.
const MEMORY: SignedDuration = SignedDuration::from_hours(8 * 24);

/// What is open now and what ended since `today`.
pub async fn counts(tx: &mut Tx, today: Timestamp, now: Timestamp) -> Result<Counts, Error> {
    let sql = "SELECT
        SUM(CASE WHEN NOT ended THEN 1 ELSE 0 END) AS open,
        SUM(CASE WHEN NOT ended AND deadline_utc < $2 THEN 1 ELSE 0 END) AS late,
        SUM(CASE WHEN NOT ended AND deadline_utc >= $2
            AND created_at + (deadline_utc - created_at) * 0.7 < $2 THEN 1 ELSE 0 END) AS risk,
        SUM(CASE WHEN status = 'completed' AND completed_at >= $1 THEN 1 ELSE 0 END) AS completed,
        SUM(CASE WHEN status = 'completed' AND completed_at >= $1
            AND completed_at <= deadline_utc THEN 1 ELSE 0 END) AS in_time,
        SUM(CASE WHEN status = 'failed' AND completed_at >= $1 THEN 1 ELSE 0 END) AS failed
        FROM (SELECT *, status IN ('completed', 'failed', 'cancelled') AS ended FROM requests
              WHERE created_at >= $3
              OR status NOT IN ('completed', 'failed', 'cancelled')) AS recent";
    let memory = today.saturating_sub(MEMORY).unwrap_or(Timestamp::MIN);
    let row = tx.one(sql, &[today.into(), now.into(), memory.into()]).await?;
    let count = |name| row.maybe::<i64>(name).map(Option::unwrap_or_default);
    let ever = tx.optional("SELECT id FROM requests LIMIT 1", &[]).await?.is_some();
    Ok(Counts {
        ever,
        open: count("open")?,
        completed: count("completed")?,
        failed: count("failed")?,
        in_time: count("in_time")?,
        late: count("late")?,
        at_risk: count("risk")?,
    })
}

/// Open questions to people: about types, about fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    pub classification: i64,
    pub extraction: i64,
}

impl Waiting {
    pub const fn all(self) -> i64 {
        self.classification + self.extraction
    }
}

pub async fn waiting(tx: &mut Tx) -> Result<Waiting, Error> {
    let sql = "SELECT task_type, COUNT(*) AS n FROM review_tasks
               WHERE status IN ('pending', 'assigned', 'timeout') GROUP BY task_type";
    let mut waiting = Waiting::default();
    for row in tx.all(sql, &[]).await? {
        let n = row.get("n")?;
        match row.get::<String>("task_type")?.as_str() {
            "classification" => waiting.classification = n,
            _ => waiting.extraction = n,
        }
    }
    Ok(waiting)
}

/// Pages read in each of the last minutes, oldest first.
pub async fn pages_read(tx: &mut Tx, now: Timestamp, minutes: usize) -> Result<Vec<i64>, Error> {
    let span = SignedDuration::from_mins(minutes as i64);
    let from = now.saturating_sub(span).unwrap_or(Timestamp::MIN);
    let minute = tx.dialect().pick(
        "(finished_at - $1) / 60000000",
        "FLOOR(EXTRACT(EPOCH FROM (finished_at - $1::timestamptz)) / 60)::bigint",
    );
    let sql = format!(
        "SELECT {minute} AS minute, COUNT(*) AS n FROM messages WHERE state = 'DONE'
         AND component = 'ocr' AND finished_at >= $1 GROUP BY 1"
    );
    let mut read = vec![0; minutes];
    for row in tx.all(trusted(sql), &[from.into()]).await? {
        let minute = usize::try_from(row.get::<i64>("minute")?).unwrap_or(minutes);
        if let Some(place) = read.get_mut(minute.min(minutes.saturating_sub(1))) {
            *place += row.get::<i64>("n")?;
        }
    }
    Ok(read)
}

/// How many messages of a component waited and how many were done, minute by minute, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    pub waiting: Vec<i64>,
    pub done: Vec<i64>,
}

/// Messages that are looked at for it; a busier house shows its latest.
const MOST_MESSAGES: i64 = 20_000;

/// By component, for each of the last minutes.
pub async fn courses(
    tx: &mut Tx,
    now: Timestamp,
    minutes: usize,
) -> Result<BTreeMap<String, Course>, Error> {
    let span = SignedDuration::from_mins(minutes as i64);
    let from = now.saturating_sub(span).unwrap_or(Timestamp::MIN);
    let sql = "SELECT component, created_at, started_at, finished_at FROM messages
               WHERE state IN ('READY', 'CLAIMED') OR (state = 'DONE' AND finished_at >= $1)
               ORDER BY id DESC LIMIT $2";
    let minute = |at: Timestamp| at.duration_since(from).as_secs().div_euclid(60);
    let mut all: BTreeMap<String, Course> = BTreeMap::new();
    for row in tx.all(sql, &[from.into(), MOST_MESSAGES.into()]).await? {
        let course = all
            .entry(row.get("component")?)
            .or_insert_with(|| Course { waiting: vec![0; minutes], done: vec![0; minutes] });
        let (came, began): (Timestamp, Option<Timestamp>) =
            (row.get("created_at")?, row.maybe("started_at")?);
        // It waits at the end of every minute until the one in which it was taken.
        let (came, taken) = (minute(came).max(0), began.map_or(minutes as i64, minute));
        for place in came..taken.min(minutes as i64) {
            course.waiting[place as usize] += 1;
        }
        let ended: Option<Timestamp> = row.maybe("finished_at")?;
        if let Some(place) = ended.and_then(|at| usize::try_from(minute(at)).ok()) {
            course.done[place.min(minutes - 1)] += 1;
        }
    }
    Ok(all)
}

/// The first file of each request: how people recognise it.
pub async fn first_files(tx: &mut Tx, ids: &[String]) -> Result<HashMap<String, String>, Error> {
    let sql = "SELECT request_id, name FROM request_files
               WHERE n = 0 AND request_id IN (SELECT id FROM ROWS)";
    let rows = tx.all_of(sql, &[], &Rows::of(&["id"], ids)).await?;
    rows.iter().map(|row| Ok((row.get("request_id")?, row.get("name")?))).collect()
}

/// How long a component's messages took, lately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Took {
    pub messages: i64,
    /// Seconds.
    pub mean: f64,
    /// Squared coefficient of variation.
    pub variation: f64,
}

/// The newest messages say what to expect of the next ones.
pub async fn took(tx: &mut Tx) -> Result<BTreeMap<String, Took>, Error> {
    let seconds = tx.dialect().pick(
        "(finished_at - started_at) / 1000000.0",
        "EXTRACT(EPOCH FROM (finished_at - started_at))::float8",
    );
    let sql = format!(
        "SELECT component, COUNT(*) AS n, AVG(seconds) AS mean, AVG(seconds * seconds) AS square
         FROM (SELECT component, {seconds} AS seconds FROM messages
               WHERE state = 'DONE' AND started_at IS NOT NULL
               ORDER BY finished_at DESC LIMIT 20000) AS newest
         GROUP BY component"
    );
    let rows = tx.all(trusted(sql), &[]).await?;
    let of = |row: &Row| {
        let (mean, square): (f64, f64) = (row.get("mean")?, row.get("square")?);
        let variance = (square - mean * mean).max(0.0);
        let variation = if mean > 0.0 { variance / (mean * mean) } else { 0.0 };
        Ok((row.get("component")?, Took { messages: row.get("n")?, mean, variation }))
    };
    rows.iter().map(of).collect()
}

/// How much requests ask of people, lately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asking {
    pub per_request: f64,
    /// Absent until somebody finished a task.
    pub seconds_each: Option<f64>,
}

pub async fn people(tx: &mut Tx) -> Result<Asking, Error> {
    let sql = "SELECT COUNT(*) AS requests, (SELECT COUNT(*) FROM review_tasks
               WHERE request_id IN (SELECT id FROM requests ORDER BY created_at DESC LIMIT 2000))
               AS tasks FROM (SELECT id FROM requests ORDER BY created_at DESC LIMIT 2000) AS newest";
    let row = tx.one(sql, &[]).await?;
    let (requests, tasks): (i64, i64) = (row.get("requests")?, row.get("tasks")?);
    let seconds = tx.dialect().pick(
        "(completed_at - assigned_at) / 1000000.0",
        "EXTRACT(EPOCH FROM (completed_at - assigned_at))::float8",
    );
    let sql = format!(
        "SELECT AVG(seconds) AS mean FROM (SELECT {seconds} AS seconds FROM review_tasks
         WHERE status = 'completed' AND assigned_at IS NOT NULL
         ORDER BY completed_at DESC LIMIT 1000) AS newest"
    );
    let seconds_each = tx.one(trusted(sql), &[]).await?.maybe("mean")?;
    let per_request = if requests > 0 { tasks as f64 / requests as f64 } else { 0.0 };
    Ok(Asking { per_request, seconds_each })
}

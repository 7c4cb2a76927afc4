//! What alarms, metrics and the overview measure (§9.2, §9.3).

use db::{Dialect, Error, Tx, trusted};
use jiff::{SignedDuration, Timestamp, ToSpan as _, tz::TimeZone};

use super::{figures, second};
use crate::rules::alarms::Figures;

/// Reading times are compared over this, with those of the days before.
const LATELY: SignedDuration = SignedDuration::from_mins(15);
const HISTORY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Fewer pages than this say nothing about how long a page takes.
const ENOUGH_LATELY: i64 = 5;
const ENOUGH_EVER: i64 = 20;
/// The latest so many say what is usual; a busy week has millions.
const MOST_READ: i64 = 20_000;
/// Requests that took longer than this are few, and not worth reading the whole history for.
const LONGEST: SignedDuration = SignedDuration::from_hours(8 * 24);
/// So many weeks make the usual volume of an hour.
const WEEKS: i32 = 4;
/// An operator who was not heard of for longer is not there (§8.1).
const PRESENT: SignedDuration = SignedDuration::from_secs(120);

pub async fn figures(tx: &mut Tx, now: Timestamp, zone: &TimeZone) -> Result<Figures, Error> {
    let lately = before(now, LATELY);
    let (volume, usual_volume) = volume(tx, now, zone).await?;
    let (second_asked, second_failed) = second::lately(tx, now).await?;
    Ok(Figures {
        second_asked,
        second_failed,
        classification_waiting: figures::waiting(tx).await?.classification,
        reading: reading(tx, lately, now, ENOUGH_LATELY).await?,
        usual_reading: reading(tx, before(lately, HISTORY), lately, ENOUGH_EVER).await?,
        operators_free: operators_free(tx, now).await?,
        urgent_tasks: urgent_tasks(tx).await?,
        at_risk: at_risk(tx).await?,
        volume,
        usual_volume,
    })
}

fn before(at: Timestamp, span: SignedDuration) -> Timestamp {
    at.saturating_sub(span).unwrap_or(Timestamp::MIN)
}

/// Microseconds a finished message took.
fn took(dialect: Dialect) -> &'static str {
    dialect.pick(
        "(finished_at - started_at)",
        "(EXTRACT(EPOCH FROM (finished_at - started_at))::float8 * 1000000.0)",
    )
}

/// Mean seconds of reading a picture, the latest ones, if there were enough of them. A page that
/// brings its text along takes no time worth comparing.
async fn reading(
    tx: &mut Tx,
    from: Timestamp,
    to: Timestamp,
    enough: i64,
) -> Result<Option<f64>, Error> {
    let sql = format!(
        "SELECT COUNT(*) AS n, AVG(took) AS mean FROM (
           SELECT {} AS took FROM messages WHERE state = 'DONE' AND component = 'ocr'
           AND finished_at >= $1 AND finished_at < $2
           AND EXISTS (SELECT 1 FROM pages WHERE pages.request_id = messages.request_id
                       AND ocr_source = 'ocr' AND pages.n = CASE WHEN item LIKE 'p%'
                       THEN CAST(SUBSTR(item, 2) AS BIGINT) END)
           ORDER BY finished_at DESC LIMIT $3) AS last",
        took(tx.dialect())
    );
    let row = tx.one(trusted(sql), &[from.into(), to.into(), MOST_READ.into()]).await?;
    let mean: Option<f64> = row.maybe("mean")?;
    Ok(mean.filter(|_| row.get::<i64>("n").is_ok_and(|n| n >= enough)).map(|mean| mean / 1e6))
}

/// Active, heard of lately, without a task. Where no operators are kept, nobody keeps count.
async fn operators_free(tx: &mut Tx, now: Timestamp) -> Result<Option<i64>, Error> {
    let sql = "SELECT SUM(CASE WHEN is_active = 1 AND seen_at >= $1
               AND NOT EXISTS (SELECT 1 FROM review_tasks WHERE status = 'assigned'
                               AND assigned_to = operators.username)
               THEN 1 ELSE 0 END) AS free FROM operators";
    let row = tx.one(sql, &[before(now, PRESENT).into()]).await?;
    row.maybe("free")
}

/// Active and heard of lately, with a task or without.
pub async fn operators_active(tx: &mut Tx, now: Timestamp) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS n FROM operators WHERE is_active = 1 AND seen_at >= $1";
    tx.one(sql, &[before(now, PRESENT).into()]).await?.get("n")
}

/// Mean seconds from taking a task to answering it, since an instant, by its kind.
pub async fn resolution(tx: &mut Tx, since: Timestamp) -> Result<Vec<(String, f64)>, Error> {
    let seconds = tx.dialect().pick(
        "(completed_at - assigned_at) / 1000000.0",
        "EXTRACT(EPOCH FROM (completed_at - assigned_at))::float8",
    );
    let sql = format!(
        "SELECT task_type, AVG({seconds}) AS mean FROM review_tasks WHERE status = 'completed'
         AND assigned_at IS NOT NULL AND completed_at >= $1 GROUP BY task_type ORDER BY task_type"
    );
    let rows = tx.all(trusted(sql), &[since.into()]).await?;
    rows.iter().map(|row| Ok((row.get("task_type")?, row.get("mean")?))).collect()
}

/// Tasks nobody has, of requests that were escalated or warned of.
async fn urgent_tasks(tx: &mut Tx) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS n FROM review_tasks WHERE status IN ('pending', 'timeout')
               AND (priority <= 1 OR EXISTS (SELECT 1 FROM sla_checkpoints
                    WHERE sla_checkpoints.request_id = review_tasks.request_id))";
    tx.one(sql, &[]).await?.get("n")
}

/// Requests at work with less than a fifth of their time left, or none.
async fn at_risk(tx: &mut Tx) -> Result<i64, Error> {
    let sql = "SELECT COUNT(*) AS n FROM requests
               WHERE status NOT IN ('completed', 'failed', 'cancelled')
               AND EXISTS (SELECT 1 FROM sla_checkpoints WHERE request_id = requests.id
                           AND checkpoint = 'alert')";
    tx.one(sql, &[]).await?.get("n")
}

/// Requests of this hour, and the mean of the same hour of the last weeks, as far back as there is
/// anything.
async fn volume(tx: &mut Tx, now: Timestamp, zone: &TimeZone) -> Result<(i64, Option<f64>), Error> {
    let hour = now.to_zoned(zone.clone()).with().minute(0).second(0).subsec_nanosecond(0).build();
    let Ok(hour) = hour else { return Ok((0, None)) };
    let count = "SELECT COUNT(*) AS n FROM requests WHERE created_at >= $1 AND created_at < $2";
    let volume = tx.one(count, &[hour.timestamp().into(), now.into()]).await?;
    let volume: i64 = volume.get("n")?;
    let first: Option<Timestamp> =
        tx.one("SELECT MIN(created_at) AS first FROM requests", &[]).await?.maybe("first")?;
    let (mut weeks, mut sum) = (0_i64, 0_i64);
    for week in 1..=WEEKS {
        let Ok(then) = hour.checked_sub(week.weeks()) else { break };
        let from = then.timestamp();
        let to = from.saturating_add(SignedDuration::from_hours(1)).unwrap_or(from);
        if first.is_none_or(|first| first >= to) {
            break;
        }
        weeks += 1;
        sum += tx.one(count, &[from.into(), to.into()]).await?.get::<i64>("n")?;
    }
    Ok((volume, (weeks > 0).then(|| sum as f64 / weeks as f64)))
}

/// Whether any request came at or after an instant.
pub async fn came_since(tx: &mut Tx, from: Timestamp) -> Result<bool, Error> {
    let sql = "SELECT 1 AS one FROM requests WHERE created_at >= $1 LIMIT 1";
    Ok(tx.optional(sql, &[from.into()]).await?.is_some())
}

/// Requests at work: all, with under three tenths of their time left, past it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    pub all: i64,
    pub at_risk: i64,
    pub late: i64,
}

pub async fn open(tx: &mut Tx, now: Timestamp) -> Result<Open, Error> {
    let sql = "SELECT COUNT(*) AS n,
               COALESCE(SUM(CASE WHEN deadline_utc < $1 THEN 1 ELSE 0 END), 0) AS late,
               COALESCE(SUM(CASE WHEN deadline_utc >= $1
                   AND created_at + (deadline_utc - created_at) * 0.7 < $1 THEN 1 ELSE 0 END), 0)
               AS risk FROM requests WHERE status NOT IN ('completed', 'failed', 'cancelled')";
    let row = tx.one(sql, &[now.into()]).await?;
    Ok(Open { all: row.get("n")?, at_risk: row.get("risk")?, late: row.get("late")? })
}

/// How long a component takes: all but one in twenty, and all but one in a hundred, are faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    pub component: String,
    pub p95_ms: f64,
    pub p99_ms: f64,
}

pub async fn paces(tx: &mut Tx, since: Timestamp) -> Result<Vec<Pace>, Error> {
    let sql = format!(
        "SELECT component, took, rank, n FROM (
           SELECT component, took, ROW_NUMBER() OVER (PARTITION BY component ORDER BY took) AS rank,
                  COUNT(*) OVER (PARTITION BY component) AS n
           FROM (SELECT component, {} AS took FROM messages
                 WHERE state = 'DONE' AND finished_at >= $1) AS done) AS ranked
         WHERE rank = (n * 95 + 99) / 100 OR rank = (n * 99 + 99) / 100
         ORDER BY component, rank",
        tx.dialect().pick(
            "CAST(finished_at - started_at AS REAL)",
            "EXTRACT(EPOCH FROM (finished_at - started_at))::float8 * 1000000.0",
        )
    );
    let mut paces: Vec<Pace> = Vec::new();
    for row in tx.all(trusted(sql), &[since.into()]).await? {
        let component: String = row.get("component")?;
        let ms = row.get::<f64>("took")? / 1000.0;
        match paces.last_mut() {
            Some(last) if last.component == component => last.p99_ms = ms,
            _ => paces.push(Pace { component, p95_ms: ms, p99_ms: ms }),
        }
    }
    Ok(paces)
}

/// How much of something went to people.
#[derive(Clone, Debug, PartialEq)]
pub struct Manual {
    pub stage: &'static str,
    pub doc_type: String,
    pub all: i64,
    pub by_people: i64,
}

/// Pages and documents since an instant, by type.
pub async fn manual(tx: &mut Tx, since: Timestamp) -> Result<Vec<Manual>, Error> {
    let pages = "SELECT COALESCE(doc_type, '') AS doc_type, COUNT(*) AS n,
                 SUM(CASE WHEN origin = 'BACKOFFICE' OR pages.standing = 'REVIEW' THEN 1 ELSE 0 END)
                 AS people FROM pages JOIN requests ON requests.id = request_id
                 WHERE requests.created_at >= $1 AND (doc_type IS NOT NULL
                 OR pages.standing = 'REVIEW') GROUP BY 1 ORDER BY 1 LIMIT 100";
    let documents = "SELECT doc_type, COUNT(*) AS n,
                 SUM(CASE WHEN origin = 'BACKOFFICE' OR documents.standing = 'REVIEW'
                     THEN 1 ELSE 0 END) AS people
                 FROM documents JOIN requests ON requests.id = request_id
                 WHERE requests.created_at >= $1 GROUP BY doc_type ORDER BY doc_type LIMIT 100";
    let mut found = Vec::new();
    for (stage, sql) in [("classification", pages), ("extraction", documents)] {
        for row in tx.all(sql, &[since.into()]).await? {
            found.push(Manual {
                stage,
                doc_type: row.get("doc_type")?,
                all: row.get("n")?,
                by_people: row.get("people")?,
            });
        }
    }
    Ok(found)
}

/// Of the requests that were completed since: how many, without any person, and late; and how many
/// wait for a person now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Through {
    pub completed: i64,
    pub straight: i64,
    pub late: i64,
    pub with_people: i64,
}

impl Through {
    /// Those of which it is known whether they needed a person.
    pub const fn known(&self) -> i64 {
        self.completed + self.with_people
    }
}

pub async fn through(tx: &mut Tx, since: Timestamp) -> Result<Through, Error> {
    let sql = "SELECT COUNT(*) AS n,
               COALESCE(SUM(CASE WHEN NOT EXISTS (SELECT 1 FROM review_tasks
                   WHERE request_id = requests.id) THEN 1 ELSE 0 END), 0) AS straight,
               COALESCE(SUM(CASE WHEN completed_at > deadline_utc THEN 1 ELSE 0 END), 0) AS late
               FROM requests WHERE status = 'completed' AND completed_at >= $1
               AND created_at >= $2";
    let row = tx.one(sql, &[since.into(), before(since, LONGEST).into()]).await?;
    let sql = "SELECT COUNT(*) AS n FROM requests
               WHERE status NOT IN ('completed', 'failed', 'cancelled')
               AND EXISTS (SELECT 1 FROM review_tasks WHERE request_id = requests.id)";
    Ok(Through {
        completed: row.get("n")?,
        straight: row.get("straight")?,
        late: row.get("late")?,
        with_people: tx.one(sql, &[]).await?.get("n")?,
    })
}

//! Rows of alerts, and of the notices sent about them.

use db::{Decision, Row, Store, Tx};
use engine::Sentence;
use jiff::Timestamp;
use serde_json::Value as Json;
use web::Lang;

use crate::Alert;

const LISTED: i64 = 200;

/// An alert as kept, in both languages or in the reader's.
#[derive(Clone, Debug)]
pub(crate) struct Kept<Text = Sentence> {
    pub fingerprint: String,
    pub app: String,
    pub severity: String,
    pub title: Text,
    pub detail: Text,
    pub cause: String,
    pub why: String,
    pub firing: bool,
    pub occurrences: i64,
    pub since: Timestamp,
    pub last_seen: Timestamp,
    pub notified_at: Option<Timestamp>,
    pub acknowledged: Option<Attention>,
    pub muted: Option<Attention>,
}

/// Who said that they look after it, or that nobody is to be told: why, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attention {
    pub by: String,
    pub reason: String,
    /// None: until it recovers.
    pub until: Option<Timestamp>,
}

impl Attention {
    fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| until > now)
    }
}

impl Kept {
    pub(crate) fn said_in(self, lang: Lang) -> Kept<String> {
        Kept {
            title: lang.say(&self.title).to_owned(),
            detail: lang.say(&self.detail).to_owned(),
            fingerprint: self.fingerprint,
            app: self.app,
            severity: self.severity,
            cause: self.cause,
            why: self.why,
            firing: self.firing,
            occurrences: self.occurrences,
            since: self.since,
            last_seen: self.last_seen,
            notified_at: self.notified_at,
            acknowledged: self.acknowledged,
            muted: self.muted,
        }
    }
}

impl<Text> Kept<Text> {
    pub(crate) fn is_acknowledged(&self, now: Timestamp) -> bool {
        self.acknowledged.as_ref().is_some_and(|one| one.holds(now))
    }

    pub(crate) fn is_muted(&self, now: Timestamp) -> bool {
        self.muted.as_ref().is_some_and(|one| one.holds(now))
    }
}

/// How many fire that are not muted, and whether one of them is critical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Badge {
    pub count: i64,
    pub critical: bool,
}

pub(crate) async fn badge(
    store: &Store,
    now: Timestamp,
    sees: impl Fn(&str) -> bool,
) -> Result<Badge, db::Error> {
    let sql = "SELECT app, severity, COUNT(*) AS n FROM alerts
               WHERE state = 'FIRING' AND (muted_until IS NULL OR muted_until <= $1)
               GROUP BY app, severity";
    let mut badge = Badge::default();
    for row in store.read().await?.all(sql, &[now.into()]).await? {
        if sees(&row.get::<String>("app")?) {
            badge.count += row.get::<i64>("n")?;
            badge.critical |= row.get::<String>("severity")? == "CRITICAL";
        }
    }
    Ok(badge)
}

pub(crate) async fn save(
    decision: &mut Decision,
    alert: &Alert,
    fresh: bool,
    since: Timestamp,
    notified: Option<Timestamp>,
) -> Result<(), db::Error> {
    let sql = "INSERT INTO alerts (fingerprint, app, severity, title, title_en, detail, detail_en,
                                   cause, why, state, since, last_seen, notified_at)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'FIRING', $10, $11, $12)
               ON CONFLICT (fingerprint) DO UPDATE SET severity = excluded.severity,
               title = excluded.title, title_en = excluded.title_en, detail = excluded.detail,
               detail_en = excluded.detail_en, cause = excluded.cause, why = excluded.why,
               state = 'FIRING', since = excluded.since, last_seen = excluded.last_seen,
               notified_at = excluded.notified_at, occurrences = alerts.occurrences + 1,
               acknowledged_by = CASE WHEN $13 THEN NULL ELSE alerts.acknowledged_by END";
    let args = [
        alert.fingerprint.as_str().into(),
        alert.app.into(),
        alert.severity.word().into(),
        alert.title.es.as_str().into(),
        alert.title.en.as_str().into(),
        alert.detail.es.as_str().into(),
        alert.detail.en.as_str().into(),
        alert.cause.as_str().into(),
        alert.why.as_str().into(),
        since.into(),
        decision.now.into(),
        notified.into(),
        fresh.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

/// Marks it as over, and gives it back; nothing when it did not fire.
pub(crate) async fn over(
    decision: &mut Decision,
    fingerprint: &str,
) -> Result<Option<Kept>, db::Error> {
    let sql = "UPDATE alerts SET state = 'RESOLVED', last_seen = $2, acknowledged_by = NULL
               WHERE fingerprint = $1 AND state = 'FIRING'";
    let args = [fingerprint.into(), decision.now.into()];
    if decision.tx.execute(sql, &args).await? == 0 {
        return Ok(None);
    }
    find(&mut decision.tx, fingerprint).await
}

pub(crate) async fn set_acknowledged(
    tx: &mut Tx,
    fingerprint: &str,
    attention: &Attention,
) -> Result<(), db::Error> {
    let sql = "UPDATE alerts SET acknowledged_by = $2, acknowledged_reason = $3,
               acknowledged_until = $4 WHERE fingerprint = $1";
    set(tx, sql, fingerprint, Some(attention)).await
}

pub(crate) async fn set_muted(
    tx: &mut Tx,
    fingerprint: &str,
    attention: Option<&Attention>,
) -> Result<(), db::Error> {
    let sql = "UPDATE alerts SET muted_by = $2, muted_reason = $3, muted_until = $4
               WHERE fingerprint = $1";
    set(tx, sql, fingerprint, attention).await
}

async fn set(
    tx: &mut Tx,
    sql: &'static str,
    fingerprint: &str,
    attention: Option<&Attention>,
) -> Result<(), db::Error> {
    let args = [
        fingerprint.into(),
        attention.map(|one| one.by.as_str()).into(),
        attention.map_or("", |one| one.reason.as_str()).into(),
        attention.and_then(|one| one.until).into(),
    ];
    tx.execute(sql, &args).await.map(drop)
}

pub(crate) async fn find(tx: &mut Tx, fingerprint: &str) -> Result<Option<Kept>, db::Error> {
    let sql = "SELECT * FROM alerts WHERE fingerprint = $1";
    tx.optional(sql, &[fingerprint.into()]).await?.map(|row| kept(&row)).transpose()
}

/// Firing first, the worst of them first, then the latest.
pub(crate) async fn list(store: &Store) -> Result<Vec<Kept>, db::Error> {
    let sql = "SELECT * FROM alerts
               ORDER BY state, CASE WHEN state <> 'FIRING' THEN 3
                        WHEN severity = 'CRITICAL' THEN 0 WHEN severity = 'WARNING' THEN 1 ELSE 2 END,
                        last_seen DESC LIMIT $1";
    store.read().await?.all(sql, &[LISTED.into()]).await?.iter().map(kept).collect()
}

fn kept(row: &Row) -> Result<Kept, db::Error> {
    let sentence =
        |es: &str, en: &str| Ok::<_, db::Error>(Sentence { es: row.get(es)?, en: row.get(en)? });
    Ok(Kept {
        fingerprint: row.get("fingerprint")?,
        app: row.get("app")?,
        severity: row.get("severity")?,
        title: sentence("title", "title_en")?,
        detail: sentence("detail", "detail_en")?,
        cause: row.get("cause")?,
        why: row.get("why")?,
        firing: row.get::<String>("state")? == "FIRING",
        occurrences: row.get("occurrences")?,
        since: row.get("since")?,
        last_seen: row.get("last_seen")?,
        notified_at: row.maybe("notified_at")?,
        acknowledged: attention(
            row,
            "acknowledged_by",
            "acknowledged_reason",
            "acknowledged_until",
        )?,
        muted: attention(row, "muted_by", "muted_reason", "muted_until")?,
    })
}

fn attention(
    row: &Row,
    by: &str,
    reason: &str,
    until: &str,
) -> Result<Option<Attention>, db::Error> {
    let Some(by) = row.maybe(by)? else { return Ok(None) };
    Ok(Some(Attention { by, reason: row.get(reason)?, until: row.maybe(until)? }))
}

/// A notice on its way, or arrived.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub channel: String,
    pub title: Sentence,
    pub state: String,
    pub attempts: i64,
    pub error: Option<String>,
    pub created_at: Timestamp,
}

/// The latest notices. Looks at the newest effects only: a busy application makes many others.
pub(crate) async fn deliveries(store: &Store) -> Result<Vec<Delivery>, db::Error> {
    let sql = "SELECT kind, payload, state, attempts, last_error, created_at FROM effects
               WHERE kind IN ('alert.webhook', 'alert.email')
               AND id > (SELECT COALESCE(MAX(id), 0) FROM effects) - 5000
               ORDER BY id DESC LIMIT 10";
    let rows = store.read().await?.all(sql, &[]).await?;
    let delivery = |row: &Row| {
        let payload: Json = row.get("payload")?;
        let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
        Ok(Delivery {
            channel: row.get("kind")?,
            title: Sentence { es: text("title"), en: text("title_en") },
            state: row.get("state")?,
            attempts: row.get("attempts")?,
            error: row.maybe("last_error")?,
            created_at: row.get("created_at")?,
        })
    };
    rows.iter().map(delivery).collect()
}

//! Tells people what is wrong, once, and again when it is right.
//!
//! Raising the same alert twice is one alert. A notice goes out when it starts firing, at most
//! every `throttle` while it keeps firing, and once when it recovers.

use std::time::Duration;

use db::{
    Decision, Row, Scope, Store, Tx,
    audit::Entry,
    effects::{Claimed, NewEffect},
    events::NewEvent,
};
use jiff::{SignedDuration, Timestamp};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use serde_json::{Value as Json, json};

use crate::{
    Actor, Context, Driver, Outcome,
    webhook::{self, Hook},
};

const LISTED: i64 = 200;
/// A receiver that takes longer has failed.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(10);

fn scope() -> Scope {
    Scope::new("alerts")
}

/// Where notices go. Empty: the console only.
#[derive(Clone, Debug, Default)]
pub struct AlertChannels {
    pub webhook_url: Option<String>,
    pub webhook_secret: Option<String>,
    pub smtp_url: Option<String>,
    pub smtp_from: Option<String>,
    pub smtp_to: Vec<String>,
    pub throttle: SignedDuration,
}

impl AlertChannels {
    pub(crate) fn by_webhook(&self) -> bool {
        self.webhook_url.is_some()
    }

    pub(crate) fn by_email(&self) -> bool {
        self.smtp_url.is_some() && !self.smtp_to.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Critical,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
        }
    }
}

/// Something that is wrong now.
#[derive(Clone, Debug)]
pub struct Alert {
    pub app: &'static str,
    /// The same for the same trouble: `pedidos/worker-silent`.
    pub fingerprint: String,
    pub severity: Severity,
    pub title: String,
    pub detail: String,
}

/// An alert as kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub fingerprint: String,
    pub app: String,
    pub severity: String,
    pub title: String,
    pub detail: String,
    pub firing: bool,
    pub occurrences: i64,
    pub since: Timestamp,
    pub last_seen: Timestamp,
    pub notified_at: Option<Timestamp>,
    pub acknowledged_by: Option<String>,
}

impl Context {
    /// Says that something is wrong. Cheap to repeat.
    pub async fn raise(&self, alert: Alert) -> Result<(), db::Error> {
        let now = self.clock.now();
        let mut decision = self.store.decide(&scope(), now).await?;
        let known = find(&mut decision.tx, &alert.fingerprint).await?;
        let fresh = known.as_ref().is_none_or(|kept| !kept.firing);
        let since = known.as_ref().filter(|_| !fresh).map_or(now, |kept| kept.since);
        let notified = known.as_ref().and_then(|kept| kept.notified_at);
        let acknowledged = known.as_ref().is_some_and(|kept| kept.acknowledged_by.is_some());
        let throttle = self.options.alerts.throttle;
        let notify = notified.is_none_or(|at| now.duration_since(at) >= throttle)
            && (fresh || !acknowledged);
        save(&mut decision, &alert, fresh, since, if notify { Some(now) } else { notified })
            .await?;
        if fresh {
            decision.emit(event(&alert, "alerta:activa"));
        }
        if notify {
            self.notify(&mut decision, &alert, "FIRING", now);
        }
        decision.commit().await.map(drop)
    }

    /// Says that it is right again. Does nothing unless the alert fires.
    pub async fn resolve(&self, fingerprint: &str) -> Result<(), db::Error> {
        let firing = find(&mut self.store.read().await?, fingerprint).await?;
        if !firing.is_some_and(|kept| kept.firing) {
            return Ok(());
        }
        let now = self.clock.now();
        let mut decision = self.store.decide(&scope(), now).await?;
        let sql = "UPDATE alerts SET state = 'RESOLVED', last_seen = $2, acknowledged_by = NULL
                   WHERE fingerprint = $1 AND state = 'FIRING'";
        if decision.tx.execute(sql, &[fingerprint.into(), now.into()]).await? == 0 {
            return Ok(());
        }
        let Some(kept) = find(&mut decision.tx, fingerprint).await? else {
            return Ok(());
        };
        let app = self.app(&kept.app).map_or("host", |app| app.name);
        let alert = Alert {
            app,
            fingerprint: kept.fingerprint,
            severity: Severity::Warning,
            title: kept.title,
            detail: kept.detail,
        };
        decision.emit(event(&alert, "alerta:resuelta"));
        self.notify(&mut decision, &alert, "RESOLVED", now);
        decision.commit().await.map(drop)
    }

    fn notify(&self, decision: &mut Decision, alert: &Alert, state: &str, now: Timestamp) {
        let channels = &self.options.alerts;
        let payload = json!({
            "fingerprint": alert.fingerprint, "app": alert.app, "state": state,
            "severity": alert.severity.word(), "title": alert.title, "detail": alert.detail,
            "at": now.to_string(),
        });
        let mut send = |kind: &'static str| {
            let key = format!("{kind}/{}/{state}/{}", alert.fingerprint, now.as_microsecond());
            decision.effect(NewEffect { app: alert.app, kind, key, payload: payload.clone() });
        };
        if channels.by_webhook() {
            send("alert.webhook");
        }
        if channels.by_email() {
            send("alert.email");
        }
    }
}

pub(crate) fn drivers() -> [Driver; 2] {
    [Driver::new("alert.webhook", webhook), Driver::new("alert.email", email)]
}

async fn webhook(context: Context, effect: Claimed) -> Outcome {
    let channels = &context.options.alerts;
    let Some(url) = &channels.webhook_url else {
        return Outcome::Refused("no webhook is configured any more".into());
    };
    let secret = channels.webhook_secret.as_deref();
    let hook = Hook { url, secret, key: &effect.key, at: context.clock.now() };
    // The deployment says where: that may be inside. Where a redirect leads nobody said.
    match http_client::straight(RECEIVER_TIMEOUT).build() {
        Ok(client) => webhook::post(&client, hook, effect.payload.to_string()).await,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn email(context: Context, effect: Claimed) -> Outcome {
    match send_email(&context.options.alerts, &effect.payload).await {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn send_email(
    channels: &AlertChannels,
    payload: &Json,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let url = channels.smtp_url.as_deref().ok_or("no mail server is configured any more")?;
    let text = |key: &str| payload[key].as_str().unwrap_or_default();
    let subject = format!("[Turno] {}: {}", text("state"), text("title"));
    let body = format!("{}\n\n{}\n{}", text("detail"), text("fingerprint"), text("at"));
    let from = channels.smtp_from.as_deref().unwrap_or("turno@localhost");
    let mut message = Message::builder().from(from.parse()?).subject(subject);
    for to in &channels.smtp_to {
        message = message.to(to.parse()?);
    }
    let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.build();
    transport.send(message.body(body)?).await?;
    Ok(())
}

fn event(alert: &Alert, name: &'static str) -> NewEvent {
    NewEvent {
        app: alert.app,
        name,
        subject: Some(alert.fingerprint.clone()),
        data: json!({ "titulo": alert.title, "detalle": alert.detail,
                      "severidad": alert.severity.word() }),
    }
}

async fn save(
    decision: &mut Decision,
    alert: &Alert,
    fresh: bool,
    since: Timestamp,
    notified: Option<Timestamp>,
) -> Result<(), db::Error> {
    let sql = "INSERT INTO alerts (fingerprint, app, severity, title, detail, state, since,
                                   last_seen, notified_at)
               VALUES ($1, $2, $3, $4, $5, 'FIRING', $6, $7, $8)
               ON CONFLICT (fingerprint) DO UPDATE SET severity = excluded.severity,
               title = excluded.title, detail = excluded.detail, state = 'FIRING',
               since = excluded.since, last_seen = excluded.last_seen,
               notified_at = excluded.notified_at, occurrences = alerts.occurrences + 1,
               acknowledged_by = CASE WHEN $9 THEN NULL ELSE alerts.acknowledged_by END";
    let args = [
        alert.fingerprint.as_str().into(),
        alert.app.into(),
        alert.severity.word().into(),
        alert.title.as_str().into(),
        alert.detail.as_str().into(),
        since.into(),
        decision.now.into(),
        notified.into(),
        fresh.into(),
    ];
    decision.tx.execute(sql, &args).await.map(drop)
}

async fn find(tx: &mut Tx, fingerprint: &str) -> Result<Option<Kept>, db::Error> {
    let sql = "SELECT * FROM alerts WHERE fingerprint = $1";
    tx.optional(sql, &[fingerprint.into()]).await?.map(|row| kept(&row)).transpose()
}

/// Firing first, then the latest.
pub(crate) async fn list(store: &Store) -> Result<Vec<Kept>, db::Error> {
    let sql = "SELECT * FROM alerts ORDER BY state, last_seen DESC LIMIT $1";
    store.read().await?.all(sql, &[LISTED.into()]).await?.iter().map(kept).collect()
}

/// Someone looks after it: no more reminders until it recovers and fires again. Nothing comes back
/// when the alert does not fire.
pub(crate) async fn acknowledge(
    context: &Context,
    fingerprint: &str,
    by: &Actor,
) -> Result<Option<Kept>, db::Error> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&scope(), now).await?;
    let Some(mut kept) = find(&mut decision.tx, fingerprint).await?.filter(|kept| kept.firing)
    else {
        return Ok(None);
    };
    let sql = "UPDATE alerts SET acknowledged_by = $2 WHERE fingerprint = $1";
    decision.tx.execute(sql, &[fingerprint.into(), by.name.as_str().into()]).await?;
    let app = context.app(&kept.app).map_or("host", |app| app.name);
    let before = kept.acknowledged_by.replace(by.name.clone());
    decision.audit(entry(app, by, "alert.acknowledge", fingerprint, before));
    decision.emit(NewEvent {
        app,
        name: "alerta:reconocida",
        subject: Some(fingerprint.to_owned()),
        data: json!({ "titulo": kept.title, "por": by.name }),
    });
    decision.commit().await?;
    Ok(Some(kept))
}

/// Sends a notice over every channel, so that people know they arrive. `false`: there is none.
pub(crate) async fn send_test(context: &Context, by: &Actor) -> Result<bool, db::Error> {
    let channels = &context.options.alerts;
    if !channels.by_webhook() && !channels.by_email() {
        return Ok(false);
    }
    let now = context.clock.now();
    let alert = Alert {
        app: "host",
        fingerprint: "host/test".into(),
        severity: Severity::Warning,
        title: "Aviso de prueba / Test notice".into(),
        detail: format!("Pedido por {0} / Asked for by {0}", by.name),
    };
    let mut decision = context.store.decide(&scope(), now).await?;
    context.notify(&mut decision, &alert, "TEST", now);
    decision.audit(entry("host", by, "alert.test", &alert.fingerprint, None));
    decision.commit().await?;
    Ok(true)
}

fn entry(
    app: &'static str,
    by: &Actor,
    action: &str,
    fingerprint: &str,
    before: Option<String>,
) -> Entry {
    Entry {
        app,
        actor: by.name.clone(),
        role: by.role_in(app).unwrap_or_default().into(),
        action: action.into(),
        subject: fingerprint.into(),
        before: before.map(Json::from),
        after: Some(by.name.as_str().into()),
        reason: None,
    }
}

/// A notice on its way, or arrived.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub channel: String,
    pub title: String,
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
        Ok(Delivery {
            channel: row.get("kind")?,
            title: payload["title"].as_str().unwrap_or_default().to_owned(),
            state: row.get("state")?,
            attempts: row.get("attempts")?,
            error: row.maybe("last_error")?,
            created_at: row.get("created_at")?,
        })
    };
    rows.iter().map(delivery).collect()
}

fn kept(row: &Row) -> Result<Kept, db::Error> {
    Ok(Kept {
        fingerprint: row.get("fingerprint")?,
        app: row.get("app")?,
        severity: row.get("severity")?,
        title: row.get("title")?,
        detail: row.get("detail")?,
        firing: row.get::<String>("state")? == "FIRING",
        occurrences: row.get("occurrences")?,
        since: row.get("since")?,
        last_seen: row.get("last_seen")?,
        notified_at: row.maybe("notified_at")?,
        acknowledged_by: row.maybe("acknowledged_by")?,
    })
}

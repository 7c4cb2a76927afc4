//! Tells people what is wrong, once, and again when it is right.
//!
//! Raising the same alert twice is one alert. A notice goes out when it starts firing, at most
//! every `throttle` while it keeps firing, and once when it recovers. Whoever looks after one is not
//! reminded; one that is muted tells nobody until the end it was muted for.

mod attending;
mod notices;

use engine::Sentence;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use db::{Decision, Scope, effects::NewEffect, events::NewEvent};

use crate::{Context, store::alerts as rows};

pub(crate) use attending::{Attended, Term, acknowledge, mute, unmute};
pub(crate) use notices::{drivers, send_test};

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
    pub title: Sentence,
    pub detail: Sentence,
    /// The page of what is wrong; empty: there is none.
    pub cause: String,
    /// The page that says why it is so; empty: there is none.
    pub why: String,
}

impl Alert {
    pub fn new(
        app: &'static str,
        fingerprint: impl Into<String>,
        severity: Severity,
        title: Sentence,
        detail: Sentence,
    ) -> Self {
        let (cause, why) = (String::new(), String::new());
        Self { app, fingerprint: fingerprint.into(), severity, title, detail, cause, why }
    }

    /// Where to look, and where it is said why; empty for nowhere.
    #[must_use]
    pub fn shown_at(mut self, cause: impl Into<String>, why: impl Into<String>) -> Self {
        self.cause = cause.into();
        self.why = why.into();
        self
    }
}

impl Context {
    /// Says that something is wrong. Cheap to repeat.
    pub async fn raise(&self, alert: Alert) -> Result<(), db::Error> {
        let now = self.clock.now();
        let mut decision = self.store.decide(&scope(), now).await?;
        let known = rows::find(&mut decision.tx, &alert.fingerprint).await?;
        let fresh = known.as_ref().is_none_or(|kept| !kept.firing);
        let since = known.as_ref().filter(|_| !fresh).map_or(now, |kept| kept.since);
        let notified = known.as_ref().and_then(|kept| kept.notified_at);
        let attended = known.as_ref().is_some_and(|kept| !fresh && kept.is_acknowledged(now));
        let muted = known.as_ref().is_some_and(|kept| kept.is_muted(now));
        let throttle = self.options.alerts.throttle;
        let due = notified.is_none_or(|at| now.duration_since(at) >= throttle);
        let notify = due && !attended && !muted;
        rows::save(&mut decision, &alert, fresh, since, if notify { Some(now) } else { notified })
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
        let firing = rows::find(&mut self.store.read().await?, fingerprint).await?;
        if !firing.is_some_and(|kept| kept.firing) {
            return Ok(());
        }
        let now = self.clock.now();
        let mut decision = self.store.decide(&scope(), now).await?;
        let Some(kept) = rows::over(&mut decision, fingerprint).await? else { return Ok(()) };
        let muted = kept.is_muted(now);
        let app = self.app(&kept.app).map_or("host", |app| app.name);
        let alert = Alert::new(app, kept.fingerprint, Severity::Warning, kept.title, kept.detail);
        decision.emit(event(&alert, "alerta:resuelta"));
        if !muted {
            self.notify(&mut decision, &alert, "RESOLVED", now);
        }
        decision.commit().await.map(drop)
    }

    fn notify(&self, decision: &mut Decision, alert: &Alert, state: &str, now: Timestamp) {
        let channels = &self.options.alerts;
        let payload = json!({
            "fingerprint": alert.fingerprint, "app": alert.app, "state": state,
            "severity": alert.severity.word(), "title": alert.title.es, "detail": alert.detail.es,
            "title_en": alert.title.en, "detail_en": alert.detail.en, "cause": alert.cause,
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

fn event(alert: &Alert, name: &'static str) -> NewEvent {
    NewEvent {
        app: alert.app,
        name,
        subject: Some(alert.fingerprint.clone()),
        data: json!({ "titulo": alert.title.es, "detalle": alert.detail.es,
                      "title": alert.title.en, "detail": alert.detail.en,
                      "severidad": alert.severity.word() }),
    }
}

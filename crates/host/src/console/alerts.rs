//! `/alertas`: what is wrong, what was, and whether notices arrive.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::{get, post};
use web::{Json, Lang, Page, Problem, Tone};

use super::{
    Console,
    forms::{Done, Fields, html},
    settings::may_configure,
};
use crate::{
    Actor, AlertChannels, Context, Failure,
    actor::insufficient_role,
    alerts::{self, Delivery, Kept},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(acknowledge))
        .route("/alertas", get(show))
        .route("/alertas/reconocer", post(acknowledge_form))
        .route("/alertas/prueba", post(test))
}

#[derive(Template)]
#[template(path = "alerts.html")]
struct AlertsPage {
    page: Page,
    topics: String,
    firing: Vec<Shown>,
    resolved: Vec<Shown>,
    channels: AlertChannels,
    deliveries: Vec<Delivery>,
    is_admin: bool,
    error: &'static str,
}

/// An alert as one person sees it.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) kept: Kept,
    pub(super) tone: Tone,
    pub(super) word: &'static str,
    pub(super) may_acknowledge: bool,
}

impl AlertsPage {
    fn has_channel(&self) -> bool {
        self.channels.by_webhook() || self.channels.by_email()
    }

    fn delivery_state(&self, delivery: &Delivery) -> (Tone, &'static str) {
        let lang = self.page.lang;
        match delivery.state.as_str() {
            "DONE" => (Tone::Good, lang.t("entregado", "delivered")),
            "DEAD" => (Tone::Bad, lang.t("abandonado", "given up")),
            _ if delivery.attempts == 0 => (Tone::Info, lang.t("en camino", "on its way")),
            _ => (Tone::Warn, lang.t("reintentando", "trying again")),
        }
    }
}

impl Console {
    pub(super) fn shown(&self, kept: Kept) -> Shown {
        let lang = self.lang;
        let (tone, word) = match (kept.firing, kept.severity.as_str()) {
            (false, _) => (Tone::Good, lang.t("resuelta", "resolved")),
            (true, "CRITICAL") => (Tone::Bad, lang.t("crítica", "critical")),
            (true, _) => (Tone::Warn, lang.t("advertencia", "warning")),
        };
        let open = kept.firing && kept.acknowledged_by.is_none();
        Shown {
            tone,
            word,
            may_acknowledge: open && may_acknowledge(&self.context, &self.actor, &kept.app),
            kept,
        }
    }
}

/// Whoever answers for an application answers for its alerts.
fn may_acknowledge(context: &Context, actor: &Actor, app: &str) -> bool {
    match context.app(app) {
        Some(app) => may_configure(actor, app),
        None => actor.is_admin(),
    }
}

async fn show(console: Console) -> Result<Response, Failure> {
    page(&console, StatusCode::OK, "").await
}

async fn page(
    console: &Console,
    status: StatusCode,
    error: &'static str,
) -> Result<Response, Failure> {
    let context = &console.context;
    let is_admin = console.actor.is_admin();
    let (firing, resolved) = alerts::list(&context.store)
        .await?
        .into_iter()
        .filter(|kept| console.sees(&kept.app))
        .map(|kept| console.shown(kept))
        .partition(|shown| shown.kept.firing);
    let deliveries = if is_admin { alerts::deliveries(&context.store).await? } else { Vec::new() };
    let page = AlertsPage {
        page: console.page(console.lang.t("Alertas", "Alerts")),
        topics: console.topics(),
        firing,
        resolved,
        channels: context.options.alerts.clone(),
        deliveries,
        is_admin,
        error,
    };
    html(status, &page)
}

async fn acknowledge_form(console: Console, fields: Fields) -> Result<Response, Failure> {
    let fingerprint = fields.get("fingerprint");
    acknowledge_as(&console.context, &console.actor, console.lang, fingerprint).await?;
    Ok(Done::Acknowledged.lead_to("/alertas"))
}

async fn test(console: Console) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    if alerts::send_test(&console.context, &console.actor).await? {
        return Ok(Done::Tested.lead_to("/alertas"));
    }
    let error = console.lang.t(
        "No hay ningún canal configurado: no se envió nada.",
        "No channel is configured: nothing was sent.",
    );
    page(&console, StatusCode::UNPROCESSABLE_ENTITY, error).await
}

async fn acknowledge_as(
    context: &Context,
    actor: &Actor,
    lang: Lang,
    fingerprint: &str,
) -> Result<Kept, Failure> {
    let unknown = || {
        Problem::not_found("ALERTA_INEXISTENTE").lang(lang).detail(lang.t(
            "No hay una alerta activa con esa huella.",
            "No alert of that fingerprint is firing.",
        ))
    };
    let kept = alerts::list(&context.store)
        .await?
        .into_iter()
        .find(|kept| kept.fingerprint == fingerprint && kept.firing)
        .ok_or_else(unknown)?;
    if !may_acknowledge(context, actor, &kept.app) {
        return Err(insufficient_role(lang).into());
    }
    let acknowledged = alerts::acknowledge(context, fingerprint, actor).await?;
    acknowledged.ok_or_else(|| unknown().into())
}

/// An alert, for programs.
#[derive(Debug, Serialize, ToSchema)]
struct AlertBody {
    fingerprint: String,
    app: String,
    /// `WARNING` or `CRITICAL`
    severity: String,
    title: String,
    detail: String,
    firing: bool,
    occurrences: i64,
    since: Timestamp,
    last_seen: Timestamp,
    notified_at: Option<Timestamp>,
    acknowledged_by: Option<String>,
}

impl From<Kept> for AlertBody {
    fn from(kept: Kept) -> Self {
        Self {
            fingerprint: kept.fingerprint,
            app: kept.app,
            severity: kept.severity,
            title: kept.title,
            detail: kept.detail,
            firing: kept.firing,
            occurrences: kept.occurrences,
            since: kept.since,
            last_seen: kept.last_seen,
            notified_at: kept.notified_at,
            acknowledged_by: kept.acknowledged_by,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct AlertList {
    items: Vec<AlertBody>,
    /// Always null: the list is short.
    next: Option<i64>,
}

/// Firing alerts first, then the latest resolved ones, of the applications the caller may see.
#[utoipa::path(get, path = "/api/alerts", tag = "console",
    responses((status = 200, body = AlertList)))]
async fn list(console: Console) -> Result<Json<AlertList>, Failure> {
    let items = alerts::list(&console.context.store)
        .await?
        .into_iter()
        .filter(|kept| console.sees(&kept.app))
        .map(AlertBody::from)
        .collect();
    Ok(Json(AlertList { items, next: None }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Acknowledge {
    /// Of a firing alert. In the body, because fingerprints contain slashes.
    #[schema(example = "pedidos/worker-silent")]
    fingerprint: String,
}

/// Says that someone looks after an alert: no more reminders until it recovers and fires again.
#[utoipa::path(post, path = "/api/alerts/acknowledge", tag = "console", request_body = Acknowledge,
    responses((status = 200, body = AlertBody)))]
async fn acknowledge(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Json(wanted): Json<Acknowledge>,
) -> Result<Json<AlertBody>, Failure> {
    let kept = acknowledge_as(&context, &actor, lang, &wanted.fingerprint).await?;
    Ok(Json(kept.into()))
}

//! `/alertas`: what is wrong, what was, and whether notices arrive.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::{get, post};
use web::{Json, Lang, Mark, Page, Problem, Tone};

use super::{
    Console,
    forms::{Done, Fields, html},
    settings::may_configure,
};
use crate::{
    Actor, AlertChannels, Context, Failure,
    actor::insufficient_role,
    alerts::{self, Attended, Term},
    store::alerts::{self as rows, Attention, Badge, Delivery, Kept},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(count))
        .routes(routes!(acknowledge))
        .routes(routes!(mute))
        .routes(routes!(unmute))
        .route("/alertas", get(show))
        .route("/alertas/reconocer", post(acknowledge_form))
        .route("/alertas/silenciar", post(mute_form))
        .route("/alertas/avisar", post(unmute_form))
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
    pub(super) kept: Kept<String>,
    /// Whose it is, for people.
    pub(super) app: &'static str,
    pub(super) tone: Tone,
    pub(super) word: &'static str,
    /// Whether this person may look after it.
    pub(super) mine: bool,
    pub(super) acknowledged: bool,
    pub(super) muted: bool,
}

/// How long somebody looks after an alert, or wants to hear nothing of it.
const TERMS: [(&str, &str, &str); 4] = [
    ("1", "1 hora", "1 hour"),
    ("8", "8 horas", "8 hours"),
    ("24", "1 día", "1 day"),
    ("168", "7 días", "7 days"),
];

/// What the rail says of what fires.
pub(super) fn mark(firing: Badge, lang: Lang) -> Option<Mark> {
    let (tone, worst) = if firing.critical {
        (Tone::Bad, lang.t("la peor, crítica", "the worst is critical"))
    } else {
        (Tone::Warn, lang.t("la peor, advertencia", "the worst is a warning"))
    };
    let text = match (lang, firing.count) {
        (_, 0) => return None,
        (Lang::Es, 1) => format!("alerta activa; {worst}"),
        (Lang::Es, _) => format!("alertas activas; {worst}"),
        (Lang::En, 1) => format!("firing alert; {worst}"),
        (Lang::En, _) => format!("firing alerts; {worst}"),
    };
    Some(Mark { count: firing.count, tone, text })
}

impl AlertsPage {
    fn has_channel(&self) -> bool {
        self.channels.by_webhook() || self.channels.by_email()
    }

    /// The lengths of time that are offered.
    fn terms(&self) -> [(&'static str, &'static str); 4] {
        TERMS.map(|(hours, es, en)| (hours, self.page.t(es, en)))
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
        let now = self.context.clock.now();
        let app = self.context.app(&kept.app).map_or("Turno", |app| app.label(lang));
        Shown {
            app,
            tone,
            word,
            mine: may_attend(&self.context, &self.actor, &kept.app),
            acknowledged: kept.is_acknowledged(now),
            muted: kept.is_muted(now),
            kept: kept.said_in(lang),
        }
    }
}

/// Whoever answers for an application answers for its alerts.
fn may_attend(context: &Context, actor: &Actor, app: &str) -> bool {
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
    let (firing, resolved) = rows::list(&context.store)
        .await?
        .into_iter()
        .filter(|kept| console.sees(&kept.app))
        .map(|kept| console.shown(kept))
        .partition(|shown| shown.kept.firing);
    let deliveries = if is_admin { rows::deliveries(&context.store).await? } else { Vec::new() };
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
    let kept = mine(&console, fields.get("fingerprint"), true).await?;
    let term = Term(hours(fields.get("hours")));
    let (context, actor) = (&console.context, &console.actor);
    let reason = bounded(fields.get("reason"));
    let done = alerts::acknowledge(context, &kept.fingerprint, actor, reason, term).await?;
    attended(done, console.lang)?;
    Ok(Done::Acknowledged.lead_to("/alertas"))
}

async fn mute_form(console: Console, fields: Fields) -> Result<Response, Failure> {
    let kept = mine(&console, fields.get("fingerprint"), false).await?;
    let reason = bounded(fields.get("reason"));
    let Some(time) = hours(fields.get("hours")).filter(|_| !reason.is_empty()) else {
        let error = console.lang.t(
            "Para silenciar una alerta hacen falta un motivo y un plazo.",
            "To mute an alert takes a reason and an end.",
        );
        return page(&console, StatusCode::UNPROCESSABLE_ENTITY, error).await;
    };
    let (context, actor) = (&console.context, &console.actor);
    let done = alerts::mute(context, &kept.fingerprint, actor, reason, time).await?;
    attended(done, console.lang)?;
    Ok(Done::Muted.lead_to("/alertas"))
}

async fn unmute_form(console: Console, fields: Fields) -> Result<Response, Failure> {
    let kept = mine(&console, fields.get("fingerprint"), false).await?;
    let done = alerts::unmute(&console.context, &kept.fingerprint, &console.actor).await?;
    attended(done, console.lang)?;
    Ok(Done::Unmuted.lead_to("/alertas"))
}

/// Whole hours; nothing for what is none.
fn hours(text: &str) -> Option<SignedDuration> {
    let hours = text.trim().parse::<u16>().ok().filter(|hours| *hours > 0)?;
    Some(SignedDuration::from_hours(hours.into()))
}

/// Reasons are sentences, not letters.
fn bounded(reason: &str) -> &str {
    const MOST: usize = 500;
    let reason = reason.trim();
    reason.char_indices().nth(MOST).map_or(reason, |(end, _)| &reason[..end])
}

fn unknown(lang: Lang) -> Problem {
    Problem::not_found("ALERTA_INEXISTENTE").lang(lang).detail(
        lang.t(
            "No hay una alerta activa con esa huella.",
            "No alert of that fingerprint is firing.",
        ),
    )
}

fn attended(done: Attended, lang: Lang) -> Result<AlertBody, Failure> {
    match done {
        Attended::Done(kept) => Ok(AlertBody::new(*kept, lang)),
        Attended::Unknown => Err(unknown(lang).into()),
    }
}

/// An alert that this person answers for.
async fn mine(console: &Console, fingerprint: &str, firing: bool) -> Result<Kept, Failure> {
    let (context, lang) = (&console.context, console.lang);
    // Whoever answers for nothing learns nothing of what there is.
    let answers = |app| may_configure(&console.actor, app);
    if !console.actor.is_admin() && !context.apps.iter().any(answers) {
        return Err(insufficient_role(lang).into());
    }
    let all = rows::list(&context.store).await?;
    let kept = all
        .into_iter()
        .find(|kept| kept.fingerprint == fingerprint && (kept.firing || !firing))
        .ok_or_else(|| unknown(lang))?;
    if !may_attend(context, &console.actor, &kept.app) {
        return Err(insufficient_role(lang).into());
    }
    Ok(kept)
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

/// An alert, for programs; its words are in the language asked for.
#[derive(Debug, Serialize, ToSchema)]
struct AlertBody {
    fingerprint: String,
    app: String,
    /// `WARNING` or `CRITICAL`
    severity: String,
    title: String,
    detail: String,
    /// The page of what is wrong; empty when there is none.
    cause: String,
    /// The page that says why it is so; empty when there is none.
    why: String,
    firing: bool,
    occurrences: i64,
    since: Timestamp,
    last_seen: Timestamp,
    notified_at: Option<Timestamp>,
    acknowledged_by: Option<String>,
    acknowledged_until: Option<Timestamp>,
    acknowledged_reason: Option<String>,
    muted_by: Option<String>,
    muted_until: Option<Timestamp>,
    muted_reason: Option<String>,
}

impl AlertBody {
    fn new(kept: Kept, lang: Lang) -> Self {
        let kept = kept.said_in(lang);
        let by = |one: &Attention| one.by.clone();
        let reason = |one: &Attention| one.reason.clone();
        Self {
            acknowledged_by: kept.acknowledged.as_ref().map(by),
            acknowledged_until: kept.acknowledged.as_ref().and_then(|one| one.until),
            acknowledged_reason: kept.acknowledged.as_ref().map(reason),
            muted_by: kept.muted.as_ref().map(by),
            muted_until: kept.muted.as_ref().and_then(|one| one.until),
            muted_reason: kept.muted.as_ref().map(reason),
            fingerprint: kept.fingerprint,
            app: kept.app,
            severity: kept.severity,
            title: kept.title,
            detail: kept.detail,
            cause: kept.cause,
            why: kept.why,
            firing: kept.firing,
            occurrences: kept.occurrences,
            since: kept.since,
            last_seen: kept.last_seen,
            notified_at: kept.notified_at,
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
    let items = rows::list(&console.context.store)
        .await?
        .into_iter()
        .filter(|kept| console.sees(&kept.app))
        .map(|kept| AlertBody::new(kept, console.lang))
        .collect();
    Ok(Json(AlertList { items, next: None }))
}

/// What fires and is not muted, in numbers.
#[derive(Debug, Serialize, ToSchema)]
struct Firing {
    count: i64,
    /// `CRITICAL`, `WARNING` or null
    worst: Option<&'static str>,
    /// The same in words.
    text: String,
}

/// How many alerts fire of those the caller may see, and how bad the worst is.
#[utoipa::path(get, path = "/api/alerts/count", tag = "console",
    responses((status = 200, body = Firing)))]
async fn count(console: Console) -> Json<Firing> {
    let firing = console.firing;
    let word = if firing.critical { "CRITICAL" } else { "WARNING" };
    let text = mark(firing, console.lang).map(|mark| mark.text).unwrap_or_default();
    Json(Firing { count: firing.count, worst: (firing.count > 0).then_some(word), text })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Acknowledge {
    /// Of a firing alert. In the body, because fingerprints contain slashes.
    #[schema(example = "pedidos/worker-silent")]
    fingerprint: String,
    #[serde(default)]
    reason: String,
    /// For how many hours; absent: until it recovers.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 720)]
    hours: Option<u16>,
}

/// Says that someone looks after an alert: no more reminders until it recovers and fires again.
#[utoipa::path(post, path = "/api/alerts/acknowledge", tag = "console", request_body = Acknowledge,
    responses((status = 200, body = AlertBody)))]
async fn acknowledge(
    console: Console,
    Json(wanted): Json<Acknowledge>,
) -> Result<Json<AlertBody>, Failure> {
    let kept = mine(&console, &wanted.fingerprint, true).await?;
    let term = Term(wanted.hours.map(|hours| SignedDuration::from_hours(hours.into())));
    let (context, actor) = (&console.context, &console.actor);
    let reason = bounded(&wanted.reason);
    let done = alerts::acknowledge(context, &kept.fingerprint, actor, reason, term).await?;
    Ok(Json(attended(done, console.lang)?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Mute {
    /// In the body, because fingerprints contain slashes.
    #[schema(example = "pedidos/worker-silent")]
    fingerprint: String,
    reason: String,
    #[schema(minimum = 1, maximum = 720)]
    hours: u16,
}

/// Nobody is told of an alert for so many hours, even if it recovers and fires again. It stays listed.
#[utoipa::path(post, path = "/api/alerts/mute", tag = "console", request_body = Mute,
    responses((status = 200, body = AlertBody)))]
async fn mute(console: Console, Json(wanted): Json<Mute>) -> Result<Json<AlertBody>, Failure> {
    let kept = mine(&console, &wanted.fingerprint, false).await?;
    let (lang, reason) = (console.lang, bounded(&wanted.reason));
    if reason.is_empty() {
        let why = lang.t("Hace falta un motivo.", "A reason is needed.");
        let problem = Problem::bad_request("SILENCIO_INCOMPLETO").lang(lang).detail(why);
        return Err(problem.error("reason", why).into());
    }
    let time = SignedDuration::from_hours(wanted.hours.into());
    let (context, actor) = (&console.context, &console.actor);
    let done = alerts::mute(context, &kept.fingerprint, actor, reason, time).await?;
    Ok(Json(attended(done, lang)?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Unmute {
    fingerprint: String,
}

/// An alert that was muted is told of again.
#[utoipa::path(post, path = "/api/alerts/unmute", tag = "console", request_body = Unmute,
    responses((status = 200, body = AlertBody)))]
async fn unmute(console: Console, Json(wanted): Json<Unmute>) -> Result<Json<AlertBody>, Failure> {
    let kept = mine(&console, &wanted.fingerprint, false).await?;
    let done = alerts::unmute(&console.context, &kept.fingerprint, &console.actor).await?;
    Ok(Json(attended(done, console.lang)?))
}

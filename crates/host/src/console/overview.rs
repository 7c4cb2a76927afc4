//! `/`: how the house is doing, in one look.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use db::Dialect;
use jiff::Timestamp;
use web::{Lang, NavItem, Page, Tone};

use super::{Console, alerts::Shown, forms::html};
use crate::{Failure, TickHealth, alerts};

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    page: Page,
    topics: String,
    cards: Vec<Card>,
    firing: Vec<Shown>,
    ticks: Vec<TickLine>,
    database: &'static str,
    manual_clock: bool,
}

struct Card {
    title: String,
    links: Vec<NavItem>,
    firing: usize,
}

struct TickLine {
    name: &'static str,
    app: &'static str,
    tone: Tone,
    state: &'static str,
    last_success: Option<Timestamp>,
    took_ms: u64,
    lag_ms: i64,
    runs: u64,
    error: String,
}

pub(super) async fn show(console: Console) -> Result<Response, Failure> {
    let context = &console.context;
    let firing: Vec<Shown> = alerts::list(&context.store)
        .await?
        .into_iter()
        .filter(|kept| kept.firing && console.sees(&kept.app))
        .map(|kept| console.shown(kept))
        .collect();
    let cards = context
        .apps
        .iter()
        .filter_map(|app| {
            Some(Card {
                links: console.links(app)?,
                title: app.label(console.lang).to_owned(),
                firing: firing.iter().filter(|one| one.kept.app == app.name).count(),
            })
        })
        .collect();
    let page = OverviewPage {
        page: console.page(console.lang.t("Resumen", "Overview")),
        topics: console.topics(),
        cards,
        firing,
        ticks: ticks(&console),
        database: match context.store.dialect() {
            Dialect::Sqlite => "SQLite",
            Dialect::Postgres => "PostgreSQL",
        },
        manual_clock: context.clock.is_manual(),
    };
    html(StatusCode::OK, &page)
}

fn ticks(console: &Console) -> Vec<TickLine> {
    let context = &console.context;
    let health = context.all_tick_health();
    let now = context.clock.now();
    let mut lines = Vec::new();
    for app in context.apps.iter().filter(|app| console.sees(app.name)) {
        for tick in &app.ticks {
            let health = health.get(tick.name).cloned().unwrap_or_default();
            let (tone, state) = standing(&health, now, console.lang);
            lines.push(TickLine {
                name: tick.name,
                app: app.label(console.lang),
                tone,
                state,
                last_success: health.last_success,
                took_ms: health.last_duration_ms,
                lag_ms: health.lag_ms,
                runs: health.runs,
                error: health.last_error.unwrap_or_default(),
            });
        }
    }
    lines
}

fn standing(health: &TickHealth, now: Timestamp, lang: Lang) -> (Tone, &'static str) {
    if health.last_error.is_some() {
        (Tone::Bad, lang.t("falló", "failed"))
    } else if health.is_silent(now) {
        (Tone::Bad, lang.t("en silencio", "silent"))
    } else if health.last_success.is_none() {
        (Tone::Plain, lang.t("todavía no corrió", "has not run yet"))
    } else {
        (Tone::Good, lang.t("al día", "up to date"))
    }
}

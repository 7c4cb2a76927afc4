//! `/eventos`: what happened lately, as the person may see it.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use db::events;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value as Json;
use web::{Page, Query};

use super::{
    Console,
    forms::{filter, html},
};
use crate::{Failure, lexicon::Named, live};

const SHOWN: usize = 50;
/// Someone who may see little must not make us read everything.
const READS: usize = 5;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    app: Option<String>,
    name: Option<String>,
    cursor: Option<i64>,
}

#[derive(Template)]
#[template(path = "events.html")]
struct EventsPage {
    page: Page,
    topics: String,
    apps: Vec<(&'static str, &'static str)>,
    app: String,
    name: String,
    lines: Vec<Line>,
    /// Where the next, older page begins.
    next: Option<i64>,
    /// Older pages do not change: only the newest one is live.
    newest: bool,
}

struct Line {
    seq: i64,
    at: Timestamp,
    app: String,
    name: String,
    /// What its name says; empty when nobody gave it words.
    word: &'static str,
    subject: Named,
    body: String,
}

pub(super) async fn show(
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    let (app, name) = (filter(wanted.app.as_deref()), filter(wanted.name.as_deref()));
    let (lines, next) = read(&console, wanted.cursor, app, name).await?;
    let page = EventsPage {
        page: console.page(console.lang.t("Eventos", "Events")),
        topics: console.topics(),
        apps: console.app_choices(),
        app: app.unwrap_or_default().to_owned(),
        name: name.unwrap_or_default().to_owned(),
        lines,
        next,
        newest: wanted.cursor.is_none(),
    };
    html(StatusCode::OK, &page)
}

/// Newest first, until a page is full or enough was read.
async fn read(
    console: &Console,
    cursor: Option<i64>,
    app: Option<&str>,
    name: Option<&str>,
) -> Result<(Vec<Line>, Option<i64>), Failure> {
    let mut tx = console.context.store.read().await?;
    let mut before = cursor.unwrap_or(i64::MAX);
    let mut lines = Vec::new();
    for _ in 0..READS {
        let batch = events::latest(&mut tx, before, app, name, events::BATCH).await?;
        let last = batch.len() < events::BATCH as usize;
        for event in batch {
            if lines.len() == SHOWN {
                return Ok((lines, Some(before)));
            }
            before = event.seq;
            if let Some(shown) = live::visible(&console.context, &console.actor, &event).await? {
                let (context, written) = (&console.context, event.subject.unwrap_or_default());
                let called = context.app(&event.app).map(|app| app.label(console.lang));
                lines.push(Line {
                    seq: event.seq,
                    at: event.at,
                    word: context.word(&event.app, &event.name, console.lang),
                    subject: context.subject(&event.app, &written, console.lang),
                    app: called.map_or(event.app, str::to_owned),
                    name: event.name,
                    body: pretty(&shown["data"]),
                });
            }
        }
        if last {
            return Ok((lines, None));
        }
    }
    Ok((lines, Some(before)))
}

fn pretty(value: &Json) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

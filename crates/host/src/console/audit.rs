//! `/auditoria`: who changed what, from what to what, and why.

use askama::Template;
use axum::{
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use db::audit::{self, Record};
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::get;
use web::{Lang, Page, Query};

use super::{
    Console, csv,
    forms::{filter, html},
};
use crate::{Actor, Context, Failure, lexicon::Named};

const SHOWN: i64 = 50;
const LIMIT: std::ops::RangeInclusive<i64> = 1..=200;
const EXPORTED: i64 = 500;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .route("/auditoria", get(show))
        .route("/auditoria.csv", get(export))
}

#[derive(Debug, Deserialize)]
struct Wanted {
    app: Option<String>,
    actor: Option<String>,
    cursor: Option<i64>,
    /// Walk the whole chain and say whether it holds.
    #[serde(rename = "verificar")]
    verify: Option<String>,
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage {
    page: Page,
    apps: Vec<(&'static str, &'static str)>,
    app: String,
    actor: String,
    lines: Vec<Line>,
    next: Option<i64>,
    chain: Chain,
}

/// A field, before and after.
type Row = (String, String, String);
type Fields = serde_json::Map<String, Json>;

struct Line {
    record: Record,
    changes: Vec<Row>,
    /// What its action says; empty when nobody gave it words.
    word: &'static str,
    subject: Named,
    /// What the application is called.
    app: String,
}

enum Chain {
    NotAsked,
    Holds,
    Broken(i64),
}

async fn show(console: Console, Query(wanted): Query<Wanted>) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let (app, actor) = (filter(wanted.app.as_deref()), filter(wanted.actor.as_deref()));
    let mut tx = console.context.store.read().await?;
    let before = wanted.cursor.unwrap_or(i64::MAX);
    let records = audit::latest(&mut tx, before, app, actor, SHOWN).await?;
    let next = next(&records, SHOWN);
    let chain = match wanted.verify {
        None => Chain::NotAsked,
        Some(_) => audit::verify(&mut tx).await?.map_or(Chain::Holds, Chain::Broken),
    };
    let page = AuditPage {
        page: console.page(console.lang.t("Auditoría", "Audit")),
        apps: console.app_choices(),
        app: app.unwrap_or_default().to_owned(),
        actor: actor.unwrap_or_default().to_owned(),
        lines: records.into_iter().map(|record| line(&console, record)).collect(),
        next,
        chain,
    };
    html(StatusCode::OK, &page)
}

fn line(console: &Console, record: Record) -> Line {
    let (context, lang) = (&console.context, console.lang);
    let whole = lang.t("valor", "value");
    let changes = changes(whole, record.before.as_ref(), record.after.as_ref());
    let word = context.word(&record.app, &record.action, lang);
    let subject = context.subject(&record.app, &record.subject, lang);
    let app = context.app(&record.app).map_or(record.app.clone(), |app| app.label(lang).to_owned());
    Line { record, changes, word, subject, app }
}

/// Rows of field, before and after. Objects are compared field by field, others as a whole.
fn changes(whole: &str, before: Option<&Json>, after: Option<&Json>) -> Vec<Row> {
    let empty = serde_json::Map::new();
    let fields = |value: Option<&Json>| match value {
        Some(Json::Object(map)) => Some(map.clone()),
        Some(_) => None,
        None => Some(empty.clone()),
    };
    if before.is_none() && after.is_none() {
        return Vec::new();
    }
    let (Some(old), Some(new)) = (fields(before), fields(after)) else {
        return vec![(whole.to_owned(), written(before), written(after))];
    };
    let mut rows = Vec::new();
    for name in names(&old, &new) {
        differences(name, old.get(name), new.get(name), &mut rows);
    }
    rows
}

fn names<'a>(old: &'a Fields, new: &'a Fields) -> Vec<&'a String> {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    names
}

/// What differs inside a value that was there before and after; others are told whole.
fn differences(name: &str, old: Option<&Json>, new: Option<&Json>, rows: &mut Vec<Row>) {
    match (old, new) {
        (Some(Json::Object(old)), Some(Json::Object(new))) => {
            for field in names(old, new) {
                let inside = format!("{name} › {field}");
                differences(&inside, old.get(field), new.get(field), rows);
            }
        }
        (Some(Json::Array(old)), Some(Json::Array(new)))
            if old.iter().chain(new).all(Json::is_object) =>
        {
            let find = |all: &'_ [Json], key: &str| {
                all.iter().enumerate().find(|(at, one)| known_by(*at, one) == key).map(|(at, _)| at)
            };
            for (at, one) in old.iter().enumerate() {
                let key = known_by(at, one);
                let other = find(new, &key).map(|at| &new[at]);
                differences(&format!("{name} › {key}"), Some(one), other, rows);
            }
            for (at, one) in new.iter().enumerate() {
                let key = known_by(at, one);
                if find(old, &key).is_none() {
                    differences(&format!("{name} › {key}"), None, Some(one), rows);
                }
            }
        }
        (old, new) => {
            let (before, after) = (written(old), written(new));
            if before != after {
                rows.push((name.to_owned(), before, after));
            }
        }
    }
}

/// What people know an element of a list by; else its place.
fn known_by(at: usize, one: &Json) -> String {
    let name = ["nombre", "name", "clave", "key", "id"].iter().find_map(|key| match &one[*key] {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    });
    name.unwrap_or_else(|| (at + 1).to_string())
}

fn written(value: Option<&Json>) -> String {
    match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn next(records: &[Record], limit: i64) -> Option<i64> {
    let full = records.len() as i64 == limit;
    records.last().filter(|_| full).map(|record| record.id)
}

/// Everything that matches, streamed: the length of a history has no bound.
async fn export(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    actor.require_admin(lang)?;
    let app = filter(wanted.app.as_deref()).map(str::to_owned);
    let by = filter(wanted.actor.as_deref()).map(str::to_owned);
    let head = csv::line(&[
        "id", "at", "app", "actor", "role", "action", "subject", "before", "after", "reason",
        "hash",
    ]);
    let chunks = stream::unfold(Some(i64::MAX), move |before| {
        let (context, app, by) = (context.clone(), app.clone(), by.clone());
        async move {
            let before = before?;
            let chunk = chunk(&context, before, app.as_deref(), by.as_deref()).await;
            Some(match chunk {
                Ok((text, next)) => (Ok(text), next),
                Err(error) => (Err(error), None),
            })
        }
    });
    // Whoever compresses it asks once more after the end.
    let body = stream::iter([Ok(head)]).chain(chunks).fuse();
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"auditoria.csv\""),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn chunk(
    context: &Context,
    before: i64,
    app: Option<&str>,
    actor: Option<&str>,
) -> Result<(String, Option<i64>), db::Error> {
    let mut tx = context.store.read().await?;
    let records = audit::latest(&mut tx, before, app, actor, EXPORTED).await?;
    let next = next(&records, EXPORTED);
    let lines = records.iter().map(|record| {
        csv::line(&[
            &record.id.to_string(),
            &record.at.to_string(),
            &record.app,
            &record.actor,
            &record.role,
            &record.action,
            &record.subject,
            &written(record.before.as_ref()),
            &written(record.after.as_ref()),
            record.reason.as_deref().unwrap_or_default(),
            &record.hash,
        ])
    });
    Ok((lines.collect(), next))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    app: Option<String>,
    actor: Option<String>,
    /// `next` of the page before.
    cursor: Option<i64>,
    /// 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<i64>,
}

/// One recorded change.
#[derive(Debug, Serialize, ToSchema)]
struct RecordBody {
    id: i64,
    at: Timestamp,
    app: String,
    actor: String,
    role: String,
    action: String,
    subject: String,
    #[schema(value_type = serde_json::Value)]
    before: Option<Json>,
    #[schema(value_type = serde_json::Value)]
    after: Option<Json>,
    reason: Option<String>,
    /// Of this record and of the hash before it.
    hash: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct RecordList {
    items: Vec<RecordBody>,
    next: Option<i64>,
}

/// Recorded changes, newest first.
#[utoipa::path(get, path = "/api/audit", tag = "console", params(Asked),
    responses((status = 200, body = RecordList)))]
async fn list(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    Query(asked): Query<Asked>,
) -> Result<web::Json<RecordList>, Failure> {
    actor.require_admin(lang)?;
    let (app, by) = (filter(asked.app.as_deref()), filter(asked.actor.as_deref()));
    let limit = asked.limit.unwrap_or(SHOWN).clamp(*LIMIT.start(), *LIMIT.end());
    let before = asked.cursor.unwrap_or(i64::MAX);
    let mut tx = context.store.read().await?;
    let records = audit::latest(&mut tx, before, app, by, limit).await?;
    let next = next(&records, limit);
    let items = records.into_iter().map(RecordBody::from).collect();
    Ok(web::Json(RecordList { items, next }))
}

impl From<Record> for RecordBody {
    fn from(record: Record) -> Self {
        Self {
            id: record.id,
            at: record.at,
            app: record.app,
            actor: record.actor,
            role: record.role,
            action: record.action,
            subject: record.subject,
            before: record.before,
            after: record.after,
            reason: record.reason,
            hash: record.hash,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_differ_by_field_and_values_as_a_whole() {
        let (old, new) = (json!({"a": 1, "b": 2}), json!({"b": 3, "a": 1, "c": "x"}));
        let row = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            changes("value", Some(&old), Some(&new)),
            [row("b", "2", "3"), row("c", "", "x")]
        );
        assert_eq!(changes("value", Some(&json!(8)), Some(&json!(9))), [row("value", "8", "9")]);
        assert!(changes("value", None, None).is_empty());
    }

    #[test]
    fn of_a_list_only_what_differs_is_told() {
        let node = |seconds: i64| json!({"id": 1, "nombre": "Señal", "interval_seconds": seconds});
        let (old, new) = (
            json!({"nodos": [node(900), {"nombre": "Serie"}], "oids": [1, 2]}),
            json!({"nodos": [node(300), {"nombre": "Distancia"}], "oids": [1, 3]}),
        );
        let told = changes("value", Some(&old), Some(&new));
        let row = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(told[0], row("nodos › Señal › interval_seconds", "900", "300"));
        assert_eq!(told[1], row("nodos › Serie", "{\"nombre\":\"Serie\"}", ""));
        assert_eq!(told[2], row("nodos › Distancia", "", "{\"nombre\":\"Distancia\"}"));
        assert_eq!(told[3..], [row("oids", "[1,2]", "[1,3]")]);
    }
}

//! `/sistema`: processes, database, broker, versions, and the work that runs by the clock.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use db::{Dialect, processes::Process};
use jiff::Timestamp;
use serde_json::Value as Json;
use web::{Lang, Page, Tone};

use super::{Console, forms::html};
use crate::{Failure, Resources, TickHealth, processes::USED, used};

#[derive(Template)]
#[template(path = "system.html")]
struct SystemPage {
    page: Page,
    topics: String,
    database: &'static str,
    /// Whether the house has a broker.
    broker: bool,
    manual_clock: bool,
    processes: Vec<Process>,
    /// The one that answers this.
    own: String,
    real: Timestamp,
    /// What applications are called.
    names: Vec<(&'static str, &'static str)>,
    ticks: Vec<TickLine>,
}

impl SystemPage {
    fn work(&self, process: &Process) -> String {
        work(&process.roles, &self.names, self.page.lang)
    }

    /// What a process uses, as of its last heartbeat.
    fn uses(&self, process: &Process) -> String {
        let Resources { cpu_pct, memory_bytes } = used(process);
        let core = self.page.t("de un núcleo", "of a core");
        let share = self.page.percent(cpu_pct / 100.0);
        format!("{share} {core} · {} MB", self.page.number((memory_bytes >> 20) as i64))
    }
}

/// What a process does for each application, in words: which components and with how many threads.
fn work(roles: &Json, names: &[(&'static str, &'static str)], lang: Lang) -> String {
    let name = |app: &str| {
        let known = names.iter().find(|(known, _)| *known == app);
        known.map_or_else(|| app.to_owned(), |(_, label)| (*label).to_owned())
    };
    let part = |(app, role): (&String, &Json)| {
        let components: Vec<&str> = match &role["components"] {
            Json::Array(some) => some.iter().filter_map(Json::as_str).collect(),
            _ => vec![lang.t("todo", "everything")],
        };
        let threads = role["threads"].as_u64().map(|count| match (count, lang) {
            (1, Lang::Es) => ", 1 hilo".to_owned(),
            (1, Lang::En) => ", 1 thread".to_owned(),
            (count, Lang::Es) => format!(", {count} hilos"),
            (count, Lang::En) => format!(", {count} threads"),
        });
        format!("{}: {}{}", name(app), components.join(", "), threads.unwrap_or_default())
    };
    let apps = roles.as_object().into_iter().flatten().filter(|(app, _)| *app != USED);
    let told: Vec<String> = apps.map(part).collect();
    told.join(" · ")
}

struct TickLine {
    name: &'static str,
    /// What it is called; empty when nobody gave it words.
    title: &'static str,
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
    let processes = if console.actor.is_admin() {
        db::processes::all(&mut context.store.read().await?).await?
    } else {
        Vec::new()
    };
    let page = SystemPage {
        page: console.page(console.lang.t("Sistema", "System")),
        topics: console.topics(),
        database: match context.store.dialect() {
            Dialect::Sqlite => "SQLite",
            Dialect::Postgres => "PostgreSQL",
        },
        broker: context.options.broker.is_some(),
        manual_clock: context.clock.is_manual(),
        processes,
        own: context.process.name.clone(),
        real: context.clock.real(),
        names: context.apps.iter().map(|app| (app.name, app.label(console.lang))).collect(),
        ticks: ticks(&console),
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
                title: context.word(app.name, tick.name, console.lang),
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
        (Tone::Plain, lang.t("todavía no se ejecutó", "has not run yet"))
    } else {
        (Tone::Good, lang.t("al día", "up to date"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_process_does_is_told_in_words() {
        let names = [("docproc", "DocProc")];
        let all = json!({"docproc": {"components": null, "name": "all", "threads": 2}});
        assert_eq!(work(&all, &names, Lang::Es), "DocProc: todo, 2 hilos");
        let one = json!({"docproc": {"components": ["ocr"], "threads": 1}});
        assert_eq!(work(&one, &names, Lang::En), "DocProc: ocr, 1 thread");
        assert_eq!(work(&json!({}), &names, Lang::Es), "");
        let busy = json!({"docproc": {"components": null}, "used": {"cpu_pct": 3.0}});
        assert_eq!(
            work(&busy, &names, Lang::Es),
            "DocProc: todo",
            "what it uses is no application"
        );
    }
}

//! What must be so: `expect <thing> <path> <value>`. A thing is a request by its name, a task of
//! it, why something waits, or whatever an address answers; a path leads into it,
//! `documents/0/status`, through the elements of a list, `documents/page_indices`, to those that
//! fit, `types/doc_type=invoice/straight`.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use jiff::civil::Date;
use serde_json::{Value as Json, json};
use testkit::{
    Answer,
    story::{Outcome, Step, Words, same},
};

use super::story::Tale;
use crate::logs;

/// Longer than anything here takes on a busy machine.
const UNTIL_TIMEOUT: Duration = Duration::from_mins(1);

/// States of a request, of which none goes back.
const ORDER: [&str; 7] =
    ["received", "routing", "splitting", "processing", "extracting", "consolidating", "completed"];

/// What a value may be compared by, when it is not the same.
const HOW: [&str; 8] = ["not", "has", "lacks", "rising", "least", "most", "about", "beyond"];

impl Tale {
    pub(super) async fn expect(&mut self, step: &mut Step) -> Outcome {
        if step.words.takes("page") {
            return self.expect_page(step).await;
        }
        if step.words.takes("log") {
            return expect_log(&mut step.words);
        }
        if step.words.takes("rows") {
            return self.expect_rows(&mut step.words).await;
        }
        if step.words.takes("lessons") {
            return self.expect_lessons(&mut step.words).await;
        }
        if step.words.takes("file") {
            let path = self.office().dir().join(step.words.word("a path")?);
            let there = !step.words.takes("gone");
            return same("is there", there, path.exists());
        }
        let found = self.look(step).await?;
        if found.is_null() && step.words.peek().is_none() {
            return Ok(());
        }
        fits(&found, &mut step.words, step.today)
    }

    /// Waits until it is so.
    pub(super) async fn until(&mut self, step: &Step) -> Outcome {
        let began = Instant::now();
        loop {
            match self.expect(&mut step.clone()).await {
                Err(_) if began.elapsed() < UNTIL_TIMEOUT => {}
                held => return held,
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// `note first A trace_id`: `$first` stands for it from here on.
    pub(super) async fn note(&mut self, step: &mut Step) -> Outcome {
        let name = step.words.word("a name")?;
        let found = self.look(step).await?;
        self.names.insert(name, text(&found, Date::MIN));
        step.words.end()
    }

    /// The thing and the path at the begin of a line.
    async fn look(&mut self, step: &mut Step) -> Outcome<Json> {
        let thing = step.words.word("a thing")?;
        let whole = match thing.as_str() {
            "answer" => self.answer.clone(),
            "receiver" => json!({ "calls": self.receiver.calls.load(Ordering::SeqCst),
                "kinds": self.receiver.kinds(), "bodies": self.receiver.acknowledged() }),
            "model" => json!({ "calls": self.office().outside.calls.load(Ordering::SeqCst) }),
            "task" => {
                let task = self.task(&step.words.word("a task")?).await?;
                let all = self.get("/api/tasks").await.json();
                let found = all.as_array().into_iter().flatten().find(|one| one["id"] == *task);
                found.cloned().unwrap_or_default()
            }
            "why" if step.words.takes("task") => {
                let task = self.task(&step.words.word("a task")?).await?;
                step.answered(&self.get(&format!("/api/docproc/tasks/{task}/why")).await)?
            }
            "why" => {
                let id = self.id(&step.words.word("a request")?)?;
                step.answered(&self.get(&format!("/api/docproc/requests/{id}/why")).await)?
            }
            path if path.starts_with('/') => step.answered(&self.get(path).await)?,
            name if self.names.contains_key(name) => self.request(name).await?,
            name if name.starts_with("tasks") || name == "alerts" => {
                step.answered(&self.get(&format!("/api/{name}")).await)?
            }
            name => step.answered(&self.get(&format!("/api/docproc/{name}")).await)?,
        };
        let Some(path) = step.words.take() else { return Ok(whole) };
        follow(&whole, &path).ok_or_else(|| format!("there is no {path} in {whole}"))
    }

    async fn get(&self, path: &str) -> Answer {
        self.office().client.get(path).await
    }

    /// What is known of a request, and what its sender is told.
    async fn request(&mut self, name: &str) -> Outcome<Json> {
        let id = self.id(name)?;
        let mut known = self.office().detail(&id).await;
        let told = self.office().status(&id).await;
        let state = told["status"].as_str().unwrap_or_default();
        let rank = ORDER.iter().position(|word| *word == state).unwrap_or_default();
        let before = self.ranks.insert(name.to_owned(), rank).unwrap_or_default();
        if rank > 0 && rank < before {
            return Err(format!("{name} went back from {} to {state}", ORDER[before]));
        }
        let known_fields = known.as_object_mut().ok_or("a request is an object")?;
        known_fields.extend(told.as_object().cloned().unwrap_or_default());
        Ok(known)
    }

    /// The open task of a request, `A`, or the one about a type, `A/receipt`; when there is none,
    /// the one that was spoken of last. What is no request is the number of a task.
    pub(super) async fn task(&mut self, name: &str) -> Outcome<String> {
        let (request, about) = name.split_once('/').unwrap_or((name, ""));
        let Ok(id) = self.id(request) else { return Ok(name.to_owned()) };
        let all = self.get("/api/tasks").await.json();
        let open = ["pending", "assigned", "timeout"].map(Json::from);
        let mine = |task: &&Json| {
            task["request_id"] == *id
                && open.contains(&task["status"])
                && (about.is_empty() || task["input_data"]["doc_type"] == about)
        };
        let found: Vec<&Json> = all.as_array().into_iter().flatten().filter(mine).collect();
        match found.as_slice() {
            [] => self.tasks.get(name).cloned().ok_or_else(|| format!("{name} has no task")),
            [task] => {
                let task = task["id"].as_str().unwrap_or_default().to_owned();
                self.tasks.insert(name.to_owned(), task.clone());
                Ok(task)
            }
            more => Err(format!("{name} has {} tasks", more.len())),
        }
    }

    /// `expect page /docproc in es`, and what stands on it under the line.
    async fn expect_page(&self, step: &mut Step) -> Outcome {
        let path = step.words.word("a path")?;
        let lang =
            if step.words.takes("in") { step.words.word("a language")? } else { "es".into() };
        let request = self.office().client.request(reqwest::Method::GET, &path);
        let request = request.header("accept-language", lang).header("accept", "text/html");
        let page = Answer::of(request, &path).await;
        same("status", 200, page.status)?;
        match step.under.iter().find(|text| !page.text.contains(*text)) {
            Some(text) => Err(format!("{text:?} is not on {}", page.text)),
            None => step.words.end(),
        }
    }

    /// `expect lessons 1 "words of the page"`: what a training would be given.
    async fn expect_lessons(&self, words: &mut Words) -> Outcome {
        let mut tx = self.office().context().store.read().await.unwrap();
        let lessons = docproc::training::corrections(&mut tx).await.unwrap();
        same("lessons", words.number("how many")?, i64::try_from(lessons.len()).unwrap())?;
        let text = words.word("words")?;
        let fits = lessons.iter().all(|lesson| lesson.page.text().contains(&text));
        same("all have these words", true, fits)
    }

    /// `expect rows 1 messages state CLAIMED priority 0`.
    async fn expect_rows(&self, words: &mut Words) -> Outcome {
        let (count, table) = (words.number("how many")?, words.word("a table")?);
        let mut sql = format!("SELECT COUNT(*) AS n FROM {table} WHERE 1 = 1");
        while let Some(column) = words.take() {
            sql = match words.word("a value")?.as_str() {
                "something" => format!("{sql} AND {column} IS NOT NULL"),
                value => format!("{sql} AND CAST({column} AS TEXT) = '{value}'"),
            };
        }
        same("rows", count, self.office().count(&sql).await)
    }
}

/// `expect log sla_breached 100 ERROR`.
fn expect_log(words: &mut Words) -> Outcome {
    let (message, count) = (words.word("a message")?, words.number("how many")?);
    let lines = logs::heard(&message, "");
    same("lines", usize::try_from(count).unwrap_or_default(), lines.len())?;
    let level = words.word("a level")?;
    match lines.iter().find(|line| line.level.is_none_or(|one| one.as_str() != level)) {
        Some(line) => Err(format!("of another level: {line:?}")),
        None => words.end(),
    }
}

fn follow(whole: &Json, path: &str) -> Option<Json> {
    let mut at = whole.clone();
    for part in path.split('/').filter(|part| *part != ".") {
        at = match (&at, part, part.split_once('=')) {
            (Json::Array(list), "length", _) => list.len().into(),
            (Json::Array(list), "distinct", _) => {
                let mut list = list.clone();
                list.dedup();
                list.into()
            }
            (Json::Array(list), _, Some((key, value))) => {
                let fits = |one: &&Json| text(&one[key], Date::MIN) == value;
                list.iter().filter(fits).cloned().collect()
            }
            (Json::Array(list), _, None) => match part.parse::<usize>() {
                Ok(index) => list.get(index)?.clone(),
                Err(_) => list.iter().map(|one| one.get(part).cloned()).collect::<Option<_>>()?,
            },
            _ => at.get(part)?.clone(),
        };
    }
    Some(at)
}

/// `none` for an empty list, `0+1 2` for lists in a list, an instant of today by its time.
fn text(json: &Json, today: Date) -> String {
    match json {
        Json::String(word) => match word.strip_prefix(&format!("{today}T")) {
            Some(time) => time.trim_end_matches('Z').to_owned(),
            None => word.clone(),
        },
        Json::Array(list) if list.is_empty() => "none".to_owned(),
        Json::Array(list) => {
            let inner = |one: &Json| text(one, today).replace(' ', "+");
            let of_lists = list.iter().any(Json::is_array);
            let words: Vec<_> = list
                .iter()
                .map(|one| if of_lists { inner(one) } else { text(one, today) })
                .collect();
            words.join(" ")
        }
        other => other.to_string().replace('"', ""),
    }
}

/// A value, or what [`HOW`] says of one.
fn fits(found: &Json, words: &mut Words, today: Date) -> Outcome {
    let (got, mut rest) = (text(found, today), words.all());
    let how = rest.first().filter(|word| HOW.contains(&word.as_str())).cloned();
    let expected = rest.split_off(how.iter().len()).join(" ");
    let Some(how) = how else { return same("found", expected, got) };
    let numbers = |text: &str| text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let (number, of): (Vec<f64>, Vec<f64>) = (numbers(&got), numbers(&expected));
    let holds = match (how.as_str(), number.as_slice(), of.as_slice()) {
        ("not", ..) => got != expected,
        ("has", ..) => got.contains(&expected),
        ("lacks", ..) => !got.contains(&expected),
        ("rising", all, _) => all.is_sorted(),
        ("least", [number], [of]) => number >= of,
        ("most", [number], [of]) => number <= of,
        ("about", [number], [of]) => (number - of).abs() < 0.01,
        ("beyond", [number], [before, more]) => (number - before - more).abs() < 0.01,
        _ => false,
    };
    if holds { Ok(()) } else { Err(format!("expected {how} {expected}, got {got}")) }
}

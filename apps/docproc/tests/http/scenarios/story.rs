//! What is done in a story. After each line everything due has happened, unless the model outside
//! was told to wait with a page.

use std::collections::BTreeMap;

use docproc::Part;
use host::Clock;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use reqwest::Method;
use serde_json::{Map, Value as Json, json};
use testkit::{
    Answer, TestDb,
    story::{Outcome, Step, Story, Words},
};

use crate::{
    logs,
    office::{Office, Setup, exact, upload},
    outside::fields,
    receiver::Receiver,
};

pub(super) struct Tale {
    /// Absent only while it opens again.
    office: Option<Office>,
    pub(super) receiver: Receiver,
    /// What `$name` stands for: numbers of requests, and what was noted.
    pub(super) names: BTreeMap<String, String>,
    /// The task of each request that was spoken of last.
    pub(super) tasks: BTreeMap<String, String>,
    /// The tasks that each operator was given one after the other.
    given: BTreeMap<String, Vec<String>>,
    /// How far each request was seen.
    pub(super) ranks: BTreeMap<String, usize>,
    /// The last answer.
    pub(super) answer: Json,
    /// Pages that the model keeps.
    out: usize,
}

impl Story for Tale {
    async fn open(db: &TestDb, at: Timestamp) -> Self {
        logs::listen();
        let office = Office::with(Setup::by(Clock::manual(at), db)).await;
        let receiver = Receiver::start().await;
        let mut names = BTreeMap::from([("receiver".to_owned(), receiver.url.clone())]);
        names.insert("model".to_owned(), office.outside.url.clone());
        Self {
            office: Some(office),
            receiver,
            names,
            tasks: BTreeMap::new(),
            given: BTreeMap::new(),
            ranks: BTreeMap::new(),
            answer: Json::Null,
            out: 0,
        }
    }

    async fn at(&mut self, instant: Timestamp) -> Outcome {
        self.office().client.at(&instant.to_string()).await;
        Ok(())
    }

    async fn line(&mut self, mut step: Step) -> Outcome {
        let words = step.words.all();
        let quoted: Vec<_> = words.iter().map(|word| format!("\"{}\"", self.told(word))).collect();
        step.words = Words::of(&quoted.join(" "));
        step.under = step.under.iter().map(|text| self.told(text)).collect();
        let verb = step.words.word("a verb")?;
        match verb.as_str() {
            "expect" => return self.expect(&mut step).await,
            "until" => return self.until(&step).await,
            "note" => return self.note(&mut step).await,
            "send" => self.send(&mut step).await?,
            "workflow" => self.workflow(&mut step).await?,
            "serve" => self.serve(&mut step.words).await?,
            "model" if step.words.takes("fails") => {
                let calls = u32::try_from(step.words.number("calls")?).unwrap_or_default();
                self.office().outside.failing.store(calls, std::sync::atomic::Ordering::SeqCst);
            }
            "model" if step.words.takes("goes") => {
                let pages = std::mem::take(&mut self.out);
                self.office().outside.release(pages);
            }
            "receiver" if step.words.takes("answers") => {
                let status = step.words.number("a status")?;
                self.receiver.answers(u16::try_from(status).unwrap_or_default());
            }
            "monitor" => {
                let instant = step.words.instant(step.today, &TimeZone::UTC)?;
                let context = self.office().context().clone();
                let watched = docproc::decisions::deadlines::watch(context, instant).await;
                watched.map_err(|error| error.to_string())?;
            }
            "past" => self.past(&mut step).await?,
            "operator" => self.operator(&mut step).await?,
            "set" => self.set(&mut step).await?,
            "cancel" | "reprocess" => self.steer(&verb, &mut step).await?,
            "post" | "put" => self.ask(&verb, &mut step).await?,
            who => self.act(who, &mut step).await?,
        }
        step.words.end()?;
        if self.out == 0 {
            self.office().client.advance(0).await;
        }
        Ok(())
    }

    async fn close(self) {
        self.office.expect("the office is open").close().await;
    }
}

impl Tale {
    pub(super) fn office(&self) -> &Office {
        self.office.as_ref().expect("the office is open")
    }

    /// A text with what its names stand for.
    fn told(&self, text: &str) -> String {
        let told = |text: String, (name, stands_for): (&String, &String)| {
            text.replace(&format!("${name}"), stands_for)
        };
        self.names.iter().rev().fold(text.to_owned(), told)
    }

    pub(super) fn id(&self, name: &str) -> Outcome<String> {
        self.names.get(name).cloned().ok_or_else(|| format!("there is no request {name} yet"))
    }

    fn heard(&mut self, step: &Step, answer: &Answer) -> Outcome {
        step.answered(answer)?;
        self.answer = answer.json();
        Ok(())
    }

    /// `send A workflow hasty external_id 7`, or a number of requests without names; its pages are
    /// the lines under it.
    async fn send(&mut self, step: &mut Step) -> Outcome {
        let name = step.words.word("the name of a request")?;
        let mut form = vec![("workflow".to_owned(), "exact".to_owned())];
        while let Some(field) = step.words.take() {
            form.retain(|(known, _)| *known != field);
            form.push((field, step.words.word("a value")?));
        }
        let mut pages = Vec::new();
        for part in step.parts()? {
            let (count, page) = page(part.words)?;
            self.out += if page.contains("WAIT") { count } else { 0 };
            pages.extend(std::iter::repeat_n(page, count));
        }
        let fields: Vec<_> = form.iter().map(|(field, value)| (&**field, &**value)).collect();
        let text = pages.join("\u{c}").into_bytes();
        for _ in 0..name.parse().unwrap_or(1) {
            let files = [("pages.txt", text.clone())];
            let answer = upload(&self.office().client, "/process", &files, &fields).await;
            self.heard(step, &answer)?;
            if let Some(id) = self.answer["request_id"].as_str() {
                self.names.insert(name.clone(), id.to_owned());
            }
        }
        Ok(())
    }

    /// `workflow hasty`: like `exact` but for what is changed under it, `this -> that`.
    async fn workflow(&mut self, step: &mut Step) -> Outcome {
        let name = step.words.word("a name")?;
        let mut text = exact(&name, &self.office().outside.url);
        for line in &step.under {
            let (from, to) = line.split_once(" -> ").ok_or("this -> that")?;
            if !text.contains(from) {
                return Err(format!("{from:?} is not in the workflow"));
            }
            text = text.replace(from, to.replace("\\n", "\n").trim_start_matches("nothing"));
        }
        self.office().workflow(&name, &text).await;
        Ok(())
    }

    async fn serve(&mut self, words: &mut Words) -> Outcome {
        let word = words.word("a component")?;
        let part = Part::named(&word).ok_or_else(|| format!("{word} is no component"))?;
        let office = self.office.take().expect("the office is open");
        self.office = Some(office.reopened(part).await);
        Ok(())
    }

    /// `past 80 requests like A at 2026-11-09 12:59:00`, `past 20 readings like A at 11:55:00
    /// taking 2900` of pictures, `past 20 texts` of pages that brought theirs along: what is known
    /// of another time.
    async fn past(&mut self, step: &mut Step) -> Outcome {
        let count = step.words.number("how many")?;
        let what = step.words.word("requests, readings or texts")?;
        if !step.words.takes("like") {
            return Err("like which request?".to_owned());
        }
        let like = self.id(&step.words.word("a request")?)?;
        if !step.words.takes("at") {
            return Err("at which time?".to_owned());
        }
        let at = step.words.instant(step.today, &TimeZone::UTC)?;
        let millis = if step.words.takes("taking") { step.words.number("millis")? } else { 0 };
        let began = at - SignedDuration::from_millis(millis);
        let context = self.office().context();
        let scope = db::Scope::new("test");
        let mut decision = context.store.decide(&scope, context.clock.now()).await.unwrap();
        for n in 0..count {
            let (sql, args) = if what == "requests" {
                let id = uuid::Uuid::now_v7().to_string();
                (COPY, vec![id.into(), like.as_str().into(), at.into()])
            } else {
                let source = if what == "texts" { "text_layer" } else { "ocr" };
                let page = [like.as_str().into(), n.into(), source.into()];
                decision.tx.execute(PAGE, &page).await.unwrap();
                let (run, item) = (at.as_second() % 100_000, format!("p{n}"));
                let args = [like.as_str().into(), run.into(), item.into()];
                (READING, args.into_iter().chain([at.into(), began.into()]).collect())
            };
            decision.tx.execute(sql, &args).await.unwrap();
        }
        decision.commit().await.unwrap();
        Ok(())
    }

    /// `operator A classification extraction`, and what else is known under it.
    async fn operator(&mut self, step: &mut Step) -> Outcome {
        let name = step.words.word("a name")?;
        let mut body = json!({ "username": name, "skills": step.words.all() });
        extend(&mut body, &step.under)?;
        let answer = self.office().client.post("/api/docproc/operators", body).await;
        self.heard(step, &answer)
    }

    async fn set(&mut self, step: &mut Step) -> Outcome {
        let path = format!("/api/settings/docproc/{}", step.words.word("a setting")?);
        let body = json!({ "valor": value(&step.words.word("a value")?) });
        let answer = self.office().client.put(&path, body).await;
        self.heard(step, &answer)
    }

    /// `cancel A because "sent by mistake"`, `reprocess A from ocr`, `reprocess A by hasty`.
    async fn steer(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let id = self.id(&step.words.word("a request")?)?;
        let mut path = format!("/api/docproc/requests/{id}/{verb}");
        if step.words.takes("from") {
            path = format!("{path}?from={}", step.words.word("a stage")?);
        }
        let because = step.words.takes("because").then(|| step.words.word("a reason"));
        let body = if step.words.takes("by") {
            json!({ "workflow": step.words.word("a workflow")? })
        } else {
            because.transpose()?.map_or_else(|| json!({}), |reason| json!({ "reason": reason }))
        };
        let answer = self.office().client.post(&path, body).await;
        self.heard(step, &answer)
    }

    /// `post /path field value`, for what has no words of its own.
    async fn ask(&mut self, verb: &str, step: &mut Step) -> Outcome {
        let path = step.words.word("a path")?;
        let body = body(step)?;
        let client = &self.office().client;
        let answer = match verb {
            "put" => client.put(&path, body).await,
            _ => client.post(&path, body).await,
        };
        self.heard(step, &answer)
    }

    /// `ana claims A`, `ana submits A/receipt total 9,50`: what an operator does with a task.
    async fn act(&mut self, who: &str, step: &mut Step) -> Outcome {
        let verb = step.words.word("what is done")?;
        if verb == "next" {
            return self.next(who, step).await;
        }
        let path = match verb.as_str() {
            "claims" => "claim",
            "submits" => "submit",
            "undoes" => "undo",
            "beats" => "heartbeat",
            "releases" => "release",
            "postpones" => "postpone",
            "drafts" => "draft",
            other => return Err(format!("nobody knows how to {who} {other}")),
        };
        let task = self.task(&step.words.word("a task")?).await?;
        let path = format!("/tasks/{task}/{path}");
        if step.words.takes("each") {
            for body in &step.under {
                let body = serde_json::from_str(body).map_err(|error| error.to_string())?;
                let answer = self.office().client.post(&path, body).await;
                self.heard(step, &answer)?;
            }
            return Ok(());
        }
        let mut request = self.office().client.request(Method::POST, &path);
        if step.words.takes("once") {
            request = request.header("Idempotency-Key", step.words.word("a key")?);
        }
        let form = step.words.takes("by") && step.words.takes("form");
        let mut body = body(step)?;
        body["operator"] = who.into();
        let request = if form {
            request.header("Content-Type", FORM).body(form_of(&body))
        } else {
            request.json(&body)
        };
        self.heard(step, &Answer::of(request, &path).await)
    }

    /// The next task of an operator is never one that is on the desk already.
    async fn next(&mut self, who: &str, step: &Step) -> Outcome {
        let given = self.given.entry(who.to_owned()).or_default().clone();
        let body = json!({ "operator": who, "but": given });
        let answer = self.office().client.post("/api/docproc/desk/next", body).await;
        self.heard(step, &answer)?;
        match self.answer["id"].as_str() {
            Some(id) if given.iter().any(|known| known == id) => Err(format!("{id} again")),
            Some(id) => {
                self.given.entry(who.to_owned()).or_default().push(id.to_owned());
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// A request that came at another time and is done.
const COPY: &str = "INSERT INTO requests (id, trace_id, channel, workflow_id, workflow_name, status,
    sla_seconds, deadline_utc, metadata, created_by, created_at, updated_at, completed_at)
    SELECT $1, trace_id, channel, workflow_id, workflow_name, 'completed', sla_seconds, $3, metadata,
    created_by, $3, $3, $3 FROM requests WHERE id = $2";

/// A page by where its text comes from.
const PAGE: &str = "INSERT INTO pages (request_id, n, file, page_in_file, stage_at, ocr_source)
    VALUES ($1, $2, 0, $2, 9, $3)
    ON CONFLICT (request_id, n) DO UPDATE SET ocr_source = excluded.ocr_source";

/// A page that took so long to read, done at an instant.
const READING: &str =
    "INSERT INTO messages (request_id, run, stage_at, stage, component, item, state,
    priority, deadline_utc, due_at, created_at, started_at, finished_at)
    VALUES ($1, $2, 1, 'ocr', 'ocr', $3, 'DONE', 5, $4, $4, $4, $5, $4)";

/// `25 invoice 0.60 waits`, `invoice 0.95 total_amount 121 0.74`, `invoice says "Factura nº 7"`,
/// `fails 500`, `text "a page"`: a page that the model reads its answers off, and how many of it.
fn page(mut words: Words) -> Outcome<(usize, String)> {
    let counted = words.peek().is_some_and(|word| word.parse::<usize>().is_ok());
    let count = if counted { words.number("pages")? } else { 1 };
    let kind = words.word("a type")?;
    let text = match kind.as_str() {
        "text" => words.word("a text")?,
        "fails" => format!("FAIL {}", words.word("a status")?),
        _ => {
            let sure = words.peek().is_some_and(|word| word.parse::<f64>().is_ok());
            let confidence = if sure { words.word("a confidence")? } else { "0.95".to_owned() };
            let mut text = format!("TYPE {kind} {confidence}\n");
            while words.takes("says") {
                text = format!("{}\n{text}", words.word("a line")?);
            }
            if words.takes("waits") {
                text = format!("WAIT\n{text}");
            }
            if words.peek().is_none() {
                text += fields(&kind);
            }
            while let Some(field) = words.take() {
                let (value, sure) = (words.word("a value")?, words.word("a confidence")?);
                text = format!("{text}FIELD {field} {value} {sure}\n");
            }
            text
        }
    };
    words.end()?;
    Ok((usize::try_from(count).unwrap_or_default(), text))
}

/// Pairs of words are fields; under them lines of JSON, or fields of a document.
fn body(step: &mut Step) -> Outcome<Json> {
    let mut body = json!({});
    while let Some(field) = step.words.take() {
        body[field] = value(&step.words.word("a value")?);
    }
    extend(&mut body, &step.under)?;
    Ok(body)
}

/// A number or a truth if it is one, else a text.
fn value(word: &str) -> Json {
    serde_json::from_str(word).unwrap_or_else(|_| word.into())
}

/// Lines of JSON, or of fields of a document: `total_amount 1.250,50`.
fn extend(body: &mut Json, lines: &[String]) -> Outcome {
    let fields = body.as_object_mut().expect("an object");
    for line in lines {
        if line.starts_with('{') {
            let more: Map<String, Json> =
                serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            fields.extend(more);
        } else {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            fields.entry("extracted_data").or_insert_with(|| json!({}))[name] = value.into();
        }
    }
    Ok(())
}

const FORM: &str = "application/x-www-form-urlencoded";

/// As a form sends it: what is not a text is written as JSON.
fn form_of(body: &Json) -> String {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = body.as_object().into_iter().flatten();
    let fields: Vec<_> = fields.map(|(name, value)| (name, text(value))).collect();
    let url = reqwest::Url::parse_with_params("http://form/", &fields).expect("an address");
    url.query().unwrap_or_default().to_owned()
}

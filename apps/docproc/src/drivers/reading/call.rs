//! Stage `http`: a service outside does the work. The message goes out as JSON, and whatever the
//! service knows of text, type and fields comes back.

use std::time::Instant;

use page::{PageText, Rect, Source, Word};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::{Finding, Found, Kept, Outcome, extract};
use crate::{
    Context,
    model::FieldValue,
    rules::{
        continuity::PagePosition,
        course::Known,
        retry::Trouble,
        workflow::{How, Stage},
    },
    store::{
        documents::Reading,
        jobs::{Input, Job},
        progress::Ran,
    },
    wire::envelope,
};

/// More than any answer about one page or document.
const LARGEST: usize = 8 << 20;

/// What a service may answer; everything is optional.
#[derive(Debug, Default, Deserialize)]
struct Reply {
    text: Option<String>,
    doc_type: Option<String>,
    confidence: Option<f64>,
    /// Type to probability, instead of a single verdict.
    scores: Option<Map<String, Json>>,
    /// Name to value, or to `{value, confidence}`.
    fields: Option<Map<String, Json>>,
}

pub(super) async fn perform(context: Context, client: reqwest::Client, job: Job) -> Outcome {
    let (started, clock) = (context.clock.now(), Instant::now());
    let answered = match job.stage() {
        Some(stage) => call(&client, &job, stage).await,
        None => Err(super::read::misplaced("http")),
    };
    let (findings, trouble) = match answered {
        Ok((known, mut kept)) => {
            let (at, finished, took) = (job.claim.at, context.clock.now(), clock.elapsed());
            kept.ran.push(Ran { at, started, finished, took });
            let item = job.claim.item.clone();
            (vec![Finding { item, from: at, at, known, kept }], None)
        }
        Err(trouble) => (Vec::new(), Some(trouble)),
    };
    Outcome { job, findings, trouble }
}

async fn call(client: &reqwest::Client, job: &Job, stage: &Stage) -> Result<Found, Trouble> {
    let How::Call { url } = &stage.how else { return Err(super::read::misplaced("http")) };
    let sent = client.post(url).timeout(stage.timeout).json(&envelope(job)).send();
    let mut response = sent.await.map_err(|error| unreachable(&error))?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(&error))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(refused("HTTP_ANSWER_TOO_LARGE", "the answer is too large".into(), true));
        }
        body.extend_from_slice(&chunk);
    }
    if !status.is_success() {
        let lasting = status.is_client_error() && !matches!(status.as_u16(), 408 | 425 | 429);
        let answered: String = String::from_utf8_lossy(&body).chars().take(200).collect();
        return Err(refused("HTTP_STATUS", format!("{status}: {answered}"), lasting));
    }
    let reply: Reply = serde_json::from_slice(&body).map_err(|error| {
        refused("HTTP_ANSWER", format!("the answer does not fit: {error}"), true)
    })?;
    found(job, &reply)
}

fn found(job: &Job, reply: &Reply) -> Result<Found, Trouble> {
    let bad = |what: String| refused("HTTP_ANSWER", what, true);
    match &job.input {
        Input::Request => Ok((Known::Nothing, Kept::default())),
        Input::Page { .. } => {
            let text = reply.text.as_deref().map(plain);
            let evidence = text.as_ref().map(|_| (PagePosition::Unknown, None));
            let known = Known::Page { evidence, scores: scores(reply).map_err(bad)? };
            Ok((known, Kept { text, ..Kept::default() }))
        }
        Input::Document { doc_type, .. } => {
            let Some(fields) = &reply.fields else {
                return Ok((Known::Nothing, Kept::default()));
            };
            let schema = job.request.workflow.schemas.get(doc_type);
            let required = |name: &str| {
                schema.is_some_and(|s| s.fields.iter().any(|f| f.name == name && f.required))
            };
            let mut values = fields
                .iter()
                .map(|(name, given)| field(name, given, required(name)))
                .collect::<Result<Vec<_>, _>>()
                .map_err(bad)?;
            for spec in schema.map(|schema| schema.fields.as_slice()).unwrap_or_default() {
                if !values.iter().any(|value| value.name == spec.name) {
                    values.push(absent(&spec.name, spec.required));
                }
            }
            Ok(extract::read(extracted(values, fields)))
        }
    }
}

fn extracted(values: Vec<FieldValue>, given: &Map<String, Json>) -> Reading {
    let value = |name: &String| {
        let given = given.get(name).cloned().unwrap_or_default();
        given.get("value").cloned().unwrap_or(given)
    };
    let present: Vec<&FieldValue> = values.iter().filter(|v| v.value.is_some()).collect();
    let confidence = present.iter().map(|v| v.confidence).fold(1.0, f64::min);
    Reading {
        extracted_data: values.iter().map(|v| (v.name.clone(), value(&v.name))).collect(),
        confidence,
        missing_required: values.iter().any(|v| v.required && v.value.is_none()),
        fields: values,
    }
}

fn field(name: &str, given: &Json, required: bool) -> Result<FieldValue, String> {
    let (value, confidence) = match given {
        Json::Object(parts) => {
            let confidence = parts.get("confidence").map_or(Some(1.0), Json::as_f64);
            let confidence = confidence.filter(|p| (0.0..=1.0).contains(p));
            let confidence = confidence.ok_or_else(|| format!("{name}: confidence is 0 to 1"))?;
            (parts.get("value").cloned().unwrap_or_default(), confidence)
        }
        plain => (plain.clone(), 1.0),
    };
    let text = match value {
        Json::Null => None,
        Json::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    Ok(FieldValue { value: text.clone(), normalised: text, confidence, ..absent(name, required) })
}

fn absent(name: &str, required: bool) -> FieldValue {
    FieldValue {
        name: name.to_owned(),
        value: None,
        normalised: None,
        confidence: 0.0,
        required,
        boxes: Vec::new(),
        rules: Vec::new(),
        alternatives: Vec::new(),
    }
}

fn scores(reply: &Reply) -> Result<Option<Vec<(String, f64)>>, String> {
    let sure = |p: f64| (0.0..=1.0).contains(&p).then_some(p).ok_or("confidence is 0 to 1");
    if let Some(given) = &reply.scores {
        let mut scores = Vec::with_capacity(given.len());
        for (name, p) in given {
            scores.push((name.clone(), sure(p.as_f64().unwrap_or(-1.0))?));
        }
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        return Ok(Some(scores));
    }
    match &reply.doc_type {
        Some(doc_type) => {
            Ok(Some(vec![(doc_type.clone(), sure(reply.confidence.unwrap_or(1.0))?)]))
        }
        None => Ok(None),
    }
}

/// Text without places: one line after another on a page of typewriter cells.
fn plain(text: &str) -> PageText {
    let mut words = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let mut column = 0;
        for part in line.split(' ') {
            let width = part.chars().count();
            if width > 0 {
                let place = Rect { x: column as f32, y: row as f32 * 2.0, w: width as f32, h: 1.5 };
                words.push(Word { text: part.to_owned(), place, confidence: 1.0 });
            }
            column += width + 1;
        }
    }
    let right = words.iter().map(|word| word.place.right()).fold(80.0, f32::max);
    let bottom = words.iter().map(|word| word.place.bottom()).fold(132.0, f32::max);
    PageText { width: right, height: bottom, source: Source::Plain, turned: 0, words }
}

fn refused(code: &str, detail: String, lasting: bool) -> Trouble {
    Trouble { code: code.to_owned(), detail, lasting }
}

fn unreachable(error: &reqwest::Error) -> Trouble {
    let code = if error.is_timeout() { "HTTP_TIMEOUT" } else { "HTTP_UNREACHABLE" };
    // The address may hold a secret; it is in the workflow for those who may see it.
    let detail = json!(error.to_string().split(" for url").next().unwrap_or_default());
    refused(code, detail.as_str().unwrap_or_default().to_owned(), false)
}

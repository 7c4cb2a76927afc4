//! What somebody outside answers, called by us or fetching by itself: a list of
//! `["__next__" | "__backoffice__" | a routing key, PipelineMessage]` (§15b). One reader for all
//! ways an answer can come.

use engine::Sentence;
use page::{PageText, Rect, Source, Word};
use serde_json::{Map, Value as Json};
use understand::{
    classify::first_page_evidence,
    extract::{FieldSpec, Kind},
};

use crate::{
    model::{FieldValue, Reading, Unit},
    rules::workflow::Workflow,
    store::{
        jobs::{Input, Job},
        progress::{Finding, Found},
    },
};

const NEXT: &str = "__next__";
const PERSON: &str = "__backoffice__";
/// More than any page has.
const MOST_WORDS: usize = 50_000;
/// Bytes that may be kept beside text, type and fields.
const MOST_EXTRA: usize = 256 * 1024;

/// An answer, taken apart.
#[derive(Clone, Debug, PartialEq)]
struct Reply {
    to: String,
    /// Absent in the short form that calls may be answered with.
    request: Option<String>,
    payload: Map<String, Json>,
}

/// Takes an answer apart. An empty list says that there is nothing to add.
fn parse(body: Json) -> Result<Reply, Sentence> {
    match body {
        Json::Array(mut list) => match list.len() {
            0 => Ok(Reply { to: NEXT.into(), request: None, payload: Map::new() }),
            1 => pair(list.swap_remove(0)),
            n => Err(Sentence::new(
                format!("se espera un mensaje y llegaron {n}"),
                format!("one message is expected back, {n} came"),
            )),
        },
        Json::Object(fields) if fields.contains_key("payload") => {
            message(NEXT.to_owned(), Json::Object(fields))
        }
        Json::Object(payload) => Ok(Reply { to: NEXT.into(), request: None, payload }),
        _ => Err(Sentence::new(
            "se espera una lista de [adónde, mensaje]",
            "a list of [where to, message] is expected",
        )),
    }
}

fn pair(one: Json) -> Result<Reply, Sentence> {
    let Json::Array(parts) = one else {
        return Err(Sentence::new(
            "cada resultado es una lista de dos: [adónde, mensaje]",
            "each result is a list of two: [where to, message]",
        ));
    };
    match <[Json; 2]>::try_from(parts) {
        Ok([Json::String(to), content]) => message(to, content),
        Ok(_) => Err(Sentence::new(
            "adónde va un resultado es un texto, por ejemplo «__next__»",
            "where a result goes is a text, such as “__next__”",
        )),
        Err(parts) => Err(Sentence::new(
            format!("un resultado es una lista de dos, no de {}", parts.len()),
            format!("a result is a list of two, not of {}", parts.len()),
        )),
    }
}

fn message(to: String, content: Json) -> Result<Reply, Sentence> {
    let Json::Object(mut fields) = content else {
        return Err(Sentence::new(
            "un resultado es un mensaje: un objeto JSON con «payload»",
            "a result is a message: a JSON object with a payload",
        ));
    };
    let payload = match fields.remove("payload") {
        None | Some(Json::Null) => Map::new(),
        Some(Json::Object(payload)) => payload,
        Some(_) => {
            return Err(Sentence::new(
                "el «payload» de un mensaje es un objeto JSON",
                "the payload of a message is a JSON object",
            ));
        }
    };
    let request = fields.get("request_id").and_then(Json::as_str).map(str::to_owned);
    Ok(Reply { to, request, payload })
}

/// What an answer says about the item of a job. `sent` is what was sent: whatever comes back as it
/// went out says nothing.
pub(crate) fn finding(
    job: &Job,
    sent: &Map<String, Json>,
    body: Json,
) -> Result<Finding, Sentence> {
    let reply = parse(body)?;
    if let Some(other) = reply.request.filter(|one| *one != job.claim.request) {
        return Err(Sentence::new(
            format!("el mensaje trata de {}, no de {other}", job.claim.request),
            format!("the message is about {}, not {other}", job.claim.request),
        ));
    }
    let (asks, through) = destination(&job.request.workflow, job.claim.at, &reply.to)?;
    let mut extra = reply.payload;
    extra.retain(|name, value| !sent.get(name).is_some_and(|before| same(before, value)));
    let found = match &job.input {
        Input::Request => Found::Nothing,
        Input::Page { .. } => about_page(&mut extra)?,
        Input::Document { .. } => about_document(job, &mut extra)?,
    };
    // Addresses are made anew each time.
    extra.retain(|name, _| !name.ends_with("_url") && !OURS.contains(&name.as_str()));
    if serde_json::to_vec(&extra).map_or(usize::MAX, |text| text.len()) > MOST_EXTRA {
        return Err(Sentence::new(
            format!("más de {MOST_EXTRA} bytes además de texto, tipo y campos"),
            format!("more than {MOST_EXTRA} bytes beside text, type and fields"),
        ));
    }
    let extra = Some(extra).filter(|extra| !extra.is_empty());
    let item = job.claim.item.clone();
    Ok(Finding { asks, through, extra, ..Finding::new(item, job.claim.at, found) })
}

/// What a payload has of ours, which nobody outside changes.
const OURS: [&str; 12] = [
    "channel",
    "external_id",
    "metadata",
    "page_count",
    "document_count",
    "page_index",
    "page_in_file",
    "page_indices",
    "pages",
    "files",
    "documents",
    "document_id",
];

/// Where a result goes: whether to a person, and which stage was the last before it goes on.
fn destination(workflow: &Workflow, at: i32, to: &str) -> Result<(bool, i32), Sentence> {
    let here = usize::try_from(at).ok().and_then(|at| workflow.stages.get(at));
    let Some(stage) = here else {
        return Err(Sentence::new("esa etapa no está", "the stage is not there"));
    };
    if to == NEXT {
        return Ok((false, at));
    }
    let queue = stage.backoffice_queue.as_deref();
    if to == PERSON || queue == Some(to) {
        return match queue {
            None => Err(Sentence::new(
                format!("la etapa {} no tiene backoffice_queue: no pregunta a nadie", stage.name),
                format!("stage {} has no backoffice_queue to ask people in", stage.name),
            )),
            Some(_) if stage.unit == Unit::Request => Err(Sentence::new(
                "a las personas se les pregunta por páginas y documentos, no por solicitudes",
                "people are asked about pages and documents, not about requests",
            )),
            Some(_) => Ok((true, at)),
        };
    }
    let rest = workflow.stages.iter().enumerate().skip(at as usize + 1);
    for (n, later) in rest {
        if later.routing_key == to {
            return Ok((false, n as i32 - 1));
        }
        if later.unit != stage.unit || later.component.is_join() {
            break;
        }
    }
    Err(Sentence::new(
        format!("«{to}» no es la clave de una etapa que pueda seguir a {}", stage.name),
        format!("“{to}” is no routing key of a stage that may follow {}", stage.name),
    ))
}

fn about_page(extra: &mut Map<String, Json>) -> Result<Found, Sentence> {
    let mut take = |name: &str| extra.remove(name).filter(|value| !value.is_null());
    let typed = (take("doc_type"), take("scores"), take("classification_confidence"));
    let (confidence, printed) = (take("confidence"), take("ocr_confidence"));
    let text = (take("text").or(take("ocr_text")), take("words"));
    let size = (take("width"), take("height"));
    let sure = |name: &str, given: Option<&Json>| given.map(|p| share(name, p)).transpose();
    let scores =
        scores(typed.0, typed.1, sure("confidence", typed.2.as_ref().or(confidence.as_ref()))?)?;
    let printed = sure("ocr_confidence", printed.as_ref().or(confidence.as_ref()))?;
    let text = match text {
        (_, Some(words)) => Some(placed(&words, size)?),
        (Some(Json::String(text)), None) => Some(plain(&text, printed.unwrap_or(1.0) as f32)),
        (Some(_), None) => return Err(Sentence::new("«text» es un texto", "text is a text")),
        (None, None) => None,
    };
    let evidence = text.as_ref().map(|text| first_page_evidence(text).into());
    Ok(Found::Page { text, evidence, scores })
}

fn scores(
    doc_type: Option<Json>,
    all: Option<Json>,
    confidence: Option<f64>,
) -> Result<Option<Vec<(String, f64)>>, Sentence> {
    match (all, doc_type) {
        (Some(Json::Object(given)), _) => {
            let one = |(name, p): (String, Json)| share(&name, &p).map(|p| (name, p));
            let mut scores = given.into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
            scores.sort_by(|a, b| b.1.total_cmp(&a.1));
            Ok(Some(scores))
        }
        (Some(_), _) => Err(Sentence::new(
            "«scores» es un objeto de tipo a probabilidad",
            "scores is an object of type to probability",
        )),
        (None, Some(Json::String(doc_type))) => {
            Ok(Some(vec![(doc_type, confidence.unwrap_or(1.0))]))
        }
        (None, Some(_)) => Err(Sentence::new("«doc_type» es un texto", "doc_type is a text")),
        (None, None) => Ok(None),
    }
}

fn about_document(job: &Job, extra: &mut Map<String, Json>) -> Result<Found, Sentence> {
    let Input::Document { doc_type, fields: before, data, .. } = &job.input else {
        return Ok(Found::Nothing);
    };
    let mut take = |name: &str| extra.remove(name).filter(|value| !value.is_null());
    let (fields, flat) = (take("fields"), take("extracted_data"));
    let confidence = take("extraction_confidence").or(take("confidence"));
    let confidence = confidence.map(|p| share("confidence", &p)).transpose()?;
    for name in ["doc_type", "ocr_texts"] {
        take(name);
    }
    let given = match fields.or(flat) {
        None => return Ok(Found::Nothing),
        Some(Json::Object(given)) => given,
        Some(_) => {
            return Err(Sentence::new(
                "«fields» es un objeto de nombre a valor",
                "fields is an object of name to value",
            ));
        }
    };
    let schema = job.request.workflow.schemas.get(doc_type);
    let specs = schema.map(|schema| schema.fields.as_slice()).unwrap_or_default();
    let required = |name: &str| specs.iter().any(|spec| spec.name == name && spec.required);
    let mut values = before.clone();
    for (name, given) in &given {
        let value = field(name, given, required(name), confidence.unwrap_or(1.0))?;
        match values.iter_mut().find(|one| one.name == *name) {
            // What comes back as it was keeps its places and its confidence.
            Some(known) if known.value == value.value || known.normalised == value.value => {
                if given.get("confidence").is_some() {
                    known.confidence = value.confidence;
                }
            }
            Some(known) => *known = value,
            None => values.push(value),
        }
    }
    for spec in specs {
        if !values.iter().any(|value| value.name == spec.name) {
            values.push(absent(&spec.name, spec.required));
        }
    }
    Ok(Found::Document(Box::new(extracted(values, &given, data.as_ref(), specs))))
}

pub(super) fn extracted(
    values: Vec<FieldValue>,
    given: &Map<String, Json>,
    before: Option<&Json>,
    specs: &[FieldSpec],
) -> Reading {
    let table = |name: &str| specs.iter().any(|one| one.name == name && one.kind == Kind::Table);
    let value = |name: &String| match given.get(name) {
        Some(given) => given.get("value").cloned().unwrap_or_else(|| given.clone()),
        None => before.and_then(|data| data.get(name)).cloned().unwrap_or_default(),
    };
    // As for our own extractor: a table that need not be there asks nobody.
    let counts = |v: &&FieldValue| v.value.is_some() && (v.required || !table(&v.name));
    let confidence = values.iter().filter(counts).map(|v| v.confidence).fold(1.0, f64::min);
    Reading {
        extracted_data: values.iter().map(|v| (v.name.clone(), value(&v.name))).collect(),
        confidence,
        missing_required: values.iter().any(|v| v.required && v.value.is_none()),
        fields: values,
        layout: None,
    }
}

fn field(name: &str, given: &Json, required: bool, usual: f64) -> Result<FieldValue, Sentence> {
    let (value, confidence) = match given {
        Json::Object(parts) => {
            let confidence = parts.get("confidence").filter(|p| !p.is_null());
            let confidence = confidence.map_or(Ok(usual), |p| share(name, p))?;
            (parts.get("value").cloned().unwrap_or_default(), confidence)
        }
        plain => (plain.clone(), usual),
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

fn share(name: &str, given: &Json) -> Result<f64, Sentence> {
    let fits = given.as_f64().filter(|p| (0.0..=1.0).contains(p));
    fits.ok_or_else(|| {
        let es = format!("{name}: la confianza va de 0 a 1");
        Sentence::new(es, format!("{name}: confidence is 0 to 1"))
    })
}

/// Words with their places, in the units of the page.
fn placed(words: &Json, size: (Option<Json>, Option<Json>)) -> Result<PageText, Sentence> {
    let Json::Array(words) = words else {
        return Err(Sentence::new("«words» es una lista", "words is a list"));
    };
    if words.len() > MOST_WORDS {
        return Err(Sentence::new(
            format!("{} palabras en una página son demasiadas", words.len()),
            format!("{} words on a page are too many", words.len()),
        ));
    }
    let words = words.iter().map(placed_word).collect::<Result<Vec<_>, _>>()?;
    let extent = |given: Option<Json>, least: f32| {
        let given = given.and_then(|given| given.as_f64()).map(|given| given as f32);
        given.filter(|given| given.is_finite() && *given > 0.0).unwrap_or(least).max(least)
    };
    let right = words.iter().map(|word| word.place.right()).fold(1.0, f32::max);
    let bottom = words.iter().map(|word| word.place.bottom()).fold(1.0, f32::max);
    let (width, height) = (extent(size.0, right), extent(size.1, bottom));
    Ok(PageText { width, height, source: Source::Plain, turned: 0, words })
}

fn placed_word(given: &Json) -> Result<Word, Sentence> {
    let text = given["text"].as_str();
    let text = text
        .ok_or_else(|| Sentence::new("una palabra tiene «text»", "a word has a text"))?
        .to_owned();
    let place: Vec<f32> = given["box"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|side| side.as_f64().map(|side| side as f32))
        .filter(|side| side.is_finite() && *side >= 0.0)
        .collect();
    let &[left, top, width, height] = place.as_slice() else {
        return Err(Sentence::new(
            format!("la «box» de «{text}» es [x, y, ancho, alto], ninguno menor que 0"),
            format!("the box of “{text}” is [x, y, width, height], none below 0"),
        ));
    };
    let confidence = match &given["confidence"] {
        Json::Null => 1.0,
        given => share(&text, given)? as f32,
    };
    Ok(Word { text, place: Rect { x: left, y: top, w: width, h: height }, confidence })
}

/// Text without places: one line after another on a page of typewriter cells.
fn plain(text: &str, confidence: f32) -> PageText {
    let mut words = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let mut column = 0;
        for part in line.split(' ') {
            let width = part.chars().count();
            if width > 0 {
                let place = Rect { x: column as f32, y: row as f32 * 2.0, w: width as f32, h: 1.5 };
                words.push(Word { text: part.to_owned(), place, confidence });
            }
            column += width + 1;
        }
    }
    let right = words.iter().map(|word| word.place.right()).fold(80.0, f32::max);
    let bottom = words.iter().map(|word| word.place.bottom()).fold(132.0, f32::max);
    PageText { width: right, height: bottom, source: Source::Plain, turned: 0, words }
}

/// The same value, however another language writes its numbers.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let also = |(name, a): (&String, &Json)| b.get(name).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(also)
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;

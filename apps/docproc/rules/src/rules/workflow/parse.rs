//! YAML to words, each fault with its line.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use serde_saphyr::{Location, Spanned};
use understand::extract::Schema;

use super::{
    Boundaries, How, Needed, Promotion, Retry, Route, Sla, Stage, Workflow, check, told::told,
};
use engine::{Sentence, Word as _};

use crate::model::{Component, Engine, Unit};

/// Larger than any workflow a person writes.
const LARGEST: usize = 256 * 1024;
const LONGEST_NAME: usize = 100;

/// Why a workflow cannot be loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// From 1; 0 when the whole file is meant.
    pub line: u64,
    pub column: u64,
    pub sentence: Sentence,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWorkflow {
    name: Spanned<String>,
    #[serde(default)]
    description: String,
    #[serde(default = "one")]
    version: u32,
    #[serde(default)]
    sla: RawSla,
    stages: Vec<Spanned<RawStage>>,
    #[serde(default)]
    extraction_schemas: BTreeMap<String, Spanned<Schema>>,
    #[serde(default)]
    other_types: Vec<String>,
    #[serde(default)]
    routes: Vec<Spanned<RawRoute>>,
    #[serde(default)]
    retry: RawRetry,
    #[serde(default)]
    sufficient: Vec<Spanned<RawNeeded>>,
    retention: Option<RawRetention>,
    promotion: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNeeded {
    doc_type: String,
    #[serde(default)]
    fields: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRetention {
    days: Spanned<u32>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSla {
    deadline_seconds: Option<Spanned<f64>>,
    warn_threshold_pct: Option<Spanned<u8>>,
    escalation_threshold_pct: Option<Spanned<u8>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStage {
    name: String,
    component: String,
    routing_key: Option<String>,
    timeout_seconds: Option<f64>,
    parallel: Option<bool>,
    confidence_threshold: Option<f64>,
    backoffice_queue: Option<String>,
    aggregation: Option<RawAggregation>,
    engine: Option<String>,
    continuity: Option<bool>,
    boundaries: Option<String>,
    doc_type: Option<String>,
    url: Option<String>,
    model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAggregation {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    collect_by: Option<String>,
    #[serde(default)]
    expect_count_from: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRoute {
    channel: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRetry {
    attempts: Option<u32>,
    base_seconds: Option<f64>,
    max_seconds: Option<f64>,
}

const fn one() -> u32 {
    1
}

/// Reads and checks a workflow. Every fault found is told, not only the first.
pub fn parse(source: &str) -> Result<Workflow, Vec<Fault>> {
    if source.len() > LARGEST {
        let sentence = Sentence::new(
            format!("el archivo pasa de {LARGEST} bytes"),
            format!("the file is larger than {LARGEST} bytes"),
        );
        return Err(vec![Fault { line: 0, column: 0, sentence }]);
    }
    let raw: RawWorkflow = serde_saphyr::from_str(source).map_err(|error| {
        let at = error.location().unwrap_or(Location::UNKNOWN);
        vec![Fault::at(at, told(&error.to_string()))]
    })?;
    let mut faults = Vec::new();
    let workflow = build(raw, &mut faults);
    if faults.is_empty() { Ok(workflow) } else { Err(faults) }
}

impl Fault {
    pub fn at(location: Location, sentence: Sentence) -> Self {
        Self { line: location.line(), column: location.column(), sentence }
    }
}

fn build(raw: RawWorkflow, faults: &mut Vec<Fault>) -> Workflow {
    if !is_name(&raw.name.value) {
        faults.push(Fault::at(
            raw.name.defined,
            Sentence::new(
                "name: letras minúsculas, cifras, guiones, hasta 100",
                "name: lower-case letters, digits, hyphens, up to 100",
            ),
        ));
    }
    let sla = sla(&raw.sla, faults);
    let mut stages = Vec::with_capacity(raw.stages.len());
    let mut places = Vec::with_capacity(raw.stages.len());
    for one in raw.stages {
        match stage(one.value) {
            Ok(stage) => {
                stages.push(stage);
                places.push(one.defined);
            }
            Err(sentence) => faults.push(Fault::at(one.defined, sentence)),
        }
    }
    let mut schemas = BTreeMap::new();
    for (doc_type, schema) in raw.extraction_schemas {
        for problem in schema.value.check() {
            let text = format!("extraction_schemas.{doc_type}: {problem}");
            faults.push(Fault::at(schema.defined, Sentence::new(text.clone(), text)));
        }
        schemas.insert(doc_type, schema.value);
    }
    let sufficient = sufficient(raw.sufficient, &schemas, &raw.other_types, faults);
    let retention_days = retention(raw.retention, faults);
    let promotion = promotion(raw.promotion.as_ref(), faults);
    let mut workflow = Workflow {
        name: raw.name.value,
        description: raw.description,
        version: raw.version,
        sla,
        stages,
        schemas,
        other_types: raw.other_types,
        routes: raw.routes.into_iter().map(|route| self::route(route.value)).collect(),
        retry: retry(&raw.retry),
        sufficient,
        retention_days,
        promotion,
    };
    // What stands on a broken stage would only repeat its fault.
    if faults.is_empty() {
        for (stage, sentence) in check::check(&mut workflow) {
            faults
                .push(Fault::at(places.get(stage).copied().unwrap_or(raw.name.defined), sentence));
        }
    }
    workflow
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(fits)
}

fn sla(raw: &RawSla, faults: &mut Vec<Fault>) -> Sla {
    let mut refuse = |at, es: &str, en: &str| {
        faults.push(Fault::at(at, Sentence::new(es.to_owned(), en.to_owned())));
    };
    let deadline = raw.deadline_seconds.as_ref().and_then(|seconds| {
        if (0.001..=31_536_000.0).contains(&seconds.value) {
            return Some(Duration::from_secs_f64(seconds.value));
        }
        refuse(
            seconds.defined,
            "sla.deadline_seconds: entre 0,001 y un año",
            "sla.deadline_seconds: between 0.001 and a year",
        );
        None
    });
    let mut percent = |raw: &Option<Spanned<u8>>, default| match raw {
        Some(given) if (1..=100).contains(&given.value) => given.value,
        Some(given) => {
            refuse(given.defined, "sla: un porcentaje de 1 a 100", "sla: a percentage, 1 to 100");
            default
        }
        None => default,
    };
    let (warn_pct, escalation_pct) =
        (percent(&raw.warn_threshold_pct, 70), percent(&raw.escalation_threshold_pct, 90));
    if warn_pct > escalation_pct {
        let at = raw.warn_threshold_pct.as_ref().map_or(Location::UNKNOWN, |given| given.defined);
        refuse(
            at,
            "sla: el aviso no puede venir después del escalado",
            "sla: the warning cannot come after the escalation",
        );
    }
    Sla { deadline, warn_pct, escalation_pct }
}

fn stage(raw: RawStage) -> Result<Stage, Sentence> {
    if !is_name(&raw.name) {
        return Err(Sentence::new(
            format!(
                "la etapa {:?} necesita un nombre de letras minúsculas, cifras, guiones",
                raw.name
            ),
            format!("stage {:?} needs a name of lower-case letters, digits, hyphens", raw.name),
        ));
    }
    let component = match Component::named(&raw.component) {
        Some(component) => component,
        None => check::outside(&raw.name, &raw.component)?,
    };
    check::bounds(&raw.name, raw.timeout_seconds, raw.confidence_threshold)?;
    check::means(&raw.name, component, raw.timeout_seconds, raw.parallel)?;
    check::key(&raw.name, component, raw.routing_key.as_deref())?;
    check::people(&raw.name, component, raw.backoffice_queue.as_deref())?;
    if let Some(given) = &raw.aggregation {
        let unit = match component {
            Component::ClassificationAggregator => "page_count",
            Component::ExtractionAggregator => "document_count",
            _ => return Err(check::not_a_join(&raw.name, component)),
        };
        let by = given.collect_by.as_deref().unwrap_or("request_id");
        let count = given.expect_count_from.as_deref().unwrap_or(unit);
        if (given.kind.as_str(), by, count) != ("fan_in", "request_id", unit) {
            return Err(check::wrong_join(&raw.name, unit));
        }
    }
    let how = how(&raw, component)?;
    let usual_key = || match component {
        Component::Outside => format!("component.{}", raw.component),
        ours => ours.routing_key().to_owned(),
    };
    Ok(Stage {
        routing_key: raw.routing_key.clone().unwrap_or_else(usual_key),
        unit: component.unit().unwrap_or(Unit::Request),
        name: raw.name,
        component,
        timeout: Duration::from_secs_f64(raw.timeout_seconds.unwrap_or(30.0)),
        parallel: raw.parallel,
        threshold: raw.confidence_threshold,
        backoffice_queue: raw.backoffice_queue,
        how,
    })
}

fn how(raw: &RawStage, component: Component) -> Result<How, Sentence> {
    let foreign = [
        ("engine", raw.engine.is_some(), Component::Ocr),
        ("continuity", raw.continuity.is_some(), Component::Classifier),
        ("boundaries", raw.boundaries.is_some(), Component::ClassificationAggregator),
        ("doc_type", raw.doc_type.is_some(), Component::ClassificationAggregator),
        ("url", raw.url.is_some(), Component::Http),
        ("model", raw.model.is_some(), Component::Http),
    ];
    if let Some((key, _, owner)) =
        foreign.iter().find(|(_, given, owner)| *given && *owner != component)
    {
        return Err(check::foreign_key(&raw.name, key, *owner));
    }
    Ok(match component {
        Component::Ocr => {
            let word = raw.engine.as_deref().unwrap_or("ppocr");
            let engine =
                Engine::from_word(word).ok_or_else(|| check::unknown_engine(&raw.name, word))?;
            How::Read { engine }
        }
        Component::Classifier => How::Classify { continuity: raw.continuity.unwrap_or(true) },
        Component::ClassificationAggregator => How::Group {
            boundaries: match raw.boundaries.as_deref() {
                None | Some("auto") => Boundaries::Auto,
                Some("type") => Boundaries::Type,
                Some(other) => return Err(check::unknown_boundaries(&raw.name, other)),
            },
            doc_type: raw.doc_type.clone(),
        },
        Component::Http => {
            How::Call { url: check::url(&raw.name, raw.url.as_deref())?, model: raw.model.clone() }
        }
        Component::Outside => How::Outside { component: raw.component.clone() },
        Component::Splitter
        | Component::Extractor
        | Component::ExtractionAggregator
        | Component::Consolidator => How::Plain,
    })
}

fn route(raw: RawRoute) -> Route {
    Route { channel: raw.channel, metadata: raw.metadata }
}

fn sufficient(
    raw: Vec<Spanned<RawNeeded>>,
    schemas: &BTreeMap<String, Schema>,
    other_types: &[String],
    faults: &mut Vec<Fault>,
) -> Vec<Needed> {
    let mut needed = Vec::with_capacity(raw.len());
    for one in raw {
        let RawNeeded { doc_type, fields } = one.value;
        let schema = schemas.get(&doc_type);
        if schema.is_none() && !other_types.contains(&doc_type) {
            faults.push(Fault::at(one.defined, check::unknown_type(&doc_type)));
            continue;
        }
        let known = |name: &String| {
            schema.is_some_and(|schema| schema.fields.iter().any(|field| field.name == *name))
        };
        for stranger in fields.iter().filter(|name| !known(name)) {
            faults.push(Fault::at(one.defined, check::unknown_field(&doc_type, stranger)));
        }
        needed.push(Needed { doc_type, fields });
    }
    needed
}

fn retention(raw: Option<RawRetention>, faults: &mut Vec<Fault>) -> Option<u32> {
    let days = raw?.days;
    if (1..=36_500).contains(&days.value) {
        return Some(days.value);
    }
    faults.push(Fault::at(
        days.defined,
        Sentence::new("retention.days: de 1 a 36500", "retention.days: 1 to 36500"),
    ));
    None
}

fn promotion(raw: Option<&Spanned<String>>, faults: &mut Vec<Fault>) -> Promotion {
    match raw.map(|given| given.value.as_str()) {
        None | Some("automatic") => Promotion::Automatic,
        Some("required") => Promotion::Required,
        Some(_) => {
            let at = raw.map_or(Location::UNKNOWN, |given| given.defined);
            let sentence = Sentence::new(
                "promotion: automatic o required",
                "promotion: automatic or required",
            );
            faults.push(Fault::at(at, sentence));
            // Whoever meant something by it does not want it in force at once.
            Promotion::Required
        }
    }
}

fn retry(raw: &RawRetry) -> Retry {
    let default = Retry::default();
    let seconds = |given: Option<f64>, default: Duration| {
        given.map_or(default, |s| Duration::from_secs_f64(s.clamp(0.001, 3600.0)))
    };
    Retry {
        attempts: raw.attempts.unwrap_or(default.attempts).clamp(1, 100),
        base: seconds(raw.base_seconds, default.base),
        cap: seconds(raw.max_seconds, default.cap),
    }
}

//! Whether the stages of a workflow fit together: each finds what it works on.

use super::{
    super::topology::{NEW_REQUEST, STAGE_RESULT},
    How, Stage, Workflow,
};
use engine::{Sentence, Word as _};

use crate::model::{Component, Unit};

const MOST_STAGES: usize = 40;

/// Walks the stages from the request to the answer. Gives the position of each fault, and sets the
/// unit of stages that take whatever travels.
pub fn check(workflow: &mut Workflow) -> Vec<(usize, Sentence)> {
    let mut faults = Vec::new();
    if workflow.stages.is_empty() || workflow.stages.len() > MOST_STAGES {
        faults.push((0, say("se necesitan entre 1 y 40 etapas", "1 to 40 stages are needed")));
        return faults;
    }
    let classifies = workflow
        .stages
        .iter()
        .any(|stage| stage.component == Component::Classifier || stage.component.is_elsewhere());
    let types: Vec<String> = workflow.types().into_iter().map(str::to_owned).collect();
    let mut travelling = Unit::Request;
    let mut has_text = false;
    let last = workflow.stages.len() - 1;
    for at in 0..=last {
        let (before, rest) = workflow.stages.split_at_mut(at);
        let stage = &mut rest[0];
        if before.iter().any(|other| other.name == stage.name) {
            faults.push((
                at,
                Sentence::new(
                    format!("la etapa {:?} está dos veces", stage.name),
                    format!("stage {:?} is there twice", stage.name),
                ),
            ));
        }
        match step(stage.component, travelling) {
            Ok(next) => {
                stage.unit = stage.component.unit().unwrap_or(travelling);
                travelling = next;
            }
            Err(needs) => {
                faults.push((at, no_producer(&stage.name, needs)));
                travelling = stage.component.leaves(travelling);
            }
        }
        has_text |= stage.component == Component::Ocr || stage.component.is_elsewhere();
        let reads = matches!(stage.component, Component::Classifier | Component::Extractor);
        if reads && !has_text {
            faults.push((at, no_text(&stage.name)));
        }
        if stage.parallel.is_some() && stage.unit != Unit::Page {
            faults.push((at, not_parallel(stage)));
        }
        if let Some(fault) = crossed(before, stage) {
            faults.push((at, fault));
        }
        faults.extend(second_reader(before, stage).map(|fault| (at, fault)));
        if let How::Group { doc_type, .. } = &stage.how {
            group(at, &stage.name, doc_type.as_deref(), classifies, &types, &mut faults);
        }
        if stage.component == Component::Consolidator && at != last {
            faults.push((
                at,
                Sentence::new(
                    format!("{:?} da la respuesta: tiene que ser la última etapa", stage.name),
                    format!("{:?} gives the answer: it has to be the last stage", stage.name),
                ),
            ));
        }
    }
    if workflow.stages[last].component != Component::Consolidator {
        let text = "la última etapa tiene que ser un consolidator";
        faults.push((last, say(text, "the last stage has to be a consolidator")));
    }
    faults
}

fn group(
    at: usize,
    name: &str,
    doc_type: Option<&str>,
    classifies: bool,
    types: &[String],
    faults: &mut Vec<(usize, Sentence)>,
) {
    match doc_type {
        None if !classifies => faults.push((
            at,
            Sentence::new(
                format!("{name:?}: nadie clasifica antes; indica doc_type"),
                format!("{name:?}: nobody classifies before it; give doc_type"),
            ),
        )),
        Some(given) if !types.iter().any(|one| one == given) => faults.push((
            at,
            Sentence::new(
                format!(
                    "{name:?}: doc_type {given:?} no está en extraction_schemas ni en other_types"
                ),
                format!(
                    "{name:?}: doc_type {given:?} is neither in extraction_schemas nor other_types"
                ),
            ),
        )),
        None | Some(_) => {}
    }
}

/// What travels after a component, or what it misses.
fn step(component: Component, travelling: Unit) -> Result<Unit, Unit> {
    match component.unit() {
        Some(needs) if needs != travelling && component != Component::Consolidator => Err(needs),
        _ => Ok(component.leaves(travelling)),
    }
}

/// Whoever is asked as a second reader has a model, and somebody who read before.
fn second_reader(before: &[Stage], stage: &Stage) -> Option<Sentence> {
    let How::Call { model: Some(model), .. } = &stage.how else { return None };
    let reads = |one: &Stage| {
        one.component == Component::Extractor
            || (one.component.is_elsewhere() && one.unit == Unit::Document)
    };
    if stage.unit != Unit::Document || !before.iter().any(reads) {
        return Some(nothing_to_second(&stage.name));
    }
    let named = (1..=200).contains(&model.trim().chars().count());
    (!named).then(|| no_model(&stage.name))
}

fn nothing_to_second(name: &str) -> Sentence {
    Sentence::new(
        format!(
            "{name:?} es un segundo lector: va detrás de quien extrae campos de los documentos"
        ),
        format!(
            "{name:?} is a second reader: it stands behind whoever extracts fields of documents"
        ),
    )
}

fn no_model(name: &str) -> Sentence {
    Sentence::new(
        format!("{name:?}: model es el nombre de un modelo, de 1 a 200 caracteres"),
        format!("{name:?}: model is the name of a model, 1 to 200 characters"),
    )
}

fn no_text(name: &str) -> Sentence {
    Sentence::new(
        format!("{name:?} necesita texto: ninguna etapa anterior lee las páginas"),
        format!("{name:?} needs text: no stage before it reads the pages"),
    )
}

fn no_producer(name: &str, needs: Unit) -> Sentence {
    let (es, en) = match needs {
        Unit::Request => ("la solicitud entera", "the whole request"),
        Unit::Page => ("páginas", "pages"),
        Unit::Document => ("documentos", "documents"),
    };
    Sentence::new(
        format!("{name:?} trabaja sobre {es}, y ninguna etapa anterior los entrega"),
        format!("{name:?} works on {en}, and no stage before it delivers them"),
    )
}

fn say(es: &str, en: &str) -> Sentence {
    Sentence::new(es.to_owned(), en.to_owned())
}

/// Whether two components would take each other's messages: a key leads to one queue.
fn crossed(before: &[Stage], stage: &Stage) -> Option<Sentence> {
    let other = before.iter().find(|one| {
        one.routing_key == stage.routing_key && one.component_name() != stage.component_name()
    })?;
    let (name, key) = (&stage.name, &stage.routing_key);
    Some(Sentence::new(
        format!("{name:?}: la routing_key {key:?} ya es la de {:?}", other.name),
        format!("{name:?}: routing_key {key:?} is already that of {:?}", other.name),
    ))
}

/// A component that is not ours belongs to somebody outside, if it has a name that a queue can
/// have and is no slip of the pen.
pub(super) fn outside(stage: &str, word: &str) -> Result<Component, Sentence> {
    let ours = Component::OURS.map(Component::word);
    let known = ours.join(", ");
    if !Component::is_outside_name(word) {
        return Err(Sentence::new(
            format!(
                "etapa {stage:?}: {word:?} no puede ser un componente: hay {known}, y uno propio \
                 se llama con minúsculas, cifras y guiones bajos, hasta 63"
            ),
            format!(
                "stage {stage:?}: {word:?} cannot be a component: there are {known}, and one of \
                 your own is called by lower-case letters, digits and underscores, up to 63"
            ),
        ));
    }
    match ours.into_iter().find(|one| nearly(one, word)) {
        None => Ok(Component::Outside),
        Some(meant) => Err(Sentence::new(
            format!(
                "etapa {stage:?}: no hay componente {word:?}; ¿es {meant}? Uno propio necesita un \
                 nombre más distinto"
            ),
            format!(
                "stage {stage:?}: there is no component {word:?}; is it {meant}? One of your own \
                 needs a name less like it"
            ),
        )),
    }
}

/// Whether one letter was dropped, added, changed or swapped with the next. A digit is no slip.
fn nearly(ours: &str, word: &str) -> bool {
    let same = ours.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
    let (ours, word) = (&ours.as_bytes()[same..], &word.as_bytes()[same..]);
    let slip = word.first().is_none_or(u8::is_ascii_lowercase);
    let after = |text: &'_ [u8], n: usize| text.get(n..).map(<[u8]>::to_vec);
    let swapped = ours.len() > 1 && word.len() > 1 && ours[0] == word[1] && ours[1] == word[0];
    let dropped = after(ours, 1).as_deref() == Some(word);
    let added = after(word, 1).as_deref() == Some(ours);
    let changed = !word.is_empty() && after(ours, 1) == after(word, 1);
    slip && (dropped || added || changed || (swapped && ours[2..] == word[2..]))
}

pub(super) fn bounds(
    stage: &str,
    timeout: Option<f64>,
    threshold: Option<f64>,
) -> Result<(), Sentence> {
    if timeout.is_some_and(|seconds| !(0.001..=3600.0).contains(&seconds)) {
        return Err(Sentence::new(
            format!("etapa {stage:?}: timeout_seconds entre 0,001 y 3600"),
            format!("stage {stage:?}: timeout_seconds between 0.001 and 3600"),
        ));
    }
    if threshold.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
        return Err(Sentence::new(
            format!("etapa {stage:?}: confidence_threshold entre 0 y 1"),
            format!("stage {stage:?}: confidence_threshold between 0 and 1"),
        ));
    }
    Ok(())
}

/// `parallel` is about the pages of a request; of anything else there is nothing to choose.
fn not_parallel(stage: &Stage) -> Sentence {
    let name = &stage.name;
    match stage.unit {
        Unit::Document => Sentence::new(
            format!("{name:?}: los documentos van siempre en paralelo; sobra parallel"),
            format!("{name:?}: documents always go side by side; remove parallel"),
        ),
        Unit::Request | Unit::Page => Sentence::new(
            format!("{name:?}: una solicitud no tiene nada que hacer en paralelo; sobra parallel"),
            format!("{name:?}: a request has nothing to do side by side; remove parallel"),
        ),
    }
}

/// What is said of a join that only means something for work.
pub(super) fn means(
    stage: &str,
    component: Component,
    timeout: Option<f64>,
    parallel: Option<bool>,
) -> Result<(), Sentence> {
    let given = [("timeout_seconds", timeout.is_some()), ("parallel", parallel.is_some())];
    match given.iter().find(|(_, given)| *given && component.is_join()) {
        None => Ok(()),
        Some((key, _)) => Err(Sentence::new(
            format!(
                "etapa {stage:?}: {} reúne en cuanto llega el último, sin trabajo propio; sobra \
                 {key}",
                component.word()
            ),
            format!(
                "stage {stage:?}: {} joins as soon as the last one comes and does no work of its \
                 own; remove {key}",
                component.word()
            ),
        )),
    }
}

/// A key that leads to the queue of another component would never bring anything here. What is done
/// elsewhere may keep the key of the stage it takes over.
pub(super) fn key(stage: &str, component: Component, key: Option<&str>) -> Result<(), Sentence> {
    let Some(key) = key else { return Ok(()) };
    if !is_key(key) {
        return Err(Sentence::new(
            format!("etapa {stage:?}: routing_key son letras, cifras, puntos y guiones, hasta 200"),
            format!("stage {stage:?}: routing_key is letters, digits, points, hyphens, up to 200"),
        ));
    }
    let foreign = |one: &Component| *one != component && !component.is_elsewhere();
    let taken = Component::OURS.into_iter().find(|one| foreign(one) && one.routing_key() == key);
    let owner = match (taken, key) {
        (Some(taken), _) => taken.word(),
        (None, NEW_REQUEST) => "workflow_router",
        (None, STAGE_RESULT) => "stage_results",
        (None, _) => return Ok(()),
    };
    Err(Sentence::new(
        format!("etapa {stage:?}: la routing_key {key:?} lleva a {owner}"),
        format!("stage {stage:?}: routing_key {key:?} leads to {owner}"),
    ))
}

fn is_key(key: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !key.is_empty() && key.len() <= 200 && key.chars().all(fits)
}

/// People are asked about what something was found out about.
pub(super) fn people(
    stage: &str,
    component: Component,
    queue: Option<&str>,
) -> Result<(), Sentence> {
    let Some(queue) = queue else { return Ok(()) };
    if !is_key(queue) {
        return Err(Sentence::new(
            format!("etapa {stage:?}: backoffice_queue son letras, cifras, puntos y guiones"),
            format!("stage {stage:?}: backoffice_queue is letters, digits, points and hyphens"),
        ));
    }
    let asks = matches!(component, Component::Classifier | Component::Extractor);
    if asks || component.is_elsewhere() {
        return Ok(());
    }
    let word = component.word();
    Err(Sentence::new(
        format!("etapa {stage:?}: {word} no pregunta a nadie; sobra backoffice_queue"),
        format!("stage {stage:?}: {word} asks nobody; remove backoffice_queue"),
    ))
}

pub(super) fn not_a_join(stage: &str, component: Component) -> Sentence {
    let word = component.word();
    Sentence::new(
        format!("etapa {stage:?}: {word} no reúne nada; sobra aggregation"),
        format!("stage {stage:?}: {word} joins nothing; remove aggregation"),
    )
}

pub(super) fn wrong_join(stage: &str, unit: &str) -> Sentence {
    let only = format!("type: fan_in, collect_by: request_id, expect_count_from: {unit}");
    Sentence::new(
        format!("etapa {stage:?}: aggregation sólo admite {only}"),
        format!("stage {stage:?}: aggregation only takes {only}"),
    )
}

pub(super) fn foreign_key(stage: &str, key: &str, owner: Component) -> Sentence {
    let owner = owner.word();
    Sentence::new(
        format!("etapa {stage:?}: {key} es sólo para {owner}"),
        format!("stage {stage:?}: {key} is only for {owner}"),
    )
}

pub(super) fn unknown_engine(stage: &str, word: &str) -> Sentence {
    Sentence::new(
        format!("etapa {stage:?}: no hay motor {word:?}; hay ppocr, tesseract"),
        format!("stage {stage:?}: there is no engine {word:?}; there are ppocr, tesseract"),
    )
}

pub(super) fn unknown_boundaries(stage: &str, word: &str) -> Sentence {
    Sentence::new(
        format!("etapa {stage:?}: boundaries es auto o type, no {word:?}"),
        format!("stage {stage:?}: boundaries is auto or type, not {word:?}"),
    )
}

pub(super) fn url(stage: &str, url: Option<&str>) -> Result<String, Sentence> {
    let fits = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
    url.filter(fits).map(str::to_owned).ok_or_else(|| {
        Sentence::new(
            format!("etapa {stage:?}: http necesita una url http:// o https://"),
            format!("stage {stage:?}: http needs a url, http:// or https://"),
        )
    })
}

pub(super) fn unknown_type(doc_type: &str) -> Sentence {
    Sentence::new(
        format!(
            "sufficient: doc_type {doc_type:?} no está en extraction_schemas ni en other_types"
        ),
        format!(
            "sufficient: doc_type {doc_type:?} is neither in extraction_schemas nor other_types"
        ),
    )
}

pub(super) fn unknown_field(doc_type: &str, field: &str) -> Sentence {
    Sentence::new(
        format!("sufficient: {doc_type:?} no tiene el campo {field:?}"),
        format!("sufficient: {doc_type:?} has no field {field:?}"),
    )
}

//! Why something of a request waits, in sentences.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{advance::Held, assign, workflow::Workflow};
use crate::model::{Component, Item};
use engine::Sentence;

/// One reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub code: &'static str,
    pub sentence: Sentence,
    pub until: Option<Timestamp>,
    pub data: Json,
}

/// What the queue knows of an item that was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Queued {
    /// A worker holds it.
    InHand { worker: String, since: Timestamp },
    /// So many messages are more urgent.
    Behind { ahead: u32 },
    /// It failed and is tried again.
    Retry { at: Timestamp, attempt: i64, error: String },
    /// No process takes messages of this component.
    Nobody { component: String },
    /// Somebody outside has to fetch it; when one of them was last there.
    Outside { component: String, seen: Option<Timestamp>, lately: bool, ahead: u32 },
}

/// The reason behind what the planner held back.
pub fn reason(held: &Held, workflow: &Workflow, queued: Option<&Queued>) -> Reason {
    let stage = |at: usize| workflow.stages.get(at).map_or("route", |stage| stage.name.as_str());
    let title = |at: usize| title(workflow, at);
    match held {
        Held::Person { item, at } => Reason {
            code: "ESPERA_PERSONA",
            sentence: Sentence::new(
                format!("{} espera a una persona en «{}».", es(item), title(*at).es),
                format!("{} waits for a person at “{}”.", en(item), title(*at).en),
            ),
            until: None,
            data: json!({ "item": item.key(), "stage": stage(*at) }),
        },
        Held::Neighbour { page } => Reason {
            code: "ESPERA_PAGINA_ANTERIOR",
            sentence: Sentence::new(
                format!("La página {} duda de su tipo y espera a la anterior.", page + 1),
                format!("Page {} is unsure of its type and waits for the one before.", page + 1),
            ),
            until: None,
            data: json!({ "page_index": page }),
        },
        Held::Turn { page, at } => Reason {
            code: "ESPERA_SU_VEZ",
            sentence: Sentence::new(
                format!("«{}» toma las páginas de una en una; la {} espera.", stage(*at), page + 1),
                format!("“{}” takes pages one at a time; page {} waits.", stage(*at), page + 1),
            ),
            until: None,
            data: json!({ "page_index": page, "stage": stage(*at) }),
        },
        Held::Join { at, arrived, expected } => Reason {
            code: "FALTAN",
            sentence: Sentence::new(
                format!("«{}» ha recibido {arrived} de {expected}.", title(*at).es),
                format!("“{}” has received {arrived} of {expected}.", title(*at).en),
            ),
            until: None,
            data: json!({ "stage": stage(*at), "received": arrived, "expected": expected }),
        },
        Held::Working { item, at } => working(item, stage(*at), &title(*at), queued),
    }
}

/// What people call a stage; its own name beside it where another stage is called the same.
fn title(workflow: &Workflow, at: usize) -> Sentence {
    let Some(stage) = workflow.stages.get(at) else { return Sentence::new("Enrutado", "Routing") };
    let twins = workflow.stages.iter().filter(|one| one.component == stage.component).count();
    match stage.component.title() {
        Some((es, en)) if twins == 1 => Sentence::new(es, en),
        Some((es, en)) => {
            Sentence::new(format!("{es}: {}", stage.name), format!("{en}: {}", stage.name))
        }
        None => Sentence::new(stage.name.clone(), stage.name.clone()),
    }
}

/// What people call a component.
fn called(word: &str) -> Sentence {
    match Component::named(word).and_then(Component::title) {
        Some((es, en)) => Sentence::new(es, en),
        None => Sentence::new(word, word),
    }
}

/// Why nobody has answered a task yet.
pub fn task_reason(held: &assign::Held) -> Reason {
    let (code, es, en, until, data) = match held {
        assign::Held::With { operator, until, .. } => (
            "CON_OPERADOR",
            format!("La tiene {operator}; si calla, se ofrece a otro a las {until}."),
            format!("{operator} has it; after silence it is offered to somebody else at {until}."),
            Some(*until),
            json!({ "operator": operator }),
        ),
        assign::Held::Postponed { until, .. } => (
            "APLAZADA",
            format!("Se aplazó hasta {until}."),
            format!("It was put off until {until}."),
            Some(*until),
            json!({}),
        ),
        assign::Held::NoSkill { required, .. } => (
            "SIN_HABILIDAD",
            format!("Ningún operador registrado tiene {}.", required.join(" + ")),
            format!("No registered operator has {}.", required.join(" + ")),
            None,
            json!({ "required_skills": required }),
        ),
        assign::Held::Away { able, .. } => (
            "NADIE_DISPONIBLE",
            format!("{able} pueden hacerla, pero están inactivos, fuera de horario o ausentes."),
            format!("{able} could do it, but are inactive, out of shift or away."),
            None,
            json!({ "able": able }),
        ),
        assign::Held::Busy { there, each, .. } => (
            "OPERADORES_OCUPADOS",
            format!("Los {there} disponibles ya tienen {each} tareas cada uno."),
            format!("The {there} who are there have {each} tasks each already."),
            None,
            json!({ "there": there, "each": each }),
        ),
        assign::Held::Declined { by, .. } => (
            "DEVUELTA",
            format!("La devolvieron quienes están disponibles: {}.", by.join(", ")),
            format!("Those who are there gave it back: {}.", by.join(", ")),
            None,
            json!({ "by": by }),
        ),
    };
    Reason { code, sentence: Sentence::new(es, en), until, data }
}

fn working(item: &Item, stage: &str, title: &Sentence, queued: Option<&Queued>) -> Reason {
    let (quien, who) = (es(item), en(item));
    let (etapa, step) = (&title.es, &title.en);
    let (code, es, en, until, more) = match queued {
        Some(Queued::InHand { worker, since }) => (
            "EN_PROCESO",
            format!("{quien} está en «{etapa}» con {worker}."),
            format!("{who} is in “{step}” with {worker}."),
            None,
            json!({ "worker": worker, "since": since }),
        ),
        Some(Queued::Retry { at, attempt, error }) => (
            "REINTENTO",
            format!("{quien} falló en «{etapa}» ({error}); intento {} a las {at}.", attempt + 1),
            format!("{who} failed in “{step}” ({error}); try {} at {at}.", attempt + 1),
            Some(*at),
            json!({ "attempt": attempt, "error": error }),
        ),
        Some(Queued::Nobody { component }) => (
            "SIN_WORKER",
            format!(
                "{quien} espera en «{etapa}»: ningún proceso se ocupa de {}.",
                called(component).es
            ),
            format!("{who} waits at “{step}”: no process does {}.", called(component).en),
            None,
            json!({ "component": component }),
        ),
        Some(Queued::Outside { component, seen, lately: true, ahead }) => (
            "ESPERA_COMPONENTE",
            format!("{quien} espera en «{etapa}» a {component}: {ahead} más urgentes delante."),
            format!("{who} waits at “{step}” for {component}: {ahead} more urgent ahead."),
            None,
            json!({ "component": component, "seen_at": seen, "ahead": ahead }),
        ),
        Some(Queued::Outside { component, seen: Some(seen), .. }) => (
            "COMPONENTE_AUSENTE",
            format!(
                "{quien} espera en «{etapa}» a {component}, visto por última vez a las {seen}."
            ),
            format!("{who} waits at “{step}” for {component}, last seen at {seen}."),
            None,
            json!({ "component": component, "seen_at": seen }),
        ),
        Some(Queued::Outside { component, seen: None, .. }) => (
            "COMPONENTE_AUSENTE",
            format!("{quien} espera en «{etapa}» a {component}, que nunca se ha conectado."),
            format!("{who} waits at “{step}” for {component}, which was never there."),
            None,
            json!({ "component": component, "seen_at": null }),
        ),
        Some(Queued::Behind { ahead }) => (
            "EN_COLA",
            format!("{quien} espera turno en «{etapa}»: {ahead} más urgentes delante."),
            format!("{who} waits its turn at “{step}”: {ahead} more urgent ahead."),
            None,
            json!({ "ahead": ahead }),
        ),
        None => (
            "EN_COLA",
            format!("{quien} espera turno en «{etapa}»."),
            format!("{who} waits its turn at “{step}”."),
            None,
            json!({}),
        ),
    };
    let mut data = json!({ "item": item.key(), "stage": stage });
    if let (Json::Object(data), Json::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    Reason { code, sentence: Sentence::new(es, en), until, data }
}

fn es(item: &Item) -> String {
    match item {
        Item::Request => "La solicitud".to_owned(),
        Item::Page(n) => format!("La página {}", n + 1),
        Item::Document(_) => "Un documento".to_owned(),
    }
}

fn en(item: &Item) -> String {
    match item {
        Item::Request => "The request".to_owned(),
        Item::Page(n) => format!("Page {}", n + 1),
        Item::Document(_) => "A document".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::workflow::{self, DEFAULT};

    /// Nobody who waits for a document knows what «extract» is.
    #[test]
    fn stages_are_called_as_people_call_them() {
        let workflow = workflow::parse(DEFAULT).unwrap();
        let at = workflow.position("extract").unwrap();
        let held = Held::Person { item: Item::Document("d".to_owned()), at };
        let said = reason(&held, &workflow, None);
        assert_eq!(said.sentence.es, "Un documento espera a una persona en «Extracción».");
        assert_eq!(said.sentence.en, "A document waits for a person at “Extraction”.");
        assert_eq!(said.data["stage"], "extract");
        let held = Held::Working { item: Item::Page(0), at: workflow.position("ocr").unwrap() };
        let nobody = Queued::Nobody { component: "ocr".to_owned() };
        let said = reason(&held, &workflow, Some(&nobody)).sentence.es;
        assert_eq!(said, "La página 1 espera en «Lectura»: ningún proceso se ocupa de Lectura.");
    }
}

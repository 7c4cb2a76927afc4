//! Why something of a request waits, in sentences.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{advance::Held, assign, workflow::Workflow};
use crate::model::Item;
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
    match held {
        Held::Person { item, at } => Reason {
            code: "ESPERA_PERSONA",
            sentence: Sentence::new(
                format!("{} espera a una persona en «{}».", es(item), stage(*at)),
                format!("{} waits for a person at “{}”.", en(item), stage(*at)),
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
                format!("«{}» ha recibido {arrived} de {expected}.", stage(*at)),
                format!("“{}” has received {arrived} of {expected}.", stage(*at)),
            ),
            until: None,
            data: json!({ "stage": stage(*at), "received": arrived, "expected": expected }),
        },
        Held::Working { item, at } => working(item, stage(*at), queued),
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

fn working(item: &Item, stage: &str, queued: Option<&Queued>) -> Reason {
    let (quien, who) = (es(item), en(item));
    let (code, es, en, until, more) = match queued {
        Some(Queued::InHand { worker, since }) => (
            "EN_PROCESO",
            format!("{quien} está en «{stage}» con {worker}."),
            format!("{who} is in “{stage}” with {worker}."),
            None,
            json!({ "worker": worker, "since": since }),
        ),
        Some(Queued::Retry { at, attempt, error }) => (
            "REINTENTO",
            format!("{quien} falló en «{stage}» ({error}); intento {} a las {at}.", attempt + 1),
            format!("{who} failed in “{stage}” ({error}); try {} at {at}.", attempt + 1),
            Some(*at),
            json!({ "attempt": attempt, "error": error }),
        ),
        Some(Queued::Nobody { component }) => (
            "SIN_WORKER",
            format!("{quien} espera en «{stage}»: ningún proceso ejecuta {component}."),
            format!("{who} waits at “{stage}”: no process runs {component}."),
            None,
            json!({ "component": component }),
        ),
        Some(Queued::Outside { component, seen, lately: true, ahead }) => (
            "ESPERA_COMPONENTE",
            format!("{quien} espera en «{stage}» a {component}: {ahead} más urgentes delante."),
            format!("{who} waits at “{stage}” for {component}: {ahead} more urgent ahead."),
            None,
            json!({ "component": component, "seen_at": seen, "ahead": ahead }),
        ),
        Some(Queued::Outside { component, seen: Some(seen), .. }) => (
            "COMPONENTE_AUSENTE",
            format!(
                "{quien} espera en «{stage}» a {component}, visto por última vez a las {seen}."
            ),
            format!("{who} waits at “{stage}” for {component}, last seen at {seen}."),
            None,
            json!({ "component": component, "seen_at": seen }),
        ),
        Some(Queued::Outside { component, seen: None, .. }) => (
            "COMPONENTE_AUSENTE",
            format!("{quien} espera en «{stage}» a {component}, que nunca se ha conectado."),
            format!("{who} waits at “{stage}” for {component}, which was never there."),
            None,
            json!({ "component": component, "seen_at": null }),
        ),
        Some(Queued::Behind { ahead }) => (
            "EN_COLA",
            format!("{quien} espera turno en «{stage}»: {ahead} más urgentes delante."),
            format!("{who} waits its turn at “{stage}”: {ahead} more urgent ahead."),
            None,
            json!({ "ahead": ahead }),
        ),
        None => (
            "EN_COLA",
            format!("{quien} espera turno en «{stage}»."),
            format!("{who} waits its turn at “{stage}”."),
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

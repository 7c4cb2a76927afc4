//! Why something of a request waits, in sentences.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{Sentence, advance::Held, workflow::Workflow};
use crate::model::Item;

/// One reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub code: &'static str,
    pub said: Sentence,
    pub until: Option<Timestamp>,
    pub data: Json,
}

/// What the queue knows of an item that was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Queued {
    /// In a worker's hands.
    InHand { worker: String, since: Timestamp },
    /// So many messages are more urgent.
    Behind { ahead: u32 },
    /// It failed and is tried again.
    Retry { at: Timestamp, attempt: i64, error: String },
    /// No process takes messages of this component.
    Nobody { component: String },
}

/// The reason behind what the planner held back.
pub fn reason(held: &Held, workflow: &Workflow, queued: Option<&Queued>) -> Reason {
    let stage = |at: usize| workflow.stages.get(at).map_or("route", |stage| stage.name.as_str());
    match held {
        Held::Person { item, at } => Reason {
            code: "ESPERA_PERSONA",
            said: Sentence::new(
                format!("{} espera a una persona en «{}».", es(item), stage(*at)),
                format!("{} waits for a person at “{}”.", en(item), stage(*at)),
            ),
            until: None,
            data: json!({ "item": item.key(), "stage": stage(*at) }),
        },
        Held::Neighbour { page } => Reason {
            code: "ESPERA_PAGINA_ANTERIOR",
            said: Sentence::new(
                format!("La página {} duda de su tipo y espera a la anterior.", page + 1),
                format!("Page {} is unsure of its type and waits for the one before.", page + 1),
            ),
            until: None,
            data: json!({ "page_index": page }),
        },
        Held::Join { at, arrived, expected } => Reason {
            code: "FALTAN",
            said: Sentence::new(
                format!("«{}» ha recibido {arrived} de {expected}.", stage(*at)),
                format!("“{}” has received {arrived} of {expected}.", stage(*at)),
            ),
            until: None,
            data: json!({ "stage": stage(*at), "received": arrived, "expected": expected }),
        },
        Held::Working { item, at } => working(item, stage(*at), queued),
    }
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
    Reason { code, said: Sentence::new(es, en), until, data }
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

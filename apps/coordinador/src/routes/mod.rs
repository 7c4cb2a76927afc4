//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod catalogue;
mod formulas;
mod nodes;
mod olts;
mod onus;
mod plan;
mod runs;
mod screens;
mod settings;
mod sheets;
mod templates;

use host::{Failure, check::Check};
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, Problem};

use crate::{Context, decisions::Changed, policy::Role};

pub(crate) use nodes::WhyView;
pub(crate) use plan::{FitView, MinuteView, MoveView, PlanView};
pub(crate) use settings::LimitsView;

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(olts::routes())
        .merge(templates::routes())
        .merge(nodes::routes())
        .merge(runs::routes())
        .merge(plan::routes())
        .merge(onus::routes())
        .merge(catalogue::routes())
        .merge(formulas::routes())
        .merge(settings::routes())
        .merge(sheets::routes())
        .merge(screens::routes())
}

/// Someone with a role here, asking something now.
pub type Desk = host::Desk<Role, Context>;

/// What the thing is called that a change was about.
#[derive(Clone, Copy)]
struct Noun {
    /// The word in codes: `OLT_INEXISTENTE`.
    missing: &'static str,
    es: &'static str,
    en: &'static str,
    repeated: (&'static str, &'static str),
}

/// What was changed, or the refusal.
fn done<T>(desk: &Desk, noun: Noun, changed: Changed<T>) -> Result<T, Failure> {
    let problem = match changed {
        Changed::Done(what) => return Ok(what),
        Changed::NotFound => missing(desk.lang, noun),
        Changed::Stale { current } => desk.stale(current),
        Changed::Duplicate => {
            let (es, en) = noun.repeated;
            host::conflict(desk.lang, "NOMBRE_REPETIDO", es, en)
        }
        Changed::NoOlt => missing(desk.lang, olts::OLT),
        Changed::NoMaster => {
            let mut check = Check::new(desk.lang);
            check.wrong(
                "master_node_id",
                "debe ser un nodo maestro de la misma OLT",
                "must be a master of the same OLT",
            );
            return Err(check.finish().err().unwrap_or_else(|| missing(desk.lang, noun).into()));
        }
        Changed::KeyTaken { olt, key } => {
            let es = format!("La OLT {olt} ya tiene un nodo {key} que no es de esta plantilla.");
            let en = format!("OLT {olt} has a node {key} that is not of this template.");
            host::conflict(desk.lang, "CLAVE_OCUPADA", &es, &en)
        }
    };
    Err(problem.into())
}

fn missing(lang: Lang, noun: Noun) -> Problem {
    host::unknown(lang, noun.missing, noun.es, noun.en)
}

//! The log line of a stage, with every field of the seed's §9.1.

use super::{Fact, Outcome, Step};
use crate::{
    drivers::resources::Resources,
    model::{Component, Item},
    rules::workflow::Stage,
};

/// What a stage found, as the log tells it.
#[derive(Default)]
struct Result {
    doc_type: Option<String>,
    confidence: Option<f64>,
    pages: Option<u64>,
    /// Below the threshold of its stage: a person will be asked.
    manual: bool,
}

pub(crate) fn step(
    outcome: &Outcome,
    step: &Step,
    stage: Option<&Stage>,
    component: &str,
    used: Resources,
) {
    let claim = &outcome.claim;
    let (page, document) = match &step.item {
        Item::Request => (None, None),
        Item::Page(n) => (Some(u64::from(*n)), None),
        Item::Document(id) => (None, Some(id.as_str())),
    };
    let found = result(step, stage);
    // Integers of an absent page or document are left out by tracing.
    tracing::info!(
        component,
        request_id = claim.request,
        trace_id = outcome.job.request.row.trace_id,
        etapa = stage.map_or("route", |stage| stage.name.as_str()),
        pagina_id = page,
        document_id = document,
        intento = claim.attempt,
        elapsed_s = step.took.as_secs_f64(),
        timestamp_inicio = %step.started,
        timestamp_fin = %step.finished,
        duracion_ms = step.took.as_secs_f64() * 1000.0,
        resultado.tipo_documental = found.doc_type,
        resultado.confianza = found.confidence,
        resultado.paginas = found.pages,
        resultado.derivado_manual = found.manual,
        recursos.cpu_pct = used.cpu_pct,
        recursos.memoria_mb = used.memory_mb(),
        recursos.gpu_utilizada = false,
        sla.deadline = %claim.deadline,
        sla.restante_ms = step.finished.duration_until(claim.deadline).as_millis() as i64,
        "stage_completed"
    );
}

fn result(step: &Step, stage: Option<&Stage>) -> Result {
    let mut found = Result::default();
    for fact in &step.facts {
        match fact {
            Fact::Read { text, .. } => found.confidence = Some(f64::from(text.confidence())),
            Fact::Classified { scores } => {
                let best = scores.first();
                found.doc_type = best.map(|(doc_type, _)| doc_type.clone());
                found.confidence = best.map(|(_, confidence)| *confidence);
                found.manual = doubtful(stage, found.confidence);
            }
            Fact::Extracted(extracted) => {
                found.confidence = Some(extracted.confidence);
                let missing = extracted.missing_required && asks(stage);
                found.manual = missing || doubtful(stage, found.confidence);
            }
            Fact::Split { leaves, .. } => found.pages = Some(leaves.len() as u64),
            Fact::Routed | Fact::Answered => {}
        }
    }
    found
}

fn asks(stage: Option<&Stage>) -> bool {
    stage.is_some_and(|stage| stage.backoffice_queue.is_some())
}

/// By the stage's own threshold; the planner, which knows the house's and the neighbours, decides.
fn doubtful(stage: Option<&Stage>, confidence: Option<f64>) -> bool {
    let usual = match stage.map(|stage| stage.component) {
        Some(Component::Extractor) => 0.75,
        _ => 0.80,
    };
    let threshold = stage.and_then(|stage| stage.threshold).unwrap_or(usual);
    asks(stage) && confidence.is_some_and(|confidence| confidence < threshold)
}

//! The log line of a stage, with every field of §9.1.

use host::Resources;

use crate::{
    model::{Component, Item},
    rules::{
        course::Ran,
        retry::{Trouble, Verdict},
        workflow::Stage,
    },
    store::{
        jobs::Job,
        progress::{Finding, Found},
    },
};

const LONGEST_REASON: usize = 500;

/// What a stage found, as the log tells it.
#[derive(Default)]
struct Result {
    doc_type: Option<String>,
    confidence: Option<f64>,
    pages: Option<u64>,
    /// Below the threshold of its stage: a person will be asked.
    manual: bool,
}

pub(crate) fn stage(
    job: &Job,
    finding: &Finding,
    ran: Ran,
    stage: Option<&Stage>,
    component: &str,
    used: Resources,
) {
    let claim = &job.claim;
    let (page, document) = match &finding.item {
        Item::Request => (None, None),
        Item::Page(n) => (Some(u64::from(*n)), None),
        Item::Document(id) => (None, Some(id.as_str())),
    };
    let found = result(finding, stage);
    // Integers of an absent page or document are left out by tracing.
    tracing::info!(
        component,
        request_id = claim.request,
        trace_id = job.request.row.trace_id,
        etapa = stage.map_or("route", |stage| stage.name.as_str()),
        pagina_id = page,
        document_id = document,
        intento = claim.attempt,
        elapsed_s = ran.took.as_secs_f64(),
        timestamp_inicio = %ran.started,
        timestamp_fin = %ran.finished,
        duracion_ms = ran.took.as_secs_f64() * 1000.0,
        resultado.tipo_documental = found.doc_type,
        resultado.confianza = found.confidence,
        resultado.paginas = found.pages,
        resultado.derivado_manual = found.manual,
        recursos.cpu_pct = used.cpu_pct,
        recursos.memoria_mb = used.memory_mb(),
        recursos.gpu_utilizada = false,
        sla.deadline = %claim.deadline,
        sla.restante_ms = ran.finished.duration_until(claim.deadline).as_millis() as i64,
        "stage_completed"
    );
}

/// What goes wrong with a stage, and what becomes of its message. `None`: a later stage of the chain
/// failed, and gets a message of its own.
pub(crate) fn trouble(job: &Job, trouble: &Trouble, verdict: Option<Verdict>) {
    let claim = &job.claim;
    let (request_id, trace_id) = (&claim.request, &job.request.row.trace_id);
    let (component, etapa, intento) = (&claim.component, &claim.stage, claim.attempt);
    let (code, reason) = (&trouble.code, shown(&trouble.detail));
    match verdict {
        Some(Verdict::Again { at }) => tracing::warn!(component, request_id, trace_id, etapa,
            intento, code, reason, %at, "stage_retried"),
        Some(Verdict::Waits { at }) => tracing::warn!(component, request_id, trace_id, etapa,
            intento, code, reason, %at, "stage_waits"),
        Some(Verdict::Dead) => tracing::error!(
            component,
            request_id,
            trace_id,
            etapa,
            intento,
            code,
            reason,
            "stage_buried"
        ),
        None => tracing::warn!(
            component,
            request_id,
            trace_id,
            etapa,
            intento,
            code,
            reason,
            "stage_failed"
        ),
    }
}

/// The beginning of a reason, as much as fits into a line of the log.
fn shown(detail: &str) -> &str {
    let end = detail.char_indices().nth(LONGEST_REASON).map_or(detail.len(), |(at, _)| at);
    &detail[..end]
}

fn result(finding: &Finding, stage: Option<&Stage>) -> Result {
    let mut found = Result::default();
    match &finding.found {
        Found::Page { text, scores, .. } => {
            let best = scores.as_ref().and_then(|scores| scores.first());
            found.doc_type = best.map(|(doc_type, _)| doc_type.clone());
            let sure = best.map(|(_, confidence)| *confidence);
            found.manual = doubtful(stage, sure);
            let read = || text.as_ref().map(|text| f64::from(text.confidence()));
            found.confidence = sure.or_else(read);
        }
        Found::Document(reading) => {
            found.confidence = Some(reading.confidence);
            found.manual =
                (reading.missing_required && asks(stage)) || doubtful(stage, found.confidence);
        }
        Found::Split { pages, .. } => found.pages = Some(pages.len() as u64),
        Found::Nothing | Found::Type(_) => {}
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

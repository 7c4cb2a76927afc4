//! Lines of the log for steps that are no stage's work (§9.1): what the gateway takes in, what joins
//! open and complete, what people are asked and answer.

use db::{Decision, Error};
use jiff::Timestamp;

use super::requests::RequestRow;

/// Who takes a step, and which.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub component: &'a str,
    /// The stage of the workflow, where there is one.
    pub stage: Option<&'a str>,
    pub event: &'static str,
}

/// What a step was about, beside its request.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'a> {
    pub document: Option<&'a str>,
    pub task: Option<&'a str>,
    pub operator: Option<&'a str>,
    /// Files taken in, pages of a document, documents of an answer.
    pub count: Option<usize>,
}

/// The component that people are to the log.
pub const BACKOFFICE: &str = "backoffice";

struct Whose<'a> {
    request: &'a str,
    trace: &'a str,
    created: Timestamp,
    deadline: Timestamp,
}

/// A step of a request that is at hand.
pub fn say(step: Step<'_>, row: &RequestRow, about: About<'_>, now: Timestamp) {
    let (created, deadline) = (row.created_at, row.deadline);
    line(step, &Whose { request: &row.id, trace: &row.trace_id, created, deadline }, about, now);
}

/// A step of the back office with a task.
pub async fn with_task(
    decision: &mut Decision,
    event: &'static str,
    request: &str,
    about: About<'_>,
) -> Result<(), Error> {
    let sql = "SELECT trace_id, created_at, deadline_utc FROM requests WHERE id = $1";
    let Some(row) = decision.tx.optional(sql, &[request.into()]).await? else { return Ok(()) };
    let trace: String = row.get("trace_id")?;
    let (created, deadline) = (row.get("created_at")?, row.get("deadline_utc")?);
    let step = Step { component: BACKOFFICE, stage: None, event };
    line(step, &Whose { request, trace: &trace, created, deadline }, about, decision.now);
    Ok(())
}

fn line(step: Step<'_>, whose: &Whose<'_>, about: About<'_>, now: Timestamp) {
    let Step { component, stage, event } = step;
    let About { document, task, operator, count } = about;
    tracing::info!(
        component,
        request_id = whose.request,
        trace_id = whose.trace,
        etapa = stage,
        document_id = document,
        task_id = task,
        operador = operator,
        cuantos = count,
        elapsed_s = now.duration_since(whose.created).as_secs_f64(),
        timestamp_fin = %now,
        sla.deadline = %whose.deadline,
        sla.restante_ms = now.duration_until(whose.deadline).as_millis() as i64,
        "{event}"
    );
}

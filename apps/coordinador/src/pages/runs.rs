//! The pages of runs.

use askama::Template;
use engine::Word as _;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;
use web::Page;

use super::{
    Names, Narrowed, brought,
    words::{self, Sign},
};
use crate::{model::Cause, store::runs::Told};

/// `/coordinador/ejecuciones`: runs, the newest first, narrowed by what the address says.
#[derive(Template)]
#[template(path = "runs.html")]
pub(crate) struct RunsPage {
    pub(crate) page: Page,
    pub(crate) names: Names,
    pub(crate) wanted: Narrowed,
    pub(crate) lines: Vec<RunLine>,
    /// The address of the next, older page.
    pub(crate) next: Option<String>,
    pub(crate) may_operate: bool,
}

/// `/coordinador/ejecuciones/{id}`: one run, and what it brought.
#[derive(Template)]
#[template(path = "run.html")]
pub(crate) struct RunPage {
    pub(crate) page: Page,
    pub(crate) line: RunLine,
    pub(crate) told: Told,
    pub(crate) olt_name: String,
    /// Of what it read.
    pub(crate) unit: Option<&'static str>,
    /// Why it waits, while it does.
    pub(crate) reasons: Vec<(&'static str, String)>,
    pub(crate) followers: Vec<(i64, Sign)>,
    pub(crate) may_operate: bool,
}

impl RunPage {
    /// What it says it brought, name by name.
    fn summary(&self) -> Vec<(String, String)> {
        let fields = self.told.summary.as_ref().and_then(Json::as_object);
        fields.map(|fields| brought::told(&self.page, fields, self.unit)).unwrap_or_default()
    }
}

/// A run in a list.
#[derive(Debug, Clone)]
pub(crate) struct RunLine {
    pub(crate) id: i64,
    pub(crate) node: i64,
    pub(crate) node_name: String,
    pub(crate) olt: i64,
    pub(crate) job: &'static str,
    pub(crate) word: &'static str,
    pub(crate) sign: Sign,
    pub(crate) cause: &'static str,
    pub(crate) live: bool,
    pub(crate) planned: Timestamp,
    pub(crate) started: Option<Timestamp>,
    pub(crate) late: String,
    pub(crate) lasted: String,
    /// Code and sentence of how it ended, if there is something to say.
    pub(crate) reason: Option<(&'static str, String)>,
    pub(crate) detail: String,
    pub(crate) rehearsed: bool,
}

impl RunLine {
    pub(crate) fn new(page: &Page, names: &Names, told: &Told) -> Self {
        let run = &told.run;
        let late = run.started_at.filter(|_| run.cause == Cause::Scheduled);
        let lasted = run.started_at.map(|from| {
            let to = run.finished_at.unwrap_or(page.now);
            to.duration_since(from).max(SignedDuration::ZERO)
        });
        let dash = || "–".to_owned();
        Self {
            id: run.id.0,
            node: run.node.0,
            node_name: names.node(run.node),
            olt: run.olt.0,
            job: words::job(page, run.job),
            word: run.state.word(),
            sign: words::state(page, run.state),
            cause: words::cause(page, run.cause),
            live: run.state.is_live(),
            planned: run.planned_at,
            started: run.started_at,
            late: late.map_or_else(dash, |at| words::span(page, at.duration_since(run.planned_at))),
            lasted: lasted.map_or_else(dash, |span| words::span(page, span)),
            reason: run.ending.map(|ending| {
                let (es, en) = ending.sentence();
                (ending.word(), page.t(es, en).to_owned())
            }),
            detail: told.detail.as_deref().map(|one| page.lang.told(one)).unwrap_or_default(),
            rehearsed: told.rehearsed,
        }
    }
}

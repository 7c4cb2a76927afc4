//! The pages of runs.

use std::borrow::Borrow;

use askama::Template;
use engine::Word as _;
use jiff::Timestamp;
use web::Page;

use super::{
    Names,
    words::{self, Sign},
};
use crate::{
    model::{Assignment, Hold, Run, RunState},
    store::runs::Step,
};

/// A run in a list.
#[derive(Debug, Clone)]
pub struct RunLine {
    pub id: i64,
    pub robot: i64,
    pub robot_name: String,
    pub runner: i64,
    pub runner_name: String,
    pub word: &'static str,
    pub sign: Sign,
    pub hold: Sign,
    pub live: bool,
    pub claimed_at: Timestamp,
    pub lasted: String,
    pub closing: &'static str,
    pub cause: String,
}

impl RunLine {
    pub fn new(page: &Page, names: &Names, run: &Run) -> Self {
        let began = run.started_at.unwrap_or(run.claimed_at);
        Self {
            id: run.id.0,
            robot: run.robot.0,
            robot_name: names.robot(run.robot),
            runner: run.runner.0,
            runner_name: names.runner(run.runner),
            word: run.state.word(),
            sign: words::state(page, run.state),
            hold: match run.asked_by {
                Some(_) => Sign::new(page.t("a mano", "by hand"), web::Tone::Info),
                None => words::hold(page, run.hold),
            },
            live: run.live,
            claimed_at: run.claimed_at,
            lasted: words::lapse(page, began, run.finished_at.unwrap_or(page.now)),
            closing: run.closing.map_or("", |closing| words::closing(page, closing)),
            cause: run.cause.as_deref().map(|one| page.lang.told(one)).unwrap_or_default(),
        }
    }
}

/// An assignment in a list.
#[derive(Debug, Clone)]
pub struct AssignmentLine {
    pub id: i64,
    pub robot: i64,
    pub robot_name: String,
    pub runner: i64,
    pub runner_name: String,
    pub hold: Sign,
    pub schedule: Option<i64>,
    pub since: Timestamp,
    /// Who gave it, or why the balancer did.
    pub by: String,
    /// Those of a schedule change with it.
    pub releasable: bool,
}

impl AssignmentLine {
    pub fn new(page: &Page, names: &Names, one: &Assignment) -> Self {
        Self {
            id: one.id.0,
            robot: one.robot.0,
            robot_name: names.robot(one.robot),
            runner: one.runner.0,
            runner_name: names.runner(one.runner),
            hold: words::hold(page, one.hold),
            schedule: one.schedule.map(|schedule| schedule.0),
            since: one.assigned_at,
            by: words::motive(page, &one.assigned_by),
            releasable: one.hold != Hold::Scheduled,
        }
    }
}

/// `/sam/ejecuciones`: runs, the newest first, narrowed by what the address says.
#[derive(Template)]
#[template(path = "runs.html")]
pub struct RunsPage {
    pub page: Page,
    pub names: Names,
    pub wanted: Narrowed,
    pub lines: Vec<RunLine>,
    /// The address of the next, older page.
    pub next: Option<String>,
    pub may_operate: bool,
}

/// The filter as the address has it; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowed {
    pub robot: String,
    pub runner: String,
    pub state: String,
    pub live: String,
}

impl Narrowed {
    pub fn address(&self, cursor: &str) -> String {
        let parts = [
            ("robot_id", self.robot.as_str()),
            ("equipo_id", self.runner.as_str()),
            ("estado", self.state.as_str()),
            ("activas", self.live.as_str()),
            ("cursor", cursor),
        ];
        super::address("/sam/ejecuciones", &parts)
    }
}

impl RunsPage {
    fn states(&self) -> Vec<(&'static str, String)> {
        let text = |one: &RunState| match one {
            // Two words of A360 for one thing.
            RunState::Completed => {
                self.page.t("Completada, sin más detalle", "Completed, no more said").to_owned()
            }
            one => words::state(&self.page, *one).text,
        };
        RunState::ALL.iter().map(|one| (one.word(), text(one))).collect()
    }
}

/// `/sam/ejecuciones/{id}`: one run and everything that happened to it.
#[derive(Template)]
#[template(path = "run.html")]
pub struct RunPage {
    pub page: Page,
    pub line: RunLine,
    pub run: Run,
    pub steps: Vec<Step>,
    /// What the bot gave back, as much as fits.
    pub output: Option<String>,
    pub may_operate: bool,
}

impl RunPage {
    /// Sent, and nobody knows whether it was taken.
    fn in_doubt(&self) -> bool {
        self.run.live && self.run.deployment.is_none() && self.run.posted_at.is_some()
    }

    /// It ended, and not as it should.
    fn ended_badly(&self) -> bool {
        let state = self.run.state;
        !self.run.live && !state.succeeded() && state != RunState::Inferred
    }

    /// What the Control Room calls a state, in the words of the page.
    fn told(&self, word: &str) -> String {
        let known = RunState::told(word).map(|state| words::state(&self.page, state).text);
        known.unwrap_or_else(|| word.to_owned())
    }

    fn sign(&self, step: &Step) -> Sign {
        words::state_word(&self.page, &step.state)
    }

    fn said(&self, kept: &str) -> String {
        self.page.lang.told(kept)
    }

    fn source(&self, step: &Step) -> String {
        words::source(&self.page, &step.source)
    }

    /// How long after the one before it.
    fn after(&self, index: impl Borrow<usize>) -> String {
        let index = *index.borrow();
        let (Some(one), Some(before)) =
            (self.steps.get(index), index.checked_sub(1).and_then(|at| self.steps.get(at)))
        else {
            return String::new();
        };
        format!("+{}", words::lapse(&self.page, before.at, one.at))
    }

    fn stamp(&self, at: &Timestamp) -> String {
        let local = at.to_zoned(self.page.zone.clone());
        local.strftime(self.page.t("%d/%m/%Y %H:%M:%S", "%d %b %Y %H:%M:%S")).to_string()
    }

    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn when(&self, at: &Option<Timestamp>) -> String {
        at.as_ref().map_or_else(|| "–".to_owned(), |at| self.stamp(at))
    }
}

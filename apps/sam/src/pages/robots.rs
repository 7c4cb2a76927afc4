//! The pages of robots.

use askama::Template;
use jiff::Timestamp;
use serde::Deserialize;
use web::{Lang, Page, Tone};

use super::{
    Names, Supply,
    runs::{AssignmentLine, RunLine},
    shown::Shown,
    words::Sign,
};
use crate::{
    model::Robot,
    wire::{RobotView, SuspensionView, WhyView},
};

/// `/sam/robots`: every robot, narrowed by what the address says.
#[derive(Template)]
#[template(path = "robots.html")]
pub struct RobotsPage {
    pub page: Page,
    pub names: Names,
    pub wanted: Narrowed,
    pub lines: Vec<RobotLine>,
    pub shown: Shown,
    /// Whether there is any at all.
    pub ever: bool,
    pub supply: Supply,
    pub may_edit: bool,
}

/// The filter as the address has it; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Narrowed {
    #[serde(rename = "q")]
    pub text: String,
    #[serde(rename = "activo")]
    pub active: String,
    pub online: String,
    #[serde(rename = "programado")]
    pub scheduled: String,
    pub pool: String,
    /// Which part of what fits.
    #[serde(rename = "pagina")]
    pub page: String,
}

impl Narrowed {
    /// The address of another part.
    pub(crate) fn at(&self, number: &str) -> String {
        let parts = [
            ("q", &*self.text),
            ("activo", &*self.active),
            ("online", &*self.online),
            ("programado", &*self.scheduled),
            ("pool", &*self.pool),
            ("pagina", number),
        ];
        super::address("/sam/robots", &parts)
    }
}

#[derive(Debug, Clone)]
pub struct RobotLine {
    pub robot: Robot,
    pub pool: String,
    /// Runners assigned to it, runs under way, active schedules.
    pub runners: i64,
    pub running: i64,
    pub schedules: i64,
}

/// A robot as the form of the page takes it.
pub(crate) fn record(robot: &Robot) -> String {
    serde_json::to_string(&RobotView::new(robot)).unwrap_or_default()
}

pub(crate) fn limits(robot: &Robot) -> String {
    let most = robot.limits.most.map_or_else(|| "∞".to_owned(), |most| most.to_string());
    format!("{}–{most}", robot.limits.least)
}

/// What becomes of a slot whose run failed.
pub(crate) fn retry(page: &Page, robot: &Robot) -> String {
    let (times, wait) = (robot.retry.times, robot.retry.wait.as_secs());
    match (times, page.lang) {
        (0, _) => page.t("se avisa", "people are told").to_owned(),
        (_, Lang::Es) => format!("{times} reintentos, desde {wait} s"),
        (_, Lang::En) => format!("{times} tries again, from {wait} s"),
    }
}

pub(crate) fn active(page: &Page, robot: &Robot) -> Sign {
    if robot.active {
        Sign::new(page.t("Activo", "Active"), Tone::Good)
    } else {
        Sign::new(page.t("Inactivo", "Inactive"), Tone::Plain)
    }
}

pub(crate) fn mode(page: &Page, robot: &Robot) -> Sign {
    if robot.online {
        Sign::new(page.t("Online", "Online"), Tone::Info)
    } else {
        Sign::new(page.t("Por programación", "By schedule"), Tone::Plain)
    }
}

/// `/sam/robots/{id}`: why it waits, what it has, what it did.
#[derive(Template)]
#[template(path = "robot.html")]
pub struct RobotPage {
    pub page: Page,
    pub names: Names,
    pub robot: Robot,
    pub pool: String,
    pub answer: WhyView,
    pub schedules: Vec<ScheduleLine>,
    pub assignments: Vec<AssignmentLine>,
    pub runs: Vec<RunLine>,
    pub tickets: Vec<TicketLine>,
    pub suspensions: Vec<(SuspensionView, String)>,
    pub may_edit: bool,
    pub may_operate: bool,
}

#[derive(Debug, Clone)]
pub struct ScheduleLine {
    pub id: i64,
    pub robot: i64,
    pub robot_name: String,
    pub sentence: String,
    pub next: Option<Timestamp>,
    pub runners: Vec<String>,
    pub active: bool,
    pub version: i64,
}

/// A provider's word.
#[derive(Debug, Clone)]
pub struct TicketLine {
    pub robot: i64,
    pub robot_name: String,
    pub provider: String,
    pub pending: Option<i64>,
    pub at: Timestamp,
}

impl TicketLine {
    pub fn told(&self, page: &Page) -> Sign {
        match self.pending {
            Some(n) => Sign::new(page.number(n), Tone::Plain),
            None => Sign::new(page.t("desconocida", "unknown"), Tone::Warn),
        }
    }
}

impl RobotPage {
    fn running(&self) -> usize {
        self.runs.iter().filter(|run| run.live).count()
    }

    fn parameters(&self) -> Option<String> {
        let own = self.robot.parameters.as_ref()?;
        serde_json::to_string_pretty(own).ok()
    }
}

impl RobotsPage {
    /// Filters of yes and no: name, label, yes, no, what is chosen.
    fn filters(&self) -> [(&'static str, &str, &str, &str, &str); 3] {
        let (page, wanted) = (&self.page, &self.wanted);
        let t = |es: &'static str, en: &'static str| page.t(es, en);
        [
            (
                "activo",
                t("Estado", "State"),
                t("Activos", "Active"),
                t("Inactivos", "Inactive"),
                &wanted.active,
            ),
            (
                "online",
                t("Modo", "Mode"),
                "Online",
                t("Por programación", "By schedule"),
                &wanted.online,
            ),
            (
                "programado",
                t("Programaciones", "Schedules"),
                t("Con", "With"),
                t("Sin", "Without"),
                &wanted.scheduled,
            ),
        ]
    }
}

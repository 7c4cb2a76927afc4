//! The first page: what runs, what waits and why.

use askama::Template;
use jiff::Timestamp;
use web::{Page, Tone};

use super::{gantt::Gantt, words::Sign};

/// `/sam`: who runs, who waits and why, and whether the machinery is well.
#[derive(Template)]
#[template(path = "overview.html")]
pub struct OverviewPage {
    pub page: Page,
    /// Nothing was ever entered.
    pub first: bool,
    pub parts_of_sam: Vec<Part>,
    /// What holds everybody.
    pub alarms: Vec<String>,
    /// Whether the Control Room is left alone for a while.
    pub resting: bool,
    pub counts: Counts,
    pub gantt: Gantt,
    pub hours: i64,
    /// Runners that did not fit in the drawing.
    pub hidden: usize,
    pub queue: Vec<Waiting>,
    pub queued: usize,
    pub pools: Vec<PoolCard>,
    pub troubles: Vec<Trouble>,
    pub may_operate: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub runners: i64,
    pub busy: i64,
    pub maintenance: i64,
    pub robots: i64,
    pub due: i64,
    pub failures: i64,
}

/// One of the services that make up SAM.
#[derive(Debug, Clone)]
pub struct Part {
    pub name: &'static str,
    pub sign: Sign,
    pub last: Option<Timestamp>,
    pub note: String,
}

/// A robot that is due and has not started.
#[derive(Debug, Clone)]
pub struct Waiting {
    pub robot: i64,
    pub robot_name: String,
    /// None: it waits for the balancer to give it one.
    pub runner: Option<(i64, String)>,
    pub code: &'static str,
    pub sentence: String,
    pub until: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct PoolCard {
    pub name: String,
    pub href: String,
    pub active: bool,
    pub runners: i64,
    pub busy: i64,
    pub cooling: Option<Timestamp>,
    pub robots: Vec<Share>,
}

/// A robot of a pool: what it holds of what it should.
#[derive(Debug, Clone)]
pub struct Share {
    pub id: i64,
    pub name: String,
    pub held: i64,
    pub target: i64,
    /// None: not known, or a robot that runs by schedule.
    pub tickets: Option<i64>,
    pub online: bool,
    pub active: bool,
}

impl Share {
    fn sign(&self, page: &Page) -> Sign {
        match (self.active, self.online, self.held < self.target) {
            (false, ..) => Sign::new(page.t("inactivo", "inactive"), Tone::Plain),
            (true, false, _) => Sign::new(page.t("programado", "scheduled"), Tone::Plain),
            (true, true, true) => Sign::new(format!("{}/{}", self.held, self.target), Tone::Warn),
            (true, true, false) => Sign::new(format!("{}/{}", self.held, self.target), Tone::Good),
        }
    }

    fn told(&self, page: &Page) -> String {
        match self.tickets {
            Some(1) => page.t("1 ticket", "1 ticket").to_owned(),
            Some(n) => format!("{} tickets", page.number(n)),
            None if self.online => page.t("demanda desconocida", "demand unknown").to_owned(),
            None => String::new(),
        }
    }
}

/// A run that needs a look.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub run: i64,
    pub kind: Sign,
    pub robot: String,
    pub runner: String,
    pub since: Timestamp,
    pub note: String,
}

impl OverviewPage {
    fn busy(&self) -> String {
        format!("{}/{}", self.counts.busy, self.counts.runners)
    }

    fn due_tone(&self) -> Tone {
        if self.counts.due > 0 { Tone::Warn } else { Tone::Plain }
    }

    fn failure_tone(&self) -> Tone {
        if self.counts.failures > 0 { Tone::Bad } else { Tone::Plain }
    }
}

//! The page of the balancer: what it did, and what it would do.

use askama::Template;
use jiff::Timestamp;
use web::{Page, Tone};

use super::{
    Names,
    robots::TicketLine,
    words::{self, Sign},
};
use crate::routes::{ChangeView, Simulation};

/// `/sam/balanceador`: what the balancer did and the sum behind it.
#[derive(Template)]
#[template(path = "balance.html")]
pub struct BalancePage {
    pub page: Page,
    pub names: Names,
    pub robot: String,
    pub moves: Vec<MoveLine>,
    /// The address of the next, older page.
    pub next: Option<String>,
    pub tickets: Vec<TicketLine>,
}

#[derive(Debug, Clone)]
pub struct MoveLine {
    pub id: i64,
    pub at: Timestamp,
    pub pool: String,
    pub robot: i64,
    pub robot_name: String,
    pub runner: i64,
    pub runner_name: String,
    pub sign: Sign,
    pub motive: String,
    pub sum: String,
}

/// The two parts of the screen.
pub(crate) fn parts_of(page: &Page) -> [(&'static str, &'static str); 2] {
    [
        ("/sam/balanceador", page.t("Decisiones", "Decisions")),
        ("/sam/balanceador/simular", page.t("Simular", "Simulate")),
    ]
}

pub(crate) fn action(page: &Page, word: &str) -> Sign {
    match word {
        "ASIGNAR" => Sign::new(page.t("Asigna", "Assigns"), Tone::Good),
        _ => Sign::new(page.t("Libera", "Releases"), Tone::Plain),
    }
}

/// `/sam/balanceador/simular`: what it would do under other tickets or rules.
#[derive(Template)]
#[template(path = "simulate.html")]
pub struct SimulatePage {
    pub page: Page,
    pub names: Names,
    pub robots: Vec<SupposedLine>,
    pub strict: bool,
    pub preemption: bool,
    pub cooling: bool,
    pub(crate) result: Simulation,
}

/// A robot and the tickets it is supposed to have.
#[derive(Debug, Clone)]
pub struct SupposedLine {
    pub id: i64,
    pub name: String,
    pub pool: String,
    pub priority: i64,
    /// Empty when the number is not known.
    pub tickets: String,
}

impl SimulatePage {
    fn motive(&self, one: &ChangeView) -> String {
        words::motive(&self.page, one.motivo)
    }

    fn action(&self, one: &ChangeView) -> Sign {
        action(&self.page, one.accion)
    }

    fn robot(&self, one: &ChangeView) -> String {
        self.names.robot(crate::model::RobotId(one.robot_id))
    }

    fn runner(&self, one: &ChangeView) -> String {
        self.names.runner(crate::model::RunnerId(one.equipo_id))
    }

    fn tone(held: impl std::borrow::Borrow<i64>, target: impl std::borrow::Borrow<i64>) -> Tone {
        if held.borrow() < target.borrow() { Tone::Warn } else { Tone::Good }
    }
}

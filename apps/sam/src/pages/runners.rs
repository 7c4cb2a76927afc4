//! The pages of runners.

use askama::Template;
use serde::Deserialize;
use web::{Page, Tone};

use super::{
    Names, Supply,
    runs::{AssignmentLine, RunLine},
    shown::Shown,
    words::Sign,
};
use crate::{
    model::Runner,
    wire::{RunnerView, SuspensionView, WhyView},
};

/// `/sam/equipos`: every runner, narrowed by what the address says.
#[derive(Template)]
#[template(path = "runners.html")]
pub struct RunnersPage {
    pub page: Page,
    pub names: Names,
    pub wanted: Narrowed,
    pub lines: Vec<RunnerLine>,
    pub shown: Shown,
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
    #[serde(rename = "ocupado")]
    pub busy: String,
    #[serde(rename = "balanceo")]
    pub balanced: String,
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
            ("ocupado", &*self.busy),
            ("balanceo", &*self.balanced),
            ("pool", &*self.pool),
            ("pagina", number),
        ];
        super::address("/sam/equipos", &parts)
    }
}

#[derive(Debug, Clone)]
pub struct RunnerLine {
    pub runner: Runner,
    pub pool: String,
    /// A schedule involves it: the balancer leaves it alone.
    pub scheduled: bool,
    pub assignments: Vec<AssignmentLine>,
    pub run: Option<RunLine>,
}

impl RunnerLine {
    fn record(&self) -> String {
        let view = RunnerView::new(&self.runner, self.scheduled);
        serde_json::to_string(&view).unwrap_or_default()
    }

    fn active(&self, page: &Page) -> Sign {
        match (self.runner.active, self.runner.licence.runs_bots()) {
            (false, _) => Sign::new(page.t("En mantenimiento", "In maintenance"), Tone::Warn),
            (true, false) => Sign::new(page.t("Sin licencia", "No licence"), Tone::Bad),
            (true, true) => Sign::new(page.t("Activo", "Active"), Tone::Good),
        }
    }

    fn balanced(&self, page: &Page) -> Sign {
        match (self.scheduled, self.runner.dynamic) {
            (true, _) => {
                Sign::new(page.t("Fijo por programación", "Fixed by schedule"), Tone::Info)
            }
            (false, true) => Sign::new(page.t("Se balancea", "Balanced"), Tone::Good),
            (false, false) => Sign::new(page.t("No se balancea", "Not balanced"), Tone::Plain),
        }
    }

    /// Each robot once, however many schedules bind them.
    fn served(&self) -> Vec<&AssignmentLine> {
        let mut served: Vec<&AssignmentLine> = Vec::new();
        for one in &self.assignments {
            if !served.iter().any(|known| known.robot == one.robot && known.hold == one.hold) {
                served.push(one);
            }
        }
        served
    }

    fn connected(&self, page: &Page) -> Sign {
        match self.runner.connected {
            Some(true) => Sign::new(page.t("Conectado", "Connected"), Tone::Good),
            Some(false) => Sign::new(page.t("Desconectado", "Disconnected"), Tone::Bad),
            None => Sign::new(page.t("Sin sincronizar", "Never synced"), Tone::Plain),
        }
    }
}

/// `/sam/equipos/{id}`: why it is idle, whom it serves, what it did.
#[derive(Template)]
#[template(path = "runner.html")]
pub struct RunnerPage {
    pub page: Page,
    pub names: Names,
    pub line: RunnerLine,
    pub answer: WhyView,
    pub assignments: Vec<AssignmentLine>,
    pub runs: Vec<RunLine>,
    pub suspensions: Vec<(SuspensionView, String)>,
    pub may_edit: bool,
    pub may_operate: bool,
}

impl RunnersPage {
    /// Filters of yes and no: name, label, yes, no, what is chosen.
    fn filters(&self) -> [(&'static str, &str, &str, &str, &str); 3] {
        let (page, wanted) = (&self.page, &self.wanted);
        let t = |es: &'static str, en: &'static str| page.t(es, en);
        [
            (
                "activo",
                t("Estado", "State"),
                t("En servicio", "In service"),
                t("En mantenimiento", "In maintenance"),
                &wanted.active,
            ),
            (
                "ocupado",
                t("Ahora", "Now"),
                t("Ocupados", "Busy"),
                t("Libres", "Free"),
                &wanted.busy,
            ),
            (
                "balanceo",
                t("Balanceo", "Balancing"),
                t("Se balancean", "Balanced"),
                t("Fijos", "Fixed"),
                &wanted.balanced,
            ),
        ]
    }
}

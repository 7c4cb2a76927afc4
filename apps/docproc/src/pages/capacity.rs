//! The page that says how many threads and people a load needs.

use askama::Template;
use web::{Lang, Page, Tone};

use super::words;
use crate::routes::capacity::{Part, Plan};

/// `/docproc/capacidad`: how many workers and people a load needs.
#[derive(Template)]
#[template(path = "capacity.html")]
pub struct CapacityPage {
    pub page: Page,
    pub requests_per_hour: f64,
    pub pages: f64,
    pub max_seconds: f64,
    pub page_seconds: Option<f64>,
    /// Absent: nothing was measured yet, and nothing was told.
    pub(crate) plan: Option<Plan>,
}

impl CapacityPage {
    fn title(&self, component: &str) -> String {
        words::component(&self.page, component)
    }

    fn millis(&self, seconds: impl std::borrow::Borrow<f64>) -> String {
        words::millis(&self.page, *seconds.borrow() * 1_000.0)
    }

    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn seconds(&self, seconds: &Option<f64>) -> String {
        seconds.map_or_else(|| "∞".to_owned(), |seconds| self.millis(seconds))
    }

    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn share(&self, share: &Option<f64>) -> String {
        share.map_or_else(|| "–".to_owned(), |share| self.page.percent(share))
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass fields by reference")]
    fn whole(&self, number: &u32) -> String {
        self.page.number(i64::from(*number))
    }

    fn hands(&self, plan: &Plan) -> String {
        plan.hands.map_or_else(|| "–".to_owned(), |hands| self.page.number(i64::from(hands)))
    }

    fn tone(part: &Part) -> Tone {
        match part.hands < i64::from(part.needed) {
            true if part.utilisation.is_none_or(|share| share >= 1.0) => Tone::Bad,
            true => Tone::Warn,
            false => Tone::Good,
        }
    }

    /// What runs today is not enough for the load.
    fn short(&self, plan: &Plan) -> bool {
        let late = plan.here.p95_seconds.is_none_or(|seconds| seconds > self.max_seconds);
        let hands: i64 = plan.components.iter().map(|one| one.hands).max().unwrap_or_default();
        let fewer = plan.hands.is_none_or(|needed| hands < i64::from(needed));
        late && fewer
    }

    fn warning(&self, plan: &Plan) -> String {
        let (here, needed) = (plan.here.hands, plan.hands.unwrap_or_default());
        match (plan.here.p95_seconds, self.page.lang) {
            (None, Lang::Es) => {
                format!("Lo que hay no da abasto: {here} trabajadores aquí, hacen falta {needed}.")
            }
            (None, Lang::En) => {
                format!("What runs today cannot keep up: {here} workers here, {needed} are needed.")
            }
            (Some(_), Lang::Es) => format!(
                "Lo que hay no cumple el plazo: {here} trabajadores aquí, hacen falta {needed} para el \
                 95 % de las solicitudes."
            ),
            (Some(_), Lang::En) => format!(
                "What runs today is too slow: {here} workers here, {needed} are needed for 95% of \
                 the requests."
            ),
        }
    }

    fn people_note(&self, plan: &Plan) -> String {
        let tasks = self.page.decimal(plan.people.tasks_per_hour, 1);
        let each = self.millis(plan.people.seconds_each);
        match self.page.lang {
            Lang::Es => format!("{tasks} tareas por hora de {each}"),
            Lang::En => format!("{tasks} tasks an hour of {each}"),
        }
    }

    fn messages(&self, component: &str) -> String {
        let measured = self.plan.iter().flat_map(|plan| &plan.measured);
        let of = measured.into_iter().find(|one| one.component == component);
        of.map_or_else(|| "–".to_owned(), |one| self.page.number(one.messages))
    }

    fn told(&self) -> String {
        self.page_seconds.map(|seconds| seconds.to_string()).unwrap_or_default()
    }
}

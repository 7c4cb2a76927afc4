//! The page of the plan: who starts in which minute.

use std::borrow::Borrow;

use askama::Template;
use serde_json::{Value as Json, json};
use web::{Lang, Page, Tone};

use super::{Names, words};
use crate::{
    model::NodeId,
    routes::{FitView, LimitsView, MinuteView, MoveView, PlanView},
};

/// Names in one minute; the others are counted.
const NAMED: usize = 40;

/// `/coordinador/plan`: the next hour minute by minute, and what other limits would make of it.
#[derive(Template)]
#[template(path = "plan.html")]
pub(crate) struct PlanPage {
    pub(crate) page: Page,
    pub(crate) before: Hour,
    /// What a redistribution would move, with these limits or with those that were asked about.
    pub(crate) after: Hour,
    pub(crate) moves: Vec<MoveLine>,
    pub(crate) moved: usize,
    pub(crate) fit: FitView,
    pub(crate) wanted: Wanted,
    /// In force, for the form.
    pub(crate) limits: LimitsView,
    pub(crate) window: i64,
    pub(crate) may_operate: bool,
    pub(crate) may_configure: bool,
}

/// What the address supposes; empty means as it stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Name of the field and its value.
    pub(crate) limits: Vec<(&'static str, String)>,
    pub(crate) window: String,
}

impl Wanted {
    pub(crate) fn is_empty(&self) -> bool {
        self.window.is_empty() && self.limits.iter().all(|(_, value)| value.is_empty())
    }

    fn of(&self, name: &str) -> &str {
        let found = self.limits.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The limits as the contract takes them.
    fn body(&self) -> String {
        let named = self.limits.iter().filter_map(|(name, value)| {
            Some(((*name).to_owned(), json!(value.trim().parse::<i64>().ok()?)))
        });
        Json::Object(named.collect()).to_string()
    }

    fn has_limits(&self) -> bool {
        self.limits.iter().any(|(_, value)| !value.is_empty())
    }
}

/// Sixty minutes of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Hour {
    pub(crate) minutes: Vec<Minute>,
    pub(crate) peak: usize,
    pub(crate) cap: u32,
    pub(crate) overflow: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Minute {
    /// Minutes since the epoch.
    pub(crate) key: i64,
    pub(crate) clock: String,
    pub(crate) count: usize,
    pub(crate) cap: u32,
    pub(crate) over: bool,
    pub(crate) tone: Tone,
    pub(crate) nodes: Vec<(i64, String)>,
    pub(crate) hidden: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct MoveLine {
    pub(crate) node: i64,
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) by: String,
}

impl Hour {
    pub(crate) fn new(page: &Page, names: &Names, plan: &PlanView) -> Self {
        let cap = plan.maximo_por_minuto;
        Self {
            minutes: plan.minutos.iter().map(|one| Minute::new(page, names, one, cap)).collect(),
            peak: plan.pico,
            cap,
            overflow: plan.overflow.len(),
        }
    }

    fn busy(&self) -> impl Iterator<Item = &Minute> {
        self.minutes.iter().filter(|minute| minute.count > 0)
    }

    fn told(&self, page: &Page) -> String {
        let over = self.minutes.iter().filter(|minute| minute.over).count();
        let (peak, cap, lost) = (self.peak, self.cap, self.overflow);
        match page.lang {
            Lang::Es => format!(
                "Pico: {peak} de {cap} por minuto. Minutos por encima: {over}. No caben: {lost}."
            ),
            Lang::En => format!(
                "Peak: {peak} of {cap} per minute. Minutes above it: {over}. Do not fit: {lost}."
            ),
        }
    }
}

impl Minute {
    fn new(page: &Page, names: &Names, minute: &MinuteView, cap: u32) -> Self {
        let count = minute.nodos.len();
        let shown = minute.nodos.iter().take(NAMED);
        Self {
            key: minute.minuto.as_second().div_euclid(60),
            clock: page.clock(minute.minuto),
            count,
            cap,
            over: count > cap as usize,
            tone: match count {
                0 => Tone::Plain,
                count if count > cap as usize => Tone::Bad,
                count if count == cap as usize => Tone::Warn,
                count if count * 2 >= cap as usize => Tone::Good,
                _ => Tone::Info,
            },
            nodes: shown.map(|id| (*id, names.node(NodeId(*id)))).collect(),
            hidden: count.saturating_sub(NAMED),
        }
    }
}

impl MoveLine {
    pub(crate) fn new(page: &Page, names: &Names, one: &MoveView) -> Self {
        Self {
            node: one.nodo_id,
            name: names.node(NodeId(one.nodo_id)),
            from: words::instant(page, one.desde),
            to: words::instant(page, one.hasta),
            by: format!("{:+}\u{a0}s", one.segundos),
        }
    }
}

impl PlanPage {
    /// Fields of the form: name, label, what stands, least, most.
    fn fields(&self) -> [(&'static str, &'static str, u32, u32, u32); 6] {
        let (page, limits) = (&self.page, &self.limits);
        let t = |es: &'static str, en: &'static str| page.t(es, en);
        [
            (
                "max_executions_per_minute",
                t("Por minuto", "Per minute"),
                limits.max_executions_per_minute,
                1,
                600,
            ),
            (
                "max_short_per_minute",
                t("De intervalo corto, por minuto", "Short intervals, per minute"),
                limits.max_short_per_minute,
                1,
                600,
            ),
            (
                "max_descubrimiento",
                t("Descubrimientos a la vez", "Discoveries at once"),
                limits.max_descubrimiento,
                1,
                500,
            ),
            ("max_get", t("GET a la vez", "GETs at once"), limits.max_get, 1, 500),
            ("max_total", t("En total a la vez", "At once in total"), limits.max_total, 1, 500),
            (
                "max_running_per_olt",
                t("A la vez por OLT", "At once per OLT"),
                limits.max_running_per_olt,
                1,
                20,
            ),
        ]
    }

    fn applying(&self, moved: impl Borrow<usize>) -> String {
        let moved = moved.borrow();
        match self.page.lang {
            Lang::Es => format!("Se mueven {moved} nodos según los límites en vigor."),
            Lang::En => format!("{moved} nodes move, under the limits in force."),
        }
    }
}

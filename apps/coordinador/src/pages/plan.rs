//! The page of the plan: who starts in which minute.

use std::borrow::Borrow;

use askama::Template;
use serde_json::{Map, Value as Json, json};
use web::{Lang, Page, Tone};

use super::{Names, Narrowed, limits, words};
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
    /// What the address supposes; empty means as it stands.
    pub(crate) wanted: Narrowed,
    /// In force, for the form.
    pub(crate) limits: LimitsView,
    pub(crate) window: i64,
    pub(crate) may_operate: bool,
    pub(crate) may_configure: bool,
}

/// Sixty minutes of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Hour {
    pub(crate) minutes: Vec<Minute>,
    pub(crate) peak: usize,
    pub(crate) cap: u32,
    pub(crate) overflow: usize,
    /// From and to, and how many minutes are within, above and without any start.
    pub(crate) optimum: [u32; 2],
    pub(crate) shares: [usize; 3],
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
            minutes: plan.minutos.iter().map(|one| Minute::new(page, names, one, plan)).collect(),
            optimum: plan.optimo,
            shares: [
                plan.minutos_en_optimo,
                plan.minutos_sobre_optimo,
                plan.minutos_sin_ejecuciones,
            ],
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
        let peaks = match page.lang {
            Lang::Es => format!(
                "Pico: {peak} de {cap} por minuto. Minutos por encima: {over}. No caben: {lost}."
            ),
            Lang::En => format!(
                "Peak: {peak} of {cap} per minute. Minutes above it: {over}. Do not fit: {lost}."
            ),
        };
        format!("{peaks} {}", aimed(page, self.optimum, self.shares))
    }

    /// The words of the legend for below, within and at the most.
    fn optimal(&self) -> String {
        format!("{}–{}", self.optimum[0], self.optimum[1])
    }
}

/// How the minutes lie beside what is aimed at: the optimum, and at least one start a minute.
pub(crate) fn aimed(page: &Page, [from, to]: [u32; 2], shares: [usize; 3]) -> String {
    let [within, above, idle] = shares;
    match page.lang {
        Lang::Es => format!(
            "Óptimo {from}–{to}: {within} minutos dentro, {above} por encima; \
             mínimo 1: {idle} sin ejecuciones."
        ),
        Lang::En => format!(
            "Optimum {from}–{to}: {within} minutes within, {above} above; \
             minimum 1: {idle} without a run."
        ),
    }
}

impl Minute {
    fn new(page: &Page, names: &Names, minute: &MinuteView, plan: &PlanView) -> Self {
        let (count, cap) = (minute.ejecuciones, plan.maximo_por_minuto);
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
                count if count >= plan.optimo[0] as usize => Tone::Good,
                _ => Tone::Info,
            },
            nodes: shown.map(|id| (*id, names.node(NodeId(*id)))).collect(),
            hidden: minute.nodos.len().saturating_sub(NAMED),
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
    fn fields(&self) -> [limits::Field; 6] {
        limits::fields(&self.page, &self.limits)
    }

    /// The limits that are supposed, as the contract takes them; none: null.
    fn supposed(&self) -> Option<String> {
        let named = self
            .fields()
            .into_iter()
            .filter_map(|(name, ..)| Some((name.to_owned(), json!(self.wanted.number(name)?))));
        let named: Map<String, Json> = named.collect();
        (!named.is_empty()).then(|| Json::Object(named).to_string())
    }

    fn applying(&self, moved: impl Borrow<usize>) -> String {
        let moved = moved.borrow();
        match self.page.lang {
            Lang::Es => format!("Se mueven {moved} nodos según los límites en vigor."),
            Lang::En => format!("{moved} nodes move, under the limits in force."),
        }
    }
}

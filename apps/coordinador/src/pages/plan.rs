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
        format!("{peaks} {}", aimed(page, self.optimum, self.shares, self.minutes.len()))
    }

    /// The words of the legend for below, within and at the most.
    fn optimal(&self) -> String {
        format!("{}–{}", self.optimum[0], self.optimum[1])
    }
}

/// How so many minutes lie beside what is aimed at: the optimum, and at least one start a minute.
/// The shares are those within, above and without any start.
fn aimed(page: &Page, [from, to]: [u32; 2], shares: [usize; 3], all: usize) -> String {
    let [within, above, idle] = shares;
    let busy = all.saturating_sub(idle);
    if busy == 0 {
        return match page.lang {
            Lang::Es => format!("Ninguno de los próximos {all} minutos tiene una ejecución."),
            Lang::En => format!("None of the next {all} minutes has a run."),
        };
    }
    let count = |number: usize, none: &str| match number {
        0 => none.to_owned(),
        number => number.to_string(),
    };
    let verb = |number: usize, one: &'static str, many: &'static str| match number {
        0 | 1 => one,
        _ => many,
    };
    match page.lang {
        Lang::Es => format!(
            "{busy} de los próximos {all} minutos {} alguna ejecución; {} {} en el óptimo \
             de {from} a {to}, {} por encima.",
            verb(busy, "tiene", "tienen"),
            count(within, "ninguno"),
            verb(within, "está", "están"),
            count(above, "ninguno"),
        ),
        Lang::En => format!(
            "{busy} of the next {all} minutes {} a run; {} {} in the optimum of {from} to {to}, \
             {} above it.",
            verb(busy, "has", "have"),
            count(within, "none"),
            verb(within, "is", "are"),
            count(above, "none"),
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

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, tz::TimeZone};
    use web::Theme;

    use super::*;

    #[test]
    fn the_hour_is_told_in_a_plain_sentence() {
        let page = |lang| Page::new(lang, Theme::System, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        let told = |lang, shares| aimed(&page(lang), [3, 5], shares, 60);
        assert_eq!(
            told(Lang::Es, [2, 0, 32]),
            "28 de los próximos 60 minutos tienen alguna ejecución; 2 están en el óptimo de 3 a 5, \
             ninguno por encima."
        );
        assert_eq!(
            told(Lang::En, [0, 1, 59]),
            "1 of the next 60 minutes has a run; none is in the optimum of 3 to 5, 1 above it."
        );
        assert_eq!(
            told(Lang::Es, [0, 0, 60]),
            "Ninguno de los próximos 60 minutos tiene una ejecución."
        );
    }
}

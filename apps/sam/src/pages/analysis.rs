//! The page of figures over what ran and what was moved.

use std::borrow::Borrow;

use askama::Template;
use web::svg::{Bar, Bars, Heat, HeatCell, HeatRow, Line, Trend, TrendLine, Unit};
use web::{Page, Spans, Tone};

use super::{Names, schedules::WEEKDAYS, words};
use crate::{
    model::{RobotId, RunnerId},
    rules::analysis::{
        self, Balancing, Callbacks, Dispersion, Latency, Patterns, Spread, Success, Times,
        Utilization,
    },
};

/// `/sam/analisis`: figures over what ran and what moved.
#[derive(Template)]
#[template(path = "analysis.html")]
pub struct AnalysisPage {
    pub page: Page,
    pub names: Names,
    pub wanted: Narrowed,
    pub use_of_runners: Utilization,
    pub success: Success,
    /// Robots over the parts of the period, those with most runs first.
    pub trends: Vec<analysis::Trend>,
    pub spans: Spans,
    pub times: Vec<Times>,
    pub latency: Vec<Latency>,
    pub callbacks: Callbacks,
    pub patterns: Patterns,
    pub balancing: Balancing,
    /// Of one robot; empty while none is chosen.
    pub dispersion: Vec<Dispersion>,
}

/// The filter as the address has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowed {
    pub days: String,
    pub robot: String,
    pub pool: String,
}

impl Narrowed {
    /// Where the figures of one report are, as CSV.
    fn csv(&self, report: &str) -> String {
        let parts =
            [("dias", self.days.as_str()), ("robot_id", &self.robot), ("pool_id", &self.pool)];
        super::address(&format!("/sam/analisis/{report}"), &parts)
    }
}

/// Runners in the chart; the table has them all.
const BARS: usize = 40;

impl AnalysisPage {
    fn robot(&self, id: impl Borrow<i64>) -> String {
        self.names.robot(RobotId(*id.borrow()))
    }

    fn runner(&self, id: impl Borrow<i64>) -> String {
        self.names.runner(RunnerId(*id.borrow()))
    }

    /// A percentage, as the rules give it, for people.
    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn percent(&self, value: &Option<f64>) -> String {
        value.map_or_else(|| "–".to_owned(), |value| self.page.percent(value / 100.0))
    }

    fn count(&self, value: impl Borrow<usize>) -> String {
        self.page.number(i64::try_from(*value.borrow()).unwrap_or(i64::MAX))
    }

    /// Seconds: mean and 90 %.
    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn spread(&self, spread: &Option<Spread>) -> String {
        spread.as_ref().map_or_else(
            || "–".to_owned(),
            |one| {
                let told = |seconds: f64| words::seconds(&self.page, seconds.round() as i64);
                format!("{} · P90 {}", told(one.mean), told(one.p90))
            },
        )
    }

    fn seconds(&self, seconds: impl Borrow<f64>) -> String {
        words::seconds(&self.page, seconds.borrow().round() as i64)
    }

    #[allow(clippy::ref_option, reason = "templates pass fields by reference")]
    fn maybe_seconds(&self, seconds: &Option<f64>) -> String {
        seconds.map_or_else(|| "–".to_owned(), |seconds| self.seconds(seconds))
    }

    fn success_tone(&self) -> Tone {
        match self.success.percent {
            None => Tone::Plain,
            Some(percent) if percent >= 95.0 => Tone::Good,
            Some(percent) if percent >= 80.0 => Tone::Warn,
            Some(_) => Tone::Bad,
        }
    }

    fn use_chart(&self) -> Bars {
        let page = &self.page;
        let mut runners: Vec<_> = self.use_of_runners.runners.iter().collect();
        runners.sort_by(|a, b| b.busy_minutes.total_cmp(&a.busy_minutes));
        let bars = runners.into_iter().take(BARS).map(|one| Bar {
            label: self.runner(one.runner),
            value: one.percent.unwrap_or_default() / 100.0,
            text: self.percent(&one.percent),
            tone: Tone::Plain,
        });
        let label = page.t("Uso de cada equipo", "Use of each runner");
        Bars::new(label, Unit::Share, bars.collect())
    }

    /// Robots in the chart of success; the table has them all.
    const LINES: usize = 4;

    fn success_chart(&self) -> Trend {
        let page = &self.page;
        let line = |one: &analysis::Trend| {
            let point = |share: &Option<f64>| share.map(|share| (share, page.percent(share)));
            TrendLine {
                name: self.robot(one.robot),
                points: one.success.iter().map(point).collect(),
            }
        };
        let lines = self.trends.iter().take(Self::LINES).map(line).collect();
        let label = page.t("Éxito a lo largo del tiempo", "Success over time");
        Trend::new(label, Unit::Share, self.spans.labels(&page.zone), lines)
    }

    fn success_line(&self, one: &analysis::Trend) -> Line {
        let known: Vec<f64> = one.success.iter().flatten().copied().collect();
        Line::new(self.page.t("Éxito a lo largo del tiempo", "Success over time"), known)
    }

    fn minutes_line(&self, one: &analysis::Trend) -> Line {
        let known: Vec<f64> = one.minutes.iter().flatten().copied().collect();
        let page = &self.page;
        let label = page.t("Duración a lo largo del tiempo", "Duration over time");
        let last = known.last().map(|minutes| page.minutes(minutes)).unwrap_or_default();
        Line::new(format!("{label}: {last}"), known)
    }

    fn last_minutes(&self, one: &analysis::Trend) -> String {
        let last = one.minutes.iter().rev().flatten().next();
        last.map_or_else(|| "–".to_owned(), |minutes| self.page.minutes(minutes))
    }

    fn last_success(&self, one: &analysis::Trend) -> String {
        let last = one.success.iter().rev().flatten().next();
        last.map_or_else(|| "–".to_owned(), |share| self.page.percent(share))
    }

    fn heat(&self) -> Heat {
        let page = &self.page;
        let most = self.patterns.most.max(1);
        let rows = WEEKDAYS.iter().zip(1_i8..).map(|((_, es, en), day)| HeatRow {
            label: page.t(es, en).to_owned(),
            cells: self
                .patterns
                .cells
                .iter()
                .filter(|cell| cell.day == day)
                .map(|cell| {
                    let mean = cell.mean_minutes.map(|mean| format!(", {}", page.minutes(mean)));
                    HeatCell {
                        text: if cell.count == 0 { String::new() } else { self.count(cell.count) },
                        title: format!("{}{}", self.count(cell.count), mean.unwrap_or_default()),
                        level: u8::try_from((cell.count * 6).div_ceil(most)).unwrap_or(6).min(6),
                    }
                })
                .collect(),
        });
        Heat {
            label: page.t("Ejecuciones por día y hora", "Runs by day and hour").to_owned(),
            columns: (0..24).map(|hour| format!("{hour:02}")).collect(),
            rows: rows.collect(),
        }
    }

    fn moves_chart(&self) -> Bars {
        let page = &self.page;
        let bars = self.balancing.days.iter().map(|(day, moves)| Bar {
            label: day.get(5..).unwrap_or(day).to_owned(),
            value: moves.count as f64,
            text: self.count(moves.count),
            tone: Tone::Plain,
        });
        Bars::new(page.t("Movimientos por día", "Moves by day"), Unit::Count, bars.collect())
    }

    /// How ends became known: the word for people and how many.
    fn mechanisms(&self) -> Vec<(String, String)> {
        let told = self
            .callbacks
            .mechanisms
            .iter()
            .map(|(word, count)| (words::mechanism(&self.page, word), self.count(*count)));
        told.collect()
    }

    fn states(&self) -> Vec<(words::Sign, String, String)> {
        let told = self.success.states.iter().map(|one| {
            let sign = words::state_word(&self.page, one.state);
            (sign, self.count(one.count), self.percent(&one.percent))
        });
        told.collect()
    }

    fn periods(&self) -> [(&'static str, &'static str); 5] {
        let page = &self.page;
        [
            ("1", page.t("24 horas", "24 hours")),
            ("7", page.t("7 días", "7 days")),
            ("30", page.t("30 días", "30 days")),
            ("90", page.t("90 días", "90 days")),
            ("365", page.t("Un año", "A year")),
        ]
    }

    fn latency_of(&self, one: &Latency) -> String {
        one.robot.map_or_else(|| self.page.t("Todos", "All").to_owned(), |id| self.robot(id))
    }
}

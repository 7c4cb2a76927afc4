//! Runners over time as a drawing: what ran, what runs, what is to come.

use std::borrow::Borrow;

use askama::{Template, filters::HtmlSafe};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use web::Tone;

/// One line per runner between two instants, with the present marked.
#[derive(Template, Clone, Debug)]
#[template(path = "gantt.html")]
pub struct Gantt {
    pub label: String,
    pub rows: Vec<Row>,
    pub from: Timestamp,
    pub to: Timestamp,
    pub now: Timestamp,
    pub zone: TimeZone,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub href: String,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug)]
pub struct Bar {
    pub from: Timestamp,
    pub to: Timestamp,
    /// What it is, aloud and on the pointer.
    pub title: String,
    pub href: String,
    pub tone: Tone,
    /// A slot that is still to come.
    pub ahead: bool,
}

const LEFT: f64 = 150.0;
const RIGHT: f64 = 1_000.0;
const ROW: f64 = 26.0;
const HEAD: f64 = 22.0;
/// Narrower would not be seen.
const THIN: f64 = 3.0;

impl Gantt {
    fn x(&self, at: Timestamp) -> f64 {
        let whole = self.to.duration_since(self.from).as_secs_f64().max(1.0);
        let share = at.duration_since(self.from).as_secs_f64() / whole;
        LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    fn height(&self) -> f64 {
        HEAD + ROW * self.rows.len() as f64 + 4.0
    }

    fn at(&self, instant: impl Borrow<Timestamp>) -> String {
        format!("{:.1}", self.x(*instant.borrow()))
    }

    fn y(index: impl Borrow<usize>) -> String {
        format!("{:.1}", HEAD + ROW * *index.borrow() as f64)
    }

    fn bar_y(index: impl Borrow<usize>) -> String {
        format!("{:.1}", HEAD + ROW * *index.borrow() as f64 + 5.0)
    }

    fn text_y(index: impl Borrow<usize>) -> String {
        format!("{:.1}", HEAD + ROW * *index.borrow() as f64 + 17.0)
    }

    fn width(&self, bar: &Bar) -> String {
        format!("{:.1}", (self.x(bar.to) - self.x(bar.from)).max(THIN))
    }

    /// Whole hours of the wall clock, few enough to be read.
    fn hours(&self) -> Vec<(String, String)> {
        let span = self.to.duration_since(self.from).as_hours().max(1);
        let step = (span + 11) / 12;
        let start = self.from.as_second();
        let hour =
            |n: i64| Timestamp::from_second(start - start.rem_euclid(3_600) + n * 3_600).ok();
        (0..=span + 1)
            .filter_map(hour)
            .filter(|at| *at >= self.from && *at <= self.to)
            .map(|at| (at, at.to_zoned(self.zone.clone())))
            .filter(|(_, local)| i64::from(local.hour()) % step == 0)
            .map(|(at, local)| (self.at(at), local.strftime("%H:%M").to_string()))
            .collect()
    }

    /// What fits beside the drawing.
    fn short(name: &str) -> String {
        if name.chars().count() <= 20 {
            return name.to_owned();
        }
        name.chars().take(19).chain(['…']).collect()
    }

    /// As far back and ahead as a page of so many hours looks.
    pub fn around(now: Timestamp, hours: i64) -> (Timestamp, Timestamp) {
        let back = SignedDuration::from_mins(hours * 40);
        let ahead = SignedDuration::from_mins(hours * 20);
        let from = now.checked_sub(back).unwrap_or(Timestamp::MIN);
        (from, now.checked_add(ahead).unwrap_or(Timestamp::MAX))
    }
}

impl HtmlSafe for Gantt {}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-03-02T{text}Z").parse().unwrap()
    }

    #[test]
    fn what_lies_outside_is_drawn_at_the_edge() {
        let bar = |from: &str, to: &str| Bar {
            from: at(from),
            to: at(to),
            title: "<b>".to_owned(),
            href: String::new(),
            tone: Tone::Good,
            ahead: false,
        };
        let gantt = Gantt {
            label: "Equipos".to_owned(),
            rows: vec![Row {
                name: "R".repeat(30),
                href: "/sam/equipos/1".to_owned(),
                bars: vec![bar("06:00:00", "12:00:00"), bar("10:00:00", "10:00:01")],
            }],
            from: at("08:00:00"),
            to: at("14:00:00"),
            now: at("12:00:00"),
            zone: TimeZone::UTC,
        };
        assert_eq!(gantt.at(at("06:00:00")), "150.0");
        assert_eq!(gantt.at(at("23:00:00")), "1000.0");
        assert_eq!(gantt.width(&gantt.rows[0].bars[1]), "3.0");
        assert_eq!(gantt.hours().len(), 7);
        let html = gantt.render().unwrap();
        assert!(!html.contains("<b>") && html.contains('…'));
    }
}

//! Charts drawn on the server. Colours come from classes, so both themes and print work; every
//! chart carries its numbers in a table that is read aloud instead of the drawing.

use std::borrow::Borrow;
use std::fmt::Write;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::Tone;

/// Vertical bars: an hour of the day, a class of a histogram.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_bars.html")]
pub struct Bars {
    label: String,
    columns: Vec<Bar>,
    limit: Option<(f64, String)>,
    every: usize,
}

#[derive(Clone, Debug)]
pub struct Bar {
    /// Under the bar: `18`.
    pub label: String,
    pub value: f64,
    /// The value as people read it: `75 %`.
    pub text: String,
    pub tone: Tone,
}

/// The drawing's own units; the page scales it.
const WIDTH: f64 = 720.0;
const FLOOR: f64 = 194.0;
const CEILING: f64 = 14.0;

impl Bars {
    pub fn new(label: impl Into<String>, columns: Vec<Bar>) -> Self {
        let every = columns.len().div_ceil(24).max(1);
        Self { label: label.into(), columns, limit: None, every }
    }

    /// A line across the chart, for example the capacity.
    #[must_use]
    pub fn limit(mut self, value: f64, text: impl Into<String>) -> Self {
        self.limit = Some((value, text.into()));
        self
    }

    fn top(&self) -> f64 {
        let limit = self.limit.as_ref().map_or(0.0, |(value, _)| *value);
        self.columns.iter().map(|bar| bar.value).fold(limit, f64::max).max(f64::EPSILON)
    }

    fn step(&self) -> f64 {
        WIDTH / self.columns.len().max(1) as f64
    }

    fn x(&self, index: impl Borrow<usize>) -> String {
        round(*index.borrow() as f64 * self.step() + self.step() * 0.14)
    }

    fn middle(&self, index: impl Borrow<usize>) -> String {
        round((*index.borrow() as f64 + 0.5) * self.step())
    }

    fn width(&self) -> String {
        round(self.step() * 0.72)
    }

    fn y(&self, value: impl Borrow<f64>) -> String {
        round(FLOOR - self.rise(*value.borrow()))
    }

    fn height(&self, value: impl Borrow<f64>) -> String {
        round(self.rise(*value.borrow()))
    }

    fn rise(&self, value: f64) -> f64 {
        (value.max(0.0) / self.top()) * (FLOOR - CEILING)
    }
}

/// A small line of recent values, beside a number.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_line.html")]
pub struct Line {
    label: String,
    values: Vec<f64>,
}

impl Line {
    pub fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self { label: label.into(), values }
    }

    fn points(&self) -> String {
        let top = self.values.iter().copied().fold(f64::EPSILON, f64::max);
        let steps = self.values.len().saturating_sub(1).max(1) as f64;
        self.values.iter().enumerate().fold(String::new(), |mut points, (index, value)| {
            let (x, y) = (index as f64 / steps * 116.0 + 2.0, 26.0 - value.max(0.0) / top * 24.0);
            write!(points, "{},{} ", round(x), round(y)).expect("writing to a string cannot fail");
            points
        })
    }
}

/// Shares over a value from 0 to 1, several of them in one drawing, with the place that is looked
/// at marked.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_curves.html")]
pub struct Curves {
    pub label: String,
    /// What runs along the bottom.
    pub across: String,
    pub curves: Vec<Curve>,
    /// The share at the upper edge, and the words beside the five lines from the bottom up.
    pub top: f64,
    pub scale: [String; 5],
    pub mark: f64,
    pub mark_text: String,
}

/// One line of a chart. Where nothing is known there is no point.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub tone: Tone,
    /// Place from 0 to 1, share, and the share as people read it.
    pub points: Vec<(f64, f64, String)>,
}

impl Curves {
    const LEFT: f64 = 44.0;
    /// Narrower than bars: two of these stand side by side.
    const RIGHT: f64 = 472.0;

    fn across(value: impl Borrow<f64>) -> String {
        round(Self::LEFT + value.borrow().clamp(0.0, 1.0) * (Self::RIGHT - Self::LEFT))
    }

    fn up(&self, share: impl Borrow<f64>) -> String {
        let part = (share.borrow() / self.top.max(f64::EPSILON)).clamp(0.0, 1.0);
        round(FLOOR - part * (FLOOR - CEILING))
    }

    /// The height of one of the five lines.
    fn rung(&self, n: impl Borrow<usize>) -> String {
        self.up(self.top * *n.borrow() as f64 / 4.0)
    }

    fn line(&self, curve: &Curve) -> String {
        let place = |(x, y, _): &(f64, f64, String)| format!("{},{}", Self::across(x), self.up(*y));
        curve.points.iter().map(place).collect::<Vec<_>>().join(" ")
    }

    /// The marked place is named on the side where there is room.
    fn anchor(&self) -> &'static str {
        if self.mark > 0.6 { "end" } else { "start" }
    }
}

/// A table whose cells are shaded by amount: hours by days, minutes by devices.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_heat.html")]
pub struct Heat {
    pub label: String,
    pub columns: Vec<String>,
    pub rows: Vec<HeatRow>,
}

#[derive(Clone, Debug)]
pub struct HeatRow {
    pub label: String,
    pub cells: Vec<HeatCell>,
}

#[derive(Clone, Debug)]
pub struct HeatCell {
    pub text: String,
    pub title: String,
    /// 0 (nothing) to 6 (most).
    pub level: u8,
}

/// A horizontal measure of what is used, with the numbers beside it.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_meter.html")]
pub struct Meter {
    pub label: String,
    pub used: i64,
    pub limit: i64,
}

impl Meter {
    pub fn tone(&self) -> Tone {
        match (self.used, self.limit) {
            (used, limit) if used >= limit => Tone::Bad,
            (used, limit) if used * 4 >= limit * 3 => Tone::Warn,
            (_, _) => Tone::Good,
        }
    }

    fn filled(&self) -> String {
        let share = self.used as f64 / self.limit.max(1) as f64;
        round((share * 100.0).clamp(0.0, 100.0))
    }
}

impl HtmlSafe for Bars {}
impl HtmlSafe for Line {}
impl HtmlSafe for Curves {}
impl HtmlSafe for Heat {}
impl HtmlSafe for Meter {}

/// One decimal is below a pixel at any size we draw.
fn round(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64) -> Bar {
        Bar { label: label.into(), value, text: format!("{value}"), tone: Tone::Plain }
    }

    #[test]
    fn a_bar_chart_says_its_numbers_and_escapes_them() {
        let chart = Bars::new("Uso <b>", vec![bar("18", 4.0), bar("19", 8.0)]).limit(8.0, "8");
        let html = chart.render().unwrap();
        assert!(html.contains("<title>") && html.contains("<table"));
        assert!(!html.contains("<b>"));
        assert_eq!(chart.height(8.0), "180");
        assert_eq!(chart.y(0.0), "194");
    }

    #[test]
    fn empty_and_zero_charts_are_drawn() {
        for chart in [Bars::new("x", Vec::new()), Bars::new("x", vec![bar("0", 0.0)])] {
            let html = chart.render().unwrap();
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
        }
        assert!(!Line::new("x", vec![0.0]).points().contains("NaN"));
    }

    #[test]
    fn curves_stay_inside_and_say_their_numbers() {
        let points = vec![(0.0, 2.0, "200 %".to_owned()), (1.0, f64::NAN, "–".to_owned())];
        let curve = Curve { name: "a <b>".into(), tone: Tone::Bad, points };
        let (label, across) = ("x".to_owned(), "y".to_owned());
        let scale = ["0", "25", "50", "75", "100"].map(str::to_owned);
        let (curves, mark_text) = (vec![curve], "0,8".to_owned());
        let chart = Curves { label, across, curves, top: 1.0, scale, mark: 0.8, mark_text };
        assert_eq!(chart.line(&chart.curves[0]).split(' ').next(), Some("44,14"));
        assert_eq!((chart.rung(0_usize), chart.rung(4_usize)), ("194".to_owned(), "14".to_owned()));
        let html = chart.render().unwrap();
        assert!(html.contains("200 %") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn a_meter_turns_amber_at_three_quarters_and_red_when_full() {
        let meter = |used| Meter { label: String::new(), used, limit: 8 };
        assert_eq!(meter(5).tone(), Tone::Good);
        assert_eq!(meter(6).tone(), Tone::Warn);
        assert_eq!(meter(8).tone(), Tone::Bad);
        assert_eq!(meter(9).filled(), "100");
        assert_eq!(Meter { label: String::new(), used: 0, limit: 0 }.tone(), Tone::Bad);
    }
}

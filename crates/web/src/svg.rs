//! Charts drawn on the server. Colours come from classes, so both themes and print work; every
//! chart has an axis with its unit, tells each value on hover and by the arrow keys (`charts.js`), and
//! carries its numbers in a table that is read aloud instead of the drawing.

mod scale;

use std::borrow::Borrow;
use std::fmt::Write;

use askama::Template;
use askama::filters::HtmlSafe;

use scale::Scale;
pub use scale::Unit;

use crate::Tone;

/// The drawing's own units; the page scales it.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 46.0;
const FLOOR: f64 = 194.0;
const CEILING: f64 = 14.0;
/// So many columns without a value do not break a line.
const SHORT_GAP: usize = 2;

/// Vertical bars: an hour of the day, a class of a histogram.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_bars.html")]
pub struct Bars {
    label: String,
    columns: Vec<Bar>,
    limit: Option<(f64, String)>,
    every: usize,
    scale: Scale,
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

impl Bars {
    pub fn new(label: impl Into<String>, unit: Unit, columns: Vec<Bar>) -> Self {
        let longest = columns.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
        let scale = Scale::of(unit, columns.iter().map(|bar| bar.value));
        let every = scale::every(columns.len(), longest);
        Self { label: label.into(), columns, limit: None, every, scale }
    }

    /// A line across the chart, for example the capacity.
    #[must_use]
    pub fn limit(mut self, value: f64, text: impl Into<String>) -> Self {
        let values = self.columns.iter().map(|bar| bar.value).chain([value]);
        self.scale = Scale::of(self.scale.unit, values);
        self.limit = Some((value, text.into()));
        self
    }

    fn step(&self) -> f64 {
        (WIDTH - LEFT) / self.columns.len().max(1) as f64
    }

    /// The whole place of a column, for whoever points at it.
    fn edge(&self, index: impl Borrow<usize>) -> String {
        round(LEFT + *index.borrow() as f64 * self.step())
    }

    fn x(&self, index: impl Borrow<usize>) -> String {
        round(LEFT + *index.borrow() as f64 * self.step() + self.step() * 0.14)
    }

    fn middle(&self, index: impl Borrow<usize>) -> String {
        round(LEFT + (*index.borrow() as f64 + 0.5) * self.step())
    }

    fn area(&self) -> String {
        round(self.step())
    }

    fn width(&self) -> String {
        round(self.step() * 0.72)
    }

    fn y(&self, value: impl Borrow<f64>) -> String {
        round(self.scale.y(*value.borrow()))
    }

    fn height(&self, value: impl Borrow<f64>) -> String {
        round(FLOOR - self.scale.y(*value.borrow()))
    }
}

/// Lines over time: one place for each label, several lines in one drawing.
#[derive(Template, Clone, Debug)]
#[template(path = "chart_trend.html")]
pub struct Trend {
    label: String,
    columns: Vec<String>,
    lines: Vec<TrendLine>,
    every: usize,
    scale: Scale,
}

/// One line of a [`Trend`]: for each column the value and how people read it. Where nothing is known
/// the line has a gap.
#[derive(Clone, Debug)]
pub struct TrendLine {
    pub name: String,
    pub points: Vec<Option<(f64, String)>>,
}

impl Trend {
    pub fn new(
        label: impl Into<String>,
        unit: Unit,
        columns: Vec<String>,
        lines: Vec<TrendLine>,
    ) -> Self {
        let known = lines.iter().flat_map(|line| &line.points).flatten().map(|(value, _)| *value);
        let scale = Scale::of(unit, known);
        let longest = columns.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let every = scale::every(columns.len(), longest);
        Self { label: label.into(), columns, lines, every, scale }
    }

    fn step(&self) -> f64 {
        (WIDTH - LEFT) / self.columns.len().max(1) as f64
    }

    fn edge(&self, index: impl Borrow<usize>) -> String {
        round(LEFT + *index.borrow() as f64 * self.step())
    }

    fn area(&self) -> String {
        round(self.step())
    }

    fn middle(&self, index: impl Borrow<usize>) -> String {
        round(LEFT + (*index.borrow() as f64 + 0.5) * self.step())
    }

    fn y(&self, value: impl Borrow<f64>) -> String {
        round(self.scale.y(*value.borrow()))
    }

    /// The line as pieces between what is not known; over a short gap it goes on.
    fn pieces(&self, line: &TrendLine) -> Vec<String> {
        let (mut pieces, mut unknown) = (vec![String::new()], 0);
        for (index, point) in line.points.iter().enumerate() {
            let Some((value, _)) = point else {
                unknown += 1;
                continue;
            };
            if std::mem::take(&mut unknown) > SHORT_GAP {
                pieces.push(String::new());
            }
            if let Some(piece) = pieces.last_mut() {
                let _ = write!(piece, "{},{} ", self.middle(index), self.y(value));
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// What whoever points at a column is told.
    fn told(&self, index: impl Borrow<usize>) -> String {
        let index = *index.borrow();
        let one = |line: &TrendLine| {
            let text = line.points.get(index)?.as_ref().map_or("–", |(_, text)| text.as_str());
            Some(if self.lines.len() > 1 { format!("{} {text}", line.name) } else { text.into() })
        };
        let values: Vec<String> = self.lines.iter().filter_map(one).collect();
        format!("{}: {}", self.columns[index], values.join(" · "))
    }
}

impl Trend {
    /// The numbers, for those who listen: a row for each column.
    fn rows<'a>(&'a self) -> Vec<(&'a str, Vec<&'a str>)> {
        let cells = |index: usize| {
            let text = |line: &'a TrendLine| {
                let point = line.points.get(index).and_then(Option::as_ref);
                point.map_or("–", |(_, text)| text.as_str())
            };
            self.lines.iter().map(text).collect()
        };
        let columns = self.columns.iter().enumerate();
        columns.map(|(index, label)| (label.as_str(), cells(index))).collect()
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
    /// The label says what the drawing shows, its last and its highest value too.
    pub fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self { label: label.into(), values }
    }

    fn points(&self) -> String {
        let top = self.values.iter().copied().fold(f64::EPSILON, f64::max);
        let steps = self.values.len().saturating_sub(1).max(1) as f64;
        self.values.iter().enumerate().fold(String::new(), |mut points, (index, value)| {
            let (x, y) = (index as f64 / steps * 116.0 + 2.0, 26.0 - value.max(0.0) / top * 24.0);
            let _ = write!(points, "{},{} ", round(x), round(y));
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
    /// The words below the six places from 0 to 1.
    pub ticks: [String; 6],
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
impl HtmlSafe for Trend {}
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
        let bars = vec![bar("18", 4.0), bar("19", 8.0)];
        let chart = Bars::new("Uso <b>", Unit::Count, bars).limit(8.0, "8");
        let html = chart.render().unwrap();
        assert!(html.contains("data-told=\"19: 8\"") && html.contains("<table"));
        assert!(!html.contains("<b>"));
        assert_eq!(chart.height(8.0), "180");
        assert_eq!((chart.y(0.0), chart.height(0.0)), ("194".to_owned(), "0".to_owned()));
    }

    #[test]
    fn empty_and_zero_charts_are_drawn() {
        for bars in [Vec::new(), vec![bar("0", 0.0)]] {
            let html = Bars::new("x", Unit::Share, bars).render().unwrap();
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
        }
        assert!(!Line::new("x", vec![0.0]).points().contains("NaN"));
    }

    #[test]
    fn a_trend_has_gaps_where_nothing_is_known_and_tells_every_line() {
        let point = |value: f64| Some((value, format!("{value} %")));
        let line = |name: &str, points| TrendLine { name: name.into(), points };
        let lines = vec![
            line("a", vec![point(1.0), None, point(3.0), None, None, None, point(4.0)]),
            line("b", vec![None, None, point(2.0), None, None, None, None]),
        ];
        let columns = ["lu", "ma", "mi", "ju", "vi", "sa", "do"].map(str::to_owned).to_vec();
        let trend = Trend::new("x", Unit::Of("min"), columns, lines);
        assert_eq!(trend.pieces(&trend.lines[0]).len(), 2);
        assert_eq!(trend.told(2_usize), "mi: a 3 % · b 2 %");
        assert_eq!(trend.told(1_usize), "ma: a – · b –");
        assert!(trend.render().unwrap().contains("<td>2 %</td>"));
        let empty = Trend::new("x", Unit::From("dBm"), Vec::new(), Vec::new()).render().unwrap();
        assert!(!empty.contains("NaN"));
    }

    #[test]
    fn curves_stay_inside_and_say_their_numbers() {
        let points = vec![(0.0, 2.0, "200 %".to_owned()), (1.0, f64::NAN, "–".to_owned())];
        let curve = Curve { name: "a <b>".into(), tone: Tone::Bad, points };
        let (label, across) = ("x".to_owned(), "y".to_owned());
        let scale = ["0", "25", "50", "75", "100"].map(str::to_owned);
        let ticks = ["0", "0,2", "0,4", "0,6", "0,8", "1"].map(str::to_owned);
        let (curves, mark_text) = (vec![curve], "0,8".to_owned());
        let chart = Curves { label, across, curves, top: 1.0, scale, ticks, mark: 0.8, mark_text };
        assert_eq!(chart.line(&chart.curves[0]).split(' ').next(), Some("44,14"));
        assert_eq!((chart.rung(0_usize), chart.rung(4_usize)), ("194".to_owned(), "14".to_owned()));
        let html = chart.render().unwrap();
        assert!(html.contains("200 %") && !html.contains("<b>"), "{html}");
        assert!(html.contains(">0,2<") && !html.contains(">0.2<"), "{html}");
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

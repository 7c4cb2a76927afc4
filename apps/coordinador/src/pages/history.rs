//! Charts of one OLT over time, from what its runs kept: how many ONUs were there, and what they
//! measured.

use jiff::Timestamp;
use serde_json::Value as Json;
use web::{
    Page, Spans,
    svg::{Trend, TrendLine, Unit},
};

/// What the runs of one node brought, each with its time.
pub(crate) type Told = Vec<(Timestamp, Json)>;

/// One point for each part of the period: the mean of what a field said.
fn points(
    page: &Page,
    spans: &Spans,
    told: &Told,
    field: &str,
    (factor, decimals): (f64, usize),
) -> Vec<Option<(f64, String)>> {
    let mut sums = vec![(0_u32, 0.0_f64); spans.len()];
    for (at, summary) in told {
        if let (Some(part), Some(value)) = (spans.of(*at), summary[field].as_f64()) {
            sums[part].0 += 1;
            sums[part].1 += value * factor;
        }
    }
    let mean = |(count, sum): (u32, f64)| {
        let value = (count > 0).then(|| sum / f64::from(count))?;
        Some((value, page.decimal(value, decimals)))
    };
    sums.into_iter().map(mean).collect()
}

fn is_empty(lines: &[TrendLine]) -> bool {
    lines.iter().all(|line| line.points.iter().all(Option::is_none))
}

/// How many ONUs were active and inactive at each walk. None: nothing was walked.
pub(crate) fn presence(page: &Page, spans: &Spans, told: &Told) -> Option<Trend> {
    let line = |name: &str, field| TrendLine {
        name: name.to_owned(),
        points: points(page, spans, told, field, (1.0, 0)),
    };
    let lines = vec![
        line(page.t("Activas", "Active"), "enabled_count"),
        line(page.t("Inactivas", "Inactive"), "disabled_count"),
    ];
    let label = page.t("ONU a lo largo del tiempo", "ONUs over time");
    (!is_empty(&lines)).then(|| Trend::new(label, Unit::Count, spans.labels(&page.zone), lines))
}

/// The least, the mean and the most of what a node read. None: nothing, or no numbers.
pub(crate) fn measured(
    page: &Page,
    spans: &Spans,
    name: &str,
    unit: Option<&'static str>,
    told: &Told,
) -> Option<Trend> {
    // The unit as people know it.
    let (unit, factor, decimals) = match unit {
        Some("0.01 dBm") => (Unit::From("dBm"), 0.01, 1),
        Some(unit) => (Unit::Of(unit), 1.0, 0),
        None => (Unit::Of(""), 1.0, 0),
    };
    let line = |name: &str, field| TrendLine {
        name: name.to_owned(),
        points: points(page, spans, told, field, (factor, decimals)),
    };
    let lines = vec![
        line(page.t("Media", "Mean"), "mean_value"),
        line(page.t("Mínimo", "Least"), "least_value"),
        line(page.t("Máximo", "Most"), "most_value"),
    ];
    (!is_empty(&lines)).then(|| Trend::new(name, unit, spans.labels(&page.zone), lines))
}

//! Charts of one OLT over time, from what its runs kept: how many ONUs were there, and what they
//! measured.

use jiff::Timestamp;
use serde_json::Value as Json;
use web::{
    Page, Spans,
    svg::{Trend, TrendLine, Unit},
};

use crate::rules::unit::{self, Scale};

/// What the runs of one node brought, each with its time.
pub(crate) type Told = Vec<(Timestamp, Json)>;

/// One point for each part of the period: the mean of what a field said.
fn points(
    page: &Page,
    spans: &Spans,
    told: &Told,
    field: &str,
    scale: Option<&Scale>,
) -> Vec<Option<(f64, String)>> {
    let mut sums = vec![(0_u32, 0.0_f64); spans.len()];
    for (at, summary) in told {
        let value = summary[field].as_f64();
        // Runs from before such numbers were left out have them in their summaries.
        let value = value.filter(|value| scale.is_none_or(|scale| scale.is_possible(*value)));
        if let (Some(part), Some(value)) = (spans.of(*at), value) {
            sums[part].0 += 1;
            sums[part].1 += scale.map_or(value, |scale| scale.measured(value));
        }
    }
    let mean = |(count, sum): (u32, f64)| {
        let value = (count > 0).then(|| sum / f64::from(count))?;
        Some((value, page.decimal(value, scale.map_or(0, |scale| scale.decimals))))
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
        points: points(page, spans, told, field, None),
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
    let scale = unit.and_then(unit::scale);
    let shown = match &scale {
        Some(Scale { unit: "dBm", .. }) => Unit::From("dBm"),
        Some(scale) => Unit::Of(scale.unit),
        None => Unit::Of(unit.unwrap_or_default()),
    };
    let line = |name: &str, field| TrendLine {
        name: name.to_owned(),
        points: points(page, spans, told, field, scale.as_ref()),
    };
    let lines = vec![
        line(page.t("Media", "Mean"), "mean_value"),
        line(page.t("Mínimo", "Least"), "least_value"),
        line(page.t("Máximo", "Most"), "most_value"),
    ];
    (!is_empty(&lines)).then(|| Trend::new(name, shown, spans.labels(&page.zone), lines))
}

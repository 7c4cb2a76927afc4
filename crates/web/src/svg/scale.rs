//! The numbers beside a chart: where they stand and how far they go.

use super::{CEILING, FLOOR, round};

/// What the numbers of a chart are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A part of a whole, 0 to 1, said in percent; the axis always reaches 100 %.
    Share,
    /// How many.
    Count,
    /// How much, in `min` or whatever is written beside the highest number.
    Of(&'static str),
    /// The same where zero means nothing, as in `dBm`: the axis begins near the lowest value.
    From(&'static str),
}

/// How values become heights.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) unit: Unit,
    bottom: f64,
    step: f64,
    steps: u32,
}

impl Scale {
    pub(super) fn of(unit: Unit, values: impl Iterator<Item = f64> + Clone) -> Self {
        let known = values.filter(|value| value.is_finite());
        let most = known.clone().fold(f64::NEG_INFINITY, f64::max);
        let least = known.fold(f64::INFINITY, f64::min);
        let (bottom, top) = match unit {
            Unit::From(_) if least.is_finite() => {
                (least.floor(), most.ceil().max(least.floor() + 1.0))
            }
            Unit::Share | Unit::Count | Unit::Of(_) | Unit::From(_) => (0.0, most.max(1.0)),
        };
        let step = match unit {
            Unit::Share => 0.25 * top.ceil(),
            Unit::Count | Unit::Of(_) | Unit::From(_) => nice((top - bottom) / 4.0),
        };
        let bottom = (bottom / step).floor() * step;
        let steps = (((top - bottom) / step) - 1e-9).ceil().max(1.0) as u32;
        Self { unit, bottom, step, steps }
    }

    /// The height of a value in the drawing.
    pub(super) fn y(&self, value: f64) -> f64 {
        let value = if value.is_finite() { value } else { self.bottom };
        let part = ((value - self.bottom) / (self.step * f64::from(self.steps))).clamp(0.0, 1.0);
        FLOOR - part * (FLOOR - CEILING)
    }

    /// Height and text of each line across, from the bottom up.
    pub(super) fn rungs(&self) -> Vec<(String, String)> {
        let rung = |n: u32| {
            let value = self.bottom + self.step * f64::from(n);
            let text = match self.unit {
                Unit::Share => format!("{}\u{a0}%", round(value * 100.0)),
                Unit::Of(unit) | Unit::From(unit) if n == self.steps => {
                    format!("{}\u{a0}{unit}", round(value))
                }
                Unit::Count | Unit::Of(_) | Unit::From(_) => round(value),
            };
            (round(self.y(value)), text.replace('-', "−"))
        };
        (0..=self.steps).map(rung).collect()
    }
}

/// The least of 1, 2, 5, 10, 20, 50 … that is not smaller: a whole number.
fn nice(least: f64) -> f64 {
    let mut step = 1.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if step >= least || step > 1e15 {
            break;
        }
        step *= factor;
    }
    step
}

/// Every which label is written, so that they stand apart.
pub(super) fn every(columns: usize, longest: usize) -> usize {
    // About 7 units a character, and a gap.
    let most = (674 / (longest.max(2) * 7 + 10)).max(1);
    columns.div_ceil(most).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(unit: Unit, values: &[f64]) -> Vec<String> {
        let rungs = Scale::of(unit, values.iter().copied()).rungs();
        rungs.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn an_axis_has_whole_numbers_its_unit_and_the_whole_of_a_share() {
        let percent = |n: u32| format!("{n}\u{a0}%");
        assert_eq!(texts(Unit::Share, &[0.05]), [0, 25, 50, 75, 100].map(percent));
        assert_eq!(texts(Unit::Share, &[]), [0, 25, 50, 75, 100].map(percent));
        assert_eq!(texts(Unit::Share, &[1.2]), [0, 50, 100, 150].map(percent));
        assert_eq!(texts(Unit::Count, &[]), ["0", "1"]);
        assert_eq!(texts(Unit::Count, &[7.0, 3.0]), ["0", "2", "4", "6", "8"]);
        assert_eq!(texts(Unit::Of("min"), &[37.0]), ["0", "10", "20", "30", "40\u{a0}min"]);
        assert_eq!(
            texts(Unit::From("dBm"), &[-26.5, -15.0]),
            ["−30", "−25", "−20", "−15\u{a0}dBm"]
        );
    }

    #[test]
    fn nothing_is_no_height_and_what_is_no_number_neither() {
        for unit in [Unit::Share, Unit::Count, Unit::Of("s")] {
            let scale = Scale::of(unit, [0.0, f64::NAN].into_iter());
            assert_eq!(
                (round(scale.y(0.0)), round(scale.y(f64::NAN))),
                ("194".into(), "194".into())
            );
        }
        let scale = Scale::of(Unit::Count, [8.0].into_iter());
        assert_eq!(round(scale.y(8.0)), "14");
    }

    #[test]
    fn labels_stand_apart() {
        assert_eq!((every(24, 2), every(60, 5), every(0, 0)), (1, 5, 1));
    }
}

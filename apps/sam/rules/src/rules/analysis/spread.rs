//! How values lie: least, mean, median, most.

use serde::Serialize;

use super::rounded;

/// How values lie, in their own unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    #[serde(rename = "cantidad")]
    pub count: usize,
    #[serde(rename = "minimo")]
    pub least: f64,
    #[serde(rename = "promedio")]
    pub mean: f64,
    #[serde(rename = "p50")]
    pub median: f64,
    pub p90: f64,
    #[serde(rename = "maximo")]
    pub most: f64,
    /// Of a sample; 0 of a single value.
    #[serde(rename = "desviacion")]
    pub deviation: f64,
}

impl Spread {
    /// None of no values; what is not a number is left out.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let mean = mean(&sorted)?;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (sorted.len() - 1).max(1) as f64).sqrt();
        Some(Self {
            count: sorted.len(),
            least: rounded(least),
            mean: rounded(mean),
            median: rounded(at(&sorted, 0.5)),
            p90: rounded(at(&sorted, 0.9)),
            most: rounded(most),
            deviation: rounded(deviation),
        })
    }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Between neighbours by their distance.
fn at(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let low = sorted[place.floor() as usize];
    let high = sorted[place.ceil() as usize];
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_of_few_values() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0, f64::NAN]).unwrap();
        let expected = Spread {
            count: 4,
            least: 1.0,
            mean: 2.5,
            median: 2.5,
            p90: 3.7,
            most: 4.0,
            deviation: 1.29,
        };
        assert_eq!(spread, expected);
        assert_eq!(Spread::of([7.0]).map(|one| (one.deviation, one.p90)), Some((0.0, 7.0)));
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([f64::INFINITY]), None);
    }
}

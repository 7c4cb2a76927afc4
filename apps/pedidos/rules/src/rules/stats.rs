//! Median, percentile and mean.

/// The value below which `percent` of the values lie, between neighbours by their distance. None
/// of no values; values that are not numbers are left out.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = percent.clamp(0.0, 100.0) / 100.0 * last as f64;
    let (below, share) = (at.floor(), at.fract());
    let low = sorted[below as usize];
    let high = sorted[(below as usize + 1).min(last)];
    Some(low + (high - low) * share)
}

pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50.0)
}

pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-9)
    }

    #[test]
    fn percentiles_lie_between_neighbours() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert!(close(median(&values), 2.5));
        assert!(close(percentile(&values, 0.0), 1.0));
        assert!(close(percentile(&values, 100.0), 4.0));
        assert!(close(percentile(&values, 90.0), 3.7));
        assert!(close(mean(&values), 2.5));
        assert_eq!((median(&[]), mean(&[]), median(&[f64::NAN])), (None, None, None));
    }

    proptest! {
        #[test]
        fn one_absurd_value_hardly_moves_the_median(
            values in prop::collection::vec(10.0_f64..20.0, 5..40),
        ) {
            let mut spoiled = values.clone();
            spoiled.push(1e9);
            let moved = median(&spoiled).unwrap();
            prop_assert!((10.0..=20.0).contains(&moved));
        }
    }
}

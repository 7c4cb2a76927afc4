//! From what speaks for a value to how far it may be trusted.
//!
//! A logistic model per family of fields. The fit counts a wrong value [`ERROR_WEIGHT`] times a
//! right one, because a wrong value that nobody looks at costs that much more than a look: at the
//! usual threshold of 0.75 the odds of being right are `3 × ERROR_WEIGHT` to one.

use serde::{Deserialize, Serialize};

use super::reading::Signs;

/// How many looks one unseen error is worth.
pub const ERROR_WEIGHT: f64 = 20.0;
/// Numbers a confidence is made of.
pub const FEATURES: usize = 8;

/// Fields whose values go wrong in the same ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Amount,
    Day,
    Code,
    Party,
    Words,
    /// Values with check digits or from a closed list.
    Checked,
}

/// What is known about one extracted value, for fitting and for looking at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub field: String,
    pub family: Family,
    pub features: [f32; FEATURES],
    pub normalised: String,
}

/// What each feature is worth before any document was seen.
const PRIOR: [f64; FEATURES] = [-4.0, 2.0, 1.0, 0.8, 1.5, 1.5, -1.8, 0.5];

/// What `quality fit 120` printed. Bias, label, margin, legibility, certainty, support, against,
/// much support.
const WEIGHTS: [(Family, [f32; FEATURES]); 6] = [
    (Family::Amount, [-6.27, 3.32, 1.28, 0.77, 1.55, 2.92, -1.37, 0.73]),
    (Family::Day, [-4.53, 1.88, 2.20, 0.45, 1.42, 0.00, -1.86, 0.98]),
    (Family::Code, [-7.43, 5.18, 0.00, 0.65, 3.41, 1.85, -1.82, 0.51]),
    (Family::Party, [-6.92, 1.60, 1.05, 0.37, 2.23, 2.44, -2.94, 0.93]),
    (Family::Words, [-6.65, 1.28, 1.23, 0.42, 3.97, 0.00, -1.68, 1.69]),
    (Family::Checked, [-6.44, 3.45, 1.47, 0.33, 1.66, 2.05, -1.46, 1.02]),
];

/// The features of a value that beats the next one by `margin`.
pub(super) fn features(signs: &Signs, margin: f32) -> [f32; FEATURES] {
    [
        1.0,
        signs.label.clamp(0.0, 1.2),
        margin.clamp(-2.0, 2.0),
        legibility(signs.legible),
        signs.certainty.clamp(0.0, 1.0),
        signs.support.clamp(0.0, 1.0),
        signs.against.clamp(0.0, 2.0),
        (signs.support - 1.0).clamp(0.0, 1.5),
    ]
}

/// Readers of pictures are nearly always sure; what tells is by how many nines. Print is in a class
/// of its own.
fn legibility(legible: f32) -> f32 {
    let nines = -(1.0 - legible).max(1e-6).log10();
    if nines > 5.0 { 4.0 } else { (nines - 3.0).clamp(-2.0, 1.0) }
}

pub(super) fn confidence(family: Family, features: &[f32; FEATURES]) -> f32 {
    let weights = WEIGHTS.iter().find(|(of, _)| *of == family).map(|(_, weights)| weights);
    let sum: f32 = weights.into_iter().flatten().zip(features).map(|(w, x)| w * x).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Fits the weights of a family to values known to be right or wrong: gradient descent on the
/// weighted log loss, held by [`PRIOR`] so that few cases, or a feature that never varies, do not
/// turn its meaning around.
pub fn fit(seen: &[([f32; FEATURES], bool)]) -> [f64; FEATURES] {
    const ROUNDS: usize = 3_000;
    const HOLD: f64 = 0.004;
    let mut weights = PRIOR;
    let total: f64 = seen.iter().map(|(_, right)| if *right { 1.0 } else { ERROR_WEIGHT }).sum();
    for round in 0..ROUNDS {
        let mut slope = [0.0; FEATURES];
        for (features, right) in seen {
            let sum: f64 = weights.iter().zip(features).map(|(w, x)| w * f64::from(*x)).sum();
            let shown = 1.0 / (1.0 + (-sum).exp());
            let (truth, weight) = if *right { (1.0, 1.0) } else { (0.0, ERROR_WEIGHT) };
            for (slope, x) in slope.iter_mut().zip(features) {
                *slope += weight * (truth - shown) * f64::from(*x);
            }
        }
        let rate = if round < ROUNDS / 2 { 0.5 } else { 0.2 };
        for (at, (weight, slope)) in weights.iter_mut().zip(slope).enumerate() {
            let hold = if at == 0 { 0.0 } else { HOLD * (*weight - PRIOR[at]) };
            *weight += rate * (slope / total.max(1.0) - hold);
            // No fit may turn what speaks for a value into what speaks against it.
            if at > 0 && (*weight > 0.0) != (PRIOR[at] > 0.0) {
                *weight = 0.0;
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_shows_errors_as_doubt() {
        let case = |label: f32, right| ([1.0, label, 1.0, 0.5, 1.0, 0.0, 0.0, 0.0], right);
        let mut seen = vec![case(1.0, true); 300];
        seen.extend(vec![case(0.2, true); 10]);
        seen.extend(vec![case(0.2, false); 10]);
        let weights = fit(&seen);
        let shown = |label: f32| {
            let (features, _) = case(label, true);
            let sum: f64 = weights.iter().zip(features).map(|(w, x)| w * f64::from(x)).sum();
            1.0 / (1.0 + (-sum).exp())
        };
        assert!(shown(1.0) > 0.9, "{}", shown(1.0));
        assert!(shown(0.2) < 0.4, "{}", shown(0.2));
    }

    #[test]
    fn more_evidence_never_lowers_confidence() {
        let weak = Signs { label: 0.5, certainty: 0.8, legible: 0.9, support: 0.0, against: 0.5 };
        let strong = Signs { label: 1.0, certainty: 1.0, legible: 1.0, support: 2.0, against: 0.0 };
        for (family, _) in WEIGHTS {
            let shown = |signs, margin| confidence(family, &features(signs, margin));
            assert!(shown(&strong, 1.0) > shown(&weak, 1.0));
            assert!(shown(&strong, 1.0) >= shown(&strong, 0.0));
        }
    }
}

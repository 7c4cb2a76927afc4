//! From what speaks for a value to how far it may be trusted.
//!
//! A logistic model per family of fields. The fit counts a wrong value [`ERROR_WEIGHT`] times a
//! right one, because a wrong value that nobody looks at costs that much more than a look: at the
//! usual threshold of 0.75 the odds of being right are `3 × ERROR_WEIGHT` to one.

use std::{fmt, sync::LazyLock};

use serde::{Deserialize, Serialize};

pub use super::party::TRAITS;
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

impl Family {
    pub const ALL: [Self; 6] =
        [Self::Amount, Self::Day, Self::Code, Self::Party, Self::Words, Self::Checked];
}

/// A name that may be an issuer's, for fitting.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    pub field: String,
    pub name: String,
    pub traits: [f32; TRAITS],
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

/// The numbers that training gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// How each trait of a name speaks for its being the issuer's, in log odds.
    pub issuer: [f32; TRAITS],
    /// Bias, label, margin, legibility, certainty, support, against, much support.
    pub families: [[f32; FEATURES]; 6],
}

impl Weights {
    /// Those inside the binary.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Weights> = LazyLock::new(|| {
            Weights::parse(include_str!("../../model/fields.txt"))
                .expect("the weights in the binary are compared by a test")
        });
        &SHIPPED
    }

    /// Reads what `Display` writes: a line for the issuer and one for each family.
    pub fn parse(text: &str) -> Option<Self> {
        let line = |name: &str| -> Option<Vec<f32>> {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().map(|number| number.parse().ok()).collect()
        };
        let mut families = [[0.0; FEATURES]; 6];
        for (family, weights) in Family::ALL.iter().zip(&mut families) {
            *weights = line(&format!("{family:?}"))?.try_into().ok()?;
        }
        Some(Self { issuer: line("Issuer")?.try_into().ok()?, families })
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, weights: &[f32]| {
            write!(f, "{name}:")?;
            weights.iter().try_for_each(|weight| write!(f, " {weight:.2}"))?;
            writeln!(f)
        };
        line("Issuer", &self.issuer)?;
        let mut families = Family::ALL.iter().zip(&self.families);
        families.try_for_each(|(family, weights)| line(&format!("{family:?}"), weights))
    }
}

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

pub(super) fn confidence(weights: &Weights, family: Family, features: &[f32; FEATURES]) -> f32 {
    let weights = &weights.families[family as usize];
    let sum: f32 = weights.iter().zip(features).map(|(w, x)| w * x).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// What each trait is worth before any document was seen: see the traits' order in `party`.
const TRAIT_PRIOR: [f64; TRAITS] = [
    -3.0, 1.6, 0.7, 0.5, 0.8, 0.5, 0.8, 1.0, 1.5, 1.0, -2.5, -1.2, -1.5, -0.6, -0.8, 2.5, -0.5,
    1.5, -0.8, 0.5, 0.5, -0.5, 0.8, -1.0, -1.2, 0.5,
];

/// Fits the ranking of names to documents whose issuer is known.
pub fn fit_issuer(seen: &[([f32; TRAITS], bool)]) -> [f64; TRAITS] {
    descend(seen, TRAIT_PRIOR, 1.0, 1_200, |_, _| {})
}

/// Gradient descent on the log loss, a wrong one counted `error` times, held by where it began.
fn descend<const N: usize>(
    seen: &[([f32; N], bool)],
    prior: [f64; N],
    error: f64,
    rounds: usize,
    bound: impl Fn(usize, &mut f64),
) -> [f64; N] {
    const HOLD: f64 = 0.004;
    let mut weights = prior;
    let total: f64 = seen.iter().map(|(_, right)| if *right { 1.0 } else { error }).sum();
    for round in 0..rounds {
        let mut slope = [0.0; N];
        for (features, right) in seen {
            let sum: f64 = weights.iter().zip(features).map(|(w, x)| w * f64::from(*x)).sum();
            let shown = 1.0 / (1.0 + (-sum).exp());
            let (truth, weight) = if *right { (1.0, 1.0) } else { (0.0, error) };
            for (slope, x) in slope.iter_mut().zip(features) {
                *slope += weight * (truth - shown) * f64::from(*x);
            }
        }
        let rate = if round < rounds / 2 { 0.5 } else { 0.2 };
        for (at, (weight, slope)) in weights.iter_mut().zip(slope).enumerate() {
            let hold = if at == 0 { 0.0 } else { HOLD * (*weight - prior[at]) };
            *weight += rate * (slope / total.max(1.0) - hold);
            bound(at, weight);
        }
    }
    weights
}

/// Fits the weights of a family to values known to be right or wrong: gradient descent on the
/// weighted log loss, held by [`PRIOR`] so that few cases, or a feature that never varies, do not
/// turn its meaning around.
pub fn fit(seen: &[([f32; FEATURES], bool)]) -> [f64; FEATURES] {
    // No fit may turn what speaks for a value into what speaks against it.
    descend(seen, PRIOR, ERROR_WEIGHT, 3_000, |at, weight| {
        if at > 0 && (*weight > 0.0) != (PRIOR[at] > 0.0) {
            *weight = 0.0;
        }
    })
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
    fn weights_are_read_as_they_are_written() {
        let shipped = Weights::shipped();
        assert_eq!(Weights::parse(&shipped.to_string()).as_ref(), Some(shipped));
        assert_eq!(Weights::parse("Issuer: 1 2\n"), None);
    }

    #[test]
    fn more_evidence_never_lowers_confidence() {
        let weak = Signs { label: 0.5, certainty: 0.8, legible: 0.9, support: 0.0, against: 0.5 };
        let strong = Signs { label: 1.0, certainty: 1.0, legible: 1.0, support: 2.0, against: 0.0 };
        for family in Family::ALL {
            let weights = Weights::shipped();
            let shown = |signs, margin| confidence(weights, family, &features(signs, margin));
            assert!(shown(&strong, 1.0) > shown(&weak, 1.0));
            assert!(shown(&strong, 1.0) >= shown(&strong, 0.0));
        }
    }
}

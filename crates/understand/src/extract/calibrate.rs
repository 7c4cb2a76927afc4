//! From what speaks for a value to how far it may be trusted.
//!
//! A logistic model per family of fields, and small trees that correct it where features act
//! together. The fit counts a wrong value [`ERROR_WEIGHT`] times a right one, because a wrong value
//! that nobody looks at costs that much more than a look: at the usual threshold of 0.75 the odds of
//! being right are `3 × ERROR_WEIGHT` to one.

use std::{fmt, sync::LazyLock};

use serde::{Deserialize, Serialize};

pub use super::party::TRAITS;
use super::reading::Signs;
use super::trees::{self, Known, Tree};

/// How many looks one unseen error is worth, and one in the name of an issuer: a letter misread in it
/// misleads nobody about who it was.
pub const ERROR_WEIGHT: f64 = 20.0;
const NAME_WEIGHT: f64 = 6.0;
/// Numbers a confidence is made of.
pub const FEATURES: usize = 8;
/// Which of them is how far the value beats the next one.
pub(super) const MARGIN: usize = 2;
/// Which of them is how legible it is, and what that is for print.
const LEGIBLE: usize = 3;
const PRINTED: f32 = 4.0;
/// Trees per family.
const TREES: usize = 40;

/// Fields whose values go wrong in the same ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// What a document comes to.
    Total,
    /// The same of a sale: tills print sums, cash and change.
    SaleTotal,
    /// Any other amount.
    Amount,
    /// The day of a document.
    Day,
    /// Of a sale: often the only one, and without a label.
    SaleDay,
    /// Any other day.
    OtherDay,
    Code,
    Party,
    /// The issuer of a sale: it heads the roll, seldom with a label.
    SaleParty,
    /// Who employs or contracts: behind a label, or in running text.
    Employer,
    /// Names of people.
    Person,
    Period,
    Words,
    /// Values with check digits or from a closed list.
    Checked,
    /// What identifies a person.
    Identity,
}

impl Family {
    pub const ALL: [Self; 15] = [
        Self::Total,
        Self::SaleTotal,
        Self::Amount,
        Self::Day,
        Self::SaleDay,
        Self::OtherDay,
        Self::Code,
        Self::Party,
        Self::SaleParty,
        Self::Employer,
        Self::Person,
        Self::Period,
        Self::Words,
        Self::Checked,
        Self::Identity,
    ];
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
    /// A plain fact makes it doubtful, whatever its features.
    pub doubted: bool,
}

/// What each feature is worth before any document was seen.
const PRIOR: [f64; FEATURES] = [-4.0, 2.0, 1.0, 0.8, 1.5, 1.5, -1.8, 0.5];
/// Which way each feature speaks; the last is part of one before it.
const SPEAKS: [i8; FEATURES] = [0, 1, 1, 1, 1, 1, -1, 0];

/// What training gave for one family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// Bias, label, margin, legibility, certainty, support, against, much support.
    linear: [f32; FEATURES],
    trees: Vec<Tree>,
}

/// What training gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// How each trait of a name speaks for its being the issuer's, in log odds.
    pub issuer: [f32; TRAITS],
    /// For each of [`Family::ALL`] what was read off pictures, then what was printed into the file:
    /// that goes wrong in other ways.
    pub families: Vec<Scale>,
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

    /// Reads what `Display` writes: a line for the issuer, one for each family, and one for each of
    /// its trees.
    pub fn parse(text: &str) -> Option<Self> {
        let lines = |name: &str| {
            let mark = format!("{name}:");
            let lines = text.lines().filter_map(move |line| Some(line.strip_prefix(&mark)?.trim()));
            lines.collect::<Vec<&str>>()
        };
        let numbers = |line: &str| -> Option<Vec<f32>> {
            line.split(' ').map(|number| number.parse().ok()).collect()
        };
        let scale = |name: String| {
            let linear = numbers(lines(&name).first()?)?.try_into().ok()?;
            let trees = lines(&format!("{name} tree")).into_iter().map(Tree::parse);
            Some(Scale { linear, trees: trees.collect::<Option<_>>()? })
        };
        let families: Option<Vec<Scale>> = (0..SCALES).map(|at| scale(name(at))).collect();
        let issuer = numbers(lines("Issuer").first()?)?.try_into().ok()?;
        Some(Self { issuer, families: families? })
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
        for (at, scale) in self.families.iter().enumerate() {
            line(&name(at), &scale.linear)?;
        }
        for (at, scale) in self.families.iter().enumerate() {
            for tree in &scale.trees {
                writeln!(f, "{} tree: {tree}", name(at))?;
            }
        }
        Ok(())
    }
}

/// Families as they are read and as they are printed.
pub const SCALES: usize = 2 * Family::ALL.len();

/// Which of [`Weights::families`] judges a value.
pub fn scale_of(family: Family, features: &[f32; FEATURES]) -> usize {
    2 * family as usize + usize::from(features[LEGIBLE] >= PRINTED)
}

fn name(scale: usize) -> String {
    let family = Family::ALL[scale / 2];
    if scale % 2 == 1 { format!("{family:?} in print") } else { format!("{family:?}") }
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
    if nines > 5.0 { PRINTED } else { (nines - 3.0).clamp(-2.0, 1.0) }
}

pub(super) fn confidence(weights: &Weights, family: Family, features: &[f32; FEATURES]) -> f32 {
    let scale = &weights.families[scale_of(family, features)];
    let sum = linear(&scale.linear, features) + trees::sum(&scale.trees, features);
    1.0 / (1.0 + (-sum).exp())
}

fn linear(weights: &[f32; FEATURES], features: &[f32; FEATURES]) -> f32 {
    weights.iter().zip(features).map(|(w, x)| w * x).sum()
}

/// What each trait is worth before any document was seen: see the traits' order in `party`.
const TRAIT_PRIOR: [f64; TRAITS] = [
    -3.0, 1.6, 0.7, 0.5, 0.8, 0.5, 0.8, 1.0, 1.5, 1.0, -2.5, -1.2, -1.5, -0.6, -0.8, 2.5, -0.5,
    1.5, -0.8, 0.5, 0.5, -0.5, 0.8, -1.0, -1.2, 0.5, 0.5, 0.5, 0.5, -1.5,
];

/// Fits the ranking of names to documents whose issuer is known: all the names of each, and which of
/// them are right. One of them is, or none was found: the sum of them and of none is one.
pub fn fit_issuer(documents: &[Vec<([f32; TRAITS], bool)>]) -> [f32; TRAITS] {
    const ROUNDS: usize = 600;
    const HOLD: f64 = 0.002;
    let mut weights = TRAIT_PRIOR;
    let count = documents.len().max(1) as f64;
    for round in 0..ROUNDS {
        let mut slope = [0.0; TRAITS];
        for names in documents {
            let score = |traits: &[f32; TRAITS]| -> f64 {
                weights.iter().zip(traits).map(|(w, x)| w * f64::from(*x)).sum()
            };
            let shares: Vec<f64> = names.iter().map(|(traits, _)| score(traits).exp()).collect();
            let all: f64 = 1.0 + shares.iter().sum::<f64>();
            let met = names.iter().zip(&shares).filter(|((_, right), _)| *right);
            let met: f64 = met.map(|(_, share)| share).sum();
            for ((traits, right), share) in names.iter().zip(&shares) {
                let meant = if *right { share / met } else { 0.0 };
                for (slope, x) in slope.iter_mut().zip(traits) {
                    *slope += (meant - share / all) * f64::from(*x);
                }
            }
        }
        let rate = if round < ROUNDS / 2 { 1.0 } else { 0.4 };
        for ((weight, slope), prior) in weights.iter_mut().zip(slope).zip(TRAIT_PRIOR) {
            *weight += rate * (slope / count - HOLD * (*weight - prior));
        }
    }
    weights.map(hundredths)
}

/// To two decimals: what differs between processors is far behind them.
fn hundredths(weight: f64) -> f32 {
    ((weight * 100.0).round() / 100.0) as f32
}

/// Gradient descent on the log loss, a wrong one counted `error` times, held by [`PRIOR`] so that few
/// cases, or a feature that never varies, do not turn its meaning around.
fn descend(seen: &[([f32; FEATURES], bool)], error: f64) -> [f64; FEATURES] {
    const ROUNDS: usize = 3_000;
    const HOLD: f64 = 0.004;
    let mut weights = PRIOR;
    let total: f64 = seen.iter().map(|(_, right)| if *right { 1.0 } else { error }).sum();
    for round in 0..ROUNDS {
        let mut slope = [0.0; FEATURES];
        for (features, right) in seen {
            let sum: f64 = weights.iter().zip(features).map(|(w, x)| w * f64::from(*x)).sum();
            let shown = 1.0 / (1.0 + (-sum).exp());
            let (truth, weight) = if *right { (1.0, 1.0) } else { (0.0, error) };
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

/// Fits a family to values known to be right or wrong: first the sum, then the trees that correct it.
pub fn fit(scale: usize, seen: &[([f32; FEATURES], bool)]) -> Scale {
    let names = [Family::Party, Family::SaleParty, Family::Employer];
    let name = names.iter().any(|family| scale / 2 == *family as usize);
    let error = if name { NAME_WEIGHT } else { ERROR_WEIGHT };
    let first = descend(seen, error).map(hundredths);
    let known: Vec<Known<FEATURES>> = seen
        .iter()
        .map(|(features, right)| {
            let weight = if *right { 1.0 } else { error as f32 };
            Known { features: *features, right: *right, weight }
        })
        .collect();
    let trees = trees::grow(&known, |features| linear(&first, features), SPEAKS, TREES);
    Scale { linear: first, trees }
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
        let families = vec![fit(0, &seen); SCALES];
        let weights = Weights { issuer: [0.0; TRAITS], families };
        let shown = |label: f32| confidence(&weights, Family::Total, &case(label, true).0);
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

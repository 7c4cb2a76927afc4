//! *Simulador de umbrales*: what another threshold would cost people, and at what error.
//!
//! How much goes to people is counted over everything the machine said lately. How often it was
//! wrong can only be counted where the truth is known: what people answered, and golden cases.

use serde::Serialize;

/// How sure the machine was of something, and whether it was right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    pub confidence: f64,
    pub right: bool,
}

/// What the machine said lately.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confidences {
    /// Every confidence.
    pub all: Vec<f64>,
    /// Those that go to people however sure the rest is: a required field was not found.
    pub always: usize,
    pub known: Vec<Known>,
}

/// What a threshold does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    pub threshold: f64,
    /// How many of `all` go to people.
    pub asked: usize,
    pub all: usize,
    /// Of what is known, how much is accepted, and how much of that is wrong.
    pub accepted: usize,
    pub wrong: usize,
    pub known: usize,
}

impl Point {
    /// The share that goes to people; nothing when nothing was said.
    pub fn asked_share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.asked as f64 / self.all as f64)
    }

    /// The share of the accepted that is wrong; nothing when none is known.
    pub fn error(&self) -> Option<f64> {
        (self.accepted > 0).then(|| self.wrong as f64 / self.accepted as f64)
    }
}

/// A confidence at the threshold itself is enough.
pub fn at(confidences: &Confidences, threshold: f64) -> Point {
    let below = confidences.all.iter().filter(|confidence| **confidence < threshold).count();
    let accepted = confidences.known.iter().filter(|one| one.confidence >= threshold);
    Point {
        threshold,
        asked: below + confidences.always,
        all: confidences.all.len() + confidences.always,
        accepted: accepted.clone().count(),
        wrong: accepted.filter(|one| !one.right).count(),
        known: confidences.known.len(),
    }
}

/// The thresholds that are drawn: finer where the shipped ones are.
const DRAWN: [u8; 14] = [0, 30, 50, 60, 65, 70, 75, 80, 85, 90, 93, 96, 98, 99];

pub fn curve(confidences: &Confidences) -> Vec<Point> {
    DRAWN.iter().map(|percent| at(confidences, f64::from(*percent) / 100.0)).collect()
}

/// The least threshold drawn at which what is accepted is wrong at most this often, by what is
/// known. Nothing: none, or nothing is known.
pub fn least(confidences: &Confidences, error: f64) -> Option<Point> {
    if confidences.known.is_empty() {
        return None;
    }
    let points = curve(confidences);
    let good = |one: &&Point| one.error().is_some_and(|wrong| wrong <= error);
    points.iter().find(good).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(confidence: f64, right: bool) -> Known {
        Known { confidence, right }
    }

    #[test]
    fn the_threshold_itself_is_enough() {
        let confidences = Confidences {
            all: vec![0.79, 0.80, 0.95],
            always: 1,
            known: vec![known(0.79, false), known(0.80, true), known(0.95, true)],
        };
        let point = at(&confidences, 0.80);
        assert_eq!((point.asked, point.all, point.accepted, point.wrong), (2, 4, 2, 0));
        assert_eq!(point.asked_share(), Some(0.5));
        assert_eq!(at(&confidences, 0.5).error(), Some(1.0 / 3.0));
        assert_eq!(
            at(&confidences, 0.99).error(),
            None,
            "nothing accepted is never wrong, nor right"
        );
        assert_eq!(least(&confidences, 0.0).map(|one| one.threshold), Some(0.80));
    }

    #[test]
    fn nothing_known_promises_nothing() {
        let nothing = Confidences::default();
        assert_eq!(at(&nothing, 0.8).asked_share(), None);
        assert_eq!(least(&nothing, 1.0), None);
        assert!(curve(&nothing).iter().all(|one| one.error().is_none()));
    }

    fn any_confidences() -> impl Strategy<Value = Confidences> {
        let share = (0..=100_u8).prop_map(|n| f64::from(n) / 100.0);
        let known = (share.clone(), any::<bool>()).prop_map(|(p, right)| known(p, right));
        let known = prop::collection::vec(known, 0..40);
        (prop::collection::vec(share, 0..40), 0..5_usize, known)
            .prop_map(|(all, always, known)| Confidences { all, always, known })
    }

    proptest! {
        #[test]
        fn a_higher_threshold_never_sends_less_to_people(
            confidences in any_confidences(), low in 0.0..1.0_f64, more in 0.0..1.0_f64,
        ) {
            let (low, high) = (at(&confidences, low), at(&confidences, low + more));
            prop_assert!(high.asked >= low.asked);
            prop_assert!(high.accepted <= low.accepted && high.wrong <= low.wrong);
            prop_assert!(low.asked <= low.all && low.accepted <= low.known);
        }

        #[test]
        fn a_promise_is_kept_by_what_is_known(confidences in any_confidences(), error in 0.0..1.0_f64) {
            if let Some(point) = least(&confidences, error) {
                prop_assert!(point.error().unwrap() <= error);
            }
        }
    }
}

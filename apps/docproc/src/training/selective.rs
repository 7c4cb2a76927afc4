//! What goes through at each threshold, how much of it is wrong, and what may be promised of it.

use std::fmt::Write as _;

use super::Verdict;

/// Thresholds that are tried. Fixed beforehand: a bound on a threshold picked by looking is none.
const GRID: [f64; 9] = [0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.98];
/// All bounds of the grid hold together with this probability, for documents like those measured.
const SURE: f64 = 0.95;
/// The share of wrong values among automatic ones that a house accepts.
const ACCEPTED: f64 = 0.01;

/// What one threshold lets through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub threshold: f64,
    pub documents: usize,
    /// Documents whose type and fields all pass.
    pub straight: usize,
    /// Values that pass.
    pub automatic: usize,
    pub wrong: usize,
}

impl Step {
    /// The share of wrong values, and what it is at most with [`SURE`] probability.
    pub fn risk(&self) -> (f64, f64) {
        let share = self.wrong as f64 / self.automatic.max(1) as f64;
        let chance = (1.0 - SURE) / GRID.len() as f64;
        (share, upper_bound(self.wrong, self.automatic, chance))
    }
}

/// What each threshold of the grid does with judged documents.
pub(super) fn steps(verdicts: &[Verdict]) -> Vec<Step> {
    GRID.iter()
        .map(|threshold| {
            let mut step = Step { threshold: *threshold, ..Step::default() };
            for verdict in verdicts {
                let passing = || verdict.fields.iter().filter(|f| f.confidence >= *threshold);
                let found = passing().filter(|field| field.found.is_some()).count();
                step.documents += 1;
                step.automatic += found;
                step.wrong += passing().filter(|f| f.found.is_some() && !f.right).count();
                let all = !verdict.fields.is_empty() && found == verdict.fields.len();
                step.straight += usize::from(verdict.typed.is_some() && all);
            }
            step
        })
        .collect()
}

/// The lowest threshold whose bound is [`ACCEPTED`].
pub fn promised(steps: &[Step]) -> Option<f64> {
    steps.iter().find(|step| step.risk().1 <= ACCEPTED).map(|step| step.threshold)
}

/// A line per threshold.
pub(super) fn text(steps: &[Step]) -> String {
    let mut text =
        String::from("  threshold  straight  automatic  wrong  share   at most (95 %)\n");
    for step in steps {
        let (share, bound) = step.risk();
        let straight = 100.0 * step.straight as f64 / step.documents.max(1) as f64;
        let _ = writeln!(
            text,
            "  {:>9.2}  {straight:>6.1} %  {:>9}  {:>5}  {:>4.1} %  {:>5.1} %",
            step.threshold,
            step.automatic,
            step.wrong,
            share * 100.0,
            bound * 100.0,
        );
    }
    let _ = match promised(steps) {
        Some(threshold) => writeln!(text, "  at most 1 % wrong is promised from {threshold:.2} on"),
        None => writeln!(
            text,
            "  at most 1 % wrong is promised nowhere: too few values, or too many wrong"
        ),
    };
    text
}

/// The largest share of wrong ones under which `wrong` or fewer among `cases` come up with
/// probability `chance` (Clopper and Pearson).
fn upper_bound(wrong: usize, cases: usize, chance: f64) -> f64 {
    if wrong >= cases {
        return 1.0;
    }
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..60 {
        let share = f64::midpoint(low, high);
        if at_most(wrong, cases, share) > chance {
            low = share;
        } else {
            high = share;
        }
    }
    high
}

/// How likely at most `wrong` of `cases` are wrong when each is with this probability.
fn at_most(wrong: usize, cases: usize, share: f64) -> f64 {
    if share <= 0.0 {
        return 1.0;
    }
    let odds = (share / (1.0 - share)).ln();
    let mut term = cases as f64 * (1.0 - share).ln();
    let mut sum = term.exp();
    for n in 1..=wrong {
        term += ((cases - n + 1) as f64 / n as f64).ln() + odds;
        sum += term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::judge::FieldVerdict;

    #[test]
    fn bounds_are_those_of_the_tables() {
        // The rule of three: none wrong in 300 is at most 1 % wrong.
        assert!((upper_bound(0, 300, 0.05) - 0.00994).abs() < 1e-4);
        assert!((upper_bound(2, 50, 0.025) - 0.1371).abs() < 1e-3);
        assert!((upper_bound(5, 5, 0.05) - 1.0).abs() < 1e-12);
        assert!((upper_bound(0, 0, 0.05) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_promise_needs_enough_values() {
        let field = |confidence: f64, right: bool| FieldVerdict {
            name: "total".into(),
            confidence,
            right,
            automatic: confidence >= 0.75,
            found: Some("1".into()),
            truth: "1".into(),
        };
        let verdict = |fields| Verdict { typed: Some(true), fields, ..Verdict::default() };
        let few: Vec<Verdict> = (0..50).map(|_| verdict(vec![field(0.96, true)])).collect();
        assert_eq!(promised(&steps(&few)), None);
        let mut many: Vec<Verdict> = (0..900).map(|_| verdict(vec![field(0.96, true)])).collect();
        many.extend((0..40).map(|n| verdict(vec![field(0.65, n % 2 == 0)])));
        let steps = steps(&many);
        assert_eq!(promised(&steps), Some(0.70), "{}", text(&steps));
        assert_eq!((steps[0].straight, steps[0].wrong, steps[2].wrong), (940, 20, 0));
    }
}

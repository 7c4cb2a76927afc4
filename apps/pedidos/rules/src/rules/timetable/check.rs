//! Whether a rule may be saved beside the others.

use super::CapacityRule;
use crate::policy::capacity_bounds;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleProblem {
    Capacity {
        ceiling: u32,
    },
    Weekday,
    Staff,
    Dates,
    /// As specific as rule `with`, at the same time: which one holds could not be told.
    Overlap {
        with: i64,
    },
}

impl RuleProblem {
    /// The word of the outside contract.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Capacity { .. } => "CAPACIDAD_INVALIDA",
            Self::Weekday => "DIA_INVALIDO",
            Self::Staff => "PERSONAL_INVALIDO",
            Self::Dates => "VIGENCIA_INVALIDA",
            Self::Overlap { .. } => "SOLAPAMIENTO",
        }
    }
}

/// `others` may contain the previous version of the same rule; it does not compete with itself.
pub fn check(
    rule: &CapacityRule,
    others: &[CapacityRule],
    ceiling: u32,
) -> Result<(), RuleProblem> {
    if !capacity_bounds(ceiling).accepts(i64::from(rule.capacity)) {
        return Err(RuleProblem::Capacity { ceiling });
    }
    if rule.weekday.is_some_and(|weekday| !(0..=6).contains(&weekday)) {
        return Err(RuleProblem::Weekday);
    }
    if rule.staff == Some(0) {
        return Err(RuleProblem::Staff);
    }
    if let (Some(first), Some(last)) = (rule.valid_from, rule.valid_to)
        && last < first
    {
        return Err(RuleProblem::Dates);
    }
    match others.iter().find(|other| other.id != rule.id && overlap(rule, other)) {
        Some(other) => Err(RuleProblem::Overlap { with: other.id }),
        None => Ok(()),
    }
}

fn overlap(a: &CapacityRule, b: &CapacityRule) -> bool {
    a.specificity() == b.specificity() && dates_meet(a, b) && hours_meet(a, b)
}

/// A window that crosses midnight reaches one day past its last date.
fn dates_meet(a: &CapacityRule, b: &CapacityRule) -> bool {
    let ends_before = |a: &CapacityRule, b: &CapacityRule| {
        let (Some(last), Some(first)) = (a.valid_to, b.valid_from) else {
            return false;
        };
        let reach = if a.crosses_midnight() { last.tomorrow().unwrap_or(last) } else { last };
        reach < first
    };
    !ends_before(a, b) && !ends_before(b, a)
}

const DAY: i32 = 24 * 60 * 60;
const WEEK: i32 = 7 * DAY;

fn hours_meet(a: &CapacityRule, b: &CapacityRule) -> bool {
    let theirs = spans(b);
    spans(a).iter().any(|(from, to)| theirs.iter().any(|(start, end)| from < end && start < to))
}

/// The rule's windows as seconds of the week from Sunday 00:00, cut where the week ends.
fn spans(rule: &CapacityRule) -> Vec<(i32, i32)> {
    let second = |time: jiff::civil::Time| {
        i32::from(time.hour()) * 3_600 + i32::from(time.minute()) * 60 + i32::from(time.second())
    };
    let days = rule.weekday.map_or(0..7, |weekday| i32::from(weekday)..i32::from(weekday) + 1);
    let mut spans = Vec::new();
    for day in days {
        let from = day * DAY + second(rule.from);
        let next_day = if rule.crosses_midnight() { DAY } else { 0 };
        let to = day * DAY + second(rule.to) + next_day;
        spans.push((from, to.min(WEEK)));
        if to > WEEK {
            spans.push((0, to - WEEK));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::super::{effective_local, rule};
    use super::*;

    fn beside(new: &CapacityRule, old: CapacityRule) -> Result<(), RuleProblem> {
        check(new, &[old], 20)
    }

    #[test]
    fn overlaps_of_equal_specificity_are_refused() {
        let refused = Err(RuleProblem::Overlap { with: 1 });
        assert_eq!(beside(&rule(2, None, 19, 21, 9), rule(1, None, 20, 22, 9)), refused);
        assert_eq!(beside(&rule(2, None, 22, 23, 9), rule(1, None, 20, 22, 9)), Ok(()));
        assert_eq!(beside(&rule(2, Some(6), 0, 4, 9), rule(1, Some(5), 22, 2, 9)), refused);
        assert_eq!(beside(&rule(2, Some(6), 2, 4, 9), rule(1, Some(5), 22, 2, 9)), Ok(()));
        assert_eq!(beside(&rule(2, Some(0), 0, 4, 9), rule(1, Some(6), 22, 2, 9)), refused);
        assert_eq!(beside(&rule(2, Some(5), 20, 22, 9), rule(1, None, 20, 22, 9)), Ok(()));
        assert_eq!(beside(&rule(1, None, 19, 21, 9), rule(1, None, 20, 22, 9)), Ok(()));
    }

    #[test]
    fn dates_and_staff_keep_rules_apart() {
        let dated = |id, first, last| CapacityRule {
            valid_from: Some(date(2026, 6, first)),
            valid_to: Some(date(2026, 6, last)),
            ..rule(id, None, 18, 23, 9)
        };
        assert_eq!(beside(&dated(2, 6, 9), dated(1, 1, 5)), Ok(()));
        assert!(beside(&dated(2, 5, 9), dated(1, 1, 5)).is_err());
        assert_eq!(beside(&dated(2, 9, 5), dated(1, 1, 2)), Err(RuleProblem::Dates));
        let staffed = |id, staff| CapacityRule { staff: Some(staff), ..rule(id, None, 18, 23, 9) };
        assert_eq!(beside(&staffed(2, 3), staffed(1, 4)), Ok(()));
        assert!(beside(&staffed(2, 4), staffed(1, 4)).is_err());
        assert_eq!(check(&staffed(2, 0), &[], 20), Err(RuleProblem::Staff));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let ceiling = 20;
        for capacity in [0, 21] {
            let refused = Err(RuleProblem::Capacity { ceiling });
            assert_eq!(check(&rule(1, None, 18, 23, capacity), &[], ceiling), refused);
        }
        assert_eq!(check(&rule(1, Some(7), 18, 23, 9), &[], 20), Err(RuleProblem::Weekday));
    }

    proptest! {
        #[test]
        fn rules_that_pass_never_tie(
            specs in prop::collection::vec((prop::option::of(0_i8..7), 0_i8..24, 0_i8..24), 1..12),
            day in 1_i8..29,
            hour in 0_i8..24,
        ) {
            let mut saved: Vec<CapacityRule> = Vec::new();
            for ((weekday, from, to), id) in specs.into_iter().zip(1..) {
                let new = rule(id, weekday, from, to, id as u32);
                if check(&new, &saved, 20).is_ok() {
                    saved.push(new);
                }
            }
            let local = date(2026, 6, day).at(hour, 0, 0, 0);
            let mut specific: Vec<_> =
                saved.iter().filter(|r| r.covers(local)).map(CapacityRule::specificity).collect();
            specific.sort_unstable();
            let distinct = specific.windows(2).all(|pair| pair[0] != pair[1]);
            prop_assert!(distinct);
            saved.reverse();
            let reversed = effective_local(&saved, 8, local, None);
            saved.reverse();
            prop_assert_eq!(effective_local(&saved, 8, local, None), reversed);
        }
    }
}

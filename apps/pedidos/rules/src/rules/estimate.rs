//! Effort of an order and how long it should take to prepare (§8.3.3).

use crate::model::Line;

const POINTS_PER_STEP: i64 = 4;
const MINUTES_PER_STEP: i64 = 5;

/// Σ weight × quantity. A weight that is not positive counts as one and a quantity that is not
/// positive as none, so that a bad row of the menu cannot shorten an order.
pub fn effort(lines: &[Line]) -> i64 {
    lines.iter().map(|line| points(line.weight, line.quantity)).fold(0, i64::saturating_add)
}

fn points(weight: i64, quantity: i64) -> i64 {
    let weight = if weight <= 0 { 1 } else { weight };
    weight.saturating_mul(quantity.max(0))
}

/// Five minutes for every four points begun, and never less than `floor`.
pub fn minutes(effort: i64, floor: i64) -> i64 {
    let effort = effort.max(0);
    let steps = effort / POINTS_PER_STEP + i64::from(effort % POINTS_PER_STEP != 0);
    steps.saturating_mul(MINUTES_PER_STEP).max(floor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::samples::line;

    #[test]
    fn minutes_follow_the_published_vectors() {
        let vectors = [
            (0, 10),
            (4, 10),
            (7, 10),
            (8, 10),
            (9, 15),
            (12, 15),
            (13, 20),
            (24, 30),
            (26, 35),
            (40, 50),
        ];
        for (effort, expected) in vectors {
            assert_eq!(minutes(effort, 10), expected, "effort {effort}");
        }
    }

    #[test]
    fn effort_survives_bad_weights_and_quantities() {
        assert_eq!(effort(&[line("burger", 3, 2), line("drink", 1, 1)]), 7);
        assert_eq!(effort(&[line("unweighed", 0, 2), line("returned", 3, -1)]), 2);
        assert_eq!(effort(&[]), 0);
    }

    proptest! {
        #[test]
        fn more_effort_never_takes_less_time(a in 0_i64..10_000, b in 0_i64..10_000) {
            let (less, more) = (a.min(b), a.max(b));
            prop_assert!(minutes(less, 10) <= minutes(more, 10));
            prop_assert!(minutes(less, 10) >= 10);
        }
    }
}

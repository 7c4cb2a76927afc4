//! What the rules add up to: the week at a glance, and when the capacity changes next.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::{CapacityRule, Effective, effective, effective_local};

/// Half an hour of the preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub date: Date,
    /// 0 is Sunday.
    pub weekday: i8,
    pub time: Time,
    pub effective: Effective,
}

/// Seven days from `first`, every half hour, with the given staff.
pub fn week(rules: &[CapacityRule], base: u32, first: Date, staff: Option<u32>) -> Vec<Cell> {
    let dates = first.series(1.day()).take(7);
    let cell = |date: Date, half: i8| {
        let time = Time::constant(half / 2, half % 2 * 30, 0, 0);
        Cell {
            date,
            weekday: date.weekday().to_sunday_zero_offset(),
            time,
            effective: effective_local(rules, base, date.to_datetime(time), staff),
        }
    };
    dates.flat_map(|date| (0..48).map(move |half| cell(date, half))).collect()
}

/// How far ahead to look; a rule dated later is found by a later tick.
const HORIZON_DAYS: i32 = 8;

/// The next instant at which another capacity or another rule holds.
pub fn next_change(
    rules: &[CapacityRule],
    base: u32,
    zone: &TimeZone,
    now: Timestamp,
    staff: Option<u32>,
) -> Option<Timestamp> {
    let current = effective(rules, base, zone, now, staff);
    let yesterday = zone.to_datetime(now).date().saturating_sub(1.day());
    let mut edges: Vec<Timestamp> = yesterday
        .series(1.day())
        .take(HORIZON_DAYS as usize + 2)
        .flat_map(|date| rules.iter().flat_map(move |rule| [(date, rule.from), (date, rule.to)]))
        .filter_map(|(date, time)| {
            let edge = zone.to_ambiguous_zoned(date.to_datetime(time)).compatible();
            edge.ok().map(|edge| edge.timestamp())
        })
        .filter(|edge| *edge > now)
        .collect();
    edges.sort_unstable();
    edges.into_iter().find(|edge| effective(rules, base, zone, *edge, staff) != current)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::super::rule;
    use super::*;
    use crate::rules::samples::{at, instant, zone};

    #[test]
    fn the_week_has_a_cell_for_every_half_hour() {
        let rules = [rule(1, Some(5), 22, 2, 5)];
        let cells = week(&rules, 8, date(2026, 6, 15), None);
        assert_eq!(cells.len(), 7 * 48);
        let special: Vec<_> = cells
            .iter()
            .filter(|cell| cell.effective.rule == Some(1))
            .map(|cell| cell.date)
            .collect();
        assert_eq!(special.len(), 8);
        assert_eq!((special[0], special[7]), (date(2026, 6, 19), date(2026, 6, 20)));
        assert_eq!(cells[1].time, Time::constant(0, 30, 0, 0));
        assert_eq!(cells[0].weekday, 1);
    }

    #[test]
    fn the_next_change_is_the_nearest_edge_that_matters() {
        let rules = [rule(1, None, 20, 22, 12), rule(2, Some(5), 21, 22, 6)];
        let next = |now| next_change(&rules, 8, &zone(), now, None);
        assert_eq!(next(at("12:00:00")), Some(at("20:00:00")));
        assert_eq!(next(at("20:00:00")), Some(at("21:00:00")));
        assert_eq!(next(at("21:30:00")), Some(at("22:00:00")));
        assert_eq!(next(at("22:00:00")), Some(instant("2026-06-20T20:00:00-03:00")));
        assert_eq!(next_change(&[], 8, &zone(), at("12:00:00"), None), None);
    }

    proptest! {
        #[test]
        fn between_now_and_the_next_change_nothing_changes(
            specs in prop::collection::vec((prop::option::of(0_i8..7), 0_i8..24, 0_i8..24), 0..6),
            minutes in 0_i64..10_080,
            share in 0.0_f64..1.0,
        ) {
            let rules: Vec<_> = specs
                .into_iter()
                .zip(1..)
                .map(|((weekday, from, to), id)| rule(id, weekday, from, to, id as u32))
                .collect();
            let now = crate::model::later_by_minutes(at("00:00:00"), minutes);
            let horizon = crate::model::later_by_minutes(now, 7 * 1_440);
            let next = next_change(&rules, 8, &zone(), now, None).unwrap_or(horizon);
            let ahead = next.duration_since(now).as_secs_f64() * share * 0.999_99;
            let between = now + jiff::SignedDuration::from_secs(ahead as i64);
            let holds = |instant| effective(&rules, 8, &zone(), instant, None);
            prop_assert_eq!(holds(between), holds(now));
            if next < horizon {
                prop_assert_ne!(holds(next), holds(now));
            }
        }
    }
}

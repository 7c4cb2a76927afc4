//! *Capacidad por horarios*: the capacity by weekday, hour and staff (§8.3.2).

mod check;
mod preview;

use std::cmp::Reverse;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

pub use check::{RuleProblem, check};
pub use preview::{Cell, next_change, week};

/// A window of local time with its own capacity. `to` not after `from` means the next day: a
/// Friday rule from 22:00 to 02:00 ends on Saturday, one from 00:00 to 00:00 lasts all day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CapacityRule {
    pub id: i64,
    /// 0 is Sunday; none is every day.
    pub weekday: Option<i8>,
    pub from: Time,
    pub to: Time,
    /// Applies with at least so many people in the kitchen; none is any number.
    pub staff: Option<u32>,
    pub capacity: u32,
    pub note: Option<String>,
    /// First and last date on which the window may begin.
    pub valid_from: Option<Date>,
    pub valid_to: Option<Date>,
}

/// The capacity in force and the rule that set it; none when it is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effective {
    pub capacity: u32,
    pub rule: Option<i64>,
}

/// More specific is greater: a dated rule beats a weekly one, a weekday beats every day, and among
/// those the larger staff it asks for.
type Specificity = (bool, bool, u32);

impl CapacityRule {
    fn crosses_midnight(&self) -> bool {
        self.to <= self.from
    }

    fn specificity(&self) -> Specificity {
        let dated = self.valid_from.is_some() || self.valid_to.is_some();
        (dated, self.weekday.is_some(), self.staff.unwrap_or(0))
    }

    fn begins_on(&self, date: Date) -> bool {
        self.weekday.is_none_or(|weekday| date.weekday().to_sunday_zero_offset() == weekday)
            && self.valid_from.is_none_or(|first| first <= date)
            && self.valid_to.is_none_or(|last| date <= last)
    }

    fn covers(&self, local: DateTime) -> bool {
        let (date, time) = (local.date(), local.time());
        let since_today = self.begins_on(date)
            && time >= self.from
            && (self.crosses_midnight() || time < self.to);
        let since_yesterday = self.crosses_midnight()
            && time < self.to
            && date.yesterday().is_ok_and(|yesterday| self.begins_on(yesterday));
        since_today || since_yesterday
    }

    fn admits_staff(&self, staff: Option<u32>) -> bool {
        self.staff.is_none_or(|needed| staff.is_some_and(|present| present >= needed))
    }
}

/// The most specific rule that covers the instant, else the base.
pub fn effective(
    rules: &[CapacityRule],
    base: u32,
    zone: &TimeZone,
    now: Timestamp,
    staff: Option<u32>,
) -> Effective {
    effective_local(rules, base, zone.to_datetime(now), staff)
}

fn effective_local(
    rules: &[CapacityRule],
    base: u32,
    local: DateTime,
    staff: Option<u32>,
) -> Effective {
    rules
        .iter()
        .filter(|rule| rule.admits_staff(staff) && rule.covers(local))
        .max_by_key(|rule| (rule.specificity(), Reverse(rule.id)))
        .map_or(Effective { capacity: base, rule: None }, |rule| Effective {
            capacity: rule.capacity,
            rule: Some(rule.id),
        })
}

#[cfg(test)]
pub(crate) fn rule(id: i64, weekday: Option<i8>, from: i8, to: i8, capacity: u32) -> CapacityRule {
    CapacityRule {
        id,
        weekday,
        from: Time::constant(from, 0, 0, 0),
        to: Time::constant(to, 0, 0, 0),
        staff: None,
        capacity,
        note: None,
        valid_from: None,
        valid_to: None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::rules::samples::{at, instant, zone};

    const FRIDAY: Option<i8> = Some(5);
    const SATURDAY: Option<i8> = Some(6);

    fn capacity(rules: &[CapacityRule], now: Timestamp, staff: Option<u32>) -> u32 {
        effective(rules, 8, &zone(), now, staff).capacity
    }

    #[test]
    fn the_base_holds_outside_every_window() {
        let rules = [rule(1, FRIDAY, 20, 22, 12)];
        assert_eq!(capacity(&rules, at("19:59:59"), None), 8);
        assert_eq!(capacity(&rules, at("20:00:00"), None), 12);
        assert_eq!(capacity(&rules, at("21:59:59"), None), 12);
        let ended = effective(&rules, 8, &zone(), at("22:00:00"), None);
        assert_eq!(ended, Effective { capacity: 8, rule: None });
    }

    #[test]
    fn a_window_may_cross_midnight_and_belongs_to_the_day_it_begins() {
        let rules = [rule(1, FRIDAY, 22, 2, 5)];
        assert_eq!(capacity(&rules, at("23:00:00"), None), 5);
        assert_eq!(capacity(&rules, instant("2026-06-20T01:59:59-03:00"), None), 5);
        assert_eq!(capacity(&rules, instant("2026-06-20T02:00:00-03:00"), None), 8);
        assert_eq!(capacity(&rules, at("01:00:00"), None), 8, "Friday 01:00 is Thursday's night");
        assert_eq!(capacity(&rules, instant("2026-06-20T23:00:00-03:00"), None), 8);
    }

    #[test]
    fn equal_ends_last_a_whole_day() {
        let rules = [rule(1, SATURDAY, 0, 0, 3)];
        assert_eq!(capacity(&rules, instant("2026-06-20T00:00:00-03:00"), None), 3);
        assert_eq!(capacity(&rules, instant("2026-06-20T23:59:59-03:00"), None), 3);
        assert_eq!(capacity(&rules, instant("2026-06-21T00:00:00-03:00"), None), 8);
    }

    #[test]
    fn the_most_specific_rule_wins() {
        let every_day = rule(1, None, 18, 23, 10);
        let friday = rule(2, FRIDAY, 18, 23, 12);
        let crowded = CapacityRule { staff: Some(4), ..rule(3, FRIDAY, 18, 23, 16) };
        let crew = CapacityRule { staff: Some(6), ..rule(4, FRIDAY, 18, 23, 20) };
        let holiday = CapacityRule {
            valid_from: Some(date(2026, 6, 19)),
            valid_to: Some(date(2026, 6, 19)),
            ..rule(5, None, 18, 23, 4)
        };
        let mut rules = vec![every_day, friday, crowded, crew];
        assert_eq!(capacity(&rules, at("20:00:00"), None), 12);
        assert_eq!(capacity(&rules, at("20:00:00"), Some(3)), 12);
        assert_eq!(capacity(&rules, at("20:00:00"), Some(5)), 16);
        assert_eq!(capacity(&rules, at("20:00:00"), Some(6)), 20);
        rules.push(holiday);
        assert_eq!(capacity(&rules, at("20:00:00"), Some(6)), 4);
        assert_eq!(capacity(&rules, instant("2026-06-26T20:00:00-03:00"), Some(6)), 20);
    }
}

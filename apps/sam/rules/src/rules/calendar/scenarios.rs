//! The calendar's part of the acceptance scenarios, by their numbers.

use jiff::civil::{Weekday, date};

use super::samples::{HOME, at, cyclic, daily, holidays, zone};
use super::*;
use crate::model::{Days, Pace, Schedule, Weekdays};

/// The date of the slot that is open at that local time.
fn slot_at(schedule: &Schedule, local: &str) -> Option<String> {
    let slots = open(schedule, None, &zone(HOME), at(local));
    assert!(slots.len() <= 1, "{slots:?}");
    slots.first().map(|slot| slot.date.to_string())
}

#[test]
fn s01_tolerance_includes_both_ends() {
    let nine = daily("09:00", 30);
    assert_eq!(slot_at(&nine, "2026-03-02T08:59:59"), None);
    for inside in ["09:00:00", "09:15:00", "09:30:00"] {
        let slot = slot_at(&nine, &format!("2026-03-02T{inside}"));
        assert_eq!(slot.as_deref(), Some("2026-03-02"), "{inside}");
    }
    assert_eq!(slot_at(&nine, "2026-03-02T09:30:01"), None);
}

#[test]
fn s03_a_weekly_slot_crosses_midnight_and_keeps_its_day() {
    let monday = Days::Weekly(Weekdays::of([Weekday::Monday]));
    let late = Schedule { days: monday, ..daily("23:50", 30) };
    assert_eq!(slot_at(&late, "2026-03-02T00:05:00"), None, "24 hours early");
    for inside in ["2026-03-02T23:55:00", "2026-03-03T00:10:00", "2026-03-03T00:15:00"] {
        assert_eq!(slot_at(&late, inside).as_deref(), Some("2026-03-02"), "{inside}");
    }
    assert_eq!(slot_at(&late, "2026-03-03T00:21:00"), None);
}

#[test]
fn s04_late_at_night_and_the_next_night_are_two_slots() {
    let late = daily("23:50", 30);
    assert_eq!(slot_at(&late, "2026-03-06T00:05:00").as_deref(), Some("2026-03-05"));
    assert_eq!(slot_at(&late, "2026-03-06T00:12:00").as_deref(), Some("2026-03-05"));
    assert_eq!(slot_at(&late, "2026-03-06T23:50:00").as_deref(), Some("2026-03-06"));
}

#[test]
fn s05_days_of_the_month() {
    let on = |days, date| runs_on(&Schedule { days, ..daily("09:00", 30) }, None, date);
    let last = |date| on(Days::MonthEnd { last: 5 }, date);
    assert!(!last(date(2026, 2, 23)));
    assert!((24..=28).all(|day| last(date(2026, 2, day))));
    assert!((1..27).all(|day| !last(date(2026, 3, day))));
    assert!((27..=31).all(|day| last(date(2026, 3, day))));
    let half = |day| on(Days::MonthRange { from: 1, to: 15 }, date(2026, 3, day));
    assert_eq!([1, 15, 16].map(half), [true, true, false]);
    assert!(!on(Days::Monthly { day: 31 }, date(2026, 4, 30)));
    assert!(on(Days::Monthly { day: 31 }, date(2026, 5, 31)));
}

#[test]
fn s06_a_cyclic_window_includes_both_ends() {
    let office = cyclic("08:00", Some("18:00"), Some(30));
    let is_open = |clock: &str| slot_at(&office, &format!("2026-03-02T{clock}")).is_some();
    assert_eq!(
        ["07:59:59", "08:00:00", "10:30:00", "18:00:00", "18:00:01"].map(is_open),
        [false, true, true, true, false]
    );
}

#[test]
fn long_tolerances_neither_repeat_nor_wrap() {
    let long = daily("11:00", 1380);
    assert_eq!(slot_at(&long, "2026-03-03T09:00:00").as_deref(), Some("2026-03-02"), "F-PS4");
    let whole = daily("11:00", 1440);
    let both = open(&whole, None, &zone(HOME), at("2026-03-03T11:00:00"));
    assert_eq!(both.iter().map(|slot| slot.date.day()).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn missed_slots_are_those_that_ended_unseen() {
    let (zone, nine) = (zone(HOME), daily("09:00", 30));
    let ended = |after: &str, now: &str| -> Vec<i8> {
        let slots = closed(&nine, None, &zone, at(after), at(now));
        slots.iter().map(|slot| slot.date.day()).collect()
    };
    assert_eq!(ended("2026-03-02T09:00", "2026-03-02T09:30:00"), [0; 0], "still in time");
    assert_eq!(ended("2026-03-02T09:00", "2026-03-02T09:30:01"), [2]);
    assert_eq!(ended("2026-03-02T09:30:00", "2026-03-04T12:00"), [2, 3, 4]);
    assert_eq!(ended("2026-03-02T09:30:01", "2026-03-04T12:00"), [3, 4]);
    assert_eq!(ended("2020-01-01T00:00", "2026-03-31T12:00").len(), 31);
    let office = cyclic("08:00", Some("18:00"), Some(30));
    assert_eq!(closed(&office, None, &zone, at("2026-03-01T00:00"), at("2026-03-09T00:00")), []);
}

#[test]
fn what_comes_next_skips_holidays_and_waits_for_validity() {
    let (zone, from) = (zone(HOME), at("2026-03-02T09:00"));
    let next = |schedule: &Schedule, days: &[jiff::civil::Date]| {
        next_start(schedule, Some(&holidays(days.iter().copied())), &zone, from)
    };
    let nine = daily("09:00", 30);
    assert_eq!(next(&nine, &[]), Some(at("2026-03-03T09:00")));
    let away = [date(2026, 3, 3), date(2026, 3, 4)];
    assert_eq!(next(&nine, &away), Some(at("2026-03-05T09:00")));
    let later = Schedule { valid_from: Some(date(2050, 1, 1)), ..nine.clone() };
    assert_eq!(next(&later, &[]), Some(at("2050-01-01T09:00")));
    let once = Schedule { days: Days::Once(date(2060, 2, 29)), ..nine.clone() };
    assert_eq!(next(&once, &[]), Some(at("2060-02-29T09:00")));
    let over = Schedule { valid_to: Some(date(2026, 3, 2)), ..nine.clone() };
    assert_eq!(next(&over, &[]), None);
    assert_eq!(next(&Schedule { active: false, ..nine }, &[]), None);
}

#[test]
fn a_cyclic_day_without_an_end_lasts_until_midnight() {
    let all_day = cyclic("08:00", None, None);
    assert!(matches!(all_day.pace, Pace::Cyclic { end: None, .. }));
    assert_eq!(slot_at(&all_day, "2026-03-02T07:59:59"), None, "the start is honoured");
    assert_eq!(slot_at(&all_day, "2026-03-02T23:59:59").as_deref(), Some("2026-03-02"));
    assert_eq!(slot_at(&all_day, "2026-03-03T00:00:00"), None);
}

#[test]
fn clocks_set_back_over_midnight_do_not_hide_an_open_slot() {
    let newfoundland = zone("America/St_Johns");
    let slots = |utc: &str| open(&daily("00:00", 30), None, &newfoundland, utc.parse().unwrap());
    let again_the_sixth = slots("2010-11-07T02:45:00Z");
    assert_eq!(again_the_sixth.first().map(|slot| slot.date), Some(date(2010, 11, 7)));
    assert_eq!(slots("2010-11-07T03:00:01Z"), []);
}

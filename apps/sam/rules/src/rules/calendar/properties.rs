//! What holds for any schedule, in any zone, whatever its clocks did.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, Weekday, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;
use proptest::sample::select;

use super::samples::{daily, holidays, zone};
use super::*;
use crate::model::{Calendar, Days, Pace, Schedule, Weekdays};

const ZONES: [&str; 9] = [
    "America/Argentina/Buenos_Aires",
    "Europe/Madrid",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
];

fn zones() -> impl Strategy<Value = TimeZone> {
    select(ZONES.to_vec()).prop_map(zone)
}

/// Near the days on which clocks do something, or any.
fn dates() -> impl Strategy<Value = Date> {
    let known = vec![
        date(2011, 12, 30),
        date(2026, 3, 29),
        date(2026, 10, 25),
        date(2026, 3, 8),
        date(2010, 11, 7),
        date(2018, 2, 18),
        date(2026, 4, 5),
        date(2028, 2, 29),
        date(2026, 12, 31),
    ];
    let near = (select(known), -4_i32..5).prop_map(|(day, n)| day.saturating_add(n.days()));
    let any = (0_i32..25_900).prop_map(|n| date(1990, 1, 1).saturating_add(n.days()));
    prop_oneof![near, any]
}

fn times() -> impl Strategy<Value = Time> {
    let minute = prop_oneof![0_i32..1_440, Just(0), Just(1_439), 55_i32..185];
    minute.prop_map(|minute| Time::midnight().saturating_add(minute.minutes()))
}

fn days() -> impl Strategy<Value = Days> {
    let week = prop::collection::vec(0_i8..7, 1..4).prop_map(|days| {
        let day = |n| Weekday::from_monday_zero_offset(n).unwrap();
        Days::Weekly(Weekdays::of(days.into_iter().map(day)))
    });
    prop_oneof![
        3 => Just(Days::Daily),
        2 => week,
        2 => (1_i8..32).prop_map(|day| Days::Monthly { day }),
        1 => (1_i8..32, 1_i8..32).prop_map(|(a, b)| Days::MonthRange { from: a.min(b), to: a.max(b) }),
        1 => (1_i8..32).prop_map(|last| Days::MonthEnd { last }),
        1 => dates().prop_map(Days::Once),
    ]
}

fn paces() -> impl Strategy<Value = Pace> {
    let minutes = prop_oneof![Just(0_i64), Just(30), Just(1_440), 0_i64..1_441];
    let tolerance = minutes.prop_map(SignedDuration::from_mins);
    let end = || prop::option::of(times());
    prop_oneof![
        (tolerance, end()).prop_map(|(tolerance, end)| Pace::Single { tolerance, end }),
        (end(), prop::option::of(1_i64..1_441)).prop_map(|(end, interval)| {
            Pace::Cyclic { end, interval: interval.map(SignedDuration::from_mins) }
        }),
    ]
}

pub(super) fn schedules() -> impl Strategy<Value = Schedule> {
    let validity = || prop::option::weighted(0.2, dates());
    (days(), paces(), times(), validity(), validity(), prop::bool::weighted(0.95)).prop_map(
        |(days, pace, start, valid_from, valid_to, active)| Schedule {
            days,
            pace,
            start,
            valid_from,
            valid_to,
            active,
            ..daily("00:00", 0)
        },
    )
}

fn calendars() -> impl Strategy<Value = Calendar> {
    prop::collection::vec(dates(), 0..6).prop_map(holidays)
}

fn begin(zone: &TimeZone, date: Date) -> Timestamp {
    zone.to_timestamp(date.to_datetime(Time::midnight())).unwrap()
}

/// The pattern spelled out once more, day by day.
fn expected(schedule: &Schedule, holidays: &Calendar, date: Date) -> bool {
    let day = date.day();
    let length = date.days_in_month();
    let by_pattern = match &schedule.days {
        Days::Daily => true,
        Days::Weekly(week) => week.days().any(|one| one == date.weekday()),
        Days::Monthly { day: wanted } => day == *wanted,
        Days::MonthRange { from, to } => *from <= day && day <= *to,
        Days::MonthEnd { last } => day > length - last,
        Days::Once(only) => date == *only,
    };
    let after = schedule.valid_from.is_none_or(|first| date >= first);
    let before = schedule.valid_to.is_none_or(|last| date <= last);
    schedule.active && by_pattern && after && before && !holidays.holidays.contains(&date)
}

/// The instants at which something about a slot may change, and their neighbours.
fn edges(slots: &[Slot]) -> BTreeSet<Timestamp> {
    let step = SignedDuration::from_micros(1);
    let around = |at: Timestamp| [at - step, at, at + step];
    slots.iter().flat_map(|slot| [slot.start, slot.until]).flat_map(around).collect()
}

proptest! {
    #[test]
    fn every_date_of_the_pattern_has_its_slot_and_no_other(
        schedule in schedules(), holidays in calendars(), zone in zones(), day in dates(),
    ) {
        let (from, to) = (begin(&zone, day), begin(&zone, day.saturating_add(70.days())));
        let slots = occurrences(&schedule, Some(&holidays), &zone, from, to);
        let inner: Vec<Date> = slots.iter().map(|slot| slot.date).collect();
        let wanted: Vec<Date> = day.saturating_sub(3.days()).series(1.day()).take(80)
            .filter(|date| expected(&schedule, &holidays, *date))
            .filter(|date| {
                let start = slot(&schedule, &zone, *date).unwrap().start;
                from <= start && start < to
            })
            .collect();
        prop_assert_eq!(inner, wanted);
        for pair in slots.windows(2) {
            prop_assert!(pair[0].date < pair[1].date && pair[0].start <= pair[1].start);
        }
        let longest = SignedDuration::from_hours(49);
        prop_assert!(slots.iter().all(|slot| slot.start <= slot.until));
        prop_assert!(slots.iter().all(|slot| slot.until.duration_since(slot.start) <= longest));
    }

    #[test]
    fn a_slot_is_open_exactly_between_its_ends(
        schedule in schedules(), holidays in calendars(), zone in zones(), day in dates(),
    ) {
        let from = begin(&zone, day.saturating_sub(5.days()));
        let to = begin(&zone, day.saturating_add(5.days()));
        let slots = occurrences(&schedule, Some(&holidays), &zone, from, to);
        let (inner, outer) = (begin(&zone, day.saturating_sub(2.days())), begin(&zone, day));
        for now in edges(&slots).into_iter().filter(|at| inner <= *at && *at <= outer) {
            let wanted: Vec<Slot> =
                slots.iter().copied().filter(|slot| slot.start <= now && now <= slot.until).collect();
            prop_assert_eq!(open(&schedule, Some(&holidays), &zone, now), wanted, "{}", now);
        }
    }

    #[test]
    fn what_closed_is_what_ended_since(
        schedule in schedules(), holidays in calendars(), zone in zones(), day in dates(),
        since in 0_i64..50_000,
    ) {
        let now = begin(&zone, day);
        let after = now - SignedDuration::from_mins(since);
        let bound = after.max(now - SignedDuration::from_hours(31 * 24));
        let from = begin(&zone, day.saturating_sub(60.days()));
        let single = matches!(schedule.pace, Pace::Single { .. });
        let wanted: Vec<Slot> = occurrences(&schedule, Some(&holidays), &zone, from, now)
            .into_iter()
            .filter(|slot| single && bound <= slot.until && slot.until < now)
            .collect();
        prop_assert_eq!(closed(&schedule, Some(&holidays), &zone, after, now), wanted);
    }

    #[test]
    fn the_next_start_is_the_first_to_come(
        schedule in schedules(), holidays in calendars(), zone in zones(), day in dates(),
        minutes in 0_i64..1_440,
    ) {
        let after = begin(&zone, day) + SignedDuration::from_mins(minutes);
        let step = SignedDuration::from_nanos(1);
        let to = after + SignedDuration::from_hours(24 * 365 * 4);
        let first = occurrences(&schedule, Some(&holidays), &zone, after + step, to);
        let next = next_start(&schedule, Some(&holidays), &zone, after);
        match first.first() {
            Some(slot) => prop_assert_eq!(next, Some(slot.start)),
            None => prop_assert!(next.is_none_or(|start| start >= to)),
        }
    }

    #[test]
    fn firings_lie_in_slots_and_include_their_starts(
        schedule in schedules(), zone in zones(), day in dates(), limit in 0_usize..200,
    ) {
        let (from, to) = (begin(&zone, day), begin(&zone, day.saturating_add(9.days())));
        let shown = firings(&schedule, None, &zone, from, to, limit);
        prop_assert!(shown.len() <= limit);
        prop_assert!(shown.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(shown.iter().all(|at| from <= *at && *at < to));
        for at in &shown {
            prop_assert!(!open(&schedule, None, &zone, *at).is_empty());
        }
        if shown.len() < limit {
            let slots = occurrences(&schedule, None, &zone, from, to);
            prop_assert!(slots.iter().all(|slot| shown.contains(&slot.start)));
        }
        let all = firings(&schedule, None, &zone, from, to, usize::MAX);
        prop_assert!(all.starts_with(&shown));
    }

    #[test]
    fn overlaps_are_those_that_patience_finds(
        a in schedules(), b in schedules(), holidays in calendars(), zone in zones(), day in dates(),
        minutes in 0_i64..1_440,
    ) {
        let from = begin(&zone, day) + SignedDuration::from_mins(minutes);
        let found = overlap((&a, Some(&holidays)), (&b, None), &zone, from);
        let turned = overlap((&b, None), (&a, Some(&holidays)), &zone, from);
        prop_assert_eq!(found, turned.map(|(b, a)| (a, b)));
        let to = from + SignedDuration::from_hours(24 * 500);
        let began = from - SignedDuration::from_hours(72);
        let ours = occurrences(&a, Some(&holidays), &zone, began, to);
        let theirs = occurrences(&b, None, &zone, began, to);
        let meets = |one: &Slot, two: &Slot| {
            (one.start == two.start || one.start < two.until && two.start < one.until)
                && one.until >= from
                && two.until >= from
        };
        let begins = |pair: (Slot, Slot)| pair.0.start.max(pair.1.start);
        let patience = ours
            .iter()
            .flat_map(|one| theirs.iter().filter(move |two| meets(one, two)).map(|two| begins((*one, *two))))
            .min();
        match (found, patience) {
            (Some(pair), Some(at)) => prop_assert_eq!(begins(pair), at),
            (Some(pair), None) => prop_assert!(begins(pair) >= to),
            (None, patience) => prop_assert_eq!(patience, None),
        }
        if let Some((one, two)) = found {
            let faces = Faces::new(&zone, from);
            let (ours, theirs) = (faces.of(&a), faces.of(&b));
            prop_assert!(ours.touches(&theirs) && theirs.touches(&ours));
            prop_assert!(meets(&one, &two));
        }
    }
}

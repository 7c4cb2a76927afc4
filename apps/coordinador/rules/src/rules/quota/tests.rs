//! Quotas and jumps: scenarios and properties.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::{
    model::Cadence,
    policy::{Policy, Resume},
    rules::due,
};

fn at(time: &str) -> Timestamp {
    format!("2026-03-02T{time}Z").parse().unwrap()
}

fn every(seconds: i64) -> Interval {
    Interval::new(seconds).unwrap()
}

fn times(times: &[&str]) -> Vec<Timestamp> {
    times.iter().map(|time| at(time)).collect()
}

fn quarter(grid: &str) -> Cadence {
    due::first(every(900), at(grid)).0
}

fn policy() -> Policy {
    Policy::new(TimeZone::UTC)
}

#[test]
fn scenario_1_the_maximum_is_never_zero() {
    let max = [900, 120, 700, 3600, 7200, 1].map(|seconds| max_per_hour(every(seconds)));
    assert_eq!(max, [4, 30, 5, 1, 1, 3600]);
}

#[test]
fn scenario_2_the_jump_is_to_the_next_full_hour() {
    let recent = times(&["10:05:00", "10:20:00", "10:35:00", "10:50:00"]);
    assert!(Usage::at(&recent, every(900), at("11:00:00")).is_full());
    assert_eq!(frees_at(&recent, 4, at("11:00:00")), at("11:05:00"));
    let mut loads = BTreeMap::new();
    let next = resume(&quarter("11:00:00"), &recent, &policy(), at("11:00:00"), &mut loads);
    assert_eq!(next, at("12:00:00"));
}

#[test]
fn scenario_3_the_window_is_half_open() {
    let recent = times(&["10:00:00", "10:15:00", "10:30:00", "10:45:00"]);
    assert_eq!(used(&recent, at("11:00:00")), 3);
    assert_eq!(used(&recent, at("10:59:59")), 4);
    let late = times(&["10:00:00.25", "10:15:00", "10:30:00", "10:45:00"]);
    assert_eq!(used(&late, at("11:00:00.1")), 3, "milliseconds do not hold a slot");
}

#[test]
fn scenario_5_ten_jumps_spread_after_the_hour() {
    let recent = times(&["10:30:00", "10:45:00", "11:00:00", "11:15:00"]);
    let mut loads = BTreeMap::new();
    let next: Vec<_> = (0..10)
        .map(|_| resume(&quarter("11:20:00"), &recent, &policy(), at("11:20:00"), &mut loads))
        .collect();
    assert!(next.iter().all(|next| (at("12:00:00")..=at("12:03:00")).contains(next)));
    assert!(loads.values().all(|load| *load <= 6));
}

#[test]
fn scenario_6_each_level_once_per_crossing() {
    let policy = policy().quota;
    let told: Vec<_> = (0..12)
        .filter_map(|used| {
            let usage = |used| Usage { used, max: 10 };
            crossing(usage(used), usage(used + 1), &policy).map(|level| (used + 1, level))
        })
        .collect();
    assert_eq!(told, [(8, Level::Warn), (9, Level::Alert), (10, Level::Full)]);
    let quarter = |used| Usage { used, max: 4 }.level(&policy);
    assert_eq!([3, 4, 5].map(quarter), [Level::Normal, Level::Full, Level::Full]);
    assert_eq!(Usage { used: 3, max: 4 }.percent(), 75);
}

#[test]
fn full_hours_follow_the_clocks_of_the_zone() {
    let hour =
        |now: &str, zone: &str| full_hour(now.parse().unwrap(), &TimeZone::get(zone).unwrap());
    let cases = [
        ("2026-03-02T10:00:00Z", "America/Lima", "2026-03-02T11:00:00Z"),
        ("2026-03-02T10:10:00Z", "Asia/Kolkata", "2026-03-02T10:30:00Z"),
        ("2026-03-02T10:10:00Z", "Asia/Kathmandu", "2026-03-02T10:15:00Z"),
        // Half an hour forth and back.
        ("2026-10-03T15:10:00Z", "Australia/Lord_Howe", "2026-10-03T16:00:00Z"),
        ("2026-04-04T14:40:00Z", "Australia/Lord_Howe", "2026-04-04T15:30:00Z"),
    ];
    for (now, zone, expected) in cases {
        assert_eq!(hour(now, zone), expected.parse().unwrap(), "{now} {zone}");
    }
}

#[test]
fn a_whole_quota_at_the_normal_pace_presses_nobody() {
    let policy = policy().quota;
    let pressed = |starts: &[&str], next: &str, now: &str| {
        is_pressed(&times(starts), every(900), Some(at(next)), &policy, at(now))
    };
    let steady = ["10:00:02", "10:15:00", "10:30:41", "10:45:00"];
    assert!(!pressed(&steady, "11:00:00", "10:50:00"), "seconds of lateness are no pace");
    let hurried = ["10:40:00", "10:42:00", "10:44:00"];
    assert!(pressed(&hurried, "11:00:00", "10:45:00"), "three in five minutes");
    let early = ["10:05:00", "10:20:00", "10:35:00", "10:50:00"];
    assert!(pressed(&early, "11:00:00", "10:55:00"), "its next run would be held until 11:05");
    assert!(!pressed(&early, "11:05:00", "10:55:00"));
    assert!(!pressed(&[], "11:05:00", "10:55:00"));
}

#[test]
fn the_oldest_start_leaving_is_the_other_way() {
    let mut policy = policy();
    policy.quota.resume = Resume::WindowSlide;
    let recent = times(&["10:05:00", "10:20:00", "10:35:00", "10:50:00"]);
    let next = resume(&quarter("11:00:00"), &recent, &policy, at("11:00:00"), &mut BTreeMap::new());
    assert_eq!(next, at("11:05:00"));
}

proptest! {
    #[test]
    fn the_quota_is_free_where_it_says_and_not_before(
        seconds in prop::collection::vec(0_i64..7200, 0..12),
        max in 1_u32..6,
    ) {
        let begin = at("10:00:00");
        let shift = |seconds: i64| later(begin, SignedDuration::from_secs(seconds));
        let recent: Vec<_> = seconds.into_iter().map(shift).collect();
        let now = shift(7200);
        let free = frees_at(&recent, max, now);
        prop_assert!(used(&recent, free) < max);
        if free > now {
            prop_assert!(used(&recent, later(free, -SignedDuration::from_secs(1))) >= max);
        }
    }

    #[test]
    fn jumps_land_after_the_hour_free_and_never_on_a_full_minute(
        now in 0_i64..100_000_000,
        seconds in prop::collection::vec(0_i64..3600, 4..8),
        count in 1_usize..60,
        grid in 0_i64..900,
        zone in prop::sample::select(&["UTC", "Asia/Kathmandu", "Australia/Lord_Howe"][..]),
    ) {
        let policy = Policy::new(TimeZone::get(zone).unwrap());
        let now = Timestamp::from_second(1_700_000_000 + now).unwrap();
        let recent: Vec<_> =
            seconds.iter().map(|ago| later(now, -SignedDuration::from_secs(*ago))).collect();
        let cadence = due::first(every(900), Timestamp::from_second(grid).unwrap()).0;
        let mut loads = BTreeMap::new();
        let hour = full_hour(now, &policy.zone);
        for _ in 0..count {
            let next = resume(&cadence, &recent, &policy, now, &mut loads);
            prop_assert!(next >= hour && hour > now);
            prop_assert!(used(&recent, next) < 4);
        }
        prop_assert!(loads.values().all(|load| *load <= policy.limits.per_minute));
    }
}

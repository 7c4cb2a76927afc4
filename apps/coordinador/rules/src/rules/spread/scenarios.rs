//! The acceptance scenarios about planning: S-10, S-11, S-12 and S-18.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::*;
use crate::model::{JobType, OltId};
use crate::rules::{
    quota::minute_of,
    samples::{at, cadence, secs},
};

fn policy() -> Policy {
    Policy::new(TimeZone::UTC)
}

fn placed(node: i64, seconds: i64, next: Timestamp) -> Placed {
    Placed {
        node: NodeId(node),
        olt: OltId(node),
        job: JobType::Get,
        priority: Priority::default(),
        cadence: cadence(seconds, next),
        next_run_at: next,
        recent: Vec::new(),
        overflow: false,
    }
}

fn many(count: i64, seconds: i64, next: Timestamp) -> Vec<Placed> {
    (1..=count).map(|node| placed(node, seconds, next)).collect()
}

/// How many start in each minute of the hour, by their next run.
fn by_minute(all: &[Placed]) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    for one in all {
        *counts.entry(minute_of(one.next_run_at) - minute_of(at("11:00:00"))).or_default() += 1;
    }
    counts
}

#[test]
fn scenario_10_seventeen_at_a_quarter_past_are_spread_once() {
    let mut all = many(17, 900, at("11:15:00"));
    let first = plan(&all, &policy(), at("11:05:00"));
    assert!(first.overflow.is_empty());
    applied(&mut all, &first);
    let window = at("11:12:00")..=at("11:18:00");
    assert!(all.iter().all(|one| window.contains(&one.next_run_at)));
    let even: BTreeMap<i64, usize> =
        (12..=18).map(|minute| (minute, 2 + usize::from((14..=16).contains(&minute)))).collect();
    assert_eq!(by_minute(&all), even, "two or three in each");
    let second = plan(&all, &policy(), at("11:07:00"));
    assert_eq!((second.moves.len(), second.overflow.len()), (0, 0));
}

#[test]
fn scenario_11_six_stay_seven_move_and_the_imminent_never_do() {
    let now = at("11:05:00");
    assert!(plan(&many(6, 3600, at("11:15:00")), &policy(), now).moves.is_empty());
    let mut seven = many(7, 3600, at("11:15:00"));
    let moved = plan(&seven, &policy(), now);
    applied(&mut seven, &moved);
    assert_eq!(by_minute(&seven), (12..=18).map(|minute| (minute, 1)).collect());
    let soon = plan(&many(7, 3600, at("11:05:45")), &policy(), now);
    assert!(soon.moves.is_empty());
    let mut two_days = many(4, 86_400, at("11:15:00"));
    two_days.extend((5..=8).map(|node| placed(node, 86_400, at("11:15:00") + secs(86_400))));
    assert!(plan(&two_days, &policy(), now).moves.is_empty());
}

#[test]
fn scenario_12_what_does_not_fit_goes_to_the_nearest_later_minute() {
    let mut all = many(60, 3600, at("11:15:00"));
    let first = plan(&all, &policy(), at("11:05:00"));
    assert_eq!(first.overflow.len(), 18);
    applied(&mut all, &first);
    let expected: BTreeMap<i64, usize> = (12..=21).map(|minute| (minute, 6)).collect();
    assert_eq!(by_minute(&all), expected);
    assert!(first.loads.iter().all(|load| load.nodes <= 6));
    let second = plan(&all, &policy(), at("11:07:00"));
    assert!(second.moves.is_empty(), "{:?}", second.moves);
    // As long as they have not run, it is told.
    for later in ["11:07:00", "11:13:00", "11:18:30"] {
        assert_eq!(plan(&all, &policy(), at(later)).overflow.len(), 18, "{later}");
    }
    all.retain(|one| one.next_run_at < at("11:19:00"));
    assert_eq!(plan(&all, &policy(), at("11:07:00")).overflow.len(), 0);
}

#[test]
fn a_crowd_that_fits_is_even_beside_one_that_does_not() {
    let mut all = many(60, 3600, at("11:15:00"));
    all.extend((101..=117).map(|node| placed(node, 3600, at("11:45:00"))));
    let first = plan(&all, &policy(), at("11:05:00"));
    assert_eq!(first.overflow.len(), 18);
    applied(&mut all, &first);
    let counts = by_minute(&all);
    let around: Vec<usize> = (42..=48).map(|minute| counts[&minute]).collect();
    assert!(around.iter().all(|count| (2..=3).contains(count)), "{around:?}");
    assert!(plan(&all, &policy(), at("11:07:00")).moves.is_empty());
}

#[test]
fn short_gets_of_an_olt_are_one_start_and_move_together() {
    let mut policy = policy();
    policy.limits.short_per_minute = 1;
    let mut all = many(9, 240, at("11:15:00"));
    for one in &mut all {
        one.olt = OltId((one.node.0 - 1) / 3);
    }
    let minutes = outlook(&all, &policy, at("11:05:00"), 11);
    assert_eq!((minutes[10].starts, minutes[10].nodes.len()), (3, 9));
    let first = plan(&all, &policy, at("11:05:00"));
    assert!(first.overflow.is_empty());
    applied(&mut all, &first);
    for trio in all.chunks(3) {
        assert!(trio.iter().all(|one| one.next_run_at == trio[0].next_run_at), "{trio:?}");
    }
    assert!(first.loads.iter().all(|load| load.short <= 1));
    assert!(plan(&all, &policy, at("11:05:00")).moves.is_empty());
}

#[test]
fn neighbours_and_quota_at_the_target_are_respected() {
    let mut all = many(7, 900, at("11:15:00"));
    for one in &mut all {
        one.recent = ["10:15:00", "10:30:00", "10:45:00", "11:00:00"].map(at).to_vec();
    }
    // Later by a minute is full already.
    all.extend((10..=15).map(|node| placed(node, 3600, at("11:16:30"))));
    let plan = plan(&all, &policy(), at("11:05:00"));
    assert!(plan.moves.iter().all(|one| one.next_run_at > one.from), "earlier would be blocked");
    let full = (at("11:16:00"), at("11:17:00"));
    let over = plan.loads.iter().find(|load| load.minute == full.0).unwrap();
    assert_eq!(over.nodes, 6, "nobody was put where six are");
}

#[test]
fn the_best_are_dealt_first_and_not_into_one_minute() {
    let mut all = many(14, 3600, at("11:15:00"));
    for one in &mut all[..4] {
        one.priority = Priority::BEST;
    }
    let first = plan(&all, &policy(), at("11:05:00"));
    applied(&mut all, &first);
    let moved = |one: &Placed| one.next_run_at.duration_since(at("11:15:00")).abs();
    let minutes: std::collections::BTreeSet<_> =
        all[..4].iter().map(|one| minute_of(one.next_run_at)).collect();
    assert_eq!(minutes.len(), 4, "each in a minute of its own");
    assert!(all[..4].iter().all(|one| moved(one) <= secs(120)), "and near its slot");
    assert!(by_minute(&all).values().all(|count| *count == 2));
}

#[test]
fn scenario_18_two_hundred_overdue_at_boot() {
    let mut all = many(200, 7200, at("09:00:00"));
    for one in &mut all[150..] {
        one.priority = Priority::BEST;
    }
    let now = at("11:00:20");
    let plan = settle(&all, &policy(), now);
    assert_eq!((plan.moves.len(), plan.overflow.len()), (194, 0));
    let nodes: std::collections::BTreeSet<_> = plan.moves.iter().map(|one| one.node).collect();
    assert_eq!(nodes.len(), 194, "each once, and six start now");
    applied(&mut all, &plan);
    for one in &mut all {
        one.next_run_at = one.next_run_at.max(now);
    }
    assert!(by_minute(&all).values().all(|count| *count <= 6));
    let last_best = all[150..].iter().map(|one| one.next_run_at).max();
    let first_other = all[..150].iter().map(|one| one.next_run_at).min();
    assert!(last_best <= first_other);
    assert_eq!(plan.moves[0].next_run_at, now + secs(60));
    let quick = settle(&many(200, 900, at("09:00:00")), &policy(), now);
    assert_eq!(quick.overflow.len(), 200 - 16 * 6, "these take their next slot");
}

#[test]
fn the_outlook_names_who_starts_when() {
    let all = [placed(1, 900, at("11:05:30")), placed(2, 3600, at("11:20:00"))];
    let minutes = outlook(&all, &policy(), at("11:00:10"), 60);
    let busy: Vec<_> = minutes.iter().filter(|minute| !minute.nodes.is_empty()).collect();
    assert_eq!(busy.len(), 4);
    assert_eq!(busy[1].at, at("11:20:00"));
    assert_eq!((busy[1].starts, &busy[1].nodes[..]), (2, &[NodeId(1), NodeId(2)][..]));
}

pub(super) fn applied(all: &mut [Placed], plan: &Plan) {
    for one in &plan.moves {
        let node = all.iter_mut().find(|node| node.node == one.node).expect("it is known");
        assert_eq!(node.next_run_at, one.from);
        node.next_run_at = one.next_run_at;
        node.cadence.phase = one.phase;
        node.overflow = one.overflow;
    }
}

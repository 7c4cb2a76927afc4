//! Over any fleet: moves stay in their window, a second pass moves nothing, and on a divisor chain
//! the peak is the least there can be.

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::{scenarios::applied, *};
use crate::rules::{
    due::is_on_grid,
    quota,
    samples::{at, cadence, every, secs},
};

fn eleven() -> Timestamp {
    at("11:00:20")
}

const CHAINS: &[&[i64]] = &[&[120, 240], &[60, 120, 360], &[180, 360], &[60, 300], &[420]];

prop_compose! {
    fn fleets()(
        nodes in prop::collection::vec(
            (
                prop::sample::select(&[60_i64, 120, 180, 300, 420, 700, 900, 1800, 3600, 86_400][..]),
                prop::sample::select(&[0_i64, 0, 60, 90, 300, 900, 1000, 2000][..]),
                1_i64..=5,
                prop::collection::vec(0_i64..3600, 0..5),
                prop::bool::weighted(0.1),
            ),
            0..120,
        ),
        cap in 1_u32..9,
        short in 1_u32..5,
    ) -> (Vec<Placed>, Policy) {
        let mut policy = Policy::new(TimeZone::UTC);
        policy.limits.per_minute = cap;
        policy.limits.short_per_minute = short;
        let placed = (1..).zip(nodes).map(|(node, (seconds, offset, priority, recent, jumped))| {
            let next = at("11:00:00") + secs(offset);
            let grid = if jumped { next - secs(45) } else { next };
            Placed {
                node: NodeId(node),
                olt: OltId(node % 40),
                job: JobType::Get,
                priority: Priority::new(priority).unwrap(),
                cadence: cadence(seconds, grid),
                next_run_at: next,
                recent: recent.into_iter().map(|ago| eleven() - secs(ago)).collect(),
                overflow: jumped && node % 2 == 0,
            }
        });
        (placed.collect(), policy)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn moves_are_small_worth_it_and_once((mut all, policy) in fleets()) {
        let before = all.clone();
        let first = plan(&all, &policy, eleven());
        for one in &first.moves {
            let known = before.iter().find(|known| known.node == one.node).unwrap();
            prop_assert!(known.next_run_at > eleven() + secs(60), "it was not imminent");
            prop_assert!(one.next_run_at > eleven() + secs(60));
            prop_assert!(one.phase.abs() <= secs(180));
            prop_assert!(one.next_run_at.duration_since(one.from).abs() > secs(30));
            if one.next_run_at < one.from {
                let max = quota::max_per_hour(known.cadence.interval);
                prop_assert!(quota::used(&known.recent, one.next_run_at) < max);
            }
            if one.phase != known.cadence.phase {
                let cadence = Cadence { phase: one.phase, ..known.cadence };
                prop_assert!(is_on_grid(&cadence, one.next_run_at));
            }
        }
        let worst = |plan: &Plan| plan.loads.iter().map(|load| load.nodes).max();
        let unmoved = plan(&[], &policy, eleven());
        prop_assert_eq!(worst(&unmoved), Some(0));
        applied(&mut all, &first);
        let second = plan(&all, &policy, eleven());
        prop_assert!(second.moves.is_empty(), "{:?} then {:?}", first.moves, second.moves);
        let told = |plan: &Plan| plan.overflow.iter().map(|one| one.node).collect::<Vec<_>>();
        prop_assert_eq!(told(&second), told(&first), "it lasts");
        let all_free = before.iter().all(|one| one.next_run_at > eleven() + secs(60));
        if first.overflow.is_empty() && all_free {
            let soon = eleven() + secs(120);
            let over = first.loads.iter().filter(|load| load.minute >= soon);
            let count = over.filter(|load| load.nodes > policy.limits.per_minute).count();
            prop_assert_eq!(count, 0);
        }
    }

    /// All residues of intervals up to seven minutes are within the window.
    #[test]
    fn on_a_divisor_chain_the_peak_is_the_least_there_can_be(
        chain in prop::sample::select(CHAINS),
        picks in prop::collection::vec((0_usize..3, 0_i64..7), 1..40),
    ) {
        let mut policy = Policy::new(TimeZone::UTC);
        let all: Vec<Placed> = (1..)
            .zip(picks)
            .map(|(node, (pick, offset))| {
                let seconds = chain[pick % chain.len()];
                let next = at("11:10:00") + secs(offset * 60 % seconds);
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
            })
            .collect();
        let hour: i64 = all.iter().map(|one| 25_200 / one.cadence.interval.seconds() * 60).sum();
        let least = u32::try_from((hour + 25_199) / 25_200).unwrap();
        policy.limits.per_minute = least;
        policy.limits.short_per_minute = least;
        let plan = plan(&all, &policy, at("11:00:00"));
        prop_assert!(plan.overflow.is_empty(), "{} over {least}", plan.overflow.len());
        prop_assert!(plan.loads.iter().all(|load| load.nodes <= least));
    }

    /// A crowd alone on its board is as even as its window allows.
    #[test]
    fn a_crowd_is_dealt_evenly(count in 7_i64..=42, priorities in prop::collection::vec(1_i64..=5, 42)) {
        let policy = Policy::new(TimeZone::UTC);
        let mut all: Vec<Placed> = (1..=count)
            .map(|node| Placed {
                node: NodeId(node),
                olt: OltId(node),
                job: JobType::Get,
                priority: Priority::new(priorities[node as usize - 1]).unwrap(),
                cadence: cadence(3600, at("11:15:00")),
                next_run_at: at("11:15:00"),
                recent: Vec::new(),
                overflow: false,
            })
            .collect();
        let first = plan(&all, &policy, at("11:05:00"));
        applied(&mut all, &first);
        let mut counts = [0_i64; 7];
        for one in &all {
            counts[usize::try_from(quota::minute_of(one.next_run_at) - quota::minute_of(at("11:12:00"))).unwrap()] += 1;
        }
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        prop_assert!(most - least <= 1, "{:?}", counts);
        prop_assert!(plan(&all, &policy, at("11:07:00")).moves.is_empty());
    }

    #[test]
    fn settling_keeps_the_cap_and_loses_nobody((all, policy) in fleets()) {
        let plan = settle(&all, &policy, eleven());
        let overdue = all.iter().filter(|one| one.next_run_at <= eleven()).count();
        let now_minute = policy.limits.per_minute as usize;
        prop_assert!(plan.moves.len() <= overdue && plan.moves.len() + now_minute >= overdue);
        let mut minutes = std::collections::BTreeMap::<i64, u32>::new();
        for one in &plan.moves {
            prop_assert!(one.next_run_at > eleven());
            if !plan.overflow.iter().any(|over| over.node == one.node) {
                *minutes.entry(quota::minute_of(one.next_run_at)).or_default() += 1;
            }
        }
        prop_assert!(minutes.values().all(|count| *count <= policy.limits.per_minute));
    }
}

#[test]
fn an_empty_fleet_and_a_cap_of_zero_are_no_trouble() {
    let mut policy = Policy::new(TimeZone::UTC);
    policy.limits.per_minute = 0;
    let one = Placed {
        node: NodeId(1),
        olt: OltId(1),
        job: JobType::Get,
        priority: Priority::BEST,
        cadence: cadence(1, Timestamp::MIN),
        next_run_at: at("11:10:00"),
        recent: Vec::new(),
        overflow: false,
    };
    assert_eq!(plan(std::slice::from_ref(&one), &policy, eleven()).overflow.len(), 1);
    let far = Placed {
        next_run_at: Timestamp::MAX,
        cadence: cadence(every(86_400).seconds(), Timestamp::MAX),
        ..one
    };
    assert!(plan(std::slice::from_ref(&far), &policy, eleven()).moves.is_empty());
    assert!(settle(&[far], &policy, Timestamp::MAX).overflow.len() <= 1);
}

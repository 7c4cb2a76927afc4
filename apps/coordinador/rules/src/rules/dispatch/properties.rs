//! Over any world: no limit is passed, everybody is started or told why, and a plan is a fixed
//! point.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::{
    model::{Backoff, Priority, Switch},
    rules::{
        quota::minute_of,
        samples::{at, cadence, due, running, secs, waiting, world},
        world::{Able, Site, Started},
    },
};

pub(in crate::rules) fn eleven() -> Timestamp {
    at("11:00:20")
}

fn sites() -> impl Strategy<Value = BTreeMap<i64, Site>> {
    let backoff = prop::option::weighted(0.2, -60_i64..60).prop_map(|until| {
        until.map(|until| Backoff {
            failures: 1,
            since: at("10:00:00"),
            until: eleven() + secs(until),
        })
    });
    let site = (prop::bool::weighted(0.9), prop::bool::weighted(0.95), backoff)
        .prop_map(|(enabled, workflow_active, backoff)| Site { enabled, workflow_active, backoff });
    prop::collection::btree_map(0_i64..8, site, 6..9)
}

prop_compose! {
    fn able()(
        switch in prop::sample::select(&[Switch::On, Switch::On, Switch::On, Switch::Paused, Switch::Off][..]),
        template_active in prop::bool::weighted(0.95),
        has_oid in prop::bool::weighted(0.95),
    ) -> Able {
        Able { switch, template_active, has_oid }
    }
}

prop_compose! {
    fn dues()(
        node in 0_i64..1,
        olt in 0_i64..9,
        discovers in any::<bool>(),
        priority in 1_i64..=5,
        able in able(),
        seconds in prop::sample::select(&[60_i64, 120, 300, 700, 900, 3600][..]),
        late in prop::option::weighted(0.95, -30_i64..4000),
        recent in prop::collection::vec(0_i64..4000, 0..5),
        told in any::<bool>(),
    ) -> Due {
        let next = late.map(|late| eleven() - secs(late));
        Due {
            job: if discovers { JobType::Discovery } else { JobType::Get },
            priority: Priority::new(priority).unwrap(),
            able,
            cadence: cadence(seconds, at("00:00:00")),
            next_run_at: next,
            recent: recent.into_iter().map(|ago| eleven() - secs(ago)).collect(),
            told,
            ..due(node, olt, eleven())
        }
    }
}

prop_compose! {
    pub(in crate::rules) fn worlds()(
        sites in sites(),
        dues in prop::collection::vec(dues(), 0..40),
        runs in prop::collection::vec((0_i64..9, any::<bool>(), 0_i64..400), 0..8),
        waits in prop::collection::vec((0_i64..9, any::<bool>(), 0_i64..2000, able()), 0..5),
        starts in prop::collection::vec((0_i64..80, any::<bool>()), 0..7),
        caps in (0_u32..8, 0_u32..4, 0_u32..6, 1_u32..8, 1_u32..4),
    ) -> World {
        let mut world = world();
        let limits = &mut world.policy.limits;
        (limits.per_minute, limits.short_per_minute) = (caps.0, caps.1);
        (limits.discovery, limits.total, limits.per_olt) = (caps.2, caps.3, caps.4);
        world.olts = sites.into_iter().map(|(olt, site)| (OltId(olt), site)).collect();
        for (node, due) in (1..).zip(dues) {
            world.due.push(Due { node: NodeId(node), ..due });
        }
        for (run, (olt, discovers, ago)) in (1..).zip(runs) {
            let job = if discovers { JobType::Discovery } else { JobType::Get };
            world.running.push(running(run, 100 + run - i64::from(run % 4 == 0) * 99, olt, job, eleven() - secs(ago)));
        }
        for (run, (olt, manual, ago, able)) in (50..).zip(waits) {
            let cause = if manual { Cause::Manual } else { Cause::Chained };
            let waiting = waiting(run, 200 + run - i64::from(run % 3 == 0) * 220, olt, cause, eleven() - secs(ago));
            world.waiting.push(crate::rules::world::Waiting { able, ..waiting });
        }
        world.starts = starts.into_iter().map(|(ago, short)| Started { at: eleven() - secs(ago), short }).collect();
        world
    }
}

/// Never above a limit because of what the plan starts.
pub(in crate::rules) fn check_limits(world: &World, plan: &Plan, now: Timestamp) {
    let limits = &world.policy.limits;
    let gone: HashSet<_> = plan.fences().iter().map(|fence| fence.run).collect();
    let left = world.running.iter().filter(|one| !gone.contains(&one.run) && !one.rides);
    let left: Vec<_> = left.collect();
    let (ride, starts): (Vec<Start>, Vec<Start>) =
        plan.starts().into_iter().partition(|one| one.rides_with.is_some());
    for one in ride {
        let leads = |start: &&Start| Some(start.node) == one.rides_with;
        let leader = starts.iter().find(leads).expect("it starts in the same plan");
        assert!(leader.olt == one.olt && leader.job == one.job && leader.short && one.short);
    }
    for start in &starts {
        let same = |olt: OltId, job| {
            left.iter().filter(|one| one.olt == olt && one.job == job).count()
                + starts.iter().filter(|one| one.olt == olt && one.job == job).count()
        };
        assert!(same(start.olt, start.job) <= 1, "one per type and OLT");
        let [discovery, get] = [JobType::Discovery, JobType::Get].map(|job| same(start.olt, job));
        assert!(discovery + get <= limits.per_olt as usize, "per OLT");
        let of = |job| {
            left.iter().filter(|one| one.job == job).count()
                + starts.iter().filter(|one| one.job == job).count()
        };
        assert!(of(start.job) <= limits.of(start.job) as usize, "per type");
        assert!(left.len() + starts.len() <= limits.total as usize, "in total");
        let site = world.olts[&start.olt];
        assert!(site.enabled && site.workflow_active);
    }
    let minute = |short: bool| {
        let known = world.starts.iter().filter(|one| !short || one.short);
        let known: Vec<_> = known.map(|one| one.at).collect();
        let new = starts.iter().filter(|one| !short || one.short).count();
        let clock = known.iter().filter(|at| minute_of(**at) == minute_of(now)).count();
        let sliding = known.iter().filter(|at| **at > now - secs(60)).count();
        (new, new + clock.max(sliding))
    };
    let (new, all) = minute(false);
    assert!(new == 0 || all <= limits.per_minute as usize, "{all} in a minute");
    let (new, all) = minute(true);
    assert!(new == 0 || all <= limits.short_per_minute as usize, "{all} short in a minute");
}

proptest! {
    #[test]
    fn limits_hold_everybody_is_named_once_and_planning_again_starts_nothing(mut world in worlds()) {
        let first = plan(&world, eleven());
        check_limits(&world, &first, eleven());
        let mut named: Vec<Subject> = first.starts().iter().map(|one| one.subject).collect();
        named.extend(first.held.iter().map(|one| one.subject));
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        prop_assert_eq!((named.len(), count), (count, world.due.len() + world.waiting.len()));
        let mut live: Vec<NodeId> = world.running.iter().map(|one| one.node).collect();
        live.retain(|node| !first.fences().iter().any(|fence| fence.node == *node));
        live.extend(first.starts().iter().map(|one| one.node));
        for due in &world.due {
            prop_assert!(live.iter().filter(|node| **node == due.node).count() <= 1, "{}", due.node);
        }
        prop_assert!(first.next_look.is_none_or(|at| at > eleven()));
        world.applied(&first, &mut 1000, eleven());
        let again = plan(&world, eleven());
        prop_assert!(again.is_settled(), "{again:?} after {first:?}");
    }

    #[test]
    fn the_quota_is_never_passed(mut world in worlds()) {
        world.policy.limits = crate::policy::Limits { per_minute: 100, total: 100, ..world.policy.limits };
        let plan = plan(&world, eleven());
        for start in plan.starts().iter().filter(|start| start.cause == Cause::Scheduled) {
            let due = world.due.iter().find(|due| due.node == start.node).unwrap();
            prop_assert!(!Usage::at(&due.recent, due.cadence.interval, eleven()).is_full());
            prop_assert!(start.next_run_at.is_some_and(|next| next > eleven()));
        }
    }

    #[test]
    fn waiting_for_the_next_look_loses_nothing(world in worlds()) {
        let first = plan(&world, eleven());
        let mut settled = world;
        settled.applied(&first, &mut 1000, eleven());
        settled.due.retain(|due| due.next_run_at.is_some_and(|next| next <= eleven()));
        let held = plan(&settled, eleven());
        let until = held.next_look.unwrap_or(eleven() + secs(300)).min(eleven() + secs(300));
        let between = eleven() + (until.duration_since(eleven()) / 2);
        if between < until {
            prop_assert!(plan(&settled, between).is_settled(), "{held:?}");
        }
    }
}

//! What must hold, counted apart from what the planners are told.

use std::collections::HashMap;

use jiff::Timestamp;

use super::fleet::{Fleet, Master};
use crate::{
    model::{Interval, NodeId, Switch},
    policy::{Limits, Policy},
    rules::{
        dispatch::{Plan, properties::check_limits},
        due, quota,
        samples::secs,
        spread::Move,
        world::World,
    },
};

pub(super) fn plan(world: &World, plan: &Plan, now: Timestamp) {
    check_limits(world, plan, now);
    let named = plan.starts().len() + plan.held.len();
    assert_eq!(named, world.due.len() + world.waiting.len(), "everybody is named");
    assert!(plan.next_look.is_none_or(|at| at > now));
}

/// Every start there ever was.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    all: Vec<Timestamp>,
    scheduled: HashMap<NodeId, Vec<Timestamp>>,
}

impl Ledger {
    /// No clock minute and no 60 seconds have more than the cap.
    pub(super) fn any(&mut self, now: Timestamp, limits: &Limits) {
        self.all.push(now);
        let cap = limits.per_minute as usize;
        let recent = self.all.iter().rev().take(cap + 1);
        let sliding = recent.clone().filter(|at| now.duration_since(**at) < secs(60)).count();
        let minute = quota::minute_of(now);
        let clock = recent.filter(|at| quota::minute_of(**at) == minute).count();
        assert!(sliding <= cap && clock <= cap, "{sliding} and {clock} at {now}");
    }

    /// No hour has more of a node than its quota. A node whose interval was changed is measured
    /// by the new one, so only starts under it are compared.
    pub(super) fn started(&mut self, node: NodeId, interval: Interval, now: Timestamp) {
        let starts = self.scheduled.entry(node).or_default();
        starts.push(now);
        let used =
            starts.iter().rev().take_while(|at| now.as_second() - at.as_second() < 3600).count();
        assert!(used <= quota::max_per_hour(interval) as usize, "node {node}: {used} at {now}");
    }

    pub(super) fn starts_of(&self, node: NodeId) -> &[Timestamp] {
        self.scheduled.get(&node).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn moved(master: &Master, one: &Move, policy: &Policy, now: Timestamp) {
    assert!(one.phase.abs() <= policy.spread.window, "{one:?}");
    assert!(one.from > now + policy.spread.settled, "it was not imminent: {one:?}");
    assert!(one.next_run_at.duration_since(one.from).abs() > policy.spread.significant);
    assert!(one.next_run_at > now, "{one:?}");
    let later = one.next_run_at.duration_since(one.from);
    assert!(later < master.cadence.interval.duration(), "{one:?}");
}

/// Whoever may run has a next run that is not long past, unless its house is overloaded.
pub(super) fn nobody_lost(fleet: &Fleet) {
    let limit = secs(900);
    let mut late = 0;
    for master in &fleet.masters {
        let machine = fleet.machines[master.olt.0 as usize];
        let free = machine.enabled && !machine.dead && machine.backoff.is_none();
        if free && master.switch == Switch::On && master.next < due::later(fleet.now, -limit) {
            late += 1;
        }
    }
    let demand = fleet.masters.iter().map(|one| 3600 / one.cadence.interval.seconds()).sum::<i64>();
    assert!(late == 0 || demand > 300, "{late} wait for more than a quarter of an hour");
    for (node, starts) in &fleet.ledger.scheduled {
        assert!(starts.is_sorted() && !starts.is_empty(), "{node}");
    }
}

//! *Despacho* (spec rules 3 to 9): what starts now, and why the rest does not.
//!
//! Whoever is ready claims a turn. Claims are heard in one order, each takes its permits if every
//! condition holds, and is held by the first that does not; one that waits never keeps another
//! from a place it cannot use itself. The fixed point: after the plan is applied nothing starts.

mod claim;
mod conditions;
mod permits;
#[cfg(test)]
pub(super) mod properties;
mod rate;
#[cfg(test)]
mod scenarios;

use jiff::Timestamp;

pub use claim::{Claim, Subject};
pub use conditions::failing;
pub use permits::Permits;

use super::{
    due,
    quota::{self, Usage},
    reason::{Reason, stale_at},
    world::{Due, Running, World},
};
use crate::model::{Cause, JobType, NodeId, OltId};

#[must_use = "a plan does nothing until it is applied"]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Runs that took too long: INTERRUPTED (STALE), and what they answer later is ignored.
    pub fences: Vec<Running>,
    /// In the order in which they were heard.
    pub starts: Vec<Start>,
    /// Another next run, without a start.
    pub replans: Vec<Replan>,
    pub held: Vec<Held>,
    /// When time alone changes the plan next.
    pub next_look: Option<Timestamp>,
}

impl Plan {
    pub const fn is_settled(&self) -> bool {
        self.fences.is_empty() && self.starts.is_empty() && self.replans.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// A node gets a new run, a PENDING run becomes RUNNING.
    pub subject: Subject,
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub cause: Cause,
    pub planned_at: Timestamp,
    /// Of a scheduled run: its next slot.
    pub next_run_at: Option<Timestamp>,
    pub short: bool,
    /// The OLT did not answer last time.
    pub probes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replan {
    pub node: NodeId,
    pub next_run_at: Timestamp,
    pub motive: Motive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motive {
    /// *Cuota alcanzada*: skipped, and jumped.
    Quota(Usage),
    /// It had no next run.
    Repair,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub subject: Subject,
    pub node: NodeId,
    pub olt: OltId,
    /// What holds it first.
    pub reason: Reason,
}

pub fn plan(world: &World, now: Timestamp) -> Plan {
    let mut plan = Plan { fences: stale(world, now), ..Plan::default() };
    let mut permits = Permits::new(world, &plan.fences);
    let mut loads = world.loads.clone();
    for claim in claim::ranked(world, now) {
        let Some(reason) = conditions::first(world, &permits, &claim, now) else {
            permits.take(&claim, now);
            plan.starts.push(claim.start(world.policy.quota.patience, now));
            continue;
        };
        let moved =
            claim.slot.and_then(|due| replan(world, &permits, due, reason, now, &mut loads));
        let reason = match (moved, reason) {
            (Some(moved), Reason::Quota { used, max, .. }) => {
                Reason::Quota { used, max, until: moved.next_run_at }
            }
            (_, reason) => reason,
        };
        plan.replans.extend(moved);
        let Claim { subject, node, olt, .. } = claim;
        plan.held.push(Held { subject, node, olt, reason });
    }
    plan.next_look = next_look(world, &plan, now);
    plan
}

fn stale(world: &World, now: Timestamp) -> Vec<Running> {
    let stale = world.policy.stale;
    let mut all: Vec<Running> = world
        .running
        .iter()
        .filter(|running| stale_at(running.started_at, stale) <= now)
        .copied()
        .collect();
    all.sort_by_key(|running| running.run);
    all
}

/// At its quota a node jumps, unless the quota frees itself soon; without a next run it gets one.
fn replan(
    world: &World,
    permits: &Permits,
    due: &Due,
    reason: Reason,
    now: Timestamp,
    loads: &mut std::collections::BTreeMap<i64, u32>,
) -> Option<Replan> {
    let (next_run_at, motive) = match reason {
        Reason::NotPlanned { at } => (at, Motive::Repair),
        Reason::Quota { used, max, until } => {
            if until <= due::later(now, world.policy.quota.patience) {
                return None;
            }
            let recent = permits.recent(due);
            let next = quota::resume(&due.cadence, &recent, &world.policy, now, loads);
            (next, Motive::Quota(Usage { used, max }))
        }
        Reason::Unable(_)
        | Reason::AlreadyLive { .. }
        | Reason::NotDue { .. }
        | Reason::WaitsForMaster { .. }
        | Reason::SameTypeRunning { .. }
        | Reason::OltBusy { .. }
        | Reason::TypeLimit { .. }
        | Reason::TotalLimit { .. }
        | Reason::MinuteLimit { .. }
        | Reason::ShortLimit { .. }
        | Reason::OltUnreachable { .. }
        | Reason::Probing { .. } => return None,
    };
    Some(Replan { node: due.node, next_run_at, motive })
}

fn next_look(world: &World, plan: &Plan, now: Timestamp) -> Option<Timestamp> {
    let stale = world.policy.stale;
    let over = world.running.iter().map(|running| stale_at(running.started_at, stale));
    let held = plan.held.iter().filter_map(|held| held.reason.until());
    let started =
        plan.starts.iter().flat_map(|start| [start.next_run_at, Some(stale_at(now, stale))]);
    let moved = plan.replans.iter().map(|moved| moved.next_run_at);
    let all = over.chain(held).chain(started.flatten()).chain(moved).chain(world.upcoming);
    all.filter(|at| *at > now).min()
}

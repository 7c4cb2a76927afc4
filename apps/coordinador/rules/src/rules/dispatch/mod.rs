//! *Despacho* (R-3 to R-9): what starts now, and why the rest does not.
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

use engine::Planned;
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
    /// Runs that are cut off come first, then the others in the order in which they were heard.
    pub changes: Vec<Change>,
    pub held: Vec<Held>,
    /// When time alone changes the plan next.
    pub next_look: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// INTERRUPTED, because it took too long (STALE) or its process is gone (LOST); what it answers
    /// later is ignored.
    Fence(Running),
    Start(Start),
    /// Another next run, without a start.
    Replan(Replan),
    /// *Postergado* (§2): its slot waits for a run of the same type. Said once for each slot.
    PutOff(PutOff),
}

impl Planned for Plan {
    type Change = Change;
    type Held = Held;

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn held(&self) -> &[Held] {
        &self.held
    }
}

impl Plan {
    pub const fn is_settled(&self) -> bool {
        self.changes.is_empty()
    }

    pub fn fences(&self) -> Vec<Running> {
        self.only(|change| if let Change::Fence(run) = change { Some(run) } else { None })
    }

    pub fn starts(&self) -> Vec<Start> {
        self.only(|change| if let Change::Start(start) = change { Some(start) } else { None })
    }

    pub fn replans(&self) -> Vec<Replan> {
        self.only(|change| if let Change::Replan(moved) = change { Some(moved) } else { None })
    }

    pub fn put_off(&self) -> Vec<PutOff> {
        self.only(|change| if let Change::PutOff(slot) = change { Some(slot) } else { None })
    }

    fn only<T>(&self, of: impl Fn(Change) -> Option<T>) -> Vec<T> {
        self.changes.iter().copied().filter_map(of).collect()
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
    /// The node that it is asked together with, as one run that holds the permits for both.
    pub rides_with: Option<NodeId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutOff {
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    /// Whose run is in the way.
    pub holder: NodeId,
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
    let fences = fences(world, now);
    let mut permits = Permits::new(world, &fences);
    let changes = fences.into_iter().map(Change::Fence).collect();
    let mut plan = Plan { changes, ..Plan::default() };
    let mut loads = world.loads.clone();
    let mut waiting = Vec::new();
    for claim in claim::ranked(world, now) {
        let Some(reason) = conditions::first(world, &permits, &claim, now) else {
            permits.take(&claim, now);
            plan.changes.push(Change::Start(claim.start(world.policy.quota.wait_in_place, now)));
            continue;
        };
        if let Some(leader) = rides_with(&permits, &claim, reason) {
            permits.join(&claim);
            let start = claim.start(world.policy.quota.wait_in_place, now);
            plan.changes.push(Change::Start(Start { rides_with: Some(leader), ..start }));
            continue;
        }
        let moved =
            claim.slot.and_then(|due| replan(world, &permits, due, reason, now, &mut loads));
        let reason = match (moved, reason) {
            (Some(moved), Reason::Quota { used, max, .. }) => {
                Reason::Quota { used, max, until: moved.next_run_at }
            }
            (_, reason) => reason,
        };
        plan.changes.extend(moved.map(Change::Replan));
        let Claim { subject, node, olt, .. } = claim;
        plan.held.push(Held { subject, node, olt, reason });
        if reason.is_room() && claim.slot.is_some_and(|due| !due.told) {
            waiting.push(claim);
        }
    }
    // Once all have started who do: whoever was heard before the run that is in its way, too.
    let put_off = waiting.iter().filter_map(|claim| put_off(world, &permits, claim, now));
    plan.changes.extend(put_off.map(Change::PutOff));
    plan.next_look = next_look(world, &plan, now);
    plan
}

/// Short gets of one OLT that are due together are asked together (§6.4b): one run, one start, one
/// permit. Everything else that must hold holds already: another of its type comes after that.
fn rides_with(permits: &Permits, claim: &Claim<'_>, reason: Reason) -> Option<NodeId> {
    let Reason::SameTypeRunning { holder, .. } = reason else { return None };
    let leads = holder.run.is_none() && permits.leads.contains(&holder.node);
    (leads && claim.may_share()).then_some(holder.node)
}

fn put_off(world: &World, permits: &Permits, claim: &Claim<'_>, now: Timestamp) -> Option<PutOff> {
    let reason = conditions::same_type(world, permits, claim, now)?;
    let Reason::SameTypeRunning { holder, .. } = reason else { return None };
    let Claim { node, olt, job, .. } = *claim;
    Some(PutOff { node, olt, job, holder: holder.node })
}

fn fences(world: &World, now: Timestamp) -> Vec<Running> {
    let stale = world.policy.stale;
    let mut all: Vec<Running> = world
        .running
        .iter()
        .filter(|running| running.lost || stale_at(running.started_at, stale) <= now)
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
            if until <= due::later(now, world.policy.quota.wait_in_place) {
                return None;
            }
            let recent = permits.recent(due);
            let next = quota::resume(&due.cadence, &recent, &world.policy, now, loads);
            (next, Motive::Quota(Usage { used, max }))
        }
        _ => return None,
    };
    Some(Replan { node: due.node, next_run_at, motive })
}

fn next_look(world: &World, plan: &Plan, now: Timestamp) -> Option<Timestamp> {
    let stale = world.policy.stale;
    let over = world.running.iter().map(|running| stale_at(running.started_at, stale));
    let held = plan.held.iter().filter_map(|held| held.reason.until());
    let changed = plan.changes.iter().flat_map(|change| match change {
        Change::Fence(_) | Change::PutOff(_) => [None, None],
        Change::Start(start) => [start.next_run_at, Some(stale_at(now, stale))],
        Change::Replan(moved) => [Some(moved.next_run_at), None],
    });
    let all = over.chain(held).chain(changed.flatten()).chain(world.upcoming);
    all.filter(|at| *at > now).min()
}

//! What must hold before something starts, in the order of F-2.19.

use jiff::Timestamp;

use super::{Claim, Permits, Subject};
use crate::{
    model::{Cause, Switch},
    rules::{
        due,
        quota::{self, Usage},
        reason::{Reason, Unable, stale_at},
        world::World,
    },
};

type Condition = fn(&World, &Permits, &Claim<'_>, Timestamp) -> Option<Reason>;

const ORDER: &[Condition] = &[
    olt_enabled,
    workflow_active,
    template_active,
    node_enabled,
    has_oid,
    not_live,
    is_due,
    quota_left,
    same_type,
    olt_room,
    type_room,
    total_room,
    minute_room,
    short_room,
    reachable,
];

/// Every condition that fails, in order. Of a slot that has not come, what has to do with room now
/// says nothing about then: its time is the one that is told.
pub fn failing(world: &World, permits: &Permits, claim: &Claim<'_>, now: Timestamp) -> Vec<Reason> {
    let mut failing = Vec::new();
    for condition in ORDER {
        let Some(reason) = condition(world, permits, claim, now) else { continue };
        failing.push(reason);
        if matches!(reason, Reason::NotDue { .. } | Reason::NotPlanned { .. }) {
            break;
        }
    }
    failing
}

pub(super) fn first(
    world: &World,
    permits: &Permits,
    claim: &Claim<'_>,
    now: Timestamp,
) -> Option<Reason> {
    ORDER.iter().find_map(|condition| condition(world, permits, claim, now))
}

fn olt_enabled(world: &World, _: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let enabled = world.olts.get(&claim.olt).is_some_and(|site| site.enabled);
    (!enabled).then_some(Reason::Unable(Unable::OltDisabled))
}

fn workflow_active(world: &World, _: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let active = world.olts.get(&claim.olt).is_none_or(|site| site.workflow_active);
    (!active).then_some(Reason::Unable(Unable::WorkflowInactive))
}

/// A person may run a node of an inactive template (F-1.2).
fn template_active(_: &World, _: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let active = claim.able.template_active || claim.cause == Cause::Manual;
    (!active).then_some(Reason::Unable(Unable::TemplateInactive))
}

/// A pause stops the plan, not the person.
fn node_enabled(_: &World, _: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    match (claim.able.switch, claim.cause) {
        (Switch::On, _) | (Switch::Paused, Cause::Manual) => None,
        (Switch::Paused, Cause::Scheduled | Cause::Chained) => Some(Unable::Paused),
        (Switch::Off, _) => Some(Unable::NodeDisabled),
    }
    .map(Reason::Unable)
}

fn has_oid(_: &World, _: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    (!claim.able.has_oid).then_some(Reason::Unable(Unable::NoOid))
}

fn not_live(_: &World, permits: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let run = (*permits.live.get(&claim.node)?)?;
    (claim.subject != Subject::Run(run)).then_some(Reason::AlreadyLive { run })
}

fn is_due(_: &World, _: &Permits, claim: &Claim<'_>, now: Timestamp) -> Option<Reason> {
    let Some(at) = claim.planned_at else {
        let slot = claim.slot?;
        let at = due::next_after(&slot.cadence, now);
        return Some(Reason::NotPlanned { at });
    };
    (claim.slot.is_some() && now < at).then_some(Reason::NotDue { at })
}

fn quota_left(_: &World, permits: &Permits, claim: &Claim<'_>, now: Timestamp) -> Option<Reason> {
    let slot = claim.slot?;
    let recent = permits.recent(slot);
    let usage = Usage::at(&recent, slot.cadence.interval, now);
    let until = || quota::frees_at(&recent, usage.max, now);
    usage.is_full().then(|| Reason::Quota { used: usage.used, max: usage.max, until: until() })
}

pub(super) fn same_type(
    world: &World,
    permits: &Permits,
    claim: &Claim<'_>,
    _: Timestamp,
) -> Option<Reason> {
    let other = permits.on(claim.olt).iter().find(|other| other.job == claim.job)?;
    Some(Reason::SameTypeRunning {
        holder: other.holder,
        job: other.job,
        since: other.since,
        stale_at: stale_at(other.since, world.policy.stale),
    })
}

fn olt_room(world: &World, permits: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let running = u32::try_from(permits.on(claim.olt).len()).unwrap_or(u32::MAX);
    let max = world.policy.limits.per_olt;
    (running >= max).then_some(Reason::OltBusy { running, max })
}

fn type_room(world: &World, permits: &Permits, claim: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let (job, running) = (claim.job, permits.running(claim.job));
    let max = world.policy.limits.of(job);
    (running >= max).then_some(Reason::TypeLimit { job, running, max })
}

fn total_room(world: &World, permits: &Permits, _: &Claim<'_>, _: Timestamp) -> Option<Reason> {
    let (running, max) = (permits.total(), world.policy.limits.total);
    (running >= max).then_some(Reason::TotalLimit { running, max })
}

fn minute_room(_: &World, permits: &Permits, _: &Claim<'_>, now: Timestamp) -> Option<Reason> {
    let until = permits.rate.full_until(now)?;
    Some(Reason::MinuteLimit { max: permits.rate.max(), until })
}

fn short_room(_: &World, permits: &Permits, claim: &Claim<'_>, now: Timestamp) -> Option<Reason> {
    let until = claim.short.then(|| permits.short.full_until(now))??;
    Some(Reason::ShortLimit { max: permits.short.max(), until })
}

/// An OLT that did not answer is left alone, then tried by one run. A person who asks for a run
/// wants to know now.
fn reachable(
    world: &World,
    permits: &Permits,
    claim: &Claim<'_>,
    now: Timestamp,
) -> Option<Reason> {
    let backoff = world.olts.get(&claim.olt)?.backoff?;
    if now < backoff.until && claim.cause != Cause::Manual {
        let (failures, until) = (backoff.failures, backoff.until);
        return Some(Reason::OltUnreachable { failures, until });
    }
    let probe = permits.on(claim.olt).first()?;
    Some(Reason::Probing { holder: probe.holder })
}

//! Who wants to start, and in which order they are heard.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use super::Start;
use crate::{
    model::{Cause, JobType, NodeId, OltId, Priority, RunId},
    rules::{
        due,
        world::{Able, Due, Waiting, World},
    },
};

/// What a plan speaks about: a slot of a node, or a run that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Node(NodeId),
    Run(RunId),
}

#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub subject: Subject,
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub able: Able,
    pub cause: Cause,
    /// None: it has no next run.
    pub planned_at: Option<Timestamp>,
    pub short: bool,
    /// Set for scheduled claims: only they have a quota.
    pub slot: Option<&'a Due>,
    probes: bool,
    rank: Rank,
}

/// Overdue by more than an interval, type, priority, planned time, node; before them whatever a
/// person asked for, who is looking at the screen.
type Rank = (Class, Reverse<u8>, Priority, Timestamp, NodeId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Manual,
    Overdue,
    Fresh,
}

impl<'a> Claim<'a> {
    pub fn slot(world: &World, due: &'a Due, now: Timestamp) -> Self {
        let planned = due.next_run_at.unwrap_or(now);
        let late = due::later(planned, due.cadence.interval.duration()) < now;
        let class = if late { Class::Overdue } else { Class::Fresh };
        Self {
            subject: Subject::Node(due.node),
            node: due.node,
            olt: due.olt,
            job: due.job,
            able: due.able,
            cause: Cause::Scheduled,
            planned_at: due.next_run_at,
            short: world.policy.limits.is_short(due.cadence.interval),
            slot: Some(due),
            probes: probes(world, due.olt),
            rank: (class, Reverse(due.job.weight()), due.priority, planned, due.node),
        }
    }

    pub fn run(world: &World, waiting: &Waiting, now: Timestamp) -> Self {
        let late = due::later(waiting.asked_at, waiting.interval.duration()) < now;
        let class = match (waiting.cause, late) {
            (Cause::Manual, _) => Class::Manual,
            (Cause::Chained | Cause::Scheduled, true) => Class::Overdue,
            (Cause::Chained | Cause::Scheduled, false) => Class::Fresh,
        };
        let weight = Reverse(waiting.job.weight());
        Self {
            subject: Subject::Run(waiting.run),
            node: waiting.node,
            olt: waiting.olt,
            job: waiting.job,
            able: waiting.able,
            cause: waiting.cause,
            planned_at: Some(waiting.asked_at),
            short: world.policy.limits.is_short(waiting.interval),
            slot: None,
            probes: probes(world, waiting.olt),
            rank: (class, weight, waiting.priority, waiting.asked_at, waiting.node),
        }
    }

    /// A slot of a short get may be asked together with others of its OLT.
    pub(super) fn may_share(&self) -> bool {
        self.short && self.job == JobType::Get && self.slot.is_some()
    }

    pub(super) fn start(&self, wait_in_place: SignedDuration, now: Timestamp) -> Start {
        let planned_at = self.planned_at.unwrap_or(now);
        let next = |due: &Due| due::after_start(&due.cadence, planned_at, wait_in_place, now);
        Start {
            subject: self.subject,
            node: self.node,
            olt: self.olt,
            job: self.job,
            cause: self.cause,
            planned_at,
            next_run_at: self.slot.map(next),
            short: self.short,
            probes: self.probes,
            rides_with: None,
        }
    }
}

fn probes(world: &World, olt: OltId) -> bool {
    world.olts.get(&olt).is_some_and(|site| site.backoff.is_some())
}

/// Everybody, in the order in which they are heard.
pub(super) fn ranked(world: &World, now: Timestamp) -> Vec<Claim<'_>> {
    let slots = world.due.iter().map(|due| Claim::slot(world, due, now));
    let runs = world.waiting.iter().map(|waiting| Claim::run(world, waiting, now));
    let mut claims: Vec<Claim<'_>> = slots.chain(runs).collect();
    claims.sort_by_key(|claim| (claim.rank, claim.subject));
    claims
}

//! The permits of the dispatcher: how many may run at once and start in a minute, and what a plan
//! has spent of them so far.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::{Claim, rate::Rate};
use crate::{
    model::{Cause, JobType, NodeId, OltId, RunId},
    rules::{
        reason::Holder,
        world::{Due, Running, World},
    },
};

#[derive(Debug)]
pub struct Permits {
    discovery: u32,
    get: u32,
    olts: HashMap<OltId, Vec<Occupant>>,
    pub(super) live: HashMap<NodeId, Option<RunId>>,
    /// Starts of this plan that others may join.
    pub(super) leads: HashSet<NodeId>,
    pub(super) rate: Rate,
    pub(super) short: Rate,
    /// Runs cut off by this plan count for their node's quota from now on.
    cut: HashMap<NodeId, Timestamp>,
}

/// A run on an OLT.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occupant {
    pub(super) holder: Holder,
    pub(super) job: JobType,
    pub(super) since: Timestamp,
}

impl Permits {
    /// What runs and waits, without the runs that are cut off.
    pub fn new(world: &World, fences: &[Running]) -> Self {
        let limits = &world.policy.limits;
        let short = world.starts.iter().filter(|start| start.short);
        let mut permits = Self {
            discovery: 0,
            get: 0,
            olts: HashMap::new(),
            live: HashMap::new(),
            leads: HashSet::new(),
            rate: Rate::new(limits.per_minute, world.starts.iter().map(|start| start.at)),
            short: Rate::new(limits.short_per_minute, short.map(|start| start.at)),
            cut: HashMap::new(),
        };
        for waiting in &world.waiting {
            permits.live.insert(waiting.node, Some(waiting.run));
        }
        for running in &world.running {
            if fences.iter().any(|fence| fence.run == running.run) {
                if running.cause == Cause::Scheduled {
                    permits.cut.insert(running.node, running.started_at);
                }
                continue;
            }
            if running.rides {
                permits.live.insert(running.node, Some(running.run));
                continue;
            }
            let holder = Holder { node: running.node, run: Some(running.run) };
            permits.occupy(running.olt, holder, running.job, running.started_at);
        }
        permits
    }

    fn occupy(&mut self, olt: OltId, holder: Holder, job: JobType, since: Timestamp) {
        match job {
            JobType::Discovery => self.discovery += 1,
            JobType::Get => self.get += 1,
        }
        self.live.insert(holder.node, holder.run);
        self.olts.entry(olt).or_default().push(Occupant { holder, job, since });
    }

    pub(super) fn take(&mut self, claim: &Claim<'_>, now: Timestamp) {
        let run = match claim.subject {
            super::Subject::Node(_) => None,
            super::Subject::Run(run) => Some(run),
        };
        self.occupy(claim.olt, Holder { node: claim.node, run }, claim.job, now);
        self.rate.start(now);
        if claim.short {
            self.short.start(now);
        }
        if claim.may_share() {
            self.leads.insert(claim.node);
        }
    }

    /// It is asked with another that has all permits.
    pub(super) fn join(&mut self, claim: &Claim<'_>) {
        self.live.insert(claim.node, None);
    }

    pub(super) const fn running(&self, job: JobType) -> u32 {
        match job {
            JobType::Discovery => self.discovery,
            JobType::Get => self.get,
        }
    }

    pub(super) const fn total(&self) -> u32 {
        self.discovery + self.get
    }

    pub(super) fn on(&self, olt: OltId) -> &[Occupant] {
        self.olts.get(&olt).map_or(&[], Vec::as_slice)
    }

    /// The starts that count for the quota, as they are once this plan is applied.
    pub(super) fn recent<'a>(&self, due: &'a Due) -> Cow<'a, [Timestamp]> {
        match self.cut.get(&due.node) {
            None => Cow::Borrowed(&due.recent),
            Some(cut) => Cow::Owned(due.recent.iter().copied().chain([*cut]).collect()),
        }
    }
}

//! Worlds for tests, and what becomes of them when a plan is applied.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use super::{
    dispatch::{Plan, Subject},
    due,
    world::{Able, Due, Running, Site, Started, Waiting, World},
};
use crate::{
    model::{Cadence, Cause, Interval, JobType, NodeId, OltId, Priority, RunId, Switch},
    policy::Policy,
};

pub(crate) const ABLE: Able = Able { switch: Switch::On, template_active: true, has_oid: true };
pub(crate) const SITE: Site = Site { enabled: true, workflow_active: true, backoff: None };

/// On the second of March 2026.
pub(crate) fn at(time: &str) -> Timestamp {
    format!("2026-03-02T{time}Z").parse().unwrap()
}

pub(crate) fn secs(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

pub(crate) fn every(seconds: i64) -> Interval {
    Interval::new(seconds).unwrap()
}

pub(crate) fn cadence(seconds: i64, grid: Timestamp) -> Cadence {
    due::first(every(seconds), grid).0
}

pub(crate) fn world() -> World {
    World::new(Policy::new(TimeZone::UTC))
}

/// A get of every quarter of an hour.
pub(crate) fn due(node: i64, olt: i64, next: Timestamp) -> Due {
    Due {
        node: NodeId(node),
        olt: OltId(olt),
        job: JobType::Get,
        priority: Priority::default(),
        able: ABLE,
        cadence: cadence(900, next),
        next_run_at: Some(next),
        recent: Vec::new(),
        told: true,
    }
}

pub(crate) fn waiting(run: i64, node: i64, olt: i64, cause: Cause, asked: Timestamp) -> Waiting {
    Waiting {
        run: RunId(run),
        node: NodeId(node),
        olt: OltId(olt),
        job: JobType::Get,
        priority: Priority::default(),
        able: ABLE,
        cause,
        asked_at: asked,
        interval: every(900),
    }
}

pub(crate) fn running(run: i64, node: i64, olt: i64, job: JobType, since: Timestamp) -> Running {
    Running {
        run: RunId(run),
        node: NodeId(node),
        olt: OltId(olt),
        job,
        cause: Cause::Scheduled,
        started_at: since,
        lost: false,
        rides: false,
    }
}

impl World {
    pub(crate) fn due(mut self, due: Due) -> Self {
        self.olts.entry(due.olt).or_insert(SITE);
        self.due.push(due);
        self
    }

    pub(crate) fn waits(mut self, waiting: Waiting) -> Self {
        self.olts.entry(waiting.olt).or_insert(SITE);
        self.waiting.push(waiting);
        self
    }

    pub(crate) fn runs(mut self, running: Running) -> Self {
        self.olts.entry(running.olt).or_insert(SITE);
        self.running.push(running);
        self
    }

    /// As the store does it, in one transaction.
    pub(crate) fn applied(&mut self, plan: &Plan, last_run: &mut i64, now: Timestamp) {
        for fence in plan.fences() {
            self.running.retain(|running| running.run != fence.run);
            if let Some(due) = self.due.iter_mut().find(|due| due.node == fence.node)
                && fence.cause == Cause::Scheduled
            {
                due.recent.push(fence.started_at);
            }
        }
        for start in plan.starts() {
            let run = match start.subject {
                Subject::Run(run) => {
                    self.waiting.retain(|waiting| waiting.run != run);
                    run
                }
                Subject::Node(node) => {
                    let due = self.due.iter_mut().find(|due| due.node == node).expect("it was due");
                    due.next_run_at = start.next_run_at;
                    *last_run += 1;
                    RunId(*last_run)
                }
            };
            let (node, olt, job, cause) = (start.node, start.olt, start.job, start.cause);
            let rides = start.rides_with.is_some();
            let (started_at, lost) = (now, false);
            self.running.push(Running { run, node, olt, job, cause, started_at, lost, rides });
            if !rides {
                self.starts.push(Started { at: now, short: start.short });
            }
        }
        for put_off in plan.put_off() {
            let due = self.due.iter_mut().find(|due| due.node == put_off.node);
            due.expect("it was due").told = true;
        }
        for moved in plan.replans() {
            let due = self.due.iter_mut().find(|due| due.node == moved.node).expect("it was due");
            due.next_run_at = Some(moved.next_run_at);
        }
        self.due.retain(|due| due.next_run_at.is_none_or(|next| next <= now));
    }
}

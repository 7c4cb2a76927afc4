//! The pure rules at the size that was asked for.

use std::{collections::BTreeSet, hint::black_box, time::Instant};

use ::coordinador::{
    model::{Cadence, Cause, Interval, JobType, NodeId, OltId, Priority, RunId, Switch},
    policy::Policy,
    rules::{
        dispatch::{self, Subject},
        due,
        spread::{self, Placed},
        world::{Able, Due, Running, Site, Started, World},
    },
};
use anyhow::{Result, ensure};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use crate::{
    report::{Limit, Report},
    sample::Sample,
    usage,
};

const TIMES: usize = 21;
const NODES: i64 = 100_000;
const READY: i64 = 5_000;

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let now: Timestamp = "2026-03-02T11:05:00Z".parse()?;
    let sorting = sample(|| {
        let ids: BTreeSet<i64> = (0..NODES).map(|n| n * 7_919 % NODES).collect();
        drop(black_box(ids));
    });
    let beside = sorting.percentile(50);
    passes(report, now, beside);
    dispatches(report, now, beside)?;
    day(report, now)
}

fn sample(mut work: impl FnMut()) -> Sample {
    let mut sample = Sample::default();
    for _ in 0..TIMES {
        let began = Instant::now();
        work();
        sample.push(began.elapsed());
    }
    sample
}

fn cadence(seconds: i64, grid: Timestamp) -> Cadence {
    let interval = Interval::new(seconds).expect("a valid interval");
    Cadence { interval, grid, phase: SignedDuration::ZERO }
}

/// A fleet whose slots lie `apart` seconds from each other, wrapped around the hour.
fn fleet(apart: i64, now: Timestamp) -> Vec<Placed> {
    (0..NODES)
        .map(|node| {
            let next = now + SignedDuration::from_secs(120 + node * apart % 3_400);
            Placed {
                node: NodeId(node),
                olt: OltId(node),
                job: JobType::Get,
                priority: Priority::default(),
                cadence: cadence(3_600, next),
                next_run_at: next,
                recent: Vec::new(),
                overflow: false,
            }
        })
        .collect()
}

fn passes(report: &mut Report, now: Timestamp, beside: f64) {
    let mut roomy = Policy::new(TimeZone::UTC);
    roomy.limits.per_minute = 2_000;
    let tight = Policy::new(TimeZone::UTC);
    for (what, fleet, policy) in [
        ("spread out", fleet(7, now), &roomy),
        ("bunched up", fleet(600, now), &roomy),
        ("far beyond the cap of 6", fleet(7, now), &tight),
    ] {
        let plan = spread::plan(&fleet, policy, now);
        let times = sample(|| drop(black_box(spread::plan(&fleet, policy, now))));
        let note = format!(
            "{} moves, {} overflow; worst {:.1} ms; {:.0} times sorting as many ids",
            plan.moves.len(),
            plan.overflow.len(),
            times.percentile(100),
            times.percentile(50) / beside
        );
        let what = format!("planning pass over 100,000 nodes, {what}");
        report.line(what, times.percentile(50), "ms", Limit::AtMost(100.0), note);
    }
    let held = usage::peak_megabytes(std::process::id());
    let note = "the bench itself, with three fleets of 100,000 nodes";
    report.line("memory at its peak", held, "MB", Limit::AtMost(200.0), note);
}

fn world(ready: i64, now: Timestamp) -> World {
    let mut world = World::new(Policy::new(TimeZone::UTC));
    for node in 0..ready {
        let olt = OltId(node);
        world.olts.insert(olt, Site { enabled: true, workflow_active: true, backoff: None });
        let next = now - SignedDuration::from_secs(node % 1_200);
        world.due.push(Due {
            node: NodeId(node),
            olt,
            job: if node % 3 == 0 { JobType::Discovery } else { JobType::Get },
            priority: Priority::default(),
            able: Able { switch: Switch::On, template_active: true, has_oid: true },
            cadence: cadence(900, next),
            next_run_at: Some(next),
            recent: vec![now - SignedDuration::from_secs(1_000); 2],
            told: true,
        });
    }
    world
}

fn dispatches(report: &mut Report, now: Timestamp, beside: f64) -> Result<()> {
    let world = world(READY, now);
    let plan = dispatch::plan(&world, now);
    ensure!(plan.starts().len() == 6, "{} start", plan.starts().len());
    let times = sample(|| drop(black_box(dispatch::plan(&world, now))));
    let note = format!(
        "of 100,000 nodes 5,000 are ready and 6 start; worst {:.1} ms; {:.1} times sorting 100,000",
        times.percentile(100),
        times.percentile(50) / beside
    );
    report.line("dispatch tick", times.percentile(50), "ms", Limit::AtMost(10.0), note);
    Ok(())
}

/// A day of a thousand nodes, planner by planner, each run twenty seconds long.
fn day(report: &mut Report, start: Timestamp) -> Result<()> {
    let mut policy = Policy::new(TimeZone::UTC);
    policy.limits.per_minute = 100;
    (policy.limits.get, policy.limits.total) = (100, 100);
    let mut fleet: Vec<Placed> = fleet(7, start).into_iter().take(1_000).collect();
    for one in &mut fleet {
        one.cadence = cadence(900, one.next_run_at);
    }
    let began = Instant::now();
    let end = start + SignedDuration::from_hours(24);
    let slots_of = |one: &Placed| end.duration_since(one.next_run_at).as_secs() / 900 + 1;
    let slots = fleet.iter().map(slots_of).sum::<i64>() as usize;
    let (mut now, mut runs, mut number) = (start, 0_usize, 0_i64);
    let (mut running, mut starts): (Vec<Running>, Vec<Started>) = (Vec::new(), Vec::new());
    let mut spread_at = start;
    while now < end {
        let over = |run: &Running| now.duration_since(run.started_at).as_secs() >= 20;
        for run in running.iter().filter(|run| over(run)) {
            if let Some(node) = fleet.get_mut(run.node.0 as usize) {
                node.recent.push(run.started_at);
            }
        }
        running.retain(|run| !over(run));
        if spread_at <= now {
            for one in spread::plan(&fleet, &policy, now).moves {
                let node = &mut fleet[one.node.0 as usize];
                (node.next_run_at, node.cadence.phase) = (one.next_run_at, one.phase);
            }
            spread_at = now + policy.spread.every;
        }
        starts.retain(|start| now.duration_since(start.at).as_secs() < 120);
        let look = look(&fleet, &policy, &running, &starts, now);
        let plan = dispatch::plan(&look, now);
        for start in plan.starts() {
            let Subject::Node(node) = start.subject else { continue };
            let next = start.next_run_at.unwrap_or_else(|| now + SignedDuration::from_secs(900));
            let one = &mut fleet[node.0 as usize];
            one.recent.retain(|at| now.duration_since(*at).as_secs() < 3_600);
            one.next_run_at = next;
            (number, runs) = (number + 1, runs + 1);
            let (run, olt, job) = (RunId(number), start.olt, start.job);
            running.push(Running {
                run,
                node,
                olt,
                job,
                cause: Cause::Scheduled,
                started_at: now,
                lost: false,
                rides: false,
            });
            starts.push(Started { at: now, short: start.short });
        }
        let ends = running.iter().map(|run| run.started_at + SignedDuration::from_secs(20));
        let soon = fleet.iter().map(|one| one.next_run_at).filter(|at| *at > now);
        let next = ends.chain(soon).chain([spread_at]).chain(plan.next_look).min();
        now = next.unwrap_or(end).max(now + SignedDuration::from_secs(1));
    }
    let seconds = began.elapsed().as_secs_f64();
    ensure!(runs * 100 >= slots * 99, "only {runs} runs in {slots} slots");
    let note = format!("{runs} runs in {slots} slots, in memory");
    report.line("24 h of 1,000 nodes", seconds, "s", Limit::AtMost(10.0), note);
    Ok(())
}

fn look(
    fleet: &[Placed],
    policy: &Policy,
    running: &[Running],
    starts: &[Started],
    now: Timestamp,
) -> World {
    let mut world = World::new(policy.clone());
    for one in fleet.iter().filter(|one| one.next_run_at <= now) {
        let olt = OltId(one.node.0);
        world.olts.insert(olt, Site { enabled: true, workflow_active: true, backoff: None });
        world.due.push(Due {
            node: one.node,
            olt,
            job: one.job,
            priority: one.priority,
            able: Able { switch: Switch::On, template_active: true, has_oid: true },
            cadence: one.cadence,
            next_run_at: Some(one.next_run_at),
            recent: one.recent.clone(),
            told: true,
        });
    }
    (world.running, world.starts) = (running.to_vec(), starts.to_vec());
    world.upcoming = Some(due::later(now, SignedDuration::from_secs(900)));
    world
}

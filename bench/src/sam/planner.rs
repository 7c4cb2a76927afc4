//! The pure rules at the size that was asked for.

use std::{collections::BTreeSet, hint::black_box, time::Instant};

use ::sam::rules::{
    balance::{self, Motive, Snapshot},
    launch::{self, Change},
    world::World,
};
use anyhow::{Result, ensure};
use jiff::Timestamp;

use super::house::{RUNNERS, asked, fill, occupy, open};
use crate::{
    report::{Limit, Report},
    sample::Sample,
};

const TIMES: usize = 21;
const MOST: Limit = Limit::AtMost(50.0);

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    // Half past ten on a Monday, Buenos Aires: two thirds of the slots of the day are open.
    let now: Timestamp = "2026-03-02T13:30:00Z".parse()?;
    let sorting = sample(|| {
        let ids: BTreeSet<i64> = (0..RUNNERS).map(|n| n * 7_919 % RUNNERS).collect();
        drop(black_box(ids));
    });
    let beside = sorting.percentile(50);
    launches(report, now, beside)?;
    for pools in [20, 1] {
        balances(report, pools, now, beside)?;
    }
    Ok(())
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

fn line(report: &mut Report, what: String, sample: &Sample, beside: f64, news: &str) {
    let (figure, worst) = (sample.percentile(50), sample.percentile(100));
    let ratio = figure / beside;
    let note = format!("{news}; worst {worst:.1} ms; {ratio:.0} times sorting 10,000 ids");
    report.line(what, figure, "ms", MOST, note);
}

fn launches(report: &mut Report, now: Timestamp, beside: f64) -> Result<()> {
    let mut idle = open(20, now)?;
    fill(&mut idle, now);
    let mut busy = idle.clone();
    occupy(&mut busy, now);
    for (what, world) in [("everybody idle", &idle), ("everybody busy", &busy)] {
        let plan = launch::plan(world, now);
        let started = plan.changes.iter().filter(|one| matches!(one, Change::Launch(_))).count();
        ensure!(plan.held.len() + started > 5_000, "the house is too quiet");
        let planned = sample(|| drop(black_box(launch::plan(black_box(world), now))));
        let next = sample(|| {
            black_box(launch::next(black_box(world), &plan, now));
        });
        let news = format!("{started} start, {} wait", plan.held.len());
        line(report, format!("launch plan, {what} p50"), &planned, beside, &news);
        line(report, format!("launch next, {what} p50"), &next, beside, "when to look again");
    }
    Ok(())
}

fn balances(report: &mut Report, pools: i64, now: Timestamp, beside: f64) -> Result<()> {
    let empty = open(pools, now)?;
    let mut full = empty.clone();
    fill(&mut full, now);
    // Everybody could use what they hold; whoever matters could use ten times as much.
    let rush =
        |world: &World| asked(world.clone(), |robot| if robot.priority < 50 { 1_000 } else { 100 });
    let quiet = asked(full.clone(), |_| 0);
    let mut lent = asked(empty.clone(), |robot| 200 * i64::from(robot.id.0 % pools == 0));
    let loans = balance::plan(&lent, now);
    apply(&mut lent, &loans, now);
    let back = asked(lent.world, |_| 200);
    let mut cases = vec![
        ("first fill", rush(&empty)),
        ("full, preemption", rush(&full)),
        ("all released", quiet),
    ];
    if pools > 1 {
        cases.push(("loans called back", back));
    }
    for (what, snapshot) in &cases {
        let plan = balance::plan(snapshot, now);
        let counted = |motive| plan.moves.iter().filter(|one| one.motive == motive).count();
        let (taken, returned) = (counted(Motive::Preempted), counted(Motive::Returned));
        ensure!(!plan.moves.is_empty(), "{what}: nothing moves");
        let planned = sample(|| drop(black_box(balance::plan(black_box(snapshot), now))));
        let moves = plan.moves.len();
        let news = format!("{moves} moves, {taken} preempted, {returned} returned");
        let what = format!("balance of {pools} pools, {what} p50");
        line(report, what, &planned, beside, &news);
    }
    Ok(())
}

/// Only assignments: an empty house has none to release.
fn apply(snapshot: &mut Snapshot, plan: &balance::Balance, now: Timestamp) {
    for one in plan.moves.iter().filter(|one| one.motive.assigns()) {
        super::house::assign(&mut snapshot.world, one.robot, one.runner, None, now);
    }
}

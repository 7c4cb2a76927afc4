//! The acceptance scenarios that the dispatcher alone decides: S-2 to S-22.

use super::*;
use crate::{
    model::{Backoff, Priority, RunId},
    rules::{
        reason::Unable,
        samples::{at, cadence, due, running, secs, waiting, world},
        world::Started,
    },
};

fn started(plan: &Plan) -> Vec<i64> {
    plan.starts().iter().map(|start| start.node.0).collect()
}

fn reason(plan: &Plan, node: i64) -> Reason {
    let held = plan.held.iter().find(|held| held.node == NodeId(node));
    held.expect("it is held").reason
}

fn discovery(node: i64, olt: i64, next: Timestamp) -> Due {
    Due { job: JobType::Discovery, ..due(node, olt, next) }
}

#[test]
fn scenario_2_at_its_quota_a_node_jumps_to_the_next_full_hour() {
    let recent = ["10:05:00", "10:20:00", "10:35:00", "10:50:00"].map(at).to_vec();
    let world = world().due(Due { recent, ..due(1, 1, at("11:00:00")) });
    let plan = plan(&world, at("11:00:00"));
    assert!(plan.starts().is_empty());
    let usage = Usage { used: 4, max: 4 };
    let next_run_at = at("12:00:00");
    let jump = Replan { node: NodeId(1), next_run_at, motive: Motive::Quota(usage) };
    assert_eq!(plan.replans(), [jump]);
    assert_eq!(reason(&plan, 1), Reason::Quota { used: 4, max: 4, until: next_run_at });
}

#[test]
fn a_quota_that_frees_itself_soon_is_waited_for() {
    let recent = ["10:00:40", "10:15:00", "10:30:00", "10:45:00"].map(at).to_vec();
    let mut world = world().due(Due { recent, ..due(1, 1, at("11:00:00")) });
    let held = plan(&world, at("11:00:00"));
    assert!(held.is_settled());
    assert_eq!(held.next_look, Some(at("11:00:40")));
    let then = plan(&world, at("11:00:40"));
    assert_eq!(then.starts()[0].next_run_at, Some(at("11:15:00")), "back on its grid");
    world.applied(&then, &mut 0, at("11:00:40"));
    assert!(plan(&world, at("11:00:40")).is_settled());
}

#[test]
fn scenario_7_same_type_on_the_olt_waits() {
    let now = at("10:00:00");
    let mut world = world()
        .runs(running(1, 1, 1, JobType::Get, at("09:59:50")))
        .due(due(2, 1, now))
        .due(discovery(3, 1, now))
        .due(due(4, 2, now));
    world.policy.limits.per_olt = 2;
    let two = plan(&world, now);
    assert_eq!(started(&two), [3, 4]);
    assert!(
        matches!(reason(&two, 2), Reason::SameTypeRunning { since, .. } if since == at("09:59:50"))
    );
    assert!(two.replans().is_empty(), "its next run stays");
    world.policy.limits.per_olt = 1;
    let one = plan(&world, now);
    assert_eq!(started(&one), [4]);
    assert_eq!(reason(&one, 3), Reason::OltBusy { running: 1, max: 1 });
    world.running.clear();
    assert!(started(&plan(&world, at("10:00:01"))).contains(&3));
}

#[test]
fn scenario_8_a_stale_run_is_fenced_and_the_next_starts() {
    let now = at("10:00:00");
    let world = world().runs(running(1, 1, 1, JobType::Get, at("09:54:59"))).due(due(2, 1, now));
    let late = plan(&world, now);
    assert_eq!(late.fences(), world.running);
    assert_eq!(started(&late), [2]);
    let early = plan(&world, at("09:59:58"));
    assert!(early.fences().is_empty() && early.starts().is_empty());
    assert_eq!(early.next_look, Some(at("09:59:59.000001")));
}

#[test]
fn scenario_18_what_a_dead_process_ran_is_cut_off_at_once() {
    let now = at("10:00:00");
    let lost = Running { lost: true, ..running(1, 1, 1, JobType::Get, at("09:59:59")) };
    let plan = plan(&world().runs(lost).due(due(2, 1, now)), now);
    assert_eq!((plan.fences(), started(&plan)), (vec![lost], vec![2]));
}

#[test]
fn scenario_9_seventeen_at_once_start_six_a_minute() {
    let mut world = world();
    for node in 1..=17 {
        world = world.due(due(node, node, at("11:15:00")));
    }
    let (mut now, mut last) = (at("11:15:00"), 0);
    let mut starts = Vec::new();
    while now < at("11:17:05") {
        let plan = plan(&world, now);
        starts.extend(plan.starts().iter().map(|start| (now, start.node.0)));
        world.applied(&plan, &mut last, now);
        now = plan.next_look.expect("there is always more").max(now + secs(1));
    }
    assert_eq!(
        starts.iter().map(|(_, node)| *node).collect::<Vec<_>>(),
        (1..=17).collect::<Vec<_>>()
    );
    let times: Vec<_> = starts.iter().map(|(at, _)| *at).collect();
    assert_eq!((times[5], times[6], times[12]), (at("11:15:00"), at("11:16:00"), at("11:17:00")));
}

#[test]
fn scenario_14_never_more_run_than_allowed() {
    let now = at("11:00:00");
    let mut world = world();
    world.policy.limits.per_minute = 1000;
    for node in 1..=15 {
        world = world.due(discovery(node, node, now));
    }
    for node in 16..=45 {
        world = world.due(due(node, node, now));
    }
    let plan = plan(&world, now);
    let count = |job| plan.starts().iter().filter(|start| start.job == job).count();
    assert_eq!((count(JobType::Discovery), count(JobType::Get)), (10, 20));
    assert_eq!(plan.held.len(), 15);
    let limit = Reason::TypeLimit { job: JobType::Discovery, running: 10, max: 10 };
    assert_eq!(reason(&plan, 15), limit);
}

#[test]
fn scenario_15_overdue_then_type_then_priority() {
    let now = at("11:00:00");
    let late = due(1, 1, at("10:29:59"));
    let third = discovery(2, 2, now);
    let best = Due { priority: Priority::BEST, ..discovery(3, 3, now) };
    let world = world().due(third).due(best).due(late);
    assert_eq!(started(&plan(&world, now)), [1, 3, 2]);
}

#[test]
fn scenario_21_short_nodes_share_their_part_of_the_minute() {
    let now = at("11:00:00");
    let mut world = world();
    for node in 1..=12 {
        world = world.due(Due { cadence: cadence(120, now), ..due(node, node, now) });
    }
    for node in 13..=16 {
        world = world.due(due(node, node, now));
    }
    let plan = plan(&world, now);
    assert_eq!(started(&plan), [1, 2, 13, 14, 15, 16]);
    world.policy.limits.per_minute = 10;
    let roomy = super::plan(&world, now);
    assert_eq!(reason(&roomy, 3), Reason::ShortLimit { max: 2, until: at("11:01:00") });
}

#[test]
fn people_go_first_and_a_disabled_olt_starts_nothing() {
    let now = at("11:00:00");
    let mut world = world()
        .due(due(1, 1, at("09:00:00")))
        .waits(waiting(9, 2, 2, Cause::Manual, now))
        .waits(waiting(8, 3, 3, Cause::Manual, now));
    world.olts.get_mut(&OltId(3)).unwrap().enabled = false;
    let plan = plan(&world, now);
    assert_eq!(started(&plan), [2, 1]);
    assert_eq!(plan.starts()[0].subject, Subject::Run(RunId(9)));
    assert_eq!(plan.starts()[0].next_run_at, None, "the plan of the node stays");
    assert_eq!(reason(&plan, 3), Reason::Unable(Unable::OltDisabled));
}

#[test]
fn scenario_22_an_olt_that_does_not_answer_is_tried_by_one_run() {
    let now = at("11:00:00");
    let mut world = world().due(due(1, 1, now)).due(discovery(2, 1, now)).due(due(3, 2, now));
    world.policy.limits.per_olt = 2;
    let until = at("11:00:10");
    let backoff = Backoff { failures: 1, since: at("10:59:55"), until };
    world.olts.get_mut(&OltId(1)).unwrap().backoff = Some(backoff);
    let early = plan(&world, now);
    assert_eq!(started(&early), [3]);
    assert_eq!(reason(&early, 1), Reason::OltUnreachable { failures: 1, until });
    assert_eq!(early.next_look, Some(until));
    let then = plan(&world, until);
    assert_eq!(started(&then), [2, 3]);
    assert!(then.starts()[0].probes);
    assert!(matches!(reason(&then, 1), Reason::Probing { .. }));
}

#[test]
fn a_node_without_a_next_run_gets_one() {
    let node = Due { next_run_at: None, ..due(1, 1, at("10:00:00")) };
    let plan = plan(&world().due(node), at("11:07:00"));
    assert_eq!((plan.starts().len(), plan.replans()[0].next_run_at), (0, at("11:15:00")));
    assert_eq!(plan.replans()[0].motive, Motive::Repair);
}

#[test]
fn a_minute_that_is_full_says_when_there_is_room() {
    let now = at("11:00:30");
    let mut world = world().due(due(1, 1, now));
    world.starts = [0, 5, 10, 15, 20, 25]
        .map(|s| Started { at: at("11:00:00") + secs(s), short: false })
        .into();
    let plan = plan(&world, now);
    assert_eq!(reason(&plan, 1), Reason::MinuteLimit { max: 6, until: at("11:01:00") });
}

#[test]
fn case_4_short_gets_of_one_olt_are_one_run() {
    let now = at("10:00:00");
    let short = |node, olt, seconds| Due { cadence: cadence(seconds, now), ..due(node, olt, now) };
    let mut world = world();
    for (node, olt, seconds) in [(1, 1, 120), (2, 1, 120), (3, 1, 240), (4, 2, 120), (5, 1, 900)] {
        world = world.due(short(node, olt, seconds));
    }
    world.policy.limits.short_per_minute = 1;
    let plan = plan(&world, now);
    let starts = plan.starts();
    let with: Vec<_> = starts.iter().map(|one| (one.node.0, one.rides_with)).collect();
    assert_eq!(with, [(1, None), (2, Some(NodeId(1))), (3, Some(NodeId(1)))]);
    assert_eq!(starts[2].next_run_at, Some(at("10:04:00")), "each on its own grid");
    assert!(matches!(reason(&plan, 4), Reason::ShortLimit { .. }), "one start was to be had");
    assert!(matches!(reason(&plan, 5), Reason::SameTypeRunning { .. }), "it is not short");
}

#[test]
fn a_slot_that_is_put_off_for_its_type_is_told_once() {
    let now = at("10:00:00");
    let mut world = world()
        .runs(running(1, 9, 1, JobType::Get, at("09:59:50")))
        .due(Due { told: false, ..due(1, 1, now) });
    let first = plan(&world, now);
    let told = PutOff { node: NodeId(1), olt: OltId(1), job: JobType::Get, holder: NodeId(9) };
    assert_eq!(first.put_off(), [told]);
    world.applied(&first, &mut 10, now);
    assert!(plan(&world, at("10:00:05")).is_settled());
}

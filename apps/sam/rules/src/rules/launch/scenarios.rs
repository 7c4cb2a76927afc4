//! The launcher's part of the acceptance scenarios, by their numbers.

use jiff::{SignedDuration, civil::date};

use super::*;
use crate::{
    model::{Licence, Robot, RunState, Runner, Schedule},
    policy::PauseWindow,
    rules::{
        calendar::samples::{at, cyclic, daily, time},
        samples::{lost, robot, run, runner, world},
    },
};

/// Of Monday 2 March 2026.
fn monday(clock: &str) -> Timestamp {
    at(&format!("2026-03-02T{clock}"))
}

/// Who starts where, at that time of Monday.
fn launches(world: &World, clock: &str) -> Vec<(i64, i64)> {
    let started = |change| match change {
        Change::Launch(launch) => Some((launch.robot.0, launch.runner.0)),
        _ => None,
    };
    plan(world, monday(clock)).changes.into_iter().filter_map(started).collect()
}

/// What holds everybody else, in the order of the claims.
fn held(world: &World, clock: &str) -> Vec<(i64, &'static str)> {
    let held = plan(world, monday(clock)).held;
    held.iter().map(|held| (held.robot.0, held.reason.code())).collect()
}

fn scheduled(id: i64) -> Robot {
    Robot { online: false, ..robot(id) }
}

#[test]
fn s02_a_slot_is_used_up_per_runner() {
    let mut world =
        world().robot(scheduled(1)).runners(2, None).schedule(daily("09:00", 30), &[1, 2]);
    assert_eq!(launches(&world, "09:10"), [(1, 1), (1, 2)]);
    world.taken.insert((ScheduleId(1), RunnerId(1), date(2026, 3, 2)));
    assert_eq!(launches(&world, "09:10"), [(1, 2)]);
    assert_eq!(held(&world, "09:10"), [], "a slot that was used claims nothing");
    world.taken.insert((ScheduleId(1), RunnerId(2), date(2026, 3, 1)));
    assert_eq!(launches(&world, "09:10"), [(1, 2)], "yesterday's slot is another");
}

/// F-PS6: a slot of no tolerance whose deploy fails is over when the claim is taken back.
#[test]
fn s02_a_slot_whose_run_is_taken_back_too_late_is_missed() {
    let mut world = world().robot(scheduled(1)).runners(1, None).schedule(daily("09:00", 0), &[1]);
    let key = (ScheduleId(1), RunnerId(1), date(2026, 3, 2));
    let look = |world: &mut World, clock: &str| {
        let changes = plan(world, monday(clock)).changes;
        world.launched(&changes, &mut 0, monday(clock));
        world.slots.get(&key).map(|note| (note.code.clone(), note.missed))
    };
    assert_eq!(look(&mut world, "09:00"), None);
    let noted = (Reason::UNCONFIRMED.to_owned(), false);
    assert_eq!(look(&mut world, "09:00:05"), Some(noted.clone()));
    assert_eq!(look(&mut world, "09:00:09"), Some(noted));
    world.withdrawn(RunnerId(1));
    assert_eq!(look(&mut world, "09:00:10"), Some((Reason::UNCONFIRMED.to_owned(), true)));
}

#[test]
fn s06_a_cyclic_schedule_rests_between_runs_and_ends_with_its_window() {
    let office = cyclic("08:00", Some("18:00"), Some(30));
    let mut world = world().robot(scheduled(1)).runners(1, None).schedule(office, &[1]);
    assert_eq!(launches(&world, "07:59:59"), []);
    assert_eq!(launches(&world, "08:00"), [(1, 1)]);
    world.ended.insert((RobotId(1), RunnerId(1)), monday("10:00"));
    assert_eq!(held(&world, "10:29"), [(1, "INTERVALO")]);
    assert_eq!(held(&world, "10:29:59.999999"), [(1, "INTERVALO")]);
    for inside in ["10:30", "18:00:00"] {
        assert_eq!(launches(&world, inside), [(1, 1)], "{inside}");
    }
    assert_eq!(launches(&world, "18:00:01"), []);
    assert_eq!(held(&world, "18:00:01"), []);
}

#[test]
fn s07_nothing_starts_in_the_pause() {
    let all_day = cyclic("00:00", None, None);
    let mut world = world().robot(scheduled(1)).robot(robot(2)).runners(2, None);
    world = world.schedule(all_day, &[1]).dynamic(2, 2);
    let window = |from, to| PauseWindow { from: time(from), to: time(to) };
    let mut starts = |pause, clock: &str| {
        world.policy.pause = pause;
        launches(&world, clock).len()
    };
    let night = window("23:00", "05:00");
    assert_eq!(
        ["22:59", "23:00", "02:30", "04:59:59", "05:00"].map(|clock| starts(night, clock)),
        [2, 0, 0, 0, 2]
    );
    let evening = window("21:00", "21:15");
    assert_eq!(["21:14:59", "21:15:00"].map(|clock| starts(evening, clock)), [0, 2]);
    assert_eq!(starts(window("10:00", "10:00"), "10:00"), 2);
    world.policy.pause = night;
    let until = Reason::Paused { until: at("2026-03-03T05:00") };
    assert!(plan(&world, monday("23:30")).held.iter().all(|held| held.reason == until));
}

#[test]
fn s08_maintenance_and_licence_keep_a_due_schedule_waiting() {
    let with = |runner: Runner| {
        world().robot(scheduled(1)).runner(runner).schedule(daily("09:00", 30), &[1])
    };
    let away = with(Runner { active: false, connected: Some(true), ..runner(1) });
    assert_eq!(launches(&away, "09:10"), []);
    assert_eq!(held(&away, "09:10"), [(1, "EQUIPO_INACTIVO")]);
    let licensed = |text| with(Runner { licence: Licence::parse(text), ..runner(1) });
    assert_eq!(launches(&licensed("DEVELOPMENT"), "09:10"), []);
    assert_eq!(held(&licensed("DEVELOPMENT"), "09:10"), [(1, "EQUIPO_SIN_LICENCIA")]);
    assert_eq!(launches(&licensed("RUNTIME, ANALYTICS"), "09:10"), [(1, 1)]);
}

#[test]
fn s09_schedules_go_before_reservations_and_those_before_demand() {
    let important = |id, priority| Robot { priority, ..scheduled(id) };
    let of =
        |id, robot| Schedule { id: ScheduleId(id), robot: RobotId(robot), ..daily("09:00", 30) };
    let mut crowded = world()
        .robot(important(1, 10))
        .robot(important(2, 50))
        .robot(Robot { priority: 1, ..robot(3) })
        .runners(1, None)
        .schedule(of(1, 1), &[1])
        .schedule(of(2, 2), &[1])
        .dynamic(3, 1);
    assert_eq!(launches(&crowded, "09:00"), [(1, 1)]);
    assert_eq!(held(&crowded, "09:00"), [(2, "CEDE_TURNO"), (3, "CEDE_TURNO")]);
    let first = plan(&crowded, monday("09:00"));
    crowded.launched(&first.changes, &mut 0, monday("09:00"));
    assert_eq!(launches(&crowded, "09:05"), []);
    assert_eq!(held(&crowded, "09:05"), [(2, "EQUIPO_OCUPADO"), (3, "EQUIPO_OCUPADO")]);

    let reserved = world()
        .robot(Robot { priority: 90, ..robot(1) })
        .robot(Robot { priority: 1, ..robot(2) })
        .runners(1, None)
        .reserved(1, 1)
        .dynamic(2, 1);
    assert_eq!(launches(&reserved, "09:00"), [(1, 1)]);
}

#[test]
fn s10_a_lost_run_holds_its_runner_for_two_hours_of_one_streak() {
    let since = |clock| {
        world().robot(robot(1)).runners(1, None).dynamic(1, 1).running(lost(7, 1, 1, monday(clock)))
    };
    let ten = since("10:00");
    for held_at in ["11:59", "11:59:59.999999"] {
        assert_eq!(launches(&ten, held_at), []);
        assert_eq!(held(&ten, held_at), [(1, "EQUIPO_OCUPADO")]);
    }
    let waiting = plan(&ten, monday("11:00"));
    assert_eq!(next(&ten, &waiting, monday("11:00")), Some(monday("12:00")));
    for free_at in ["12:00:00", "12:00:01"] {
        let freed = Change::Free { run: RunId(7), runner: RunnerId(1) };
        assert_eq!(plan(&ten, monday(free_at)).changes[0], freed);
        assert_eq!(launches(&ten, free_at), [(1, 1)], "{free_at}");
    }
    let back = world().robot(robot(1)).runners(1, None).dynamic(1, 1).running(run(
        7,
        1,
        1,
        RunState::Running,
    ));
    assert_eq!(launches(&back, "12:00:01"), [], "it came back and runs");
    let again = since("11:30");
    assert_eq!(launches(&again, "13:29:59"), []);
    assert_eq!(launches(&again, "13:30:00"), [(1, 1)]);
}

#[test]
fn s10_a_pair_that_rests_rests_from_when_its_lost_run_was_given_up() {
    let every = cyclic("08:00", Some("18:00"), Some(30));
    let mut world = world()
        .robot(scheduled(1))
        .runners(1, None)
        .schedule(every, &[1])
        .running(lost(7, 1, 1, monday("10:00")));
    let noon = monday("12:00");
    let first = plan(&world, noon);
    assert_eq!(first.changes, [Change::Free { run: RunId(7), runner: RunnerId(1) }]);
    assert_eq!(first.held[0].reason, Reason::Resting { until: monday("12:30") });
    assert_eq!(next(&world, &first, noon), Some(monday("12:30")));
    world.launched(&first.changes, &mut 7, noon);
    assert_eq!(plan(&world, noon).held, first.held, "given up then or a moment ago: the same");
    assert_eq!(launches(&world, "12:30"), [(1, 1)]);
    assert_eq!(noon.duration_since(monday("10:00")), SignedDuration::from_hours(2));
}

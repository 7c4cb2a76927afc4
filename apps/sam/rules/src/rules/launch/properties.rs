//! What holds for every look of the launcher, not only for those of the scenarios.

use std::collections::BTreeMap;

use jiff::{SignedDuration, civil::Weekday};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::{
    model::{
        Assignment, Days, Licence, Pace, Robot, RunState, Runner, Schedule, UNKNOWN_HOLD, Weekdays,
    },
    policy::PauseWindow,
    rules::{
        calendar::samples::{at, cyclic, daily, time},
        samples::{robot, run, runner, world},
        world::{Opened, Suspended},
    },
};

pub(in crate::rules) fn ten() -> Timestamp {
    at("2026-03-02T10:00")
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

fn robots() -> impl Strategy<Value = Robot> {
    (0_i64..3, any::<bool>(), 0_u8..10).prop_map(|(priority, online, odd)| Robot {
        priority,
        online,
        active: odd != 0,
        ..robot(0)
    })
}

fn runners() -> impl Strategy<Value = Runner> {
    (0_u8..12).prop_map(|odd| Runner {
        active: odd != 0,
        licence: Licence::parse(if odd == 1 { "DEVELOPMENT" } else { "ATTENDEDRUNTIME" }),
        ..runner(0)
    })
}

/// Around ten on Monday 2 March 2026, so that many are open.
fn schedules() -> impl Strategy<Value = Schedule> {
    let days = select(vec![
        Days::Daily,
        Days::Daily,
        Days::Weekly(Weekdays::of([Weekday::Monday, Weekday::Thursday])),
        Days::Monthly { day: 2 },
        Days::MonthRange { from: 1, to: 3 },
        Days::MonthEnd { last: 30 },
        Days::Once(jiff::civil::date(2026, 3, 2)),
    ]);
    let start = || select(vec!["08:00", "09:30", "09:59", "10:00", "10:20", "23:50"]);
    let single = (start(), select(vec![0_i64, 30, 60, 180, 1_439]))
        .prop_map(|(start, tolerance)| daily(start, tolerance));
    let end = select(vec![None, Some("10:00"), Some("18:00"), Some("02:00")]);
    let pause = prop::option::of(select(vec![15_i64, 60]));
    let again = (start(), end, pause).prop_map(|(start, end, pause)| cyclic(start, end, pause));
    let pace = prop_oneof![3 => single, 2 => again];
    (days, pace, prop::bool::weighted(0.95)).prop_map(|(days, schedule, active)| Schedule {
        days,
        active,
        ..schedule
    })
}

/// A runner's place: who holds it without a schedule, whose schedules, who runs and since when lost.
type Seat = (Option<(usize, bool)>, Vec<usize>, Option<(usize, u8, i64)>);

fn seats() -> impl Strategy<Value = Seat> {
    let who = || 0_usize..6;
    (
        prop::option::weighted(0.6, (who(), any::<bool>())),
        prop::collection::vec(0_usize..6, 0..3),
        prop::option::weighted(0.3, (who(), 0_u8..4, 100_i64..130)),
    )
}

#[derive(Debug, Clone)]
struct Crowd {
    robots: Vec<Robot>,
    runners: Vec<(Runner, Seat)>,
    schedules: Vec<(usize, Schedule)>,
}

fn crowds() -> impl Strategy<Value = Crowd> {
    (
        prop::collection::vec(robots(), 1..6),
        prop::collection::vec((runners(), seats()), 0..6),
        prop::collection::vec((0_usize..6, schedules()), 0..6),
    )
        .prop_map(|(robots, runners, schedules)| Crowd { robots, runners, schedules })
}

fn gathered(crowd: Crowd) -> World {
    let mut all = world();
    for (robot, id) in crowd.robots.into_iter().zip(1..) {
        all = all.robot(Robot { id: RobotId(id), ..robot });
    }
    let count = all.robots.len();
    let who = |n: usize| (n % count) as i64 + 1;
    for ((n, schedule), id) in crowd.schedules.into_iter().zip(1..) {
        let (id, robot) = (ScheduleId(id), RobotId(who(n)));
        all = all.schedule(Schedule { id, robot, ..schedule }, &[]);
    }
    for ((runner, (unscheduled, scheduled, live)), id) in crowd.runners.into_iter().zip(1..) {
        all = all.runner(Runner { id: RunnerId(id), ..runner });
        all = match unscheduled {
            Some((n, true)) => all.reserved(who(n), id),
            Some((n, false)) => all.dynamic(who(n), id),
            None => all,
        };
        let mut chosen: Vec<_> = all.schedules.values().cloned().collect();
        let mut index = 0..;
        chosen.retain(|_| index.next().is_some_and(|n| scheduled.contains(&n)));
        all = chosen.into_iter().fold(all, |all, schedule| all.schedule(schedule, &[id]));
        if let Some((n, state, age)) = live {
            let states = [RunState::Pending, RunState::Running, RunState::Paused];
            let state = states.get(usize::from(state)).copied().unwrap_or(RunState::Unknown);
            let mut run = run(id, who(n), id, state);
            run.unknown_since = (state == RunState::Unknown).then(|| ten() - minutes(age));
            all = all.running(run);
        }
    }
    all
}

/// Pause, circuit, suspensions, runs that ended, slots used up, the last look.
type Weather = (u8, u8, Vec<(u8, i64, i64, i64)>, Vec<(i64, i64, i64)>, Vec<(i64, i64)>, i64);

fn weather() -> impl Strategy<Value = Weather> {
    let id = || 1_i64..6;
    (
        0_u8..12,
        0_u8..16,
        prop::collection::vec((0_u8..3, id(), id(), -5_i64..30), 0..3),
        prop::collection::vec((id(), id(), 0_i64..70), 0..5),
        prop::collection::vec((id(), id()), 0..5),
        0_i64..200,
    )
}

fn exposed(mut world: World, weather: Weather) -> World {
    let (pause, circuit, suspended, ended, taken, looked) = weather;
    if pause < 2 {
        let (from, to) = [("09:00", "10:00"), ("22:00", "10:30")][usize::from(pause)];
        world.policy.pause = PauseWindow { from: time(from), to: time(to) };
    }
    if circuit < 3 {
        let until = ten() + minutes(i64::from(circuit) - 1);
        let (code, detail) = ("A360_ERROR".to_owned(), String::new());
        world.circuit.opened = Some(Opened { code, detail, at: ten() - minutes(9), until });
        world.circuit.failures = 3;
    }
    world.circuit.configured = circuit != 3;
    for (kind, robot, runner, until) in suspended {
        let (robot, runner) = (RobotId(robot), RunnerId(runner));
        let what = match kind {
            0 => Suspended::Robot(robot),
            1 => Suspended::Runner(runner),
            _ => Suspended::Pair(robot, runner),
        };
        world = world.suspend(what, ten() + minutes(until));
    }
    for (robot, runner, ago) in ended {
        world.ended.insert((RobotId(robot), RunnerId(runner)), ten() - minutes(ago));
    }
    for (schedule, runner) in taken {
        let date = jiff::civil::date(2026, 3, 2);
        world.taken.insert((ScheduleId(schedule), RunnerId(runner), date));
    }
    world.looked_at = Some(ten() - minutes(looked));
    world
}

pub(in crate::rules) fn worlds() -> impl Strategy<Value = World> {
    (crowds(), weather()).prop_map(|(crowd, weather)| exposed(gathered(crowd), weather))
}

fn launches(plan: &Plan<Change, Held>) -> Vec<&Launch> {
    let mut launches = Vec::new();
    for change in &plan.changes {
        if let Change::Launch(launch) = change {
            launches.push(launch);
        }
    }
    launches
}

// The rules once more, spelled out plainly.

fn busy(world: &World, runner: RunnerId, now: Timestamp) -> bool {
    let lost = |since: Timestamp| now.duration_since(since) >= SignedDuration::from_hours(2);
    world
        .live
        .get(&runner)
        .is_some_and(|run| run.state != RunState::Unknown || !run.unknown_since.is_some_and(lost))
}

fn house_is_open(world: &World, now: Timestamp) -> bool {
    let clock = now.to_zoned(world.policy.zone.clone()).time();
    let PauseWindow { from, to } = world.policy.pause;
    let paused = if from <= to { from <= clock && clock < to } else { clock >= from || clock < to };
    let broken = world.circuit.opened.as_ref().is_some_and(|opened| now < opened.until);
    world.circuit.configured && !paused && !broken
}

/// Whether this claim could start if nobody else wanted its runner.
fn may_start(world: &World, claim: &Claim<'_>, now: Timestamp) -> bool {
    let (robot, runner) = (claim.robot, claim.runner);
    let suspended = world.suspensions.iter().any(|(what, suspension)| {
        let ours = *what == Suspended::Robot(robot.id)
            || *what == Suspended::Runner(runner.id)
            || *what == Suspended::Pair(robot.id, runner.id);
        ours && now < suspension.until
    });
    let interval = claim.schedule.and_then(|schedule| match schedule.pace {
        Pace::Cyclic { interval, .. } => interval,
        Pace::Single { .. } => None,
    });
    let gave_up = world.live.get(&runner.id).is_some_and(|run| run.robot == robot.id);
    let ended = world.ended.get(&(robot.id, runner.id)).copied();
    let ended = if gave_up { Some(now) } else { ended };
    let rests = interval.zip(ended).is_some_and(|(interval, at)| now < at + interval);
    house_is_open(world, now)
        && robot.active
        && (robot.online || claim.assignment.hold == Hold::Scheduled)
        && runner.active
        && runner.licence.runs_bots()
        && !suspended
        && !rests
        && !busy(world, runner.id, now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn one_launch_per_runner_and_only_where_everything_holds(world in worlds()) {
        let plan = plan(&world, ten());
        let due = claim::due(&world, ten());
        let mut seen = HashSet::new();
        for launch in launches(&plan) {
            prop_assert!(seen.insert(launch.runner));
            prop_assert!(due.iter().any(|one| one.launch() == *launch && may_start(&world, one, ten())));
        }
        if !house_is_open(&world, ten()) {
            prop_assert!(launches(&plan).is_empty());
        }
        if world.circuit.opened.is_some() {
            prop_assert!(launches(&plan).len() <= 1, "an open circuit is tried with one run");
        }
    }

    #[test]
    fn the_best_claim_that_may_start_gets_the_runner(world in worlds()) {
        let plan = plan(&world, ten());
        let probing = world.circuit.opened.is_some();
        let mut best: BTreeMap<RunnerId, Claim<'_>> = BTreeMap::new();
        for one in claim::due(&world, ten()).into_iter().filter(|one| may_start(&world, one, ten())) {
            let known = best.entry(one.runner.id).or_insert_with(|| one.clone());
            if one.rank < known.rank {
                *known = one;
            }
        }
        for launch in launches(&plan) {
            prop_assert_eq!(&best[&launch.runner].launch(), launch);
        }
        if !probing {
            prop_assert_eq!(best.len(), launches(&plan).len(), "no runner idles for nothing");
        }
    }

    #[test]
    fn every_due_claim_starts_or_is_held_exactly_once(world in worlds()) {
        let plan = plan(&world, ten());
        let pair = |one: &Claim<'_>| (one.robot.id, one.runner.id);
        let mut due: Vec<_> = claim::due(&world, ten()).iter().map(pair).collect();
        let started = launches(&plan).into_iter().map(|launch| (launch.robot, launch.runner));
        let mut named: Vec<_> =
            started.chain(plan.held.iter().map(|held| (held.robot, held.runner))).collect();
        due.sort_unstable();
        named.sort_unstable();
        prop_assert_eq!(named, due);
    }

    #[test]
    fn planning_again_changes_nothing(world in worlds()) {
        let first = plan(&world, ten());
        let mut after = world.clone();
        after.launched(&first.changes, &mut 100, ten());
        let again = plan(&after, ten());
        prop_assert!(again.is_settled(), "{:?} after {:?}", again.changes, first.changes);
        prop_assert_eq!(first.held.len() <= again.held.len(), true);
    }

    #[test]
    fn time_alone_starts_nobody_before_the_next_instant(
        world in worlds(), seconds in prop::collection::vec(1_i64..90_000, 6),
    ) {
        let mut world = world;
        let first = plan(&world, ten());
        let told = next(&world, &first, ten());
        world.launched(&first.changes, &mut 100, ten());
        let settled = plan(&world, ten());
        let known = next(&world, &settled, ten());
        let until = known.or(told);
        for ahead in seconds {
            let later = ten() + SignedDuration::from_secs(ahead);
            if known.is_none_or(|known| later < known) {
                let plan = plan(&world, later);
                let frees = plan.changes.iter().any(|one| matches!(one, Change::Free { .. }));
                prop_assert!(launches(&plan).is_empty() && !frees, "{:?}, {:?}", until, plan);
            }
        }
        if let (Some(told), Some(known)) = (told, known) {
            prop_assert!(told <= known, "the tick remembers the plan it committed");
        }
        prop_assert!(known.is_none() || told.is_some());
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        (world, rows) in worlds().prop_flat_map(|world| {
            let rows = Just(world.assignments.clone()).prop_shuffle();
            (Just(world), rows)
        }),
    ) {
        let (one, mut other) = (plan(&world, ten()), world.clone());
        other.assignments = rows;
        let two = plan(&other, ten());
        prop_assert_eq!(launches(&one), launches(&two));
        prop_assert_eq!(&one.held, &two.held);
        let all = |plan: &Plan<Change, Held>| {
            let mut told: Vec<_> = plan.changes.iter().map(|one| format!("{one:?}")).collect();
            told.sort_unstable();
            told
        };
        prop_assert_eq!(all(&one), all(&two));
    }

    #[test]
    fn a_lost_run_is_given_up_after_two_hours_to_the_microsecond(since in 0_i64..100_000_000) {
        let since = ten() + SignedDuration::from_micros(since);
        let world = world().robot(robot(1)).runners(1, None).dynamic(1, 1)
            .running(crate::rules::samples::lost(9, 1, 1, since));
        let end = since + UNKNOWN_HOLD;
        let before = plan(&world, end - SignedDuration::from_micros(1));
        prop_assert!(before.is_settled() && before.held.len() == 1);
        let then = plan(&world, end);
        prop_assert_eq!(then.changes.len(), 2, "freed and given on in one plan");
        prop_assert_eq!(&then.changes[0], &Change::Free { run: RunId(9), runner: RunnerId(1) });
    }
}

/// What happens to the n-th live run, and how many seconds later.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Nothing,
    Accepted,
    Finished,
    /// Accepted, then lost.
    Lost,
    Withdrawn,
    Refused,
}

fn fates() -> impl Strategy<Value = Vec<(i64, usize, Fate)>> {
    let fate = select(vec![
        Fate::Nothing,
        Fate::Accepted,
        Fate::Finished,
        Fate::Finished,
        Fate::Lost,
        Fate::Withdrawn,
        Fate::Refused,
    ]);
    prop::collection::vec(
        (select(vec![1, 60, 700, 7_200, 20_000, 86_399]), 0_usize..6, fate),
        1..40,
    )
}

/// A suspension that follows a deploy gone wrong.
fn suspend(world: &mut World, run: &crate::model::Run, now: Timestamp, rest: SignedDuration) {
    let what = Suspended::Pair(run.robot, run.runner);
    world.suspensions.insert(what, crate::rules::samples::suspension(now + rest));
}

fn befall(world: &mut World, nth: usize, fate: Fate, now: Timestamp) -> Option<()> {
    let mut busy: Vec<_> = world.live.keys().copied().collect();
    busy.sort_unstable();
    let runner = *busy.get(nth % busy.len().max(1))?;
    let pending = world.live.get(&runner)?.state == RunState::Pending;
    match fate {
        Fate::Nothing => {}
        Fate::Accepted => world.live.get_mut(&runner)?.state = RunState::Running,
        Fate::Lost => {
            let run = world.live.get_mut(&runner)?;
            run.state = RunState::Unknown;
            run.unknown_since = run.unknown_since.or(Some(now));
        }
        Fate::Withdrawn if pending => {
            let run = world.withdrawn(runner)?;
            suspend(world, &run, now, SignedDuration::from_secs(15));
        }
        Fate::Refused if pending => {
            let run = world.refused(runner, now)?;
            suspend(world, &run, now, SignedDuration::from_hours(1));
        }
        Fate::Finished | Fate::Withdrawn | Fate::Refused => drop(world.ended(runner, now)),
    }
    Some(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// `launched` panics where a slot or a runner would have two runs; here each slot is followed
    /// through days of looks: what was accepted once is never launched again.
    #[test]
    fn a_slot_runs_at_most_once_whatever_happens(crowd in crowds(), fates in fates()) {
        let mut world = gathered(crowd);
        let (mut now, mut id) = (ten(), 100);
        let mut accepted: HashSet<(ScheduleId, RunnerId, jiff::civil::Date)> = HashSet::new();
        let standing = |run: &crate::model::Run| Some((run.schedule?, run.runner, run.slot?));
        for (ahead, nth, fate) in fates {
            let look = plan(&world, now);
            for launch in launches(&look) {
                let key = launch.schedule.zip(launch.slot);
                let key = key.map(|(schedule, slot)| (schedule, launch.runner, slot.date));
                prop_assert!(key.is_none_or(|key| !accepted.contains(&key)), "{key:?} twice");
            }
            world.launched(&look.changes, &mut id, now);
            prop_assert!(plan(&world, now).is_settled());
            befall(&mut world, nth, fate, now);
            let runs = world.live.values().filter(|run| run.state != RunState::Pending);
            accepted.extend(runs.filter_map(standing));
            now += SignedDuration::from_secs(ahead);
        }
    }

    /// Every slot of a schedule that closed while its runner was assigned had its run or is noted
    /// as missed, with a reason, whenever the launcher looked.
    #[test]
    fn no_slot_passes_without_a_trace(crowd in crowds(), steps in fates()) {
        let mut world = gathered(crowd);
        let (begin, mut now, mut id) = (ten(), ten(), 100);
        for (ahead, nth, fate) in steps {
            let look = plan(&world, now);
            world.launched(&look.changes, &mut id, now);
            befall(&mut world, nth, fate, now);
            now += SignedDuration::from_secs(ahead);
        }
        let look = plan(&world, now);
        world.launched(&look.changes, &mut id, now);
        let end = world.looked_at.expect("it looked");
        let rows: Vec<Assignment> = world.assignments.clone();
        for row in rows {
            let Some(schedule) = row.schedule.and_then(|id| world.schedules.get(&id)) else { continue };
            let (zone, none) = (&world.policy.zone, None);
            for slot in calendar::closed(schedule, none, zone, begin, second(end)) {
                let key = (schedule.id, row.runner, slot.date);
                let missed = world.slots.get(&key).is_some_and(|note| note.missed);
                prop_assert!(missed || world.taken.contains(&key), "{key:?} left no trace");
            }
        }
    }
}

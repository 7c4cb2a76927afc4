//! Fifty robots, thirty runners, four pools, forty schedules of every kind.

use jiff::civil::{Date, Weekday, date};

use crate::{
    model::{
        CalendarId, Days, Limits, Pace, Robot, RobotId, Runner, Schedule, ScheduleId, Weekdays,
    },
    policy::PauseWindow,
    rules::{
        calendar::samples::{cyclic, daily, holidays, time},
        samples::{pool, robot, runner, world},
        world::World,
    },
};

/// Robots on demand; those after them run by schedule.
pub(super) const ONLINE: i64 = 30;
const ROBOTS: i64 = 50;
pub(super) const RUNNERS: i64 = 30;
/// Runners that schedules use, some of them several.
const SCHEDULED: i64 = 10;
pub(super) const POOLS: i64 = 4;

pub(super) fn open() -> World {
    let mut world = world();
    for id in 1..=ROBOTS {
        let online = id <= ONLINE;
        world = world.robot(Robot {
            online,
            priority: id * 7 % 10 * 10,
            limits: Limits { least: id % 3, most: (id % 4 != 0).then_some(id % 3 + id % 5 + 1) },
            tickets_per_runner: 5 + id % 4 * 5,
            pool: pool(id % (POOLS + 1)),
            ..robot(id)
        });
    }
    for id in 1..=RUNNERS {
        let pool = pool(id % (POOLS + 1));
        world = world.runner(Runner { pool, dynamic: id % 13 != 0, ..runner(id) });
    }
    world.calendars.insert(CalendarId(1), holidays([date(2026, 3, 23), date(2026, 3, 24)]));
    world.policy.pause = PauseWindow { from: time("23:00"), to: time("05:00") };
    for (schedule, id) in schedules().into_iter().zip(1..) {
        let robot = RobotId(ONLINE + 1 + id % (ROBOTS - ONLINE));
        let calendar = (id % 3 == 0).then_some(CalendarId(1));
        let first = id % SCHEDULED + 1;
        let runners = if id % 4 == 0 { vec![first, first % SCHEDULED + 1] } else { vec![first] };
        let schedule = Schedule { id: ScheduleId(id), robot, calendar, ..schedule };
        world = world.schedule(schedule, &runners);
    }
    world.reserved(3, 11).reserved(8, 12).reserved(35, 13)
}

fn schedules() -> Vec<Schedule> {
    let week = |days: &[Weekday]| Days::Weekly(Weekdays::of(days.iter().copied()));
    let patterns = [
        Days::Daily,
        week(&[Weekday::Monday, Weekday::Wednesday, Weekday::Friday]),
        Days::Monthly { day: 15 },
        Days::MonthRange { from: 1, to: 15 },
        Days::MonthEnd { last: 5 },
        Days::Once(date(2026, 3, 20)),
        Days::Daily,
        week(&[Weekday::Saturday, Weekday::Sunday]),
    ];
    let singles = [("06:00", 0), ("08:30", 30), ("12:00", 60), ("23:50", 30), ("04:00", 90)];
    let cycles = [
        ("08:00", Some("18:00"), Some(30)),
        ("09:00", Some("12:00"), None),
        ("22:00", Some("02:00"), Some(15)),
    ];
    let valid = |n: usize| -> (Option<Date>, Option<Date>) {
        match n % 7 {
            0 => (Some(date(2026, 3, 5)), None),
            1 => (None, Some(date(2026, 3, 25))),
            _ => (None, None),
        }
    };
    (0..40)
        .map(|n| {
            let schedule = if n % 5 == 4 {
                let (start, end, interval) = cycles[n / 5 % cycles.len()];
                cyclic(start, end, interval)
            } else {
                let (start, tolerance) = singles[n % singles.len()];
                daily(start, tolerance + n as i64 % 3 * 10)
            };
            let (valid_from, valid_to) = valid(n);
            let days = patterns[n % patterns.len()].clone();
            Schedule { days, valid_from, valid_to, ..schedule }
        })
        .collect()
}

/// Whether the operators leave this schedule alone all month.
pub(super) fn is_left_alone(schedule: &Schedule) -> bool {
    schedule.id.0 % 8 != 0 && matches!(schedule.pace, Pace::Single { .. })
}

//! Schedules and instants the tests are told in.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::model::{Calendar, CalendarId, Days, Pace, RobotId, Schedule, ScheduleId};

pub(crate) const HOME: &str = "America/Argentina/Buenos_Aires";

pub(crate) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// An instant by the clock of Buenos Aires: `2026-03-02T09:00` or with seconds.
pub(crate) fn at(local: &str) -> Timestamp {
    let local: jiff::civil::DateTime = local.parse().unwrap();
    zone(HOME).to_timestamp(local).unwrap()
}

pub(crate) fn time(text: &str) -> Time {
    text.parse().unwrap()
}

pub(crate) fn told(instants: &[Timestamp], zone: &TimeZone) -> Vec<String> {
    instants.iter().map(|at| zone.to_datetime(*at).strftime("%d %H:%M").to_string()).collect()
}

pub(crate) fn daily(start: &str, tolerance: i64) -> Schedule {
    Schedule {
        id: ScheduleId(1),
        robot: RobotId(1),
        days: Days::Daily,
        pace: Pace::Single { tolerance: SignedDuration::from_mins(tolerance), end: None },
        start: time(start),
        valid_from: None,
        valid_to: None,
        active: true,
        calendar: None,
        created_at: Timestamp::UNIX_EPOCH,
        timed_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

pub(crate) fn cyclic(start: &str, end: Option<&str>, interval: Option<i64>) -> Schedule {
    let interval = interval.map(SignedDuration::from_mins);
    Schedule { pace: Pace::Cyclic { end: end.map(time), interval }, ..daily(start, 0) }
}

pub(crate) fn holidays(dates: impl IntoIterator<Item = Date>) -> Calendar {
    let holidays = dates.into_iter().collect();
    Calendar { id: CalendarId(1), name: "Feriados".to_owned(), holidays, version: 1 }
}

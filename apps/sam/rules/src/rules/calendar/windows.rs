//! Which slots there are, which are open, which have passed, which comes next.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::dates::{bounds, dates, runs_on};
use super::slot::{LONGEST, Slot, slot};
use crate::model::{Calendar, Pace, RunnerId, Schedule};

/// Nobody reads more at once, and no question may take for ever.
const FURTHEST_DAYS: i32 = 5 * 366;
/// A leap day can be eight years away (1896, 2096).
const SEARCH_YEARS: i32 = 8;
/// Missed slots older than that are history.
const MISSED: SignedDuration = SignedDuration::from_hours(31 * 24);
/// How far the date on the wall can be from the date of a slot that starts now: clocks have been
/// set a whole day forward (Apia 2011) and back over midnight (St. John's until 2011).
const STRAY_DAYS: i32 = 2;

/// The slots that start in `[from, to)`, in order; at most five years of them.
pub fn occurrences(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    from: Timestamp,
    to: Timestamp,
) -> Vec<Slot> {
    let first = shifted(zone, from, -STRAY_DAYS);
    let last = shifted(zone, to, STRAY_DAYS).min(first.saturating_add(FURTHEST_DAYS.days()));
    dates(schedule, holidays, first, last)
        .filter_map(|date| slot(schedule, zone, date))
        .filter(|slot| from <= slot.start && slot.start < to)
        .collect()
}

/// The slots that contain `now`, oldest first. Asked for every schedule at every tick: four dates
/// are looked at, and nothing is allocated when none is open.
pub fn open(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    now: Timestamp,
) -> Vec<Slot> {
    let mut found = Vec::new();
    if !schedule.active {
        return found;
    }
    let today = zone.to_datetime(now).date();
    let before = today.yesterday().ok();
    let dates =
        [before.and_then(|day| day.yesterday().ok()), before, Some(today), today.tomorrow().ok()];
    for date in dates.into_iter().flatten() {
        if !runs_on(schedule, holidays, date) {
            continue;
        }
        found.extend(slot(schedule, zone, date).filter(|slot| slot.is_open(now)));
    }
    if !found.is_empty() {
        let since = timed_on(schedule, zone);
        found.retain(|slot| slot.date >= since);
    }
    found
}

/// The first date whose slot is the schedule's as it is timed now: one made at five past midnight does
/// not run what it would have run the evening before.
fn timed_on(schedule: &Schedule, zone: &TimeZone) -> Date {
    zone.to_datetime(schedule.timed_at).date()
}

/// The slots of a schedule that is not cyclic which ended in `[after, now)`, at most those of the
/// last 31 days: what was missed if nothing was launched in them.
pub fn closed(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    after: Timestamp,
    now: Timestamp,
) -> Vec<Slot> {
    match schedule.pace {
        Pace::Single { .. } => {}
        Pace::Cyclic { .. } => return Vec::new(),
    }
    let after = after.max(now.checked_sub(MISSED).unwrap_or(Timestamp::MIN));
    let began = after.checked_sub(LONGEST).unwrap_or(Timestamp::MIN);
    let first = shifted(zone, began, -STRAY_DAYS);
    dates(schedule, holidays, first, shifted(zone, now, STRAY_DAYS))
        .filter_map(|date| slot(schedule, zone, date))
        .filter(|slot| after <= slot.until && slot.until < now)
        .filter(|slot| slot.date >= timed_on(schedule, zone))
        .collect()
}

/// When the first slot after `after` starts; sought for eight years from when the schedule can
/// begin.
pub fn next_start(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    after: Timestamp,
) -> Option<Timestamp> {
    let first = shifted(zone, after, -STRAY_DAYS);
    let begin = bounds(schedule).0.map_or(first, |valid| valid.max(first));
    dates(schedule, holidays, begin, begin.saturating_add(SEARCH_YEARS.years()))
        .filter_map(|date| slot(schedule, zone, date))
        .map(|slot| slot.start)
        .find(|start| *start > after)
}

/// When it would be launched next: the start of the next slot, or, while the window of a cyclic schedule
/// is open, as soon as one of its runners has rested.
pub fn next_run(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    rested: Timestamp,
    now: Timestamp,
) -> Option<Timestamp> {
    if let Pace::Cyclic { .. } = schedule.pace {
        let open = open(schedule, holidays, zone, now);
        if open.iter().any(|slot| rested <= slot.until) {
            return Some(rested);
        }
    }
    next_start(schedule, holidays, zone, now)
}

/// When the first of these runners has rested after its last run of a cyclic schedule: now, if one did
/// already. A run that goes on rests, at the earliest, from now on.
pub fn rested(
    schedule: &Schedule,
    runners: impl Iterator<Item = RunnerId>,
    busy: impl Fn(RunnerId) -> bool,
    ended: impl Fn(RunnerId) -> Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    let Pace::Cyclic { interval: Some(interval), .. } = schedule.pace else { return now };
    let after = |runner: RunnerId| {
        let last = if busy(runner) { Some(now) } else { ended(runner) };
        last.map_or(now, |last| last.saturating_add(interval).unwrap_or(now).max(now))
    };
    runners.map(after).min().unwrap_or(now)
}

pub(super) fn shifted(zone: &TimeZone, instant: Timestamp, days: i32) -> Date {
    zone.to_datetime(instant).date().saturating_add(days.days())
}

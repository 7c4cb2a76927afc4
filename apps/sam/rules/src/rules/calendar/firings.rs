//! What a preview shows: the instants at which a schedule would launch.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::slot::{LONGEST, Slot};
use super::windows::occurrences;
use crate::model::{Calendar, Pace, Schedule};

/// The launches to expect in `[from, to)`, at most `limit`: the start of every slot; for a cyclic
/// schedule with an interval also every interval after it, as if runs took no time.
pub fn firings(
    schedule: &Schedule,
    holidays: Option<&Calendar>,
    zone: &TimeZone,
    from: Timestamp,
    to: Timestamp,
    limit: usize,
) -> Vec<Timestamp> {
    // A window that is already open still has firings to come; clocks may have made it longer.
    let began = from.checked_sub(LONGEST * 2).unwrap_or(Timestamp::MIN);
    let step = match schedule.pace {
        Pace::Single { .. } | Pace::Cyclic { interval: None, .. } => None,
        Pace::Cyclic { interval: Some(step), .. } => Some(step.max(SHORTEST)),
    };
    let mut found: Vec<Timestamp> = Vec::new();
    for slot in occurrences(schedule, holidays, zone, began, to) {
        if found.len() >= limit && found.iter().max().is_some_and(|last| *last < slot.start) {
            break;
        }
        found.extend(of_slot(&slot, step, from, to).take(limit));
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(limit);
    found
}

const SHORTEST: SignedDuration = SignedDuration::from_mins(1);

fn of_slot(
    slot: &Slot,
    step: Option<SignedDuration>,
    from: Timestamp,
    to: Timestamp,
) -> impl Iterator<Item = Timestamp> {
    let (start, until) = (slot.start, slot.until);
    let behind = from.duration_since(start);
    let skipped = step.filter(|_| behind > SignedDuration::ZERO).map_or(0, |step| {
        let (behind, step) = (behind.as_nanos(), step.as_nanos());
        i64::try_from((behind + step - 1) / step).unwrap_or(i64::MAX)
    });
    let nth = move |n: i64| {
        let step = step.map_or((n == 0).then_some(SignedDuration::ZERO), Some)?;
        let ahead =
            SignedDuration::from_nanos(i64::try_from(step.as_nanos() * i128::from(n)).ok()?);
        start.checked_add(ahead).ok()
    };
    (skipped..)
        .map_while(nth)
        .take_while(move |at| *at <= until && *at < to)
        .filter(move |at| *at >= from)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, cyclic, daily, told, zone};
    use super::*;

    fn preview(schedule: &Schedule, from: &str, to: &str, limit: usize) -> Vec<String> {
        let zone = zone("America/Argentina/Buenos_Aires");
        told(&firings(schedule, None, &zone, at(from), at(to), limit), &zone)
    }

    #[test]
    fn a_cyclic_window_is_shown_interval_by_interval() {
        let hourly = cyclic("22:00", Some("01:00"), Some(60));
        let shown = preview(&hourly, "2026-03-02T23:30", "2026-03-03T22:30", 10);
        assert_eq!(shown, ["03 00:00", "03 01:00", "03 22:00"]);
        assert_eq!(preview(&hourly, "2026-03-02T23:00", "2026-03-09T00:00", 2).len(), 2);
        assert_eq!(preview(&hourly, "2026-03-02T23:00", "2026-03-09T00:00", 0), [""; 0]);
    }

    #[test]
    fn others_fire_once_when_their_slot_starts() {
        let eager = cyclic("08:00", Some("18:00"), None);
        let shown = preview(&eager, "2026-03-02T08:00", "2026-03-04T08:00", 10);
        assert_eq!(shown, ["02 08:00", "03 08:00"]);
        assert_eq!(
            preview(&daily("09:00", 30), "2026-03-02T09:10", "2026-03-03T09:01", 9).len(),
            1
        );
    }

    #[test]
    fn an_interval_of_nothing_does_not_run_for_ever() {
        let mut schedule = cyclic("00:00", None, Some(0));
        assert_eq!(preview(&schedule, "2026-03-02T00:00", "2026-03-09T00:00", 5000).len(), 5000);
        schedule.pace = Pace::Cyclic { end: None, interval: Some(SignedDuration::MIN) };
        assert_eq!(preview(&schedule, "2026-03-02T00:00", "2026-03-02T01:00", 5000).len(), 60);
    }
}

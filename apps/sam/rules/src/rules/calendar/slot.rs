//! The slot of one date: from when until when a schedule may be launched.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::model::{Pace, Schedule};

/// One turn of a schedule. For a cyclic schedule it is the whole window of that date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The date it starts on: its identity, also when it is used after midnight.
    pub date: Date,
    pub start: Timestamp,
    /// The last instant at which a launch is in time; included.
    pub until: Timestamp,
}

impl Slot {
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.start <= now && now <= self.until
    }
}

/// No slot is longer, clocks going back apart. More tolerance than that would reach the next slot.
pub(super) const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// The finest step of time that the store keeps.
const STEP: SignedDuration = SignedDuration::from_micros(1);

/// The slot that the schedule has if it runs on `date`; none only where time itself ends.
pub fn slot(schedule: &Schedule, zone: &TimeZone, date: Date) -> Option<Slot> {
    let start = instant(zone, date, schedule.start)?;
    let until = match schedule.pace {
        Pace::Single { tolerance, end } => {
            let grace = tolerance.clamp(SignedDuration::ZERO, LONGEST);
            let late = start.checked_add(grace).unwrap_or(Timestamp::MAX);
            end.map_or(late, |end| late.min(closing(schedule, zone, date, end)))
        }
        Pace::Cyclic { end: Some(end), .. } => closing(schedule, zone, date, end),
        Pace::Cyclic { end: None, .. } => end_of(zone, date),
    };
    // Clocks going forward over the start can carry it past its own end; it is still due once.
    Some(Slot { date, start, until: until.max(start) })
}

/// An end that is not after the start is the next day's.
fn closing(schedule: &Schedule, zone: &TimeZone, date: Date, end: Time) -> Timestamp {
    let day = if end <= schedule.start { date.tomorrow().ok() } else { Some(date) };
    day.and_then(|day| instant(zone, day, end)).unwrap_or(Timestamp::MAX)
}

fn end_of(zone: &TimeZone, date: Date) -> Timestamp {
    let next = date.tomorrow().ok().and_then(|day| instant(zone, day, Time::midnight()));
    next.and_then(|next| next.checked_sub(STEP).ok()).unwrap_or(Timestamp::MAX)
}

/// A clock face that does not exist is as much later as the clocks jumped; one that is shown twice
/// is the first.
fn instant(zone: &TimeZone, date: Date, time: Time) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::samples::{cyclic, daily, time, zone};
    use super::*;

    fn told(schedule: &Schedule, zone: &TimeZone, date: Date) -> (String, String) {
        let slot = slot(schedule, zone, date).unwrap();
        let local = |at| zone.to_datetime(at).strftime("%d %H:%M:%S%.f").to_string();
        (local(slot.start), local(slot.until))
    }

    fn says(start: &str, until: &str) -> (String, String) {
        (start.to_owned(), until.to_owned())
    }

    #[test]
    fn the_tolerance_or_the_end_whichever_comes_first() {
        let (zone, day) = (zone("America/Argentina/Buenos_Aires"), date(2026, 3, 2));
        let until = |start, tolerance, end: Option<&str>| {
            let mut schedule = daily(start, tolerance);
            let tolerance = SignedDuration::from_mins(tolerance);
            schedule.pace = Pace::Single { tolerance, end: end.map(time) };
            told(&schedule, &zone, day).1
        };
        assert_eq!(until("09:00", 30, None), "02 09:30:00");
        assert_eq!(until("09:00", 30, Some("09:10")), "02 09:10:00");
        assert_eq!(until("09:00", 30, Some("10:00")), "02 09:30:00");
        assert_eq!(until("23:50", 30, Some("00:05")), "03 00:05:00");
        assert_eq!(until("23:50", 1440, None), "03 23:50:00");
        assert_eq!(until("09:00", 99_999, None), "03 09:00:00");
        assert_eq!(until("09:00", -5, None), "02 09:00:00");
    }

    #[test]
    fn a_cyclic_slot_is_the_window_of_its_date() {
        let (zone, day) = (zone("America/Argentina/Buenos_Aires"), date(2026, 3, 2));
        let window = |start, end| told(&cyclic(start, end, Some(30)), &zone, day);
        assert_eq!(window("08:00", Some("18:00")), says("02 08:00:00", "02 18:00:00"));
        assert_eq!(window("22:00", Some("06:00")), says("02 22:00:00", "03 06:00:00"));
        assert_eq!(window("08:00", None), says("02 08:00:00", "02 23:59:59.999999"));
    }

    #[test]
    fn clocks_that_change_move_the_slot_but_never_lose_it() {
        let madrid = zone("Europe/Madrid");
        let (forward, back) = (date(2026, 3, 29), date(2026, 10, 25));
        assert_eq!(told(&daily("02:30", 15), &madrid, forward), says("29 03:30:00", "29 03:45:00"));
        let swallowed = cyclic("02:30", Some("03:10"), None);
        assert_eq!(told(&swallowed, &madrid, forward), says("29 03:30:00", "29 03:30:00"));
        let twice = slot(&daily("02:30", 15), &madrid, back).unwrap();
        assert_eq!(twice.start, "2026-10-25T00:30:00Z".parse().unwrap());
        let all_day = slot(&cyclic("00:00", None, None), &madrid, back).unwrap();
        assert_eq!(all_day.until.duration_since(all_day.start).as_hours(), 24);
        let apia = zone("Pacific/Apia");
        let skipped = slot(&daily("09:00", 30), &apia, date(2011, 12, 30)).unwrap();
        let next = slot(&daily("09:00", 30), &apia, date(2011, 12, 31)).unwrap();
        assert_eq!(skipped.start, next.start, "a date that never was falls on the one after it");
    }

    #[test]
    fn time_ends_without_a_panic() {
        let zone = zone("Pacific/Apia");
        for date in [Date::MIN, Date::MAX, date(9999, 12, 30)] {
            let _ = slot(&daily("23:59", 1440), &zone, date);
            let _ = slot(&cyclic("23:59", Some("00:10"), Some(1)), &zone, date);
        }
    }
}

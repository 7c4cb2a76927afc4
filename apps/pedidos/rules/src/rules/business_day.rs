//! *Jornada*: the business day, which ends at the cut-off and not at midnight (§4.3.2).
//!
//! Dinner service crosses midnight, and the database may live in another zone; a calendar date
//! would empty the kitchen in the middle of it (S-21, S-23).

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use crate::model::{Due, Order};

/// A business day and its instants: `begins` belongs to it, `ends` to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusinessDay {
    pub date: Date,
    pub begins: Timestamp,
    pub ends: Timestamp,
}

impl BusinessDay {
    pub fn containing(instant: Timestamp, zone: &TimeZone, cutoff: Time) -> Self {
        Self::of(day_of(instant, zone, cutoff), zone, cutoff)
    }

    pub fn of(date: Date, zone: &TimeZone, cutoff: Time) -> Self {
        let ends = date.tomorrow().map_or(Timestamp::MAX, |next| begins(next, zone, cutoff));
        Self { date, begins: begins(date, zone, cutoff), ends }
    }

    pub fn contains(&self, instant: Timestamp) -> bool {
        self.begins <= instant && instant < self.ends
    }
}

/// The instant that decides which day an order belongs to: its promised time, else its creation.
pub const fn reference(due: Due, received_at: Timestamp) -> Timestamp {
    match due {
        Due::AsSoonAsPossible => received_at,
        Due::At(at) => at,
    }
}

pub fn day_of_order(order: &Order, zone: &TimeZone, cutoff: Time) -> Date {
    day_of(reference(order.due, order.received_at), zone, cutoff)
}

/// The day whose half-open interval holds the instant. Decided by the intervals and not by the
/// local clock face: when clocks go back over the cut-off, the face shows it twice but the day
/// changes once.
pub fn day_of(instant: Timestamp, zone: &TimeZone, cutoff: Time) -> Date {
    let date = zone.to_datetime(instant).date();
    if instant < begins(date, zone, cutoff) {
        return date.yesterday().unwrap_or(date);
    }
    match date.tomorrow() {
        Ok(next) if begins(next, zone, cutoff) <= instant => next,
        _ => date,
    }
}

/// A cut-off skipped by clocks going forward takes effect as much later as they jumped.
fn begins(date: Date, zone: &TimeZone, cutoff: Time) -> Timestamp {
    let zoned = zone.to_ambiguous_zoned(date.to_datetime(cutoff)).compatible();
    zoned.map_or(Timestamp::MIN, |zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use jiff::civil::{date, time};
    use proptest::prelude::*;

    use super::*;

    const CUTOFF: Time = time(4, 0, 0, 0);

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn instant(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_day_lasts_until_the_cutoff_in_the_zone_of_the_shop() {
        let shop = zone("America/Argentina/Buenos_Aires");
        let cases = [
            ("2026-06-19T23:59:59-03:00", date(2026, 6, 19)),
            ("2026-06-20T00:00:00-03:00", date(2026, 6, 19)),
            ("2026-06-20T03:59:59-03:00", date(2026, 6, 19)),
            ("2026-06-20T04:00:00-03:00", date(2026, 6, 20)),
            ("2026-06-19T20:59:30-03:00", date(2026, 6, 19)),
            ("2026-06-19T21:00:00-03:00", date(2026, 6, 19)),
        ];
        for (text, expected) in cases {
            assert_eq!(day_of(instant(text), &shop, CUTOFF), expected, "{text}");
        }
    }

    #[test]
    fn a_day_is_longer_or_shorter_when_clocks_change() {
        let madrid = zone("Europe/Madrid");
        let hours = |date, cutoff| {
            let day = BusinessDay::of(date, &madrid, cutoff);
            day.ends.duration_since(day.begins).as_hours()
        };
        assert_eq!(hours(date(2026, 3, 28), CUTOFF), 23);
        assert_eq!(hours(date(2026, 10, 24), CUTOFF), 25);
        assert_eq!(hours(date(2026, 6, 19), CUTOFF), 24);
    }

    #[test]
    fn a_cutoff_shown_twice_changes_the_day_once() {
        let madrid = zone("Europe/Madrid");
        let cutoff = time(2, 30, 0, 0);
        let first = instant("2026-10-25T00:30:00Z");
        assert_eq!(day_of(first, &madrid, cutoff), date(2026, 10, 25));
        let second_face_of_two = instant("2026-10-25T01:10:00Z");
        assert_eq!(day_of(second_face_of_two, &madrid, cutoff), date(2026, 10, 25));
        assert_eq!(day_of(instant("2026-10-25T00:29:59Z"), &madrid, cutoff), date(2026, 10, 24));
    }

    proptest! {
        #[test]
        fn every_instant_lies_in_exactly_its_own_day(
            second in 1_700_000_000_i64..1_900_000_000,
            hour in 0_i8..24,
            name in prop::sample::select(vec![
                "America/Argentina/Buenos_Aires", "Europe/Madrid", "America/Sao_Paulo",
                "Australia/Lord_Howe", "UTC",
            ]),
        ) {
            let (zone, cutoff) = (zone(name), time(hour, 30, 0, 0));
            let instant = Timestamp::from_second(second).unwrap();
            let day = BusinessDay::containing(instant, &zone, cutoff);
            prop_assert!(day.contains(instant));
            let next = BusinessDay::containing(day.ends, &zone, cutoff);
            prop_assert_eq!(next.begins, day.ends);
            prop_assert_eq!(next.date, day.date.tomorrow().unwrap());
            let last = day.ends - SignedDuration::from_nanos(1);
            prop_assert_eq!(day_of(last, &zone, cutoff), day.date);
        }
    }
}

//! Whether two schedules want one runner at the same time (F-A7, without the asymmetry and
//! for every pair of patterns).

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::dates::{bounds, dates, runs_on};
use super::slot::{Slot, slot};
use super::windows::shifted;
use crate::model::{Calendar, Days, Schedule};

/// No two patterns meet for the first time later than that: it is the longest a leap day takes to
/// fall on a given weekday again (2072 to 2112).
const HORIZON_YEARS: i32 = 40;
/// Holidays further away than that change nothing anybody waits for.
const HOLIDAY_YEARS: i32 = 100;
/// Slots this near a change of the clocks are compared by their instants.
const NEAR_DAYS: i32 = 4;

/// A day like any other, to compare clock faces on.
const ANY: Date = jiff::civil::date(2000, 1, 15);

/// A schedule with the dates it leaves out.
pub type Planned<'a> = (&'a Schedule, Option<&'a Calendar>);

/// The first two slots that want the runner at once, at or after `from`: one starts before the
/// other ends, or both at the same instant. One that starts when the other ends only touches it.
///
/// Away from changes of the clocks two slots meet exactly if their clock faces do, so most pairs
/// are settled without looking at a single date.
pub fn overlap(a: Planned, b: Planned, zone: &TimeZone, from: Timestamp) -> Option<(Slot, Slot)> {
    let (first, last) = horizon(a, b, zone, from)?;
    let meeting = Meeting { a, b, zone, from };
    let plain = meeting.by_clock_face(first, last);
    let latest = plain.map_or(Timestamp::MAX, |pair| begins(&pair));
    let changed = meeting.near_changes(first, last, latest);
    [plain, changed].into_iter().flatten().min_by_key(rank)
}

/// Whether two schedules never meet, as far as that is plain to see: their hours lie in the middle of
/// the day, where no clock is changed, and do not touch, or their weekdays are others. Asked of every
/// two in a file of thousands; where it says no, [`overlap`] knows.
pub fn are_apart(a: &Schedule, b: &Schedule) -> bool {
    if !a.active || !b.active {
        return true;
    }
    let faces = by_day(a).zip(by_day(b));
    faces.is_some_and(|(one, two)| !meet(&one, &two) || !days_meet(&a.days, &b.days, 0))
}

/// The hours of a schedule, if they lie between five in the morning and nine in the evening of one
/// day: clocks change at night.
fn by_day(schedule: &Schedule) -> Option<Slot> {
    let face = slot(schedule, &TimeZone::UTC, ANY)?;
    let time = |at: Timestamp| TimeZone::UTC.to_datetime(at);
    let (start, until) = (time(face.start), time(face.until));
    let early = start.hour() >= 5 && until.hour() < 21;
    (early && until.date() == ANY).then_some(face)
}

/// Whether a date of one may have a date of the other so many days later.
fn days_meet(a: &Days, b: &Days, later: i32) -> bool {
    match (a, b) {
        (Days::Weekly(ours), Days::Weekly(theirs)) => {
            ours.days().any(|day| theirs.contains(day.wrapping_add(later)))
        }
        (Days::Once(ours), Days::Once(theirs)) => ours.saturating_add(later.days()) == *theirs,
        (Days::Once(date), Days::Weekly(week)) => {
            week.contains(date.saturating_add(later.days()).weekday())
        }
        (Days::Weekly(week), Days::Once(date)) => {
            week.contains(date.saturating_sub(later.days()).weekday())
        }
        _ => true,
    }
}

/// When both want the runner.
fn begins(pair: &(Slot, Slot)) -> Timestamp {
    pair.0.start.max(pair.1.start)
}

/// Which pair is the first, whichever schedule is named first; the dates decide where a date that
/// never was starts together with the one after it.
fn rank(pair: &(Slot, Slot)) -> (Timestamp, Date, Date) {
    let (one, two) = (pair.0.date, pair.1.date);
    (begins(pair), one.max(two), one.min(two))
}

/// The dates worth looking at; none when the schedules are never both valid.
fn horizon(a: Planned, b: Planned, zone: &TimeZone, from: Timestamp) -> Option<(Date, Date)> {
    let today = shifted(zone, from, -NEAR_DAYS);
    let begin = [a, b].into_iter().filter_map(|(schedule, _)| bounds(schedule).0);
    let begin = begin.fold(today, |begin, valid| begin.max(valid.saturating_sub(NEAR_DAYS.days())));
    let holidays = [a, b].into_iter().filter_map(|(_, calendar)| calendar?.holidays.last());
    let settled = holidays.fold(begin, |settled, holiday| settled.max(*holiday));
    let settled = settled.min(begin.saturating_add(HOLIDAY_YEARS.years()));
    let ends = [a, b].into_iter().filter_map(|(schedule, _)| bounds(schedule).1);
    let end = settled.saturating_add(HORIZON_YEARS.years());
    let end = ends.fold(end, |end, valid| end.min(valid.saturating_add(NEAR_DAYS.days())));
    (begin <= end).then_some((begin, end))
}

#[derive(Clone, Copy)]
struct Meeting<'a> {
    a: Planned<'a>,
    b: Planned<'a>,
    zone: &'a TimeZone,
    from: Timestamp,
}

impl Meeting<'_> {
    fn by_clock_face(&self, first: Date, last: Date) -> Option<(Slot, Slot)> {
        let offsets: Vec<i32> =
            (-2..=2).filter(|days| faces_meet(self.a.0, self.b.0, *days)).collect();
        let offsets: Vec<i32> = offsets
            .into_iter()
            .filter(|days| days_meet(&self.a.0.days, &self.b.0.days, *days))
            .collect();
        if offsets.is_empty() {
            return None;
        }
        let mut best: Option<(Slot, Slot)> = None;
        for date in dates(self.a.0, self.a.1, first, last) {
            if best.is_some_and(|(slot, _)| slot.date.saturating_add(NEAR_DAYS.days()) < date) {
                break;
            }
            let others = offsets.iter().map(|days| date.saturating_add(days.days()));
            let found = others.filter_map(|other| self.pair(date, other)).min_by_key(rank);
            best = [best, found].into_iter().flatten().min_by_key(rank);
        }
        best
    }

    /// Where the clocks change, slots move against each other.
    fn near_changes(&self, first: Date, last: Date, latest: Timestamp) -> Option<(Slot, Slot)> {
        let after =
            self.zone.to_timestamp(first.to_datetime(jiff::civil::Time::midnight())).ok()?;
        let changes = self.zone.following(after).map(|change| change.timestamp());
        for change in changes {
            let begin = shifted(self.zone, change, -NEAR_DAYS);
            if begin > last || begin > shifted(self.zone, latest, 0) {
                return None;
            }
            let end = shifted(self.zone, change, NEAR_DAYS);
            let ours = dates(self.a.0, self.a.1, begin, end);
            let found = ours
                .flat_map(|date| {
                    (-2..=2).map(move |days: i32| (date, date.saturating_add(days.days())))
                })
                .filter_map(|(date, other)| self.pair(date, other))
                .min_by_key(rank);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The slots of these dates, if they exist and want the runner at once.
    fn pair(&self, date: Date, other: Date) -> Option<(Slot, Slot)> {
        let one = slot_on(self.a, self.zone, date)?;
        let two = slot_on(self.b, self.zone, other)?;
        (meet(&one, &two) && one.until.min(two.until) >= self.from).then_some((one, two))
    }
}

fn slot_on((schedule, holidays): Planned, zone: &TimeZone, date: Date) -> Option<Slot> {
    runs_on(schedule, holidays, date).then(|| slot(schedule, zone, date)).flatten()
}

fn meet(one: &Slot, two: &Slot) -> bool {
    one.start == two.start || one.start < two.until && two.start < one.until
}

/// Whether a slot of `a` meets the slot of `b` so many days later while nothing happens to the
/// clocks.
fn faces_meet(a: &Schedule, b: &Schedule, days: i32) -> bool {
    let one = slot(a, &TimeZone::UTC, ANY);
    let two = slot(b, &TimeZone::UTC, ANY.saturating_add(days.days()));
    one.zip(two).is_some_and(|(one, two)| meet(&one, &two))
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Weekday, date};
    use proptest::prelude::*;

    use super::super::properties::schedules;

    use super::super::samples::{at, cyclic, daily, zone};
    use super::*;
    use crate::model::{Days, Weekdays};

    fn on(days: Days, schedule: &Schedule) -> Schedule {
        Schedule { days, ..schedule.clone() }
    }

    fn meets(a: &Schedule, b: &Schedule) -> Option<String> {
        let zone = zone("America/Argentina/Buenos_Aires");
        let from = at("2026-03-02T00:00");
        let found = overlap((a, None), (b, None), &zone, from);
        let turned = overlap((b, None), (a, None), &zone, from);
        assert_eq!(found, turned.map(|(b, a)| (a, b)));
        found.map(|(a, b)| format!("{} {}", a.date, b.date))
    }

    #[test]
    fn the_order_of_creation_does_not_matter() {
        assert_eq!(meets(&daily("08:00", 30), &daily("20:00", 30)), None);
        assert_eq!(meets(&daily("08:00", 30), &daily("08:30", 30)), None, "they only touch");
        let found = meets(&daily("08:00", 31), &daily("08:30", 30));
        assert_eq!(found.unwrap(), "2026-03-02 2026-03-02");
        assert!(meets(&daily("08:00", 0), &daily("08:00", 0)).is_some());
        assert_eq!(meets(&daily("08:00", 0), &daily("07:00", 60)), None);
    }

    #[test]
    fn windows_that_cross_midnight_meet_the_next_morning() {
        let night = cyclic("22:00", Some("06:00"), None);
        let monday = Days::Weekly(Weekdays::of([Weekday::Monday]));
        let tuesday = Days::Weekly(Weekdays::of([Weekday::Tuesday]));
        let early = on(tuesday, &daily("05:30", 10));
        let found = meets(&on(monday.clone(), &night), &early);
        assert_eq!(found.unwrap(), "2026-03-02 2026-03-03");
        assert_eq!(meets(&on(monday.clone(), &night), &on(monday, &daily("05:30", 10))), None);
    }

    #[test]
    fn patterns_of_different_kinds_are_compared() {
        let nine = &daily("09:00", 30);
        let leap = meets(
            &on(
                Days::Monthly { day: 29 },
                &Schedule { valid_from: Some(date(2026, 2, 1)), ..nine.clone() },
            ),
            &on(Days::MonthEnd { last: 1 }, nine),
        );
        assert_eq!(leap.unwrap(), "2028-02-29 2028-02-29");
        let friday = Days::Weekly(Weekdays::of([Weekday::Friday]));
        let found = meets(&on(Days::Monthly { day: 13 }, nine), &on(friday, nine));
        assert_eq!(found.unwrap(), "2026-03-13 2026-03-13");
        let once = on(Days::Once(date(2046, 1, 31)), nine);
        let found = meets(&once, &on(Days::MonthEnd { last: 2 }, nine));
        assert_eq!(found.unwrap(), "2046-01-31 2046-01-31");
        let short = on(Days::MonthRange { from: 1, to: 28 }, nine);
        assert_eq!(meets(&short, &on(Days::Monthly { day: 31 }, nine)), None);
    }

    #[test]
    fn validity_holidays_and_activity_count() {
        let nine = daily("09:00", 30);
        let early = Schedule { valid_to: Some(date(2026, 3, 10)), ..nine.clone() };
        let late = Schedule { valid_from: Some(date(2026, 3, 11)), ..nine.clone() };
        assert_eq!(meets(&early, &late), None);
        assert_eq!(meets(&Schedule { active: false, ..nine.clone() }, &nine), None);
        let zone = zone("America/Argentina/Buenos_Aires");
        let holidays = super::super::samples::holidays([date(2026, 3, 2)]);
        let found =
            overlap((&early, Some(&holidays)), (&nine, None), &zone, at("2026-03-02T00:00"));
        assert_eq!(found.unwrap().0.date, date(2026, 3, 3));
    }

    #[test]
    fn clocks_that_go_forward_push_a_slot_into_the_next() {
        let madrid = zone("Europe/Madrid");
        let (night, morning) = (daily("01:30", 60), daily("03:00", 10));
        let from = at("2026-01-01T00:00");
        let found = overlap((&night, None), (&morning, None), &madrid, from).unwrap();
        assert_eq!((found.0.date, found.1.date), (date(2026, 3, 29), date(2026, 3, 29)));
    }

    proptest! {
        /// What is plainly apart never meets, whatever the zone.
        #[test]
        fn what_is_plainly_apart_never_meets(a in schedules(), b in schedules()) {
            if are_apart(&a, &b) {
                for name in ["America/Argentina/Buenos_Aires", "Europe/Madrid", "America/Santiago"] {
                    let from = at("2026-03-02T00:00");
                    let met = overlap((&a, None), (&b, None), &zone(name), from);
                    prop_assert_eq!(met, None, "{:?} {:?}", a, b);
                }
            }
        }
    }
}

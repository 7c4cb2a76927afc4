//! The hours of a week in which a schedule may want its runner: what tells most pairs of thousands apart
//! without looking at a single date.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::slot::slot;
use crate::model::{Days, Schedule};

const WEEK: i64 = 7 * 24 * 60;
/// Changes of the clocks that are looked at: ten years of them.
const CHANGES: usize = 20;
/// What began before may still go on.
const BEFORE: SignedDuration = SignedDuration::from_hours(96);

/// A house whose clocks are changed by so many minutes at most: what stands on their faces may come as
/// much earlier or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faces(i64);

impl Faces {
    pub fn new(zone: &TimeZone, from: Timestamp) -> Self {
        let since = from.saturating_sub(BEFORE).unwrap_or(from);
        let mut offset = zone.to_offset(since).seconds();
        let mut most = 0;
        for change in zone.following(since).take(CHANGES) {
            most = most.max((change.offset().seconds() - offset).abs());
            offset = change.offset().seconds();
        }
        Self(i64::from(most).div_euclid(60) + i64::from(most > 0))
    }

    pub fn of(self, schedule: &Schedule) -> Face {
        Face::of(schedule, self.0)
    }
}

/// Minutes since Monday began, first and last of each time; both are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Face(Vec<(i64, i64)>);

impl Face {
    fn of(schedule: &Schedule, change: i64) -> Self {
        let monday = jiff::civil::date(2001, 1, 1);
        let Some(hours) = slot(schedule, &TimeZone::UTC, monday) else {
            return Self(vec![(0, WEEK)]);
        };
        let minutes = |at: Timestamp| {
            let begins = monday.to_zoned(TimeZone::UTC).map(|monday| monday.timestamp());
            begins.map_or(0, |begins| at.duration_since(begins).as_secs().div_euclid(60))
        };
        let (first, last) = (minutes(hours.start) - change, minutes(hours.until) + change);
        let on = |days_after_monday: i8| {
            let later = i64::from(days_after_monday) * 24 * 60;
            (first + later, last + later)
        };
        Self(match &schedule.days {
            Days::Weekly(days) => days.days().map(|day| on(day.to_monday_zero_offset())).collect(),
            Days::Once(date) => vec![on(date.weekday().to_monday_zero_offset())],
            Days::Daily
            | Days::Monthly { .. }
            | Days::MonthRange { .. }
            | Days::MonthEnd { .. } => (0..7).map(on).collect(),
        })
    }

    /// Whether there is an hour of the week that both may want.
    pub fn touches(&self, other: &Self) -> bool {
        self.0.iter().any(|(first, last)| {
            other.0.iter().any(|(begins, ends)| {
                [-WEEK, 0, WEEK].iter().any(|week| *first <= ends + week && begins + week <= *last)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, daily, zone};
    use super::*;
    use crate::model::Weekdays;
    use jiff::civil::Weekday;

    fn on(day: Weekday, start: &str) -> Face {
        let days = Days::Weekly(Weekdays::of([day]));
        Face::of(&Schedule { days, ..daily(start, 60) }, 0)
    }

    #[test]
    fn hours_touch_at_their_ends_over_midnight_and_over_the_week() {
        let noon = on(Weekday::Monday, "12:00");
        assert!(noon.touches(&on(Weekday::Monday, "13:00")) && noon.touches(&noon));
        assert!(!noon.touches(&on(Weekday::Monday, "13:01")));
        assert!(!noon.touches(&on(Weekday::Tuesday, "12:00")));
        let late = on(Weekday::Sunday, "23:30");
        assert!(late.touches(&on(Weekday::Monday, "00:15")));
        assert!(on(Weekday::Monday, "00:15").touches(&late));
        let every = Face::of(&daily("12:30", 10), 0);
        assert!(every.touches(&noon) && noon.touches(&every));
    }

    #[test]
    fn where_clocks_are_changed_hours_reach_further() {
        let faces = |name| Faces::new(&zone(name), at("2026-03-02T09:00"));
        assert_eq!(faces("America/Argentina/Buenos_Aires"), Faces(0));
        let face = |start| faces("America/New_York").of(&daily(start, 0));
        assert!(face("12:00").touches(&face("14:00")));
        assert!(!face("12:00").touches(&face("15:00")));
    }
}

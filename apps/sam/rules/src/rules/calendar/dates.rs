//! On which dates a schedule runs. Dates only: no clock face, no zone.

use jiff::civil::Date;

use crate::model::{Calendar, Days, Schedule};

/// Whether the schedule has a slot on that date.
pub fn runs_on(schedule: &Schedule, holidays: Option<&Calendar>, date: Date) -> bool {
    schedule.active
        && schedule.valid_from.is_none_or(|first| first <= date)
        && schedule.valid_to.is_none_or(|last| date <= last)
        && matches(&schedule.days, date)
        && !is_holiday(holidays, date)
}

/// The dates of the schedule's slots in `[from, to]`, in order. Ends with the range, whatever the
/// schedule.
pub(super) fn dates<'a>(
    schedule: &'a Schedule,
    holidays: Option<&'a Calendar>,
    from: Date,
    to: Date,
) -> impl Iterator<Item = Date> + 'a {
    let first = schedule.valid_from.map_or(from, |valid| valid.max(from));
    let last = schedule.valid_to.map_or(to, |valid| valid.min(to));
    let days = &schedule.days;
    let begin = if schedule.active { next_match(days, first) } else { None };
    std::iter::successors(begin, move |date| next_match(days, date.tomorrow().ok()?))
        .take_while(move |date| *date <= last)
        .filter(move |date| !is_holiday(holidays, *date))
}

/// The first and the last date the schedule can run on; none = unbounded.
pub(super) fn bounds(schedule: &Schedule) -> (Option<Date>, Option<Date>) {
    let only = match schedule.days {
        Days::Once(date) => Some(date),
        Days::Daily
        | Days::Weekly(_)
        | Days::Monthly { .. }
        | Days::MonthRange { .. }
        | Days::MonthEnd { .. } => None,
    };
    let last = [only, schedule.valid_to].into_iter().flatten().min();
    (only.max(schedule.valid_from), last)
}

fn is_holiday(holidays: Option<&Calendar>, date: Date) -> bool {
    holidays.is_some_and(|calendar| calendar.holidays.contains(&date))
}

fn matches(days: &Days, date: Date) -> bool {
    match days {
        Days::Daily => true,
        Days::Weekly(week) => week.contains(date.weekday()),
        Days::Once(only) => *only == date,
        Days::Monthly { .. } | Days::MonthRange { .. } | Days::MonthEnd { .. } => {
            in_month(days, date).is_some_and(|(first, last)| (first..=last).contains(&date.day()))
        }
    }
}

/// The first date of the pattern that is not before `date`, found without walking day by day.
fn next_match(days: &Days, date: Date) -> Option<Date> {
    match days {
        Days::Daily => Some(date),
        Days::Once(only) => (*only >= date).then_some(*only),
        Days::Weekly(week) => {
            let week_ahead = std::iter::successors(Some(date), |day| day.tomorrow().ok()).take(7);
            week_ahead.into_iter().find(|day| week.contains(day.weekday()))
        }
        Days::Monthly { .. } | Days::MonthRange { .. } | Days::MonthEnd { .. } => {
            // Of two months in a row one is long enough for any day; more are for nonsense.
            std::iter::successors(Some(date), |month| month.last_of_month().tomorrow().ok())
                .take(4)
                .find_map(|month| {
                    let (first, last) = in_month(days, month)?;
                    let day = month.day().max(first);
                    let found = Date::new(month.year(), month.month(), day).ok();
                    found.filter(|_| day <= last)
                })
        }
    }
}

/// The first and the last day of that month's share of the pattern.
fn in_month(days: &Days, month: Date) -> Option<(i8, i8)> {
    let length = month.days_in_month();
    let (first, last) = match *days {
        Days::Monthly { day } => (day, day),
        Days::MonthRange { from, to } => (from, to.min(length)),
        Days::MonthEnd { last } => ((length + 1).saturating_sub(last).max(1), length),
        Days::Daily | Days::Weekly(_) | Days::Once(_) => return None,
    };
    (1 <= first && first <= last && last <= length).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Weekday, date};

    use super::super::samples::daily;
    use super::*;
    use crate::model::Weekdays;

    fn found(days: Days, from: Date, to: Date) -> Vec<String> {
        let schedule = Schedule { days, ..daily("09:00", 30) };
        dates(&schedule, None, from, to).map(|date| date.to_string()).collect()
    }

    #[test]
    fn a_month_without_the_day_is_left_out() {
        let spring = found(Days::Monthly { day: 31 }, date(2026, 3, 1), date(2026, 6, 30));
        assert_eq!(spring, ["2026-03-31", "2026-05-31"]);
        let february = found(Days::Monthly { day: 29 }, date(2027, 2, 1), date(2028, 2, 29));
        assert_eq!(february.len(), 12);
        assert_eq!(february.last().unwrap(), "2028-02-29");
    }

    #[test]
    fn a_range_is_cut_where_the_month_ends() {
        let range = Days::MonthRange { from: 30, to: 31 };
        let days = found(range, date(2026, 1, 31), date(2026, 4, 30));
        assert_eq!(days, ["2026-01-31", "2026-03-30", "2026-03-31", "2026-04-30"]);
        let all = found(Days::MonthEnd { last: 31 }, date(2026, 2, 1), date(2026, 3, 31));
        assert_eq!(all.len(), 59);
    }

    #[test]
    fn patterns_that_cannot_be_have_no_dates() {
        let (from, to) = (date(2026, 1, 1), date(2030, 1, 1));
        for days in [
            Days::Weekly(Weekdays::default()),
            Days::Monthly { day: 0 },
            Days::Monthly { day: 32 },
            Days::MonthRange { from: 9, to: 3 },
            Days::MonthEnd { last: i8::MIN },
            Days::Once(date(2031, 1, 1)),
        ] {
            assert_eq!(found(days.clone(), from, to), [""; 0], "{days:?}");
        }
        assert_eq!(found(Days::Daily, to, from), [""; 0]);
    }

    #[test]
    fn the_calendar_ends_and_so_do_the_dates() {
        assert_eq!(found(Days::Daily, date(9999, 12, 30), Date::MAX).len(), 2);
        let week = Days::Weekly(Weekdays::of([Weekday::Monday]));
        assert_eq!(found(week, date(9999, 12, 30), Date::MAX), [""; 0]);
        assert_eq!(found(Days::Monthly { day: 1 }, date(9999, 12, 2), Date::MAX), [""; 0]);
    }
}

//! A schedule as a person would say it, in Spanish and English side by side.

use engine::Sentence;
use jiff::SignedDuration;
use jiff::civil::{Date, Time, Weekday};

use crate::model::{Days, Pace, Schedule, Weekdays};

/// «Todos los días a las 09:00, hasta 30 min después» and “Every day at 09:00, up to 30 min later”.
pub fn sentence(schedule: &Schedule) -> Sentence {
    let mut told = days(&schedule.days);
    told.push(&Sentence::new(" ", " "));
    match schedule.pace {
        Pace::Single { tolerance, end } => single(&mut told, schedule.start, tolerance, end),
        Pace::Cyclic { end, interval } => cyclic(&mut told, schedule.start, end, interval),
    }
    told.push(&validity(schedule.valid_from, schedule.valid_to));
    if schedule.calendar.is_some() {
        told.push(&Sentence::new(", salvo feriados", ", holidays apart"));
    }
    if !schedule.active {
        told.push(&Sentence::new(" (inactiva)", " (inactive)"));
    }
    told
}

fn days(days: &Days) -> Sentence {
    match days {
        Days::Daily => Sentence::new("Todos los días", "Every day"),
        Days::Weekly(week) => weekly(*week),
        Days::Monthly { day } if *day > 28 => Sentence::new(
            format!("El día {day} de cada mes que lo tiene"),
            format!("On day {day} of every month that has it"),
        ),
        Days::Monthly { day } => Sentence::new(
            format!("El día {day} de cada mes"),
            format!("On day {day} of every month"),
        ),
        Days::MonthRange { from, to } => Sentence::new(
            format!("Del día {from} al {to} de cada mes"),
            format!("From day {from} to {to} of every month"),
        ),
        Days::MonthEnd { last: 1 } => {
            Sentence::new("El último día del mes", "On the last day of the month")
        }
        Days::MonthEnd { last } => Sentence::new(
            format!("Los últimos {last} días del mes"),
            format!("On the last {last} days of the month"),
        ),
        Days::Once(date) => Sentence::new(format!("El {}", spanish(*date)), format!("On {date}")),
    }
}

fn weekly(week: Weekdays) -> Sentence {
    let english = |day| match day {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    };
    let words: Vec<&str> = week.days().map(english).collect();
    Sentence::new(joined(&week.words(), " y "), joined(&words, " and "))
}

fn joined(words: &[&str], last: &str) -> String {
    match words {
        [] => "—".to_owned(),
        [only] => (*only).to_owned(),
        [head @ .., tail] => format!("{}{last}{tail}", head.join(", ")),
    }
}

fn single(told: &mut Sentence, start: Time, tolerance: SignedDuration, end: Option<Time>) {
    told.push(&Sentence::new(format!("a {}", the(start)), format!("at {}", clock(start))));
    if tolerance <= SignedDuration::ZERO {
        told.push(&Sentence::new(" en punto", " sharp"));
    } else {
        let span = span(tolerance);
        told.push(&Sentence::new(
            format!(", hasta {span} después"),
            format!(", up to {span} later"),
        ));
    }
    if let Some(end) = end {
        let (es, en) = (the(end), clock(end));
        told.push(&Sentence::new(format!(", no después de {es}"), format!(", not after {en}")));
        told.push(&next_day(start, end));
    }
}

fn cyclic(told: &mut Sentence, start: Time, end: Option<Time>, interval: Option<SignedDuration>) {
    let from = clock(start);
    match end {
        None => {
            told.push(&Sentence::new(format!("desde {}", the(start)), format!("from {from} on")));
        }
        Some(end) => {
            let to = clock(end);
            told.push(&Sentence::new(format!("de {from} a {to}"), format!("from {from} to {to}")));
            told.push(&next_day(start, end));
        }
    }
    let pause = match interval.map(span) {
        Some(span) => Sentence::new(format!(", cada {span}"), format!(", every {span}")),
        None => Sentence::new(", sin pausa entre ejecuciones", ", run after run"),
    };
    told.push(&pause);
}

fn next_day(start: Time, end: Time) -> Sentence {
    if end <= start {
        Sentence::new(" del día siguiente", " the next day")
    } else {
        Sentence::default()
    }
}

fn validity(from: Option<Date>, to: Option<Date>) -> Sentence {
    match (from, to) {
        (None, None) => Sentence::default(),
        (Some(from), None) => {
            Sentence::new(format!(", desde el {}", spanish(from)), format!(", since {from}"))
        }
        (None, Some(to)) => {
            Sentence::new(format!(", hasta el {}", spanish(to)), format!(", until {to}"))
        }
        (Some(from), Some(to)) => Sentence::new(
            format!(", del {} al {}", spanish(from), spanish(to)),
            format!(", from {from} to {to}"),
        ),
    }
}

fn the(time: Time) -> String {
    let article = if time.hour() == 1 { "la" } else { "las" };
    format!("{article} {}", clock(time))
}

/// Seconds only when there are some.
pub(super) fn clock(time: Time) -> String {
    time.strftime(if time.second() == 0 { "%H:%M" } else { "%H:%M:%S" }).to_string()
}

fn spanish(date: Date) -> String {
    date.strftime("%d/%m/%Y").to_string()
}

fn span(duration: SignedDuration) -> String {
    let minutes = duration.as_mins();
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::samples::{cyclic, daily, time};
    use super::*;
    use crate::model::CalendarId;

    #[track_caller]
    fn says(schedule: &Schedule, es: &str, en: &str) {
        assert_eq!(sentence(schedule), Sentence::new(es, en));
    }

    fn on(days: Days, schedule: &Schedule) -> Schedule {
        Schedule { days, ..schedule.clone() }
    }

    #[test]
    fn single_slots() {
        says(
            &daily("09:00", 30),
            "Todos los días a las 09:00, hasta 30 min después",
            "Every day at 09:00, up to 30 min later",
        );
        says(
            &on(Days::Monthly { day: 31 }, &daily("01:00", 90)),
            "El día 31 de cada mes que lo tiene a la 01:00, hasta 1 h 30 min después",
            "On day 31 of every month that has it at 01:00, up to 1 h 30 min later",
        );
        let mut late = on(Days::Once(date(2026, 12, 24)), &daily("23:50", 0));
        late.pace = Pace::Single { tolerance: SignedDuration::ZERO, end: Some(time("00:10")) };
        says(
            &late,
            "El 24/12/2026 a las 23:50 en punto, no después de las 00:10 del día siguiente",
            "On 2026-12-24 at 23:50 sharp, not after 00:10 the next day",
        );
    }

    #[test]
    fn cyclic_windows() {
        let week = Weekdays::of([Weekday::Monday, Weekday::Wednesday, Weekday::Friday]);
        says(
            &on(Days::Weekly(week), &cyclic("08:00", Some("18:00"), Some(30))),
            "Lu, Mi y Vi de 08:00 a 18:00, cada 30 min",
            "Mon, Wed and Fri from 08:00 to 18:00, every 30 min",
        );
        says(
            &on(Days::MonthEnd { last: 5 }, &cyclic("22:00", Some("06:00"), None)),
            "Los últimos 5 días del mes de 22:00 a 06:00 del día siguiente, sin pausa entre ejecuciones",
            "On the last 5 days of the month from 22:00 to 06:00 the next day, run after run",
        );
        says(
            &on(Days::MonthRange { from: 1, to: 15 }, &cyclic("08:00", None, Some(1440))),
            "Del día 1 al 15 de cada mes desde las 08:00, cada 24 h",
            "From day 1 to 15 of every month from 08:00 on, every 24 h",
        );
    }

    #[test]
    fn what_limits_it_is_said() {
        let schedule = Schedule {
            valid_from: Some(date(2026, 3, 1)),
            valid_to: Some(date(2026, 4, 30)),
            calendar: Some(CalendarId(1)),
            active: false,
            ..on(Days::MonthEnd { last: 1 }, &daily("09:00:30", 60))
        };
        says(
            &schedule,
            "El último día del mes a las 09:00:30, hasta 1 h después, del 01/03/2026 al 30/04/2026, \
             salvo feriados (inactiva)",
            "On the last day of the month at 09:00:30, up to 1 h later, from 2026-03-01 to 2026-04-30, \
             holidays apart (inactive)",
        );
    }
}

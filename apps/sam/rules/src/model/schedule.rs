//! *Programación*: the dates and hours at which a robot runs.

use std::collections::BTreeSet;

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time, Weekday},
};

use super::{CalendarId, RobotId, ScheduleId};

/// *Programación*: when a robot runs (§3.2). Times are local to the house's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub id: ScheduleId,
    pub robot: RobotId,
    /// On which dates.
    pub days: Days,
    /// At which hours of such a date.
    pub pace: Pace,
    /// *`HoraInicio`*.
    pub start: Time,
    /// *`FechaInicioVentana`* / *`FechaFinVentana`*: both included, none = unbounded.
    pub valid_from: Option<Date>,
    pub valid_to: Option<Date>,
    pub active: bool,
    /// Dates on which it does not run.
    pub calendar: Option<CalendarId>,
    pub created_at: Timestamp,
    /// Since when its hours and days are these: slots of the days before are not its.
    pub timed_at: Timestamp,
    pub version: i64,
}

impl Schedule {
    /// A schedule over the one it replaces: timed anew where it opens slots that the one before did
    /// not.
    #[must_use]
    pub fn retimed(self, before: &Self, now: Timestamp) -> Self {
        let same = self.days == before.days && self.start == before.start;
        let stands = same && (before.active || !self.active);
        Self { timed_at: if stands { before.timed_at } else { now }, ..self }
    }
}

engine::words! {
    /// *`TipoProgramacion`* as a word.
    pub enum Kind {
        Daily = "Diaria",
        Weekly = "Semanal",
        Monthly = "Mensual",
        MonthRange = "RangoMensual",
        Once = "Especifica",
    }
}

/// *`TipoProgramacion`* with what it needs to name its dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Days {
    /// *Diaria*.
    Daily,
    /// *Semanal*.
    Weekly(Weekdays),
    /// *Mensual*: a month without that day has none.
    Monthly { day: i8 },
    /// *`RangoMensual`* from one day of the month to another, both included.
    MonthRange { from: i8, to: i8 },
    /// *`RangoMensual`*: the last so many days of the month.
    MonthEnd { last: i8 },
    /// *Específica*.
    Once(Date),
}

impl Days {
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Daily => Kind::Daily,
            Self::Weekly(_) => Kind::Weekly,
            Self::Monthly { .. } => Kind::Monthly,
            Self::MonthRange { .. } | Self::MonthEnd { .. } => Kind::MonthRange,
            Self::Once(_) => Kind::Once,
        }
    }
}

/// How often on its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Once, at most `tolerance` after its start, and never after `end`; both ends included.
    Single { tolerance: SignedDuration, end: Option<Time> },
    /// *`EsCiclico`*: again and again until `end` (included; before the start = the next day; none
    /// = the end of the day), at least `interval` after the run before ended.
    Cyclic { end: Option<Time>, interval: Option<SignedDuration> },
}

/// *`DiasSemana`*: Lu, Ma, Mi, Ju, Vi, Sa, Do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weekdays(u8);

const NAMES: [(&str, Weekday); 7] = [
    ("Lu", Weekday::Monday),
    ("Ma", Weekday::Tuesday),
    ("Mi", Weekday::Wednesday),
    ("Ju", Weekday::Thursday),
    ("Vi", Weekday::Friday),
    ("Sa", Weekday::Saturday),
    ("Do", Weekday::Sunday),
];

impl Weekdays {
    pub fn of(days: impl IntoIterator<Item = Weekday>) -> Self {
        Self(days.into_iter().fold(0, |bits, day| bits | bit(day)))
    }

    pub fn contains(self, day: Weekday) -> bool {
        self.0 & bit(day) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The two-letter words, Monday first.
    pub fn words(self) -> Vec<&'static str> {
        let chosen = NAMES.iter().filter(|(_, day)| self.contains(*day));
        chosen.map(|(word, _)| *word).collect()
    }

    pub fn days(self) -> impl Iterator<Item = Weekday> {
        NAMES.into_iter().map(|(_, day)| day).filter(move |day| self.contains(*day))
    }

    /// One day by its word: `Lu`, `lunes`, `Mié`, `MIERCOLES`.
    pub fn day(word: &str) -> Option<Weekday> {
        let plain: String = word.trim().to_lowercase().replace('é', "e").replace('á', "a");
        let full = ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"];
        let known = full.iter().position(|name| plain.len() >= 2 && name.starts_with(&plain))?;
        Some(NAMES[known].1)
    }
}

fn bit(day: Weekday) -> u8 {
    1 << day.to_monday_zero_offset()
}

/// *Calendario de feriados*: dates that schedules naming it leave out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    pub id: CalendarId,
    pub name: String,
    pub holidays: BTreeSet<Date>,
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_known_by_short_and_long_words() {
        for (word, day) in [
            ("Lu", Weekday::Monday),
            ("mié", Weekday::Wednesday),
            ("MIERCOLES", Weekday::Wednesday),
            ("sábado", Weekday::Saturday),
            (" do ", Weekday::Sunday),
        ] {
            assert_eq!(Weekdays::day(word), Some(day), "{word}");
        }
        for word in ["", "m", "lunas", "Xx"] {
            assert_eq!(Weekdays::day(word), None, "{word}");
        }
    }

    #[test]
    fn a_week_keeps_its_order() {
        let week = Weekdays::of([Weekday::Sunday, Weekday::Monday]);
        assert_eq!(week.words(), ["Lu", "Do"]);
        assert!(!week.contains(Weekday::Tuesday));
    }
}

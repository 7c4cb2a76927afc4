//! *Horario* (§8.1): when an operator is at work.

use jiff::civil::{DateTime, Time, Weekday};
use serde::{Deserialize, Serialize};

/// Hours on some days of the week. One that ends before it begins goes on past midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    pub days: Vec<Day>,
    pub from: Time,
    pub to: Time,
}

/// A day of the week as the contract writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Day {
    pub const ALL: [Self; 7] =
        [Self::Mon, Self::Tue, Self::Wed, Self::Thu, Self::Fri, Self::Sat, Self::Sun];

    /// `mon`, `Monday`, `Lu`, `lunes`, `1`: the first letters tell days apart in both languages.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        let names = [
            ("1", "mon", "lu"),
            ("2", "tue", "ma"),
            ("3", "wed", "mi"),
            ("4", "thu", "ju"),
            ("5", "fri", "vi"),
            ("6", "sat", "sá"),
            ("7", "sun", "do"),
        ];
        let same = |(number, en, es): &(&str, &str, &str)| {
            word == *number
                || word.starts_with(en)
                || word.starts_with(es)
                || (*es == "sá" && (word == "sa" || word.starts_with("sab")))
        };
        names.iter().position(same).map(|n| Self::ALL[n])
    }

    const fn weekday(self) -> Weekday {
        match self {
            Self::Mon => Weekday::Monday,
            Self::Tue => Weekday::Tuesday,
            Self::Wed => Weekday::Wednesday,
            Self::Thu => Weekday::Thursday,
            Self::Fri => Weekday::Friday,
            Self::Sat => Weekday::Saturday,
            Self::Sun => Weekday::Sunday,
        }
    }
}

impl Shift {
    fn on(&self, weekday: Weekday) -> bool {
        self.days.is_empty() || self.days.iter().any(|day| day.weekday() == weekday)
    }

    /// Its beginning belongs to it, its end does not.
    pub fn covers(&self, local: DateTime) -> bool {
        let (today, time) = (local.date().weekday(), local.time());
        if self.from < self.to {
            return self.on(today) && (self.from..self.to).contains(&time);
        }
        // Past midnight: the evening of today's shift, or the morning of yesterday's.
        (self.on(today) && time >= self.from) || (self.on(today.previous()) && time < self.to)
    }
}

/// Whether somebody with these shifts is at work; without any, always.
pub fn at_work(shifts: &[Shift], local: DateTime) -> bool {
    shifts.is_empty() || shifts.iter().any(|shift| shift.covers(local))
}

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};

    use super::*;

    #[test]
    fn a_shift_covers_its_hours_on_its_days() {
        let shift = Shift { days: vec![Day::Mon], from: time(9, 0, 0, 0), to: time(17, 0, 0, 0) };
        let monday = date(2026, 11, 16);
        assert!(shift.covers(monday.at(9, 0, 0, 0)));
        assert!(shift.covers(monday.at(16, 59, 59, 0)));
        assert!(!shift.covers(monday.at(17, 0, 0, 0)));
        assert!(!shift.covers(date(2026, 11, 17).at(10, 0, 0, 0)));
        assert!(at_work(&[], monday.at(3, 0, 0, 0)));
        assert!(!at_work(&[shift], monday.at(3, 0, 0, 0)));
    }

    #[test]
    fn a_night_shift_goes_on_past_midnight() {
        let shift = Shift { days: vec![Day::Fri], from: time(22, 0, 0, 0), to: time(6, 0, 0, 0) };
        assert!(shift.covers(date(2026, 11, 20).at(23, 0, 0, 0)), "Friday night");
        assert!(shift.covers(date(2026, 11, 21).at(5, 59, 0, 0)), "Saturday morning");
        assert!(!shift.covers(date(2026, 11, 20).at(5, 0, 0, 0)), "Friday morning");
        assert!(!shift.covers(date(2026, 11, 21).at(22, 0, 0, 0)), "Saturday night");
    }

    #[test]
    fn days_are_told_apart_in_both_languages() {
        for (word, day) in [
            ("Lu", Day::Mon),
            ("martes", Day::Tue),
            ("Miércoles", Day::Wed),
            ("thu", Day::Thu),
            ("5", Day::Fri),
            ("sab", Day::Sat),
            ("Sá", Day::Sat),
            ("Sunday", Day::Sun),
        ] {
            assert_eq!(Day::named(word), Some(day), "{word}");
        }
        assert_eq!(Day::named("x"), None);
        assert_eq!(Day::named(""), None);
    }
}

//! The period that a chart covers, chosen in the address (`?periodo=semana`), in even parts.

use engine::Word as _;
use jiff::{Timestamp, tz::TimeZone};

use crate::Lang;

engine::words! {
    /// How far back a chart looks.
    pub enum Period {
        Hour = "hora",
        Day = "dia",
        Week = "semana",
        Month = "mes",
    }
}

impl Period {
    /// What the address asks for, or `otherwise`.
    pub fn asked(word: Option<&str>, otherwise: Self) -> Self {
        word.and_then(Self::from_word).unwrap_or(otherwise)
    }

    pub fn label(self, lang: Lang) -> &'static str {
        match self {
            Self::Hour => lang.t("Hora", "Hour"),
            Self::Day => lang.t("Día", "Day"),
            Self::Week => lang.t("Semana", "Week"),
            Self::Month => lang.t("Mes", "Month"),
        }
    }

    /// The periods that make sense somewhere, to choose from.
    pub fn tabs(self, offered: &[Self], lang: Lang) -> Vec<PeriodTab> {
        let tab = |one: &Self| PeriodTab {
            word: one.word(),
            label: one.label(lang),
            chosen: *one == self,
        };
        offered.iter().map(tab).collect()
    }

    /// So many whole days; an hour is part of one.
    pub const fn days(self) -> u32 {
        match self {
            Self::Hour | Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
        }
    }

    /// Seconds of one part, and how many parts there are.
    const fn parts(self) -> (i64, usize) {
        match self {
            Self::Hour => (5 * 60, 12),
            Self::Day => (3_600, 24),
            Self::Week => (6 * 3_600, 28),
            Self::Month => (24 * 3_600, 30),
        }
    }

    /// The parts of the period that ends with the one `now` is in.
    pub fn spans(self, now: Timestamp, zone: &TimeZone) -> Spans {
        let (seconds, count) = self.parts();
        // Hours and days begin where people's clocks say so.
        let offset = i64::from(zone.to_offset(now).seconds());
        let last = (now.as_second() + offset).div_euclid(seconds) * seconds - offset;
        let first = last - seconds * (count as i64 - 1);
        Spans { period: self, first, seconds, count }
    }
}

/// A period that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct PeriodTab {
    pub word: &'static str,
    pub label: &'static str,
    pub chosen: bool,
}

/// Even parts of a period, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    period: Period,
    first: i64,
    seconds: i64,
    count: usize,
}

impl Spans {
    pub fn since(&self) -> Timestamp {
        Timestamp::from_second(self.first).unwrap_or(Timestamp::MIN)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The part an instant is in.
    pub fn of(&self, at: Timestamp) -> Option<usize> {
        let place = (at.as_second() - self.first).div_euclid(self.seconds);
        usize::try_from(place).ok().filter(|place| *place < self.count)
    }

    /// What is written under each part.
    pub fn labels(&self, zone: &TimeZone) -> Vec<String> {
        let form = match self.period {
            Period::Hour => "%H:%M",
            Period::Day => "%H",
            Period::Week => "%d/%m %H h",
            Period::Month => "%d/%m",
        };
        let label = |n: usize| {
            let at = Timestamp::from_second(self.first + self.seconds * n as i64);
            let local = at.unwrap_or(Timestamp::MIN).to_zoned(zone.clone());
            local.strftime(form).to_string()
        };
        (0..self.count).map(label).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_ends_with_the_part_that_is_running_and_parts_follow_the_local_clock() {
        let zone = TimeZone::get("America/Argentina/Buenos_Aires").unwrap();
        let now: Timestamp = "2026-05-04T12:34:56-03:00".parse().unwrap();
        for (period, first, last) in [
            (Period::Hour, "11:35", "12:30"),
            (Period::Day, "13", "12"),
            (Period::Week, "27/04 18 h", "04/05 12 h"),
            (Period::Month, "05/04", "04/05"),
        ] {
            let spans = period.spans(now, &zone);
            let labels = spans.labels(&zone);
            assert_eq!((labels[0].as_str(), labels[spans.len() - 1].as_str()), (first, last));
            assert_eq!(spans.of(now), Some(spans.len() - 1));
            assert_eq!(spans.of(spans.since()), Some(0));
            let before = spans.since() - jiff::SignedDuration::from_secs(1);
            assert_eq!(spans.of(before), None);
        }
        assert_eq!(Period::asked(Some("semana"), Period::Day), Period::Week);
        assert_eq!(Period::asked(Some("siglo"), Period::Day), Period::Day);
    }
}

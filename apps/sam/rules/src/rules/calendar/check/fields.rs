//! One field at a time: read it, or say what is wrong with it.

use engine::Word as _;
use jiff::civil::{Date, Time};

use super::super::sentence::clock;
use super::{Timing, Wanted, Wrong};
use crate::model::{Days, Kind, Pace};

/// Case, accents and a separator do not matter: `específica`, `RANGO_MENSUAL`.
fn kind(word: &str) -> Option<Kind> {
    let plain = word.trim().to_lowercase().replace('í', "i").replace(['_', ' ', '-'], "");
    Kind::ALL.iter().copied().find(|kind| kind.word().to_lowercase() == plain)
}

/// Collects what is wrong while fields are read.
#[derive(Default)]
pub(super) struct Form(Vec<Wrong>);

impl Form {
    pub(super) fn wrong(
        &mut self,
        path: &'static str,
        es: impl Into<String>,
        en: impl Into<String>,
    ) {
        self.0.push(Wrong { path, es: es.into(), en: en.into() });
    }

    pub(super) fn is_right(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn wrongs(self) -> Vec<Wrong> {
        self.0
    }

    pub(super) fn kind(&mut self, word: Option<&str>) -> Option<Kind> {
        let path = "tipo_programacion";
        let Some(word) = given(word) else {
            self.wrong(path, "Falta tipo_programacion.", "tipo_programacion is missing.");
            return None;
        };
        let kind = kind(word);
        if kind.is_none() {
            let words = Kind::ALL.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(", ");
            self.wrong(
                path,
                format!("«{}» no es un tipo: {words}.", brief(word)),
                format!("“{}” is not a type: {words}.", brief(word)),
            );
        }
        kind
    }

    /// Fields of other types are refused rather than dropped: whoever sent one meant something.
    pub(super) fn foreign(&mut self, kind: Kind, wanted: &Wanted) {
        let fields = [
            (
                "dias_semana",
                Kind::Weekly,
                wanted.weekdays.iter().any(|word| !word.trim().is_empty()),
            ),
            ("dia_del_mes", Kind::Monthly, wanted.day.is_some()),
            ("fecha_especifica", Kind::Once, given(wanted.date.as_deref()).is_some()),
            ("dia_inicio_mes", Kind::MonthRange, wanted.range_from.is_some()),
            ("dia_fin_mes", Kind::MonthRange, wanted.range_to.is_some()),
            ("primeros_dias_mes", Kind::MonthRange, wanted.first_days.is_some()),
            ("ultimos_dias_mes", Kind::MonthRange, wanted.last_days.is_some()),
        ];
        for (path, owner, present) in fields {
            if present && owner != kind {
                let (owner, kind) = (owner.word(), kind.word());
                self.wrong(
                    path,
                    format!("{path} es de {owner}, no de {kind}."),
                    format!("{path} belongs to {owner}, not to {kind}."),
                );
            }
        }
    }

    pub(super) fn missing(&mut self, path: &'static str, kind: &str) {
        let (es, en) = called(path);
        self.wrong(path, format!("Falta {es} ({kind})."), format!("{en} is missing ({kind})."));
    }

    pub(super) fn required<T>(
        &mut self,
        path: &'static str,
        text: Option<&str>,
        read: fn(&mut Self, &'static str, &str) -> Option<T>,
    ) -> Option<T> {
        let Some(text) = given(text) else {
            let (es, en) = called(path);
            self.wrong(path, format!("Falta {es}."), format!("{en} is missing."));
            return None;
        };
        read(self, path, text)
    }

    pub(super) fn optional<T>(
        &mut self,
        path: &'static str,
        text: Option<&str>,
        read: fn(&mut Self, &'static str, &str) -> Option<T>,
    ) -> Option<T> {
        given(text).and_then(|text| read(self, path, text))
    }

    pub(super) fn time(&mut self, path: &'static str, text: &str) -> Option<Time> {
        let time = clock_face(text);
        if time.is_none() {
            self.wrong(
                path,
                format!("«{}» no es una hora HH:MM.", brief(text)),
                format!("“{}” is not a time HH:MM.", brief(text)),
            );
        }
        time
    }

    pub(super) fn date(&mut self, path: &'static str, text: &str) -> Option<Date> {
        let date = numbers(text, '-').and_then(|parts| match parts[..] {
            [year, month, day] => {
                Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
            }
            _ => None,
        });
        let date = date.filter(|date| (1970..=9000).contains(&date.year()));
        if date.is_none() {
            self.wrong(
                path,
                format!("«{}» no es una fecha AAAA-MM-DD que exista.", brief(text)),
                format!("“{}” is not an existing date YYYY-MM-DD.", brief(text)),
            );
        }
        date
    }

    /// A day of the month, or a number of such days.
    pub(super) fn day(&mut self, path: &'static str, day: Option<i64>, kind: Kind) -> Option<i8> {
        let Some(day) = day else {
            self.missing(path, kind.word());
            return None;
        };
        i8::try_from(self.within(path, day, (1, 31))?).ok()
    }

    pub(super) fn within(&mut self, path: &'static str, n: i64, range: (i64, i64)) -> Option<i64> {
        let (least, most) = range;
        if (least..=most).contains(&n) {
            return Some(n);
        }
        self.wrong(
            path,
            format!("{path} va de {least} a {most}; llegó {n}."),
            format!("{path} goes from {least} to {most}; got {n}."),
        );
        None
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// `9:00`, `09:00` or `09:00:30`.
fn clock_face(text: &str) -> Option<Time> {
    let parts = numbers(text, ':')?;
    let part = |n: usize| i8::try_from(*parts.get(n)?).ok();
    let second = if parts.len() == 3 { part(2)? } else { 0 };
    let time = Time::new(part(0)?, part(1)?, second, 0).ok()?;
    (2..=3).contains(&parts.len()).then_some(time)
}

/// Digits between separators, none left out, none longer than a year.
fn numbers(text: &str, separator: char) -> Option<Vec<i16>> {
    let part = |part: &str| {
        let plain = (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    };
    text.split(separator).take(4).map(part).collect()
}

/// As much of what was sent as a message should repeat.
pub(super) fn brief(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

pub(super) fn written(timing: &Timing) -> Wanted {
    let mut wanted = Wanted {
        kind: Some(timing.kind().to_owned()),
        start: Some(clock(timing.start)),
        valid_from: timing.valid_from.map(|date| date.to_string()),
        valid_to: timing.valid_to.map(|date| date.to_string()),
        ..Wanted::default()
    };
    match &timing.days {
        Days::Daily => {}
        Days::Weekly(week) => {
            wanted.weekdays = week.words().into_iter().map(str::to_owned).collect();
        }
        Days::Monthly { day } => wanted.day = Some(i64::from(*day)),
        Days::MonthRange { from, to } => {
            wanted.range_from = Some(i64::from(*from));
            wanted.range_to = Some(i64::from(*to));
        }
        Days::MonthEnd { last } => wanted.last_days = Some(i64::from(*last)),
        Days::Once(date) => wanted.date = Some(date.to_string()),
    }
    match timing.pace {
        Pace::Single { tolerance, end } => {
            wanted.tolerance = Some(tolerance.as_mins());
            wanted.end = end.map(clock);
        }
        Pace::Cyclic { end, interval } => {
            wanted.cyclic = Some(true);
            wanted.end = end.map(clock);
            wanted.interval = interval.map(|interval| interval.as_mins());
        }
    }
    wanted
}

/// What people call a field that is missing, in Spanish and English.
fn called(path: &'static str) -> (&'static str, &'static str) {
    match path {
        "dias_semana" => ("elegir los días de la semana", "The choice of weekdays"),
        "dia_del_mes" => ("el día del mes", "The day of the month"),
        "fecha_especifica" => ("la fecha", "The date"),
        "dia_inicio_mes" => ("el primer día del rango", "The first day of the range"),
        "dia_fin_mes" => ("el último día del rango", "The last day of the range"),
        "hora_inicio" => ("la hora de inicio", "The start time"),
        "hora_fin" => ("la hora de fin", "The end time"),
        "tolerancia" => ("la tolerancia", "The tolerance"),
        "intervalo_entre_ejecuciones" => ("el intervalo entre ejecuciones", "The interval"),
        other => (other, other),
    }
}

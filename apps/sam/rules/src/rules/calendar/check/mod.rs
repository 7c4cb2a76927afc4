//! From what somebody sent to a schedule that can run, or to everything that is wrong with it
//! (F-A4, F-A5). JSON, forms and CSV are checked here alike.

mod fields;

use engine::Word as _;
use jiff::civil::{Date, Time};
use jiff::{SignedDuration, Timestamp};

use super::dates;
use crate::model::{Calendar, Days, Kind, Pace, RobotId, Schedule, ScheduleId, Weekdays};
use fields::Form;

/// A schedule as it was sent; nothing about it is known to be right. An absent field, an empty
/// text and an empty list are the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// *`tipo_programacion`*.
    pub kind: Option<String>,
    /// *`hora_inicio`*.
    pub start: Option<String>,
    /// *Tolerancia*, in minutes; a cyclic schedule has no use for it.
    pub tolerance: Option<i64>,
    /// *`dias_semana`*.
    pub weekdays: Vec<String>,
    /// *`dia_del_mes`*.
    pub day: Option<i64>,
    /// *`fecha_especifica`*.
    pub date: Option<String>,
    /// *`dia_inicio_mes`*.
    pub range_from: Option<i64>,
    /// *`dia_fin_mes`*.
    pub range_to: Option<i64>,
    /// *`primeros_dias_mes`*: a shorter way to say from 1 to so many.
    pub first_days: Option<i64>,
    /// *`ultimos_dias_mes`*.
    pub last_days: Option<i64>,
    /// *`es_ciclico`*.
    pub cyclic: Option<bool>,
    /// *`hora_fin`*.
    pub end: Option<String>,
    /// *`intervalo_entre_ejecuciones`*, in minutes.
    pub interval: Option<i64>,
    /// *`fecha_inicio_ventana`*.
    pub valid_from: Option<String>,
    /// *`fecha_fin_ventana`*.
    pub valid_to: Option<String>,
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The field in the words of the contract.
    pub path: &'static str,
    pub es: String,
    pub en: String,
}

/// When a schedule runs: what of it is typed by people and checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    pub days: Days,
    pub pace: Pace,
    pub start: Time,
    pub valid_from: Option<Date>,
    pub valid_to: Option<Date>,
}

impl Timing {
    pub fn of(schedule: &Schedule) -> Self {
        Self {
            days: schedule.days.clone(),
            pace: schedule.pace,
            start: schedule.start,
            valid_from: schedule.valid_from,
            valid_to: schedule.valid_to,
        }
    }

    /// An active schedule without holidays.
    pub fn schedule(self, id: ScheduleId, robot: RobotId, created_at: Timestamp) -> Schedule {
        Schedule {
            id,
            robot,
            days: self.days,
            pace: self.pace,
            start: self.start,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            active: true,
            calendar: None,
            created_at,
            timed_at: created_at,
            version: 1,
        }
    }

    /// The word of its *tipo*.
    pub fn kind(&self) -> &'static str {
        self.days.kind().word()
    }

    /// The words sent and shown for it: what [`check`] reads back as the same.
    pub fn wanted(&self) -> Wanted {
        fields::written(self)
    }
}

pub const TOLERANCE_DEFAULT: i64 = 60;
const MINUTES: (i64, i64) = (1, 1440);

/// Everything that is wrong at once, so that a form is mended in one go. Once every field is right
/// by itself, a schedule that has no date left to run on is refused too.
pub fn check(wanted: &Wanted, holidays: Option<&Calendar>) -> Result<Timing, Vec<Wrong>> {
    let mut form = Form::default();
    let kind = form.kind(wanted.kind.as_deref());
    let days = kind.and_then(|kind| {
        form.foreign(kind, wanted);
        days(&mut form, kind, wanted)
    });
    let start = form.required("hora_inicio", wanted.start.as_deref(), Form::time);
    let pace = pace(&mut form, wanted, start);
    let valid_from =
        form.optional("fecha_inicio_ventana", wanted.valid_from.as_deref(), Form::date);
    let valid_to = form.optional("fecha_fin_ventana", wanted.valid_to.as_deref(), Form::date);
    if let (Some(first), Some(last)) = (valid_from, valid_to)
        && last < first
    {
        form.wrong(
            "fecha_fin_ventana",
            format!("La vigencia termina ({last}) antes de empezar ({first})."),
            format!("The validity ends ({last}) before it begins ({first})."),
        );
    }
    let parts = days.zip(pace).zip(start);
    let Some(((days, pace), start)) = parts.filter(|_| form.is_right()) else {
        return Err(form.wrongs());
    };
    let timing = Timing { days, pace, start, valid_from, valid_to };
    match never(&timing, holidays) {
        Some(wrong) => Err(vec![wrong]),
        None => Ok(timing),
    }
}

fn days(form: &mut Form, kind: Kind, wanted: &Wanted) -> Option<Days> {
    match kind {
        Kind::Daily => Some(Days::Daily),
        Kind::Weekly => weekly(form, &wanted.weekdays),
        Kind::Monthly => {
            let day = form.day("dia_del_mes", wanted.day, kind)?;
            Some(Days::Monthly { day })
        }
        Kind::Once => {
            form.required("fecha_especifica", wanted.date.as_deref(), Form::date).map(Days::Once)
        }
        Kind::MonthRange => month_range(form, wanted),
    }
}

fn weekly(form: &mut Form, words: &[String]) -> Option<Days> {
    let words = words.iter().flat_map(|word| word.split([',', ';', ' ']));
    let words: Vec<&str> = words.map(str::trim).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        form.missing("dias_semana", Kind::Weekly.word());
        return None;
    }
    let mut known = Vec::new();
    for word in words {
        match Weekdays::day(word) {
            Some(day) => known.push(day),
            None => form.wrong(
                "dias_semana",
                format!("«{}» no es un día: Lu, Ma, Mi, Ju, Vi, Sa o Do.", fields::brief(word)),
                format!("“{}” is not a day: Lu, Ma, Mi, Ju, Vi, Sa or Do.", fields::brief(word)),
            ),
        }
    }
    Some(Days::Weekly(Weekdays::of(known)))
}

/// From one day to another, or the first so many, or the last so many: exactly one of them.
fn month_range(form: &mut Form, wanted: &Wanted) -> Option<Days> {
    let range = wanted.range_from.is_some() || wanted.range_to.is_some();
    let ways = [range, wanted.first_days.is_some(), wanted.last_days.is_some()];
    if ways.into_iter().filter(|way| *way).count() != 1 {
        form.wrong(
            "dia_inicio_mes",
            "RangoMensual pide una sola de estas formas: dia_inicio_mes y dia_fin_mes, \
             primeros_dias_mes, o ultimos_dias_mes.",
            "RangoMensual takes exactly one of: dia_inicio_mes and dia_fin_mes, \
             primeros_dias_mes, or ultimos_dias_mes.",
        );
        return None;
    }
    if wanted.last_days.is_some() {
        let last = form.day("ultimos_dias_mes", wanted.last_days, Kind::MonthRange)?;
        return Some(Days::MonthEnd { last });
    }
    if wanted.first_days.is_some() {
        let to = form.day("primeros_dias_mes", wanted.first_days, Kind::MonthRange)?;
        return Some(Days::MonthRange { from: 1, to });
    }
    let from = form.day("dia_inicio_mes", wanted.range_from, Kind::MonthRange);
    let to = form.day("dia_fin_mes", wanted.range_to, Kind::MonthRange);
    let (from, to) = from.zip(to)?;
    if to < from {
        form.wrong(
            "dia_fin_mes",
            format!("El rango termina (día {to}) antes de empezar (día {from})."),
            format!("The range ends (day {to}) before it begins (day {from})."),
        );
    }
    Some(Days::MonthRange { from, to })
}

fn pace(form: &mut Form, wanted: &Wanted, start: Option<Time>) -> Option<Pace> {
    let tolerance = wanted.tolerance.unwrap_or(TOLERANCE_DEFAULT);
    let tolerance = form.within("tolerancia", tolerance, (0, MINUTES.1));
    let end = form.optional("hora_fin", wanted.end.as_deref(), Form::time);
    if end.is_some() && end == start {
        form.wrong(
            "hora_fin",
            "hora_fin es igual a hora_inicio: la ventana no dura nada o dura un día entero.",
            "hora_fin equals hora_inicio: the window lasts nothing, or a whole day.",
        );
    }
    let path = "intervalo_entre_ejecuciones";
    if wanted.cyclic == Some(true) {
        let interval = wanted.interval.and_then(|minutes| form.within(path, minutes, MINUTES));
        return Some(Pace::Cyclic { end, interval: interval.map(SignedDuration::from_mins) });
    }
    if wanted.interval.is_some() {
        form.wrong(
            path,
            "Solo una programación cíclica (es_ciclico) tiene intervalo.",
            "Only a cyclic schedule (es_ciclico) has an interval.",
        );
    }
    Some(Pace::Single { tolerance: SignedDuration::from_mins(tolerance?), end })
}

fn never(timing: &Timing, holidays: Option<&Calendar>) -> Option<Wrong> {
    let probe = timing.clone().schedule(ScheduleId(0), RobotId(0), Timestamp::UNIX_EPOCH);
    if dates::dates(&probe, holidays, Date::MIN, Date::MAX).next().is_some() {
        return None;
    }
    let path = match timing.days.kind() {
        Kind::Once => "fecha_especifica",
        Kind::Daily | Kind::Weekly | Kind::Monthly | Kind::MonthRange => "fecha_fin_ventana",
    };
    Some(Wrong {
        path,
        es: "Nunca se ejecutaría: ninguna fecha del patrón cae dentro de la vigencia y fuera de los \
             feriados."
            .to_owned(),
        en: "It would never run: no date of the pattern is inside the validity and not a holiday."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests;

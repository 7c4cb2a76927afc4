//! The pages of schedules: the list, the form, what was missed, who overlaps, holidays.

use std::borrow::Borrow;

use askama::Template;
use jiff::Timestamp;
use web::{Page, Tone};

use super::{Names, robots::ScheduleLine, shown::Shown, week::Week, words};
use crate::{
    model::Calendar,
    wire::{CalendarView, ScheduleView},
};

/// The parts of the screen of schedules.
pub(crate) fn parts_of(page: &Page) -> [(&'static str, &'static str); 5] {
    [
        ("/sam/programaciones", page.t("Lista", "List")),
        ("/sam/programaciones/semana", page.t("Semana", "Week")),
        ("/sam/programaciones/perdidos", page.t("Turnos perdidos", "Missed slots")),
        ("/sam/programaciones/solapamientos", page.t("Solapamientos", "Overlaps")),
        ("/sam/programaciones/feriados", page.t("Feriados", "Holidays")),
    ]
}

/// `/sam/programaciones`: every schedule as a sentence, with what comes next.
#[derive(Template)]
#[template(path = "schedules.html")]
pub struct SchedulesPage {
    pub page: Page,
    pub lines: Vec<ScheduleLine>,
    pub shown: Shown,
    pub text: String,
    pub active: String,
    pub ever: bool,
    pub may_edit: bool,
}

/// `/sam/programaciones/nueva` and `/sam/programaciones/{id}`.
#[derive(Template)]
#[template(path = "schedule.html")]
pub struct SchedulePage {
    pub page: Page,
    pub names: Names,
    /// What stands; absent for a new one.
    pub standing: Option<ScheduleView>,
    /// The robot of a new one, if the address names it.
    pub robot: Option<i64>,
    /// Robots that may be scheduled.
    pub robots: Vec<(i64, String)>,
    pub calendars: Vec<Calendar>,
    pub missed: Vec<MissedLine>,
    pub may_edit: bool,
}

/// What will happen if it is saved so.
#[derive(Template)]
#[template(path = "schedule_preview.html")]
pub struct PreviewPart {
    pub page: Page,
    pub sentence: String,
    pub next: Vec<Timestamp>,
    pub overlaps: Vec<OverlapLine>,
}

/// `/sam/programaciones/semana`: a week of slots.
#[derive(Template)]
#[template(path = "schedule_week.html")]
pub struct WeekPage {
    pub page: Page,
    pub names: Names,
    pub week: Week,
    pub robot: String,
    pub monday: String,
    pub before: String,
    pub after: String,
}

/// A slot that nobody ran.
#[derive(Debug, Clone)]
pub struct MissedLine {
    pub schedule: i64,
    pub robot: String,
    pub runner: String,
    pub starts_at: Timestamp,
    pub until: Timestamp,
    pub code: String,
    /// The run that failed, if one did.
    pub run: Option<i64>,
    pub state: Option<String>,
}

/// `/sam/programaciones/perdidos`.
#[derive(Template)]
#[template(path = "schedule_missed.html")]
pub struct MissedPage {
    pub page: Page,
    pub lines: Vec<MissedLine>,
    pub shown: Shown,
}

/// Two schedules that want one runner at once.
#[derive(Debug, Clone)]
pub struct OverlapLine {
    pub runner: String,
    pub one: i64,
    pub one_told: String,
    pub other: i64,
    pub other_told: String,
    pub from: Timestamp,
    pub to: Timestamp,
}

/// `/sam/programaciones/solapamientos`.
#[derive(Template)]
#[template(path = "schedule_overlaps.html")]
pub struct OverlapsPage {
    pub page: Page,
    pub lines: Vec<OverlapLine>,
    pub shown: Shown,
}

/// `/sam/programaciones/feriados`.
#[derive(Template)]
#[template(path = "holidays.html")]
pub struct HolidaysPage {
    pub page: Page,
    pub calendars: Vec<Calendar>,
    pub may_edit: bool,
}

impl HolidaysPage {
    fn record(calendar: &Calendar) -> String {
        serde_json::to_string(&CalendarView::new(calendar)).unwrap_or_default()
    }

    /// The next few dates of one.
    fn next(&self, calendar: &Calendar) -> String {
        let today = self.page.now.to_zoned(self.page.zone.clone()).date();
        let dates: Vec<String> = calendar
            .holidays
            .range(today..)
            .take(6)
            .map(|date| date.strftime(self.page.t("%d/%m/%Y", "%d %b %Y")).to_string())
            .collect();
        if dates.is_empty() { "–".to_owned() } else { dates.join(", ") }
    }
}

impl MissedLine {
    fn reason(&self, page: &Page) -> String {
        words::reason(page, &self.code)
    }
}

/// `lun 02/03/2026 09:00`: the day of the week is what people look for.
pub(crate) fn day_and_time(page: &Page, at: impl Borrow<Timestamp>) -> String {
    let at = *at.borrow();
    let local = at.to_zoned(page.zone.clone());
    let day = WEEKDAYS[usize::from(local.weekday().to_monday_zero_offset().unsigned_abs())];
    format!("{} {}", page.t(day.1, day.2), page.stamp(at))
}

/// The contract's word, Spanish, English.
pub(crate) const WEEKDAYS: [(&str, &str, &str); 7] = [
    ("Lu", "lun", "Mon"),
    ("Ma", "mar", "Tue"),
    ("Mi", "mié", "Wed"),
    ("Ju", "jue", "Thu"),
    ("Vi", "vie", "Fri"),
    ("Sa", "sáb", "Sat"),
    ("Do", "dom", "Sun"),
];

impl SchedulePage {
    /// What stands in a field of the form.
    fn value(&self, field: &str) -> String {
        let Some(one) = &self.standing else { return String::new() };
        let number = |n: Option<i64>| n.map(|n| n.to_string());
        let value = match field {
            "dia_del_mes" => number(one.dia_del_mes),
            "dia_inicio_mes" => number(one.dia_inicio_mes),
            "dia_fin_mes" => number(one.dia_fin_mes),
            "ultimos_dias_mes" => number(one.ultimos_dias_mes),
            "tolerancia" => number(one.tolerancia),
            "intervalo_entre_ejecuciones" => number(one.intervalo_entre_ejecuciones),
            "fecha_especifica" => one.fecha_especifica.clone(),
            "hora_inicio" => one.hora_inicio.clone(),
            "hora_fin" => one.hora_fin.clone(),
            "fecha_inicio_ventana" => one.fecha_inicio_ventana.clone(),
            "fecha_fin_ventana" => one.fecha_fin_ventana.clone(),
            _ => None,
        };
        value.unwrap_or_default()
    }

    fn is_kind(&self, word: &str) -> bool {
        self.standing.as_ref().map_or("Diaria", |one| one.tipo_programacion) == word
    }

    fn kinds(&self) -> [(&'static str, &'static str); 5] {
        let page = &self.page;
        [
            ("Diaria", page.t("Diaria", "Daily")),
            ("Semanal", page.t("Semanal", "Weekly")),
            ("Mensual", page.t("Mensual", "Monthly")),
            ("RangoMensual", page.t("Rango del mes", "Range of the month")),
            ("Especifica", page.t("Una fecha", "One date")),
        ]
    }

    /// The word, what people read, whether it is chosen.
    fn weekdays(&self) -> Vec<(&'static str, &'static str, bool)> {
        let chosen = |word: &str| {
            let days = self.standing.as_ref().map(|one| &one.dias_semana);
            days.is_some_and(|days| days.iter().any(|day| day == word))
        };
        WEEKDAYS.iter().map(|(word, es, en)| (*word, self.page.t(es, en), chosen(word))).collect()
    }

    fn is_cyclic(&self) -> bool {
        self.standing.as_ref().is_some_and(|one| one.es_ciclico)
    }

    fn is_active(&self) -> bool {
        self.standing.as_ref().is_none_or(|one| one.activo)
    }

    fn is_chosen(&self, runner: impl Borrow<i64>) -> bool {
        self.standing.as_ref().is_some_and(|one| one.equipos.contains(runner.borrow()))
    }

    fn is_robot(&self, robot: impl Borrow<i64>) -> bool {
        self.standing.as_ref().map(|one| one.robot_id).or(self.robot) == Some(*robot.borrow())
    }

    fn is_calendar(&self, calendar: &Calendar) -> bool {
        self.standing.as_ref().and_then(|one| one.calendario_id) == Some(calendar.id.0)
    }
}

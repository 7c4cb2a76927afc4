//! Tests of checking what a schedule asks for.

use jiff::civil::{date, time};
use proptest::prelude::*;

use super::super::samples::holidays;
use super::*;

fn daily() -> Wanted {
    Wanted { kind: text("Diaria"), start: text("09:00"), ..Wanted::default() }
}

#[allow(clippy::unnecessary_wraps)]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn of(kind: &str) -> Wanted {
    Wanted { kind: text(kind), ..daily() }
}

/// The fields that are wrong, in the order they were found.
fn refused(wanted: &Wanted) -> Vec<&'static str> {
    let wrongs = check(wanted, None).expect_err("it is refused");
    assert!(wrongs.iter().all(|wrong| !wrong.es.is_empty() && !wrong.en.is_empty()));
    wrongs.iter().map(|wrong| wrong.path).collect()
}

fn days(wanted: &Wanted) -> Days {
    check(wanted, None).expect("it is right").days
}

#[test]
fn the_plainest_schedule() {
    let timing = check(&daily(), None).unwrap();
    let hour = SignedDuration::from_mins(60);
    assert_eq!(timing.pace, Pace::Single { tolerance: hour, end: None });
    assert_eq!((timing.days, timing.start), (Days::Daily, time(9, 0, 0, 0)));
}

#[test]
fn each_type_needs_its_fields() {
    assert_eq!(refused(&Wanted::default()), ["tipo_programacion", "hora_inicio"]);
    assert_eq!(refused(&of("Quincenal")), ["tipo_programacion"]);
    assert_eq!(refused(&of("Semanal")), ["dias_semana"]);
    assert_eq!(refused(&of("Mensual")), ["dia_del_mes"]);
    assert_eq!(refused(&of("Especifica")), ["fecha_especifica"]);
    assert_eq!(refused(&of("RangoMensual")), ["dia_inicio_mes"]);
    let half = Wanted { range_from: Some(3), ..of("RangoMensual") };
    assert_eq!(refused(&half), ["dia_fin_mes"]);
    let both = Wanted { range_to: Some(9), last_days: Some(2), ..half };
    assert_eq!(refused(&both), ["dia_inicio_mes"]);
}

#[test]
fn each_type_takes_its_fields() {
    let week = Wanted { weekdays: vec!["Lu".into(), "Mié, vi".into()], ..of("semanal") };
    let Days::Weekly(week) = days(&week) else { panic!("weekly") };
    assert_eq!(week.words(), ["Lu", "Mi", "Vi"]);
    assert_eq!(days(&Wanted { day: Some(31), ..of("MENSUAL") }), Days::Monthly { day: 31 });
    let once = Wanted { date: text("2028-02-29"), ..of("Específica") };
    assert_eq!(days(&once), Days::Once(date(2028, 2, 29)));
    let range = Wanted { range_from: Some(1), range_to: Some(15), ..of("rango_mensual") };
    assert_eq!(days(&range), Days::MonthRange { from: 1, to: 15 });
    let first = Wanted { first_days: Some(3), ..of("RangoMensual") };
    assert_eq!(days(&first), Days::MonthRange { from: 1, to: 3 });
    let last = Wanted { last_days: Some(5), ..of("RangoMensual") };
    assert_eq!(days(&last), Days::MonthEnd { last: 5 });
}

#[test]
fn fields_of_other_types_are_refused_by_name() {
    let mixed = Wanted { weekdays: vec!["Lu".into()], last_days: Some(1), ..daily() };
    assert_eq!(refused(&mixed), ["dias_semana", "ultimos_dias_mes"]);
    let empty = Wanted { weekdays: vec![" ".into()], date: text(""), ..daily() };
    assert!(check(&empty, None).is_ok(), "an empty field was not given");
    assert_eq!(refused(&Wanted { interval: Some(5), ..daily() }), ["intervalo_entre_ejecuciones"]);
}

#[test]
fn numbers_have_ranges() {
    for (n, ok) in [(-1, false), (0, true), (1440, true), (1441, false), (i64::MAX, false)] {
        assert_eq!(check(&Wanted { tolerance: Some(n), ..daily() }, None).is_ok(), ok, "{n}");
    }
    for (n, ok) in [(0, false), (1, true), (1440, true), (1441, false), (i64::MIN, false)] {
        let cyclic = Wanted { cyclic: Some(true), interval: Some(n), ..daily() };
        assert_eq!(check(&cyclic, None).is_ok(), ok, "{n}");
    }
    for (n, ok) in [(0, false), (1, true), (31, true), (32, false), (300, false)] {
        assert_eq!(check(&Wanted { day: Some(n), ..of("Mensual") }, None).is_ok(), ok, "{n}");
    }
    let turned = Wanted { range_from: Some(15), range_to: Some(1), ..of("RangoMensual") };
    assert_eq!(refused(&turned), ["dia_fin_mes"]);
}

#[test]
fn times_and_dates_must_exist() {
    for start in ["24:00", "09:60", "9", "09:00:00:00", "-1:00", "a", "09:00 ", "9:00"] {
        let right = matches!(start, "09:00 " | "9:00");
        assert_eq!(
            check(&Wanted { start: text(start), ..daily() }, None).is_ok(),
            right,
            "{start}"
        );
    }
    for day in ["2026-02-29", "2026-13-01", "2026-4-31", "01/02/2026", "20260101", "99999-1-1"] {
        assert_eq!(refused(&Wanted { date: text(day), ..of("Especifica") }), ["fecha_especifica"]);
    }
    assert_eq!(refused(&Wanted { end: text("09:00"), ..daily() }), ["hora_fin"]);
    let night = Wanted { cyclic: Some(true), end: text("06:00"), start: text("22:00"), ..daily() };
    assert!(check(&night, None).is_ok(), "a window may cross midnight");
}

#[test]
fn what_could_never_run_is_refused() {
    let valid = |from: &str, to: &str, wanted: Wanted| Wanted {
        valid_from: text(from),
        valid_to: text(to),
        ..wanted
    };
    assert_eq!(refused(&valid("2026-05-01", "2026-04-01", daily())), ["fecha_fin_ventana"]);
    let april = valid("2026-04-01", "2026-04-30", Wanted { day: Some(31), ..of("Mensual") });
    assert_eq!(refused(&april), ["fecha_fin_ventana"]);
    let once = Wanted { date: text("2026-05-02"), ..of("Especifica") };
    assert_eq!(refused(&valid("2026-04-01", "2026-04-30", once)), ["fecha_especifica"]);
    let only = valid("2026-05-01", "2026-05-01", daily());
    assert!(check(&only, None).is_ok());
    assert!(check(&only, Some(&holidays([date(2026, 5, 1)]))).is_err());
    let leap = Wanted { day: Some(29), ..of("Mensual") };
    assert!(check(&valid("2027-02-01", "2027-02-28", leap.clone()), None).is_err());
    assert!(check(&valid("2028-02-01", "2028-02-29", leap), None).is_ok());
}

#[test]
fn everything_wrong_is_said_at_once_and_briefly() {
    let start = text(&"9".repeat(10_000));
    let wanted = Wanted { start, tolerance: Some(-1), end: text("x"), ..of("Semanal") };
    assert_eq!(refused(&wanted), ["dias_semana", "hora_inicio", "tolerancia", "hora_fin"]);
    let wrongs = check(&wanted, None).unwrap_err();
    assert!(wrongs.iter().all(|wrong| wrong.es.len() < 200));
}

fn numbers() -> impl Strategy<Value = Option<i64>> {
    prop::option::weighted(0.4, prop_oneof![4 => 0_i64..40, 1 => any::<i64>()])
}

fn texts() -> impl Strategy<Value = Option<String>> {
    let known = ["09:00", "23:59", "2026-04-30", "2027-02-28", "Diaria", "Semanal", "Mensual"];
    let more = ["RangoMensual", "Especifica", ""];
    let known: Vec<String> = known.into_iter().chain(more).map(str::to_owned).collect();
    prop::option::of(prop_oneof![9 => prop::sample::select(known), 1 => any::<String>()])
}

prop_compose! {
    fn anything()(
        (kind, start, date, end, valid_from, valid_to) in
            (texts(), texts(), texts(), texts(), texts(), texts()),
        (tolerance, day, range_from, range_to, first_days, last_days, interval) in
            (numbers(), numbers(), numbers(), numbers(), numbers(), numbers(), numbers()),
        weekdays in prop::collection::vec("Lu|Ma|Do|x|", 0..3),
        cyclic in prop::option::of(any::<bool>()),
    ) -> Wanted {
        Wanted {
            kind, start, tolerance, weekdays, day, date, range_from, range_to, first_days,
            last_days, cyclic, end, interval, valid_from, valid_to,
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_sent_is_checked_or_refused_and_what_is_right_reads_back(wanted in anything()) {
        match check(&wanted, None) {
            Ok(timing) => prop_assert_eq!(check(&timing.wanted(), None), Ok(timing)),
            Err(wrongs) => prop_assert!(!wrongs.is_empty()),
        }
    }
}

//! How the end of runs becomes known, and how soon (F-5.2).

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{RunFact, Spread, local_date, rounded, seconds, share};
use crate::model::{Closing, RobotId, RunState};

/// A robot with fewer runs says nothing about itself.
const FEWEST: usize = 5;
const PROBLEMS: usize = 20;
/// More misses in a row than a passing disturbance explains.
const MANY_MISSES: i64 = 3;

figures! {
    pub struct Callbacks {
        all: Closings = "general",
        /// Runs by how their end became known.
        mechanisms: BTreeMap<&'static str, usize> = "por_mecanismo",
        /// Ended runs by how soon that was known.
        bands: BTreeMap<&'static str, usize> = "por_latencia",
        robots: Vec<RobotClosings> = "por_robot",
        /// By the local date of their claim.
        days: BTreeMap<String, Closings> = "por_dia",
        /// By the local hour of their claim; 24 of them.
        hours: Vec<Closings> = "por_hora",
        /// The latest 20.
        problems: Vec<Problem> = "problemas",
    }

    pub struct Closings {
        runs: usize = "total",
        by_callback: usize = "por_callback",
        /// Of the runs that are over.
        percent: Option<f64> = "porcentaje_callback",
        /// Minutes until the end was known.
        latency: Option<Spread> = "latencia",
    }

    pub struct RobotClosings {
        robot: i64 = "robot_id",
        #[serde(flatten)]
        closings: Closings,
    }

    pub struct Problem {
        run: i64 = "ejecucion_id",
        robot: i64 = "robot_id",
        runner: i64 = "equipo_id",
        claimed_at: Timestamp = "fecha_inicio",
        mechanism: &'static str = "mecanismo",
        latency: Option<f64> = "latencia_minutos",
        misses: i64 = "intentos",
    }
}

pub fn callbacks(runs: &[RunFact], zone: &TimeZone) -> Callbacks {
    let mut mechanisms = BTreeMap::new();
    let mut bands = BTreeMap::new();
    let mut robots: BTreeMap<RobotId, Vec<&RunFact>> = BTreeMap::new();
    let mut days: BTreeMap<String, Vec<&RunFact>> = BTreeMap::new();
    let mut hours: Vec<Vec<&RunFact>> = vec![Vec::new(); 24];
    for run in runs {
        *mechanisms.entry(mechanism(run)).or_default() += 1;
        if let Some(minutes) = latency(run) {
            *bands.entry(band(minutes)).or_default() += 1;
        }
        robots.entry(run.robot).or_default().push(run);
        days.entry(local_date(zone, run.claimed_at)).or_default().push(run);
        hours[usize::from(zone.to_datetime(run.claimed_at).hour().unsigned_abs())].push(run);
    }
    let all: Vec<&RunFact> = runs.iter().collect();
    let enough = robots.into_iter().filter(|(_, runs)| runs.len() >= FEWEST);
    Callbacks {
        all: closings(&all),
        mechanisms,
        bands,
        robots: enough
            .map(|(robot, runs)| RobotClosings { robot: robot.0, closings: closings(&runs) })
            .collect(),
        days: days.into_iter().map(|(day, runs)| (day, closings(&runs))).collect(),
        hours: hours.iter().map(|runs| closings(runs)).collect(),
        problems: problems(runs),
    }
}

fn closings(runs: &[&RunFact]) -> Closings {
    let by_callback = runs.iter().filter(|run| run.closing == Some(Closing::Callback)).count();
    let over = runs.iter().filter(|run| run.closing.is_some()).count();
    Closings {
        runs: runs.len(),
        by_callback,
        percent: share(by_callback, over),
        latency: Spread::of(runs.iter().filter_map(|run| latency(run))),
    }
}

/// The reconciler's words are the original's; a refused deploy and a person have their own.
fn mechanism(run: &RunFact) -> &'static str {
    match run.closing {
        Some(Closing::Callback) => "CALLBACK_EXITOSO",
        Some(Closing::Reconciler) if run.misses > 0 => "CONCILIADOR_EXITOSO",
        Some(Closing::Reconciler) => "CONCILIADOR_INMEDIATO",
        Some(Closing::Inferred | Closing::Lost | Closing::Aged) => EXHAUSTED,
        Some(Closing::Deploy) => "DESPLIEGUE_FALLIDO",
        Some(Closing::Operator) => "DESBLOQUEO_MANUAL",
        None if run.state == RunState::Unknown => EXHAUSTED,
        None => "ACTIVA",
    }
}

const EXHAUSTED: &str = "CONCILIADOR_AGOTADO";

/// Minutes from the end of a run until it was known.
fn latency(run: &RunFact) -> Option<f64> {
    seconds(run.finished_at?, run.updated_at).map(|seconds| seconds / 60.0)
}

fn band(minutes: f64) -> &'static str {
    match minutes {
        minutes if minutes <= 2.0 => "EXCELENTE",
        minutes if minutes <= 5.0 => "BUENO",
        minutes if minutes <= SLOW => "REGULAR",
        _ => "DEFICIENTE",
    }
}

/// Beyond that the callback is taken to have failed.
const SLOW: f64 = 15.0;

fn problems(runs: &[RunFact]) -> Vec<Problem> {
    let is_problem = |run: &&RunFact| {
        latency(run).is_some_and(|minutes| minutes > SLOW)
            || run.misses >= MANY_MISSES
            || mechanism(run) == EXHAUSTED
    };
    let mut found: Vec<&RunFact> = runs.iter().filter(is_problem).collect();
    found.sort_by_key(|run| std::cmp::Reverse((run.claimed_at, run.run)));
    found
        .into_iter()
        .take(PROBLEMS)
        .map(|run| Problem {
            run: run.run.0,
            robot: run.robot.0,
            runner: run.runner.0,
            claimed_at: run.claimed_at,
            mechanism: mechanism(run),
            latency: latency(run).map(rounded),
            misses: run.misses,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{at, live, run, zone};
    use super::*;
    use crate::model::RunId;

    fn closed(id: i64, closing: Closing, known: &str) -> RunFact {
        let closing = Some(closing);
        RunFact { run: RunId(id), closing, updated_at: at(known), ..run(1, 1, "09:00", "09:10") }
    }

    #[test]
    fn every_way_a_run_ends_has_its_word() {
        let missed = RunFact { misses: 1, ..closed(3, Closing::Reconciler, "09:20") };
        let runs = [
            closed(1, Closing::Callback, "09:10"),
            closed(2, Closing::Reconciler, "09:13"),
            missed,
            closed(4, Closing::Inferred, "09:40"),
            closed(5, Closing::Operator, "09:12:00"),
            closed(6, Closing::Deploy, "09:12:01"),
            live(1, 2, "09:00", RunState::Unknown),
            live(2, 3, "09:00", RunState::Running),
        ];
        let told = callbacks(&runs, &zone());
        let expected = [
            ("ACTIVA", 1),
            ("CALLBACK_EXITOSO", 1),
            ("CONCILIADOR_AGOTADO", 2),
            ("CONCILIADOR_EXITOSO", 1),
            ("CONCILIADOR_INMEDIATO", 1),
            ("DESBLOQUEO_MANUAL", 1),
            ("DESPLIEGUE_FALLIDO", 1),
        ];
        assert_eq!(told.mechanisms, BTreeMap::from(expected));
        let bands = [("BUENO", 2), ("DEFICIENTE", 1), ("EXCELENTE", 2), ("REGULAR", 1)];
        assert_eq!(told.bands, BTreeMap::from(bands));
        assert_eq!((told.all.runs, told.all.by_callback, told.all.percent), (8, 1, Some(16.67)));
        assert_eq!(told.problems.iter().map(|one| one.run).collect::<Vec<_>>(), [4, 0]);
        assert_eq!(told.robots.iter().map(|one| one.robot).collect::<Vec<_>>(), [1]);
        assert_eq!((told.hours[9].runs, told.hours[10].percent), (8, None));
        assert_eq!(told.days.keys().collect::<Vec<_>>(), ["2026-03-02"]);
    }

    #[test]
    fn bands_include_their_upper_end() {
        assert_eq!(
            [2.0, 2.01, 5.0, 15.0, 15.01].map(band),
            ["EXCELENTE", "BUENO", "BUENO", "REGULAR", "DEFICIENTE"]
        );
    }
}

//! When work happens: seven days by twenty-four hours (F-5.6).

use jiff::tz::TimeZone;

use super::{RunFact, rounded};

figures! {
    pub struct Patterns {
        /// Of the fullest hour: the scale of a heat map.
        most: usize = "maximo",
        /// Monday 0 h to Sunday 23 h, all 168.
        cells: Vec<Cell> = "celdas",
    }

    pub struct Cell {
        /// 1 is Monday.
        day: i8 = "dia",
        hour: i8 = "hora",
        count: usize = "cantidad",
        /// Of the runs that ended.
        mean_minutes: Option<f64> = "minutos_promedio",
    }
}

/// By the local hour in which runs began.
pub fn patterns(runs: &[RunFact], zone: &TimeZone) -> Patterns {
    let mut sums = [[(0_usize, 0_usize, 0.0_f64); 24]; 7];
    for run in runs {
        let local = zone.to_datetime(run.began());
        let day = usize::from(local.weekday().to_monday_zero_offset().unsigned_abs());
        let (count, timed, sum) = &mut sums[day][usize::from(local.hour().unsigned_abs())];
        *count += 1;
        if let Some(took) = run.took() {
            *timed += 1;
            *sum += took / 60.0;
        }
    }
    let cells = (1..).zip(sums).flat_map(|(day, hours)| {
        (0..).zip(hours).map(move |(hour, (count, timed, sum))| {
            let mean_minutes = (timed > 0).then(|| rounded(sum / timed as f64));
            Cell { day, hour, count, mean_minutes }
        })
    });
    let most = sums.iter().flatten().map(|(count, _, _)| *count).max().unwrap_or(0);
    Patterns { most, cells: cells.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{live, run, zone};
    use super::*;
    use crate::model::RunState;

    #[test]
    fn runs_are_counted_in_the_hour_they_began() {
        let runs = [
            run(1, 1, "09:00:00", "09:10:00"),
            run(2, 2, "09:59:59", "10:19:59"),
            live(3, 3, "09:30", RunState::Running),
            run(1, 1, "23:00", "23:01"),
        ];
        let told = patterns(&runs, &zone());
        assert_eq!((told.cells.len(), told.most), (168, 3));
        let cell = Cell { day: 1, hour: 9, count: 3, mean_minutes: Some(15.0) };
        assert_eq!(told.cells[9], cell);
        assert_eq!(told.cells[23].count, 1);
        assert_eq!((told.cells[167].day, told.cells[167].hour), (7, 23));
        assert_eq!(patterns(&[], &zone()).most, 0);
    }
}

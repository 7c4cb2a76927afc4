//! Robots, runners and schedules as sheets.

mod columns;

pub use columns::Sheet;
pub use engine::sheet::Row;

use engine::sheet::{self, Bad, bad};
use serde_json::{Map, Value as Json};

use crate::rules::calendar::{self, Wanted};

/// All the rows, or what is wrong with them; never some of both.
pub fn read(sheet: Sheet, bytes: &[u8]) -> Result<Vec<Row>, Vec<Bad>> {
    sheet::read(sheet.columns(), bytes, |row| together(sheet, row))
}

/// A file that [`read`] takes back.
pub fn write(sheet: Sheet, rows: impl IntoIterator<Item = Map<String, Json>>) -> String {
    sheet::write(sheet.columns(), rows)
}

/// What each cell cannot know by itself.
fn together(sheet: Sheet, row: &Row) -> Vec<Bad> {
    let (line, fields) = (row.line, &row.fields);
    match sheet {
        Sheet::Runners => Vec::new(),
        Sheet::Robots => {
            let number = |name: &str| fields.get(name).and_then(Json::as_i64);
            let least = number("min_equipos").unwrap_or(0);
            let below = number("max_equipos").filter(|most| *most != -1 && *most < least);
            let (es, en) = ("no puede ser menor que min_equipos", "must not be below min_equipos");
            below.map(|_| bad(line, Some("max_equipos"), es, en)).into_iter().collect()
        }
        Sheet::Schedules => {
            let checked = calendar::check(&wanted(fields), None);
            let wrongs = checked.err().unwrap_or_default();
            wrongs.into_iter().map(|one| bad(line, Some(one.path), one.es, one.en)).collect()
        }
    }
}

fn wanted(fields: &Map<String, Json>) -> Wanted {
    let text = |name: &str| fields.get(name).and_then(Json::as_str).map(str::to_owned);
    let number = |name: &str| fields.get(name).and_then(Json::as_i64);
    let days = fields.get("dias_semana").and_then(Json::as_array);
    let days = days.into_iter().flatten().filter_map(Json::as_str);
    Wanted {
        kind: text("tipo_programacion"),
        start: text("hora_inicio"),
        tolerance: number("tolerancia"),
        weekdays: days.map(str::to_owned).collect(),
        day: number("dia_del_mes"),
        date: text("fecha_especifica"),
        range_from: number("dia_inicio_mes"),
        range_to: number("dia_fin_mes"),
        first_days: number("primeros_dias_mes"),
        last_days: number("ultimos_dias_mes"),
        cyclic: fields.get("es_ciclico").and_then(Json::as_bool),
        end: text("hora_fin"),
        interval: number("intervalo_entre_ejecuciones"),
        valid_from: text("fecha_inicio_ventana"),
        valid_to: text("fecha_fin_ventana"),
    }
}

#[cfg(test)]
mod tests;

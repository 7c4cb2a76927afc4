//! Robots, runners and schedules as CSV, in and out. A row becomes the same fields as a JSON body,
//! so that one set of checks decides about both. All rows are right or nothing is taken.

mod cells;
mod columns;
pub mod csv;
mod reading;

pub use columns::Sheet;
pub use reading::{Bad, Row, read};

use serde_json::{Map, Value as Json};

/// A file that [`read`] takes back: a header, then one record per row.
pub fn write(sheet: Sheet, rows: impl IntoIterator<Item = Map<String, Json>>) -> String {
    let columns = sheet.columns();
    let header: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut text = csv::line(&header);
    for row in rows {
        let cells: Vec<String> =
            columns.iter().map(|column| cells::shown(row.get(column.name))).collect();
        text.push_str(&csv::line(&cells.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    text
}

#[cfg(test)]
mod tests;

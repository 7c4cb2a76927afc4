//! Sheets as CSV, in and out. A row becomes the same fields as a JSON body, so that one set of checks
//! decides about both. All rows are right or nothing is taken.

mod cells;
mod columns;
pub mod csv;
mod reading;

pub use columns::{Column, Kind, Need};
pub use reading::{Bad, Row, bad, read};

use serde_json::{Map, Value as Json};

/// A file that [`read`] takes back: a header, then one record per row.
pub fn write(columns: &[Column], rows: impl IntoIterator<Item = Map<String, Json>>) -> String {
    let header: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let mut text = csv::line(&header);
    for row in rows {
        let cells: Vec<String> =
            columns.iter().map(|column| cells::shown(row.get(column.name))).collect();
        text.push_str(&csv::line(&cells.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    text
}

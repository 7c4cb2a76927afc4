//! What commands print: text or tables for people, JSON for programs.

use std::io::Write as _;

use serde_json::Value;

/// Writes to standard output. A reader that left early, such as `head`, is no failure.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let ending = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{ending}").and_then(|()| out.flush());
}

pub fn say_json(value: &Value) {
    say(&format!("{value:#}"));
}

/// Aligned columns under a heading; the last column runs free.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(|title| (*title).to_owned()).collect();
    let all = || std::iter::once(&heading).chain(rows);
    let width = |column: usize| {
        all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["ñandú".to_owned(), "1".to_owned()], vec!["a".to_owned(), String::new()]];
        assert_eq!(table(&["NAME", "N"], &rows), "NAME   N\nñandú  1\na");
    }
}

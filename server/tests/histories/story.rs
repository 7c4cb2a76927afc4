//! What a house tells of itself, in words that do not depend on the database under it.

use std::{collections::BTreeMap, io::Read as _};

use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{house::House, play::AT_ONCE};

/// How often somebody looked: whoever misses a process that died wakes everybody once more.
const LOOKS: (&str, &str) = ("alerts", "occurrences");

/// Every row of every table, one line each, sorted.
pub(crate) fn rows(house: &House<'_>, play: &crate::play::Play) -> Vec<String> {
    let path = house.backup();
    let mut bytes = Vec::new();
    let packed = std::fs::File::open(&path).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    let mut tables: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    // Pieces of files are no lines of JSON, and their contents are told by the rows that speak of them.
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(mut line) = serde_json::from_slice::<Json>(line) else { continue };
        let Some(table) = line["table"].as_str().map(str::to_owned) else { continue };
        if play.left_out.contains(&(&table, "*")) {
            continue;
        }
        let mut row = neutral(line["row"].take());
        let numbers = AT_ONCE.iter().filter(|_| play.at_once);
        for (of, column) in play.left_out.iter().chain(numbers).chain([&LOOKS]) {
            if *of == table || *of == "*" {
                row.as_object_mut().expect("a row has columns").remove(*column);
            }
        }
        tables.entry(table).or_default().push(row);
    }
    for table in play.ranked {
        renumber(tables.entry((*table).to_owned()).or_default());
    }
    let told = tables.iter().flat_map(|(table, rows)| {
        rows.iter().map(move |row| format!("{table} {}", told(house, &row.to_string())))
    });
    let mut lines: Vec<String> = told.collect();
    lines.sort_unstable();
    lines
}

/// Numbers that nobody outside sees keep their order and lose their gaps.
fn renumber(rows: &mut [Json]) {
    rows.sort_by_key(|row| row["id"].as_i64());
    for (n, row) in rows.iter_mut().enumerate() {
        row["id"] = n.into();
    }
}

/// A value as either database keeps it: flags and instants are numbers, JSON is JSON.
fn neutral(value: Json) -> Json {
    match value {
        Json::Bool(flag) => i64::from(flag).into(),
        Json::String(text) => match (serde_json::from_str(&text), text.parse::<Timestamp>()) {
            (Ok(json), _) => neutral(json),
            (_, Ok(instant)) => instant.as_microsecond().into(),
            _ => Json::String(text),
        },
        Json::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() && real.fract() == 0.0 => (real as i64).into(),
            _ => Json::Number(number),
        },
        Json::Array(values) => values.into_iter().map(neutral).collect(),
        Json::Object(mut fields) if fields.len() == 1 && fields.contains_key("json") => {
            neutral(fields["json"].take())
        }
        Json::Object(fields) => {
            Json::Object(fields.into_iter().map(|(key, value)| (key, neutral(value))).collect())
        }
        Json::Null => Json::Null,
    }
}

/// An answer without what was measured, in which what happened at one instant has no order.
pub(crate) fn answer(said: &Json) -> String {
    let mut said = said.clone();
    if let Some(fields) = said.as_object_mut() {
        fields.remove("respuesta_ms");
    }
    if let Some(timeline) = said.get_mut("timeline").and_then(Json::as_array_mut) {
        timeline.sort_by_key(Json::to_string);
    }
    said.to_string()
}

/// Ids that were answered, processes and places outside by their names, other chance as `#`.
pub(crate) fn told(house: &House<'_>, text: &str) -> String {
    let mut text = text.to_owned();
    for (name, id) in &house.ids {
        text = text.replace(id.as_str(), name);
    }
    for process in &house.processes {
        text = text.replace(process.as_str(), "{process}");
    }
    let mut text = without_chance(&text);
    for (name, place) in &house.world.names {
        // A number is a port, which stands behind a colon.
        text = match place.as_str() {
            Some(url) => text.replace(url, name),
            None => text.replace(&format!(":{place}"), &format!(":{name}")),
        };
    }
    text
}

/// Runs of sixteen and more hexadecimal digits with dashes between them are random names.
fn without_chance(text: &str) -> String {
    const LEAST: usize = 16;
    let mut told = String::with_capacity(text.len());
    let mut run = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_hexdigit() && !letter.is_ascii_uppercase() || letter == '-' {
            run.push(letter);
            continue;
        }
        let digits = run.chars().filter(char::is_ascii_hexdigit).count();
        let random = digits >= LEAST && run.chars().any(|letter| letter.is_ascii_lowercase());
        told.push_str(if random { "#" } else { &run });
        run.clear();
        told.push(letter);
    }
    told.pop();
    told
}

/// Where two tales part, with what stands around it.
pub(crate) fn difference(one: &[String], other: &[String]) -> Option<String> {
    if one == other {
        return None;
    }
    let only = |these: &[String], those: &[String]| {
        let lines = these.iter().filter(|line| !those.contains(line)).take(6);
        lines.cloned().collect::<Vec<_>>().join("\n    ")
    };
    let (here, there) = (only(one, other), only(other, one));
    Some(format!("only SQLite tells:\n    {here}\nonly PostgreSQL tells:\n    {there}"))
}

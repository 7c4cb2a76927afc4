//! One cell as JSON, and back.

use serde_json::Value as Json;

use super::columns::Kind;

/// What is wrong with a cell, in Spanish and English.
pub(super) type Wrong = (String, String);

/// The largest object worth keeping.
const MOST_JSON: usize = 20_000;
/// More than that is not a list but a mistake.
const MOST_ITEMS: usize = 1000;

/// An empty cell is an empty list, or null: the field's default.
pub(super) fn typed(kind: Kind, cell: &str) -> Result<Json, Wrong> {
    let cell = cell.trim();
    match kind {
        Kind::Words => Ok(items(cell).map(Json::from).collect()),
        Kind::Ids => ids(cell),
        _ if cell.is_empty() => Ok(Json::Null),
        Kind::Text { most } => text(cell, most),
        Kind::Number { least, most } => number(cell, least, most),
        Kind::Flag => flag(cell),
        Kind::Object => object(cell),
    }
}

fn items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split([',', ';', ' ', '|']).filter(|item| !item.is_empty()).take(MOST_ITEMS + 1)
}

fn text(cell: &str, most: usize) -> Result<Json, Wrong> {
    if cell.chars().count() > most {
        return Err((
            format!("admite hasta {most} caracteres"),
            format!("takes at most {most} characters"),
        ));
    }
    if cell.contains('\0') {
        return Err((
            "tiene un carácter no permitido".to_owned(),
            "has a character that is not allowed".to_owned(),
        ));
    }
    Ok(cell.into())
}

fn number(cell: &str, least: i64, most: i64) -> Result<Json, Wrong> {
    let Ok(number) = cell.parse::<i64>() else {
        return Err((
            format!("«{}» no es un número entero", brief(cell)),
            format!("“{}” is not a whole number", brief(cell)),
        ));
    };
    if (least..=most).contains(&number) {
        return Ok(number.into());
    }
    Err((format!("debe ser de {least} a {most}"), format!("must be from {least} to {most}")))
}

fn flag(cell: &str) -> Result<Json, Wrong> {
    match cell.to_lowercase().as_str() {
        "1" | "true" | "sí" | "si" | "s" | "verdadero" | "yes" | "y" | "x" => Ok(true.into()),
        "0" | "false" | "no" | "n" | "falso" => Ok(false.into()),
        _ => Err((
            format!("«{}» no es sí ni no", brief(cell)),
            format!("“{}” is neither yes nor no", brief(cell)),
        )),
    }
}

fn ids(cell: &str) -> Result<Json, Wrong> {
    let mut found = Vec::new();
    for item in items(cell) {
        found.push(number(item, 1, i64::from(u32::MAX))?);
    }
    if found.len() > MOST_ITEMS {
        return Err((
            format!("admite hasta {MOST_ITEMS} elementos"),
            format!("takes at most {MOST_ITEMS} items"),
        ));
    }
    Ok(found.into())
}

fn object(cell: &str) -> Result<Json, Wrong> {
    let parsed = (cell.len() <= MOST_JSON).then(|| serde_json::from_str::<Json>(cell).ok());
    match parsed.flatten().filter(Json::is_object) {
        Some(object) => Ok(object),
        None => Err((
            format!("debe ser un objeto JSON de hasta {MOST_JSON} caracteres"),
            format!("must be a JSON object of at most {MOST_JSON} characters"),
        )),
    }
}

fn brief(cell: &str) -> String {
    let mut short: String = cell.chars().take(30).collect();
    if short.len() < cell.len() {
        short.push('…');
    }
    short
}

/// As [`typed`] reads it back.
pub(super) fn shown(field: Option<&Json>) -> String {
    match field {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(Json::Array(items)) => {
            items.iter().map(|item| shown(Some(item))).collect::<Vec<_>>().join(" ")
        }
        Some(value @ (Json::Bool(_) | Json::Number(_) | Json::Object(_))) => value.to_string(),
    }
}

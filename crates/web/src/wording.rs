//! The one place that words why a value was not taken: what serde, axum and jiff say is for
//! programmers, names our types and is English only. People get a sentence in their language.

use std::fmt::Display;

use engine::Sentence;

/// What a library said about a value, said for people. What is not recognised becomes a sentence that
/// is true of all of it.
pub fn refusal(told: &str) -> Sentence {
    let told = told.split(" at line ").next().unwrap_or_default().trim();
    let told = told.strip_suffix('.').unwrap_or(told);
    if let Some(field) = told.strip_prefix("missing field ") {
        let field = bare(field);
        return Sentence::new(format!("falta {field}"), format!("{field} is missing"));
    }
    if let Some(field) = told.strip_prefix("duplicate field ") {
        let field = bare(field);
        return Sentence::new(format!("{field} está dos veces"), format!("{field} is there twice"));
    }
    if let Some(rest) = told.strip_prefix("unknown field ") {
        return unknown(rest, ("no se conoce", "is not known"));
    }
    if let Some(rest) = told.strip_prefix("unknown variant ") {
        return unknown(rest, ("no es una de las opciones", "is not one of the choices"));
    }
    let typed = ["invalid type: ", "invalid value: ", "invalid length "];
    if typed.iter().any(|start| told.starts_with(start)) {
        return told.rsplit_once(", expected ").map_or_else(shape, |(_, wanted)| expected(wanted));
    }
    plain(told)
}

/// What a value of one of our types has to be: `i64`, `a string`, `struct NewOrder with 14 elements`.
pub fn expected(wanted: &str) -> Sentence {
    let wanted = wanted.trim();
    let word = wanted.trim_start_matches("a ").trim_start_matches("an ");
    let whole = ["i8", "i16", "i32", "i64", "i128", "isize", "integer", "signed integer"];
    let natural = ["u8", "u16", "u32", "u64", "u128", "usize", "unsigned integer"];
    if whole.contains(&word) {
        Sentence::new("debe ser un número entero", "must be a whole number")
    } else if natural.contains(&word) || word.starts_with("nonzero") {
        Sentence::new(
            "debe ser un número entero, no negativo",
            "must be a whole number, not negative",
        )
    } else if ["f32", "f64", "number", "float", "floating point number"].contains(&word) {
        Sentence::new("debe ser un número", "must be a number")
    } else if ["bool", "boolean"].contains(&word) {
        Sentence::new("debe ser true o false", "must be true or false")
    } else if ["string", "String", "str", "borrowed string", "character", "char"].contains(&word) {
        Sentence::new("debe ser un texto", "must be text")
    } else if word.starts_with("struct ") || word.starts_with("map") || word.contains("object") {
        Sentence::new("debe ser un objeto", "must be an object")
    } else if ["sequence", "array", "tuple"].iter().any(|start| word.starts_with(start)) {
        Sentence::new("debe ser una lista", "must be a list")
    } else {
        plain(word)
    }
}

/// What a number has to be.
pub fn range(least: impl Display, most: impl Display) -> Sentence {
    Sentence::new(
        format!("debe ser de {least} a {most}"),
        format!("must be from {least} to {most}"),
    )
}

/// Messages that are no more than words, told by what they are about.
fn plain(told: &str) -> Sentence {
    let low = told.to_lowercase();
    let about = |words: &[&str]| words.iter().any(|word| low.contains(word));
    // Instants and dates first: jiff tells of the digits it missed in them.
    if about(&["uuid"]) {
        Sentence::new("debe ser un identificador UUID", "must be a UUID")
    } else if about(&["timestamp", "datetime", "offset", "rfc 3339", "instant"]) {
        Sentence::new(
            "debe ser un instante con su zona, como 2026-06-19T21:00:00-03:00",
            "must be an instant with its zone, such as 2026-06-19T21:00:00-03:00",
        )
    } else if about(&["date", "year", "month", "civil"]) {
        // jiff stumbles over the date of an instant and over a date in the same words.
        Sentence::new(
            "debe ser una fecha AAAA-MM-DD, o un instante AAAA-MM-DDTHH:MM:SS-03:00",
            "must be a date YYYY-MM-DD, or an instant YYYY-MM-DDTHH:MM:SS-03:00",
        )
    } else if about(&["time of day", "clock", "hour", "minute"]) {
        Sentence::new("debe ser una hora HH:MM", "must be a time HH:MM")
    } else if about(&["float literal", "expected number"]) {
        Sentence::new("debe ser un número", "must be a number")
    } else if about(&["digit", "parse integer", "number too", "out of range integral", "integer"]) {
        Sentence::new("debe ser un número entero", "must be a whole number")
    } else if about(&["`true` or `false`", "boolean"]) {
        Sentence::new("debe ser true o false", "must be true or false")
    } else {
        shape()
    }
}

fn shape() -> Sentence {
    Sentence::new("no tiene la forma esperada", "does not have the expected shape")
}

/// `x`, expected one of `a`, `b`.
fn unknown(rest: &str, (es, en): (&str, &str)) -> Sentence {
    let (name, choices) = rest.split_once(", ").unwrap_or((rest, ""));
    let name = bare(name);
    let choices: Vec<&str> = choices.split('`').skip(1).step_by(2).collect();
    if choices.is_empty() {
        return Sentence::new(format!("«{name}» {es}"), format!("“{name}” {en}"));
    }
    let choices = choices.join(", ");
    Sentence::new(
        format!("«{name}» {es}; se admite: {choices}"),
        format!("“{name}” {en}; accepted: {choices}"),
    )
}

/// A name without the marks around it, and not longer than a person reads.
fn bare(name: &str) -> String {
    let name: String = name.trim().trim_matches('`').chars().take(100).collect();
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read to fail")]
    struct Wish {
        many: i64,
        few: Option<u8>,
        share: Option<f64>,
        list: Option<Vec<String>>,
        on: Option<bool>,
        at: Option<jiff::Timestamp>,
        day: Option<jiff::civil::Date>,
        word: Option<Word>,
    }

    #[derive(Debug, Deserialize)]
    enum Word {
        Si,
        No,
    }

    fn told(body: &str) -> Sentence {
        refusal(&serde_json::from_str::<Wish>(body).unwrap_err().to_string())
    }

    #[test]
    fn what_serde_says_is_said_for_people() {
        let cases = [
            ("[]", "debe ser un objeto", "must be an object"),
            ("7", "debe ser un objeto", "must be an object"),
            ("{}", "falta many", "many is missing"),
            (r#"{"many":"x"}"#, "debe ser un número entero", "must be a whole number"),
            (r#"{"many":1.5}"#, "debe ser un número entero", "must be a whole number"),
            (r#"{"many":1,"share":"x"}"#, "debe ser un número", "must be a number"),
            (r#"{"many":1,"list":7}"#, "debe ser una lista", "must be a list"),
            (r#"{"many":1,"list":[7]}"#, "debe ser un texto", "must be text"),
            (r#"{"many":1,"on":"no"}"#, "debe ser true o false", "must be true or false"),
            (r#"{"many":1,"many":1}"#, "many está dos veces", "many is there twice"),
        ];
        for (body, es, en) in cases {
            assert_eq!(told(body), Sentence::new(es, en), "{body}");
        }
        assert!(told(r#"{"many":1,"few":-1}"#).es.starts_with("debe ser un número entero, no neg"));
        assert!(told(r#"{"many":1,"at":"mañana"}"#).es.contains("instante"));
        assert!(told(r#"{"many":1,"at":"2026-06-19"}"#).es.contains("instante"));
        assert!(told(r#"{"many":1,"day":"x"}"#).es.contains("fecha"));
        let other = told(r#"{"many":1,"otro":1}"#);
        assert_eq!(
            other.es,
            "«otro» no se conoce; se admite: many, few, share, list, on, at, day, word"
        );
        assert_eq!(
            told(r#"{"many":1,"word":"Tal"}"#).en,
            "“Tal” is not one of the choices; accepted: Si, No"
        );
    }

    #[test]
    fn what_nobody_knows_is_still_a_sentence() {
        let told = refusal("struct Secret: the inner thing broke at line 1 column 2");
        assert_eq!(told, shape());
    }
}

//! What may be configured: the embedded file read as a catalogue of keys, kinds and explanations.

use std::path::Path;

use serde_json::{Number, Value};

use super::file;

/// The file that operators read and the binary obeys are one and the same.
pub(crate) const EMBEDDED: &str = include_str!("../../../config/turno.toml");

const COVER: &str = "••••••";

/// One key of the embedded file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) section: String,
    pub(crate) name: String,
    pub(crate) default: Value,
    /// The comment above the key.
    pub(crate) comment: String,
}

impl Key {
    pub(crate) fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// Reads the embedded file. Its validity is a test of this module, not a question at run time.
pub(crate) fn keys() -> Vec<Key> {
    let lines: Vec<&str> = EMBEDDED.lines().collect();
    file::assignments(Path::new("config/turno.toml"), EMBEDDED)
        .expect("the embedded configuration is valid TOML")
        .into_iter()
        .map(|assignment| Key {
            comment: comment_above(&lines, assignment.line),
            section: assignment.section,
            name: assignment.key,
            default: assignment.value,
        })
        .collect()
}

fn comment_above(lines: &[&str], line: usize) -> String {
    let above = &lines[..line.saturating_sub(1)];
    let start = above.iter().rposition(|text| !text.starts_with('#')).map_or(0, |last| last + 1);
    above[start..].iter().map(|text| text[1..].trim()).collect::<Vec<_>>().join(" ")
}

/// A word from the environment or the command line as a value of the same kind as the default.
pub(crate) fn parse_like(default: &Value, word: &str) -> Result<Value, String> {
    match default {
        Value::Bool(_) => switch(word)
            .map(Value::from)
            .ok_or_else(|| format!("\"{word}\" is neither true nor false")),
        Value::Number(_) => word
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| format!("\"{word}\" is not a whole number")),
        Value::Array(_) => Ok(word
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(Value::from)
            .collect()),
        Value::String(_) | Value::Null | Value::Object(_) => Ok(Value::from(word)),
    }
}

/// A value from a file, if it is of the same kind as the default.
pub(crate) fn check_like(default: &Value, value: &Value) -> Result<(), String> {
    let words =
        |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let (fits, kind) = match default {
        Value::Bool(_) => (value.is_boolean(), "true or false"),
        Value::Number(_) => (value.is_i64(), "a whole number"),
        Value::Array(_) => (words(value), "a list of texts"),
        Value::String(_) | Value::Null | Value::Object(_) => (value.is_string(), "a text"),
    };
    if fits { Ok(()) } else { Err(format!("expected {kind}, found {value}")) }
}

/// An application setting from the environment: its application knows the kind, here it is guessed.
pub(crate) fn guess(word: &str) -> Value {
    let number = || word.parse::<i64>().ok().map(Value::from);
    let fraction = || word.parse::<f64>().ok().and_then(Number::from_f64).map(Value::from);
    let truth = || match word {
        "true" => Some(Value::from(true)),
        "false" => Some(Value::from(false)),
        _ => None,
    };
    truth().or_else(number).or_else(fraction).unwrap_or_else(|| Value::from(word))
}

fn switch(word: &str) -> Option<bool> {
    match word.trim().to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// The value as a person may see it: credentials covered, passwords inside addresses too.
pub(crate) fn shown(path: &str, value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        _ if sounds_secret(path) => COVER.to_owned(),
        Value::String(text) => without_password(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

/// By name, because applications publish settings this file has never heard of.
fn sounds_secret(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path).to_uppercase();
    let words = ["TOKEN", "SECRET", "PASSWORD", "CLAVE", "API_KEY", "SECRETS_KEY", "COMUNIDAD"];
    words.iter().any(|word| name.ends_with(word))
}

/// Covers too much rather than too little: the last `@` ends the password, wherever it stands.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let rest = match rest.rfind('@') {
        Some(at) => match rest[..at].split_once(':') {
            Some((user, _)) => format!("{user}:{COVER}{}", &rest[at..]),
            None => rest.to_owned(),
        },
        None => rest.to_owned(),
    };
    match rest.split_once("password=") {
        Some((before, _)) => format!("{scheme}://{before}password={COVER}"),
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_embedded_key_is_explained() {
        for key in keys() {
            assert!(key.comment.len() > 10, "{} needs a comment", key.path());
            assert!(!key.comment.contains("Every deployment setting"), "{}", key.path());
        }
    }

    #[test]
    fn words_become_the_kind_of_the_default() {
        for (default, word, expected) in [
            (json!(true), "off", json!(false)),
            (json!(1), " 30 ", json!(30)),
            (json!([]), "pedidos, sam,", json!(["pedidos", "sam"])),
            (json!(""), "a,b", json!("a,b")),
        ] {
            assert_eq!(parse_like(&default, word), Ok(expected), "{word}");
        }
        assert!(parse_like(&json!(true), "maybe").is_err());
        assert!(parse_like(&json!(1), "1.5").is_err());
    }

    #[test]
    fn file_values_keep_their_kind() {
        assert_eq!(check_like(&json!(["a"]), &json!(["b"])), Ok(()));
        for (default, value) in [
            (json!(["a"]), json!("b")),
            (json!(["a"]), json!([1])),
            (json!(1), json!(1.5)),
            (json!(true), json!("true")),
            (json!(""), json!(8000)),
        ] {
            assert!(check_like(&default, &value).is_err(), "{value}");
        }
    }

    #[test]
    fn application_values_are_guessed() {
        for (word, value) in [
            ("8", json!(8)),
            ("0.5", json!(0.5)),
            ("false", json!(false)),
            ("04:00", json!("04:00")),
            ("nan", json!("nan")),
        ] {
            assert_eq!(guess(word), value, "{word}");
        }
    }

    #[test]
    fn secrets_are_covered() {
        for (path, value, expected) in [
            ("alerts.webhook_secret", json!("k1"), "••••••"),
            ("alerts.webhook_secret", json!(""), "\"\""),
            ("server.database_url", json!("postgres://a:b@h/d"), "postgres://a:••••••@h/d"),
            ("server.database_url", json!("postgres://a:b@c:d@h/d"), "postgres://a:••••••@h/d"),
            ("server.database_url", json!("postgres://a:b/c@h/d"), "postgres://a:••••••@h/d"),
            ("server.database_url", json!("postgres://h/d"), "postgres://h/d"),
            (
                "server.database_url",
                json!("postgres://h/d?password=x"),
                "postgres://h/d?password=••••••",
            ),
            ("sam.A360_API_KEY", json!("x"), "••••••"),
            ("server.listen", json!("127.0.0.1:8000"), "127.0.0.1:8000"),
            ("limits.body_bytes", json!(5), "5"),
        ] {
            assert_eq!(shown(path, &value), expected, "{path}");
        }
    }
}

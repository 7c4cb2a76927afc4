//! One setting on its page: what it is called, what it is now, and the input that changes it.

use std::collections::HashMap;

use db::settings::{Effective, Kind, MASK, Origin, Setting, Values};
use jiff::Timestamp;
use serde_json::Value as Json;
use web::{Lang, Tone};

use super::expected;

pub(super) struct Line {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    pub(super) unit: &'static str,
    pub(super) input: Input,
    /// In the input: what is in force, or what was typed and refused.
    pub(super) value: String,
    /// What the input held when the page was made.
    pub(super) stood: String,
    pub(super) in_force: String,
    pub(super) default: String,
    /// What stands in the input when the default is asked for.
    pub(super) default_value: String,
    pub(super) hint: String,
    pub(super) version: i64,
    pub(super) origin: Source,
    /// What the value in force replaced, while that can be undone.
    pub(super) replaced: Option<String>,
    pub(super) error: String,
}

pub(super) struct Source {
    pub(super) word: &'static str,
    pub(super) tone: Tone,
    /// The file, the variable or the person.
    pub(super) by: String,
    pub(super) at: Option<Timestamp>,
    pub(super) locked: bool,
}

pub(super) enum Input {
    Number { min: i64, max: i64 },
    Choice(Vec<(&'static str, &'static str)>),
    Text { max: usize },
    Long { max: usize },
    Secret { max: usize },
    Time,
    Share,
}

/// Texts longer than this get more than one line.
const LONG: usize = 1000;

/// A form that was refused: what was typed, and why not.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) typed: HashMap<String, String>,
    pub(super) key: Option<String>,
    pub(super) error: String,
}

impl Line {
    /// Nothing for what is not edited by hand.
    pub(super) fn new(
        effective: &Effective,
        replaced: Option<&Json>,
        values: &Values,
        attempt: &Attempt,
        lang: Lang,
    ) -> Option<Self> {
        let spec = &effective.spec;
        let input = Input::new(spec, values, lang)?;
        let shown = effective.shown();
        let stood = text(&shown);
        // What was typed into a secret is not sent back: it has to be typed again.
        let typed = attempt.typed.get(spec.key).filter(|_| !spec.is_secret());
        let default: Json = serde_json::from_str(spec.default).unwrap_or_default();
        let (es, en) = spec.unit.words();
        let wrong = attempt.key.as_deref() == Some(spec.key);
        Some(Self {
            key: spec.key,
            label: lang.t(spec.label.0, spec.label.1),
            help: lang.t(spec.help.0, spec.help.1),
            unit: lang.t(es, en),
            input,
            value: typed.cloned().unwrap_or_else(|| stood.clone()),
            in_force: written(spec, &shown, lang),
            default: written(spec, &default, lang),
            default_value: text(&default),
            stood,
            hint: range(effective, values, lang),
            version: effective.version,
            origin: Source::new(&effective.origin, lang),
            replaced: replaced.map(|value| written(spec, value, lang)),
            error: if wrong { attempt.error.clone() } else { String::new() },
        })
    }

    pub(super) fn is_default(&self) -> bool {
        self.stood == self.default_value
    }
}

impl Source {
    fn new(origin: &Origin, lang: Lang) -> Self {
        let locked = matches!(origin, Origin::Environment(_));
        let (word, tone, by, at) = match origin {
            Origin::Default => {
                (lang.t("predeterminado", "default"), Tone::Plain, String::new(), None)
            }
            Origin::File(file) => (lang.t("archivo", "file"), Tone::Info, file.clone(), None),
            Origin::Environment(name) => {
                (lang.t("entorno, fijado", "environment, locked"), Tone::Warn, name.clone(), None)
            }
            Origin::Console { by, at } => {
                (lang.t("cambiado aquí", "changed here"), Tone::Good, by.clone(), Some(*at))
            }
        };
        Self { word, tone, by, at, locked }
    }
}

impl Input {
    fn new(spec: &Setting, values: &Values, lang: Lang) -> Option<Self> {
        Some(match spec.kind {
            Kind::Int { min, max } => Self::Number { min, max },
            Kind::IntUpTo { min, ceiling } => {
                Self::Number { min, max: values.int(ceiling).unwrap_or(i64::MAX) }
            }
            Kind::Bool => {
                Self::Choice(vec![("true", lang.t("sí", "yes")), ("false", lang.t("no", "no"))])
            }
            Kind::Choice(words) => {
                let titled = |word: &&'static str| {
                    let (es, en) = spec.title_of(word);
                    (*word, lang.t(es, en))
                };
                Self::Choice(words.iter().map(titled).collect())
            }
            Kind::Text { max } if max > LONG => Self::Long { max },
            Kind::Text { max } => Self::Text { max },
            Kind::Secret { max } => Self::Secret { max },
            Kind::TimeOfDay => Self::Time,
            Kind::Share => Self::Share,
            Kind::Internal => return None,
        })
    }
}

/// What is accepted, where the input does not show it by itself.
fn range(effective: &Effective, values: &Values, lang: Lang) -> String {
    match effective.spec.kind {
        Kind::Bool | Kind::Choice(_) | Kind::TimeOfDay => String::new(),
        _ => expected(effective, values, lang),
    }
}

/// A value as its input holds it.
fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value as people read it, with its unit.
pub(super) fn written(spec: &Setting, value: &Json, lang: Lang) -> String {
    let word = match (value, spec.kind) {
        (Json::Bool(true), _) => lang.t("sí", "yes").to_owned(),
        (Json::Bool(false), _) => lang.t("no", "no").to_owned(),
        (Json::String(word), Kind::Choice(words)) => {
            let known = words.iter().find(|one| *one == word);
            known.map_or_else(
                || word.clone(),
                |word| {
                    let (es, en) = spec.title_of(word);
                    lang.t(es, en).to_owned()
                },
            )
        }
        (Json::String(text), _) if text.is_empty() => lang.t("vacío", "empty").to_owned(),
        (Json::String(text), _) => text.clone(),
        (other, _) => other.to_string(),
    };
    let (es, en) = spec.unit.words();
    format!("{word} {}", lang.t(es, en)).trim_end().to_owned()
}

/// What was typed, as the setting's type. What does not fit stays text, and is refused as such.
pub(super) fn parse(kind: Kind, typed: &str) -> Json {
    let typed = typed.trim();
    match kind {
        Kind::Int { .. } | Kind::IntUpTo { .. } => {
            typed.parse::<i64>().map_or_else(|_| typed.into(), Json::from)
        }
        Kind::Share => {
            typed.replace(',', ".").parse::<f64>().map_or_else(|_| typed.into(), Json::from)
        }
        Kind::Bool => typed.parse::<bool>().map_or_else(|_| typed.into(), Json::from),
        Kind::Choice(_)
        | Kind::Text { .. }
        | Kind::Secret { .. }
        | Kind::TimeOfDay
        | Kind::Internal => typed.into(),
    }
}

/// Whether somebody changed an input: what it held when the page was made is sent along.
pub(super) fn touched(spec: &Setting, typed: &str, stood: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    plain(typed) != plain(stood) && !(spec.is_secret() && typed == MASK)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_typed_takes_the_type_of_the_setting() {
        let whole = Kind::Int { min: 0, max: 9 };
        assert_eq!(parse(whole, " 7 "), json!(7));
        assert_eq!(parse(whole, "7.5"), json!("7.5"));
        assert_eq!(parse(Kind::Bool, "true"), json!(true));
        assert_eq!(parse(Kind::Text { max: 5 }, "true"), json!("true"));
    }

    #[test]
    fn what_nobody_touched_is_left_alone() {
        let text = Setting::new("demo", "K", Kind::Text { max: 5000 }, "\"\"", ("", ""));
        assert!(!touched(&text, "a\r\nb", "a\nb"));
        assert!(touched(&text, "a", ""));
        let secret = Setting::new("demo", "S", Kind::Secret { max: 50 }, "\"\"", ("", ""));
        assert!(!touched(&secret, MASK, MASK) && !touched(&secret, MASK, ""));
        assert!(touched(&secret, "", MASK) && touched(&secret, "new", MASK));
    }
}

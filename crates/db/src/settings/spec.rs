//! What an application says of a setting: its name, kind, default and the words around it.

use serde_json::{Value as Json, json};

/// A key that an application publishes.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub app: &'static str,
    pub key: &'static str,
    pub kind: Kind,
    /// The default in JSON.
    pub default: &'static str,
    /// What people call it, in Spanish and English.
    pub label: (&'static str, &'static str),
    /// What it does, in Spanish and English.
    pub help: (&'static str, &'static str),
    pub unit: Unit,
    /// What people call each word of a [`Kind::Choice`], in its order; none: the words themselves.
    pub titles: &'static [(&'static str, &'static str)],
}

/// What a number counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    #[default]
    None,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
    Megabytes,
    Percent,
}

impl Unit {
    /// In Spanish and English; empty for a bare number.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("", ""),
            Self::Milliseconds => ("milisegundos", "milliseconds"),
            Self::Seconds => ("segundos", "seconds"),
            Self::Minutes => ("minutos", "minutes"),
            Self::Hours => ("horas", "hours"),
            Self::Days => ("días", "days"),
            Self::Megabytes => ("MB", "MB"),
            Self::Percent => ("%", "%"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int {
        min: i64,
        max: i64,
    },
    /// Like `Int`, with the upper bound held by another setting of the same application.
    IntUpTo {
        min: i64,
        ceiling: &'static str,
    },
    Bool,
    Choice(&'static [&'static str]),
    Text {
        max: usize,
    },
    /// `HH:MM`
    TimeOfDay,
    /// A number from 0 to 1: a confidence, a share.
    Share,
    /// Text that nobody is shown again: not in lists, events or the audit.
    Secret {
        max: usize,
    },
    /// Any JSON, owned by the application and not edited by hand.
    Internal,
}

/// What stands for a secret that is set. Sent back, it leaves the secret as it is.
pub const MASK: &str = "••••••";

impl Setting {
    pub const fn new(
        app: &'static str,
        key: &'static str,
        kind: Kind,
        default: &'static str,
        help: (&'static str, &'static str),
    ) -> Self {
        Self { app, key, kind, default, label: (key, key), help, unit: Unit::None, titles: &[] }
    }

    #[must_use]
    pub const fn called(mut self, es: &'static str, en: &'static str) -> Self {
        self.label = (es, en);
        self
    }

    #[must_use]
    pub const fn counted_in(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    #[must_use]
    pub const fn titled(mut self, titles: &'static [(&'static str, &'static str)]) -> Self {
        self.titles = titles;
        self
    }

    /// What people call a word of a choice, in Spanish and English.
    pub fn title_of(&self, word: &'static str) -> (&'static str, &'static str) {
        let Kind::Choice(words) = self.kind else { return (word, word) };
        let at = words.iter().position(|one| *one == word);
        at.and_then(|at| self.titles.get(at)).copied().unwrap_or((word, word))
    }

    pub fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret { .. })
    }

    /// What a secret of it is sealed for.
    pub(super) fn place(&self) -> String {
        format!("setting/{}/{}", self.app, self.key)
    }

    /// Some value of it as people may see it.
    pub fn shown(&self, value: &Json) -> Json {
        match self.kind {
            Kind::Secret { .. } if value.as_str().is_some_and(str::is_empty) => json!(""),
            Kind::Secret { .. } => json!(MASK),
            _ => value.clone(),
        }
    }
}

//! One thing that happens in a history, written so that it can be pasted as code.

use std::fmt;

use serde_json::Value as Json;

#[derive(Clone, PartialEq)]
pub(crate) enum Step {
    /// Somebody asks for something: `POST /pedidos`, and behind it the key under which it is asked. All
    /// that is due then happens before the next step.
    ///
    /// In the body `+45` is so many minutes from now, and the name of something outside (`{room}`) is
    /// where that is; in path and body `@r0` is the first id that an answer gave.
    Ask { who: &'static str, what: String, body: Json },
    /// The same while the database refuses new rows of a table.
    Refusing { table: &'static str, ask: Box<Step> },
    /// The clock goes on by so many seconds.
    Advance(i64),
    /// The process is gone without a word, and another begins on the same database.
    Crash,
    /// A backup is restored into an empty database of the same kind, and the house goes on there.
    Restore,
}

pub(crate) fn ask(who: &'static str, what: impl Into<String>, body: Json) -> Step {
    Step::Ask { who, what: what.into(), body }
}

pub(crate) fn refusing(table: &'static str, ask: Step) -> Step {
    Step::Refusing { table, ask: Box::new(ask) }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask { who, what, body } => write!(f, "ask({who:?}, {what:?}, json!({body}))"),
            Self::Refusing { table, ask } => write!(f, "refusing({table:?}, {ask:?})"),
            Self::Advance(seconds) => write!(f, "Advance({seconds})"),
            Self::Crash => write!(f, "Crash"),
            Self::Restore => write!(f, "Restore"),
        }
    }
}

/// A history as it is written in a test.
pub(crate) fn as_code(steps: &[Step]) -> String {
    let lines: Vec<_> = steps.iter().map(|step| format!("    {step:?},\n")).collect();
    format!("&[\n{}]", lines.concat())
}

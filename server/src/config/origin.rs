//! Where a value comes from, and what is wrong with it.

use std::fmt;
use std::path::PathBuf;

use terminal::Exit;

/// The layer that gave a value. Later layers win, in the order of the variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The embedded `config/turno.toml`.
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Environment {
        name: String,
    },
    Flag {
        flag: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Flag { flag } => write!(f, "flag {flag}"),
        }
    }
}

/// Everything wrong at once, so that an operator restarts once and not five times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigError {
    pub(crate) problems: Vec<Problem>,
}

/// One thing to mend, with the place where to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) origin: Origin,
    /// `section.key`, or empty when the trouble is not about one key.
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) did_you_mean: Option<String>,
}

impl Problem {
    pub(crate) fn new(origin: Origin, key: &str, message: impl Into<String>) -> Self {
        let (key, message) = (key.to_owned(), message.into());
        Self { origin, key, message, did_you_mean: None }
    }

    pub(crate) fn or_rather(mut self, suggestion: Option<String>) -> Self {
        self.did_you_mean = suggestion;
        self
    }
}

impl From<Problem> for ConfigError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.origin)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match &self.did_you_mean {
            Some(suggestion) => write!(f, "; did you mean {suggestion}?"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl From<ConfigError> for Exit {
    fn from(error: ConfigError) -> Self {
        let hint = "`turno config show` prints every setting and where it comes from";
        Self::usage(error.to_string()).hint(hint)
    }
}

/// The nearest known name, when it is near enough to be a slip of the keyboard.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&word, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["listen", "data_dir", "timezone"];
        assert_eq!(nearest("lisen", known).as_deref(), Some("listen"));
        assert_eq!(nearest("TimeZone", known).as_deref(), Some("timezone"));
        assert_eq!(nearest("banana", known), None);
    }
}

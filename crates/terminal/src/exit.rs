//! How a command ends when it does not succeed: a code for scripts, two sentences for people.

use std::process::ExitCode;

/// The codes of every command; 0 is success and `clap` uses 2 for what it refuses itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Failed = 1,
    Usage = 2,
    NotFound = 3,
    Conflict = 4,
    NotAuthorised = 5,
    Unreachable = 6,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Exit {
    code: Code,
    /// Empty when the command has already said what is wrong.
    message: String,
    hint: Option<String>,
}

impl Exit {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::Failed, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            eprintln!("error: {}", self.message);
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(self.code as u8)
    }
}

impl From<db::Error> for Exit {
    fn from(error: db::Error) -> Self {
        let message = with_causes(&error);
        match error {
            db::Error::Unavailable(_) => {
                let hint = "is the database running, and are its address and directory right? \
                            `turno doctor` checks";
                Self::new(Code::Unreachable, message).hint(hint)
            }
            db::Error::Unanswered(_) => {
                let hint = "it may have been done: look before you try again";
                Self::new(Code::Unreachable, message).hint(hint)
            }
            db::Error::Migration { .. } | db::Error::Newer(_) => {
                let hint = "use the version of turno that made this database, or restore a backup";
                Self::failed(message).hint(hint)
            }
            db::Error::Conflict(_) | db::Error::Duplicate { .. } => {
                Self::new(Code::Conflict, message)
            }
            db::Error::Corrupt { .. } | db::Error::Unfit(_) | db::Error::Database(_) => {
                Self::failed(message)
            }
        }
    }
}

/// The error and what caused it, on one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

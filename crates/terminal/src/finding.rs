//! What `turno doctor` found of one thing that can be wrong, with what mends it.

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Warn,
    Fail,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        }
    }
}

/// One line of the answer.
#[derive(Debug)]
pub struct Finding {
    pub about: &'static str,
    pub verdict: Verdict,
    pub detail: String,
    pub fix: Option<String>,
}

impl Finding {
    pub fn pass(about: &'static str, detail: impl Into<String>) -> Self {
        Self { about, verdict: Verdict::Pass, detail: detail.into(), fix: None }
    }

    pub fn warn(about: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        let fix = Some(fix.to_owned());
        Self { about, verdict: Verdict::Warn, detail: detail.into(), fix }
    }

    pub fn fail(about: &'static str, detail: impl Into<String>, fix: &str) -> Self {
        Self { verdict: Verdict::Fail, ..Self::warn(about, detail, fix) }
    }
}

//! How far a simulated execution is.

use std::fmt;

use engine::Word as _;

/// How far an execution is, in the words of the activity list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Queued,
    Pending,
    Deployed,
    Running,
    Update,
    Paused,
    Completed,
    Failed,
    Aborted,
    TimedOut,
    DeployFailed,
    /// A word that this version does not have: the next one might.
    Other(String),
}

/// What an execution has of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Device,
    /// In the queue.
    RunsOn,
    Nothing,
}

/// Each with its word.
static WORDS: [(Status, &str); 11] = [
    (Status::Queued, "QUEUED"),
    (Status::Pending, "PENDING_EXECUTION"),
    (Status::Deployed, "DEPLOYED"),
    (Status::Running, "RUNNING"),
    (Status::Update, "UPDATE"),
    (Status::Paused, "RUN_PAUSED"),
    (Status::Completed, "COMPLETED"),
    (Status::Failed, "RUN_FAILED"),
    (Status::Aborted, "RUN_ABORTED"),
    (Status::TimedOut, "RUN_TIMED_OUT"),
    (Status::DeployFailed, "DEPLOY_FAILED"),
];

impl Status {
    /// Words of the list and those of callbacks; `UNKNOWN` is no status, it is not knowing one.
    pub(super) fn parse(word: &str) -> Self {
        let word = word.to_ascii_uppercase();
        if word == "RUN_COMPLETED" {
            return Self::Completed;
        }
        let known = WORDS.iter().find(|(_, known)| *known == word);
        known.map_or(Self::Other(word), |(status, _)| status.clone())
    }

    pub(super) fn is_final(&self) -> bool {
        use Status as S;
        matches!(self, S::Completed | S::Failed | S::Aborted | S::TimedOut | S::DeployFailed)
    }

    pub(super) fn claim(&self) -> Claim {
        match self {
            Self::Queued => Claim::RunsOn,
            other if other.is_final() => Claim::Nothing,
            _ => Claim::Device,
        }
    }

    /// The word a callback uses for an end.
    pub(super) fn in_callback(&self) -> String {
        match self {
            Self::Completed => "RUN_COMPLETED".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = WORDS.iter().find(|(status, _)| status == self);
        f.write_str(match (known, self) {
            (Some((_, word)), _) => word,
            (None, Self::Other(word)) => word,
            (None, _) => "",
        })
    }
}

engine::words! {
    /// How the executions of a bot end when nobody interferes.
    pub(super) enum Outcome {
        Completed = "COMPLETED",
        Failed = "RUN_FAILED",
        Aborted = "RUN_ABORTED",
        TimedOut = "RUN_TIMED_OUT",
        /// Instead of starting.
        DeployFailed = "DEPLOY_FAILED",
        /// It ends and nobody hears of it.
        Lost = "UNKNOWN",
        /// It goes on until somebody stops it.
        Endless = "RUNNING",
    }
}

impl Outcome {
    /// Its word, or one that people use for it.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_uppercase();
        Self::from_word(match word.as_str() {
            "RUN_COMPLETED" | "SUCCESS" => "COMPLETED",
            "FAILED" | "FAILURE" => "RUN_FAILED",
            "ABORTED" => "RUN_ABORTED",
            "TIMED_OUT" => "RUN_TIMED_OUT",
            "LOST" => "UNKNOWN",
            "ENDLESS" | "NEVER" => "RUNNING",
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for word in WORDS.iter().map(|(_, word)| *word).chain(["SOMETHING_NEW"]) {
            assert_eq!(Status::parse(word).to_string(), word);
        }
        assert_eq!(Status::parse("run_completed"), Status::Completed);
        assert_eq!(Status::Completed.in_callback(), "RUN_COMPLETED");
        let outcomes = ["COMPLETED", "RUN_FAILED", "DEPLOY_FAILED", "UNKNOWN", "RUNNING"];
        for word in outcomes {
            assert_eq!(Outcome::parse(word).map(Outcome::word), Some(word));
        }
        assert_eq!(Outcome::parse("perhaps"), None);
    }
}

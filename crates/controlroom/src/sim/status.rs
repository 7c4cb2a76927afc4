//! How far a simulated execution is.

use std::fmt;

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

impl Status {
    /// Words of the list and those of callbacks; `UNKNOWN` is no status, it is not knowing one.
    pub(super) fn parse(word: &str) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "QUEUED" => Self::Queued,
            "PENDING_EXECUTION" => Self::Pending,
            "DEPLOYED" => Self::Deployed,
            "RUNNING" => Self::Running,
            "UPDATE" => Self::Update,
            "RUN_PAUSED" => Self::Paused,
            "COMPLETED" | "RUN_COMPLETED" => Self::Completed,
            "RUN_FAILED" => Self::Failed,
            "RUN_ABORTED" => Self::Aborted,
            "RUN_TIMED_OUT" => Self::TimedOut,
            "DEPLOY_FAILED" => Self::DeployFailed,
            other => Self::Other(other.to_owned()),
        }
    }

    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Completed
            | Self::Failed
            | Self::Aborted
            | Self::TimedOut
            | Self::DeployFailed => true,
            Self::Queued
            | Self::Pending
            | Self::Deployed
            | Self::Running
            | Self::Update
            | Self::Paused
            | Self::Other(_) => false,
        }
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
        f.write_str(match self {
            Self::Queued => "QUEUED",
            Self::Pending => "PENDING_EXECUTION",
            Self::Deployed => "DEPLOYED",
            Self::Running => "RUNNING",
            Self::Update => "UPDATE",
            Self::Paused => "RUN_PAUSED",
            Self::Completed => "COMPLETED",
            Self::Failed => "RUN_FAILED",
            Self::Aborted => "RUN_ABORTED",
            Self::TimedOut => "RUN_TIMED_OUT",
            Self::DeployFailed => "DEPLOY_FAILED",
            Self::Other(word) => word,
        })
    }
}

/// How the executions of a bot end when nobody interferes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Completed,
    Failed,
    Aborted,
    TimedOut,
    /// Instead of starting.
    DeployFailed,
    /// It ends and nobody hears of it.
    Lost,
    /// It goes on until somebody stops it.
    Endless,
}

impl Outcome {
    pub(super) fn parse(word: &str) -> Option<Self> {
        Some(match word.to_ascii_uppercase().as_str() {
            "COMPLETED" | "RUN_COMPLETED" | "SUCCESS" => Self::Completed,
            "RUN_FAILED" | "FAILED" | "FAILURE" => Self::Failed,
            "RUN_ABORTED" | "ABORTED" => Self::Aborted,
            "RUN_TIMED_OUT" | "TIMED_OUT" => Self::TimedOut,
            "DEPLOY_FAILED" => Self::DeployFailed,
            "UNKNOWN" | "LOST" => Self::Lost,
            "RUNNING" | "ENDLESS" | "NEVER" => Self::Endless,
            _ => return None,
        })
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Completed => "COMPLETED",
            Self::Failed => "RUN_FAILED",
            Self::Aborted => "RUN_ABORTED",
            Self::TimedOut => "RUN_TIMED_OUT",
            Self::DeployFailed => "DEPLOY_FAILED",
            Self::Lost => "UNKNOWN",
            Self::Endless => "RUNNING",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for word in [
            "QUEUED",
            "PENDING_EXECUTION",
            "DEPLOYED",
            "RUNNING",
            "UPDATE",
            "RUN_PAUSED",
            "COMPLETED",
            "RUN_FAILED",
            "RUN_ABORTED",
            "RUN_TIMED_OUT",
            "DEPLOY_FAILED",
            "SOMETHING_NEW",
        ] {
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

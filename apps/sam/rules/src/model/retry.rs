//! *Reintentos*: how a robot goes on when a run of a slot failed.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

engine::words! {
    /// Why a run of a slot may be tried again.
    pub enum RetryCause {
        DeployFailed = "DEPLOY_FAILED",
        RunFailed = "RUN_FAILED",
        RunAborted = "RUN_ABORTED",
        RunTimedOut = "RUN_TIMED_OUT",
        /// Accepted, and not begun in the time that is allowed for it: it is stopped first.
        NotStarted = "SIN_INICIO",
    }
}

/// A robot's policy. Nothing is tried again unless people say how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub times: i64,
    /// Before the first; doubled with each that follows.
    pub wait: SignedDuration,
    pub causes: BTreeSet<RetryCause>,
}

impl Retry {
    pub const MOST_TIMES: i64 = 10;
    pub const LONGEST_WAIT: i64 = 86_400;

    /// What is tried again when people say how often and nothing else: not what somebody stopped.
    pub fn usual_causes() -> BTreeSet<RetryCause> {
        use RetryCause::{DeployFailed, NotStarted, RunFailed, RunTimedOut};
        [DeployFailed, RunFailed, RunTimedOut, NotStarted].into()
    }

    pub fn covers(&self, cause: RetryCause) -> bool {
        self.times > 0 && self.causes.contains(&cause)
    }

    /// When the next is due after `tries` that failed, if there is one.
    pub fn next(&self, tries: i64, now: Timestamp) -> Option<Timestamp> {
        if tries > self.times {
            return None;
        }
        let doubled = self.wait.checked_mul(1_i32 << (tries - 1).clamp(0, 16))?;
        now.checked_add(doubled).ok()
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { times: 0, wait: SignedDuration::from_mins(1), causes: Self::usual_causes() }
    }
}

//! *Ejecución*: one deployment of a robot on a runner, its states and how it may end.

use engine::{Lifecycle, Word};
use jiff::{SignedDuration, Timestamp, civil::Date};

use super::{Hold, RobotId, RunId, RunnerId, ScheduleId};

/// How long a runner waits for a run that the Control Room lost track of (§4.2.1).
pub const UNKNOWN_HOLD: SignedDuration = SignedDuration::from_hours(2);

/// *Ejecución*: one deployment (§3.2, §5).
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: RunId,
    pub robot: RobotId,
    pub runner: RunnerId,
    pub user_id: i64,
    /// Why it was launched.
    pub hold: Hold,
    pub schedule: Option<ScheduleId>,
    /// The date of the slot it stands for; none for cyclic and online runs.
    pub slot: Option<Date>,
    /// When that slot began (*Hora*).
    pub slot_at: Option<Timestamp>,
    /// The last instant at which a launch is in time for it.
    pub slot_until: Option<Timestamp>,
    pub state: RunState,
    /// Whether it occupies its runner: not closed. At most one such run per runner.
    pub live: bool,
    pub deployment: Option<String>,
    /// *`FechaInicio`*: when it was claimed.
    pub claimed_at: Timestamp,
    /// *`FechaInicioReal`*: when the Control Room says it started.
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub closing: Option<Closing>,
    /// Deploys posted so far.
    pub attempts: i64,
    /// A deploy was posted and how it ended is not known.
    pub posted_at: Option<Timestamp>,
    /// *`IntentosConciliadorFallidos`*: consecutive looks that did not find it.
    pub misses: i64,
    /// The first UNKNOWN of the streak.
    pub unknown_since: Option<Timestamp>,
    /// What the Control Room said last, word for word.
    pub raw_status: Option<String>,
    /// Why it ended as it did, for people.
    pub cause: Option<String>,
    /// What the Control Room told about its end.
    pub message: Option<String>,
    /// It failed, and its slot is tried again from then on.
    pub retry_at: Option<Timestamp>,
    /// Since when it should have begun.
    pub overdue_at: Option<Timestamp>,
    /// While in doubt: a deployment that may be this run, for a person to decide.
    pub suspect: Option<String>,
    /// Somebody wants it stopped.
    pub stop: Option<Stop>,
    /// Who started it by hand, and why.
    pub asked_by: Option<String>,
    pub asked_why: Option<String>,
}

/// That a run is to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    pub at: Timestamp,
    /// None: the house, because it did not begin.
    pub by: Option<String>,
    pub reason: String,
}

impl Run {
    /// The tag by which a deploy in doubt is found again in the Control Room. Ids begin anew with
    /// another database; the instant does not.
    pub fn tag(&self) -> String {
        format!("turno-{}-{:x}", self.id, self.claimed_at.as_microsecond())
    }

    /// When it should have begun, if it was accepted and did not.
    pub fn start_by(&self, limit: jiff::SignedDuration) -> Option<Timestamp> {
        let waits = matches!(self.state, RunState::Deployed | RunState::Queued);
        self.claimed_at.checked_add(limit).ok().filter(|_| waits && self.live)
    }

    /// When a lost run stops holding its runner; at that very instant the runner is free.
    pub fn lost_until(&self) -> Option<Timestamp> {
        let since = self.unknown_since.filter(|_| self.state == RunState::Unknown)?;
        Some(since + UNKNOWN_HOLD)
    }
}

engine::words! {
    /// *Estado* (§5). `UPDATE` is read as *Running*; what was said is kept in `raw_status`.
    pub enum RunState {
        Pending = "PENDING_EXECUTION",
        Deployed = "DEPLOYED",
        Queued = "QUEUED",
        Running = "RUNNING",
        Paused = "RUN_PAUSED",
        Unknown = "UNKNOWN",
        Completed = "COMPLETED",
        RunCompleted = "RUN_COMPLETED",
        RunFailed = "RUN_FAILED",
        RunAborted = "RUN_ABORTED",
        RunTimedOut = "RUN_TIMED_OUT",
        DeployFailed = "DEPLOY_FAILED",
        Inferred = "COMPLETED_INFERRED",
    }
}

use RunState as S;

impl RunState {
    /// Those that stand last above.
    pub const FINAL: &'static [Self] = Self::ALL.split_at(6).1;

    /// What people call it, in Spanish and English.
    pub const fn called(self) -> (&'static str, &'static str) {
        match self {
            S::Pending => ("Por desplegar", "To deploy"),
            S::Deployed => ("Desplegada", "Deployed"),
            S::Queued => ("En cola", "Queued"),
            S::Running => ("En curso", "Running"),
            S::Paused => ("Pausada", "Paused"),
            S::Unknown => ("Sin noticias", "Lost"),
            S::Completed | S::RunCompleted => ("Completada", "Completed"),
            S::RunFailed => ("Fallida", "Failed"),
            S::RunAborted => ("Cancelada", "Aborted"),
            S::RunTimedOut => ("Agotó su tiempo", "Timed out"),
            S::DeployFailed => ("No desplegada", "Not deployed"),
            S::Inferred => ("Dada por completada", "Taken for completed"),
        }
    }

    /// What the Control Room says, in its own words; an unknown word is none.
    pub fn told(word: &str) -> Option<Self> {
        match word.trim().to_uppercase().as_str() {
            "UPDATE" => Some(S::Running),
            "COMPLETED_INFERRED" => None,
            word => Self::from_word(word),
        }
    }

    /// Nothing follows but a callback's verdict on what was only concluded.
    pub fn is_final(self) -> bool {
        Self::FINAL.contains(&self)
    }

    pub const fn succeeded(self) -> bool {
        matches!(self, S::Completed | S::RunCompleted)
    }
}

impl Lifecycle for RunState {
    fn successors(self) -> &'static [Self] {
        // All but the first; and what is known, not concluded.
        const SEEN: &[S] = S::ALL.split_at(1).1;
        const VERDICT: &[S] = S::FINAL.split_at(6).0;
        match self {
            S::Pending | S::Deployed | S::Queued | S::Running | S::Paused | S::Unknown => SEEN,
            // What was concluded from silence gives way to what is known.
            S::Inferred => VERDICT,
            _ => &[],
        }
    }
}

engine::words! {
    /// Who said that a run was over.
    pub enum Closing {
        /// The robot itself, through the Control Room.
        Callback = "CALLBACK",
        /// The reconciler found it ended.
        Reconciler = "CONCILIADOR",
        /// It was missing so often that it must have ended.
        Inferred = "INFERENCIA",
        /// Lost for two hours: the runner was freed (zombie).
        Lost = "UNKNOWN_2H",
        /// Older than anything that still runs.
        Aged = "ANTIGUEDAD",
        /// The deploy was refused for good.
        Deploy = "DESPLIEGUE",
        /// A person unlocked the runner.
        Operator = "OPERADOR",
    }
}

impl Closing {
    /// Whether a late callback changes the verdict; otherwise it is kept as information.
    pub const fn yields_to_callback(self) -> bool {
        match self {
            Self::Reconciler | Self::Inferred => true,
            Self::Callback | Self::Lost | Self::Aged | Self::Deploy | Self::Operator => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_states_are_those_after_which_nothing_runs() {
        let words: Vec<_> = RunState::FINAL.iter().map(|state| state.word()).collect();
        let ends = ["COMPLETED", "RUN_COMPLETED", "RUN_FAILED", "RUN_ABORTED", "RUN_TIMED_OUT"];
        assert_eq!(words[..5], ends);
        assert_eq!(words[5..], ["DEPLOY_FAILED", "COMPLETED_INFERRED"]);
    }

    #[test]
    fn what_the_control_room_says_is_understood_or_surfaced() {
        assert_eq!(RunState::told("UPDATE"), Some(RunState::Running));
        assert_eq!(RunState::told(" run_timed_out "), Some(RunState::RunTimedOut));
        assert_eq!(RunState::told("WARMING_UP"), None);
        assert_eq!(RunState::told("COMPLETED_INFERRED"), None, "that word is ours");
    }
}

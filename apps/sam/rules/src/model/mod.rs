//! The nouns of SAM (§3). Integers identify everything: robots and runners carry the ids of
//! the Control Room.

mod retry;
mod run;
mod schedule;

use std::collections::BTreeSet;

use jiff::Timestamp;

pub use retry::{Retry, RetryCause};
pub use run::{Closing, Run, RunState, Stop, UNKNOWN_HOLD};
pub use schedule::{Calendar, Days, Kind, Pace, Schedule, Weekdays};

engine::ids! {
    /// *Robot*: a taskbot; the id of its file in the Control Room.
    RobotId,
    /// *Equipo*: a Bot Runner; the id of its device in the Control Room.
    RunnerId,
    PoolId,
    /// *Programación*.
    ScheduleId,
    /// *Asignación*.
    AssignmentId,
    /// *Ejecución*.
    RunId,
    CalendarId,
}

/// *Robot*: the work (§3.1).
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    pub id: RobotId,
    pub name: String,
    pub description: Option<String>,
    /// *Parámetros*: the input variables sent with a deploy.
    pub parameters: Option<serde_json::Value>,
    pub active: bool,
    /// *`EsOnline`*: run on demand; otherwise by schedule.
    pub online: bool,
    pub limits: Limits,
    /// *`PrioridadBalanceo`*: the lower, the more important.
    pub priority: i64,
    /// *`TicketsPorEquipoAdicional`*: pending tickets that one more runner is for.
    pub tickets_per_runner: i64,
    pub pool: Option<PoolId>,
    /// What becomes of a slot whose run failed.
    pub retry: Retry,
    /// What the Control Room calls it; never read by a rule.
    pub seen_name: Option<String>,
    pub version: i64,
}

/// *`MinEquipos`* / *`MaxEquipos`*.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub least: i64,
    /// None = without limit (−1 on the wire).
    pub most: Option<i64>,
}

impl Limits {
    /// The nearest number that the limits allow.
    pub fn clamp(self, wanted: i64) -> i64 {
        let raised = wanted.max(self.least);
        self.most.map_or(raised, |most| raised.min(most))
    }
}

/// *Equipo*: the resource (§3.1). What the operator says and what the Control Room says are
/// kept apart: maintenance survives a sync.
#[derive(Debug, Clone, PartialEq)]
pub struct Runner {
    pub id: RunnerId,
    pub name: String,
    pub user_id: i64,
    pub user_name: Option<String>,
    pub licence: Licence,
    /// *`Activo_SAM`*: the operator's master switch.
    pub active: bool,
    /// *`PermiteBalanceoDinamico`* as the operator set it; a schedule suspends it without
    /// forgetting it.
    pub dynamic: bool,
    pub pool: Option<PoolId>,
    /// Whether the Control Room saw it connected at the last sync; none = never synced.
    pub connected: Option<bool>,
    pub seen_name: Option<String>,
    pub version: i64,
}

/// *Licencia*: the set of features a device's user holds, as the Control Room lists them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Licence(BTreeSet<String>);

impl Licence {
    pub fn parse(text: &str) -> Self {
        let words = text.split([',', ';', ' ']).map(|word| word.trim().to_uppercase());
        Self(words.filter(|word| !word.is_empty()).collect())
    }

    /// Whether unattended or attended runs are allowed (§3.1).
    pub fn runs_bots(&self) -> bool {
        self.0.contains("ATTENDEDRUNTIME") || self.0.contains("RUNTIME")
    }

    /// Whether bots run only in the session of a person who is there.
    pub fn is_attended(&self) -> bool {
        self.0.contains("ATTENDEDRUNTIME") && !self.0.contains("RUNTIME")
    }

    pub fn text(&self) -> String {
        self.0.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// *Pool*: groups robots and runners to keep resources apart (§3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    pub id: PoolId,
    pub name: String,
    pub description: Option<String>,
    pub active: bool,
    pub version: i64,
}

engine::words! {
    /// Why a runner is assigned to a robot, strongest first (§3.2, §4.1.1): `EsProgramado` and
    /// `Reservado` in one word.
    pub enum Hold {
        Scheduled = "PROGRAMADO",
        Reserved = "RESERVADO",
        Dynamic = "DINAMICO",
    }
}

/// *Asignación*: who may run where (§3.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub id: AssignmentId,
    pub robot: RobotId,
    pub runner: RunnerId,
    pub hold: Hold,
    /// The schedule behind a scheduled assignment.
    pub schedule: Option<ScheduleId>,
    pub assigned_at: Timestamp,
    pub assigned_by: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_a_set_of_features() {
        assert!(Licence::parse("RUNTIME, ANALYTICS").runs_bots());
        assert!(Licence::parse("attendedruntime").runs_bots());
        assert!(Licence::parse("ATTENDEDRUNTIME, ANALYTICS").is_attended());
        assert!(!Licence::parse("ATTENDEDRUNTIME, RUNTIME").is_attended());
        assert!(!Licence::parse("DEVELOPMENT").runs_bots());
        assert!(!Licence::parse("RUNTIMEX,").runs_bots());
        assert_eq!(Licence::parse(" runtime ;ANALYTICS").text(), "ANALYTICS, RUNTIME");
    }

    #[test]
    fn limits_clamp_between_least_and_most() {
        let limits = Limits { least: 2, most: Some(5) };
        assert_eq!([0, 3, 9].map(|n| limits.clamp(n)), [2, 3, 5]);
        assert_eq!(Limits { least: 1, most: None }.clamp(40), 40);
    }
}

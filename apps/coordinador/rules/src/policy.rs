//! What an operator may change, as typed values, and who may do what.

use engine::Roles;
use jiff::{SignedDuration, tz::TimeZone};

use crate::model::{JobType, RunId};

/// Everything the rules read that an operator may change (F-4).
#[derive(Debug, Clone)]
pub struct Policy {
    /// Whose full hours a quota jump lands on.
    pub zone: TimeZone,
    pub limits: Limits,
    pub quota: QuotaPolicy,
    pub spread: SpreadPolicy,
    /// A run that takes longer is cut off and the next one starts.
    pub stale: SignedDuration,
    pub probe: ProbePolicy,
    pub snmp: SnmpPolicy,
    pub inventory: InventoryPolicy,
    pub test_mode: TestMode,
    /// How long runs and events are kept.
    pub history: SignedDuration,
}

impl Policy {
    /// The defaults of every setting.
    pub fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            limits: Limits::default(),
            quota: QuotaPolicy::default(),
            spread: SpreadPolicy::default(),
            stale: SignedDuration::from_secs(300),
            probe: ProbePolicy::default(),
            snmp: SnmpPolicy::default(),
            inventory: InventoryPolicy::default(),
            test_mode: TestMode::Off,
            history: SignedDuration::from_hours(24 * 7),
        }
    }
}

/// *Límites*: how many may start and run (§3, R-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// *`MAX_EXECUTIONS_PER_MINUTE`*, in a clock minute and in any 60 seconds.
    pub per_minute: u32,
    /// The share of short nodes in it.
    pub short_per_minute: u32,
    pub discovery: u32,
    pub get: u32,
    pub total: u32,
    pub per_olt: u32,
    /// Nodes with a smaller interval are short.
    pub short: SignedDuration,
}

impl Limits {
    pub const fn of(&self, job: JobType) -> u32 {
        match job {
            JobType::Discovery => self.discovery,
            JobType::Get => self.get,
        }
    }

    /// *Óptimo* (§7): from half of what may start in a minute to five sixths, 3 to 5 of 6.
    pub fn optimum(&self) -> (u32, u32) {
        let most = u64::from(self.per_minute) * 5 / 6;
        ((self.per_minute / 2).max(1), u32::try_from(most).unwrap_or(u32::MAX).max(1))
    }

    pub fn is_short(&self, interval: crate::model::Interval) -> bool {
        interval.duration() < self.short
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_minute: 6,
            short_per_minute: 2,
            discovery: 10,
            get: 20,
            total: 30,
            per_olt: 1,
            short: SignedDuration::from_secs(300),
        }
    }
}

/// *Cuota* (§1, R-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    pub resume: Resume,
    /// A node whose quota frees itself within this waits in place instead of jumping: a start that
    /// was seconds late must not cost an hour of runs one hour later.
    pub wait_in_place: SignedDuration,
    /// After the full hour, jumps spread over this.
    pub spread: SignedDuration,
    pub warn_percent: u32,
    pub alert_percent: u32,
}

impl Default for QuotaPolicy {
    fn default() -> Self {
        Self {
            resume: Resume::NextFullHour,
            wait_in_place: SignedDuration::from_secs(180),
            spread: SignedDuration::from_secs(180),
            warn_percent: 80,
            alert_percent: 90,
        }
    }
}

engine::words! {
    /// *`quota_resume`*: where a node goes that used up its quota.
    #[derive(Default)]
    pub enum Resume {
        #[default]
        NextFullHour = "next_full_hour",
        /// As soon as the oldest counted start leaves the window.
        WindowSlide = "window_slide",
    }
}

/// *Redistribución* (§3, §4, R-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpreadPolicy {
    pub every: SignedDuration,
    /// A slot moves at most this far from its grid, either way.
    pub window: SignedDuration,
    /// Smaller moves are not worth it.
    pub significant: SignedDuration,
    /// Whoever is due sooner stays.
    pub settled: SignedDuration,
    /// How far ahead neighbours are counted.
    pub horizon: SignedDuration,
}

impl Default for SpreadPolicy {
    fn default() -> Self {
        Self {
            every: SignedDuration::from_secs(120),
            window: SignedDuration::from_secs(180),
            significant: SignedDuration::from_secs(30),
            settled: SignedDuration::from_secs(60),
            horizon: SignedDuration::from_mins(60),
        }
    }
}

/// How an OLT that does not answer is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePolicy {
    /// After the first failure, the second, and all that follow.
    pub delays: [SignedDuration; 3],
}

impl Default for ProbePolicy {
    fn default() -> Self {
        Self { delays: [15, 60, 300].map(SignedDuration::from_secs) }
    }
}

/// How devices are asked (F-3, F-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnmpPolicy {
    pub timeout: SignedDuration,
    pub discovery_retries: u32,
    pub get_retries: u32,
    pub repetitions: u32,
    /// Fewer are not asked for by GETBULK: then one by one.
    pub least_repetitions: u32,
    pub varbinds: u32,
    /// Requests on the way to one OLT.
    pub in_flight: u32,
    pub onu_retries: u32,
}

impl Default for SnmpPolicy {
    fn default() -> Self {
        Self {
            timeout: SignedDuration::from_secs(5),
            discovery_retries: 1,
            get_retries: 2,
            repetitions: 25,
            least_repetitions: 5,
            varbinds: 20,
            in_flight: 4,
            onu_retries: 2,
        }
    }
}

/// When a walk is believed (F-3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InventoryPolicy {
    /// Walks without an ONU before it is taken for gone.
    pub misses: u32,
    /// A walk that loses more of them is held.
    pub mass_loss_percent: u32,
}

impl Default for InventoryPolicy {
    fn default() -> Self {
        Self { misses: 1, mass_loss_percent: 30 }
    }
}

/// *Modo prueba*: runs without SNMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestMode {
    Off,
    On { duration: SignedDuration, success_percent: u32 },
}

impl TestMode {
    /// How a rehearsed run ends, spread over the numbers so that ten runs at 80 % hold eight good
    /// ones, and a test can foresee it.
    pub fn ends_well(self, run: RunId) -> bool {
        match self {
            Self::On { success_percent, .. } => {
                (run.0 * 37).rem_euclid(100) < i64::from(success_percent)
            }
            Self::Off => true,
        }
    }
}

engine::words! {
    /// What people are in Coordinador.
    pub enum Role {
        Admin = "ADMIN",
        /// *Operación*: OLTs, templates, nodes, runs.
        Operator = "OPERADOR",
        /// *Consulta*.
        Viewer = "CONSULTA",
    }
}

/// What a person may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Read,
    /// OLTs, templates, nodes, catalogue, formulas.
    Edit,
    /// Run now, pause, abort, enable, redistribute.
    Operate,
    ReadConfiguration,
    /// Limits, settings, test mode.
    Configure,
    ReadAudit,
}

impl Roles for Role {
    type Action = Action;
    const APP: &'static str = crate::NAME;

    /// The one table of permissions.
    fn can(self, action: Action) -> bool {
        match action {
            Action::Read => true,
            Action::Edit | Action::Operate | Action::ReadConfiguration | Action::ReadAudit => {
                self != Self::Viewer
            }
            Action::Configure => self == Self::Admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;

    /// One row per action: ADMIN, OPERADOR, CONSULTA.
    const TABLE: &[(Action, [bool; 3])] = &[
        (Action::Read, [true, true, true]),
        (Action::Edit, [true, true, false]),
        (Action::Operate, [true, true, false]),
        (Action::ReadConfiguration, [true, true, false]),
        (Action::Configure, [true, false, false]),
        (Action::ReadAudit, [true, true, false]),
    ];

    #[test]
    fn the_permission_table_is_complete_and_as_published() {
        assert_eq!(TABLE.len(), Action::ReadAudit as usize + 1);
        for (action, allowed) in TABLE {
            for (role, allowed) in Role::ALL.iter().zip(allowed) {
                assert_eq!(role.can(*action), *allowed, "{role:?} {action:?}");
            }
        }
    }
}

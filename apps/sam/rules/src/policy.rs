//! What an operator may change, as typed values, and who may do what.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Time, date},
    tz::TimeZone,
};

/// Everything the rules read that an operator may change.
#[derive(Debug, Clone)]
pub struct Policy {
    pub zone: TimeZone,
    pub pause: PauseWindow,
    /// How often the launcher looks, and how long a runner rests after a failed deploy.
    pub launch_every: SignedDuration,
    pub deploy_attempts: i64,
    pub deploy_delay: SignedDuration,
    /// How long an accepted run may take to begin.
    pub start_limit: SignedDuration,
    /// *`LANZADOR_ROBOT_REPETICIONES`*: sent to a robot without parameters of its own.
    pub repetitions: i64,
    pub offline_alert: i64,
    pub cooling: SignedDuration,
    pub isolation: Isolation,
    pub preemption: Preemption,
    pub misses_allowed: i64,
    pub age_limit: SignedDuration,
    pub demand_valid: Option<SignedDuration>,
    pub history: SignedDuration,
}

impl Policy {
    /// The defaults of every setting.
    pub fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            pause: PauseWindow::NEVER,
            launch_every: SignedDuration::from_secs(15),
            deploy_attempts: 2,
            deploy_delay: SignedDuration::from_secs(5),
            start_limit: SignedDuration::from_mins(15),
            repetitions: 3,
            offline_alert: 20,
            cooling: SignedDuration::from_secs(300),
            isolation: Isolation::Strict,
            preemption: Preemption::DownToMin,
            misses_allowed: 5,
            age_limit: SignedDuration::from_hours(24 * 30),
            demand_valid: None,
            history: SignedDuration::from_hours(24 * 180),
        }
    }
}

/// *Pausa operacional* (§4.2.2): `[from, to)` of every day, across midnight when it ends
/// before it begins; of no length when both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseWindow {
    pub from: Time,
    pub to: Time,
}

impl PauseWindow {
    pub const NEVER: Self = Self { from: Time::midnight(), to: Time::midnight() };

    /// When the pause that holds now ends.
    pub fn holds_until(self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let local = now.to_zoned(zone.clone());
        let (today, time) = (local.date(), local.time());
        let end = if self.from < self.to {
            (self.from <= time && time < self.to).then_some(today)?
        } else if self.to < self.from && time >= self.from {
            today.tomorrow().unwrap_or(date(9999, 12, 31))
        } else if self.to < self.from && time < self.to {
            today
        } else {
            return None;
        };
        let end = end.to_datetime(self.to).to_zoned(zone.clone()).ok()?;
        // In the hour that a clock set back repeats, the wall may show a time before the end again.
        Some(end.timestamp()).filter(|end| *end > now)
    }

    /// When the next pause begins.
    pub fn next(self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        if self.from == self.to {
            return None;
        }
        let today = now.to_zoned(zone.clone()).date();
        let begins = |day: jiff::civil::Date| {
            day.to_datetime(self.from).to_zoned(zone.clone()).ok().map(|at| at.timestamp())
        };
        begins(today).filter(|at| *at > now).or_else(|| begins(today.tomorrow().ok()?))
    }
}

/// *`BALANCEADOR_POOL_AISLAMIENTO_ESTRICTO`* (§4.3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    Strict,
    /// Idle runners of pools without tickets, and of no pool, are lent.
    Flexible,
}

/// *Preemption* (§4.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preemption {
    Off,
    /// A victim with tickets keeps its `MinEquipos`.
    DownToMin,
    /// A victim may lose them all.
    DownToNone,
}

/// *`CALLBACK_AUTH_MODE`* (§4.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallbackAuth {
    None,
    /// Either token.
    Optional,
    /// Both tokens.
    Required,
}

impl CallbackAuth {
    /// `strict` is the original's word for `required`.
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "optional" => Some(Self::Optional),
            "required" | "strict" => Some(Self::Required),
            _ => None,
        }
    }
}

engine::words! {
    /// The roles that people have in SAM.
    pub enum Role {
        Admin = "ADMIN",
        /// *Operación*: robots, runners, schedules, reservations.
        Operator = "OPERADOR",
        /// *Consulta*.
        Viewer = "CONSULTA",
        /// A machine that reports pending tickets.
        Provider = "PROVEEDOR",
    }
}

impl engine::Roles for Role {
    type Action = Action;
    const APP: &'static str = crate::NAME;

    fn can(self, action: Action) -> bool {
        can(self, action)
    }
}

/// What a person may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Read,
    /// Robots, runners, pools, schedules, calendars, mappings.
    Edit,
    /// Reserve and release runners, lift suspensions, unlock, sync.
    Operate,
    ReportTickets,
    ReadConfiguration,
    Configure,
    ReadAudit,
}

impl Action {
    pub const ALL: &'static [Self] = &[
        Self::Read,
        Self::Edit,
        Self::Operate,
        Self::ReportTickets,
        Self::ReadConfiguration,
        Self::Configure,
        Self::ReadAudit,
    ];
}

/// The one table of permissions.
pub const fn can(role: Role, action: Action) -> bool {
    match action {
        Action::Read => matches!(role, Role::Admin | Role::Operator | Role::Viewer),
        Action::Edit | Action::Operate | Action::ReadConfiguration | Action::ReadAudit => {
            matches!(role, Role::Admin | Role::Operator)
        }
        Action::ReportTickets => matches!(role, Role::Admin | Role::Operator | Role::Provider),
        Action::Configure => matches!(role, Role::Admin),
    }
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;

    /// One row per action: ADMIN, OPERADOR, CONSULTA, PROVEEDOR.
    const TABLE: &[(Action, [bool; 4])] = &[
        (Action::Read, [true, true, true, false]),
        (Action::Edit, [true, true, false, false]),
        (Action::Operate, [true, true, false, false]),
        (Action::ReportTickets, [true, true, false, true]),
        (Action::ReadConfiguration, [true, true, false, false]),
        (Action::Configure, [true, false, false, false]),
        (Action::ReadAudit, [true, true, false, false]),
    ];

    #[test]
    fn the_permission_table_is_complete_and_as_published() {
        assert_eq!(TABLE.len(), Action::ALL.len());
        for (action, allowed) in TABLE {
            for (role, allowed) in Role::ALL.iter().zip(allowed) {
                assert_eq!(can(*role, *action), *allowed, "{role:?} {action:?}");
            }
        }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn scenario_7_the_pause_holds_from_its_start_to_just_before_its_end() {
        let zone = TimeZone::UTC;
        let window = |from: &str, to: &str| PauseWindow {
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
        };
        let night = window("23:00", "05:00");
        for (time, paused) in [
            ("22:59:59", false),
            ("23:00:00", true),
            ("02:30:00", true),
            ("04:59:59", true),
            ("05:00:00", false),
        ] {
            let now = at(&format!("2026-03-02T{time}Z"));
            assert_eq!(night.holds_until(now, &zone).is_some(), paused, "{time}");
        }
        let ends = night.holds_until(at("2026-03-02T23:30:00Z"), &zone);
        assert_eq!(ends, Some(at("2026-03-03T05:00:00Z")));
        let short = window("21:00", "21:15");
        assert!(short.holds_until(at("2026-03-02T21:14:59Z"), &zone).is_some());
        assert!(short.holds_until(at("2026-03-02T21:15:00Z"), &zone).is_none());
        let none = window("10:00", "10:00");
        assert!(none.holds_until(at("2026-03-02T10:00:00Z"), &zone).is_none());
        assert_eq!(none.next(at("2026-03-02T10:00:00Z"), &zone), None);
        assert_eq!(short.next(at("2026-03-02T21:00:00Z"), &zone), Some(at("2026-03-03T21:00:00Z")));
    }
}

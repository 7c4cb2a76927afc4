//! What an operator may change, as typed values with their ranges, and who may do what.

use engine::Roles;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;

use crate::model::Role;

/// The values a whole-number setting accepts. Out of range is refused, never clamped: a typing
/// mistake must not become a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub least: i64,
    pub most: i64,
    pub default: i64,
}

impl Bounds {
    pub const fn accepts(self, value: i64) -> bool {
        self.least <= value && value <= self.most
    }
}

const fn bounds(least: i64, most: i64, default: i64) -> Bounds {
    Bounds { least, most, default }
}

/// The highest capacity an operator may set, itself a setting: shops differ by an order.
pub const CAPACITY_CEILING: Bounds = bounds(1, 200, 20);
pub const AGEING_MINUTES: Bounds = bounds(0, 240, 15);
pub const STALE_HOURS: Bounds = bounds(1, 48, 6);
pub const TICK_SECONDS: Bounds = bounds(5, 600, 30);
pub const REMINDER_MINUTES: Bounds = bounds(1, 120, 5);
pub const ESTIMATE_FLOOR: Bounds = bounds(1, 60, 10);
pub const BASE_MINUTES: Bounds = bounds(1, 180, 15);
pub const STAFF: Bounds = bounds(1, 50, 1);
const CAPACITY_DEFAULT: i64 = 8;

/// `MAX_PEDIDOS_EN_PREPARACION` under the ceiling in force.
pub const fn capacity_bounds(ceiling: u32) -> Bounds {
    bounds(1, ceiling as i64, CAPACITY_DEFAULT)
}

engine::words! {
    /// What one place of the kitchen is.
    pub enum Unit {
        /// Every order takes one place, large or small (the seed's rule).
        Orders = "pedidos",
        /// An order takes as many places as its effort points.
        Effort = "esfuerzo",
    }
}

impl Unit {
    /// Places an order of this effort takes: at least one, so that no order is free of charge.
    pub fn cost(self, effort: i64) -> u32 {
        match self {
            Self::Orders => 1,
            Self::Effort => u32::try_from(effort.max(1)).unwrap_or(u32::MAX),
        }
    }
}

engine::words! {
    /// *Política de prioridad*: who goes first.
    pub enum PriorityPolicy {
        /// Wanted now always goes before scheduled (the seed's rule).
        Strict = "estricta",
        /// A promise that has come due competes with what is wanted now.
        Promise = "promesa",
    }
}

/// Everything the rules read that an operator may change.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub capacity: u32,
    pub capacity_ceiling: u32,
    pub unit: Unit,
    pub priority: PriorityPolicy,
    /// Under `Promise`: how long a promise may pass over an order wanted now.
    pub ageing_minutes: i64,
    /// When a business day ends, local time.
    pub cutoff: Time,
    pub zone: TimeZone,
    pub stale_hours: i64,
    pub tick_seconds: i64,
    pub reminder_minutes: i64,
    pub estimate_floor: i64,
    /// `TIEMPO_BASE_PEDIDO_MINUTOS`: what the learned time is compared with.
    pub base_minutes: i64,
    /// People in the kitchen now; capacity rules may depend on it.
    pub staff: Option<u32>,
    /// `AUTO_MOVER_PEDIDOS`: false stops automatic entry for good; `Pause` stops it for a while.
    pub automation: bool,
    pub apply_learning: bool,
    pub apply_adaptive: bool,
}

impl Policy {
    /// The defaults of every setting, in the zone of the shop.
    pub fn new(zone: TimeZone) -> Self {
        Self {
            capacity: CAPACITY_DEFAULT as u32,
            capacity_ceiling: CAPACITY_CEILING.default as u32,
            unit: Unit::Orders,
            priority: PriorityPolicy::Strict,
            ageing_minutes: AGEING_MINUTES.default,
            cutoff: Time::constant(4, 0, 0, 0),
            zone,
            stale_hours: STALE_HOURS.default,
            tick_seconds: TICK_SECONDS.default,
            reminder_minutes: REMINDER_MINUTES.default,
            estimate_floor: ESTIMATE_FLOOR.default,
            base_minutes: BASE_MINUTES.default,
            staff: None,
            automation: true,
            apply_learning: false,
            apply_adaptive: false,
        }
    }

    /// What stops automatic entry at this instant: a pause in force, or the setting, which reads as
    /// a pause without an end that names its key.
    pub fn stopped(&self, pause: Option<Pause>, now: Timestamp) -> Option<Pause> {
        let standing = || Pause {
            reason: "AUTO_MOVER_PEDIDOS = false".to_owned(),
            until: None,
            by: "configuracion".to_owned(),
        };
        let in_force = pause.filter(|pause| pause.holds(now));
        if self.automation { in_force } else { Some(standing()) }
    }
}

/// Automatic entry stopped by a person, with the reason everyone sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub reason: String,
    /// When it ends by itself; none = until someone resumes.
    pub until: Option<Timestamp>,
    pub by: String,
}

impl Pause {
    /// The expiry instant itself is no longer paused.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// What a person may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    ReadOrders,
    WriteOrders,
    /// Call or price an article otherwise than the menu.
    SetPrices,
    /// Names, telephones and addresses; a kitchen screen does without.
    SeeCustomers,
    ChangeState,
    ForceState,
    /// Send an order in preparation back to the queue.
    RecallToQueue,
    /// Cancel food that is already prepared.
    CancelReady,
    /// Start a held order in a full kitchen.
    ExceedCapacity,
    ReadKitchen,
    BumpLines,
    ReadConfiguration,
    Configure,
    PauseAutomation,
    ReadAudit,
    ManageAudit,
}

impl Action {
    pub const ALL: &'static [Self] = &[
        Self::ReadOrders,
        Self::WriteOrders,
        Self::SetPrices,
        Self::SeeCustomers,
        Self::ChangeState,
        Self::ForceState,
        Self::RecallToQueue,
        Self::CancelReady,
        Self::ExceedCapacity,
        Self::ReadKitchen,
        Self::BumpLines,
        Self::ReadConfiguration,
        Self::Configure,
        Self::PauseAutomation,
        Self::ReadAudit,
        Self::ManageAudit,
    ];
}

impl Roles for Role {
    type Action = Action;
    const APP: &'static str = crate::NAME;

    /// The one table of permissions.
    fn can(self, action: Action) -> bool {
        match action {
            Action::ReadOrders | Action::ReadKitchen | Action::ChangeState => true,
            Action::WriteOrders | Action::SeeCustomers => match self {
                Role::Admin | Role::Manager | Role::Cashier => true,
                Role::Kitchen => false,
            },
            Action::BumpLines => match self {
                Role::Admin | Role::Manager | Role::Kitchen => true,
                Role::Cashier => false,
            },
            Action::ForceState
            | Action::SetPrices
            | Action::RecallToQueue
            | Action::CancelReady
            | Action::ExceedCapacity
            | Action::ReadConfiguration
            | Action::Configure
            | Action::PauseAutomation
            | Action::ReadAudit => match self {
                Role::Admin | Role::Manager => true,
                Role::Cashier | Role::Kitchen => false,
            },
            Action::ManageAudit => match self {
                Role::Admin => true,
                Role::Manager | Role::Cashier | Role::Kitchen => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;

    /// One row per action: ADMIN, GERENTE, CAJERO, COCINA.
    const TABLE: &[(Action, [bool; 4])] = &[
        (Action::ReadOrders, [true, true, true, true]),
        (Action::WriteOrders, [true, true, true, false]),
        (Action::SetPrices, [true, true, false, false]),
        (Action::SeeCustomers, [true, true, true, false]),
        (Action::ChangeState, [true, true, true, true]),
        (Action::ForceState, [true, true, false, false]),
        (Action::RecallToQueue, [true, true, false, false]),
        (Action::CancelReady, [true, true, false, false]),
        (Action::ExceedCapacity, [true, true, false, false]),
        (Action::ReadKitchen, [true, true, true, true]),
        (Action::BumpLines, [true, true, false, true]),
        (Action::ReadConfiguration, [true, true, false, false]),
        (Action::Configure, [true, true, false, false]),
        (Action::PauseAutomation, [true, true, false, false]),
        (Action::ReadAudit, [true, true, false, false]),
        (Action::ManageAudit, [true, false, false, false]),
    ];

    #[test]
    fn the_permission_table_is_complete_and_as_published() {
        assert_eq!(TABLE.len(), Action::ALL.len());
        for (action, allowed) in TABLE {
            assert!(Action::ALL.contains(action));
            for (role, allowed) in Role::ALL.iter().zip(allowed) {
                assert_eq!(role.can(*action), *allowed, "{role:?} {action:?}");
            }
        }
    }

    #[test]
    fn capacity_is_refused_outside_its_range() {
        let capacity = capacity_bounds(20);
        for refused in [0, 21, -3] {
            assert!(!capacity.accepts(refused), "{refused}");
        }
        assert!(capacity.accepts(1) && capacity.accepts(20));
    }

    #[test]
    fn every_default_lies_inside_its_own_bounds() {
        let all = [
            CAPACITY_CEILING,
            AGEING_MINUTES,
            STALE_HOURS,
            TICK_SECONDS,
            REMINDER_MINUTES,
            ESTIMATE_FLOOR,
            BASE_MINUTES,
            STAFF,
            capacity_bounds(CAPACITY_CEILING.default as u32),
        ];
        assert!(all.iter().all(|bounds| bounds.accepts(bounds.default)));
    }

    #[test]
    fn a_pause_ends_at_its_expiry() {
        let until: Timestamp = "2026-06-19T23:00:00Z".parse().unwrap();
        let pause = Pause { reason: "horno".into(), until: Some(until), by: "ana".into() };
        assert!(pause.holds("2026-06-19T22:59:59Z".parse().unwrap()));
        assert!(!pause.holds(until));
        assert!(Pause { until: None, ..pause }.holds(until));
    }

    #[test]
    fn the_setting_stops_automation_whatever_the_pause() {
        let now: Timestamp = "2026-06-19T23:00:00Z".parse().unwrap();
        let pause = Pause { reason: "horno".into(), until: Some(now), by: "ana".into() };
        let mut policy = Policy::new(TimeZone::UTC);
        assert_eq!(policy.stopped(Some(pause.clone()), now), None, "it has just ended");
        let lasting = Pause { until: None, ..pause };
        assert_eq!(policy.stopped(Some(lasting.clone()), now), Some(lasting.clone()));
        policy.automation = false;
        let stopped = policy.stopped(Some(lasting), now).unwrap();
        assert!(stopped.reason.contains("AUTO_MOVER_PEDIDOS"));
    }

    #[test]
    fn words_can_be_read_back() {
        assert!(Unit::ALL.iter().all(|u| Unit::from_word(u.word()) == Some(*u)));
        let policies = PriorityPolicy::ALL;
        assert!(policies.iter().all(|p| PriorityPolicy::from_word(p.word()) == Some(*p)));
    }

    #[test]
    fn an_order_always_costs_at_least_one_place() {
        assert_eq!(
            [Unit::Orders.cost(24), Unit::Effort.cost(24), Unit::Effort.cost(0)],
            [1, 24, 1]
        );
    }
}

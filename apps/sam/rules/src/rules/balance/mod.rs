//! *Balanceador*: which runners serve which robots on demand (§4.3, R-7).
//!
//! Each robot has a target from its tickets. Runners it does not need are released, and lent ones
//! come home to pools that need them; then robots are served by priority: free runners of their
//! pool, then borrowed ones, then runners taken from less important robots. A pool that changed rests; a demand that is not known changes nothing.

mod arithmetic;
mod floor;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenarios;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

pub use arithmetic::{Arithmetic, Taken};
use floor::Floor;

use super::world::{World, pool_number};
use crate::{
    model::{Hold, PoolId, Robot, RobotId, RunnerId},
    policy::{Isolation, Preemption},
};

/// What the balancer looks at beside the world.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub world: World,
    /// Robots without an entry have no tickets.
    pub demand: BTreeMap<RobotId, Demand>,
    /// When the balancer last changed a pool, by its number.
    pub changed: HashMap<i64, Timestamp>,
    /// Pools switched off: nothing of theirs moves.
    pub stopped: BTreeSet<PoolId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    Known(i64),
    /// A provider failed: nothing is released.
    Unknown,
}

/// One runner that changes hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub robot: RobotId,
    pub runner: RunnerId,
    pub motive: Motive,
}

engine::words! {
    /// Why a runner moves; the words of the original's *`AccionTomada`*.
    pub enum Motive {
        Demand = "ASIGNAR_DEMANDA_POOL",
        Loan = "ASIGNAR_DESBORDE_GLOBAL",
        /// Lent out, wanted back by its pool.
        Return = "ASIGNAR_DEVOLUCION",
        Preemption = "ASIGNAR_POR_PRIORIDAD",
        /// Released: more than the target.
        Surplus = "DESASIGNAR_EXCEDENTE_POOL",
        /// Released: inactive, not online, or without tickets.
        NotCandidate = "DESASIGNAR_ROBOT_NO_CANDIDATO",
        /// Released: the runner may not be balanced any more, or not across pools.
        NotEligible = "DESASIGNAR_EQUIPO_NO_ELEGIBLE",
        /// Released for a robot of the pool that owns the runner.
        Returned = "DESASIGNAR_DEVOLUCION",
        /// Released for a more important robot.
        Preempted = "DESALOJO_POR_PRIORIDAD_ESTRICTA",
    }
}

impl Motive {
    pub const fn assigns(self) -> bool {
        match self {
            Self::Demand | Self::Loan | Self::Return | Self::Preemption => true,
            Self::Surplus
            | Self::NotCandidate
            | Self::NotEligible
            | Self::Returned
            | Self::Preempted => false,
        }
    }
}

/// What the balancer wants, and the arithmetic for every robot it looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Balance {
    /// Releases come before the assignments that need them.
    pub moves: Vec<Move>,
    pub robots: Vec<Arithmetic>,
}

impl engine::Planned for Balance {
    type Change = Move;
    type Held = Arithmetic;

    fn changes(&self) -> &[Move] {
        &self.moves
    }

    /// What became of every robot, moved or not.
    fn held(&self) -> &[Arithmetic] {
        &self.robots
    }
}

pub fn plan(snapshot: &Snapshot, now: Timestamp) -> Balance {
    let mut floor = Floor::new(snapshot, now);
    let order = floor.by_priority();
    for robot in &order {
        floor.release_unneeded(*robot);
    }
    floor.call_back();
    for robot in &order {
        floor.take_free(*robot);
    }
    if snapshot.world.policy.isolation == Isolation::Flexible {
        for robot in &order {
            floor.borrow(*robot);
        }
    }
    if snapshot.world.policy.preemption != Preemption::Off {
        floor.preempt(&order);
    }
    floor.finish()
}

/// How many runners a robot should have (§4.3.3).
pub fn target(robot: &Robot, tickets: i64) -> i64 {
    if tickets <= 0 {
        return 0;
    }
    let per = robot.tickets_per_runner.max(1);
    robot.limits.clamp(tickets.div_euclid(per) + i64::from(tickets % per != 0))
}

/// When the pool may change again, if it rests now.
pub fn cooling(snapshot: &Snapshot, pool: Option<PoolId>, now: Timestamp) -> Option<Timestamp> {
    let changed = snapshot.changed.get(&pool_number(pool))?;
    let rest = snapshot.world.policy.cooling;
    let until = *changed + rest;
    // What lies further ahead than a rest is long was changed before the clock was set back.
    (now < until && *changed <= now + rest).then_some(until)
}

/// Assignments that the balancer counts as its own.
pub(crate) fn dynamic(world: &World) -> impl Iterator<Item = &crate::model::Assignment> {
    world.assignments.iter().filter(|one| one.hold == Hold::Dynamic)
}

//! Which schedules and second tries are due to start now.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{Launch, SlotKey, second};
use crate::{
    model::{Assignment, Hold, Pace, Robot, Runner, Schedule, ScheduleId},
    rules::{
        calendar::{self, Slot},
        world::World,
    },
};

/// The four kinds of claims in the order in which they are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    Slot,
    Cyclic,
    Reserved,
    Dynamic,
}

/// Somebody's wish to start on a runner now.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    pub assignment: &'a Assignment,
    pub robot: &'a Robot,
    pub runner: &'a Runner,
    pub schedule: Option<&'a Schedule>,
    /// The open slot or, for a cyclic schedule, its window.
    pub slot: Option<Slot>,
    pub rank: Rank,
}

/// Slots by schedule.
pub type Open = HashMap<ScheduleId, Vec<Slot>>;

/// The order of claims: class, *`PrioridadBalanceo`*, time, then ids.
pub type Rank = (Class, i64, Timestamp, i64, i64);

impl Claim<'_> {
    pub fn launch(&self) -> Launch {
        Launch {
            robot: self.assignment.robot,
            runner: self.assignment.runner,
            hold: self.assignment.hold,
            schedule: self.assignment.schedule,
            slot: self.key().map(|key| key.slot),
        }
    }

    /// The slot that a run of this claim would use up.
    pub fn key(&self) -> Option<SlotKey> {
        let schedule = self.schedule.filter(|one| matches!(one.pace, Pace::Single { .. }))?;
        let slot = self.slot?;
        Some(SlotKey { schedule: schedule.id, runner: self.assignment.runner, slot })
    }
}

/// Every claim there is now, whether or not it may be granted.
pub fn due(world: &World, now: Timestamp) -> Vec<Claim<'_>> {
    let open = open(world, now);
    world.assignments.iter().filter_map(|assignment| of(world, assignment, &open)).collect()
}

/// The claim of one assignment, if it is due.
pub fn of<'a>(world: &'a World, assignment: &'a Assignment, open: &Open) -> Option<Claim<'a>> {
    let robot = world.robots.get(&assignment.robot)?;
    let runner = world.runners.get(&assignment.runner)?;
    let (class, schedule, slot) = match assignment.hold {
        Hold::Reserved => (Class::Reserved, None, None),
        Hold::Dynamic => (Class::Dynamic, None, None),
        Hold::Scheduled => {
            let schedule = world.schedules.get(&assignment.schedule?)?;
            let slots = open.get(&schedule.id)?;
            match schedule.pace {
                Pace::Cyclic { .. } => (Class::Cyclic, Some(schedule), slots.first()),
                Pace::Single { .. } => {
                    let left = |slot: &&Slot| !world.used(schedule, runner.id, slot);
                    (Class::Slot, Some(schedule), Some(slots.iter().find(left)?))
                }
            }
        }
    };
    let time = slot.map_or(assignment.assigned_at, |slot| slot.start);
    let rank = (class, robot.priority, time, robot.id.0, assignment.id.0);
    Some(Claim { assignment, robot, runner, schedule, slot: slot.copied(), rank })
}

/// The slots open now, by schedule; schedules without one are absent.
pub fn open(world: &World, now: Timestamp) -> Open {
    let (zone, now) = (&world.policy.zone, second(now));
    let active = world.schedules.values().filter(|schedule| schedule.active);
    active
        .map(|one| (one.id, calendar::open(one, world.holidays(one), zone, now)))
        .filter(|(_, slots)| !slots.is_empty())
        .collect()
}

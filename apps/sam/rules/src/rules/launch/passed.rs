//! Slots that are over: none passes without a trace.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp, civil::Date};

use super::{Change, SlotKey, second};
use crate::{
    model::{Pace, RunState, ScheduleId},
    rules::{
        calendar::{self, Slot},
        reason::Reason,
        world::World,
    },
};

const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// Slots that closed since the last look and that nobody ran.
pub(super) fn missed(world: &World, now: Timestamp) -> Vec<Change> {
    let Some(after) = world.looked_at else { return Vec::new() };
    let zone = &world.policy.zone;
    let mut closed: HashMap<ScheduleId, Vec<Slot>> = HashMap::new();
    let mut missed = Vec::new();
    for assignment in &world.assignments {
        let Some(schedule) = assignment.schedule.and_then(|id| world.schedules.get(&id)) else {
            continue;
        };
        if !schedule.active || matches!(schedule.pace, Pace::Cyclic { .. }) {
            continue;
        }
        let slots = closed.entry(schedule.id).or_insert_with(|| {
            let holidays = world.holidays(schedule);
            calendar::closed(schedule, holidays, zone, second(after), second(now))
        });
        for slot in slots.iter().filter(|slot| slot.until >= assignment.assigned_at) {
            let key = (schedule.id, assignment.runner, slot.date);
            let noted = world.slots.get(&key);
            if !world.used(schedule, assignment.runner, slot)
                && !noted.is_some_and(|note| note.missed)
            {
                let slot = SlotKey { schedule: key.0, runner: key.1, slot: *slot };
                missed.push(Change::Miss { slot, reason: Reason::NotLooking });
            }
        }
    }
    missed.extend(withdrawn(world, now));
    missed
}

/// Slots that closed while their run is still on its way. Should it be taken back, the launcher
/// will have looked past the slot's end: this note is what it finds then.
pub(super) fn unconfirmed(world: &World, now: Timestamp) -> Vec<Change> {
    let pending = world.live.values().filter(|run| run.state == RunState::Pending);
    let mut waiting: Vec<_> = pending
        .filter_map(|run| {
            let (schedule, date) = (run.schedule?, run.slot?);
            let slot = over(world, schedule, date, now)?;
            let reason = Reason::Unconfirmed { run: run.id };
            let known = world.slots.get(&(schedule, run.runner, date));
            let news = known.is_none_or(|note| note.code != reason.code());
            let key = SlotKey { schedule, runner: run.runner, slot };
            news.then_some((key, reason))
        })
        .collect();
    waiting.sort_by_key(|(key, _)| (key.schedule, key.runner));
    waiting.into_iter().map(|(slot, reason)| Change::Wait { slot, reason }).collect()
}

/// Slots whose run was taken back after they had closed.
fn withdrawn(world: &World, now: Timestamp) -> Vec<Change> {
    let noted = world.slots.iter().filter(|(key, note)| {
        !note.missed && note.code == Reason::UNCONFIRMED && !world.taken.contains(key)
    });
    let mut missed: Vec<_> = noted
        .filter_map(|((schedule, runner, date), _)| {
            let slot = over(world, *schedule, *date, now)?;
            Some(SlotKey { schedule: *schedule, runner: *runner, slot })
        })
        .collect();
    missed.sort_by_key(|key| (key.schedule, key.runner, key.slot.date));
    let reason = |slot| Change::Miss { slot, reason: Reason::NotLooking };
    missed.into_iter().map(reason).collect()
}

/// When the slots that wait, and those of runs on their way, will have closed: they are looked at
/// then.
pub(super) fn ends(world: &World, changes: &[Change]) -> Vec<Timestamp> {
    let noted = world.slots.iter().filter(|(_, note)| !note.missed).map(|(key, _)| (key.0, key.2));
    let pending = world.live.values().filter(|run| run.state == RunState::Pending);
    let known = noted.chain(pending.filter_map(|run| Some((run.schedule?, run.slot?))));
    let known = known.filter_map(|(schedule, date)| {
        let schedule = world.schedules.get(&schedule).filter(|one| one.active)?;
        calendar::slot(schedule, &world.policy.zone, date)
    });
    let new = changes.iter().filter_map(|change| match change {
        Change::Wait { slot, .. } => Some(slot.slot),
        _ => None,
    });
    let launched = changes.iter().filter_map(|change| match change {
        Change::Launch(launch) => launch.slot,
        _ => None,
    });
    known.chain(new).chain(launched).map(|slot| second(slot.until) + SECOND).collect()
}

/// That slot, if it has closed.
fn over(world: &World, schedule: ScheduleId, date: Date, now: Timestamp) -> Option<Slot> {
    let schedule = world.schedules.get(&schedule).filter(|schedule| schedule.active)?;
    let slot = calendar::slot(schedule, &world.policy.zone, date)?;
    (slot.until < second(now)).then_some(slot)
}

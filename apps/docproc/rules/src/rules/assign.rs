//! *Asignación* (§8.1): which operator is given which question, and when it is taken back.
//!
//! An operator is offered work who is active, in shift, has the skill and has not let a task lapse
//! since anything was last heard of them. Those heard of lately go first, then the least loaded,
//! then whoever has waited longest for one. A task whose operator is not heard of for the house's
//! time limit lapses and is offered to somebody else.

use std::collections::HashMap;

use engine::Plan;
use jiff::{SignedDuration, Timestamp, civil::DateTime};

use super::shift::{Shift, at_work};

#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub operators: Vec<Operator>,
    /// Every task that is open.
    pub tasks: Vec<Task>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    pub username: String,
    pub skills: Vec<String>,
    pub shifts: Vec<Shift>,
    pub active: bool,
    /// Heartbeat, claim, submit: whatever they did last.
    pub seen_at: Option<Timestamp>,
    /// When they last let a task lapse.
    pub lapsed_at: Option<Timestamp>,
    pub given_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub id: String,
    pub required: Vec<String>,
    pub priority: i64,
    pub deadline: Timestamp,
    pub created: Timestamp,
    pub holder: Holder,
    /// Who gave it back or let it lapse: they are not offered it again, but may take it.
    pub declined: Vec<String>,
}

/// Who has a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Holder {
    Nobody {
        /// Put off until then.
        until: Option<Timestamp>,
    },
    With {
        operator: String,
        /// Given, taken up, or a heartbeat about this very task.
        heard: Timestamp,
    },
}

/// How this house does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct House {
    /// How long an operator may be silent.
    pub task_timeout: SignedDuration,
    /// Tasks an operator has at most by being offered them.
    pub each: usize,
    /// Whether to offer at all, or only to take back what lapsed.
    pub offering: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Taken back from somebody who fell silent.
    Lapse {
        task: String,
        operator: String,
    },
    Offer {
        task: String,
        operator: String,
    },
}

/// Why a task waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    With {
        task: String,
        operator: String,
        until: Timestamp,
    },
    Postponed {
        task: String,
        until: Timestamp,
    },
    /// Nobody who is registered can do it.
    NoSkill {
        task: String,
        required: Vec<String>,
    },
    /// Those who can are inactive, out of shift or silent.
    Away {
        task: String,
        able: usize,
    },
    /// Those who are there have as many as they should.
    Busy {
        task: String,
        there: usize,
        each: usize,
    },
    /// Those who are there gave it back.
    Declined {
        task: String,
        by: Vec<String>,
    },
}

impl Held {
    pub fn task(&self) -> &str {
        match self {
            Self::With { task, .. }
            | Self::Postponed { task, .. }
            | Self::NoSkill { task, .. }
            | Self::Away { task, .. }
            | Self::Busy { task, .. }
            | Self::Declined { task, .. } => task,
        }
    }
}

/// The key of a team's queue, as workflows write it: `task.hipotecas`.
pub fn team_key(queue: &str) -> String {
    if queue.starts_with(TEAM) { queue.to_owned() } else { format!("{TEAM}{queue}") }
}

const TEAM: &str = "task.";

/// The skill that a queue asks for, if it is a team's and not one of everybody's.
pub fn team_skill(queue: &str) -> Option<String> {
    let key = team_key(queue);
    (!queue.is_empty() && !KINDS.contains(&&key[TEAM.len()..])).then_some(key)
}

/// Whether these skills are enough. What a team is asked is for the team, and for whoever is in it;
/// else the first one required is the kind of task; the others narrow it, and concern only
/// operators who name specialities of their own.
pub fn can_do(skills: &[String], required: &[String]) -> bool {
    let has = |skill: &String| skills.contains(skill);
    if let Some(team) = required.iter().find(|one| one.starts_with(TEAM)) {
        return has(team) || skills.iter().any(|one| *one == team[TEAM.len()..]);
    }
    let Some((kind, narrower)) = required.split_first() else { return true };
    let generalist = skills.iter().all(|skill| KINDS.contains(&skill.as_str()));
    has(kind) && (generalist || narrower.iter().all(has))
}

/// The kinds of task; any other skill is a speciality.
pub const KINDS: [&str; 2] = ["classification", "extraction"];

/// How likely an operator is to be there, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Presence {
    /// Heard of within the time limit of a task.
    Here,
    /// In shift and not heard of: assumed until they let a task lapse.
    Assumed,
    /// Let a task lapse, and nothing was heard since.
    Silent,
}

impl Operator {
    pub fn presence(&self, now: Timestamp, task_timeout: SignedDuration) -> Presence {
        let fresh = |seen: Timestamp| now.duration_since(seen) < task_timeout;
        let silent = self.lapsed_at.is_some_and(|lapsed| self.seen_at.is_none_or(|s| s <= lapsed));
        match self.seen_at {
            _ if silent => Presence::Silent,
            Some(seen) if fresh(seen) => Presence::Here,
            Some(_) | None => Presence::Assumed,
        }
    }
}

/// When a task lapses unless its operator is heard of.
pub fn lapses_at(
    snapshot: &Snapshot,
    task: &Task,
    task_timeout: SignedDuration,
) -> Option<Timestamp> {
    let Holder::With { operator, heard } = &task.holder else { return None };
    let known = snapshot.operators.iter().find(|one| one.username == *operator);
    let seen = known.and_then(|one| one.seen_at);
    let heard = seen.map_or(*heard, |seen| seen.max(*heard));
    heard.checked_add(task_timeout).ok()
}

/// What to take back and what to offer. Idempotent. `local` is `now` on the wall of the house.
pub fn plan(
    snapshot: &Snapshot,
    house: House,
    now: Timestamp,
    local: DateTime,
) -> Plan<Change, Held> {
    let (snapshot, loads) = (snapshot.clone(), Vec::new());
    let mut assignment = Assignment { snapshot, loads, house, now, local, plan: Plan::new() };
    assignment.take_back();
    assignment.count();
    assignment.offer();
    assignment.plan
}

struct Assignment {
    snapshot: Snapshot,
    /// How many tasks each operator has.
    loads: Vec<usize>,
    house: House,
    now: Timestamp,
    local: DateTime,
    plan: Plan<Change, Held>,
}

impl Assignment {
    fn take_back(&mut self) {
        for n in 0..self.snapshot.tasks.len() {
            let task = &self.snapshot.tasks[n];
            let Holder::With { operator, .. } = task.holder.clone() else { continue };
            let id = task.id.clone();
            match lapses_at(&self.snapshot, task, self.house.task_timeout) {
                Some(until) if until > self.now => {
                    self.plan.held.push(Held::With { task: id, operator, until });
                }
                Some(_) | None => {
                    let task = &mut self.snapshot.tasks[n];
                    task.holder = Holder::Nobody { until: None };
                    task.declined.push(operator.clone());
                    let silent = self.snapshot.operators.iter_mut();
                    for one in silent.filter(|one| one.username == operator) {
                        one.lapsed_at = Some(self.now);
                    }
                    self.plan.changes.push(Change::Lapse { task: id, operator });
                }
            }
        }
    }

    fn count(&mut self) {
        let mut held: HashMap<&str, usize> = HashMap::new();
        for task in &self.snapshot.tasks {
            if let Holder::With { operator, .. } = &task.holder {
                *held.entry(operator).or_default() += 1;
            }
        }
        let of = |one: &Operator| held.get(one.username.as_str()).copied().unwrap_or_default();
        self.loads = self.snapshot.operators.iter().map(of).collect();
    }

    /// Most urgent first.
    fn offer(&mut self) {
        let tasks = &self.snapshot.tasks;
        let waits = |n: &usize| matches!(tasks[*n].holder, Holder::Nobody { .. });
        let mut waiting: Vec<usize> = (0..tasks.len()).filter(waits).collect();
        waiting.sort_by_key(|n| {
            let task = &tasks[*n];
            (task.priority, task.deadline, task.created, task.id.clone())
        });
        for n in waiting {
            match self.choose(n) {
                Ok(chosen) => self.give(n, chosen),
                Err(held) => self.plan.held.push(held),
            }
        }
    }

    fn choose(&self, n: usize) -> Result<usize, Held> {
        let task = &self.snapshot.tasks[n];
        let id = || task.id.clone();
        if let Holder::Nobody { until: Some(until) } = task.holder
            && until > self.now
        {
            return Err(Held::Postponed { task: id(), until });
        }
        let operators = &self.snapshot.operators;
        let able: Vec<usize> = (0..operators.len())
            .filter(|one| can_do(&operators[*one].skills, &task.required))
            .collect();
        if able.is_empty() {
            return Err(Held::NoSkill { task: id(), required: task.required.clone() });
        }
        let there: Vec<usize> =
            able.iter().copied().filter(|one| self.house.offering && self.is_there(*one)).collect();
        if there.is_empty() {
            return Err(Held::Away { task: id(), able: able.len() });
        }
        let willing: Vec<usize> = there
            .iter()
            .copied()
            .filter(|one| !task.declined.contains(&operators[*one].username))
            .collect();
        if willing.is_empty() {
            return Err(Held::Declined { task: id(), by: task.declined.clone() });
        }
        let free = willing.into_iter().filter(|one| self.loads[*one] < self.house.each);
        free.min_by_key(|one| {
            let operator = &operators[*one];
            let presence = operator.presence(self.now, self.house.task_timeout);
            (presence, self.loads[*one], operator.given_at, operator.username.clone())
        })
        .ok_or_else(|| Held::Busy {
            task: id(),
            there: there.len(),
            each: self.house.each,
        })
    }

    fn is_there(&self, one: usize) -> bool {
        let operator = &self.snapshot.operators[one];
        operator.active
            && at_work(&operator.shifts, self.local)
            && operator.presence(self.now, self.house.task_timeout) != Presence::Silent
    }

    fn give(&mut self, n: usize, chosen: usize) {
        let operator = self.snapshot.operators[chosen].username.clone();
        self.snapshot.operators[chosen].given_at = Some(self.now);
        self.loads[chosen] += 1;
        let task = &mut self.snapshot.tasks[n];
        task.holder = Holder::With { operator: operator.clone(), heard: self.now };
        self.plan.changes.push(Change::Offer { task: task.id.clone(), operator });
    }
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;

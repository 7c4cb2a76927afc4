//! The state that launcher, balancer and why look at, as one read of the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{Timestamp, civil::Date};

use crate::{
    model::{
        Assignment, Calendar, CalendarId, Hold, PoolId, Robot, RobotId, Run, RunId, RunState,
        Runner, RunnerId, Schedule, ScheduleId,
    },
    policy::Policy,
    rules::calendar::Slot,
};

#[derive(Debug, Clone)]
pub struct World {
    pub policy: Policy,
    pub robots: BTreeMap<RobotId, Robot>,
    pub runners: BTreeMap<RunnerId, Runner>,
    pub schedules: BTreeMap<ScheduleId, Schedule>,
    pub calendars: BTreeMap<CalendarId, Calendar>,
    pub assignments: Vec<Assignment>,
    /// At most one per runner.
    pub live: HashMap<RunnerId, Run>,
    /// Slots that an accepted or pending run stands for, as far back as a window reaches.
    pub taken: HashSet<(ScheduleId, RunnerId, Date)>,
    /// Slots whose run failed and that are tried again.
    pub retries: HashMap<(ScheduleId, RunnerId, Date), Retrying>,
    /// What ran well: robot, runner and the start of the slot (§4.1.5). Nothing is launched for it
    /// again, whichever schedule asks.
    pub done: HashSet<(RobotId, RunnerId, Timestamp)>,
    /// Pools switched off: nothing starts in them.
    pub stopped: HashSet<PoolId>,
    /// When the last run of a pair ended, for pairs with a cyclic schedule.
    pub ended: HashMap<(RobotId, RunnerId), Timestamp>,
    pub suspensions: HashMap<Suspended, Suspension>,
    pub circuit: Circuit,
    /// Slots known to wait or to be missed, with the code of the reason.
    pub slots: HashMap<(ScheduleId, RunnerId, Date), SlotNote>,
    /// When the launcher last looked: slots that closed since are judged now.
    pub looked_at: Option<Timestamp>,
}

impl World {
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            robots: BTreeMap::new(),
            runners: BTreeMap::new(),
            schedules: BTreeMap::new(),
            calendars: BTreeMap::new(),
            assignments: Vec::new(),
            live: HashMap::new(),
            taken: HashSet::new(),
            retries: HashMap::new(),
            done: HashSet::new(),
            stopped: HashSet::new(),
            ended: HashMap::new(),
            suspensions: HashMap::new(),
            circuit: Circuit::default(),
            slots: HashMap::new(),
            looked_at: None,
        }
    }

    pub fn holidays(&self, schedule: &Schedule) -> Option<&Calendar> {
        self.calendars.get(&schedule.calendar?)
    }

    /// Whether a slot has had its run, or the same robot ran well on that runner for that hour.
    pub fn used(&self, schedule: &Schedule, runner: RunnerId, slot: &Slot) -> bool {
        self.taken.contains(&(schedule.id, runner, slot.date))
            || self.done.contains(&(schedule.robot, runner, slot.start))
    }

    /// What is suspended for this pair now: the robot, the runner, or the two together.
    pub fn suspended(
        &self,
        robot: RobotId,
        runner: RunnerId,
        now: Timestamp,
    ) -> impl Iterator<Item = (Suspended, &Suspension)> {
        [Suspended::Robot(robot), Suspended::Runner(runner), Suspended::Pair(robot, runner)]
            .into_iter()
            .filter_map(|what| Some((what, self.suspensions.get(&what)?)))
            .filter(move |(_, suspension)| now < suspension.until)
    }

    /// Runners with a scheduled or reserved assignment: the balancer leaves them alone.
    pub fn fixed(&self) -> HashSet<RunnerId> {
        let fixed = self.assignments.iter().filter(|one| one.hold != Hold::Dynamic);
        fixed.map(|one| one.runner).collect()
    }
}

/// A slot between two tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retrying {
    /// The one that failed last.
    pub run: RunId,
    pub state: RunState,
    pub at: Timestamp,
}

/// The subject of a suspension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suspended {
    Robot(RobotId),
    Runner(RunnerId),
    Pair(RobotId, RunnerId),
}

/// What an error stopped for a while; the operator's settings stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspension {
    pub code: String,
    pub detail: String,
    /// In a row.
    pub failures: i64,
    pub since: Timestamp,
    /// When it is tried again.
    pub until: Timestamp,
}

/// The Control Room as launches see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Circuit {
    /// Whether an address and credentials are set.
    pub configured: bool,
    /// Failures in a row.
    pub failures: i64,
    pub opened: Option<Opened>,
}

/// The circuit breaker is open: nothing is deployed until `until`, then one run is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub code: String,
    pub detail: String,
    pub at: Timestamp,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotNote {
    pub code: String,
    pub missed: bool,
}

/// The pool of something, with a number for "none".
pub fn pool_number(pool: Option<PoolId>) -> i64 {
    pool.map_or(0, |pool| pool.0)
}

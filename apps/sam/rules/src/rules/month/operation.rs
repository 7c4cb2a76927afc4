//! The clock of the month: what happens next happens, then the launcher looks if it has to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp, civil::Date};

use engine::Chance;

use super::{Figures, checks, farm};
use crate::{
    model::{RobotId, RunId, RunnerId, ScheduleId},
    rules::{
        balance::{self, Demand, Motive, Snapshot},
        launch::{self, Change},
        world::World,
    },
};

/// As far back as the store loads the slots that are used up.
const REACH: SignedDuration = SignedDuration::from_hours(72);
const BALANCE_EVERY: SignedDuration = SignedDuration::from_secs(60);

pub(super) type SlotId = (ScheduleId, RunnerId, Date);

#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Balance,
    People,
    NewDay,
    Deploy(RunnerId, RunId),
    LookUp(RunnerId, RunId),
    Lose(RunnerId, RunId),
    Recover(RunnerId, RunId),
    End(RunnerId, RunId),
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) snapshot: Snapshot,
    pub(super) chance: Chance,
    pub(super) now: Timestamp,
    agenda: BTreeMap<(Timestamp, u64), Event>,
    serial: u64,
    last_run: i64,
    /// When time alone asks for a look.
    look_at: Option<Timestamp>,
    /// Something changed that may let somebody start.
    pub(super) woken: bool,
    pub(super) figures: Figures,
    /// Slots with a run that the Control Room accepted; never forgotten.
    pub(super) accepted: HashSet<SlotId>,
    claimed: HashMap<SlotId, Timestamp>,
    /// When pools last changed, kept apart from what the planner is told.
    moved: HashMap<i64, Timestamp>,
    /// The Control Room is down, a provider fails: until when.
    pub(super) down: Timestamp,
    failing: [Timestamp; 3],
    pub(super) away: HashMap<RunnerId, Timestamp>,
}

impl Operation {
    pub(super) fn new(mut world: World, seed: u64, now: Timestamp) -> Self {
        world.looked_at = Some(now);
        let snapshot = Snapshot {
            world,
            demand: BTreeMap::new(),
            changed: HashMap::new(),
            stopped: BTreeSet::new(),
        };
        let mut operation = Self {
            snapshot,
            chance: Chance::new(seed),
            now,
            agenda: BTreeMap::new(),
            serial: 0,
            last_run: 0,
            look_at: None,
            woken: true,
            figures: Figures::default(),
            accepted: HashSet::new(),
            claimed: HashMap::new(),
            moved: HashMap::new(),
            down: now,
            failing: [now; 3],
            away: HashMap::new(),
        };
        for (event, seconds) in [(Event::Balance, 7), (Event::People, 1_800), (Event::NewDay, 60)] {
            operation.in_seconds(seconds, event);
        }
        operation
    }

    pub(super) fn at(&mut self, at: Timestamp, event: Event) {
        self.serial += 1;
        self.agenda.insert((at, self.serial), event);
    }

    pub(super) fn in_seconds(&mut self, seconds: i64, event: Event) {
        self.at(self.now + SignedDuration::from_secs(seconds), event);
    }

    pub(super) fn run_until(&mut self, end: Timestamp) {
        loop {
            if self.woken || self.look_at.is_some_and(|at| at <= self.now) {
                self.look();
            }
            let event = self.agenda.first_key_value().map(|((at, _), _)| *at);
            let Some(next) = [event, self.look_at].into_iter().flatten().min() else { return };
            if next > end {
                return;
            }
            assert!(next >= self.now, "time goes on");
            self.now = next;
            while let Some(entry) = self.agenda.first_entry().filter(|one| one.key().0 <= next) {
                let event = entry.remove();
                self.happen(event);
            }
        }
    }

    /// As the launcher's tick does it.
    fn look(&mut self) {
        self.woken = false;
        self.figures.looks += 1;
        let (world, now) = (&mut self.snapshot.world, self.now);
        let plan = launch::plan(world, now);
        self.look_at = launch::next(world, &plan, now);
        if plan.is_settled() {
            checks::held(world, &plan, now);
            world.launched(&plan.changes, &mut self.last_run, now);
            return;
        }
        self.figures.launch_plans += 1;
        checks::launches(world, &plan, now);
        let first = self.last_run;
        world.launched(&plan.changes, &mut self.last_run, now);
        let again = launch::plan(world, now);
        assert!(again.is_settled(), "{:?} after {:?}", again.changes, plan.changes);
        checks::held(world, &again, now);
        let mut run = first;
        for change in plan.changes {
            match change {
                Change::Free { .. } => self.figures.given_up += 1,
                Change::Wait { .. } | Change::Overdue { .. } => {}
                Change::Miss { .. } => self.figures.missed += 1,
                Change::Launch(launch) => {
                    run += 1;
                    self.figures.launches += 1;
                    if let (Some(schedule), Some(slot)) = (launch.schedule, launch.slot) {
                        let key = (schedule, launch.runner, slot.date);
                        assert!(!self.accepted.contains(&key), "{key:?} ran already");
                        self.claimed.insert(key, now);
                        self.figures.slots += 1;
                    }
                    let seconds = self.chance.between(1, 4);
                    self.in_seconds(seconds, Event::Deploy(launch.runner, RunId(run)));
                }
            }
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Balance => {
                self.balance();
                self.at(self.now + BALANCE_EVERY, event);
            }
            Event::People => {
                self.act();
                let seconds = self.chance.between(600, 9_000);
                self.in_seconds(seconds, event);
            }
            Event::NewDay => {
                let since = self.now - REACH;
                let claimed = &self.claimed;
                self.snapshot.world.taken.retain(|key| claimed[key] >= since);
                self.in_seconds(86_400, event);
            }
            Event::Deploy(runner, run) => self.deploy(runner, run),
            Event::LookUp(runner, run) => self.look_up(runner, run),
            Event::Lose(runner, run) => self.lose(runner, run),
            Event::Recover(runner, run) => self.recover(runner, run),
            Event::End(runner, run) => self.end(runner, run),
        }
    }

    /// As the balancer's tick does it.
    fn balance(&mut self) {
        self.figures.balances += 1;
        self.sample();
        let plan = balance::plan(&self.snapshot, self.now);
        if plan.moves.is_empty() {
            return;
        }
        self.figures.balance_plans += 1;
        self.figures.moves += plan.moves.len() as u64;
        for one in &plan.moves {
            self.figures.preempted += u64::from(one.motive == Motive::Preempted);
            self.figures.lent += u64::from(one.motive == Motive::Loan);
            self.figures.returned += u64::from(one.motive == Motive::Return);
        }
        let before = self.snapshot.clone();
        self.snapshot.moved(&plan, self.now);
        checks::moves(&before, &plan, &self.snapshot, &mut self.moved, self.now);
        self.woken = true;
    }

    /// Tickets follow the hours of the day; each of three providers fails now and then.
    fn sample(&mut self) {
        let zoned = self.now.to_zoned(self.snapshot.world.policy.zone.clone());
        let hour = i64::from(zoned.hour());
        for provider in 0..3 {
            if self.now >= self.failing[provider] && self.chance.below(1_000) < 1 {
                let minutes = self.chance.between(2, 40);
                self.failing[provider] = self.now + SignedDuration::from_mins(minutes);
            }
        }
        // Everybody asks every time; what they have to say changes more slowly.
        let slow = self.now.as_second() / 900;
        for id in 1..=farm::ONLINE {
            let mut own = Chance::new((slow * 64 + id) as u64);
            let demand = if self.now < self.failing[(id % 3) as usize] {
                Some(Demand::Unknown)
            } else {
                let rush = 12 - (hour - 8 - id % 9).abs();
                let quiet = rush <= 0 || own.below(1_000) < 150;
                let tickets = if quiet { 0 } else { rush * own.between(0, 6) };
                (own.below(1_000) >= 50).then_some(Demand::Known(tickets))
            };
            match demand {
                Some(demand) => drop(self.snapshot.demand.insert(RobotId(id), demand)),
                None => drop(self.snapshot.demand.remove(&RobotId(id))),
            }
        }
    }

    pub(super) fn finish(mut self, since: Timestamp) -> Figures {
        self.look();
        checks::traces(&self.snapshot.world, &self.accepted, since, self.now);
        self.figures
    }
}

//! The fleet, and what the dispatcher sees of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use engine::Chance;
use jiff::{Timestamp, tz::TimeZone};

use super::{Figures, checks::Ledger, course::Event};
use crate::{
    model::{After, Backoff, Cadence, JobType, NodeId, OltId, Priority, RunId, Switch},
    policy::Policy,
    rules::{
        chain::{Ended, Member},
        due,
        quota::minute_of,
        samples::{ABLE, every, secs},
        spread::Placed,
        world::{Able, Due, Running, Site, Started, Waiting, World},
    },
};

/// So many masters of an interval, each with so many members.
pub(super) struct Kind {
    pub(super) count: i64,
    pub(super) seconds: i64,
    pub(super) members: i64,
}

#[derive(Debug)]
pub(super) struct Master {
    pub(super) node: NodeId,
    pub(super) olt: OltId,
    pub(super) job: JobType,
    pub(super) priority: Priority,
    pub(super) switch: Switch,
    pub(super) cadence: Cadence,
    pub(super) next: Timestamp,
    pub(super) recent: Vec<Timestamp>,
    pub(super) members: Vec<Member>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub(super) enabled: bool,
    pub(super) dead: bool,
    pub(super) backoff: Option<Backoff>,
}

/// A chain under way: its master, how that ended, who had a run.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) master: usize,
    pub(super) ended: Ended,
    pub(super) done: Vec<NodeId>,
}

#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) policy: Policy,
    pub(super) masters: Vec<Master>,
    pub(super) machines: Vec<Machine>,
    pub(super) running: Vec<Running>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) starts: VecDeque<Started>,
    pub(super) sessions: HashMap<RunId, Session>,
    /// Masters by their next run.
    queue: BTreeSet<(Timestamp, usize)>,
    loads: BTreeMap<i64, u32>,
    pub(super) agenda: BTreeMap<(Timestamp, u64), Event>,
    pub(super) serial: u64,
    pub(super) last_run: i64,
    pub(super) now: Timestamp,
    pub(super) look_at: Option<Timestamp>,
    pub(super) woken: bool,
    pub(super) chance: Chance,
    pub(super) people: bool,
    pub(super) figures: Figures,
    pub(super) ledger: Ledger,
}

impl Fleet {
    pub(super) fn open(kinds: &[Kind], seed: u64, now: Timestamp, people: bool) -> Self {
        let mut fleet = Self {
            policy: Policy::new(TimeZone::UTC),
            masters: Vec::new(),
            machines: Vec::new(),
            running: Vec::new(),
            waiting: Vec::new(),
            starts: VecDeque::new(),
            sessions: HashMap::new(),
            queue: BTreeSet::new(),
            loads: BTreeMap::new(),
            agenda: BTreeMap::new(),
            serial: 0,
            last_run: 0,
            now,
            look_at: None,
            woken: true,
            chance: Chance::new(seed),
            people,
            figures: Figures::default(),
            ledger: Ledger::default(),
        };
        for kind in kinds {
            for _ in 0..kind.count {
                fleet.hire(kind);
            }
        }
        let machine = Machine { enabled: true, dead: false, backoff: None };
        fleet.machines = vec![machine; fleet.masters.len().div_ceil(3).max(1)];
        for master in 0..fleet.masters.len() {
            // On their own when nobody disturbs.
            let olts = if people { fleet.machines.len() } else { usize::MAX };
            fleet.masters[master].olt = OltId((master % olts) as i64);
        }
        if !people {
            fleet.machines = vec![machine; fleet.masters.len()];
        }
        fleet.in_seconds(0, Event::Spread);
        if people {
            fleet.in_seconds(300, Event::People);
        }
        fleet
    }

    /// First runs come in bunches, as those of real fleets do.
    fn hire(&mut self, kind: &Kind) {
        let at = self.masters.len();
        let node = NodeId(at as i64 + 1);
        let bunch = self.chance.between(1, 4) * kind.seconds.min(43_200) / 4;
        let (cadence, next) =
            due::first(every(kind.seconds), self.now + secs(bunch / 60 * 60 + 30));
        let after =
            |number: i64| if number == 0 { After::Success } else { After::SuccessOrFailure };
        let members = (0..kind.members).map(|number| Member {
            node: NodeId(10_000 * (number + 1) + node.0),
            priority: Priority::BEST,
            after: after(number),
        });
        let discovers = self.chance.percent(30.0);
        self.masters.push(Master {
            node,
            olt: OltId(0),
            job: if discovers { JobType::Discovery } else { JobType::Get },
            priority: Priority::new(self.chance.between(1, 5)).expect("it is from 1 to 5"),
            switch: Switch::On,
            cadence,
            next,
            recent: Vec::new(),
            members: members.collect(),
        });
        self.queue.insert((next, at));
        *self.loads.entry(minute_of(next)).or_default() += 1;
    }

    pub(super) fn plan_next(&mut self, master: usize, next: Timestamp) {
        let old = std::mem::replace(&mut self.masters[master].next, next);
        assert!(self.queue.remove(&(old, master)), "nobody is lost");
        self.queue.insert((next, master));
        *self.loads.entry(minute_of(next)).or_default() += 1;
        let load = self.loads.entry(minute_of(old)).or_default();
        *load -= 1;
        if *load == 0 {
            self.loads.remove(&minute_of(old));
        }
    }

    pub(super) fn master_of(&self, node: NodeId) -> Option<usize> {
        let at = usize::try_from(node.0 - 1).ok()?;
        (at < self.masters.len()).then_some(at)
    }

    pub(super) fn world(&self) -> World {
        let mut world = World::new(self.policy.clone());
        let until = (self.now, usize::MAX);
        for (_, at) in self.queue.range(..=until) {
            let master = &self.masters[*at];
            if master.switch == Switch::On && self.machines[master.olt.0 as usize].enabled {
                world.due.push(self.due(master));
            }
        }
        for (olt, machine) in self.machines.iter().enumerate() {
            let site =
                Site { enabled: machine.enabled, workflow_active: true, backoff: machine.backoff };
            world.olts.insert(OltId(olt as i64), site);
        }
        world.waiting.clone_from(&self.waiting);
        world.running.clone_from(&self.running);
        world.starts = self.starts.iter().copied().collect();
        let (from, to) = (minute_of(self.now), minute_of(self.now) + 120);
        world.loads = self.loads.range(from..to).map(|(minute, load)| (*minute, *load)).collect();
        world.upcoming = self.queue.range((self.now, usize::MAX)..).next().map(|(at, _)| *at);
        world
    }

    fn due(&self, master: &Master) -> Due {
        let since = self.now - secs(3600);
        Due {
            node: master.node,
            olt: master.olt,
            job: master.job,
            priority: master.priority,
            able: Able { switch: master.switch, ..ABLE },
            cadence: master.cadence,
            next_run_at: Some(master.next),
            recent: master.recent.iter().copied().filter(|start| *start > since).collect(),
            told: true,
        }
    }

    pub(super) fn placed(&self) -> Vec<Placed> {
        let since = self.now - secs(3600);
        let live = |node: NodeId| self.running.iter().filter(move |run| run.node == node);
        let on = |master: &&Master| {
            master.switch == Switch::On && self.machines[master.olt.0 as usize].enabled
        };
        let masters = self.masters.iter().filter(on);
        masters
            .map(|master| Placed {
                node: master.node,
                olt: master.olt,
                job: master.job,
                priority: master.priority,
                cadence: master.cadence,
                next_run_at: master.next,
                overflow: false,
                recent: (master.recent.iter().copied())
                    .chain(live(master.node).map(|run| run.started_at))
                    .filter(|start| *start > since)
                    .collect(),
            })
            .collect()
    }

    pub(super) fn starts_of(&self, node: NodeId) -> &[Timestamp] {
        self.ledger.starts_of(node)
    }
}

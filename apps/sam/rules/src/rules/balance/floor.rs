//! Who holds which runner while a balance is worked out.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use jiff::Timestamp;

use super::{Arithmetic, Balance, Demand, Motive, Move, Snapshot, cooling, dynamic, target};
use crate::{
    model::{Hold, PoolId, Robot, RobotId, Runner, RunnerId},
    policy::{Isolation, Preemption},
};

pub(super) struct Floor<'a> {
    snapshot: &'a Snapshot,
    /// Pools in which nothing changes now.
    resting: HashSet<Option<PoolId>>,
    /// Pools all of whose robots are known to have no tickets.
    idle_pools: HashSet<Option<PoolId>>,
    /// Runners the balancer may use.
    eligible: HashSet<RunnerId>,
    /// Free runners by pool, the best first.
    free: BTreeMap<Option<PoolId>, BTreeSet<Preference>>,
    held: HashMap<RobotId, BTreeSet<RunnerId>>,
    reserved: HashMap<RobotId, i64>,
    members: HashMap<Option<PoolId>, Vec<RobotId>>,
    /// Runners of a pool that serve robots of others.
    lent: BTreeMap<Option<PoolId>, BTreeSet<(RobotId, RunnerId)>>,
    /// Runners that came home in this plan, and who gave them back.
    returned: HashMap<RunnerId, RobotId>,
    moves: Vec<Move>,
    sums: BTreeMap<RobotId, Arithmetic>,
}

impl<'a> Floor<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, now: Timestamp) -> Self {
        let world = &snapshot.world;
        let fixed = world.fixed();
        let eligible = |runner: &&Runner| {
            runner.active
                && runner.dynamic
                && runner.licence.runs_bots()
                && !fixed.contains(&runner.id)
        };
        let eligible: HashSet<_> =
            world.runners.values().filter(eligible).map(|runner| runner.id).collect();
        let mut members: HashMap<Option<PoolId>, Vec<RobotId>> = HashMap::new();
        for robot in world.robots.values() {
            members.entry(robot.pool).or_default().push(robot.id);
        }
        let pools = world.robots.values().map(|robot| robot.pool);
        let pools: HashSet<_> =
            pools.chain(world.runners.values().map(|runner| runner.pool)).collect();
        let resting = |pool: &Option<PoolId>| {
            pool.is_some_and(|pool| snapshot.stopped.contains(&pool))
                || cooling(snapshot, *pool, now).is_some()
        };
        let mut floor = Self {
            snapshot,
            resting: pools.iter().copied().filter(resting).collect(),
            idle_pools: HashSet::new(),
            eligible,
            free: BTreeMap::new(),
            held: HashMap::new(),
            reserved: HashMap::new(),
            members,
            lent: BTreeMap::new(),
            returned: HashMap::new(),
            moves: Vec::new(),
            sums: BTreeMap::new(),
        };
        floor.seat();
        floor.idle_pools = pools.into_iter().filter(|pool| floor.is_idle(*pool)).collect();
        floor
    }

    /// Puts everybody where they are now.
    fn seat(&mut self) {
        let world = &self.snapshot.world;
        let mut taken = HashSet::new();
        for one in dynamic(world) {
            let (Some(robot), Some(runner)) =
                (world.robots.get(&one.robot), world.runners.get(&one.runner))
            else {
                continue;
            };
            taken.insert(runner.id);
            self.held.entry(robot.id).or_default().insert(runner.id);
            if robot.pool != runner.pool {
                self.lent.entry(runner.pool).or_default().insert((robot.id, runner.id));
            }
        }
        for one in world.assignments.iter().filter(|one| one.hold == Hold::Reserved) {
            *self.reserved.entry(one.robot).or_default() += 1;
        }
        let free = world.runners.values().filter(|one| self.eligible.contains(&one.id));
        for runner in free.filter(|one| !taken.contains(&one.id)) {
            let free = self.free.entry(runner.pool).or_default();
            free.insert(preference(self.snapshot, runner.id));
        }
    }

    /// Robots whose runners may change, the most important first.
    pub(super) fn by_priority(&mut self) -> Vec<RobotId> {
        let world = &self.snapshot.world;
        let concerned =
            |robot: &&Robot| (robot.active && robot.online) || self.held.contains_key(&robot.id);
        let mut order: Vec<_> = world.robots.values().filter(concerned).collect();
        order.sort_by_key(|robot| (robot.priority, robot.id));
        for robot in &order {
            let held = self.count(robot.id);
            let reserved = self.reserved.get(&robot.id).copied().unwrap_or(0);
            let sum = Arithmetic {
                robot: robot.id,
                pool: robot.pool,
                tickets: self.tickets(robot.id),
                per: robot.tickets_per_runner.max(1),
                least: robot.limits.least,
                most: robot.limits.most,
                target: self.target(robot),
                reserved,
                before: held,
                after: held,
                resting: self.resting.contains(&robot.pool),
                ..Arithmetic::default()
            };
            self.sums.insert(robot.id, sum);
        }
        order.into_iter().map(|robot| robot.id).collect()
    }

    pub(super) fn release_unneeded(&mut self, robot: RobotId) {
        let sum = self.sum(robot);
        if sum.tickets.is_none() || sum.resting || sum.before == 0 {
            return;
        }
        let (pool, target) = (sum.pool, sum.target);
        let strict = self.snapshot.world.policy.isolation == Isolation::Strict;
        for runner in self.held.get(&robot).cloned().unwrap_or_default() {
            let lent = self.pool_of(runner) != pool;
            if !self.eligible.contains(&runner) || (strict && lent) {
                self.release(robot, runner, Motive::NotEligible);
            }
        }
        let motive = if target == 0 { Motive::NotCandidate } else { Motive::Surplus };
        let mut surplus = -self.deficit(robot);
        if surplus <= 0 {
            return;
        }
        for runner in self.worst_first(robot) {
            if surplus <= 0 {
                break;
            }
            surplus -= i64::from(self.release(robot, runner, motive));
        }
    }

    pub(super) fn take_free(&mut self, robot: RobotId) {
        let pool = self.sum(robot).pool;
        self.take_from(robot, pool, Motive::Demand);
    }

    /// Runners that others borrowed come home to pools whose free ones do not suffice. Whoever
    /// gives one back may fall short in turn: it goes on until everybody's need is known, before
    /// anybody is served by priority.
    pub(super) fn call_back(&mut self) {
        let owners: Vec<_> = self.lent.keys().copied().collect();
        let mut moved = true;
        while moved {
            moved = false;
            for pool in &owners {
                moved |= self.call_back_to(*pool);
            }
        }
    }

    fn call_back_to(&mut self, pool: Option<PoolId>) -> bool {
        let short = self.shortage(pool);
        if short <= 0 || self.resting.contains(&pool) {
            return false;
        }
        let mut lent: Vec<_> = self.lent.get(&pool).into_iter().flatten().copied().collect();
        lent.retain(|(holder, runner)| {
            self.tickets(*holder).is_some() && self.eligible.contains(runner)
        });
        lent.sort_by_cached_key(|(holder, runner)| {
            (Reverse(self.priority(*holder)), preference(self.snapshot, *runner))
        });
        let mut back = 0;
        for (holder, runner) in lent {
            if back < short && self.release(holder, runner, Motive::Returned) {
                self.returned.insert(runner, holder);
                back += 1;
            }
        }
        back > 0
    }

    /// Runners that a pool's robots need beyond its free ones.
    fn shortage(&self, pool: Option<PoolId>) -> i64 {
        let members = self.members.get(&pool).into_iter().flatten();
        let concerned = members.filter(|robot| self.sums.contains_key(robot));
        let wanted: i64 = concerned.map(|robot| self.deficit(*robot).max(0)).sum();
        wanted - self.free.get(&pool).map_or(0, BTreeSet::len) as i64
    }

    /// Idle runners of no pool, then of pools without tickets.
    pub(super) fn borrow(&mut self, robot: RobotId) {
        if self.deficit(robot) <= 0 {
            return;
        }
        let own = self.sum(robot).pool;
        let lenders: Vec<_> = self.free.keys().copied().filter(|pool| *pool != own).collect();
        for pool in lenders {
            if pool.is_none() || self.idle_pools.contains(&pool) {
                self.take_from(robot, pool, Motive::Loan);
            }
        }
    }

    /// Runners of less important robots of the same pool, the least important first. Whoever has
    /// nothing left to give to one has nothing for those who come after it either.
    pub(super) fn preempt(&mut self, order: &[RobotId]) {
        let mut victims: HashMap<Option<PoolId>, Vec<Victim>> = HashMap::new();
        for robot in order {
            let pool = self.sum(*robot).pool;
            if self.deficit(*robot) <= 0 || self.resting.contains(&pool) {
                continue;
            }
            let stack = victims.entry(pool).or_insert_with(|| self.victims(pool));
            while let Some(victim) = stack.last_mut() {
                if self.deficit(*robot) <= 0 || self.priority(victim.robot) <= self.priority(*robot)
                {
                    break;
                }
                let spare = self.count(victim.robot) > self.keeps(victim.robot);
                let Some(runner) = victim.runners.next().filter(|_| spare) else {
                    stack.pop();
                    continue;
                };
                let from = victim.robot;
                if self.may_move(runner, *robot) && self.release(from, runner, Motive::Preempted) {
                    self.assign(*robot, runner, Motive::Preemption, Some(from));
                }
            }
        }
    }

    /// Robots of a pool that could give something up, the least important last.
    fn victims(&self, pool: Option<PoolId>) -> Vec<Victim> {
        let mut robots: Vec<_> = self.members.get(&pool).into_iter().flatten().copied().collect();
        robots.retain(|robot| self.count(*robot) > 0 && self.tickets(*robot).is_some());
        robots.sort_by_cached_key(|robot| (self.priority(*robot), *robot));
        let victim = |robot| Victim { robot, runners: self.worst_first(robot).into_iter() };
        robots.into_iter().map(victim).collect()
    }

    pub(super) fn finish(mut self) -> Balance {
        self.forget_detours();
        Balance { moves: self.moves, robots: self.sums.into_values().collect() }
    }

    /// A surplus runner may come back to its robot after others were called home from it: then it
    /// never moved.
    fn forget_detours(&mut self) {
        let pair = |one: &Move| (one.robot, one.runner);
        let released = self.moves.iter().filter(|one| one.motive == Motive::Surplus);
        let released: HashSet<_> = released.map(pair).collect();
        let back = |one: &&Move| one.motive.assigns() && released.contains(&pair(one));
        let detours: HashMap<_, _> =
            self.moves.iter().filter(back).map(|one| (pair(one), one.motive)).collect();
        if detours.is_empty() {
            return;
        }
        self.moves.retain(|one| !detours.contains_key(&pair(one)));
        for ((robot, _), motive) in detours {
            if let Some(sum) = self.sums.get_mut(&robot) {
                sum.released -= 1;
                sum.free -= i64::from(motive == Motive::Demand);
                sum.lent -= i64::from(motive == Motive::Loan);
            }
        }
    }

    fn take_from(&mut self, robot: RobotId, pool: Option<PoolId>, motive: Motive) {
        if self.resting.contains(&pool) || self.sum(robot).resting {
            return;
        }
        while self.deficit(robot) > 0 {
            let free = self.free.get_mut(&pool).and_then(BTreeSet::pop_first);
            let Some((.., runner)) = free else { return };
            match self.returned.remove(&runner) {
                Some(from) => self.assign(robot, runner, Motive::Return, Some(from)),
                None => self.assign(robot, runner, motive, None),
            }
        }
    }

    fn assign(&mut self, robot: RobotId, runner: RunnerId, motive: Motive, from: Option<RobotId>) {
        let pool = self.pool_of(runner);
        if let Some(free) = self.free.get_mut(&pool) {
            free.remove(&preference(self.snapshot, runner));
        }
        let own = self.sum(robot).pool;
        if pool != own {
            self.lent.entry(pool).or_default().insert((robot, runner));
        }
        self.held.entry(robot).or_default().insert(runner);
        self.moves.push(Move { robot, runner, motive });
        let robots = &self.snapshot.world.robots;
        let source = from.and_then(|id| robots.get(&id));
        if let Some(sum) = self.sums.get_mut(&robot) {
            sum.gained(motive, source);
        }
        if let (Some(from), Some(to)) = (from, robots.get(&robot))
            && let Some(sum) = self.sums.get_mut(&from)
        {
            sum.lost(to);
        }
    }

    /// False when a pool concerned rests.
    fn release(&mut self, robot: RobotId, runner: RunnerId, motive: Motive) -> bool {
        let (own, pool) = (self.sum(robot).pool, self.pool_of(runner));
        if self.resting.contains(&own) || self.resting.contains(&pool) {
            return false;
        }
        if let Some(held) = self.held.get_mut(&robot) {
            held.remove(&runner);
        }
        if let Some(lent) = self.lent.get_mut(&pool) {
            lent.remove(&(robot, runner));
        }
        if self.eligible.contains(&runner) {
            self.free.entry(pool).or_default().insert(preference(self.snapshot, runner));
        }
        self.moves.push(Move { robot, runner, motive });
        if let Some(sum) = self.sums.get_mut(&robot) {
            sum.after -= 1;
            sum.released += i64::from(matches!(
                motive,
                Motive::Surplus | Motive::NotCandidate | Motive::NotEligible
            ));
        }
        true
    }

    /// Whether this runner may go to this robot: its own pool, or lent as borrowing would.
    fn may_move(&self, runner: RunnerId, robot: RobotId) -> bool {
        let (pool, own) = (self.pool_of(runner), self.sum(robot).pool);
        let flexible = self.snapshot.world.policy.isolation == Isolation::Flexible;
        let legal =
            pool == own || (flexible && (pool.is_none() || self.idle_pools.contains(&pool)));
        legal
            && self.eligible.contains(&runner)
            && !self.resting.contains(&pool)
            && !self.resting.contains(&own)
    }

    fn is_idle(&self, pool: Option<PoolId>) -> bool {
        let members = self.members.get(&pool).into_iter().flatten();
        let world = &self.snapshot.world;
        members
            .filter_map(|id| world.robots.get(id))
            .filter(|robot| robot.active && robot.online)
            .all(|robot| self.tickets(robot.id) == Some(0))
    }

    /// None: not known.
    fn tickets(&self, robot: RobotId) -> Option<i64> {
        match self.snapshot.demand.get(&robot) {
            None => Some(0),
            Some(Demand::Known(tickets)) => Some((*tickets).max(0)),
            Some(Demand::Unknown) => None,
        }
    }

    fn target(&self, robot: &Robot) -> i64 {
        let reserved = self.reserved.get(&robot.id).copied().unwrap_or(0);
        match self.tickets(robot.id) {
            None => self.count(robot.id) + reserved,
            Some(_) if !(robot.active && robot.online) => 0,
            Some(tickets) => target(robot, tickets),
        }
    }

    /// Dynamic runners that the target leaves to the balancer, less those it has by now.
    fn deficit(&self, robot: RobotId) -> i64 {
        let sum = self.sum(robot);
        (sum.target - sum.reserved).max(0) - sum.after
    }

    /// Dynamic runners that preemption leaves a victim.
    fn keeps(&self, victim: RobotId) -> i64 {
        let sum = self.sum(victim);
        match self.snapshot.world.policy.preemption {
            Preemption::DownToMin if sum.target > 0 => (sum.least - sum.reserved).max(0),
            Preemption::DownToMin | Preemption::DownToNone | Preemption::Off => 0,
        }
    }

    /// A robot's runners in the order in which it gives them up: lent ones, then idle ones.
    fn worst_first(&self, robot: RobotId) -> Vec<RunnerId> {
        let own = self.sum(robot).pool;
        let mut runners: Vec<_> = self.held.get(&robot).into_iter().flatten().copied().collect();
        runners.sort_by_cached_key(|id| {
            let busy = self.snapshot.world.live.contains_key(id);
            (self.pool_of(*id) == own, busy, Reverse(*id))
        });
        runners
    }

    fn sum(&self, robot: RobotId) -> &Arithmetic {
        self.sums.get(&robot).expect("every robot with runners or demand has its sum")
    }

    fn count(&self, robot: RobotId) -> i64 {
        self.held.get(&robot).map_or(0, BTreeSet::len) as i64
    }

    fn priority(&self, robot: RobotId) -> i64 {
        self.snapshot.world.robots.get(&robot).map_or(i64::MAX, |robot| robot.priority)
    }

    fn pool_of(&self, runner: RunnerId) -> Option<PoolId> {
        self.snapshot.world.runners.get(&runner).and_then(|runner| runner.pool)
    }
}

/// A robot that may lose runners, and those it has left to lose.
struct Victim {
    robot: RobotId,
    runners: std::vec::IntoIter<RunnerId>,
}

/// Better runners first: idle, not known to be disconnected, then by id.
type Preference = (bool, bool, RunnerId);

fn preference(snapshot: &Snapshot, runner: RunnerId) -> Preference {
    let busy = snapshot.world.live.contains_key(&runner);
    let known = snapshot.world.runners.get(&runner);
    let away = known.is_some_and(|runner| runner.connected == Some(false));
    (busy, away, runner)
}

//! What operators do in the course of a month.

use super::{
    farm::{ONLINE, POOLS, RUNNERS, is_left_alone},
    operation::Operation,
};
use crate::{
    model::{Hold, Licence, PoolId, RobotId, RunnerId},
    policy::{Isolation, PauseWindow, Preemption},
    rules::{calendar::samples::time, samples::pool},
};

impl Operation {
    pub(super) fn act(&mut self) {
        self.figures.acts += 1;
        self.woken = true;
        let runner = RunnerId(self.chance.between(1, RUNNERS));
        let robot = RobotId(self.chance.between(1, 50));
        let act = self.chance.below(20);
        let some = self.chance.below(64);
        let world = &mut self.snapshot.world;
        let machine = world.runners.get_mut(&runner).expect("all runners exist");
        match act {
            // Maintenance ends more easily than it begins.
            0..4 => machine.active = !machine.active || some < 40,
            4 => {
                let text = if some < 16 { "DEVELOPMENT" } else { "RUNTIME, ANALYTICS" };
                machine.licence = Licence::parse(text);
            }
            5 => machine.pool = pool(some as i64 % (POOLS + 1)),
            6..8 => {
                let robot = world.robots.get_mut(&robot).expect("all robots exist");
                robot.active = !robot.active || some < 32;
            }
            8 => {
                let robot = world.robots.get_mut(&robot).expect("all robots exist");
                robot.priority = some as i64;
            }
            9..11 => self.reserve(RobotId(some as i64 % ONLINE + 1), runner),
            11..13 => self.free_one(some),
            13 => {
                let stopped = &mut self.snapshot.stopped;
                let one = PoolId(some as i64 % POOLS + 1);
                if !stopped.remove(&one) && some < 24 {
                    stopped.insert(one);
                }
            }
            14..16 => {
                world.policy.isolation =
                    if some < 16 { Isolation::Strict } else { Isolation::Flexible };
            }
            16 => {
                let all = [Preemption::DownToMin, Preemption::DownToNone, Preemption::Off];
                world.policy.preemption = all[some % 3];
            }
            17 => {
                let all = [("23:00", "05:00"), ("21:00", "21:15"), ("10:00", "10:00")];
                let (from, to) = all[some % 3];
                world.policy.pause = PauseWindow { from: time(from), to: time(to) };
            }
            18 => {
                let touched = world.schedules.values_mut().filter(|one| !is_left_alone(one));
                let touched: Vec<_> = touched.collect();
                let count = touched.len();
                if let Some(schedule) = touched.into_iter().nth(some % count) {
                    schedule.active = !schedule.active;
                }
            }
            _ => drop(self.snapshot.world.ended(runner, self.now)),
        }
    }

    /// By hand, as the desk does it: what the balancer had assigned is taken back.
    fn reserve(&mut self, robot: RobotId, runner: RunnerId) {
        let world = &mut self.snapshot.world;
        let mut rows = world.assignments.iter();
        let reserved = rows.any(|one| one.runner == runner && one.hold == Hold::Reserved);
        if !reserved && runner.0 > 10 {
            world.assignments.retain(|one| one.runner != runner || one.hold != Hold::Dynamic);
            world.assign(robot, runner, Hold::Reserved, None, self.now);
        }
    }

    fn free_one(&mut self, some: usize) {
        let world = &mut self.snapshot.world;
        let rows = world.assignments.iter().filter(|one| one.hold == Hold::Reserved);
        let reserved: Vec<_> = rows.map(|one| one.id).collect();
        if let Some(id) = reserved.get(some % reserved.len().max(1)) {
            world.assignments.retain(|one| one.id != *id);
        }
    }
}

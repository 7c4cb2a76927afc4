//! The Control Room of the month: accepts, fails, loses track, and calls back.

use engine::Word as _;
use jiff::{SignedDuration, Timestamp};

use super::operation::{Event, Operation};
use crate::{
    model::{Run, RunId, RunState, RunnerId},
    rules::{
        deploy::{self, Cause, Fault, Tried, Verdict},
        world::Suspended,
    },
};

impl Operation {
    fn live(&mut self, runner: RunnerId, id: RunId) -> Option<&mut Run> {
        self.snapshot.world.live.get_mut(&runner).filter(|run| run.id == id)
    }

    fn pending(&mut self, runner: RunnerId, id: RunId) -> Option<&mut Run> {
        self.live(runner, id).filter(|run| run.state == RunState::Pending)
    }

    pub(super) fn deploy(&mut self, runner: RunnerId, id: RunId) {
        let now = self.now;
        let Some(run) = self.pending(runner, id) else { return };
        run.attempts += 1;
        run.posted_at = Some(now);
        match self.fault(runner) {
            Some(fault) => self.failed(runner, id, &fault),
            None => self.accept(runner, id),
        }
    }

    /// How this deploy goes wrong, if it does.
    fn fault(&mut self, runner: RunnerId) -> Option<Fault> {
        if self.now >= self.down && self.chance.below(1_000) < 2 {
            let minutes = self.chance.between(1, 45);
            self.down = self.now + SignedDuration::from_mins(minutes);
        }
        if self.chance.below(1_000) < 4 {
            let minutes = self.chance.between(1, 60);
            self.away.insert(runner, self.now + SignedDuration::from_mins(minutes));
        }
        let fault = |cause, in_doubt| {
            Some(Fault { cause, detail: "prueba".to_owned(), in_doubt, retry_after: None })
        };
        if self.now < self.down {
            return match self.chance.below(4) {
                0 => fault(Cause::Server, false),
                1 => fault(Cause::NoAnswer, true),
                _ => fault(Cause::Unreachable, false),
            };
        }
        if self.away.get(&runner).is_some_and(|until| self.now < *until) {
            return fault(Cause::DeviceUnavailable, false);
        }
        match self.chance.below(2_000) {
            0..4 => fault(Cause::NoCompatibleTargets, false),
            4..8 => fault(Cause::NoDefaultDevice, false),
            8..20 => fault(Cause::Rejected, false),
            20..26 => fault(Cause::Conflict, false),
            26..30 => fault(Cause::TooMany, false),
            30..33 => fault(Cause::Unauthorized, false),
            33..45 | 55..58 => fault(Cause::NoAnswer, true),
            45..55 => fault(Cause::Server, true),
            _ => None,
        }
    }

    fn accept(&mut self, runner: RunnerId, id: RunId) {
        let Some(run) = self.pending(runner, id) else { return };
        run.state = RunState::Deployed;
        run.posted_at = None;
        let (robot, schedule, slot) = (run.robot, run.schedule, run.slot);
        if let (Some(schedule), Some(slot)) = (schedule, slot) {
            let key = (schedule, runner, slot);
            assert!(self.accepted.insert(key), "{key:?} was accepted twice");
        }
        self.figures.accepted += 1;
        let world = &mut self.snapshot.world;
        for what in
            [Suspended::Robot(robot), Suspended::Runner(runner), Suspended::Pair(robot, runner)]
        {
            world.suspensions.remove(&what);
        }
        if world.circuit.failures > 0 || world.circuit.opened.is_some() {
            world.circuit = deploy::answered(&world.circuit);
            self.woken = true;
        }
        let seconds = self.chance.between(600, 9_000);
        if self.chance.below(1_000) < 30 {
            self.in_seconds(seconds, Event::Lose(runner, id));
        } else {
            self.in_seconds(seconds, Event::End(runner, id));
        }
    }

    fn failed(&mut self, runner: RunnerId, id: RunId, fault: &Fault) {
        let now = self.now;
        let Some(run) = self.pending(runner, id) else { return };
        let (robot, attempts) = (run.robot, run.attempts);
        let world = &mut self.snapshot.world;
        let tried = Tried {
            robot,
            runner,
            attempts,
            policy: world.policy.clone(),
            circuit: world.circuit.clone(),
            accepted_at: None,
            known: world.suspensions.clone(),
        };
        let consequence = deploy::plan(Some(&tried), fault, now).changes.remove(0);
        world.circuit = consequence.circuit;
        if let Some(cause) = consequence.lift {
            world.suspensions.retain(|_, one| one.code != cause.word());
        }
        world.suspensions.extend(consequence.suspend);
        match consequence.verdict {
            Verdict::Again { at } => {
                if let Some(run) = self.pending(runner, id) {
                    run.posted_at = None;
                }
                self.at(at, Event::Deploy(runner, id));
            }
            Verdict::Doubt => self.in_seconds(2, Event::LookUp(runner, id)),
            Verdict::Withdraw => self.withdraw(runner),
            Verdict::Fail => {
                self.snapshot.world.refused(runner, now);
                self.figures.refused += 1;
            }
        }
        self.woken = true;
    }

    fn withdraw(&mut self, runner: RunnerId) {
        self.snapshot.world.withdrawn(runner);
        self.figures.withdrawn += 1;
        self.woken = true;
    }

    /// Looks for a run in doubt: it is found, not found yet, or given up.
    pub(super) fn look_up(&mut self, runner: RunnerId, id: RunId) {
        let (down, found) = (self.now < self.down, self.chance.below(1_000) < 400);
        let patience = self.snapshot.world.policy.misses_allowed;
        let Some(run) = self.pending(runner, id) else { return };
        if down {
            return self.in_seconds(16, Event::LookUp(runner, id));
        }
        if found {
            return self.accept(runner, id);
        }
        run.misses += 1;
        let misses = run.misses;
        if misses >= patience {
            return self.withdraw(runner);
        }
        self.in_seconds(2 << misses, Event::LookUp(runner, id));
    }

    /// The Control Room says UNKNOWN; what becomes of it is open.
    pub(super) fn lose(&mut self, runner: RunnerId, id: RunId) {
        let now = self.now;
        let Some(run) = self.live(runner, id) else { return };
        run.state = RunState::Unknown;
        run.unknown_since = Some(now);
        self.figures.lost += 1;
        self.woken = true;
        let seconds = self.chance.between(300, 7_000);
        match self.chance.below(5) {
            0 => self.in_seconds(seconds, Event::Recover(runner, id)),
            1 => self.in_seconds(seconds, Event::End(runner, id)),
            // Too late: the runner is somebody else's by then.
            2 => self.in_seconds(seconds + 7_200, Event::End(runner, id)),
            _ => {}
        }
    }

    pub(super) fn recover(&mut self, runner: RunnerId, id: RunId) {
        let Some(run) = self.live(runner, id) else { return };
        run.state = RunState::Running;
        run.unknown_since = None;
        self.woken = true;
        let seconds = self.chance.between(60, 3_000);
        let event = if self.chance.below(1_000) < 300 { Event::Lose } else { Event::End };
        self.in_seconds(seconds, event(runner, id));
    }

    pub(super) fn end(&mut self, runner: RunnerId, id: RunId) {
        let now: Timestamp = self.now;
        if self.live(runner, id).is_some() {
            self.snapshot.world.ended(runner, now);
            self.figures.ended += 1;
            self.woken = true;
        }
    }
}

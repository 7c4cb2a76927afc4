//! What happens in the course of a day.

use jiff::Timestamp;

use super::{
    checks,
    fleet::{Fleet, Session},
};
use crate::{
    model::{Cause, Ending, NodeId, OltId, RunId, RunState},
    rules::{
        backoff,
        chain::{self, Ended},
        dispatch::{self, Motive, Plan, Start, Subject},
        samples::{ABLE, secs},
        spread,
        world::{Running, Started, Waiting},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Spread,
    People,
    End(RunId, Ended),
}

const SUCCESS: Ended = Ended { state: RunState::Success, ending: None };

impl Fleet {
    pub(super) fn in_seconds(&mut self, seconds: i64, event: Event) {
        self.serial += 1;
        self.agenda.insert((self.now + secs(seconds), self.serial), event);
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
                match event {
                    Event::Spread => self.spread(),
                    Event::People => self.act(),
                    Event::End(run, ended) => self.ended(run, ended),
                }
            }
        }
    }

    /// As the dispatcher's tick does it.
    fn look(&mut self) {
        self.woken = false;
        self.figures.looks += 1;
        let since = self.now - secs(120);
        while self.starts.front().is_some_and(|start| start.at < since) {
            self.starts.pop_front();
        }
        let world = self.world();
        let plan = dispatch::plan(&world, self.now);
        self.look_at = plan.next_look;
        checks::plan(&world, &plan, self.now);
        if plan.is_settled() {
            return;
        }
        self.apply(&plan);
        let again = dispatch::plan(&self.world(), self.now);
        // A run that was cut off may have called the next member of its chain.
        assert!(again.is_settled() || !plan.fences().is_empty(), "{again:?} after {plan:?}");
    }

    fn apply(&mut self, plan: &Plan) {
        for fence in plan.fences() {
            self.figures.fenced += 1;
            let stale = Ended { state: RunState::Interrupted, ending: Some(Ending::Stale) };
            self.ended(fence.run, stale);
        }
        for moved in plan.replans() {
            let Motive::Quota(_) = moved.motive else { panic!("everybody has a next run") };
            self.figures.jumps += 1;
            let master = self.master_of(moved.node).expect("masters have quotas");
            self.plan_next(master, moved.next_run_at);
        }
        for start in plan.starts() {
            self.start(&start);
        }
    }

    fn start(&mut self, start: &Start) {
        let now = self.now;
        self.figures.starts += 1;
        let run = match start.subject {
            Subject::Run(run) => {
                self.waiting.retain(|waiting| waiting.run != run);
                run
            }
            Subject::Node(node) => {
                let master = self.master_of(node).expect("only masters have slots");
                self.plan_next(master, start.next_run_at.expect("it has a grid"));
                let late = now.duration_since(start.planned_at).as_secs();
                self.figures.latest = self.figures.latest.max(late);
                let alive = !self.machines[start.olt.0 as usize].dead;
                self.figures.late += u64::from(alive && late > 60);
                self.ledger.started(node, self.masters[master].cadence.interval, now);
                self.next_run()
            }
        };
        match start.cause {
            Cause::Scheduled => {}
            Cause::Manual => self.figures.manual += 1,
            Cause::Chained => self.figures.chained += 1,
        }
        let (node, olt, job, cause) = (start.node, start.olt, start.job, start.cause);
        let rides = start.rides_with.is_some();
        let (started_at, lost) = (now, false);
        self.running.push(Running { run, node, olt, job, cause, started_at, lost, rides });
        if !rides {
            self.ledger.any(now, &self.policy.limits);
            self.starts.push_back(Started { at: now, short: start.short });
        }
        self.course(run, olt);
    }

    /// How a run will go: some hang, some fail, the dead do not answer.
    fn course(&mut self, run: RunId, olt: OltId) {
        let failed = |ending: Ending| Ended { state: ending.state(), ending: Some(ending) };
        if self.machines[olt.0 as usize].dead {
            return self.in_seconds(10, Event::End(run, failed(Ending::Unreachable)));
        }
        let seconds = self.chance.between(5, 50);
        if self.people && self.chance.percent(0.4) {
            self.in_seconds(1_200, Event::End(run, SUCCESS));
        } else if self.people && self.chance.percent(8.0) {
            self.in_seconds(seconds, Event::End(run, failed(Ending::Timeout)));
        } else {
            self.in_seconds(seconds, Event::End(run, SUCCESS));
        }
    }

    pub(super) fn next_run(&mut self) -> RunId {
        self.last_run += 1;
        RunId(self.last_run)
    }

    /// An answer that comes after its run was cut off changes nothing.
    pub(super) fn ended(&mut self, run: RunId, ended: Ended) {
        let Some(at) = self.running.iter().position(|one| one.run == run) else { return };
        let one = self.running.swap_remove(at);
        self.figures.ended += 1;
        self.woken = true;
        if let (Cause::Scheduled, Some(master)) = (one.cause, self.master_of(one.node)) {
            let since = self.now - secs(3600);
            let recent = &mut self.masters[master].recent;
            recent.retain(|start| *start > since);
            recent.push(one.started_at);
        }
        let machine = &mut self.machines[one.olt.0 as usize];
        match ended.ending {
            Some(Ending::Unreachable) => {
                self.figures.unreachable += 1;
                let policy = &self.policy.probe;
                let known = machine.backoff;
                machine.backoff = Some(backoff::failed(known, policy, one.started_at, self.now));
            }
            _ if ended.state == RunState::Success => machine.backoff = None,
            _ => {}
        }
        self.chain(&one, ended);
    }

    fn chain(&mut self, one: &Running, ended: Ended) {
        let session = match (self.sessions.remove(&one.run), self.master_of(one.node)) {
            (Some(mut session), _) => {
                session.done.push(one.node);
                session
            }
            (None, Some(master)) => Session { master, ended, done: Vec::new() },
            (None, None) => return,
        };
        let master = &self.masters[session.master];
        let Some(node) = chain::next(session.ended, ended, &master.members, &session.done) else {
            return;
        };
        if self.is_live(node) {
            return;
        }
        let (olt, job, priority) = (master.olt, master.job, master.priority);
        let interval = master.cadence.interval;
        let run = self.next_run();
        self.sessions.insert(run, session);
        let (cause, asked_at, able) = (Cause::Chained, self.now, ABLE);
        let one = Waiting { run, node, olt, job, priority, able, cause, asked_at, interval };
        self.waiting.push(one);
    }

    pub(super) fn is_live(&self, node: NodeId) -> bool {
        self.running.iter().any(|run| run.node == node)
            || self.waiting.iter().any(|run| run.node == node)
    }

    /// As the tick of every two minutes does it.
    fn spread(&mut self) {
        self.figures.passes += 1;
        self.in_seconds(120, Event::Spread);
        let placed = self.placed();
        let plan = spread::plan(&placed, &self.policy, self.now);
        self.figures.overflow += plan.overflow.len() as u64;
        if plan.moves.is_empty() {
            return;
        }
        self.figures.moves += plan.moves.len() as u64;
        self.woken = true;
        for one in &plan.moves {
            let master = self.master_of(one.node).expect("masters are spread");
            checks::moved(&self.masters[master], one, &self.policy, self.now);
            self.masters[master].cadence.phase = one.phase;
            self.plan_next(master, one.next_run_at);
        }
        let again = spread::plan(&self.placed(), &self.policy, self.now);
        assert!(again.moves.is_empty(), "{:?} after {:?}", again.moves, plan.moves);
    }

    pub(super) fn finish(&mut self) {
        self.look();
        checks::nobody_lost(self);
    }
}

//! How executions go on: the transitions.

use jiff::Timestamp;

use super::callbacks::Notice;
use super::faults::Subject;
use super::settings::length;
use super::status::{Claim, Outcome, Status};
use super::world::{Due, KEPT, World};

impl World {
    /// Lets everything happen that is due by `now`, in its order, and returns whom to tell.
    pub(super) fn advance(&mut self, now: Timestamp) -> Vec<Notice> {
        let mut told = Vec::new();
        while let Some(entry) = self.agenda.first_entry() {
            let at = entry.key().0;
            if at > now {
                break;
            }
            match entry.remove() {
                Due::Start { run, turn } if self.is_turn(run, turn) => self.start(run, at),
                Due::End { run, turn } if self.is_turn(run, turn) => self.end(run, at),
                Due::Start { .. } | Due::End { .. } => {}
                Due::Tell(notice) => told.push(*notice),
            }
        }
        told
    }

    fn is_turn(&self, run: u64, turn: u32) -> bool {
        self.runs.get(&run).is_some_and(|run| run.turn == turn)
    }

    fn start(&mut self, number: u64, at: Timestamp) {
        let status = match self.outcome(number) {
            Outcome::DeployFailed => Status::DeployFailed,
            _ => Status::Running,
        };
        self.set(number, status, at);
    }

    fn end(&mut self, number: u64, at: Timestamp) {
        let outcome = self.outcome(number);
        let unlucky = self.is_unlucky(number);
        let status = match outcome {
            Outcome::Endless => return,
            Outcome::Completed if unlucky => Status::Failed,
            Outcome::Completed | Outcome::Lost => Status::Completed,
            Outcome::Failed => Status::Failed,
            Outcome::Aborted => Status::Aborted,
            Outcome::TimedOut => Status::TimedOut,
            Outcome::DeployFailed => Status::DeployFailed,
        };
        if outcome == Outcome::Lost
            && let Some(run) = self.runs.get_mut(&number)
        {
            run.lost = true;
        }
        self.set(number, status, at);
    }

    fn outcome(&self, number: u64) -> Outcome {
        let bot = self.runs.get(&number).and_then(|run| self.bots.get(&run.bot));
        bot.map_or(Outcome::Completed, |bot| bot.outcome)
    }

    fn is_unlucky(&mut self, number: u64) -> bool {
        let bot = self.runs.get(&number).and_then(|run| self.bots.get(&run.bot));
        let share = bot.map_or(0, |bot| bot.failure_pct);
        share > 0 && self.chance.below(100) < usize::from(share)
    }

    /// Gives an execution a status, with what follows from it: the device taken or passed on, the
    /// next appointment, the callback of an end.
    pub(super) fn set(&mut self, number: u64, status: Status, at: Timestamp) {
        let Some(run) = self.runs.get_mut(&number) else { return };
        let (device, turn) = (run.device, run.turn.wrapping_add(1));
        run.turn = turn;
        run.ended = status.is_final().then_some(at);
        let next = match status {
            Status::Running => {
                run.started.get_or_insert(at);
                let own = self.bots.get(&run.bot).and_then(|bot| bot.duration);
                let lasts = own.unwrap_or_else(|| length(self.settings.duration_seconds));
                Some((lasts, Due::End { run: number, turn }))
            }
            Status::Deployed => {
                let lasts = length(self.settings.start_seconds);
                Some((lasts, Due::Start { run: number, turn }))
            }
            Status::Failed => {
                run.message = Some("The bot ended with an error".to_owned());
                None
            }
            _ => None,
        };
        let claim = status.claim();
        run.status = status;
        if let Some((lasts, due)) = next {
            self.schedule(later(at, lasts), due);
        }
        if claim == Claim::Nothing {
            self.tell(number, at);
        }
        self.occupy(device, number, claim);
        self.pass_on(device, at);
    }

    fn occupy(&mut self, device: i64, number: u64, claim: Claim) {
        let Some(machine) = self.devices.get_mut(&device) else { return };
        machine.queue.retain(|queued| *queued != number);
        if claim == Claim::RunsOn {
            machine.queue.push_back(number);
        }
        match machine.running {
            Some(running) if running == number && claim != Claim::Device => machine.running = None,
            None if claim == Claim::Device => machine.running = Some(number),
            Some(_) | None => {}
        }
    }

    /// A free device takes the next of its queue.
    pub(super) fn pass_on(&mut self, device: i64, at: Timestamp) {
        let Some(machine) = self.devices.get_mut(&device) else { return };
        if machine.running.is_some() || !machine.connected {
            return;
        }
        if let Some(next) = machine.queue.pop_front() {
            self.set(next, Status::Deployed, at);
        }
    }

    /// Puts the callback of an ended execution on the agenda, unless nobody wants or hears it.
    pub(super) fn tell(&mut self, number: u64, at: Timestamp) {
        let Some(run) = self.runs.get(&number) else { return };
        if run.lost || run.callback.is_none() {
            return;
        }
        let subject =
            Subject { bot: Some(run.bot), device: Some(run.device), user: Some(run.user) };
        let fault = self.faults.callback.take(subject).unwrap_or_default();
        let Some(run) = self.runs.get_mut(&number) else { return };
        let Some(notice) = Notice::of(number, run) else { return };
        if fault.drop {
            run.remember(notice.delivery(at, "dropped"));
            return;
        }
        let delay = jiff::SignedDuration::try_from(fault.delay()).unwrap_or_default();
        for _ in 0..=fault.repeat.unwrap_or_default().min(100) {
            self.schedule(later(at, delay), Due::Tell(Box::new(notice.clone())));
        }
    }

    /// The Control Room loses track of an execution, or finds it again.
    pub(super) fn lose(&mut self, number: u64, lost: bool, at: Timestamp) {
        let Some(run) = self.runs.get_mut(&number) else { return };
        let found = run.lost && !lost;
        run.lost = lost;
        if found && run.status.is_final() {
            self.tell(number, at);
        }
    }

    /// Makes room for one more by forgetting what ended long ago.
    pub(super) fn forget(&mut self) {
        while self.runs.len() >= KEPT {
            let ended = self.runs.iter().find(|(_, run)| run.status.is_final());
            let Some(number) = ended.map(|(number, _)| *number) else { return };
            if let Some(run) = self.runs.remove(&number) {
                self.by_deployment.remove(&run.deployment);
            }
        }
    }
}

fn later(at: Timestamp, by: jiff::SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

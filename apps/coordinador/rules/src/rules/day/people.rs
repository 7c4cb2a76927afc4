//! What people and machines do to the fleet.

use super::{course::Event, fleet::Fleet};
use crate::{
    model::{Cause, Ending, OltId, RunState, Switch},
    rules::{
        chain::Ended,
        due,
        samples::{ABLE, every},
        world::Waiting,
    },
};

impl Fleet {
    pub(super) fn act(&mut self) {
        self.figures.acts += 1;
        self.woken = true;
        let wait = self.chance.between(60, 600);
        self.in_seconds(wait, Event::People);
        let olt = self.chance.below(self.machines.len());
        let master = self.chance.below(self.masters.len());
        match self.chance.below(8) {
            0 => {
                let busy = self.running.first().map(|run| run.olt.0 as usize);
                self.toggle(busy.filter(|_| self.machines[olt].enabled).unwrap_or(olt));
            }
            1 | 2 => {
                self.machines[olt].dead = !self.machines[olt].dead && self.chance.percent(70.0);
            }
            3 => self.pause(master),
            4 => {
                let seconds = [900, 1800, 3600, 7200][self.chance.below(4)];
                let one = &mut self.masters[master];
                if one.cadence.interval >= every(900) {
                    one.cadence = due::changed(&one.cadence, Some(one.next), every(seconds));
                }
            }
            _ => self.ask(master),
        }
    }

    /// What ran there is interrupted; enabled again, its nodes begin a new grid.
    fn toggle(&mut self, olt: usize) {
        let id = OltId(olt as i64);
        self.machines[olt].enabled = !self.machines[olt].enabled;
        if self.machines[olt].enabled {
            for master in 0..self.masters.len() {
                if self.masters[master].olt == id {
                    let interval = self.masters[master].cadence.interval;
                    let (cadence, next) = due::enabled(interval, self.now);
                    self.masters[master].cadence = cadence;
                    self.plan_next(master, next);
                }
            }
            return;
        }
        let ending = Ending::OltDisabled;
        self.waiting.retain(|waiting| waiting.olt != id);
        let runs: Vec<_> =
            self.running.iter().filter(|run| run.olt == id).map(|run| run.run).collect();
        for run in runs {
            self.figures.interrupted += 1;
            self.ended(run, Ended { state: RunState::Interrupted, ending: Some(ending) });
        }
        assert!(self.waiting.iter().all(|waiting| waiting.olt != id), "no chain goes on there");
    }

    /// A pause keeps the grid.
    fn pause(&mut self, master: usize) {
        let one = &mut self.masters[master];
        match one.switch {
            Switch::On => one.switch = Switch::Paused,
            Switch::Paused | Switch::Off => {
                one.switch = Switch::On;
                let next = due::next_after(&one.cadence, self.now);
                self.plan_next(master, next);
            }
        }
    }

    /// *Ejecutar ahora*.
    fn ask(&mut self, master: usize) {
        let one = &self.masters[master];
        let (node, olt, job, priority) = (one.node, one.olt, one.job, one.priority);
        let interval = one.cadence.interval;
        if self.is_live(node) || !self.machines[olt.0 as usize].enabled {
            return;
        }
        let (run, cause, asked_at, able) = (self.next_run(), Cause::Manual, self.now, ABLE);
        let one = Waiting { run, node, olt, job, priority, able, cause, asked_at, interval };
        self.waiting.push(one);
    }
}

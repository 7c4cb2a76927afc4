//! What a process takes: as much as makes sense to hold, and with a broker no more than it has
//! deliveries for.

use db::{Decision, Error, Hold};
use engine::Word as _;

use super::{Dispatcher, Spent};
use crate::{
    drivers::{reading::job_queue::Load, runtime::ROUTER},
    model::Component,
    store::{jobs::Job, messages::Wanted, queue_part, queue_scope},
};

impl Dispatcher {
    /// What to take and how much: work for the workers, and calls.
    pub(super) fn wanted(&self, held: [usize; 3]) -> Vec<(Wanted, usize)> {
        let space = |load: Load| self.capacity_for(load, held[load as usize]);
        let (ocr, http) = (Component::Ocr.word(), Component::Http.word());
        if self.components.is_empty() {
            return vec![
                (Wanted::AllBut([ocr, http]), space(Load::Quick)),
                (Wanted::Only(ocr), space(Load::Slow)),
                (Wanted::Only(http), space(Load::Call)),
            ];
        }
        let each = |component: &&'static str| {
            (Wanted::Only(component), space(Load::of_component(component)))
        };
        self.components.iter().map(each).collect()
    }

    /// Holds as much of the queue as is taken from, if anything is. A decision that only takes is not
    /// waited for until it is on the disk: what the database forgets, somebody takes again.
    pub(super) async fn hold_queue(
        &self,
        decision: &mut Decision,
        wanted: &[(Wanted, usize)],
        lightly: bool,
    ) -> Result<(), Error> {
        let part = match wanted {
            [(Wanted::Only(component), _)] if !self.unsure => Some(queue_part(component)),
            [] if !self.unsure => return Ok(()),
            _ => None,
        };
        let hold = Hold { scope: &queue_scope(), part: part.as_ref(), lightly };
        decision.hold_as(hold).await
    }

    /// Tells the broker what became of its deliveries: those that were spent on messages, those that
    /// found none, and those whose messages are through.
    pub(super) async fn acknowledge(&mut self, spent: Vec<Spent>, finished: &[Job], dead: &[i64]) {
        let Some(permits) = &mut self.permits else { return };
        for (component, messages, vain) in spent {
            permits.spend(component, messages.into_iter()).await;
            permits.vain(component, vain).await;
        }
        for job in finished {
            let id = job.claim.id;
            permits.settle(id, dead.contains(&id)).await;
        }
    }

    /// Whether the broker says what may be taken. While it is away the table does.
    pub(super) fn is_carried(&self) -> bool {
        let outbox = self.context.runtime.outbox.as_ref();
        self.permits.is_some() && outbox.is_some_and(|outbox| outbox.broker.is_up())
    }

    /// Takes the deliveries that have arrived. Only a round may: whoever waits is woken by the next
    /// one, and when the prefetch is used up there is no next one.
    pub(super) fn hold_permits(&mut self, carried: bool) {
        match &mut self.permits {
            Some(permits) if carried => permits.collect(),
            Some(permits) => permits.forget(),
            None => {}
        }
    }

    /// What to take with the deliveries that are here: no more than there is room for.
    pub(super) fn permitted(&self, held: [usize; 3]) -> Vec<(Wanted, usize)> {
        let Some(permits) = &self.permits else { return Vec::new() };
        let mut held = held;
        let mut wanted = Vec::new();
        for component in self.taking() {
            let load = Load::of_component(component);
            let space = self.capacity_for(load, held[load as usize]);
            let limit = permits.free(component).min(space);
            held[load as usize] += limit;
            if limit > 0 {
                wanted.push((Wanted::Only(component), limit));
            }
        }
        wanted
    }

    /// The components whose messages are taken, by name.
    fn taking(&self) -> Vec<&'static str> {
        if !self.components.is_empty() {
            return self.components.clone();
        }
        let ours = Component::ALL.iter().filter(|one| !one.is_join());
        let ours = ours.filter(|one| **one != Component::Outside).map(|one| one.word());
        std::iter::once(ROUTER).chain(ours).collect()
    }

    /// How many deliveries of each component the broker may send before some are acknowledged.
    pub(super) fn prefetch(&self) -> Vec<(&'static str, u16)> {
        let prefetch = |component| (component, self.pace.prefetch(Load::of_component(component)));
        self.taking().into_iter().map(prefetch).collect()
    }

    /// Calls that hang hold no place: whoever comes behind them would wait for somebody who may
    /// never answer.
    pub(super) async fn make_way(&mut self) {
        let hanging = self.calls.hanging(self.pace.call_timeout());
        if self.pace.hang(hanging) {
            self.follow_pace().await;
        }
    }

    /// Asks the broker for as many deliveries as the pace of late allows.
    pub(super) async fn follow_pace(&mut self) {
        let wanted = self.prefetch();
        let Some(permits) = &mut self.permits else { return };
        for (component, wanted) in wanted {
            permits.resize(component, wanted).await;
        }
    }

    /// How many more messages make sense to hold.
    fn capacity_for(&self, load: Load, held: usize) -> usize {
        self.pace.room(load).saturating_sub(held)
    }
}

//! *Limpieza*: runs and events that ended long ago are forgotten, an hour's worth at a time.

use engine::Planned;
use jiff::{SignedDuration, Timestamp};

use super::due::later;

/// What there is to forget.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The end of the oldest run, or the oldest event.
    pub oldest: Option<Timestamp>,
    /// Whether there are OLTs: what they bring will have to be forgotten too.
    pub works: bool,
    pub history: SignedDuration,
}

#[must_use = "a plan does nothing until it is applied"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Whatever ended before this instant goes.
    pub before: Vec<Timestamp>,
    pub next: Option<Timestamp>,
}

impl Planned for Plan {
    type Change = Timestamp;
    type Held = ();

    fn changes(&self) -> &[Timestamp] {
        &self.before
    }

    fn held(&self) -> &[()] {
        &[]
    }
}

/// The oldest goes an hour after its time, and with it all that went stale since.
const BATCH: SignedDuration = SignedDuration::from_hours(1);

pub fn plan(kept: &Kept, now: Timestamp) -> Plan {
    let before = later(now, -kept.history);
    let goes = kept.oldest.is_some_and(|oldest| oldest < before);
    let rest = kept.oldest.filter(|_| !goes).or_else(|| (goes || kept.works).then_some(now));
    let due = rest.map(|oldest| later(later(oldest, kept.history), BATCH));
    let soonest = later(now, BATCH);
    // What is left after this batch is not known yet: it is looked at within the hour.
    let next = if goes { Some(soonest) } else { due.map(|due| due.max(soonest)) };
    Plan { before: goes.then_some(before).into_iter().collect(), next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::samples::at;

    #[test]
    fn what_is_old_goes_and_an_idle_house_is_left_alone() {
        let (now, history) = (at("10:00:00"), SignedDuration::from_hours(24));
        let told = |oldest, works| {
            let plan = plan(&Kept { oldest, works, history }, now);
            (plan.before.len(), plan.next.map(|next| next.duration_since(now).as_hours()))
        };
        assert_eq!(told(None, false), (0, None));
        assert_eq!(told(None, true), (0, Some(25)));
        assert_eq!(told(Some(now - SignedDuration::from_hours(10)), true), (0, Some(15)));
        assert_eq!(told(Some(now - SignedDuration::from_hours(24)), true), (0, Some(1)));
        assert_eq!(told(Some(now - SignedDuration::from_hours(25)), false), (1, Some(1)));
    }
}

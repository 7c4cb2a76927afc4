//! *Gestión de SLA* (§7.2, §7.3, §9.3): what a request's deadline brings about, and when.
//!
//! Each checkpoint happens once. The planner says which have been reached and are not on record
//! yet, and when the next one comes; a request that has ended is left alone.

use engine::Plan;
use jiff::{SignedDuration, Timestamp};

use super::workflow::Sla;

/// The share of the time after which four fifths are spent: the alert of §9.3.
const ALERT_PCT: u8 = 80;

engine::words! {
    /// What happens as time runs out.
    pub enum Checkpoint {
        /// *Aviso*: somebody may want to look.
        Warn = "warn",
        /// *Alerta*: a fifth of the time is left.
        Alert = "alert",
        /// *Escalado*: to the front of every queue, and what is known is answered.
        Escalate = "escalate",
        /// *Incumplimiento*: the deadline has passed; work goes on.
        Breach = "breach",
    }
}

/// A request as the monitor sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    pub received: Timestamp,
    pub deadline: Timestamp,
    pub sla: Sla,
    pub ended: bool,
    /// What is on record.
    pub reached: Vec<Checkpoint>,
}

/// A checkpoint to be put on record, with the instant it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub checkpoint: Checkpoint,
    pub due: Timestamp,
}

/// What is still ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    pub checkpoint: Checkpoint,
    pub at: Timestamp,
}

/// What is due now, in order, and what is ahead, in order.
pub fn plan(watched: &Watched, now: Timestamp) -> Plan<Reached, Ahead> {
    let mut plan = Plan::new();
    if watched.ended {
        return plan;
    }
    for (checkpoint, at) in instants(watched.received, watched.deadline, watched.sla) {
        if watched.reached.contains(&checkpoint) {
            continue;
        }
        if at <= now {
            plan.changes.push(Reached { checkpoint, due: at });
        } else {
            plan.held.push(Ahead { checkpoint, at });
        }
    }
    plan
}

/// When the monitor has to look for the first time.
pub fn first(received: Timestamp, deadline: Timestamp, sla: Sla) -> Timestamp {
    instants(received, deadline, sla)[0].1
}

fn instants(received: Timestamp, deadline: Timestamp, sla: Sla) -> [(Checkpoint, Timestamp); 4] {
    let mut all = [
        (Checkpoint::Warn, sla.warn_pct),
        (Checkpoint::Alert, ALERT_PCT),
        (Checkpoint::Escalate, sla.escalation_pct),
        (Checkpoint::Breach, 100),
    ]
    .map(|(checkpoint, percent)| (checkpoint, after(received, deadline, percent)));
    all.sort_by_key(|(checkpoint, at)| (*at, *checkpoint));
    all
}

/// The instant at which so many percent of the time are spent, to the microsecond.
fn after(received: Timestamp, deadline: Timestamp, percent: u8) -> Timestamp {
    let whole = deadline.duration_since(received).as_micros().max(0);
    let left = whole * i128::from(100 - percent.min(100)) / 100;
    let left = i64::try_from(left).map_or(SignedDuration::MAX, SignedDuration::from_micros);
    deadline.checked_sub(left).unwrap_or(deadline)
}

#[cfg(test)]
mod tests {
    use engine::Word as _;
    use proptest::prelude::*;

    use super::*;

    const SLA: Sla = Sla { deadline: None, warn_pct: 70, escalation_pct: 90 };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_781_900_000 + second).expect("in range")
    }

    fn watched(seconds: i64) -> Watched {
        let (received, deadline) = (at(0), at(seconds));
        Watched { received, deadline, sla: SLA, ended: false, reached: Vec::new() }
    }

    #[test]
    fn a_minute_warns_at_42_alerts_at_48_escalates_at_54_and_breaches_at_60() {
        let mut request = watched(60);
        let mut seen = Vec::new();
        for second in 0..=70 {
            for reached in plan(&request, at(second)).changes {
                seen.push((second, reached.checkpoint));
                request.reached.push(reached.checkpoint);
            }
        }
        let expected = [
            (42, Checkpoint::Warn),
            (48, Checkpoint::Alert),
            (54, Checkpoint::Escalate),
            (60, Checkpoint::Breach),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_has_ended_is_left_alone() {
        let request = Watched { ended: true, ..watched(60) };
        assert_eq!(plan(&request, at(1000)), Plan::new());
    }

    proptest! {
        /// Whenever the monitor looks, and however often, each checkpoint is reached once, in
        /// order, never early, and nothing is due right after.
        #[test]
        fn every_checkpoint_once(
            seconds in 1_i64..1000,
            warn in 1_u8..=90,
            more in 0_u8..=10,
            mut looks in proptest::collection::vec(0_i64..1500, 1..20),
        ) {
            looks.sort_unstable();
            let sla = Sla { deadline: None, warn_pct: warn, escalation_pct: warn + more };
            let mut request = Watched { sla, ..watched(seconds) };
            for look in looks {
                let due = plan(&request, at(look));
                prop_assert!(due.changes.iter().all(|one| one.due <= at(look)));
                prop_assert!(due.changes.iter().is_sorted_by_key(|one| one.due));
                prop_assert!(due.held.iter().all(|one| one.at > at(look)));
                request.reached.extend(due.changes.iter().map(|one| one.checkpoint));
                prop_assert_eq!(request.reached.len() + due.held.len(), Checkpoint::ALL.len());
                prop_assert!(plan(&request, at(look)).is_settled());
            }
        }

        /// The first look is not later than anything that falls due.
        #[test]
        fn the_first_look_misses_nothing(seconds in 0_i64..1000) {
            let request = watched(seconds);
            let first = first(request.received, request.deadline, request.sla);
            let before = first - SignedDuration::from_micros(1);
            prop_assert!(plan(&request, before).is_settled());
            prop_assert!(!plan(&request, first).is_settled());
        }
    }
}

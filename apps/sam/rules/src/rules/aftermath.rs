//! What follows when a run ends (§4.1.5): a slot never dies silently. It is tried again as its robot's
//! policy says, or it is recorded as failed and people are told.

use jiff::Timestamp;

use super::reason::Reason;
use crate::model::{Closing, Hold, Retry, RetryCause, Run, RunState};

/// A run that ends.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    pub run: &'a Run,
    pub state: RunState,
    pub closing: Closing,
    /// Its robot's.
    pub retry: &'a Retry,
    /// Runs of its slot so far, this one included.
    pub tries: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum After {
    /// Nobody has to know.
    Nothing,
    /// It ran well: what was told about its slot is right again.
    Well,
    /// Its slot is open again, from then on.
    Again { at: Timestamp },
    /// Its slot is over, for this reason. People are told, unless it was them.
    Over { reason: Reason, tell: bool },
    /// It stood for no slot of a schedule; what the Control Room says of it is still asked for.
    Noted,
}

pub fn plan(ended: &Ended<'_>, now: Timestamp) -> After {
    let Ended { run, state, closing, retry, tries } = *ended;
    if state.succeeded() {
        return if run.hold == Hold::Scheduled { After::Well } else { After::Nothing };
    }
    // What was refused at the door stays due: its slot is open, the suspension says why it waits.
    if closing == Closing::Deploy || state == RunState::Inferred {
        return After::Nothing;
    }
    if run.hold != Hold::Scheduled {
        return if closing == Closing::Operator { After::Nothing } else { After::Noted };
    }
    let by_hand = run.stop.as_ref().is_some_and(|stop| stop.by.is_some());
    if closing == Closing::Operator || (by_hand && state == RunState::RunAborted) {
        return After::Over { reason: Reason::RunStopped { run: run.id }, tell: false };
    }
    let again = cause(run, state).filter(|cause| retry.covers(*cause) && run.slot.is_some());
    let at = again.and_then(|_| retry.next(tries, now));
    match at.filter(|at| run.slot_until.is_some_and(|until| *at <= until)) {
        Some(at) => After::Again { at },
        None => After::Over { reason: Reason::RunFailed { run: run.id, state }, tell: true },
    }
}

/// What a policy calls such an end; nothing for a run that was lost: it may still be running.
fn cause(run: &Run, state: RunState) -> Option<RetryCause> {
    match state {
        RunState::RunAborted if run.stop.is_some() => Some(RetryCause::NotStarted),
        RunState::RunAborted => Some(RetryCause::RunAborted),
        RunState::RunFailed => Some(RetryCause::RunFailed),
        RunState::RunTimedOut => Some(RetryCause::RunTimedOut),
        RunState::DeployFailed => Some(RetryCause::DeployFailed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::{model::Stop, rules::samples::run};

    fn now() -> Timestamp {
        "2026-03-02T09:05:00Z".parse().unwrap()
    }

    fn of_slot() -> Run {
        Run {
            hold: Hold::Scheduled,
            slot: Some("2026-03-02".parse().unwrap()),
            slot_until: Some("2026-03-02T09:30:00Z".parse().unwrap()),
            ..run(7, 10, 1, RunState::Running)
        }
    }

    fn after(run: &Run, state: RunState, retry: &Retry, tries: i64) -> After {
        plan(&Ended { run, state, closing: Closing::Callback, retry, tries }, now())
    }

    #[test]
    fn nothing_is_tried_again_unless_the_robot_says_so_and_people_are_told() {
        for state in [RunState::DeployFailed, RunState::RunFailed, RunState::RunAborted] {
            let told = after(&of_slot(), state, &Retry::default(), 1);
            let reason = Reason::RunFailed { run: crate::model::RunId(7), state };
            assert_eq!(told, After::Over { reason, tell: true });
        }
        assert_eq!(after(&of_slot(), RunState::RunCompleted, &Retry::default(), 1), After::Well);
    }

    #[test]
    fn tries_wait_twice_as_long_each_and_never_leave_the_tolerance() {
        let retry = Retry { times: 3, wait: SignedDuration::from_mins(5), ..Retry::default() };
        let failed = |tries| after(&of_slot(), RunState::RunFailed, &retry, tries);
        let at = |minutes| After::Again { at: now() + SignedDuration::from_mins(minutes) };
        assert_eq!((failed(1), failed(2), failed(3)), (at(5), at(10), at(20)));
        assert!(matches!(failed(4), After::Over { tell: true, .. }), "three times, not four");
        let slow = Retry { wait: SignedDuration::from_mins(26), ..retry.clone() };
        let late = after(&of_slot(), RunState::RunFailed, &slow, 1);
        assert!(matches!(late, After::Over { tell: true, .. }), "the slot closes before");
        let aborted = after(&of_slot(), RunState::RunAborted, &retry, 1);
        assert!(matches!(aborted, After::Over { .. }), "somebody stopped it in the Control Room");
    }

    #[test]
    fn what_a_person_stopped_is_not_tried_again_and_nobody_is_told() {
        let retry = Retry { times: 3, ..Retry::default() };
        let stop = |by: Option<&str>| Stop {
            at: now(),
            by: by.map(str::to_owned),
            reason: "colgado".to_owned(),
        };
        let by_hand = Run { stop: Some(stop(Some("ana"))), ..of_slot() };
        let told = after(&by_hand, RunState::RunAborted, &retry, 1);
        assert!(matches!(told, After::Over { tell: false, .. }), "{told:?}");
        let unbegun = Run { stop: Some(stop(None)), ..of_slot() };
        let again = after(&unbegun, RunState::RunAborted, &retry, 1);
        assert!(matches!(again, After::Again { .. }), "the house stopped it to try again");
    }

    #[test]
    fn a_lost_run_may_still_be_running_and_is_not_tried_again() {
        let retry = Retry { times: 3, ..Retry::default() };
        let lost = Ended {
            run: &of_slot(),
            state: RunState::Unknown,
            closing: Closing::Lost,
            retry: &retry,
            tries: 1,
        };
        assert!(matches!(plan(&lost, now()), After::Over { tell: true, .. }));
    }
}

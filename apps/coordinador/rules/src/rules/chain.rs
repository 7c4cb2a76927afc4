//! *Cadenas* (R-8): after a master its members, one after another.

use crate::model::{After, Ending, NodeId, Priority, RunState};

/// A member of a chain that may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub node: NodeId,
    pub priority: Priority,
    pub after: After,
}

/// How a run of the chain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub state: RunState,
    pub ending: Option<Ending>,
}

/// Who is next once `last` ended: the master's run itself, or that of a member. `done` are the
/// members that had their run after this run of the master.
pub fn next(master: Ended, last: Ended, members: &[Member], done: &[NodeId]) -> Option<NodeId> {
    if is_stopped(last) {
        return None;
    }
    members
        .iter()
        .filter(|member| follows(master.state, member.after) && !done.contains(&member.node))
        .min_by_key(|member| (member.priority, member.node))
        .map(|member| member.node)
}

const fn follows(master: RunState, after: After) -> bool {
    match (master, after) {
        (RunState::Success, _) | (RunState::Failed, After::SuccessOrFailure) => true,
        (RunState::Failed, After::Success)
        | (RunState::Pending | RunState::Running | RunState::Interrupted, _) => false,
    }
}

/// Somebody stopped more than that one run, or nobody knows. A member that failed, took too long
/// or was switched off alone does not stop the others.
const fn is_stopped(last: Ended) -> bool {
    match last.ending {
        Some(Ending::Cancelled | Ending::OltDisabled | Ending::TemplateInactive | Ending::Lost) => {
            true
        }
        Some(
            Ending::Timeout
            | Ending::Unreachable
            | Ending::Auth
            | Ending::GenErr
            | Ending::Refused
            | Ending::NoSuch
            | Ending::TooBig
            | Ending::NotIncreasing
            | Ending::Partial
            | Ending::Decode
            | Ending::Held
            | Ending::NodeDisabled
            | Ending::Stale,
        )
        | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Ended = Ended { state: RunState::Success, ending: None };

    fn member(node: i64, priority: i64, after: After) -> Member {
        Member { node: NodeId(node), priority: Priority::new(priority).unwrap(), after }
    }

    fn all(master: Ended, after: After) -> Vec<i64> {
        let members = [member(11, 2, after), member(12, 1, after), member(13, 2, after)];
        let mut done = Vec::new();
        let mut last = master;
        while let Some(node) = next(master, last, &members, &done) {
            done.push(node);
            last = GOOD;
        }
        done.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn scenario_19_all_members_run_by_priority_then_number() {
        assert_eq!(all(GOOD, After::Success), [12, 11, 13]);
        let failed = Ended { state: RunState::Failed, ending: Some(Ending::Timeout) };
        assert!(all(failed, After::Success).is_empty());
        assert_eq!(all(failed, After::SuccessOrFailure), [12, 11, 13]);
        let cut = Ended { state: RunState::Interrupted, ending: Some(Ending::Stale) };
        assert!(all(cut, After::SuccessOrFailure).is_empty());
    }

    #[test]
    fn a_member_that_failed_does_not_stop_the_others_a_person_does() {
        let members = [member(11, 1, After::Success), member(12, 1, After::Success)];
        let done = [NodeId(11)];
        let failed = Ended { state: RunState::Failed, ending: Some(Ending::Timeout) };
        assert_eq!(next(GOOD, failed, &members, &done), Some(NodeId(12)));
        let stopped = Ended { state: RunState::Interrupted, ending: Some(Ending::Cancelled) };
        assert_eq!(next(GOOD, stopped, &members, &done), None);
    }
}

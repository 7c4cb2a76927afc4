//! Why a node does not run: every condition that fails, in order, and when it would.

use jiff::Timestamp;

use super::{
    dispatch::{self, Claim, Permits, Subject, failing},
    reason::Reason,
    world::{Due, World},
};
use crate::model::{Node, Role, RunId};

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether the dispatcher would start it now.
    pub ready: bool,
    pub reasons: Vec<Reason>,
}

impl Answer {
    /// When it runs next, as far as is known: its planned time, or later if what holds it then ends
    /// later.
    pub fn next_at(&self, planned: Option<Timestamp>) -> Option<Timestamp> {
        // A run in the way is over when it is over; it is cut off at the latest.
        let timed = |reason: &&Reason| !matches!(reason, Reason::SameTypeRunning { .. });
        let held = self.reasons.iter().filter(timed).filter_map(Reason::until).max();
        planned.map(|planned| held.map_or(planned, |until| until.max(planned)))
    }
}

/// Why this node does not run now. `recent` are the starts that count for its quota.
pub fn node(
    world: &World,
    node: &Node,
    template_active: bool,
    recent: Vec<Timestamp>,
    now: Timestamp,
) -> Answer {
    match Due::of(node, template_active, recent) {
        Some(due) => slot(world, due, now),
        None => chained(world, node),
    }
}

/// Why this slot does not run now.
pub fn slot(world: &World, due: Due, now: Timestamp) -> Answer {
    let subject = Subject::Node(due.node);
    let mut with = world.clone();
    with.due.retain(|known| known.node != due.node);
    with.due.push(due);
    let plan = dispatch::plan(&with, now);
    let permits = Permits::new(&with, &plan.fences());
    let claim = with.due.last().map(|due| Claim::slot(&with, due, now));
    answer(&with, &plan, &permits, claim, subject, now)
}

/// Why this PENDING run does not start; none if it does not wait.
pub fn run(world: &World, run: RunId, now: Timestamp) -> Option<Answer> {
    let waiting = world.waiting.iter().find(|waiting| waiting.run == run)?;
    let plan = dispatch::plan(world, now);
    let permits = Permits::new(world, &plan.fences());
    let claim = Claim::run(world, waiting, now);
    Some(answer(world, &plan, &permits, Some(claim), Subject::Run(run), now))
}

fn answer(
    world: &World,
    plan: &dispatch::Plan,
    permits: &Permits,
    claim: Option<Claim<'_>>,
    subject: Subject,
    now: Timestamp,
) -> Answer {
    if plan.starts().iter().any(|start| start.subject == subject) {
        return Answer { ready: true, reasons: Vec::new() };
    }
    let held = plan.held.iter().find(|held| held.subject == subject).map(|held| held.reason);
    let mut reasons = claim.map(|claim| failing(world, permits, &claim, now)).unwrap_or_default();
    // Whoever goes first may take the place that was free, and a jump says where it goes.
    if let Some(held) = held {
        match reasons.iter_mut().find(|reason| reason.code() == held.code()) {
            Some(reason) => *reason = held,
            None => reasons.push(held),
        }
    }
    Answer { ready: false, reasons }
}

fn chained(world: &World, node: &Node) -> Answer {
    let mut reasons = Vec::new();
    if let Some(waiting) = world.waiting.iter().find(|waiting| waiting.node == node.id) {
        reasons.push(Reason::AlreadyLive { run: waiting.run });
    }
    if let Some(running) = world.running.iter().find(|running| running.node == node.id) {
        reasons.push(Reason::AlreadyLive { run: running.run });
    }
    match node.role {
        Role::Chain { master, after } => reasons.push(Reason::WaitsForMaster { master, after }),
        Role::Master { .. } => {}
    }
    Answer { ready: false, reasons }
}

#[cfg(test)]
mod tests {
    use engine::Sentence;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{After, JobType, NodeId, OltId},
        rules::{
            dispatch::properties::{eleven, worlds},
            samples::{at, due, world},
        },
    };

    proptest! {
        #[test]
        fn whoever_does_not_start_is_told_why(world in worlds()) {
            let plan = dispatch::plan(&world, eleven());
            for due in &world.due {
                let answer = slot(&world, due.clone(), eleven());
                let starts = plan.starts().iter().any(|one| one.subject == Subject::Node(due.node));
                prop_assert_eq!(answer.ready, starts, "{}", due.node);
                prop_assert_eq!(answer.reasons.is_empty(), starts);
                let zone = &world.policy.zone;
                for reason in &answer.reasons {
                    let Sentence { es, en } = reason.sentence(zone);
                    prop_assert!(es.ends_with('.') && en.ends_with('.') && es != en);
                    prop_assert!(reason.data().is_object() && !reason.code().is_empty());
                }
            }
            for waiting in &world.waiting {
                let answer = run(&world, waiting.run, eleven()).expect("it waits");
                prop_assert!(answer.ready || !answer.reasons.is_empty());
            }
        }
    }

    #[test]
    fn not_due_and_everything_else_at_once() {
        let mut world = world().due(due(9, 1, at("09:00:00")));
        world.olts.get_mut(&OltId(1)).unwrap().enabled = false;
        let answer = slot(&world, due(1, 1, at("10:00:00")), at("09:30:00"));
        let codes: Vec<_> = answer.reasons.iter().map(Reason::code).collect();
        assert_eq!(codes, ["OLT_DISABLED", "NOT_DUE"]);
    }

    #[test]
    fn one_time_is_told() {
        // At its quota now, but not due: what counts is when its slot comes.
        let recent = ["09:05:00", "09:20:00", "09:35:00", "09:50:00"].map(at).to_vec();
        let due = Due { recent: recent.clone(), ..due(1, 1, at("10:10:00")) };
        let answer = slot(&world().due(due.clone()), due, at("09:55:00"));
        assert_eq!(answer.reasons, [Reason::NotDue { at: at("10:10:00") }]);
        assert_eq!(answer.next_at(Some(at("10:10:00"))), Some(at("10:10:00")));
        // Due, and its quota frees itself in a minute: then.
        let soon = Due { recent, ..crate::rules::samples::due(1, 1, at("10:04:00")) };
        let answer = slot(&world().due(soon.clone()), soon, at("10:04:00"));
        assert_eq!(answer.reasons[0].code(), "QUOTA");
        assert_eq!(answer.next_at(Some(at("10:04:00"))), answer.reasons[0].until());
    }

    #[test]
    fn a_member_of_a_chain_waits_for_its_master() {
        let role = Role::Chain { master: NodeId(4), after: After::Success };
        let member = Node::new(OltId(1), "get.mac".into(), JobType::Get, role);
        let answer = node(&world(), &member, true, Vec::new(), at("10:00:00"));
        assert_eq!(answer.reasons.len(), 1);
        assert_eq!(answer.reasons[0].code(), "WAITS_FOR_MASTER");
    }
}

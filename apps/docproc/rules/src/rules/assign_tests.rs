//! Examples and properties of assignment.

use jiff::{ToSpan as _, civil::date, tz::TimeZone};
use proptest::prelude::*;

use super::*;
use crate::rules::shift::Day;

const SILENCE_TIMEOUT: SignedDuration = SignedDuration::from_secs(120);
const HOUSE: House = House { task_timeout: SILENCE_TIMEOUT, each: 3, offering: true };

fn local() -> DateTime {
    date(2026, 11, 16).at(12, 0, 0, 0)
}

fn noon() -> Timestamp {
    local().to_zoned(TimeZone::UTC).unwrap().timestamp()
}

fn operator(name: &str, skills: &[&str]) -> Operator {
    Operator {
        username: name.to_owned(),
        skills: skills.iter().map(|&skill| skill.to_owned()).collect(),
        shifts: Vec::new(),
        active: true,
        seen_at: Some(noon()),
        lapsed_at: None,
        given_at: None,
    }
}

fn task(id: &str, required: &[&str], holder: Holder) -> Task {
    Task {
        id: id.to_owned(),
        required: required.iter().map(|&skill| skill.to_owned()).collect(),
        priority: 3,
        deadline: noon() + 60.seconds(),
        created: noon(),
        holder,
        declined: Vec::new(),
    }
}

fn waiting(id: &str, required: &[&str]) -> Task {
    task(id, required, Holder::Nobody { until: None })
}

fn with(id: &str, name: &str, heard: Timestamp) -> Task {
    task(id, &["classification"], Holder::With { operator: name.to_owned(), heard })
}

fn planned(snapshot: &Snapshot) -> Plan<Change, Held> {
    plan(snapshot, HOUSE, noon(), local())
}

fn offer(task: &str, operator: &str) -> Change {
    Change::Offer { task: task.to_owned(), operator: operator.to_owned() }
}

#[test]
fn a_task_goes_to_the_least_loaded_who_is_there_and_can() {
    let mut d = operator("D", &["classification"]);
    d.active = false;
    let mut e = operator("E", &["classification"]);
    let (from, to) = (jiff::civil::time(1, 0, 0, 0), jiff::civil::time(2, 0, 0, 0));
    e.shifts = vec![Shift { days: Day::ALL.to_vec(), from, to }];
    let operators = vec![
        operator("A", &["classification"]),
        operator("B", &["classification"]),
        operator("C", &["extraction"]),
        d,
        e,
    ];
    let tasks = vec![
        with("1", "A", noon()),
        with("2", "A", noon()),
        waiting("3", &["classification"]),
        waiting("4", &["classification"]),
    ];
    let plan = planned(&Snapshot { operators, tasks });
    assert_eq!(plan.changes, [offer("3", "B"), offer("4", "B")]);
}

#[test]
fn silence_takes_a_task_back_and_offers_it_to_the_next() {
    let silent = noon() - 120.seconds();
    let mut a = operator("A", &["classification"]);
    a.seen_at = Some(silent);
    let b = operator("B", &["classification"]);
    let snapshot = Snapshot { operators: vec![a.clone(), b], tasks: vec![with("1", "A", silent)] };
    let lapse = Change::Lapse { task: "1".to_owned(), operator: "A".to_owned() };
    assert_eq!(planned(&snapshot).changes, [lapse.clone(), offer("1", "B")]);
    // One heartbeat a moment ago, and it stays.
    let mut beating = snapshot.clone();
    beating.operators[0].seen_at = Some(silent + 1.second());
    assert!(planned(&beating).is_settled());
    // Nobody else: it waits, and says why.
    let alone = Snapshot { operators: vec![a], tasks: vec![with("1", "A", silent)] };
    let plan = planned(&alone);
    assert_eq!(plan.changes, [lapse]);
    assert_eq!(plan.held, [Held::Away { task: "1".to_owned(), able: 1 }]);
}

#[test]
fn a_speciality_narrows_and_a_generalist_does_all() {
    let skills = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    let needed = skills(&["extraction", "invoice"]);
    assert!(can_do(&skills(&["extraction"]), &needed));
    assert!(can_do(&skills(&["classification", "extraction"]), &needed));
    assert!(can_do(&skills(&["extraction", "invoice"]), &needed));
    assert!(!can_do(&skills(&["extraction", "payslip"]), &needed));
    assert!(!can_do(&skills(&["classification"]), &needed));
    assert!(!can_do(&[], &needed));
}

#[test]
fn a_teams_queue_is_for_the_team() {
    let skills = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    let needed = skills(&["extraction", "invoice", "task.hipotecas"]);
    assert!(can_do(&skills(&["task.hipotecas"]), &needed));
    assert!(can_do(&skills(&["hipotecas", "payslip"]), &needed));
    assert!(!can_do(&skills(&["extraction", "classification"]), &needed));
    assert_eq!(team_skill("task.hipotecas").as_deref(), Some("task.hipotecas"));
    assert_eq!(team_skill("hipotecas").as_deref(), Some("task.hipotecas"));
    for everybodys in ["task.classification", "task.extraction", "extraction", ""] {
        assert_eq!(team_skill(everybodys), None, "{everybodys}");
    }
}

#[test]
fn each_reason_is_told() {
    let mut snapshot = Snapshot {
        operators: vec![operator("A", &["classification"])],
        tasks: vec![waiting("1", &["extraction"])],
    };
    let reason = |snapshot: &Snapshot| planned(snapshot).held.pop().unwrap();
    assert!(matches!(reason(&snapshot), Held::NoSkill { .. }));
    let later = noon() + 60.seconds();
    snapshot.tasks = vec![task("1", &["classification"], Holder::Nobody { until: Some(later) })];
    assert!(matches!(reason(&snapshot), Held::Postponed { until, .. } if until == later));
    let mut declined = waiting("1", &["classification"]);
    declined.declined = vec!["A".to_owned()];
    snapshot.tasks = vec![declined];
    assert!(matches!(reason(&snapshot), Held::Declined { .. }));
    snapshot.tasks = ["1", "2", "3", "4"].map(|id| waiting(id, &["classification"])).to_vec();
    assert!(matches!(reason(&snapshot), Held::Busy { there: 1, each: 3, .. }));
    snapshot.operators[0].active = false;
    assert!(matches!(reason(&snapshot), Held::Away { able: 1, .. }));
}

fn any_instant() -> impl Strategy<Value = Timestamp> {
    (-300_i64..=0).prop_map(|s| noon() + s.seconds())
}

fn any_operator(n: usize) -> impl Strategy<Value = Operator> {
    let skills = prop::sample::subsequence(vec!["classification", "extraction", "invoice"], 0..=3);
    let seen = prop::option::of(any_instant());
    let lapsed = prop::option::of(any_instant());
    let given = prop::option::of(any_instant());
    (skills, any::<bool>(), seen, lapsed, given, any::<bool>()).prop_map(
        move |(skills, active, seen_at, lapsed_at, given_at, off)| {
            let (from, to) = (jiff::civil::time(1, 0, 0, 0), jiff::civil::time(2, 0, 0, 0));
            let shifts = if off { vec![Shift { days: Vec::new(), from, to }] } else { Vec::new() };
            let mut one = operator(&format!("o{n}"), &skills);
            one = Operator { shifts, active, seen_at, lapsed_at, given_at, ..one };
            one
        },
    )
}

fn any_task(n: usize) -> impl Strategy<Value = Task> {
    let required = prop_oneof![
        Just(vec!["classification"]),
        Just(vec!["extraction", "invoice"]),
        Just(vec!["extraction", "payslip"]),
    ];
    let name = (0_usize..6).prop_map(|n| format!("o{n}"));
    let holder = prop_oneof![
        (name.clone(), any_instant())
            .prop_map(|(operator, heard)| Holder::With { operator, heard }),
        prop::option::of(any_instant()).prop_map(|until| Holder::Nobody { until }),
    ];
    let declined = prop::collection::vec(name, 0..2);
    (required, holder, declined, 0_i64..4).prop_map(
        move |(required, holder, declined, priority)| Task {
            priority,
            declined,
            ..task(&format!("t{n}"), &required, holder)
        },
    )
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let operators = (0_usize..5).prop_flat_map(|n| (0..n).map(any_operator).collect::<Vec<_>>());
    let tasks = (0_usize..12).prop_flat_map(|n| (0..n).map(any_task).collect::<Vec<_>>());
    (operators, tasks).prop_map(|(operators, tasks)| Snapshot { operators, tasks })
}

/// What the store does with a change.
fn apply(snapshot: &mut Snapshot, change: &Change) {
    let (Change::Lapse { task, operator } | Change::Offer { task, operator }) = change;
    let one = snapshot.operators.iter_mut().find(|one| one.username == *operator);
    let task = snapshot.tasks.iter_mut().find(|one| one.id == *task).unwrap();
    match change {
        Change::Lapse { .. } => {
            task.holder = Holder::Nobody { until: None };
            task.declined.push(operator.clone());
            if let Some(one) = one {
                one.lapsed_at = Some(noon());
            }
        }
        Change::Offer { .. } => {
            assert!(matches!(task.holder, Holder::Nobody { .. }), "never two operators");
            task.holder = Holder::With { operator: operator.clone(), heard: noon() };
            if let Some(one) = one {
                one.given_at = Some(noon());
            }
        }
    }
}

fn load(snapshot: &Snapshot, name: &str) -> usize {
    let theirs =
        |task: &&Task| matches!(&task.holder, Holder::With { operator, .. } if operator == name);
    snapshot.tasks.iter().filter(theirs).count()
}

proptest! {
    #[test]
    fn offers_obey_every_rule_and_the_plan_is_a_fixpoint(before in any_snapshot()) {
        let plan = planned(&before);
        let mut now = before.clone();
        for change in &plan.changes {
            if let Change::Offer { task, operator } = change {
                let task = now.tasks.iter().find(|one| one.id == *task).unwrap().clone();
                let able = |one: &&Operator| {
                    one.active
                        && at_work(&one.shifts, local())
                        && can_do(&one.skills, &task.required)
                        && !task.declined.contains(&one.username)
                        && one.presence(noon(), SILENCE_TIMEOUT) != Presence::Silent
                };
                let chosen = now.operators.iter().find(|one| one.username == *operator).unwrap();
                prop_assert!(able(&chosen), "{operator} may not have {task:?}");
                let load_of = |one: &Operator| load(&now, &one.username);
                prop_assert!(load_of(chosen) < HOUSE.each);
                let presence = chosen.presence(noon(), SILENCE_TIMEOUT);
                for other in now.operators.iter().filter(able) {
                    if other.presence(noon(), SILENCE_TIMEOUT) == presence {
                        prop_assert!(load_of(chosen) <= load_of(other), "the least load");
                    }
                }
            }
            apply(&mut now, change);
        }
        prop_assert!(planned(&now).is_settled(), "planned again: {:?}", planned(&now).changes);
        // Every task is told of once, and never left in silence.
        for task in &now.tasks {
            let offered = plan.changes.iter().any(
                |change| matches!(change, Change::Offer { task: id, .. } if *id == task.id));
            let held = plan.held.iter().filter(|held| held.task() == task.id).count();
            prop_assert_eq!(held + usize::from(offered), 1, "{:?}", task);
        }
    }
}

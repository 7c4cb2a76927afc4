//! Whatever both sides look like: a second look changes nothing, and the operator's stays.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::model::PoolId;

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["A", "B", "b", "C", "A (2)", "loop", ""]).prop_map(str::to_owned)
}

fn files() -> impl Strategy<Value = Vec<File>> {
    let file = (0_i64..6, names(), prop::option::of(names()), prop::bool::weighted(0.9));
    let file = file.prop_map(|(id, name, description, taskbot)| {
        let path = format!("RPA/{name}");
        File { id, name, path, description, taskbot }
    });
    prop::collection::vec(file, 0..6)
}

fn licences() -> impl Strategy<Value = Licence> {
    prop::sample::select(vec!["", "RUNTIME", "DEVELOPMENT", "ATTENDEDRUNTIME, X"])
        .prop_map(Licence::parse)
}

fn devices() -> impl Strategy<Value = Vec<Device>> {
    let users = prop::collection::vec(1_i64..5, 0..3);
    let device = (0_i64..7, names(), any::<bool>(), users);
    let device =
        device.prop_map(|(id, host, connected, users)| Device { id, host, connected, users });
    prop::collection::vec(device, 0..6)
}

fn users() -> impl Strategy<Value = Vec<User>> {
    let user = (names(), licences());
    prop::collection::vec(user, 0..5).prop_map(|users| {
        let numbered = (1..).zip(users);
        numbered.map(|(id, (name, licence))| User { id, name, licence }).collect()
    })
}

prop_compose! {
    fn views()(files in files(), devices in devices(), users in users()) -> View {
        View { files, devices, users }
    }
}

fn filters() -> Filters {
    Filters::read("RPA", "", "loop").unwrap()
}

/// What the store does with a plan; names have to be unique and ids new, as there.
fn apply(robots: &mut Vec<Robot>, runners: &mut Vec<Runner>, changes: &[Change]) {
    for change in changes {
        match change.clone() {
            Change::NewRobot(new) => {
                assert!(robots.iter().all(|robot| robot.id != new.id && robot.name != new.name));
                robots.push(new);
            }
            Change::RobotSeen { robot, name, description } => {
                let robot = robots.iter_mut().find(|one| one.id == robot).unwrap();
                robot.seen_name = Some(name);
                robot.description = robot.description.take().or(description);
            }
            Change::RobotGone { robot } => {
                robots.iter_mut().find(|one| one.id == robot).unwrap().seen_name = None;
            }
            Change::NewRunner(new) => {
                assert!(
                    runners.iter().all(|runner| runner.id != new.id && runner.name != new.name)
                );
                runners.push(new);
            }
            Change::RunnerSeen { runner, sight } => {
                let runner = runners.iter_mut().find(|one| one.id == runner).unwrap();
                runner.seen_name = Some(sight.name);
                runner.connected = Some(sight.connected);
                runner.licence = sight.licence;
                runner.user_id = sight.user_id;
                runner.user_name = sight.user_name;
            }
            Change::RunnerGone { runner } => {
                let runner = runners.iter_mut().find(|one| one.id == runner).unwrap();
                runner.connected = Some(false);
            }
            Change::RepointRobot { .. } => panic!("no mapping says so"),
            Change::Repoint { old, new } => {
                assert!(runners.iter().all(|runner| runner.id != new));
                runners.iter_mut().find(|one| one.id == old).unwrap().id = new;
            }
        }
    }
}

/// What a person set.
fn operators(robot: &Robot) -> impl PartialEq + std::fmt::Debug + use<> {
    let set = (robot.active, robot.online, robot.limits, robot.priority, robot.tickets_per_runner);
    (robot.id, robot.name.clone(), robot.parameters.clone(), set, robot.pool)
}

fn switches(runner: &Runner) -> impl PartialEq + std::fmt::Debug + use<> {
    (runner.name.clone(), runner.active, runner.dynamic, runner.pool)
}

proptest! {
    #[test]
    fn a_second_sync_changes_nothing_and_none_changes_what_people_set(
        first in views(), second in views(),
        choices in prop::collection::vec((any::<bool>(), any::<bool>(), 0_i64..3), 12),
    ) {
        let (mut robots, mut runners) = (Vec::new(), Vec::new());
        let sync = plan(&robots, &runners, &BTreeMap::new(), &first, &filters());
        apply(&mut robots, &mut runners, &sync.changes);
        for (robot, (active, online, pool)) in robots.iter_mut().zip(&choices) {
            (robot.active, robot.online, robot.pool) = (*active, *online, Some(PoolId(*pool)));
        }
        for (runner, (active, dynamic, pool)) in runners.iter_mut().zip(&choices) {
            (runner.active, runner.dynamic, runner.pool) = (*active, *dynamic, Some(PoolId(*pool)));
        }
        let (set, switched): (Vec<_>, Vec<_>) =
            (robots.iter().map(operators).collect(), runners.iter().map(switches).collect());
        let sync = plan(&robots, &runners, &BTreeMap::new(), &second, &filters());
        apply(&mut robots, &mut runners, &sync.changes);
        prop_assert_eq!(robots.iter().map(operators).take(set.len()).collect::<Vec<_>>(), set);
        let after: Vec<_> = runners.iter().map(switches).take(switched.len()).collect();
        prop_assert_eq!(after, switched);
        prop_assert_eq!(plan(&robots, &runners, &BTreeMap::new(), &second, &filters()).changes, vec![]);
    }

    #[test]
    fn the_order_of_our_rows_does_not_matter(first in views(), second in views()) {
        let (mut robots, mut runners) = (Vec::new(), Vec::new());
        let sync = plan(&robots, &runners, &BTreeMap::new(), &first, &filters());
        apply(&mut robots, &mut runners, &sync.changes);
        let mut one = plan(&robots, &runners, &BTreeMap::new(), &second, &filters()).changes;
        robots.reverse();
        runners.reverse();
        let mut two = plan(&robots, &runners, &BTreeMap::new(), &second, &filters()).changes;
        let text = |change: &Change| format!("{change:?}");
        one.sort_by_key(text);
        two.sort_by_key(text);
        prop_assert_eq!(one, two);
    }
}

//! Which files become robots, and which robots are gone.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Change, File, Filters, Sync, free_name};
use crate::model::{Limits, Robot, RobotId};

pub(super) fn plan(
    sync: &mut Sync,
    robots: &[Robot],
    mapped: &BTreeMap<String, RobotId>,
    files: &[File],
    filters: &Filters,
) {
    let mut seen: BTreeMap<RobotId, &File> = BTreeMap::new();
    for file in files.iter().filter(|file| file.taskbot && file.id > 0) {
        seen.entry(RobotId(file.id)).or_insert(file);
    }
    let ours: HashSet<RobotId> = robots.iter().map(|robot| robot.id).collect();
    // Imported anew it has another id; the mapping says that it is the same. The newest file wins.
    let mut moved: HashMap<RobotId, RobotId> = HashMap::new();
    for (id, file) in seen.iter().filter(|(id, _)| !ours.contains(id)) {
        let whose = mapped.get(file.name.trim()).or_else(|| mapped.get(file.path.trim()));
        if let Some(old) = whose.filter(|old| ours.contains(old) && !seen.contains_key(old)) {
            moved.insert(*old, *id);
        }
    }
    // Filters choose what is taken in; what is ours already is looked at whatever its name.
    for robot in robots {
        let now = moved.get(&robot.id).copied();
        if let Some(new) = now {
            sync.changes.push(Change::RepointRobot { old: robot.id, new });
        }
        let id = now.unwrap_or(robot.id);
        sync.changes.extend(known(robot, id, seen.remove(&id)));
    }
    let mut names: HashSet<String> = robots.iter().map(|robot| robot.name.clone()).collect();
    for file in seen.into_values() {
        if filters.take(&file.path, &file.name) {
            let name = free_name(&mut names, &file.name, file.id);
            sync.changes.push(Change::NewRobot(new(file, name)));
        } else {
            sync.filtered += 1;
        }
    }
}

fn known(robot: &Robot, id: RobotId, file: Option<&File>) -> Option<Change> {
    let Some(file) = file else {
        return robot.seen_name.as_ref().map(|_| Change::RobotGone { robot: robot.id });
    };
    let description = file.description.clone().filter(|_| robot.description.is_none());
    let renamed = robot.seen_name.as_deref() != Some(&file.name);
    (renamed || description.is_some()).then(|| Change::RobotSeen {
        robot: id,
        name: file.name.clone(),
        description,
    })
}

/// With the defaults of F-1.1.
fn new(file: &File, name: String) -> Robot {
    Robot {
        id: RobotId(file.id),
        name,
        description: file.description.clone(),
        parameters: None,
        active: true,
        online: false,
        limits: Limits { least: 1, most: None },
        priority: 100,
        tickets_per_runner: 10,
        pool: None,
        retry: crate::model::Retry::default(),
        seen_name: Some(file.name.clone()),
        version: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{View, plan};
    use super::*;

    fn file(id: i64, name: &str) -> File {
        let path = format!("Automation Anywhere\\Bots\\RPA\\{name}");
        File { id, name: name.to_owned(), path, description: None, taskbot: true }
    }

    fn robot(id: i64, name: &str) -> Robot {
        new(&file(id, name), name.to_owned())
    }

    fn changes(robots: &[Robot], files: Vec<File>, filters: &Filters) -> Vec<Change> {
        let view = View { files, ..View::default() };
        plan(robots, &[], &BTreeMap::new(), &view, filters).changes
    }

    fn all() -> Filters {
        Filters::read("", "", "").unwrap()
    }

    #[test]
    fn new_robots_come_with_the_defaults_and_pass_the_filters() {
        let filters = Filters::read("RPA", "^P[A-Z0-9]*[0-9].*_.*", "(?i)loop").unwrap();
        let folder = File { taskbot: false, ..file(9, "P1_folder") };
        let elsewhere = File { path: "Bots\\Otros\\P1_x".to_owned(), ..file(4, "P1_x") };
        let files =
            vec![file(2, "P12_Altas"), file(3, "P9_LOOP"), elsewhere, file(5, "Prueba"), folder];
        let view = View { files, ..View::default() };
        let sync = plan(&[], &[], &BTreeMap::new(), &view, &filters);
        assert_eq!(sync.changes, [Change::NewRobot(robot(2, "P12_Altas"))]);
        assert_eq!(sync.filtered, 3);
        let Change::NewRobot(new) = &sync.changes[0] else { panic!("a robot") };
        assert!(new.active && !new.online);
        assert_eq!((new.limits.least, new.limits.most, new.priority), (1, None, 100));
    }

    #[test]
    fn a_renamed_robot_keeps_our_name() {
        let ours = robot(2, "Altas");
        let change = changes(std::slice::from_ref(&ours), vec![file(2, "P12_Altas_v2")], &all());
        let name = "P12_Altas_v2".to_owned();
        assert_eq!(change, [Change::RobotSeen { robot: ours.id, name, description: None }]);
    }

    #[test]
    fn a_description_fills_an_empty_one_and_replaces_none() {
        let told = File { description: Some("de A360".to_owned()), ..file(2, "Altas") };
        let mut ours = robot(2, "Altas");
        let change = changes(std::slice::from_ref(&ours), vec![told.clone()], &all());
        let Change::RobotSeen { description, .. } = &change[0] else { panic!("seen") };
        assert_eq!(description.as_deref(), Some("de A360"));
        ours.description = Some("nuestra".to_owned());
        assert_eq!(changes(&[ours], vec![told], &all()), []);
    }

    #[test]
    fn what_is_gone_is_marked_once_whatever_the_filters_say() {
        let mut ours = robot(2, "Altas");
        let gone = [Change::RobotGone { robot: ours.id }];
        assert_eq!(changes(std::slice::from_ref(&ours), vec![], &all()), gone);
        let nothing = Filters::read("nowhere", "", "").unwrap();
        assert_eq!(changes(std::slice::from_ref(&ours), vec![file(2, "Altas")], &nothing), []);
        ours.seen_name = None;
        assert_eq!(changes(&[ours], vec![], &all()), []);
    }

    #[test]
    fn two_files_of_one_name_become_two_names() {
        let change =
            changes(&[robot(1, "A")], vec![file(3, "A"), file(1, "A"), file(2, "A")], &all());
        let names: Vec<_> = change
            .iter()
            .map(|change| match change {
                Change::NewRobot(robot) => robot.name.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(names, ["A (2)", "A (3)"]);
    }

    #[test]
    fn a_bot_imported_anew_stays_the_same_robot_where_a_mapping_says_so() {
        let ours = robot(2, "Altas");
        let mapped = BTreeMap::from([("P12_Altas".to_owned(), ours.id)]);
        let view = |files| View { files, ..View::default() };
        let told = |files| {
            let view = view(files);
            plan(std::slice::from_ref(&ours), &[], &mapped, &view, &all()).changes
        };
        let new = RobotId(77);
        let moved = told(vec![file(77, "P12_Altas")]);
        assert_eq!(moved[0], Change::RepointRobot { old: ours.id, new });
        let Change::RobotSeen { robot, .. } = &moved[1] else { panic!("{moved:?}") };
        assert_eq!((*robot, moved.len()), (new, 2), "and no second robot appears");
        let both = told(vec![file(2, "Altas"), file(77, "P12_Altas")]);
        assert!(matches!(both[..], [Change::NewRobot(_)]), "the old one is still there: {both:?}");
    }
}

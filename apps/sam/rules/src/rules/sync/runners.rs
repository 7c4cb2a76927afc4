//! Which devices become runners, and which runners are gone.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Change, Device, Ignored, Sight, Sync, User, Why, free_name};
use crate::model::{Licence, Runner, RunnerId};

pub(super) fn plan(sync: &mut Sync, runners: &[Runner], devices: &[Device], users: &[User]) {
    let users: HashMap<i64, &User> = users.iter().map(|user| (user.id, user)).collect();
    let mut seen: BTreeMap<RunnerId, &Device> = BTreeMap::new();
    for device in devices.iter().filter(|device| device.id > 0) {
        seen.entry(RunnerId(device.id)).or_insert(device);
    }
    let ours: HashSet<RunnerId> = runners.iter().map(|runner| runner.id).collect();
    let mut roster = Roster { users, moved: HashSet::new(), names: names(runners) };
    // The newest registration first: of two with one host it is the machine as it is now.
    for (id, device) in seen.iter().rev().filter(|(id, _)| !ours.contains(id)) {
        roster.meet(sync, *id, device, runners, &seen);
    }
    for runner in runners.iter().filter(|runner| !roster.moved.contains(&runner.id)) {
        match seen.get(&runner.id) {
            Some(device) => roster.look(sync, runner, runner.id, device),
            None if runner.connected == Some(false) => {}
            None => sync.changes.push(Change::RunnerGone { runner: runner.id }),
        }
    }
}

fn names(runners: &[Runner]) -> HashSet<String> {
    runners.iter().map(|runner| runner.name.clone()).collect()
}

struct Roster<'a> {
    users: HashMap<i64, &'a User>,
    /// Runners that continue under another device.
    moved: HashSet<RunnerId>,
    names: HashSet<String>,
}

impl<'a> Roster<'a> {
    /// A device that is not ours: the new registration of a machine of ours, or a new machine.
    fn meet(
        &mut self,
        sync: &mut Sync,
        id: RunnerId,
        device: &Device,
        runners: &[Runner],
        seen: &BTreeMap<RunnerId, &Device>,
    ) {
        let is_silent =
            |runner: &&Runner| seen.get(&runner.id).is_none_or(|device| !device.connected);
        let twins = runners.iter().filter(|runner| same(host_of(runner, seen), &device.host));
        let old = twins
            .filter(|runner| !self.moved.contains(&runner.id))
            .filter(is_silent)
            .min_by_key(|runner| runner.id);
        match old {
            Some(old) if device.connected => {
                self.moved.insert(old.id);
                sync.changes.push(Change::Repoint { old: old.id, new: id });
                self.look(sync, old, id, device);
            }
            Some(old) => sync.ignored.push(ignored(device, Why::SameHost { other: old.id.0 })),
            None if let Some(other) = newer(device, seen) => {
                sync.ignored.push(ignored(device, Why::SameHost { other }));
            }
            None => match self.licensed(device, None) {
                Some(user) => {
                    let name = free_name(&mut self.names, &device.host, device.id);
                    sync.changes.push(Change::NewRunner(new(device, user, name)));
                }
                None => sync.ignored.push(ignored(device, Why::NoLicence)),
            },
        }
    }

    /// A runner of ours and the device it is, under whatever id.
    fn look(&self, sync: &mut Sync, runner: &Runner, id: RunnerId, device: &Device) {
        let sight = self.sight(runner, device);
        if !is_known(runner, &sight) {
            sync.changes.push(Change::RunnerSeen { runner: id, sight });
        }
    }

    /// Without a licensed default user the runner keeps its user, with the licence that user has
    /// now; a user nobody knows any more leaves everything as it was.
    fn sight(&self, runner: &Runner, device: &Device) -> Sight {
        let user = self.licensed(device, Some(runner.user_id));
        let user = user.or_else(|| self.users.get(&runner.user_id).copied());
        let (user_id, user_name, licence) = match user {
            Some(user) => (user.id, Some(user.name.clone()), user.licence.clone()),
            None => (runner.user_id, runner.user_name.clone(), runner.licence.clone()),
        };
        Sight {
            name: device.host.clone(),
            connected: device.connected,
            licence,
            user_id,
            user_name,
        }
    }

    /// The default user that may run bots: the present one if it may, else the first.
    fn licensed(&self, device: &Device, present: Option<i64>) -> Option<&'a User> {
        let users = device.users.iter().filter_map(|id| self.users.get(id).copied());
        let able: Vec<&User> = users.filter(|user| user.licence.runs_bots()).collect();
        let same = able.iter().find(|user| Some(user.id) == present);
        same.or(able.first()).copied()
    }
}

/// Another registration of the host that says more about it than a device out of reach.
fn newer(device: &Device, seen: &BTreeMap<RunnerId, &Device>) -> Option<i64> {
    let others = seen.values().filter(|other| other.id != device.id);
    let mut twins = others.filter(|other| same(&other.host, &device.host));
    let newer = twins.find(|other| other.connected || other.id > device.id);
    newer.filter(|_| !device.connected).map(|other| other.id)
}

/// What the machine is called: as it is listed now, as it was last seen, or as we call it.
fn host_of<'a>(runner: &'a Runner, seen: &BTreeMap<RunnerId, &'a Device>) -> &'a str {
    let listed = seen.get(&runner.id).map(|device| device.host.as_str());
    listed.or(runner.seen_name.as_deref()).unwrap_or(&runner.name)
}

fn same(one: &str, two: &str) -> bool {
    !two.trim().is_empty() && one.trim().to_lowercase() == two.trim().to_lowercase()
}

fn is_known(runner: &Runner, sight: &Sight) -> bool {
    let Sight { name, connected, licence, user_id, user_name } = sight;
    runner.seen_name.as_ref() == Some(name)
        && runner.connected == Some(*connected)
        && runner.licence == *licence
        && runner.user_id == *user_id
        && runner.user_name == *user_name
}

fn ignored(device: &Device, why: Why) -> Ignored {
    Ignored { device: device.id, host: device.host.clone(), why }
}

fn new(device: &Device, user: &User, name: String) -> Runner {
    Runner {
        id: RunnerId(device.id),
        name,
        user_id: user.id,
        user_name: Some(user.name.clone()),
        licence: Licence::clone(&user.licence),
        active: true,
        dynamic: false,
        pool: None,
        connected: Some(device.connected),
        seen_name: Some(device.host.clone()),
        version: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Filters, View, plan};
    use super::*;
    use crate::model::PoolId;

    fn user(id: i64, licence: &str) -> User {
        User { id, name: format!("u{id}"), licence: Licence::parse(licence) }
    }

    fn device(id: i64, host: &str, connected: bool) -> Device {
        Device { id, host: host.to_owned(), connected, users: vec![6, 7] }
    }

    fn runner(id: i64, host: &str) -> Runner {
        new(&device(id, host, true), &user(7, "RUNTIME, ANALYTICS"), host.to_owned())
    }

    fn sync(runners: &[Runner], devices: Vec<Device>) -> Sync {
        let users = vec![user(6, "DEVELOPMENT"), user(7, "RUNTIME, ANALYTICS")];
        let filters = Filters::read("", "", "").unwrap();
        plan(&[], runners, &BTreeMap::new(), &View { devices, users, ..View::default() }, &filters)
    }

    #[test]
    fn a_new_device_runs_as_its_first_licensed_user() {
        let told = sync(&[], vec![device(3, "PC3", true)]);
        assert_eq!(told.changes, [Change::NewRunner(runner(3, "PC3"))]);
        let unlicensed = Device { users: vec![6, 99], ..device(4, "PC4", true) };
        let told = sync(&[], vec![unlicensed]);
        assert_eq!(told.changes, []);
        assert_eq!(told.ignored[0].why, Why::NoLicence);
    }

    #[test]
    fn s08_maintenance_survives_a_sync() {
        let mut ours = Runner { active: false, connected: Some(false), ..runner(3, "PC3") };
        ours.pool = Some(PoolId(1));
        let told = sync(&[ours], vec![device(3, "PC3", true)]);
        let [Change::RunnerSeen { runner, sight }] = &told.changes[..] else { panic!("{told:?}") };
        assert_eq!((*runner, sight.connected), (RunnerId(3), true));
    }

    #[test]
    fn a_lost_licence_and_another_user_are_seen() {
        let ours = runner(3, "PC3");
        let demoted = Device { users: vec![6], ..device(3, "PC3", true) };
        let told = sync(std::slice::from_ref(&ours), vec![demoted.clone()]);
        assert_eq!(told.changes, [], "its user still has the licence");
        let other = Runner { user_id: 6, ..ours.clone() };
        let told = sync(std::slice::from_ref(&other), vec![demoted]);
        let [Change::RunnerSeen { sight, .. }] = &told.changes[..] else { panic!("{told:?}") };
        assert!(!sight.licence.runs_bots());
        let told = sync(&[other], vec![device(3, "PC3", true)]);
        let [Change::RunnerSeen { sight, .. }] = &told.changes[..] else { panic!("{told:?}") };
        assert_eq!((sight.user_id, sight.licence.runs_bots()), (7, true));
        let stranger = Device { users: vec![], ..device(3, "PC3", true) };
        assert_eq!(sync(&[Runner { user_id: 50, ..ours }], vec![stranger]).changes, []);
    }

    #[test]
    fn what_is_not_listed_is_not_connected() {
        let ours = runner(3, "PC3");
        let told = sync(std::slice::from_ref(&ours), vec![]);
        assert_eq!(told.changes, [Change::RunnerGone { runner: ours.id }]);
        assert_eq!(sync(&[Runner { connected: Some(false), ..ours }], vec![]).changes, []);
    }

    #[test]
    fn the_same_host_under_a_new_id_is_the_same_machine() {
        let ours = [runner(3, "PC3")];
        let repoint = Change::Repoint { old: RunnerId(3), new: RunnerId(8) };
        assert_eq!(sync(&ours, vec![device(8, "pc3", true)]).changes[0], repoint);
        let both = vec![device(3, "PC3", false), device(8, "PC3", true)];
        assert_eq!(sync(&ours, both).changes, [repoint]);
        let waiting = sync(&ours, vec![device(3, "PC3", false), device(8, "PC3", false)]);
        assert_eq!(waiting.ignored[0].why, Why::SameHost { other: 3 });
        let twins = sync(&ours, vec![device(3, "PC3", true), device(8, "PC3", true)]);
        let [Change::NewRunner(new)] = &twins.changes[..] else { panic!("{twins:?}") };
        assert_eq!(new.name, "PC3 (8)");
    }
}

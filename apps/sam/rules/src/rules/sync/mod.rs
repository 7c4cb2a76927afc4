//! *Sincronización*: what the Control Room sees, beside what the operator says (R-9,
//! F-2.G). Names, switches, limits and pools are the operator's: a sync adds what is new,
//! notes what is seen and what is gone, and changes nothing else (F-PY1, F-PY2).

mod filters;
mod robots;
mod runners;

#[cfg(test)]
mod properties;

use std::collections::BTreeMap;

use engine::Sentence;

use crate::model::{Licence, Robot, RobotId, Runner, RunnerId};

pub use filters::{Filters, pattern};

/// The Control Room's lists, complete: a list that could not be read to its end is no view.
#[derive(Debug, Clone, Default)]
pub struct View {
    pub files: Vec<File>,
    pub devices: Vec<Device>,
    pub users: Vec<User>,
}

/// A file of the public workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub id: i64,
    pub name: String,
    pub path: String,
    pub description: Option<String>,
    pub taskbot: bool,
}

/// A machine that is or was connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    pub id: i64,
    pub host: String,
    pub connected: bool,
    /// The users whose runs it takes by default, in the Control Room's order.
    pub users: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub licence: Licence,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    NewRobot(Robot),
    /// The description is told only where ours is empty.
    RobotSeen {
        robot: RobotId,
        name: String,
        description: Option<String>,
    },
    /// Not in the Control Room any more; it stays, with everything that refers to it.
    RobotGone {
        robot: RobotId,
    },
    /// The same bot under a new file id, as a mapping of `A360` says: everything of `old` becomes
    /// `new`'s.
    RepointRobot {
        old: RobotId,
        new: RobotId,
    },
    NewRunner(Runner),
    RunnerSeen {
        runner: RunnerId,
        sight: Sight,
    },
    RunnerGone {
        runner: RunnerId,
    },
    /// The same host under a new device id: everything of `old` becomes `new`'s.
    Repoint {
        old: RunnerId,
        new: RunnerId,
    },
}

/// What the Control Room says of a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    pub name: String,
    pub connected: bool,
    pub licence: Licence,
    pub user_id: i64,
    pub user_name: Option<String>,
}

/// Why a device did not become a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    pub device: i64,
    pub host: String,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// None of its default users may run bots.
    NoLicence,
    /// Another device has that host; which of them is the machine is known once one connects.
    SameHost { other: i64 },
}

impl Why {
    /// In Spanish and English.
    pub fn sentence(self) -> Sentence {
        match self {
            Self::NoLicence => Sentence::new(
                "Ningún usuario predeterminado tiene licencia RUNTIME o ATTENDEDRUNTIME.",
                "None of its default users has a RUNTIME or ATTENDEDRUNTIME licence.",
            ),
            Self::SameHost { other } => Sentence::new(
                format!("El equipo {other} tiene el mismo host y este no está conectado."),
                format!("Device {other} has the same host and this one is not connected."),
            ),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sync {
    /// In the order in which they have to be applied.
    pub changes: Vec<Change>,
    pub ignored: Vec<Ignored>,
    /// Taskbots that the filters left out.
    pub filtered: usize,
}

impl engine::Planned for Sync {
    type Change = Change;
    type Held = Ignored;

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn held(&self) -> &[Ignored] {
        &self.ignored
    }
}

/// `mapped`: whose bot a name in the Control Room is, as the operator says.
pub fn plan(
    robots: &[Robot],
    runners: &[Runner],
    mapped: &BTreeMap<String, RobotId>,
    view: &View,
    filters: &Filters,
) -> Sync {
    let mut sync = Sync::default();
    robots::plan(&mut sync, robots, mapped, &view.files, filters);
    runners::plan(&mut sync, runners, &view.devices, &view.users);
    sync
}

/// Names are unique here, not there: a second one carries its id.
fn free_name(taken: &mut std::collections::HashSet<String>, name: &str, id: i64) -> String {
    let name = name.trim();
    let mut free = if name.is_empty() { id.to_string() } else { name.to_owned() };
    while taken.contains(&free) {
        free = format!("{free} ({id})");
    }
    taken.insert(free.clone());
    free
}

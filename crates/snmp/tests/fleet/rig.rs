//! A simulated fleet and somebody to speak to it.

use std::time::Duration;

use snmp::sim::{Brand, Column, Options, Settings, Simulator};
use snmp::{CancellationToken, Credential, Fault, Fleet, Get, Got, Target, Walk, Walked};

/// Short enough to wait for in vain.
pub(crate) const SHORT: Duration = Duration::from_millis(200);
/// Long enough for a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(5);

pub(crate) struct Rig {
    pub(crate) sim: Simulator,
    pub(crate) fleet: Fleet,
}

impl Rig {
    pub(crate) async fn new(onus: u32) -> Self {
        Self::many(1, onus).await
    }

    pub(crate) async fn many(count: usize, onus: u32) -> Self {
        let options = Options { count, onus, ..Options::default() };
        let sim = Simulator::start(options).await.expect("free ports");
        Self { sim, fleet: Fleet::bind().expect("a socket") }
    }

    pub(crate) async fn with(onus: u32, change: impl FnOnce(&mut Settings)) -> Self {
        let rig = Self::new(onus).await;
        rig.change(change);
        rig
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.sim.settings(0);
        change(&mut settings);
        self.sim.set(0, settings).expect("valid settings");
    }

    pub(crate) fn target(&self, number: usize) -> Target {
        self.target_as(number, Credential::v2c("public"))
    }

    pub(crate) fn target_as(&self, number: usize, credential: Credential) -> Target {
        let address = self.sim.addresses()[number];
        Target::new(address.ip().to_string(), address.port(), credential)
    }

    pub(crate) async fn walk(&self, walk: &Walk) -> Result<Walked, Fault> {
        self.fleet.walk(&self.target(0), walk, &CancellationToken::new()).await
    }

    pub(crate) async fn get(&self, get: &Get) -> Result<Got, Fault> {
        self.fleet.get(&self.target(0), get, &CancellationToken::new()).await
    }

    pub(crate) fn received(&self, number: usize) -> u64 {
        self.sim.counters(number).received
    }
}

/// The column that discovery walks.
pub(crate) fn states() -> Walk {
    column(Column::State)
}

/// The same where silence is to be expected.
pub(crate) fn hasty() -> Walk {
    Walk { timeout: SHORT, ..states() }
}

pub(crate) fn column(column: Column) -> Walk {
    Walk::new(Brand::Huawei.oid(column))
}

/// The first ONUs of a column by name.
pub(crate) async fn names(rig: &Rig, wanted: Column, count: usize) -> Vec<snmp::Oid> {
    let walked = rig.walk(&states()).await.expect("a healthy walk");
    let root = Brand::Huawei.oid(wanted);
    walked.rows.iter().take(count).map(|row| root.join(&row.index)).collect()
}

/// Waits until something is so; the other side of it runs on its own.
pub(crate) async fn until(mut so: impl FnMut() -> bool) {
    let mut look = tokio::time::interval(Duration::from_millis(1));
    let timeout = Duration::from_secs(20);
    let seen = async {
        while !so() {
            look.tick().await;
        }
    };
    tokio::time::timeout(timeout, seen).await.expect("it never happened");
}

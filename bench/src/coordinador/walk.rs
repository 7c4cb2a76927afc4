//! One table beside net-snmp's `snmpbulkwalk` against the same agent, and a fleet at once. The OLTs
//! answer from this process on loopback: what the software can do, not what a device can.

use std::{
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use futures::future::join_all;
use snmp::{
    CancellationToken, Credential, Fleet, Target, Walk,
    sim::{Brand, Column, Options, Simulator},
};

use crate::report::{Limit, Report};

const TURNS: usize = 41;

pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let fleet = Arc::new(Fleet::bind()?);
    let devices = Simulator::start(Options::default()).await?;
    let port = devices.addresses()[0].port();
    let target = Target::new("127.0.0.1", port, Credential::v2c("public"));
    let walk = Walk::new(Brand::Huawei.oid(Column::State));
    let root = walk.root.to_string();
    let (mut mine, mut other) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        mine.push(ours(&fleet, &target, &walk).await?);
        // What a program costs before it asks anything is not counted against it.
        let empty = theirs(port, "1.3.6.1.4.1.9.9").await?;
        other.push(theirs(port, &root).await?.saturating_sub(empty));
    }
    let (ours, theirs) = (middle(mine), middle(other));
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    let note = format!("2,048 rows: ours {ours:.1?}, theirs {theirs:.1?} without its start");
    let limit = Limit::AtLeast(0.9);
    report.line("bulk walk against snmpbulkwalk -Cr25", ratio, "x", limit, note);
    many(report, &fleet).await
}

/// One walk, where the application does them: in a task.
async fn ours(fleet: &Arc<Fleet>, target: &Target, walk: &Walk) -> Result<Duration> {
    let (fleet, target, walk) = (Arc::clone(fleet), target.clone(), walk.clone());
    let walked =
        tokio::spawn(async move { fleet.walk(&target, &walk, &CancellationToken::new()).await });
    Ok(walked.await??.took)
}

async fn theirs(port: u16, root: &str) -> Result<Duration> {
    let root = root.to_owned();
    let run = move || {
        let began = Instant::now();
        let mut command = Command::new("snmpbulkwalk");
        command.args(["-m", "", "-v2c", "-c", "public", "-Cr25", "-On"]);
        command.env("SNMP_PERSISTENT_DIR", std::env::temp_dir());
        command.arg(format!("127.0.0.1:{port}")).arg(&root).stdout(Stdio::null());
        command.status().context("snmpbulkwalk is needed: apt-get install snmp")?;
        Ok(began.elapsed())
    };
    tokio::task::spawn_blocking(run).await?
}

fn middle(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

async fn many(report: &mut Report, fleet: &Fleet) -> Result<()> {
    let devices =
        Simulator::start(Options { count: 60, onus: 4_096, ..Options::default() }).await?;
    let walk = Walk::new(Brand::Huawei.oid(Column::State));
    let never = CancellationToken::new();
    let began = Instant::now();
    let walks = devices.addresses().iter().map(async |address| {
        let host = address.ip().to_string();
        let target = Target::new(host, address.port(), Credential::v2c("public"));
        fleet.walk(&target, &walk, &never).await.map(|walked| walked.rows.len())
    });
    let rows = join_all(walks).await.into_iter().sum::<Result<usize, _>>()?;
    let rate = rows as f64 / began.elapsed().as_secs_f64();
    let note = format!("60 OLTs, {rows} rows, the OLTs included, nothing kept");
    report.line("fleet read", rate, "/s", Limit::None, note);
    Ok(())
}

//! A whole fleet at once.

use std::time::Instant;

use futures::future::join_all;
use snmp::sim::{Options, Simulator};
use snmp::{CancellationToken, Credential, Fault, Fleet, Target};

use crate::rig::{SHORT, hasty};

async fn fleet(count: usize, onus: u32) -> (Simulator, Fleet, Vec<Target>) {
    let sim = Simulator::start(Options { count, onus, ..Options::default() }).await;
    let sim = sim.expect("free ports");
    let target = |address: &std::net::SocketAddr| {
        Target::new(address.ip().to_string(), address.port(), Credential::v2c("public"))
    };
    let targets = sim.addresses().iter().map(target).collect();
    (sim, Fleet::bind().expect("a socket"), targets)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_dead_do_not_slow_the_living() {
    let (sim, fleet, targets) = fleet(60, 512).await;
    let dead = [3, 17, 29, 41, 59];
    for number in dead {
        let settings = snmp::sim::Settings { alive: false, ..sim.settings(number) };
        sim.set(number, settings).expect("valid");
    }
    let none = CancellationToken::new();
    let since = Instant::now();
    let jobs = targets.iter().map(async |target| {
        fleet.probe(target, SHORT * 10, &none).await?;
        let walked = fleet.walk(target, &hasty(), &none).await?;
        Ok::<_, Fault>((walked.rows.len(), since.elapsed()))
    });
    for (number, job) in join_all(jobs).await.into_iter().enumerate() {
        if dead.contains(&number) {
            assert_eq!(job.map(|(rows, _)| rows), Err(Fault::Timeout));
            assert_eq!(sim.counters(number).received, 1, "one probe and nothing else");
        } else {
            let (rows, took) = job.expect("alive");
            assert_eq!(rows, 512);
            assert!(took < SHORT * 10, "OLT {number} waited for the dead: {took:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_answer_together() {
    let (_sim, fleet, targets) = fleet(500, 100).await;
    let none = CancellationToken::new();
    let walks = targets.iter().map(async |target| {
        fleet.walk(target, &hasty(), &none).await.expect("a healthy walk").rows.len()
    });
    let rows: usize = join_all(walks).await.into_iter().sum();
    assert_eq!(rows, 50_000);
}

//! Whether a device is worth asking.

use std::time::{Duration, Instant};

use snmp::{CancellationToken, Credential, Fault, Target};

use crate::rig::{LONG, Rig, SHORT, states};

#[tokio::test]
async fn a_living_device_says_since_when() {
    let rig = Rig::new(1).await;
    for credential in [Credential::v1("public"), Credential::v2c("public")] {
        let target = rig.target_as(0, credential);
        let pulse = rig.fleet.probe(&target, LONG, &CancellationToken::new()).await;
        assert!(pulse.expect("alive").uptime.is_some());
    }
}

#[tokio::test]
async fn a_dead_device_costs_one_datagram_and_one_wait() {
    let rig = Rig::with(1, |olt| olt.alive = false).await;
    let since = Instant::now();
    let pulse = rig.fleet.probe(&rig.target(0), SHORT, &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Timeout));
    assert!(since.elapsed() < SHORT * 3, "{:?}", since.elapsed());
    assert_eq!(rig.received(0), 1);
}

#[tokio::test]
async fn where_nobody_listens_is_known_at_once() {
    let rig = Rig::new(1).await;
    let free = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("bound").port();
    drop(free);
    let target = Target::new("127.0.0.1", port, Credential::v2c("public"));
    let timeout = Duration::from_secs(10);
    let since = Instant::now();
    let pulse = rig.fleet.probe(&target, timeout, &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Unreachable));
    assert!(since.elapsed() < timeout / 2, "{:?}", since.elapsed());
}

#[tokio::test]
async fn a_name_nobody_knows_is_unreachable_and_port_zero_is_invalid() {
    let rig = Rig::new(1).await;
    let unknown = Target::new("olt.invalid", 161, Credential::v2c("public"));
    let pulse = rig.fleet.probe(&unknown, Duration::from_secs(5), &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Unreachable));
    let nowhere = Target::new("127.0.0.1", 0, Credential::v2c("public"));
    let pulse = rig.fleet.probe(&nowhere, SHORT, &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Invalid));
}

#[tokio::test]
async fn names_and_the_other_family_are_reached_too() {
    let options = snmp::sim::Options { listen: "::1".parse().expect("v6"), ..Default::default() };
    let Ok(sim) = snmp::sim::Simulator::start(options).await else {
        println!("skipped: this machine has no IPv6");
        return;
    };
    let fleet = snmp::Fleet::bind().expect("a socket");
    let port = sim.addresses()[0].port();
    let target = Target::new("::1", port, Credential::v2c("public"));
    let none = CancellationToken::new();
    assert!(fleet.probe(&target, LONG, &none).await.is_ok());
    assert_eq!(fleet.walk(&target, &states(), &none).await.expect("v6").rows.len(), 2048);
    let rig = Rig::new(5).await;
    let named = Target::new("localhost", rig.sim.addresses()[0].port(), Credential::v2c("public"));
    let asked = rig.fleet.probe(&named, SHORT, &none).await;
    assert!(matches!(asked, Ok(_) | Err(Fault::Unreachable)), "{asked:?}: localhost may be ::1");
}

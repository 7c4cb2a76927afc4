//! The client against Debian's `snmpd`, row by row with what `snmpbulkwalk` reads.

use std::process::Command;
use std::time::Duration;

use snmp::{
    Answer, AuthProtocol, CancellationToken, Credential, Fault, Fleet, Get, Missing, Oid,
    PrivacyProtocol, Target, Value, Walk,
};

use crate::process::{Running, TestDir, free_port, start, system};
use crate::reading::{Tool, same};

const CONFIGURATION: &str = "\
rocommunity turno-test
createUser open
createUser sha1 SHA \"turno-auth-key\"
createUser sha256 SHA-256 \"turno-auth-key\"
createUser private SHA \"turno-auth-key\" AES \"turno-priv-key\"
createUser long SHA-512 \"turno-auth-key\" AES-256 \"turno-priv-key\"
createUser stretched SHA \"turno-auth-key\" AES-256 \"turno-priv-key\"
createUser cisco SHA \"turno-auth-key\" AES-256-C \"turno-priv-key\"
rouser open noauth
rouser sha1 auth
rouser sha256 auth
rouser private priv
rouser long priv
rouser stretched priv
rouser cisco priv
";

const KEYS: &str = "-A turno-auth-key -X turno-priv-key";

async fn snmpd() -> Option<Running> {
    let program = system("snmpd")?;
    let room = TestDir::new();
    let configuration = room.write("snmpd.conf", CONFIGURATION);
    let port = free_port();
    let mut command = Command::new(program);
    command.env("SNMP_PERSISTENT_DIR", room.path()).args(["-f", "-C", "-Le", "-c"]);
    command.arg(configuration).arg(format!("udp:127.0.0.1:{port}"));
    let target = target(port, Credential::v2c("turno-test"));
    Some(start(command, room, &target).await)
}

fn target(port: u16, credential: Credential) -> Target {
    Target::new("127.0.0.1", port, credential)
}

fn v3(user: &str, auth: Option<AuthProtocol>, privacy: Option<PrivacyProtocol>) -> Credential {
    Credential::V3 {
        user: user.to_owned(),
        auth: auth.map(|protocol| (protocol, "turno-auth-key".into())),
        privacy: privacy.map(|protocol| (protocol, "turno-priv-key".into())),
        context: String::new(),
    }
}

async fn read(fleet: &Fleet, target: &Target, root: &str) -> Vec<(Oid, Value)> {
    let root: Oid = root.parse().expect("a name");
    let walk = Walk::new(root.clone());
    let walked = fleet.walk(target, &walk, &CancellationToken::new()).await.expect("complete");
    walked.rows.into_iter().map(|row| (root.join(&row.index), row.value)).collect()
}

#[tokio::test]
async fn every_version_and_level_reads_what_net_snmp_reads() {
    let Some(agent) = snmpd().await else { return };
    let state = TestDir::new();
    let Some(bulk) = Tool::find("snmpbulkwalk", state.path()) else { return };
    let Some(next) = Tool::find("snmpwalk", state.path()) else { return };
    let fleet = Fleet::bind().expect("a socket");
    let (sha1, aes) = (Some(AuthProtocol::Sha1), Some(PrivacyProtocol::Aes128));
    let secure = |who: &str| format!("-v3 -l authPriv {KEYS} -u {who}");
    let sha512 = Some(AuthProtocol::Sha512);
    let aes256 = Some(PrivacyProtocol::Aes256);
    let cisco = Some(PrivacyProtocol::Aes256Cisco);
    for (credential, login, tool) in [
        (Credential::v1("turno-test"), "-v1 -c turno-test".to_owned(), &next),
        (Credential::v2c("turno-test"), "-v2c -c turno-test".to_owned(), &bulk),
        (v3("open", None, None), "-v3 -l noAuthNoPriv -u open".to_owned(), &bulk),
        (v3("sha1", sha1, None), format!("-v3 -l authNoPriv -u sha1 -a SHA {KEYS}"), &bulk),
        (
            v3("sha256", Some(AuthProtocol::Sha256), None),
            format!("-v3 -l authNoPriv -u sha256 -a SHA-256 {KEYS}"),
            &bulk,
        ),
        (v3("private", sha1, aes), secure("private -a SHA -x AES"), &bulk),
        (v3("long", sha512, aes256), secure("long -a SHA-512 -x AES-256"), &bulk),
        // A digest too short for the key is stretched, and there are two schools of it.
        (v3("stretched", sha1, aes256), secure("stretched -a SHA -x AES-256"), &bulk),
        (v3("cisco", sha1, cisco), secure("cisco -a SHA -x AES-256-C"), &bulk),
    ] {
        let target = target(agent.port, credential);
        for root in ["1.3.6.1.2.1.1", "1.3.6.1.2.1.2", "1.3.6.1.2.1.31"] {
            let ours = read(&fleet, &target, root).await;
            let theirs = tool.read(&login, agent.port, root);
            assert!(ours.len() > 5 || login.starts_with("-v1"), "{login} {root}: {}", ours.len());
            same(&ours, &theirs);
        }
    }
}

#[tokio::test]
async fn values_and_absences_are_told_apart() {
    let Some(agent) = snmpd().await else { return };
    let fleet = Fleet::bind().expect("a socket");
    let target = target(agent.port, Credential::v2c("turno-test"));
    let none = CancellationToken::new();
    let oids = ["1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.2.9", "1.3.6.1.4.1.2011.1.0"];
    let oids = oids.iter().map(|oid| oid.parse().expect("a name")).collect();
    let got = fleet.get(&target, &Get::new(oids), &none).await.expect("answers").answers;
    assert!(matches!(got[0], Answer::Value(Value::Oid(_))), "{got:?}");
    assert_eq!(got[1], Answer::Missing(Missing::Instance));
    assert_eq!(got[2], Answer::Missing(Missing::Object));
}

#[tokio::test]
async fn strangers_are_turned_away_as_strangers() {
    let Some(agent) = snmpd().await else { return };
    let fleet = Fleet::bind().expect("a socket");
    let short = Duration::from_millis(500);
    let none = CancellationToken::new();
    let wrong_key = Credential::V3 {
        user: "sha1".to_owned(),
        auth: Some((AuthProtocol::Sha1, "another-auth-key".into())),
        privacy: None,
        context: String::new(),
    };
    for (credential, fault) in [
        (Credential::v2c("wrong"), Fault::Timeout),
        (v3("nobody", None, None), Fault::Auth),
        (v3("nobody", Some(AuthProtocol::Sha1), None), Fault::Auth),
        (wrong_key, Fault::Auth),
        (v3("sha1", Some(AuthProtocol::Sha512), None), Fault::Auth),
    ] {
        let target = target(agent.port, credential.clone());
        let pulse = fleet.probe(&target, short, &none).await;
        assert_eq!(pulse, Err(fault), "{credential:?}");
    }
    // Silence to a community is not absence: version 3 introduces itself to anybody.
    let wrong = target(agent.port, Credential::v2c("wrong"));
    assert!(fleet.introduces_itself(&wrong, short, &none).await);
    let port = agent.port;
    drop(agent);
    let gone = target(port, Credential::v2c("wrong"));
    assert!(!fleet.introduces_itself(&gone, short, &none).await);
}

/// A device that was exchanged or started again is known again with the next probe.
#[tokio::test]
async fn another_device_at_the_same_address_is_met_anew() {
    let Some(first) = snmpd().await else { return };
    let port = first.port;
    let fleet = Fleet::bind().expect("a socket");
    let private = v3("private", Some(AuthProtocol::Sha1), Some(PrivacyProtocol::Aes128));
    let target = target(port, private);
    let none = CancellationToken::new();
    let short = Duration::from_secs(2);
    assert!(fleet.probe(&target, short, &none).await.is_ok());
    drop(first);
    let room = TestDir::new();
    let configuration = room.write("snmpd.conf", CONFIGURATION);
    let mut command = Command::new(system("snmpd").expect("found above"));
    command.env("SNMP_PERSISTENT_DIR", room.path()).args(["-f", "-C", "-Le", "-c"]);
    command.arg(configuration).arg(format!("udp:127.0.0.1:{port}"));
    let public = Target { credential: Credential::v2c("turno-test"), ..target.clone() };
    let _second = start(command, room, &public).await;
    let met = fleet.probe(&target, short, &none).await;
    assert!(met.is_ok(), "{met:?}");
    let walk = Walk::new("1.3.6.1.2.1.1".parse().expect("a name"));
    assert!(fleet.walk(&target, &walk, &none).await.is_ok());
}

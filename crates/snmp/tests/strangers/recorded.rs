//! The client against snmpsim, which plays back a recorded OLT.

use std::fmt::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use snmp::{
    Answer, AuthProtocol, CancellationToken, Credential, Fleet, Get, Kind, Missing, Oid,
    PrivacyProtocol, Target, Value, Walk,
};

use crate::process::{Running, TestDir, find, free_port, start};

const STATE: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.1";
const SERIAL: &str = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.3";
const ROWS: u32 = 300;

/// `oid|tag|value`, in the order of names; the file's name is the community or context.
fn recording() -> String {
    let mut text = String::from("1.3.6.1.2.1.1.3.0|67|12345\n");
    let ports = |onu: u32| (4_194_304_000 + (onu / 64) * 256, onu % 64);
    for onu in 0..ROWS {
        let (port, place) = ports(onu);
        writeln!(text, "{STATE}.{port}.{place}|2|{}", 1 + onu % 2).expect("memory");
    }
    for onu in 0..ROWS {
        let (port, place) = ports(onu);
        writeln!(text, "{SERIAL}.{port}.{place}|4x|48575443{onu:08x}").expect("memory");
    }
    text
}

async fn snmpsim() -> Option<Running> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("inside the target");
    let name = "snmpsim-command-responder";
    let program = find("snmpsim", &[target.join("venv/bin").join(name)])?;
    let room = TestDir::new();
    std::fs::create_dir(room.path().join("data")).expect("a directory");
    room.write("data/olt.snmprec", &recording());
    let port = free_port();
    let mut command = Command::new(program);
    command.current_dir(room.path()).args([
        "--data-dir=data",
        "--cache-dir=cache",
        "--v3-user=turno",
        "--v3-auth-key=turno-auth-key",
        "--v3-auth-proto=SHA",
        "--v3-priv-key=turno-priv-key",
        "--v3-priv-proto=AES",
        &format!("--agent-udpv4-endpoint=127.0.0.1:{port}"),
    ]);
    let superuser = std::fs::metadata(room.path()).expect("just made").uid() == 0;
    if superuser {
        // It refuses to stay root without being told so.
        command.args(["--process-user=root", "--process-group=root"]);
    }
    let target = Target::new("127.0.0.1", port, Credential::v2c("olt"));
    Some(start(command, room, &target).await)
}

async fn check(fleet: &Fleet, target: &Target) {
    let none = CancellationToken::new();
    let root: Oid = STATE.parse().expect("a name");
    let walk = Walk { expect: Some(Kind::Number), ..Walk::new(root.clone()) };
    let walked = fleet.walk(target, &walk, &none).await.expect("complete");
    assert_eq!(walked.rows.len(), ROWS as usize);
    for (onu, row) in (0..ROWS).zip(&walked.rows) {
        let index = [4_194_304_000 + (onu / 64) * 256, onu % 64];
        assert_eq!(
            (row.index.arcs(), &row.value),
            (&index[..], &Value::Integer(1 + onu as i32 % 2))
        );
    }
    let serial: Oid = SERIAL.parse().expect("a name");
    let mut oids: Vec<Oid> = walked.rows.iter().map(|row| serial.join(&row.index)).collect();
    oids.push(serial.join(&Oid::new([4_194_304_000, 99])));
    let got = fleet.get(target, &Get::new(oids), &none).await.expect("answers").answers;
    for (onu, answer) in (0..ROWS).zip(&got) {
        let bytes = [&b"HWTC"[..], &onu.to_be_bytes()].concat();
        assert_eq!(answer, &Answer::Value(Value::Bytes(bytes)));
    }
    let last = got.last().expect("one too many");
    assert!(matches!(last, Answer::Missing(Missing::Instance | Missing::Object)), "{last:?}");
}

#[tokio::test]
async fn a_recorded_olt_is_read_in_every_version() {
    let Some(agent) = snmpsim().await else { return };
    let fleet = Fleet::bind().expect("a socket");
    let secure = Credential::V3 {
        user: "turno".to_owned(),
        auth: Some((AuthProtocol::Sha1, "turno-auth-key".into())),
        privacy: Some((PrivacyProtocol::Aes128, "turno-priv-key".into())),
        context: "olt".to_owned(),
    };
    for credential in [Credential::v2c("olt"), Credential::v1("olt"), secure] {
        check(&fleet, &Target::new("127.0.0.1", agent.port, credential)).await;
    }
}

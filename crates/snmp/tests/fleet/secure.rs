//! v3 against the library's agent; strangers are asked elsewhere.

use snmp::sim::Column;
use snmp::{
    Answer, AuthProtocol, CancellationToken, Credential, Fault, Get, PrivacyProtocol, Value,
};

use crate::rig::{LONG, Rig, SHORT, hasty, names, states};

fn v3(user: &str, auth: Option<&str>, privacy: Option<&str>) -> Credential {
    Credential::V3 {
        user: user.to_owned(),
        auth: auth.map(|key| (AuthProtocol::Sha256, key.into())),
        privacy: privacy.map(|key| (PrivacyProtocol::Aes128, key.into())),
        context: String::new(),
    }
}

#[tokio::test]
async fn every_level_walks_and_gets() {
    let rig = Rig::new(120).await;
    let expected = rig.walk(&states()).await.expect("v2c").rows;
    let oids = names(&rig, Column::Description, 50).await;
    for credential in [
        v3("turno-open", None, None),
        v3("turno-auth", Some("turno-auth-key"), None),
        v3("turno-priv", Some("turno-auth-key"), Some("turno-priv-key")),
    ] {
        let target = rig.target_as(0, credential.clone());
        let none = CancellationToken::new();
        assert!(rig.fleet.probe(&target, LONG, &none).await.is_ok(), "{credential:?}");
        let walked = rig.fleet.walk(&target, &states(), &none).await.expect("let in");
        assert_eq!(walked.rows, expected, "{credential:?}");
        let got = rig.fleet.get(&target, &Get::new(oids.clone()), &none).await.expect("let in");
        let text = |answer: &Answer| matches!(answer, Answer::Value(Value::Bytes(_)));
        assert!(got.answers.iter().all(text), "{credential:?}");
    }
}

#[tokio::test]
async fn a_wrong_user_key_or_level_is_turned_away() {
    let rig = Rig::new(5).await;
    let none = CancellationToken::new();
    for credential in [
        v3("nobody", None, None),
        v3("nobody", Some("turno-auth-key"), None),
        v3("turno-auth", Some("wrong-auth-key"), None),
        v3("turno-open", Some("turno-auth-key"), None),
    ] {
        let target = rig.target_as(0, credential.clone());
        let pulse = rig.fleet.probe(&target, SHORT * 2, &none).await;
        assert_eq!(pulse, Err(Fault::Auth), "{credential:?}");
        let walked = rig.fleet.walk(&target, &hasty(), &none).await;
        assert_eq!(walked, Err(Fault::Auth), "{credential:?}");
    }
}

#[tokio::test]
async fn a_key_too_short_is_never_sent() {
    let rig = Rig::new(5).await;
    let target = rig.target_as(0, v3("turno-auth", Some("short"), None));
    let pulse = rig.fleet.probe(&target, SHORT, &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Invalid));
    assert_eq!(rig.received(0), 0);
}

/// Deciphered with another key it is noise, and a device does not answer noise.
#[tokio::test]
async fn a_wrong_privacy_key_is_silence() {
    let rig = Rig::new(5).await;
    let target = rig.target_as(0, v3("turno-priv", Some("turno-auth-key"), Some("wrong-key")));
    let pulse = rig.fleet.probe(&target, SHORT * 2, &CancellationToken::new()).await;
    assert_eq!(pulse, Err(Fault::Timeout));
}

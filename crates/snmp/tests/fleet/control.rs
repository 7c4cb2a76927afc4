//! The fleet as a test controls it over HTTP.

use serde_json::{Value, json};
use snmp::sim::{Options, Profile, Simulator, StartError};
use snmp::{CancellationToken, Credential, Fault, Fleet, Target};

use crate::rig::{SHORT, states};

async fn controlled(profile: Profile) -> (Simulator, String) {
    let control = Some("127.0.0.1:0".parse().expect("an address"));
    let options = Options { count: 3, onus: 40, control, profile, ..Options::default() };
    let sim = Simulator::start(options).await.expect("free ports");
    let url = format!("http://{}", sim.control().expect("asked for"));
    (sim, url)
}

#[tokio::test]
async fn settings_change_while_it_runs_and_come_back() {
    let (sim, url) = controlled(Profile::default()).await;
    let http = http_client::client();
    let olts: Value =
        http.get(format!("{url}/sim/olts")).send().await.expect("sent").json().await.expect("JSON");
    assert_eq!(olts.as_array().map(Vec::len), Some(3));
    assert_eq!(olts[1]["address"], sim.addresses()[1].to_string());
    let put = |body: Value| http.put(format!("{url}/sim/olts/1")).body(body.to_string()).send();
    let changed: Value = put(json!({"onus": 7})).await.expect("sent").json().await.expect("JSON");
    assert_eq!((&changed["onus"], &changed["alive"]), (&json!(7), &json!(true)));
    let fleet = Fleet::bind().expect("a socket");
    let target = Target::new("127.0.0.1", sim.addresses()[1].port(), Credential::v2c("public"));
    let none = CancellationToken::new();
    assert_eq!(fleet.walk(&target, &states(), &none).await.expect("alive").rows.len(), 7);
    put(json!({"alive": false})).await.expect("sent");
    assert_eq!(fleet.probe(&target, SHORT, &none).await, Err(Fault::Timeout));
    let seen: Value = http
        .get(format!("{url}/sim/olts/1"))
        .send()
        .await
        .expect("sent")
        .json()
        .await
        .expect("JSON");
    assert_eq!(seen["received"], json!(2));
    assert!(seen["last_packet_at"].is_string());
    let reset = http.post(format!("{url}/sim/reset")).send().await.expect("sent");
    assert_eq!(reset.status(), 204);
    assert_eq!(sim.counters(1).received, 0);
    assert_eq!(fleet.walk(&target, &states(), &none).await.expect("alive").rows.len(), 40);
}

#[tokio::test]
async fn nonsense_is_refused_and_changes_nothing() {
    let (sim, url) = controlled(Profile::default()).await;
    let http = http_client::client();
    for (path, body, status) in [
        ("1", "{\"aliv\": false}", 422),
        ("1", "{\"onus\": 99999999}", 422),
        ("1", "not JSON", 422),
        ("1", "[]", 422),
        ("3", "{}", 404),
        ("x", "{}", 400),
    ] {
        let url = format!("{url}/sim/olts/{path}");
        let answer = http.put(url).body(body).send().await.expect("sent");
        assert_eq!(answer.status(), status, "{path} {body}");
    }
    assert_eq!(sim.settings(1).onus, 40);
}

#[tokio::test]
async fn a_profile_sets_faults_from_the_start() {
    let profile = json!({"all": {"latency_ms": 1}, "olts": {"2": {"alive": false}}});
    let profile: Profile = serde_json::from_value(profile).expect("a profile");
    let (sim, _) = controlled(profile).await;
    assert!(sim.settings(0).alive && !sim.settings(2).alive);
    assert_eq!((sim.settings(0).latency_ms, sim.settings(2).latency_ms), (1, 1));
    for wrong in [json!({"olts": {"9": {}}}), json!({"all": {"onus": -1}})] {
        let profile: Profile = serde_json::from_value(wrong.clone()).expect("a profile");
        let started = Simulator::start(Options { profile, ..Options::default() }).await;
        assert!(matches!(started.err(), Some(StartError::Settings(_))), "{wrong}");
    }
}

#[tokio::test]
async fn the_same_seed_gives_the_same_fleet() {
    let read = async |seed: u64| {
        let sim = Simulator::start(Options { seed, ..Options::default() }).await.expect("free");
        let settings = snmp::sim::Settings { vanish_pct: 30.0, ..sim.settings(0) };
        sim.set(0, settings).expect("valid");
        let port = sim.addresses()[0].port();
        let target = Target::new("127.0.0.1", port, Credential::v2c("public"));
        let fleet = Fleet::bind().expect("a socket");
        fleet.walk(&target, &states(), &CancellationToken::new()).await.expect("alive").rows
    };
    let (first, same, other) = (read(1).await, read(1).await, read(2).await);
    assert_eq!(first, same);
    assert_ne!(first, other);
    assert!((1300..1550).contains(&first.len()), "{}", first.len());
}

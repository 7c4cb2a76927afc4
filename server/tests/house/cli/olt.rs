//! `turno sim olt`, as somebody meets it who wants a fleet to try things on.

use std::fs;
use std::net::UdpSocket;

use serde_json::json;

use super::program::Home;

#[test]
fn it_says_how_it_is_used() {
    let help = Home::new().run("sim olt --help").ok();
    for word in ["--count", "--profile", "turno-priv", "/sim/olts/3", "16100", "Examples:"] {
        assert!(help.contains(word), "{word} is not in {help}");
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let home = Home::new();
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let words = ["another program listens on", &address.to_string(), "hint:"];
    home.run(&format!("sim olt --count 1 --control 127.0.0.1:0 --port {}", address.port()))
        .refused(1, &words);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let words = ["another program listens on", address.as_str(), "hint:"];
    home.run(&format!("sim olt --count 1 --port 0 --control {address}")).refused(1, &words);
}

#[test]
fn wrong_usage_is_explained() {
    let home = Home::new();
    home.run("sim olt --count 0").refused(2, &["--count"]);
    home.run("sim olt --onus 1000000").refused(2, &["--onus"]);
    home.run("sim olt --brand nokia").refused(2, &["--brand", "huawei"]);
    home.run("sim olt --count 10 --port 65530").refused(2, &["65535", "hint: start lower"]);
    home.run("sim olt --profile missing.toml").refused(2, &["missing.toml"]);
    fs::write(home.path().join("faults.toml"), "[olts.3]\naliv = false\n").unwrap();
    home.run("sim olt --profile faults.toml").refused(2, &["OLT 3", "aliv"]);
}

#[tokio::test]
async fn a_fleet_answers_and_is_controlled() {
    let home = Home::new();
    fs::write(home.path().join("faults.toml"), "[olts.1]\nlatency_ms = 5\n").unwrap();
    let fleet = home
        .start("sim olt --count 2 --onus 64 --port 0 --control 127.0.0.1:0 --profile faults.toml");
    let client = fleet.client();
    let olts = client.get("/sim/olts").await.expect(200);
    assert_eq!((&olts[0]["latency_ms"], &olts[1]["latency_ms"]), (&json!(0), &json!(5)));
    let port = olts[0]["address"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    let target = snmp::Target::new("127.0.0.1", port, snmp::Credential::v2c("public"));
    let root = "1.3.6.1.4.1.2011.6.128.1.1.2.46.1.15".parse().unwrap();
    let none = snmp::CancellationToken::new();
    let asking = snmp::Fleet::bind().unwrap();
    let walked = asking.walk(&target, &snmp::Walk::new(root), &none).await.unwrap();
    assert_eq!(walked.rows.len(), 64);
    let seen = client.get("/sim/olts/0").await.expect(200);
    assert_eq!(seen["received"], json!(walked.requests));
}

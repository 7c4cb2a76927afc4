//! `turno sim a360`, as somebody meets it who wants a Control Room to try things on.

use serde_json::json;

use super::program::Home;

#[test]
fn it_says_how_it_is_used() {
    let help = Home::new().run("sim a360 --help").ok();
    for word in
        ["--listen", "--clock", "--permissive", "/sim/faults", "127.0.0.1:9360", "Examples:"]
    {
        assert!(help.contains(word), "{word} is not in {help}");
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let words = ["another program listens on", address.as_str(), "hint:"];
    home.run(&format!("sim a360 --listen {address}")).refused(1, &words);
    home.run(&format!("sim a360 --port {}", taken.local_addr().unwrap().port())).refused(1, &words);
}

#[test]
fn wrong_usage_is_explained() {
    let home = Home::new();
    home.run("sim a360 --now 2026-05-04T12:00:00Z").refused(2, &["hint: add --clock manual"]);
    home.run("sim a360 --listen somewhere").refused(2, &["--listen"]);
    home.run("sim a360 --listen 127.0.0.1:0 --port 1").refused(2, &["--port"]);
    home.run("sim a360 --duration soon").refused(2, &["--duration"]);
}

#[tokio::test]
async fn a_bot_runs_as_long_as_the_clock_is_moved() {
    let home = Home::new();
    let room = home.start(
        "sim a360 --listen 127.0.0.1:0 --clock manual --now 2026-05-04T12:00:00-03:00 --devices 3 \
         --bots 2 --seed 7 --duration 5m",
    );
    let client = room.client();
    let login = client.post("/v2/authentication", json!({"username": "a", "apiKey": "k"})).await;
    let token = login.expect(200)["token"].as_str().unwrap().to_owned();
    let order = json!({"botId": 7, "unattendedRequest": {"runAsUserIds": [50]}});
    let answer = client
        .request(reqwest::Method::POST, "/v4/automations/deploy")
        .header("X-Authorization", token)
        .json(&order)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let status = async || client.get("/sim/deployments").await.expect(200)[0]["status"].clone();
    assert_eq!(status().await, "DEPLOYED");
    let moved = client.post("/sim/clock", json!({"advance_seconds": 300})).await.expect(200);
    assert_eq!(moved["now"], "2026-05-04T15:05:00Z");
    assert_eq!(status().await, "RUNNING");
    client.advance(1).await;
    assert_eq!(status().await, "COMPLETED");
    let state = client.get("/sim/state").await.expect(200);
    assert_eq!(state["devices"].as_array().unwrap().len(), 4);
}

//! The hand on the controls, also when it slips.

use controlroom::ActivityQuery;
use controlroom::sim::{Clock, Options};
use reqwest::Method;
use serde_json::{Value, json};

use crate::room::{TestRoom, deployment, start};

#[tokio::test]
async fn devices_bots_and_users_can_be_made_and_changed() {
    let room = TestRoom::new().await;
    let device = room.post("/sim/devices", json!({"id": 7, "host_name": "CAJA-7"})).await;
    assert_eq!(device["user_ids"], json!([7]), "nobody's device is that of its number");
    let device = room.put("/sim/devices/8", json!({"user_ids": [80]})).await;
    assert_eq!((&device["host_name"], &device["user_ids"]), (&json!("PC-8"), &json!([80])));
    let bot = json!({"name": "P0100_Cierre", "duration_seconds": 2.5, "outcome": "run_failed"});
    let bot = room.post("/sim/bots", bot).await;
    assert_eq!((&bot["id"], &bot["outcome"]), (&json!(9004), &json!("RUN_FAILED")));
    let user = room.post("/sim/users", json!({"username": "eva", "device_id": 8})).await;
    assert_eq!(user["license_features"], json!(["RUNTIME"]));
    let client = room.client();
    client.deploy(&deployment(9004, user["id"].as_i64().unwrap(), "t")).await.unwrap();
    room.advance(4).await;
    let run = &room.deployments().await[0];
    assert_eq!((&run["deviceId"], &run["status"]), (&json!(8), &json!("RUN_FAILED")));
    let user = room.put("/sim/users/80", json!({"device_id": null})).await;
    assert_eq!(user["device_id"], Value::Null);
    assert!(client.deploy(&deployment(1001, 80, "t")).await.is_err());
}

#[tokio::test]
async fn what_waits_on_a_device_that_is_away_starts_when_it_is_back() {
    let room = TestRoom::new().await;
    let client = room.client();
    for tag in ["a", "b"] {
        client.deploy(&deployment(5, 50, tag)).await.unwrap();
    }
    room.put("/sim/devices/50", json!({"connected": false})).await;
    room.advance(600).await;
    let statuses = async || -> Vec<Value> {
        room.deployments().await.iter().map(|run| run["status"].clone()).collect()
    };
    assert_eq!(statuses().await, ["COMPLETED", "QUEUED"]);
    room.put("/sim/devices/50", json!({"connected": true})).await;
    assert_eq!(statuses().await, ["COMPLETED", "DEPLOYED"]);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_and_a_reset_gives_other_ids() {
    let ids = async |seed| {
        let clock = Clock::Manual(start());
        let room = TestRoom::with(Options { seed: Some(seed), clock, ..Options::default() }).await;
        let first = room.client().deploy(&deployment(5, 50, "t")).await.unwrap();
        room.post("/sim/reset", json!({})).await;
        assert_eq!(room.deployments().await, [Value::Null; 0]);
        [first, room.client().deploy(&deployment(5, 50, "t")).await.unwrap()]
    };
    let [first, second] = ids(7).await;
    assert_ne!(first, second);
    assert_eq!(ids(7).await, [first.clone(), second]);
    assert_ne!(ids(8).await[0], first);
}

#[tokio::test]
async fn what_is_not_understood_is_refused_and_changes_nothing() {
    let room = TestRoom::new().await;
    let before = room.get("/sim/state").await;
    for (method, path, body, status) in [
        (Method::PUT, "/sim/devices/101", json!({"conected": false}), 400),
        (Method::PUT, "/sim/devices/x", json!({}), 400),
        (Method::PUT, "/sim/bots/1001", json!({"outcome": "PERHAPS"}), 400),
        (Method::PUT, "/sim/bots/1001", json!({"failure_pct": 101}), 400),
        (Method::PUT, "/sim/faults", json!({"deploi": {}}), 400),
        (Method::PUT, "/sim/faults", json!({"deploy": {"status": "no"}}), 400),
        (Method::PUT, "/sim/settings", json!({"token_seconds": -1}), 400),
        (Method::PUT, "/sim/settings", json!([]), 400),
        (Method::POST, "/sim/deployments/none", json!({"status": "RUNNING"}), 404),
        (Method::POST, "/sim/clock", json!({"advance_seconds": -1}), 400),
        (Method::POST, "/sim/clock", json!({}), 400),
        (Method::POST, "/v2/authentication", json!({"username": "u"}), 400),
        (Method::POST, "/v4/automations/deploy", json!({}), 401),
        (Method::POST, "/v3/activity/list", json!({}), 401),
        (Method::GET, "/v3/activity/list", json!({}), 405),
        (Method::GET, "/nowhere", json!({}), 404),
    ] {
        let (answered, answer) = room.ask(method, path, &body).await;
        assert_eq!(answered, status, "{path} {body}: {answer}");
    }
    let mut after = room.get("/sim/state").await;
    after["requests"] = before["requests"].clone();
    assert_eq!(after, before);
    room.put("/sim/settings", json!({"permissive": false})).await;
    for path in ["/sim/devices/4242", "/sim/bots/4242", "/sim/users/4242"] {
        assert_eq!(room.ask(Method::PUT, path, &json!({})).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn a_real_clock_cannot_be_moved_and_a_manual_one_not_back() {
    let real = TestRoom::with(Options::default()).await;
    let move_on = json!({"advance_seconds": 5});
    assert_eq!(real.ask(Method::POST, "/sim/clock", &move_on).await.0, 409);
    let room = TestRoom::new().await;
    let to = |now: &str| json!({ "now": now });
    let moved = room.post("/debug/clock", to("2026-05-04T13:00:00Z")).await;
    assert_eq!(moved, json!({"now": "2026-05-04T13:00:00Z", "ticks": 0}));
    let moved = room.post("/sim/clock", to("2026-05-04T12:30:00Z")).await;
    assert_eq!(moved["now"], "2026-05-04T13:00:00Z");
    assert!(room.get("/").await.as_str().unwrap().contains("/sim/faults"));
}

#[tokio::test]
async fn filters_of_the_vendor_are_applied() {
    let room = TestRoom::new().await;
    let client = room.client();
    let id = client.deploy(&deployment(1001, 201, "turno-1")).await.unwrap();
    client.deploy(&deployment(1002, 202, "turno-2")).await.unwrap();
    room.advance(2).await;
    let login = room.post("/v2/authentication", json!({"username": "a", "apiKey": "k"})).await;
    let http = http_client::builder().no_proxy().build().unwrap();
    let ask = async |path: &str, body: Value| {
        let request = http.post(format!("{}{path}", room.sim.url())).json(&body);
        let request = request.header("X-Authorization", login["token"].as_str().unwrap());
        request.send().await.unwrap().json::<Value>().await.unwrap()
    };
    let filter = json!({"operator": "and", "operands": [
        {"operator": "eq", "field": "deviceId", "value": "101"},
        {"operator": "eq", "field": "fileId", "value": 1001},
    ]});
    let found = ask("/v3/activity/list", json!({"filter": filter, "fields": []})).await;
    assert_eq!(found["page"], json!({"offset": 0, "total": 2, "totalFilter": 1}));
    assert_eq!(found["list"][0]["deploymentId"], id);
    assert_eq!(found["list"][0]["endDateTime"], "1970-01-01T00:00:00Z");
    let wrong = json!({"filter": {"operator": "eq", "field": "color", "value": 1}});
    assert!(ask("/v3/activity/list", wrong).await["message"].as_str().unwrap().contains("color"));
    let connected = json!({"filter": {"operator": "eq", "field": "status", "value": "CONNECTED"}});
    assert_eq!(ask("/v2/devices/list", connected).await["list"].as_array().unwrap().len(), 10);
    let renewed = ask("/v1/authentication/token", json!({"token": login["token"]})).await;
    assert!(renewed["token"].is_string());
    assert_eq!(client.activity(&ActivityQuery::active()).await.unwrap().len(), 2);
}

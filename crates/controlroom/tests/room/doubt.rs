//! A deployment that nobody confirmed is found again, or certainly is not there.

use controlroom::Kind;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::room::{TestRoom, deployment, start};

#[tokio::test]
async fn accepted_and_never_answered_is_found_by_its_tag() {
    for fault in [
        json!({"after_accept": true, "times": 1}),
        json!({"after_accept": true, "delay_ms": 60_000, "times": 1}),
        json!({"after_accept": true, "status": 502, "times": 1}),
        json!({"after_accept": true, "body": "{\"deplo", "times": 1}),
    ] {
        let room = TestRoom::new().await;
        let client = room.hasty();
        // Others are there as well, also with tags that look alike.
        for tag in ["turno-10", "turno-100", "1", "xturno-1"] {
            client.deploy(&deployment(5, 50, tag)).await.unwrap();
        }
        room.faults(json!({"deploy": fault})).await;
        let doubt = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err();
        assert!(doubt.may_have_been_accepted(), "{fault}: {doubt:?}");
        for (device, user) in [(0, 50), (50, 0)] {
            let found = client.find_by_tag(device, user, "turno-1", start()).await;
            let found = found.unwrap().unwrap();
            let all = room.deployments().await;
            assert_eq!(all.len(), 5, "{fault}");
            assert_eq!(all[4]["deploymentId"], found.deployment_id.unwrap());
            assert_eq!((found.bot_id, found.user_id), (Some(5), Some(50)));
        }
        assert_eq!(client.find_by_tag(51, 51, "turno-1", start()).await, Ok(None));
    }
}

#[tokio::test]
async fn never_accepted_is_not_found() {
    let room = TestRoom::new().await;
    let client = room.hasty();
    for fault in [json!({"drop": true}), json!({"delay_ms": 60_000})] {
        room.faults(json!({"deploy": fault})).await;
        let doubt = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap_err();
        assert!(doubt.kind == Kind::InDoubt, "{doubt:?}");
        assert_eq!(client.find_by_tag(50, 50, "turno-1", start()).await, Ok(None));
    }
}

#[tokio::test]
async fn clocks_that_disagree_hide_nothing() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    let hours = |n| start() + SignedDuration::from_hours(n);
    for since in [hours(0), hours(-5), hours(5), hours(9000), Timestamp::MIN, Timestamp::MAX] {
        let found = client.find_by_tag(50, 50, "turno-1", since).await.unwrap();
        assert!(found.is_some(), "{since}");
    }
}

#[tokio::test]
async fn looking_stops_where_the_past_begins() {
    let room = TestRoom::new().await;
    let client = room.client();
    for n in 0..250 {
        client.deploy(&deployment(5, 50, &format!("old-{n}"))).await.unwrap();
    }
    room.advance(3600).await;
    let since = start() + SignedDuration::from_secs(3600);
    client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    let before = room.requests("activity").await;
    assert_eq!(client.find_by_tag(50, 50, "turno-2", since).await, Ok(None));
    assert_eq!(room.requests("activity").await - before, 2, "a page by device, a page by user");
    // Without a hint every page is looked through.
    let old = client.find_by_tag(50, 50, "old-0", start()).await.unwrap();
    assert!(old.is_some());
}

#[tokio::test]
async fn a_runner_is_known_by_its_device_and_by_its_user() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    for (device, user, there) in [(7, 50, true), (50, 7, true), (50, 50, true), (7, 8, false)] {
        let found = client.find_by_tag(device, user, "turno-1", start()).await.unwrap();
        assert_eq!(found.is_some(), there, "{device} {user}");
    }
}

#[tokio::test]
async fn a_version_without_these_fields_is_asked_in_a_plainer_way() {
    let room = TestRoom::new().await;
    let client = room.client();
    client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    let refusal = json!({"status": 400, "message": "Invalid field"});
    let found = async |times: u32| {
        let mut fault = refusal.clone();
        fault["times"] = json!(times);
        room.faults(json!({"activity": fault})).await;
        client.find_by_tag(50, 50, "turno-1", start()).await.map(|found| found.is_some())
    };
    // Refused for its order, then for its filter with and without an order.
    for times in 0..4 {
        assert_eq!(found(times).await, Ok(true), "{times} refusals");
    }
    assert!(found(4).await.is_err(), "whoever refuses everything has said nothing");
}

//! Lists, page by page, as they are and as they go wrong.

use std::collections::HashSet;

use controlroom::{Activity, ActivityQuery, Client, Kind};
use futures::stream::{self, StreamExt as _};
use serde_json::json;

use crate::room::{TestRoom, deployment, start};

async fn deploy(client: &Client, count: i64) -> Vec<String> {
    let deployments = stream::iter(0..count).map(|n| async move {
        client.deploy(&deployment(5, 50 + n % 30, &format!("turno-{n}"))).await.unwrap()
    });
    deployments.buffer_unordered(16).collect().await
}

fn distinct(activities: &[Activity]) -> usize {
    activities.iter().map(|activity| &activity.id).collect::<HashSet<_>>().len()
}

#[tokio::test]
async fn a_thousand_and_fifty_are_read_to_the_last() {
    let room = TestRoom::new().await;
    let client = room.client();
    let ids = deploy(&client, 1050).await;
    let active = client.activity(&ActivityQuery::active()).await.unwrap();
    assert_eq!((active.len(), distinct(&active)), (1050, 1050));
    assert_eq!(room.requests("activity").await, 11);
    let asked = ids.clone();
    let by_id = client.activity(&ActivityQuery::Deployments(asked)).await.unwrap();
    let found: HashSet<_> = by_id.iter().filter_map(|found| found.deployment_id.clone()).collect();
    assert_eq!(found, ids.into_iter().collect());
    let running = ActivityQuery::Statuses(vec!["RUNNING".to_owned()]);
    assert_eq!(client.activity(&running).await.unwrap().len(), 0);
    room.advance(1).await;
    assert_eq!(client.activity(&running).await.unwrap().len(), 30);
}

#[tokio::test]
async fn a_full_last_page_is_not_followed_by_an_empty_one() {
    let room = TestRoom::new().await;
    let client = room.client();
    deploy(&client, 200).await;
    assert_eq!(client.activity(&ActivityQuery::active()).await.unwrap().len(), 200);
    assert_eq!(room.requests("activity").await, 2);
    let nothing = ActivityQuery::Deployments(Vec::new());
    assert_eq!(client.activity(&nothing).await.unwrap(), []);
    let nothing = ActivityQuery::Statuses(Vec::new());
    assert_eq!(client.activity(&nothing).await.unwrap(), []);
    assert_eq!(room.requests("activity").await, 2, "nothing is not asked for");
}

#[tokio::test]
async fn a_list_that_fails_half_way_is_no_list() {
    let room = TestRoom::new().await;
    let client = room.client();
    deploy(&client, 250).await;
    room.faults(json!({"activity": [{"delay_ms": 0, "times": 2}, {"status": 500}]})).await;
    let broken = client.activity(&ActivityQuery::active()).await.unwrap_err();
    assert!((broken.kind, broken.status) == (Kind::Server, Some(500)), "{broken:?}");
}

#[tokio::test]
async fn slow_lists_are_waited_for_as_long_as_agreed() {
    let room = TestRoom::new().await;
    room.client().deploy(&deployment(5, 50, "t")).await.unwrap();
    room.faults(json!({"activity": {"delay_ms": 100}})).await;
    assert_eq!(room.hasty().activity(&ActivityQuery::active()).await.unwrap().len(), 1);
    room.faults(json!({"activity": {"delay_ms": 60_000}})).await;
    let slow = room.hasty().activity(&ActivityQuery::active()).await.unwrap_err();
    assert!(slow.kind == Kind::InDoubt && slow.message.contains("timed out"), "{slow:?}");
}

#[tokio::test]
async fn the_catalogue_is_what_the_room_begins_with() {
    let room = TestRoom::new().await;
    let client = room.client();
    room.put("/sim/devices/102", json!({"connected": false})).await;
    let devices = client.devices().await.unwrap();
    assert_eq!(devices.len(), 10);
    let connected: Vec<bool> = devices.iter().map(controlroom::Device::is_connected).collect();
    assert_eq!(connected[..3], [true, false, true]);
    assert_eq!(
        (devices[0].host_name.as_str(), devices[0].default_users[0].id),
        ("PC-RPA-001", 201)
    );
    let users = client.users().await.unwrap();
    let licence = |id| &users.iter().find(|user| user.id == id).unwrap().license_features;
    assert_eq!(licence(202), &["RUNTIME", "ANALYTICS"]);
    assert_eq!(
        (licence(203), licence(205)),
        (&vec!["ATTENDEDRUNTIME".to_owned()], &vec!["DEVELOPMENT".to_owned()])
    );
    let files = client.files("RPA").await.unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!((names.len(), names[0]), (9, "P0001_Facturas"));
    assert!(files.iter().all(|file| file.is_taskbot() && file.path.contains("RPA")));
    assert_eq!(client.files("").await.unwrap().len(), 10);
}

#[tokio::test]
async fn what_is_lost_is_unknown_until_it_is_found() {
    let room = TestRoom::new().await;
    let client = room.client();
    let id = client.deploy(&deployment(5, 50, "turno-1")).await.unwrap();
    room.advance(5).await;
    let look = async || {
        let found = client.activity(&ActivityQuery::Deployments(vec![id.clone()])).await.unwrap();
        (found[0].status.clone(), found[0].started_at.is_some(), found[0].ended_at.is_some())
    };
    let path = format!("/sim/deployments/{id}");
    room.post(&path, json!({"status": "UNKNOWN"})).await;
    room.advance(3600).await;
    assert_eq!(look().await, ("UNKNOWN".to_owned(), true, false));
    assert_eq!(client.activity(&ActivityQuery::active()).await.unwrap(), []);
    room.post(&path, json!({"status": "RUNNING"})).await;
    assert_eq!(look().await, ("RUNNING".to_owned(), true, false));
    room.put("/sim/devices/50", json!({"lose_track": true})).await;
    room.advance(3600).await;
    assert_eq!(look().await, ("UNKNOWN".to_owned(), true, false));
    room.put("/sim/devices/50", json!({"lose_track": false})).await;
    assert_eq!(look().await, ("COMPLETED".to_owned(), true, true));
    room.post(&path, json!({"status": "SOMETHING_NEW"})).await;
    assert_eq!(look().await.0, "SOMETHING_NEW");
}

#[tokio::test]
async fn users_are_read_in_either_version() {
    let room = TestRoom::new().await;
    let client = room.client();
    let all = client.users().await.unwrap().len();
    assert!(all > 0);
    room.faults(json!({ "users": { "status": 404 } })).await;
    assert_eq!(client.users().await.unwrap().len(), all, "only the second version is there");
    let both = json!({ "users": { "status": 404 }, "users_v2": { "status": 404 } });
    room.faults(both).await;
    assert_eq!(client.users().await.unwrap_err().kind, Kind::NotFound);
    let down = json!({ "users": { "status": 503 } });
    room.faults(down).await;
    assert_eq!(client.users().await.unwrap_err().kind, Kind::Server, "that is no other version");
}

/// A list that lags, or answers empty, is the simulator's to play.
#[tokio::test]
async fn what_is_young_can_be_hidden_from_the_list() {
    let room = TestRoom::new().await;
    let client = room.client();
    let ids = deploy(&client, 3).await;
    let asked = ActivityQuery::Deployments(ids);
    room.faults(json!({ "activity": { "hide_seconds": 30 } })).await;
    assert!(client.activity(&asked).await.unwrap().is_empty());
    room.advance(31).await;
    assert_eq!(client.activity(&asked).await.unwrap().len(), 3);
    assert_eq!(client.since(start()).await.unwrap().len(), 3, "clocks may differ by minutes");
}

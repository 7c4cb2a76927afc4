//! The world at virtual time.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::access::Refusal;
use super::callbacks::Notice;
use super::deploying::Order;
use super::faults::Subject;
use super::settings::Settings;
use super::status::{Claim, Outcome, Status};
use super::world::World;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_777_896_000 + second).unwrap()
}

fn world() -> World {
    World::new(Settings::default(), 3, 2, 7)
}

fn order(bot: i64, user: i64) -> Order {
    let request = json!({
        "botId": bot,
        "unattendedRequest": {"runAsUserIds": [user.to_string()]},
        "callbackInfo": {"url": "http://127.0.0.1:9/", "headers": {"X-Authorization": "t"}},
    });
    Order::read(&request).unwrap()
}

fn deploy(world: &mut World, bot: i64, user: i64, second: i64) -> u64 {
    let id = world.deploy(order(bot, user), at(second)).unwrap();
    world.by_deployment[&id]
}

fn words(notices: &[Notice]) -> Vec<(u64, &str)> {
    notices.iter().map(|notice| (notice.run, notice.status.as_str())).collect()
}

fn shown(world: &World, run: u64) -> String {
    world.runs[&run].shown()
}

#[test]
fn an_execution_is_deployed_runs_and_is_told_of_once() {
    let mut world = world();
    let run = deploy(&mut world, 7, 50, 0);
    assert_eq!((shown(&world, run).as_str(), world.next_due()), ("DEPLOYED", Some(at(1))));
    assert!(world.advance(at(1)).is_empty());
    assert_eq!((shown(&world, run).as_str(), world.runs[&run].started), ("RUNNING", Some(at(1))));
    assert!(world.advance(at(60)).is_empty());
    assert_eq!(words(&world.advance(at(61))), [(run, "RUN_COMPLETED")]);
    assert_eq!((shown(&world, run).as_str(), world.runs[&run].ended), ("COMPLETED", Some(at(61))));
    assert_eq!((world.advance(at(9999)).len(), world.next_due()), (0, None));
}

#[test]
fn a_device_runs_one_at_a_time_in_the_order_of_arrival() {
    let mut world = world();
    let runs = [0, 0, 5].map(|second| deploy(&mut world, 7, 50, second));
    let other = deploy(&mut world, 7, 51, 5);
    let all = |world: &World| runs.map(|run| shown(world, run));
    assert_eq!(all(&world), ["DEPLOYED", "QUEUED", "QUEUED"]);
    assert_eq!(shown(&world, other), "DEPLOYED");
    world.advance(at(61));
    assert_eq!(all(&world), ["COMPLETED", "DEPLOYED", "QUEUED"]);
    // Time that passed in one go leaves no gap between one and the next.
    let told = world.advance(at(1000));
    assert_eq!(words(&told).len(), 3);
    let (second, third) = (&world.runs[&runs[1]], &world.runs[&runs[2]]);
    assert_eq!((second.ended, third.started), (Some(at(122)), Some(at(123))));
}

#[test]
fn bots_end_as_they_are_told_to() {
    for (outcome, list, callback) in [
        (Outcome::Completed, "COMPLETED", Some("RUN_COMPLETED")),
        (Outcome::Failed, "RUN_FAILED", Some("RUN_FAILED")),
        (Outcome::Aborted, "RUN_ABORTED", Some("RUN_ABORTED")),
        (Outcome::TimedOut, "RUN_TIMED_OUT", Some("RUN_TIMED_OUT")),
        (Outcome::DeployFailed, "DEPLOY_FAILED", Some("DEPLOY_FAILED")),
        (Outcome::Lost, "UNKNOWN", None),
        (Outcome::Endless, "RUNNING", None),
    ] {
        let mut world = world();
        world.bot(7).unwrap().outcome = outcome;
        let run = deploy(&mut world, 7, 50, 0);
        let told = world.advance(at(1000));
        let told: Vec<&str> = told.iter().map(|notice| notice.status.as_str()).collect();
        assert_eq!((shown(&world, run).as_str(), told), (list, callback.into_iter().collect()));
    }
}

#[test]
fn a_share_fails_and_the_same_seed_fails_alike() {
    let outcomes = || {
        let mut world = world();
        let bot = world.bot(7).unwrap();
        (bot.failure_pct, bot.duration) = (30, Some(SignedDuration::from_secs(1)));
        let runs: Vec<u64> = (0..200).map(|user| deploy(&mut world, 7, 1000 + user, 0)).collect();
        world.advance(at(10));
        runs.iter().map(|run| world.runs[run].status.clone()).collect::<Vec<_>>()
    };
    let failed = outcomes().iter().filter(|status| **status == Status::Failed).count();
    assert!((40..=80).contains(&failed), "{failed} of 200");
    assert_eq!(outcomes(), outcomes());
}

#[test]
fn refusals_are_those_of_the_control_room() {
    let mut world = world();
    let refused = |world: &mut World, bot, user| match world.deploy(order(bot, user), at(0)) {
        Err(Refusal { status, message }) => (status, message),
        Ok(id) => panic!("accepted {id}"),
    };
    world.devices.get_mut(&101).unwrap().connected = false;
    let (status, message) = refused(&mut world, 1001, 201);
    assert_eq!((status, message.contains("PC-RPA-001")), (412, true));
    let (status, message) = refused(&mut world, 1001, 200);
    assert_eq!(status, 400);
    assert!(message.contains("None of the user(s) provided have default device(s)"));
    world.users.get_mut(&203).unwrap().license_features = vec!["DEVELOPMENT".to_owned()];
    assert_eq!(refused(&mut world, 1001, 203).0, 400);
    world.settings.permissive = false;
    assert_eq!(refused(&mut world, 4242, 202).0, 404);
    assert_eq!(refused(&mut world, 1001, 4242).0, 400);
    assert!(world.runs.is_empty());
    for request in [
        json!({}),
        json!({"botId": 1}),
        json!({"botId": 1, "unattendedRequest": {"runAsUserIds": []}}),
        json!({"botId": 1, "unattendedRequest": {"runAsUserIds": [1, 2]}}),
        json!({"botId": 1, "unattendedRequest": {"runAsUserIds": [1]}, "botInput": "x"}),
        json!([]),
    ] {
        assert_eq!(Order::read(&request).unwrap_err().status, 400, "{request}");
    }
}

#[test]
fn whoever_is_not_known_is_made_with_a_device_of_the_same_number() {
    let mut world = world();
    let run = deploy(&mut world, 4242, 77, 0);
    assert_eq!((world.runs[&run].device, world.users[&77].device), (77, Some(77)));
    assert!(world.devices[&77].connected && world.bots.contains_key(&4242));
    let subject: Subject = world.subject(&order(1, 88));
    assert_eq!(subject.device, Some(88));
}

#[test]
fn a_lost_execution_goes_on_unseen_and_is_told_of_when_found() {
    let mut world = world();
    let run = deploy(&mut world, 7, 50, 0);
    world.advance(at(5));
    world.lose(run, true, at(5));
    assert_eq!(shown(&world, run), "UNKNOWN");
    world.lose(run, false, at(10));
    assert_eq!(shown(&world, run), "RUNNING");
    world.lose(run, true, at(15));
    assert!(world.advance(at(100)).is_empty());
    assert_eq!(shown(&world, run), "UNKNOWN");
    // The device is free meanwhile: nothing holds it but what runs.
    let next = deploy(&mut world, 7, 50, 100);
    assert_eq!(shown(&world, next), "DEPLOYED");
    world.lose(run, false, at(110));
    let told = world.advance(at(110));
    assert_eq!(words(&told), [(run, "RUN_COMPLETED")]);
}

#[test]
fn an_execution_that_was_stopped_does_not_end_again() {
    let mut world = world();
    let run = deploy(&mut world, 7, 50, 0);
    let queued = deploy(&mut world, 7, 50, 0);
    world.advance(at(5));
    let ids = [world.runs[&run].activity.clone(), world.runs[&queued].activity.clone()];
    let deployment = world.runs[&run].deployment.clone();
    assert_eq!(world.stop(&[&deployment], at(6)), [deployment], "not by that id");
    assert!(world.stop(&[&ids[0], &ids[1]], at(6)).is_empty());
    assert_eq!(words(&world.advance(at(6))), [(run, "RUN_ABORTED"), (queued, "RUN_ABORTED")]);
    assert!(world.advance(at(1000)).is_empty());
    assert_eq!(world.stop(&[&ids[0], "nothing"], at(7)), [ids[0].as_str(), "nothing"]);
}

#[test]
fn callbacks_are_dropped_repeated_and_delayed_as_often_as_said() {
    let mut world = world();
    world.faults = serde_json::from_value(json!({"callback": [
        {"drop": true, "times": 1}, {"repeat": 2, "times": 1}, {"delay_ms": 5000, "times": 1},
    ]}))
    .unwrap();
    let mut end = |second| {
        let run = deploy(&mut world, 7, 50, second);
        world.set(run, Status::Completed, at(second));
        let at_once = world.advance(at(second)).len();
        (at_once, world.advance(at(second + 5)).len(), world.runs[&run].deliveries.len())
    };
    assert_eq!([end(0), end(10), end(20), end(30)], [(0, 0, 1), (3, 0, 0), (0, 1, 0), (1, 0, 0)]);
}

#[test]
fn tokens_expire_and_a_password_ends_the_sessions_before_it() {
    let mut world = world();
    let mut log_in = |body: Value, second| {
        let answer = world.log_in(&body, at(second))?;
        Ok::<String, Refusal>(answer["token"].as_str().unwrap().to_owned())
    };
    let key = log_in(json!({"username": "ana", "apiKey": "k"}), 0).unwrap();
    let first = log_in(json!({"username": "eva", "password": "p"}), 0).unwrap();
    let second = log_in(json!({"username": "eva", "password": "p"}), 1).unwrap();
    assert_eq!(log_in(json!({"username": "eva"}), 1).unwrap_err().status, 400);
    let status = |token: &str, second| world.admit(Some(token), at(second)).err().map(|r| r.status);
    assert_eq!([status(&key, 1199), status(&key, 1200)], [None, Some(401)]);
    assert_eq!([status(&first, 2), status(&second, 2)], [Some(401), None]);
    assert_eq!(status("made up", 2), Some(401));
    let renewed = world.renew(&json!({"token": key}), at(1000)).unwrap();
    let renewed = renewed["token"].as_str().unwrap();
    assert!(world.admit(Some(renewed), at(2100)).is_ok());
    assert!(world.renew(&json!({"token": key}), at(1000)).is_err());
    world.settings.secret = Some("right".to_owned());
    let wrong = world.log_in(&json!({"username": "ana", "apiKey": "wrong"}), at(0));
    assert_eq!(wrong.unwrap_err().status, 401);
}

/// Something an operator or a client may do.
#[derive(Clone, Debug)]
enum Act {
    Deploy { bot: i64, user: i64 },
    Set { run: usize, status: &'static str },
    Connect { device: i64, connected: bool },
    Lose { run: usize, lost: bool },
    Wait(i64),
}

fn act() -> impl Strategy<Value = Act> {
    let statuses = ["QUEUED", "DEPLOYED", "RUNNING", "RUN_PAUSED", "COMPLETED", "RUN_FAILED", "X"];
    prop_oneof![
        3 => (1..4i64, 1..4i64).prop_map(|(bot, user)| Act::Deploy { bot, user }),
        2 => (0..20usize, proptest::sample::select(statuses.to_vec()))
            .prop_map(|(run, status)| Act::Set { run, status }),
        1 => (1..4i64, any::<bool>())
            .prop_map(|(device, connected)| Act::Connect { device, connected }),
        1 => (0..20usize, any::<bool>()).prop_map(|(run, lost)| Act::Lose { run, lost }),
        3 => (0..90i64).prop_map(Act::Wait),
    ]
}

proptest! {
    /// Whatever happens, a device runs at most what it says it runs, and nobody waits for a device
    /// that is free and there.
    #[test]
    fn devices_are_never_shared_nor_idle(acts in proptest::collection::vec(act(), 1..60)) {
        let mut world = World::new(Settings::default(), 0, 0, 1);
        let mut now = 0;
        for act in acts {
            let nth = |world: &World, n: usize| world.runs.keys().nth(n).copied();
            match act {
                Act::Deploy { bot, user } => drop(world.deploy(order(bot, user), at(now))),
                Act::Set { run, status } => {
                    // A status that takes a device by force would take it from another.
                    let holds = Status::parse(status).claim() == Claim::Device;
                    let run = nth(&world, run).filter(|run| {
                        let run = &world.runs[run];
                        !holds || run.status.claim() == Claim::Device
                    });
                    if let Some(run) = run {
                        world.set(run, Status::parse(status), at(now));
                    }
                }
                Act::Connect { device, connected } => {
                    world.machine(device).unwrap().connected = connected;
                    world.pass_on(device, at(now));
                }
                Act::Lose { run, lost } => {
                    if let Some(run) = nth(&world, run) {
                        world.lose(run, lost, at(now));
                    }
                }
                Act::Wait(seconds) => {
                    now += seconds;
                    world.advance(at(now));
                }
            }
            for (id, machine) in &world.devices {
                let here = world.runs.iter().filter(|(_, run)| run.device == *id);
                let (mut holding, mut waiting) = (Vec::new(), 0);
                for (number, run) in here {
                    prop_assert_eq!(run.ended.is_some(), run.status.is_final());
                    if run.status.claim() == Claim::Device {
                        holding.push(*number);
                    }
                    waiting += usize::from(run.status == Status::Queued);
                }
                prop_assert_eq!(&holding, &machine.running.into_iter().collect::<Vec<_>>());
                prop_assert_eq!(waiting, machine.queue.len());
                prop_assert!(machine.running.is_some() || waiting == 0 || !machine.connected);
            }
        }
    }
}

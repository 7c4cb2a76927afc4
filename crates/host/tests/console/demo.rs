//! The demonstration: a week is lived before anybody is let in, once.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{App, Clock, Context, Tick, person};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use testkit::{LocalServer, Setup, on_both};
use tokio::sync::Semaphore;

/// A tick that never names an instant: it counts on being looked after.
const WATCH: &str = "demo.watch";
const DAY: SignedDuration = SignedDuration::from_hours(24);
const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// What a demonstration of one act a day did: when, and whether it was the past.
type Acts = Arc<Mutex<Vec<(Timestamp, bool)>>>;

/// Waits for a permit at each act, and asks at the house's own doors.
fn app(acts: &Acts, gate: &Arc<Semaphore>) -> App {
    let (acts, gate) = (acts.clone(), gate.clone());
    let run = move |context: Context, now: Timestamp| {
        let (acts, gate) = (acts.clone(), gate.clone());
        async move {
            gate.acquire().await.unwrap().forget();
            let who = person("demo", "ada", "JEFE");
            let health = context.doors().get(&who, "/health").await;
            assert_eq!(health.body["now"], now.to_string());
            acts.lock().unwrap().push((now, context.is_past()));
            Ok(Some(now + DAY))
        }
    };
    let migrations = db::Line { name: "demo", steps: &[] };
    let watch = Tick::new(WATCH, async |_, _| Ok(None));
    let demo = Some(Tick::new("demo.demo", run));
    App { name: "demo", migrations, demo, ticks: vec![watch], ..App::default() }
}

async fn until_ready(server: &LocalServer) {
    let mut poll = tokio::time::interval(Duration::from_millis(10));
    while server.client.get("/ready").await.status != 200 {
        poll.tick().await;
    }
}

#[tokio::test]
async fn a_week_is_lived_before_anybody_is_let_in_and_only_once() {
    on_both(async |db| {
        let now: Timestamp = "2026-05-04T15:00:00Z".parse().unwrap();
        let setup = Setup { demo: true, ..Setup::at(now, db) };
        let (acts, gate) = (Acts::default(), Arc::new(Semaphore::new(0)));
        let server = setup.clone().prepare(app(&acts, &gate)).await.start().await;
        let ready = server.client.get("/ready").await;
        assert_eq!((ready.status, &ready.json()["lived_percent"]), (503, &0.into()));
        let page = server.client.request(Method::GET, "/").header("accept", "text/html");
        let page = testkit::Answer::of(page, "GET /").await;
        assert_eq!((page.status, page.header("refresh")), (503, Some("1")), "{}", page.text);
        assert!(page.text.contains("0 %"), "{}", page.text);
        gate.add_permits(8);
        until_ready(&server).await;
        let week: Vec<_> = (0..8).map(|day| (now - DAY * (7 - day), true)).collect();
        assert_eq!(*acts.lock().unwrap(), week);
        assert_eq!(server.context().clock.now(), now);
        assert!(!server.context().is_past());
        server.stop().await;
        let (again, gate) = (Acts::default(), Arc::new(Semaphore::new(9)));
        let server = setup.prepare(app(&again, &gate)).await.start().await;
        until_ready(&server).await;
        assert!(again.lock().unwrap().is_empty(), "the same week is not lived again");
        server.client.advance(3_600).await;
        assert_eq!(*again.lock().unwrap(), [(now, false)]);
        server.stop().await;
    })
    .await;
}

#[tokio::test]
async fn after_the_week_the_clock_runs() {
    let db = testkit::TestDb::sqlite();
    let (acts, gate) = (Acts::default(), Arc::new(Semaphore::new(100)));
    let setup = Setup { demo: true, clock: Clock::Real, ..Setup::at(Timestamp::now(), &db) };
    let server = setup.prepare(app(&acts, &gate)).await.start().await;
    until_ready(&server).await;
    let ready_at = Timestamp::now();
    let clock = &server.context().clock;
    assert!(!clock.is_manual());
    assert!(Timestamp::now().duration_since(clock.now()).abs() < SignedDuration::from_secs(1));
    assert!(acts.lock().unwrap().iter().filter(|(_, past)| *past).count() >= 7);
    // Whatever watches over the house looks by the clock that runs now, and again before long.
    let mut poll = tokio::time::interval(Duration::from_millis(10));
    loop {
        let watch = server.context().tick_health(WATCH).unwrap();
        if watch.last_run.is_some_and(|ran| ran + SECOND > ready_at) && watch.due.is_some() {
            break;
        }
        poll.tick().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_house_in_which_somebody_worked_has_no_other_past() {
    let db = testkit::TestDb::sqlite();
    let now: Timestamp = "2026-05-04T15:00:00Z".parse().unwrap();
    let (acts, gate) = (Acts::default(), Arc::new(Semaphore::new(100)));
    let setup = Setup::at(now, &db);
    let prepared = setup.clone().prepare(app(&acts, &gate)).await;
    let scope = db::Scope::new("demo");
    let mut decision = prepared.context.store.decide(&scope, now).await.unwrap();
    decision.emit(db::events::NewEvent {
        app: "demo",
        name: "hecho",
        subject: None,
        data: serde_json::json!({}),
    });
    decision.commit().await.unwrap();
    drop(prepared);
    let setup = Setup { demo: true, ..setup };
    assert!(!setup.prepare(app(&acts, &gate)).await.context.is_past());
}

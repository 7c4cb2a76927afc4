//! Passwords that are guessed, and people who know theirs.

use std::time::{Duration, Instant};

use host::{Access, Actor, Grant, Limits, Network, Proxies, Rate, accounts};
use reqwest::{Method, header};
use testkit::{Answer, LocalServer, TestDb};

use crate::serve;

const PASSWORD: &str = "correct horse battery";
const HOME: &str = "203.0.113.7";
const ELSEWHERE: &str = "198.51.100.9";

/// A house behind a proxy that says where people are.
async fn house(db: &TestDb, login: Rate) -> LocalServer {
    let trusted_proxies = Proxies::read(["127.0.0.1"]).unwrap();
    let limits = Limits { login, ..Limits::default() };
    let network = Network { trusted_proxies, limits, ..Network::default() };
    let server = serve(db, Access::SignedIn, network).await;
    let (context, by) = (server.context(), Actor::system());
    let grants = [Grant { app: "demo".into(), role: "OPERARIO".into() }];
    let now = context.clock.now();
    accounts::put_user(&context.store, &by, "ana", PASSWORD, &grants, now).await.unwrap();
    server
}

async fn enter(server: &LocalServer, from: &str, name: &str, password: &str) -> Answer {
    let form = format!("name={name}&password={}", password.replace(' ', "+"));
    let request = server
        .client
        .request(Method::POST, "/login")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("x-forwarded-for", from)
        .header(header::USER_AGENT, "Netscape 4")
        .body(form);
    Answer::of(request, "POST /login").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_guesses_at_once_are_a_hundred_and_do_not_lock_the_owner_out() {
    let db = TestDb::sqlite();
    let server = house(&db, Rate::per_minute(10_000, 10_000)).await;
    let opened = enter(&server, HOME, "ana", PASSWORD).await;
    assert_eq!(opened.status, 303, "{}", opened.text);
    let guesses = (0..100).map(|_| enter(&server, ELSEWHERE, "ana", "guess"));
    let answers = futures::future::join_all(guesses).await;
    let looked_at = answers.iter().filter(|answer| answer.status == 401).count();
    assert!(looked_at <= 5, "{looked_at} passwords were looked at");
    assert!(answers.iter().all(|answer| [401, 429].contains(&answer.status)));
    assert!(answers.iter().any(|answer| answer.header("retry-after").is_some()));
    let locked = enter(&server, ELSEWHERE, "ana", PASSWORD).await;
    assert_eq!(locked.status, 429, "where nobody knows her the name rests");
    assert_eq!(enter(&server, HOME, "ana", PASSWORD).await.status, 303, "at home it does not");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_passwords_that_nobody_has_cost_nothing() {
    let db = TestDb::sqlite();
    let server = house(&db, Rate::per_minute(1, 1)).await;
    let (name, password) = ("n".repeat(65), "p".repeat(201));
    let began = Instant::now();
    for _ in 0..200 {
        assert_eq!(enter(&server, ELSEWHERE, &name, "x").await.status, 401);
        assert_eq!(enter(&server, ELSEWHERE, "ana", &password).await.status, 401);
    }
    // Four hundred hashes would take ten times as long, and one is all that this address has.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(enter(&server, ELSEWHERE, "ana", PASSWORD).await.status, 303);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_so_many_wrong_ones() {
    let db = TestDb::sqlite();
    let server = house(&db, Rate::per_minute(3, 3)).await;
    for name in ["one", "two", "three"] {
        assert_eq!(enter(&server, ELSEWHERE, name, "guess").await.status, 401);
    }
    let paced = enter(&server, ELSEWHERE, "four", "guess").await;
    assert_eq!(paced.status, 429);
    let wait: u64 = paced.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    for _ in 0..10 {
        assert_eq!(enter(&server, HOME, "ana", PASSWORD).await.status, 303, "right ones are free");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_behind_the_same_address_keeps_no_owner_out() {
    let db = TestDb::sqlite();
    let server = house(&db, Rate::per_minute(3, 3)).await;
    assert_eq!(enter(&server, HOME, "ana", PASSWORD).await.status, 303);
    for (name, expected) in [("one", 401), ("two", 401), ("three", 401), ("four", 429)] {
        assert_eq!(enter(&server, HOME, name, "guess").await.status, expected, "{name}");
    }
    for _ in 0..5 {
        assert_eq!(enter(&server, HOME, "ana", PASSWORD).await.status, 303, "she is known there");
    }
    let guesses = [401, 401, 401, 429].map(|expected| (expected, "guess"));
    for (expected, password) in guesses {
        assert_eq!(enter(&server, HOME, "ana", password).await.status, expected);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_see_their_sessions_and_end_them() {
    let db = TestDb::sqlite();
    let server = house(&db, Rate::per_minute(100, 100)).await;
    let cookie = |answer: &Answer| {
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    };
    let home = cookie(&enter(&server, HOME, "ana", PASSWORD).await);
    let away = cookie(&enter(&server, ELSEWHERE, "ana", PASSWORD).await);
    let ask = async |method: Method, path: &str, cookie: &str| {
        let request = server.client.request(method, path).header(header::COOKIE, cookie);
        Answer::of(request.header("sec-fetch-site", "same-origin"), path).await
    };
    let listed = ask(Method::GET, "/api/sessions", &home).await.expect(200);
    let listed = listed["items"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 2);
    let other = listed.iter().find(|one| one["current"] == false).unwrap();
    assert_eq!(other["address"], ELSEWHERE);
    assert_eq!(other["agent"], "Netscape 4");
    let page = ask(Method::GET, "/sesiones", &home).await;
    assert!(page.text.contains(ELSEWHERE) && page.text.contains("Netscape 4"));
    let id = other["id"].as_str().unwrap();
    for bad in ["nothing", "%25%25", "0123456789abcdef"] {
        assert_eq!(ask(Method::DELETE, &format!("/api/sessions/{bad}"), &home).await.status, 404);
    }
    ask(Method::DELETE, &format!("/api/sessions/{id}"), &home).await.expect(204);
    assert_eq!(ask(Method::GET, "/api/sessions", &away).await.status, 401);
    assert_eq!(ask(Method::POST, "/sesiones", &home).await.status, 415, "a form it is");
    ask(Method::DELETE, "/api/sessions", &home).await.expect(204);
    assert_eq!(ask(Method::GET, "/api/sessions", &home).await.status, 401);
    server.stop().await;
}

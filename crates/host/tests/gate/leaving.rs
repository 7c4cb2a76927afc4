//! A stream ends when what was shown for it is good no longer.

use std::time::{Duration, Instant};

use host::{Access, Actor, Grant, Network, accounts};
use reqwest::{Method, Response, header};
use testkit::{LocalServer, TestDb, on_both};

use crate::serve;

const PASSWORD: &str = "correct horse battery";

/// Waits until the stream is over; how long that took.
async fn ends(mut stream: Response) -> Duration {
    let began = Instant::now();
    let over = async { while let Ok(Some(_)) = stream.chunk().await {} };
    tokio::time::timeout(Duration::from_secs(40), over).await.expect("the stream ends");
    began.elapsed()
}

async fn listen(server: &LocalServer, name: header::HeaderName, value: &str) -> Response {
    let request = server.client.request(Method::GET, "/api/events").header(name, value);
    let mut stream = request.send().await.unwrap();
    assert_eq!(stream.status().as_u16(), 200);
    stream.chunk().await.unwrap();
    stream
}

async fn hire(server: &LocalServer, role: &str) {
    let (context, by) = (server.context(), Actor::system());
    let grants = [Grant { app: "demo".into(), role: role.into() }];
    let now = context.clock.now();
    accounts::put_user(&context.store, &by, "ana", PASSWORD, &grants, now).await.unwrap();
}

async fn sign_in(server: &LocalServer) -> String {
    let form = format!("name=ana&password={}", PASSWORD.replace(' ', "+"));
    let request = server.client.request(Method::POST, "/login").body(form);
    let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 303);
    let cookie = answer.headers()[header::SET_COOKIE].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_end_with_the_token_the_session_or_the_role() {
    on_both(async |db: &TestDb| {
        let server = serve(db, Access::SignedIn, Network::default()).await;
        let (context, by) = (server.context().clone(), Actor::system());
        let now = context.clock.now();
        let grants = [Grant { app: "demo".into(), role: "OPERARIO".into() }];
        let token = accounts::create_token(&context.store, &by, "till", &grants, None, now);
        let bearer = format!("Bearer {}", token.await.unwrap());
        let stream = listen(&server, header::AUTHORIZATION, &bearer).await;
        let id = accounts::tokens(&context.store).await.unwrap()[0].id;
        assert!(accounts::revoke_token(&context.store, &by, id, now).await.unwrap());
        assert!(ends(stream).await < Duration::from_secs(30), "a token");

        hire(&server, "OPERARIO").await;
        let (cookie, other) = (sign_in(&server).await, sign_in(&server).await);
        let stream = listen(&server, header::COOKIE, &cookie).await;
        let everywhere = server.client.request(Method::DELETE, "/api/sessions");
        let everywhere = everywhere.header(header::COOKIE, &other);
        let everywhere = everywhere.header("sec-fetch-site", "same-origin").send().await.unwrap();
        assert_eq!(everywhere.status().as_u16(), 204);
        assert!(ends(stream).await < Duration::from_secs(30), "a session, signed out everywhere");
        let gone = server.client.request(Method::GET, "/api/alerts").header(header::COOKIE, &other);
        assert_eq!(gone.send().await.unwrap().status().as_u16(), 401, "the one that asked, too");

        let cookie = sign_in(&server).await;
        let stream = listen(&server, header::COOKIE, &cookie).await;
        let off = accounts::set_user_active(&context.store, &by, "ana", false, now).await;
        assert!(off.unwrap());
        assert!(ends(stream).await < Duration::from_secs(30), "a person");
        server.stop().await;
    })
    .await;
}

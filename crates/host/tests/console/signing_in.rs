//! Signing in and out.

use axum::http::{StatusCode, header};
use host::Access;
use jiff::SignedDuration;

use crate::house::{House, PASSWORD};

#[tokio::test]
async fn the_right_password_opens_and_signing_out_closes() {
    let house = House::staffed().await;
    let sent_away = house.nobody().get("/ajustes?x=1").await;
    assert_eq!(sent_away.status, StatusCode::SEE_OTHER);
    assert_eq!(sent_away.location(), "/login?back=/ajustes%3Fx%3D1");
    let form = house.nobody().get(sent_away.location()).await;
    assert_eq!(form.status, StatusCode::OK);
    assert!(form.text.contains("value=\"/ajustes?x=1\""), "{}", form.text);

    let fields = [("name", "ada"), ("password", PASSWORD), ("back", "/ajustes?x=1")];
    let opened = house.nobody().post("/login", &fields).await;
    assert_eq!((opened.status, opened.location()), (StatusCode::SEE_OTHER, "/ajustes?x=1"));
    let cookie = opened.headers[header::SET_COOKIE].to_str().unwrap();
    for part in ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=1209600"] {
        assert!(cookie.contains(part), "{cookie}");
    }

    let ada = house.sign_in("ada").await;
    let page = ada.get("/").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("action=\"/logout\""));
    assert_eq!(ada.get("/login").await.status, StatusCode::SEE_OTHER);
    assert_eq!(ada.post("/logout", &[]).await.location(), "/login");
    assert_eq!(ada.get("/").await.location(), "/login?back=/");
}

#[tokio::test]
async fn the_way_back_stays_in_the_house() {
    let house = House::staffed().await;
    for back in ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil"] {
        let fields = [("name", "ada"), ("password", PASSWORD), ("back", back)];
        assert_eq!(house.nobody().post("/login", &fields).await.location(), "/", "{back}");
    }
}

#[tokio::test]
async fn a_wrong_password_keeps_the_name_and_five_close_the_door_for_a_while() {
    let house = House::staffed().await;
    let wrong = [("name", "ada"), ("password", "guess"), ("back", "/eventos")];
    for _ in 0..5 {
        let refused = house.nobody().post("/login", &wrong).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        assert!(refused.text.contains("value=\"ada\"") && refused.text.contains("/eventos"));
        assert!(!refused.text.contains("guess"));
        assert!(refused.headers.get(header::SET_COOKIE).is_none());
    }
    let right = [("name", "ada"), ("password", PASSWORD)];
    let resting = house.nobody().post("/login", &right).await;
    assert_eq!(resting.status, StatusCode::TOO_MANY_REQUESTS);
    let metrics = house.nobody().get("/metrics").await.text;
    assert!(metrics.contains("turno_login_failures_total"), "{metrics}");
    house.advance(SignedDuration::from_mins(15)).await;
    assert_eq!(house.nobody().post("/login", &right).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_stranger_learns_nothing_of_names() {
    let house = House::staffed().await;
    let unknown = house.nobody().post("/login", &[("name", "who"), ("password", "x")]).await;
    let known = house.nobody().post("/login", &[("name", "ope"), ("password", "x")]).await;
    assert_eq!(unknown.status, known.status);
    assert_eq!(unknown.text.replace("who", "ope"), known.text);
}

#[tokio::test]
async fn sessions_end_by_themselves() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    house.advance(SignedDuration::from_hours(24 * 14 - 1)).await;
    assert_eq!(ada.get("/").await.status, StatusCode::OK);
    house.advance(SignedDuration::from_hours(1)).await;
    assert_eq!(ada.get("/").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn an_open_house_asks_nobody() {
    let house = House::new(Access::Open).await;
    let page = house.nobody().get("/").await;
    assert_eq!(page.status, StatusCode::OK);
    let system = house.nobody().get("/sistema").await;
    assert!(system.text.contains("reloj manual") && system.text.contains("SQLite"));
    assert!(!page.text.contains("action=\"/logout\""));
}

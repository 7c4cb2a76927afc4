//! How the house stands in the network: proxies in front, TLS, pages of other sites.

use axum::http::{Method, StatusCode, header};
use host::{Access, Network, Proxies};

use crate::house::{House, PASSWORD};

#[tokio::test]
async fn open_access_is_refused_to_what_came_through_a_proxy() {
    let trusted_proxies = Proxies::read(["0.0.0.0/0", "::/0"]).unwrap();
    let network = Network { trusted_proxies, ..Network::default() };
    for house in [House::new(Access::Open).await, House::in_network(Access::Open, network).await] {
        assert_eq!(house.nobody().get("/").await.status, StatusCode::OK);
        for (mark, value) in [
            ("forwarded", "for=192.0.2.1"),
            ("x-forwarded-for", "127.0.0.1"),
            ("x-forwarded-proto", "http"),
            ("x-forwarded-host", "localhost"),
            ("x-real-ip", "127.0.0.1"),
            ("via", "1.1 proxy"),
        ] {
            let mark = header::HeaderName::from_static(mark);
            let asked = [(mark.clone(), value)];
            for path in ["/api/settings", "/api/events", "/health"] {
                let refused = house.nobody().call_with(Method::GET, path, None, &asked).await;
                assert_eq!(refused.status, StatusCode::FORBIDDEN, "{mark} {path}");
                assert_eq!(refused.json()["code"], "ACCESO_POR_PROXY");
            }
        }
    }
}

#[tokio::test]
async fn whoever_signs_in_may_come_through_a_proxy() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let asked = [(header::VIA, "1.1 proxy")];
    let answer = ada.call_with(Method::GET, "/api/settings", None, &asked).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn with_a_public_address_of_https_cookies_are_secure_and_browsers_insist() {
    let public = |url: &str| Network { public_url: Some(url.into()), ..Network::default() };
    let fields = [("name", "ada"), ("password", PASSWORD)];
    let house = House::in_network(Access::SignedIn, public("https://turno.example")).await;
    let opened = house.nobody().post("/login", &fields).await;
    assert_eq!(opened.status, StatusCode::SEE_OTHER);
    let preferred = house.nobody().get("/preferencias?lang=en").await;
    for answer in [&opened, &preferred] {
        let cookies: Vec<_> = answer.headers.get_all(header::SET_COOKIE).iter().collect();
        assert!(!cookies.is_empty(), "{:?}", answer.headers);
        assert!(
            cookies.iter().all(|one| one.to_str().unwrap().ends_with("; Secure")),
            "{cookies:?}"
        );
        assert_eq!(answer.headers[header::STRICT_TRANSPORT_SECURITY], "max-age=31536000");
    }
    let house = House::in_network(Access::SignedIn, public("http://turno.example")).await;
    let opened = house.nobody().post("/login", &fields).await;
    assert!(!opened.headers[header::SET_COOKIE].to_str().unwrap().contains("Secure"));
    assert!(!opened.headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
}

#[tokio::test]
async fn pages_of_other_sites_open_no_live_connection() {
    let house = House::new(Access::Open).await;
    let site = header::HeaderName::from_static("sec-fetch-site");
    for (name, kind) in [(header::ACCEPT, "text/event-stream"), (header::UPGRADE, "websocket")] {
        let asked = [(name.clone(), kind), (site.clone(), "cross-site")];
        let refused = house.nobody().call_with(Method::GET, "/api/events", None, &asked).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{kind}");
        assert_eq!(refused.json()["code"], "ORIGEN_AJENO");
    }
}

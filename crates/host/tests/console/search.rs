//! Ctrl K finds what is one's own to see, and offers what one may do.

use axum::http::{Method, StatusCode, header};

use crate::house::{House, Persona};

async fn found(who: &Persona<'_>, typed: &str) -> Vec<(String, String)> {
    let path = format!("/api/search?q={typed}");
    let answer = who.call(Method::GET, &path, None).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let json = answer.json();
    assert!(json["missing"].as_array().unwrap().is_empty());
    let items = json["items"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    items.iter().map(|item| (text(&item["kind"]), text(&item["href"]))).collect()
}

fn pair(kind: &str, href: &str) -> (String, String) {
    (kind.to_owned(), href.to_owned())
}

#[tokio::test]
async fn a_search_finds_things_settings_users_and_acts_by_role() {
    let house = House::staffed().await;
    let (ada, chief, worker) =
        (house.sign_in("ada").await, house.sign_in("jefa").await, house.sign_in("ope").await);
    let thing = [pair("Pieza", "/demo/12")];
    assert_eq!(found(&chief, "pieza").await, thing);
    assert_eq!(found(&chief, "%2312").await, thing, "by its number");
    assert!(found(&worker, "pieza").await.is_empty(), "the application looks at the role");

    let setting = [pair("Ajuste", "/ajustes/demo#PLACES")];
    assert_eq!(found(&chief, "places").await, setting);
    assert!(found(&worker, "places").await.is_empty());

    assert_eq!(found(&ada, "jefa").await, [pair("Usuario", "/usuarios")]);
    assert!(found(&chief, "jefa").await.is_empty());

    assert_eq!(found(&chief, "abrir%20la%20jornada").await, [pair("Acción", "/demo?abrir=1")]);
    assert!(found(&worker, "abrir%20la%20jornada").await.is_empty());
    assert!(found(&ada, "").await.is_empty());
}

#[tokio::test]
async fn a_search_speaks_the_language_of_who_looks() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let accept = [(header::ACCEPT_LANGUAGE, "en")];
    let path = "/api/search?q=open%20the%20day";
    let json = chief.call_with(Method::GET, path, None, &accept).await.json();
    assert_eq!(json["items"][0]["title"], "Open the day");
    let nobody = house.nobody().call(Method::GET, path, None).await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
}

//! Users and tokens, on the page and over the API.

use axum::http::{Method, StatusCode, header};
use jiff::SignedDuration;
use serde_json::json;

use crate::house::{House, PASSWORD};

#[tokio::test]
async fn a_token_is_shown_once_works_and_ends() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let fields = [("name", "caja"), ("days", "30"), ("role.demo", "JEFE")];
    let made = ada.post("/usuarios/tokens", &fields).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    assert_eq!(made.headers[header::CACHE_CONTROL], "no-store");
    let start = made.text.find("value=\"turno_").unwrap() + "value=\"".len();
    let secret: String = made.text[start..].chars().take_while(|c| *c != '"').collect();
    assert_eq!(secret.len(), "turno_".len() + 64);
    assert!(!ada.get("/usuarios").await.text.contains(&secret));

    let program = house.bearer(&secret);
    let settings = program.call(Method::GET, "/api/settings", None).await;
    assert_eq!(settings.status, StatusCode::OK);
    assert!(!settings.json()["items"].as_array().unwrap().is_empty());
    assert_eq!(program.call(Method::GET, "/api/users", None).await.status, StatusCode::FORBIDDEN);
    let again = ada.post("/usuarios/tokens", &fields).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY, "one token per name");
    assert!(again.text.contains("value=\"caja\"") && again.text.contains("value=\"30\""));

    let tokens = ada.call(Method::GET, "/api/tokens", None).await.json();
    let id = tokens["items"][0]["id"].clone();
    let path = format!("/api/tokens/{id}");
    assert_eq!(ada.call(Method::DELETE, &path, None).await.status, StatusCode::NO_CONTENT);
    assert_eq!(ada.call(Method::DELETE, &path, None).await.status, StatusCode::NOT_FOUND);
    let refused = program.call(Method::GET, "/api/settings", None).await;
    assert_eq!(refused.json()["code"], "TOKEN_INVALIDO");
    assert!(house.audited().await.ends_with(&["token.create".into(), "token.revoke".into()]));
    assert!(house.chain_holds().await);
}

#[tokio::test]
async fn tokens_expire() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let make = async |expires: &str| {
        let grants = json!([{ "app": "demo", "role": "JEFE" }]);
        let body = json!({ "name": "t", "grants": grants, "expires_at": expires });
        ada.call(Method::POST, "/api/tokens", Some(body)).await
    };
    assert_eq!(make("2020-01-01T00:00:00Z").await.json()["code"], "VENCIMIENTO_INVALIDO");
    let created = make("2026-03-03T22:00:00Z").await;
    assert_eq!(created.status, StatusCode::CREATED);
    let secret = created.json()["secret"].as_str().unwrap().to_owned();
    let program = house.bearer(&secret);
    assert_eq!(program.call(Method::GET, "/api/alerts", None).await.status, StatusCode::OK);
    house.advance(SignedDuration::from_hours(24)).await;
    let late = program.call(Method::GET, "/api/alerts", None).await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_new_password_or_a_deactivation_ends_sessions() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let chief = house.sign_in("jefa").await;
    let off = ada.call(Method::PUT, "/api/users/jefa/active", Some(json!({"active": false}))).await;
    assert_eq!((off.status, &off.json()["active"]), (StatusCode::OK, &json!(false)));
    assert_eq!(chief.get("/").await.status, StatusCode::SEE_OTHER);
    let sign_in = [("name", "jefa"), ("password", PASSWORD)];
    let refused = house.nobody().post("/login", &sign_in).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let on = [("name", "jefa"), ("active", "true")];
    assert_eq!(ada.post("/usuarios/activo", &on).await.location(), "/usuarios?hecho=activado");

    let chief = house.sign_in("jefa").await;
    let replaced = [("name", "jefa"), ("password", "another one"), ("role.demo", "OPERARIO")];
    assert_eq!(ada.post("/usuarios", &replaced).await.location(), "/usuarios?hecho=usuario");
    assert_eq!(chief.get("/").await.status, StatusCode::SEE_OTHER);
    let users = ada.call(Method::GET, "/api/users", None).await.json();
    let chief = users["items"].as_array().unwrap().iter().find(|user| user["name"] == "jefa");
    assert_eq!(chief.unwrap()["grants"], json!([{ "app": "demo", "role": "OPERARIO" }]));
    assert!(house.chain_holds().await);
}

#[tokio::test]
async fn refused_accounts_keep_the_form() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let short = [("name", "nuevo"), ("password", "corta"), ("role.demo", "JEFE")];
    let refused = ada.post("/usuarios", &short).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("value=\"nuevo\"") && !refused.text.contains("corta"));
    assert!(refused.text.contains("<option value=\"JEFE\" selected>"), "{}", refused.text);

    let post = async |body| ada.call(Method::POST, "/api/users", Some(body)).await;
    let grant = |app: &str, role: &str| json!({ "app": app, "role": role });
    let with = |grants| json!({ "name": "nuevo", "password": PASSWORD, "grants": grants });
    for grants in [
        json!([]),
        json!([grant("demo", "REY")]),
        json!([grant("*", "JEFE")]),
        json!([grant("nada", "ADMIN")]),
        json!([grant("demo", "JEFE"), grant("demo", "OPERARIO")]),
    ] {
        let answer = post(with(grants.clone())).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{grants}");
        assert_eq!(answer.json()["code"], "ROLES_INVALIDOS");
    }
    let odd = json!({ "name": "a b", "password": PASSWORD, "grants": [grant("demo", "JEFE")] });
    assert_eq!(post(odd).await.json()["code"], "NOMBRE_INVALIDO");
    let missing = ada.call(Method::PUT, "/api/users/nadie/active", Some(json!({"active": true})));
    assert_eq!(missing.await.json()["code"], "USUARIO_INEXISTENTE");
}

#[tokio::test]
async fn an_administrator_always_remains() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let off = Some(json!({ "active": false }));
    let refused = ada.call(Method::PUT, "/api/users/ada/active", off.clone()).await;
    assert_eq!(refused.json()["code"], "ULTIMO_ADMIN");
    let lowered = [("name", "ada"), ("password", PASSWORD), ("role.demo", "JEFE")];
    let lowered = ada.post("/usuarios", &lowered).await;
    assert_eq!(lowered.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(ada.get("/usuarios").await.status, StatusCode::OK, "nothing was done by halves");

    let second = [("name", "bea"), ("password", PASSWORD), ("role.*", "ADMIN")];
    assert_eq!(ada.post("/usuarios", &second).await.status, StatusCode::SEE_OTHER);
    assert_eq!(ada.call(Method::PUT, "/api/users/ada/active", off).await.status, StatusCode::OK);
}

//! Who may open which page of the house.

use axum::http::{Method, StatusCode, header};
use host::{Access, Actor, change_setting};
use serde_json::json;

use crate::house::House;

/// Who may open what: administrator, chief, worker.
const PAGES: &[(&str, [u16; 3])] = &[
    // Whoever has one application is led to it.
    ("/", [200, 303, 303]),
    ("/sistema", [200, 200, 200]),
    ("/api/docs", [200, 200, 200]),
    ("/eventos", [200, 200, 200]),
    ("/alertas", [200, 200, 200]),
    ("/ajustes", [200, 200, 403]),
    ("/ajustes/demo", [200, 200, 403]),
    ("/ajustes/otra", [404, 403, 403]),
    ("/auditoria", [200, 403, 403]),
    ("/auditoria.csv", [200, 403, 403]),
    ("/usuarios", [200, 403, 403]),
];
const CALLS: &[(&str, [u16; 3])] = &[
    ("/api/alerts", [200, 200, 200]),
    ("/api/alerts/count", [200, 200, 200]),
    ("/api/settings", [200, 200, 200]),
    ("/api/settings/demo/PLACES", [200, 200, 403]),
    ("/api/audit", [200, 403, 403]),
    ("/api/users", [200, 403, 403]),
    ("/api/tokens", [200, 403, 403]),
];
const POSTS: &[(&str, [u16; 3])] = &[
    ("/usuarios", [422, 403, 403]),
    ("/usuarios/activo", [303, 403, 403]),
    ("/usuarios/tokens", [422, 403, 403]),
    ("/usuarios/tokens/revocar", [303, 403, 403]),
    ("/alertas/prueba", [422, 403, 403]),
    ("/alertas/reconocer", [404, 404, 403]),
    ("/alertas/silenciar", [404, 404, 403]),
    ("/alertas/avisar", [404, 404, 403]),
    ("/ajustes/demo", [303, 303, 403]),
    ("/ajustes/demo/deshacer", [422, 422, 403]),
    ("/ajustes/otra", [404, 403, 403]),
];

#[tokio::test]
async fn roles_decide_and_strangers_sign_in_first() {
    let house = House::staffed().await;
    let personas =
        [house.sign_in("ada").await, house.sign_in("jefa").await, house.sign_in("ope").await];
    for (index, persona) in personas.iter().enumerate() {
        for (path, expected) in PAGES {
            assert_eq!(persona.get(path).await.status, expected[index], "{index} {path}");
        }
        for (path, expected) in CALLS {
            let answer = persona.call(Method::GET, path, None).await;
            assert_eq!(answer.status, expected[index], "{index} {path}");
        }
        for (path, expected) in POSTS {
            let answer = persona.post(path, &[]).await;
            assert_eq!(answer.status, expected[index], "{index} {path}");
        }
    }
    let nobody = house.nobody();
    for (path, _) in PAGES {
        assert!(nobody.get(path).await.location().starts_with("/login?back="), "{path}");
    }
    for (path, _) in CALLS {
        let answer = nobody.call(Method::GET, path, None).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(answer.json()["code"], "NO_AUTENTICADO");
    }
    for (path, _) in POSTS {
        assert_eq!(nobody.post(path, &[]).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn the_rail_shows_what_the_role_reaches() {
    let house = House::staffed().await;
    let (chief, worker) = (house.sign_in("jefa").await, house.sign_in("ope").await);
    let home = worker.get("/").await;
    assert_eq!(home.status, StatusCode::SEE_OTHER, "one application: its first page");
    assert_eq!(home.headers[header::LOCATION], "/demo");
    let (chief, worker) = (chief.get("/eventos").await.text, worker.get("/eventos").await.text);
    assert!(chief.contains("/demo-jefe") && chief.contains("href=\"/ajustes\""));
    assert!(worker.contains("href=\"/demo\"") && !worker.contains("/demo-jefe"));
    assert!(!worker.contains("href=\"/ajustes\"") && !worker.contains("href=\"/usuarios\""));
}

#[tokio::test]
async fn pages_speak_both_languages() {
    let house = House::new(Access::Open).await;
    for (path, es, en) in [
        ("/", "Inicio", "Home"),
        ("/sistema", "Trabajo periódico", "Periodic work"),
        ("/api/docs", "Buscar una operación", "Find an operation"),
        ("/ajustes", "Todo está como vino", "Everything is as it came"),
        ("/ajustes/demo", "Un número entero", "A whole number"),
        ("/eventos", "Ningún evento", "No events"),
        ("/auditoria", "Ningún cambio", "No changes"),
        ("/alertas", "Nada anda mal", "Nothing is wrong"),
        ("/usuarios", "Todavía no hay usuarios", "No users yet"),
        ("/login", "Iniciar sesión", "Sign in"),
    ] {
        let spanish = house.nobody().get(path).await.text;
        assert!(spanish.contains(es) && spanish.contains("<html lang=\"es\""), "{path}");
        let accept = [(header::ACCEPT_LANGUAGE, "en")];
        let english = house.nobody().call_with(Method::GET, path, None, &accept).await.text;
        assert!(english.contains(en) && english.contains("<html lang=\"en\""), "{path}");
        assert!(!spanish.contains(" style=") && !spanish.contains("<script>"), "{path}");
    }
}

#[tokio::test]
async fn the_audit_shows_pages_filters_exports_and_verifies() {
    let house = House::new(Access::Open).await;
    let context = &house.context;
    for count in 0..60 {
        let mut by = Actor::system();
        by.name = if count % 2 == 0 { "=SUM(1)".into() } else { "bea".into() };
        let value = json!(1 + count % 20);
        change_setting(context, &by, "demo", "PLACES", value, None).await.unwrap().unwrap();
    }
    let nobody = house.nobody();
    let first = nobody.call(Method::GET, "/api/audit?limit=40", None).await.json();
    assert_eq!((first["items"].as_array().unwrap().len(), &first["next"]), (40, &json!(21)));
    let rest = nobody.call(Method::GET, "/api/audit?limit=40&cursor=21", None).await.json();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (20, &json!(null)));
    let bea = nobody.call(Method::GET, "/api/audit?actor=bea&limit=200", None).await.json();
    assert_eq!(bea["items"].as_array().unwrap().len(), 30);
    assert_eq!(bea["items"][0]["after"], json!(20));

    let page = nobody.get("/auditoria?actor=bea").await.text;
    assert!(page.contains("<del>19</del>") && page.contains("<ins>20</ins>"), "{page}");
    assert!(page.contains("value=\"bea\"") && !page.contains("La cadena está entera"));
    let older = nobody.get("/auditoria").await.text;
    assert!(older.contains("cursor=11"), "fifty on a page, then a way on");
    assert!(nobody.get("/auditoria?verificar=1").await.text.contains("La cadena está entera"));

    let csv = nobody.get("/auditoria.csv").await;
    assert_eq!(csv.headers[header::CONTENT_TYPE], "text/csv; charset=utf-8");
    assert_eq!(csv.text.lines().count(), 61);
    // A browser asks for less than that, and whoever compresses asks once more after the end.
    let gzip = [(header::ACCEPT_ENCODING, "gzip")];
    let zipped = nobody.call_with(Method::GET, "/auditoria.csv", None, &gzip).await;
    assert_eq!(zipped.headers[header::CONTENT_ENCODING], "gzip");
    assert!(csv.text.contains("\"'=SUM(1)\"") && !csv.text.contains("\"=SUM"), "{}", csv.text);
}

#[tokio::test]
async fn events_show_what_the_role_may_see() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let body = Some(json!({ "valor": 9 }));
    chief.call(Method::PUT, "/api/settings/demo/PLACES", body).await;
    let seen = chief.get("/eventos").await.text;
    assert!(seen.contains("demo:replaneado") && seen.contains("solo para el jefe"));
    assert!(seen.contains("data-live=\"/eventos\" data-topics=\"demo\""), "{seen}");
    let worker = house.sign_in("ope").await.get("/eventos").await.text;
    assert!(worker.contains("configuracion:cambiada") && !worker.contains("demo:replaneado"));
    let filtered = chief.get("/eventos?app=demo&name=demo%3Areplaneado").await.text;
    assert!(!filtered.contains("<code>configuracion:cambiada</code>"));
    assert!(chief.get("/eventos?name=nada").await.text.contains("Ningún evento"));
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let forged = [(header::HeaderName::from_static("sec-fetch-site"), "cross-site")];
    let answer = ada.call_with(Method::POST, "/logout", None, &forged).await;
    assert_eq!(answer.json()["code"], "ORIGEN_AJENO");
    assert_eq!(ada.get("/").await.status, StatusCode::OK, "still signed in");
}

//! Settings are changed by whoever may, and the application reacts.

use axum::http::{Method, StatusCode, header::IF_MATCH};
use db::settings::Refused;
use host::{Access, Actor, change_setting};
use serde_json::json;

use crate::house::House;

const PLACES: &str = "/api/settings/demo/PLACES";

#[tokio::test]
async fn a_change_is_in_force_says_whose_it_is_and_the_application_reacts_with_it() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let before = chief.call(Method::GET, PLACES, None).await;
    assert_eq!(before.headers["etag"], "\"0\"");
    assert_eq!(before.json()["origen"]["tipo"], "PREDETERMINADO");

    let body = Some(json!({ "valor": 12 }));
    let changed = chief.call_with(Method::PUT, PLACES, body, &[(IF_MATCH, "\"0\"")]).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    assert_eq!(changed.headers["etag"], "\"1\"");
    let json = changed.json();
    assert_eq!((&json["valor"], &json["predeterminado"]), (&json!(12), &json!(8)));
    assert_eq!(
        (&json["origen"]["tipo"], &json["origen"]["por"]),
        (&json!("CONSOLA"), &json!("jefa"))
    );

    let mut tx = house.context.store.read().await.unwrap();
    let events = db::events::since(&mut tx, 0).await.unwrap();
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["configuracion:cambiada", "demo:replaneado"]);
    assert_eq!(house.audited().await.last().unwrap(), "setting.change");
    assert!(house.chain_holds().await);

    let page = chief.get("/ajustes").await.text;
    assert!(page.contains("value=\"12\"") && page.contains("jefa"), "{page}");
    assert!(page.contains("name=\"version\" value=\"1\""));
}

#[tokio::test]
async fn refusals_change_nothing_and_say_why() {
    let house = House::staffed().await;
    let ada = house.sign_in("ada").await;
    let put = async |path: &str, value: serde_json::Value, tag: &str| {
        let body = Some(json!({ "valor": value }));
        let answer = ada.call_with(Method::PUT, path, body, &[(IF_MATCH, tag)]).await;
        (answer.status.as_u16(), answer.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    for bad in [json!(0), json!(21), json!(8.5), json!("8"), json!(null), json!([8])] {
        assert_eq!(put(PLACES, bad.clone(), "*").await, (400, "VALOR_INVALIDO".into()), "{bad}");
    }
    assert_eq!(put(PLACES, json!(9), "\"3\"").await, (412, "VERSION_DISTINTA".into()));
    assert_eq!(put(PLACES, json!(9), "\"x\"").await, (412, "VERSION_DISTINTA".into()));
    let fixed = "/api/settings/demo/FIXED";
    assert_eq!(put(fixed, json!(9), "*").await, (409, "CLAVE_FIJADA".into()));
    for unknown in ["demo/NOTHING", "demo/KEPT", "other/PLACES"] {
        let path = format!("/api/settings/{unknown}");
        assert_eq!(put(&path, json!(9), "*").await, (404, "CLAVE_DESCONOCIDA".into()));
    }
    assert_eq!(ada.call(Method::GET, PLACES, None).await.json()["valor"], 8);
    assert!(!house.audited().await.contains(&"setting.change".to_owned()));
}

#[tokio::test]
async fn the_ceiling_moves_with_its_own_setting() {
    let house = House::new(Access::Open).await;
    let by = Actor::system();
    let context = &house.context;
    let put = async |key: &str, value: i64| {
        change_setting(context, &by, "demo", key, json!(value), None).await.unwrap()
    };
    assert!(matches!(put("PLACES", 30).await, Err(Refused::Invalid(_))));
    put("CEILING", 40).await.unwrap();
    assert_eq!(put("PLACES", 30).await.unwrap().version, 1);
}

#[tokio::test]
async fn a_form_saves_or_comes_back_with_what_was_typed() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let save = async |key: &str, value: &str, version: &str| {
        let fields = [("app", "demo"), ("key", key), ("value", value), ("version", version)];
        chief.post("/ajustes", &fields).await
    };
    let saved = save("PLACES", "15", "0").await;
    let place = "/ajustes?hecho=ajuste#demo.PLACES";
    assert_eq!((saved.status, saved.location()), (StatusCode::SEE_OTHER, place));
    assert!(chief.get("/ajustes?hecho=ajuste").await.text.contains("ya rige"));

    let invalid = save("PLACES", "quince", "1").await;
    assert_eq!(invalid.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(invalid.text.contains("value=\"quince\""), "{}", invalid.text);
    assert!(invalid.text.contains("Un número entero de 1 a 20"));
    let stale = save("PLACES", "16", "0").await;
    assert_eq!(stale.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(stale.text.contains("value=\"16\"") && stale.text.contains("mientras tanto"));
    let locked = save("FIXED", "16", "0").await;
    assert!(locked.text.contains("DEMO_FIXED") && locked.text.contains("<b>7</b></output>"));

    for (key, value) in
        [("OPEN", "false"), ("MODE", "promesa"), ("CUTOFF", "05:30"), ("GREETING", "¡hola!")]
    {
        assert_eq!(save(key, value, "0").await.status, StatusCode::SEE_OTHER, "{key}");
    }
    let list = chief.call(Method::GET, "/api/settings", None).await.json();
    let items = list["items"].as_array().unwrap();
    let of = |key: &str| items.iter().find(|item| item["clave"] == key).unwrap()["valor"].clone();
    assert_eq!((of("OPEN"), of("MODE")), (json!(false), json!("promesa")));
    assert_eq!((of("CUTOFF"), of("GREETING")), (json!("05:30"), json!("¡hola!")));
    assert!(items.iter().all(|item| item["clave"] != "KEPT"), "what is internal stays inside");
}

#[tokio::test]
async fn what_is_typed_is_shown_as_text() {
    let house = House::new(Access::Open).await;
    let fields = [("app", "demo"), ("key", "GREETING"), ("value", "<b>\"x\"</b><script>")];
    let refused = house.nobody().post("/ajustes", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!refused.text.contains("<b>\"x\""), "{}", refused.text);
}

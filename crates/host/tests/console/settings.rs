//! Settings are changed by whoever may, and the application reacts.

use axum::http::{Method, StatusCode, header::IF_MATCH};
use db::settings::Refused;
use host::{Access, Actor, change_setting};
use serde_json::json;

use crate::house::{Answer, House, Persona};

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

    let page = chief.get("/ajustes/demo").await.text;
    assert!(page.contains("value=\"12\"") && page.contains("jefa"), "{page}");
    assert!(page.contains("name=\"version.PLACES\" value=\"1\""));
    assert!(page.contains("cambiado aquí") && page.contains("Antes: 8"), "{page}");
    let index = chief.get("/ajustes").await.text;
    assert!(index.contains("/ajustes/demo#PLACES") && index.contains("jefa"), "{index}");
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

/// A form as a browser sends it: what stood in each input, what stands there now, the version.
async fn save(who: &Persona<'_>, changes: &[(&str, &str, &str, &str)]) -> Answer {
    let named = |kind: &str, key: &str| format!("{kind}.{key}");
    let mut fields = Vec::new();
    for (key, stood, value, version) in changes {
        fields.push((named("stood", key), (*stood).to_owned()));
        fields.push((named("value", key), (*value).to_owned()));
        fields.push((named("version", key), (*version).to_owned()));
    }
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    who.post("/ajustes/demo", &fields).await
}

#[tokio::test]
async fn a_form_saves_or_comes_back_with_what_was_typed() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let saved = save(&chief, &[("PLACES", "8", "15", "0")]).await;
    let place = "/ajustes/demo?hecho=ajuste#PLACES";
    assert_eq!((saved.status, saved.location()), (StatusCode::SEE_OTHER, place));
    assert!(chief.get("/ajustes/demo?hecho=ajuste").await.text.contains("ya rige"));

    let invalid = save(&chief, &[("PLACES", "15", "quince", "1")]).await;
    assert_eq!(invalid.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(invalid.text.contains("value=\"quince\""), "{}", invalid.text);
    assert!(invalid.text.contains("Un número entero de 1 a 20"));
    let stale = save(&chief, &[("PLACES", "8", "16", "0")]).await;
    assert_eq!(stale.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(stale.text.contains("value=\"16\"") && stale.text.contains("mientras tanto"));
    let locked = save(&chief, &[("FIXED", "7", "16", "0")]).await;
    assert!(locked.text.contains("DEMO_FIXED") && locked.text.contains("<b>7</b></output>"));

    let several = [
        ("OPEN", "true", "false", "0"),
        ("MODE", "estricta", "promesa", "0"),
        ("CUTOFF", "04:00", "05:30", "0"),
        ("GREETING", "hola", "¡hola!", "0"),
    ];
    let saved = save(&chief, &several).await;
    assert_eq!(saved.location(), "/ajustes/demo?hecho=ajustes#CUTOFF");
    let list = chief.call(Method::GET, "/api/settings", None).await.json();
    let items = list["items"].as_array().unwrap();
    let of = |key: &str| items.iter().find(|item| item["clave"] == key).unwrap()["valor"].clone();
    assert_eq!((of("OPEN"), of("MODE")), (json!(false), json!("promesa")));
    assert_eq!((of("CUTOFF"), of("GREETING")), (json!("05:30"), json!("¡hola!")));
    assert!(items.iter().all(|item| item["clave"] != "KEPT"), "what is internal stays inside");
}

#[tokio::test]
async fn several_are_saved_together_or_not_at_all() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let value = async |key: &str| {
        let path = format!("/api/settings/demo/{key}");
        chief.call(Method::GET, &path, None).await.json()["valor"].clone()
    };
    let bad = [("GREETING", "hola", "chau", "0"), ("PLACES", "8", "500", "0")];
    assert_eq!(save(&chief, &bad).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(value("GREETING").await, "hola", "one bad value and nothing is saved");
    // The order does not matter: the one is only good with the other.
    let up = [("PLACES", "8", "60", "0"), ("CEILING", "20", "80", "0")];
    assert_eq!(save(&chief, &up).await.status, StatusCode::SEE_OTHER);
    let down = [("CEILING", "80", "5", "1"), ("PLACES", "60", "4", "1")];
    assert_eq!(save(&chief, &down).await.status, StatusCode::SEE_OTHER);
    assert_eq!((value("PLACES").await, value("CEILING").await), (json!(4), json!(5)));
    let changes = house.audited().await.into_iter().filter(|action| action == "setting.change");
    assert_eq!(changes.count(), 4, "one record each");
}

#[tokio::test]
async fn what_nobody_touched_is_not_saved_over_anothers_change() {
    let house = House::staffed().await;
    let (chief, ada) = (house.sign_in("jefa").await, house.sign_in("ada").await);
    assert_eq!(save(&ada, &[("PLACES", "8", "12", "0")]).await.status, StatusCode::SEE_OTHER);
    let form = [("PLACES", "8", "8", "0"), ("GREETING", "hola", "chau", "0")];
    assert_eq!(save(&chief, &form).await.status, StatusCode::SEE_OTHER);
    let places = chief.call(Method::GET, PLACES, None).await.json();
    assert_eq!(places["valor"], 12);
    let nothing = save(&chief, &[("PLACES", "12", "12", "1")]).await;
    assert_eq!(nothing.location(), "/ajustes/demo?hecho=nada");
}

#[tokio::test]
async fn a_change_is_undone_once_and_stays_on_record() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let undo = async |version: &str| {
        let fields = [("key", "PLACES"), ("version.PLACES", version)];
        chief.post("/ajustes/demo/deshacer", &fields).await
    };
    assert_eq!(undo("0").await.status, StatusCode::UNPROCESSABLE_ENTITY, "nothing was changed");
    save(&chief, &[("PLACES", "8", "15", "0")]).await;
    assert_eq!(undo("0").await.status, StatusCode::UNPROCESSABLE_ENTITY, "another version");
    assert_eq!(undo("1").await.status, StatusCode::SEE_OTHER);
    assert_eq!(chief.call(Method::GET, PLACES, None).await.json()["valor"], 8);
    assert!(chief.get("/ajustes/demo").await.text.contains("Antes: 15"));
    assert!(house.chain_holds().await);
}

#[tokio::test]
async fn settings_are_found_by_their_words() {
    let house = House::staffed().await;
    let chief = house.sign_in("jefa").await;
    let found = chief.get("/ajustes?q=AYUDA%20places").await.text;
    assert!(found.contains("/ajustes/demo#PLACES") && !found.contains("#CUTOFF"), "{found}");
    assert!(chief.get("/ajustes?q=nada-de-eso").await.text.contains("Ningún ajuste"));
    let worker = house.sign_in("ope").await;
    for path in ["/ajustes", "/ajustes/demo"] {
        assert_eq!(worker.get(path).await.status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn what_is_typed_is_shown_as_text() {
    let house = House::new(Access::Open).await;
    let typed = [("GREETING", "hola", "<b>\"x\"</b><script>", "0")];
    let refused = save(&house.nobody(), &typed).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!refused.text.contains("<b>\"x\""), "{}", refused.text);
}

//! Every statement of the console once on the other database.

use axum::http::{Method, StatusCode};
use engine::Sentence;
use host::{Access, Alert, AlertChannels, Severity};
use jiff::SignedDuration;
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn the_console_works_on_postgres() {
    let channels = AlertChannels {
        // Nobody listens there: the notice stays on its way.
        webhook_url: Some("http://127.0.0.1:9/".into()),
        ..AlertChannels::default()
    };
    let Some(house) = House::on_postgres(Access::SignedIn, channels).await else { return };
    house.hire().await;
    let ada = house.sign_in("ada").await;
    for value in [9, 10] {
        let body = Some(json!({ "valor": value }));
        let changed = ada.call(Method::PUT, "/api/settings/demo/PLACES", body).await;
        assert_eq!(changed.status, StatusCode::OK, "{}", changed.text);
    }
    let said = || Sentence::new("x", "y");
    let alert = Alert::new("demo", "demo/x", Severity::Warning, said(), said());
    house.context.raise(alert.clone()).await.unwrap();
    house.context.raise(alert).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    let done = ada.post("/alertas/reconocer", &[("fingerprint", "demo/x")]).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    let mute = [("fingerprint", "demo/x"), ("reason", "obra"), ("hours", "8")];
    assert_eq!(ada.post("/alertas/silenciar", &mute).await.location(), "/alertas?hecho=silenciada");
    assert_eq!(ada.post("/alertas/avisar", &mute).await.location(), "/alertas?hecho=audible");
    let undo = [("key", "PLACES"), ("version.PLACES", "2")];
    assert_eq!(ada.post("/ajustes/demo/deshacer", &undo).await.status, StatusCode::SEE_OTHER);
    let token = [("name", "caja"), ("days", "3"), ("role.demo", "JEFE")];
    assert_eq!(ada.post("/usuarios/tokens", &token).await.status, StatusCode::CREATED);
    let revoke = [("id", "1")];
    assert_eq!(ada.post("/usuarios/tokens/revocar", &revoke).await.status, StatusCode::SEE_OTHER);
    let off = Some(json!({ "active": false }));
    let off = ada.call(Method::PUT, "/api/users/ope/active", off).await;
    assert_eq!(off.status, StatusCode::OK, "{}", off.text);
    let last = ada.call(Method::PUT, "/api/users/ada/active", Some(json!({ "active": false })));
    assert_eq!(last.await.json()["code"], "ULTIMO_ADMIN");

    for page in [
        "/",
        "/sistema",
        "/ajustes",
        "/ajustes/demo",
        "/eventos",
        "/alertas",
        "/usuarios",
        "/auditoria?verificar=1",
    ] {
        let answer = ada.get(page).await;
        assert_eq!(answer.status, StatusCode::OK, "{page}");
        assert!(page != "/sistema" || answer.text.contains("PostgreSQL"));
    }
    let odd = "app=%00&actor=%00&name=%00";
    for page in ["/eventos", "/auditoria", "/auditoria.csv", "/api/audit"] {
        let refused = ada.get(&format!("{page}?{odd}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{page}");
    }
    let nul = ada.call(Method::PUT, "/api/users/a%00b/active", Some(json!({ "active": true })));
    assert_eq!(nul.await.json()["code"], "CARACTER_NULO");
    assert!(house.chain_holds().await);
    house.context.store.close().await;
}

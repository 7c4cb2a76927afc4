//! Alerts are raised once, sent, acknowledged and resolved.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    routing::post,
};
use engine::Sentence;
use hmac::{Hmac, KeyInit as _, Mac as _};
use host::{Access, Alert, AlertChannels, Severity};
use jiff::SignedDuration;
use serde_json::{Value as Json, json};
use sha2::Sha256;

use crate::house::House;

const SECRET: &str = "shared secret";

fn trouble() -> Alert {
    let title = Sentence::new("Sin señales", "No signs");
    let detail = Sentence::new("hace 2 minutos", "for 2 minutes");
    Alert::new("demo", "demo/worker-silent", Severity::Critical, title, detail)
        .shown_at("/demo", "/demo#why")
}

/// Stands for the outside: takes notices, and fails as often as it is told.
#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    failures: u32,
    notices: Vec<(HeaderMap, String)>,
}

impl Receiver {
    async fn listen(&self, failures: u32) -> String {
        self.0.lock().unwrap().failures = failures;
        let app = Router::new().route("/hook", post(take)).with_state(self.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        format!("http://{address}/hook")
    }

    fn taken(&self) -> Vec<(HeaderMap, String)> {
        self.0.lock().unwrap().notices.clone()
    }

    fn states(&self) -> Vec<String> {
        let state = |(_, body): &(HeaderMap, String)| {
            let body: Json = serde_json::from_str(body).unwrap();
            body["state"].as_str().unwrap().to_owned()
        };
        self.taken().iter().map(state).collect()
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> StatusCode {
    let mut kept = receiver.0.lock().unwrap();
    kept.notices.push((headers, body));
    if kept.failures == 0 {
        return StatusCode::NO_CONTENT;
    }
    kept.failures -= 1;
    StatusCode::INTERNAL_SERVER_ERROR
}

async fn house_with(receiver: &Receiver, failures: u32) -> House {
    let channels = AlertChannels {
        webhook_url: Some(receiver.listen(failures).await),
        webhook_secret: Some(SECRET.into()),
        throttle: SignedDuration::from_mins(30),
        ..AlertChannels::default()
    };
    House::with_channels(Access::Open, channels).await
}

fn signed(headers: &HeaderMap, body: &str) -> bool {
    let text = |name: &str| headers[name].to_str().unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{}.{}.{body}", text("turno-id"), text("turno-timestamp")).as_bytes());
    format!("sha256={}", db::hex(&mac.finalize().into_bytes())) == text("turno-signature")
}

#[tokio::test]
async fn the_same_trouble_is_one_alert_and_its_end_is_told_once() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 0).await;
    house.context.raise(trouble()).await.unwrap();
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::from_secs(1)).await;
    let list = house.nobody().call(Method::GET, "/api/alerts", None).await.json();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!((&items[0]["firing"], &items[0]["occurrences"]), (&json!(true), &json!(2)));
    assert_eq!(receiver.states(), ["FIRING"]);
    assert!(house.nobody().get("/").await.text.contains("Sin señales"));

    house.context.resolve("demo/worker-silent").await.unwrap();
    house.context.resolve("demo/worker-silent").await.unwrap();
    house.advance(SignedDuration::from_secs(1)).await;
    assert_eq!(receiver.states(), ["FIRING", "RESOLVED"]);
    let page = house.nobody().get("/alertas").await.text;
    assert!(page.contains("Nada anda mal") && page.contains("Resueltas"), "{page}");
}

#[tokio::test]
async fn a_notice_is_signed_and_sent_again_until_it_arrives() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 2).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.taken().len(), 1);
    let page = house.nobody().get("/alertas").await.text;
    assert!(page.contains("reintentando") && page.contains("500"), "{page}");

    house.advance(SignedDuration::from_hours(1)).await;
    house.advance(SignedDuration::from_hours(1)).await;
    house.advance(SignedDuration::from_hours(1)).await;
    let taken = receiver.taken();
    assert_eq!(taken.len(), 3, "two failures, then it arrived, then no more");
    assert!(taken.iter().all(|(headers, body)| signed(headers, body)));
    assert!(taken.iter().all(|(headers, _)| headers["turno-id"] == taken[0].0["turno-id"]));
    assert!(house.nobody().get("/alertas").await.text.contains("entregado"));
}

#[tokio::test]
async fn an_acknowledged_alert_reminds_nobody() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 0).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::from_mins(31)).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.taken().len(), 2, "a reminder after the throttle");

    let body = Some(json!({ "fingerprint": "demo/worker-silent" }));
    let nobody = house.nobody();
    let taken = nobody.call(Method::POST, "/api/alerts/acknowledge", body.clone()).await;
    assert_eq!((taken.status, &taken.json()["acknowledged_by"]), (StatusCode::OK, &json!("local")));
    house.advance(SignedDuration::from_mins(31)).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.taken().len(), 2);

    house.context.resolve("demo/worker-silent").await.unwrap();
    let gone = nobody.call(Method::POST, "/api/alerts/acknowledge", body).await;
    assert_eq!(gone.json()["code"], "ALERTA_INEXISTENTE");
    assert_eq!(house.audited().await, ["alert.acknowledge"]);
    assert!(house.chain_holds().await);
}

#[tokio::test]
async fn looking_after_it_for_a_while_ends() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 0).await;
    house.context.raise(trouble()).await.unwrap();
    let body = json!({ "fingerprint": "demo/worker-silent", "reason": "se reinicia", "hours": 1 });
    let taken = house.nobody().call(Method::POST, "/api/alerts/acknowledge", Some(body)).await;
    assert_eq!(taken.json()["acknowledged_reason"], "se reinicia");
    let sent = async |minutes: i64| {
        house.advance(SignedDuration::from_mins(minutes)).await;
        house.context.raise(trouble()).await.unwrap();
        house.advance(SignedDuration::ZERO).await;
        receiver.taken().len()
    };
    assert_eq!(sent(40).await, 1);
    assert_eq!(sent(21).await, 2, "after the hour it reminds again");
}

#[tokio::test]
async fn a_muted_alert_tells_nobody_until_its_end() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 0).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    let nobody = house.nobody();
    let mute = async |reason: &str, hours: i64| {
        let body = json!({ "fingerprint": "demo/worker-silent", "reason": reason, "hours": hours });
        nobody.call(Method::POST, "/api/alerts/mute", Some(body)).await
    };
    assert_eq!(mute("", 2).await.json()["code"], "SILENCIO_INCOMPLETO");
    for hours in [0, 721] {
        assert_eq!(mute("obra", hours).await.json()["errors"][0]["path"], "hours");
    }
    assert_eq!(mute("obra en la sala", 2).await.json()["muted_by"], "local");
    let count = nobody.call(Method::GET, "/api/alerts/count", None).await.json();
    assert_eq!(count["count"], 0, "what is muted is not counted");

    // It recovers, comes back and goes on: not a word.
    house.context.resolve("demo/worker-silent").await.unwrap();
    house.advance(SignedDuration::from_mins(40)).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::from_mins(40)).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.states(), ["FIRING"]);
    let page = nobody.get("/alertas").await.text;
    assert!(page.contains("obra en la sala") && page.contains("Volver a avisar"), "{page}");

    house.advance(SignedDuration::from_mins(41)).await;
    house.context.raise(trouble()).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.states(), ["FIRING", "FIRING"], "its end has come");
    assert_eq!(mute("otra vez", 500).await.status, StatusCode::OK);
    let body = json!({ "fingerprint": "demo/worker-silent" });
    nobody.call(Method::POST, "/api/alerts/unmute", Some(body)).await;
    assert_eq!(house.audited().await, ["alert.mute", "alert.mute", "alert.unmute"]);
    assert!(house.chain_holds().await);
}

#[tokio::test]
async fn each_reads_it_in_one_language_and_is_led_to_the_cause() {
    let house = House::staffed().await;
    house.context.raise(trouble()).await.unwrap();
    let chief = house.sign_in("jefa").await;
    let spanish = chief.get("/alertas").await.text;
    assert!(spanish.contains("Sin señales") && !spanish.contains("No signs"), "{spanish}");
    assert!(spanish.contains("href=\"/demo\"") && spanish.contains("href=\"/demo#why\""));
    assert!(spanish.contains("class=\"mark bad\""), "one critical alert, in the rail");
    let accept = [(header::ACCEPT_LANGUAGE, "en")];
    let english = chief.call_with(Method::GET, "/alertas", None, &accept).await.text;
    assert!(english.contains("No signs") && !english.contains("Sin señales"), "{english}");
    let count = chief.call(Method::GET, "/api/alerts/count", None).await.json();
    assert_eq!((&count["count"], &count["worst"]), (&json!(1), &json!("CRITICAL")));
}

#[tokio::test]
async fn whoever_answers_for_the_application_acknowledges() {
    let house = House::staffed().await;
    house.context.raise(trouble()).await.unwrap();
    let fields = [("fingerprint", "demo/worker-silent")];
    let worker = house.sign_in("ope").await;
    assert!(!worker.get("/alertas").await.text.contains("/alertas/reconocer"));
    let refused = worker.post("/alertas/reconocer", &fields).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let chief = house.sign_in("jefa").await;
    assert!(chief.get("/alertas").await.text.contains("/alertas/reconocer"));
    let done = chief.post("/alertas/reconocer", &fields).await;
    assert_eq!(done.location(), "/alertas?hecho=reconocida");
    assert!(chief.get("/alertas").await.text.contains("jefa"));
    assert_eq!(worker.post("/alertas/silenciar", &fields).await.status, StatusCode::FORBIDDEN);
    let refused = chief.post("/alertas/silenciar", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("un motivo y un plazo"), "{}", refused.text);
    let whole = [fields[0], ("reason", "obra"), ("hours", "8")];
    let done = chief.post("/alertas/silenciar", &whole).await;
    assert_eq!(done.location(), "/alertas?hecho=silenciada");
}

#[tokio::test]
async fn a_test_notice_goes_out_on_request() {
    let receiver = Receiver::default();
    let house = house_with(&receiver, 0).await;
    let sent = house.nobody().post("/alertas/prueba", &[]).await;
    assert_eq!(sent.location(), "/alertas?hecho=prueba");
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(receiver.states(), ["TEST"]);
    assert_eq!(house.audited().await, ["alert.test"]);
    let alerts = house.nobody().call(Method::GET, "/api/alerts", None).await.json();
    assert!(alerts["items"].as_array().unwrap().is_empty(), "a test is no trouble");
}

#[tokio::test]
async fn without_channels_there_is_nothing_to_test() {
    let house = House::new(Access::Open).await;
    let refused = house.nobody().post("/alertas/prueba", &[]).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("No hay ningún canal configurado"));
}

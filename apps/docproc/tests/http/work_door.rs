//! Who may fetch messages, and what the addresses in them open.

use host::{Access, Actor, Clock, EVERY_APP, Grant, accounts};
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    office::{Office, Setup, noon, on_sqlite},
    work::{FLOW, PAGE, Worker},
};

#[tokio::test]
async fn addresses_in_a_message_open_one_thing_for_a_while() {
    on_sqlite(async |desk| {
        let mut setup = Setup::by(Clock::manual(noon()), desk);
        setup.house.access = Access::SignedIn;
        let office = Office::with(setup).await;
        office.workflow("fuera", FLOW).await;
        let sender = office.persona("EMISOR").await;
        let files = [("a.txt", PAGE.as_bytes().to_vec())];
        let sent = crate::office::upload(&sender, "/process", &files, &[("workflow", "fuera")]);
        assert_eq!(sent.await.status, 200);
        let (by, now) = (Actor::system(), office.context().clock.now());
        let house = [Grant { app: EVERY_APP.into(), role: "ADMIN".into() }];
        let store = &office.context().store;
        let token = accounts::create_token(store, &by, "house", &house, None, now).await.unwrap();
        let house = office.client.with_token(token);
        house.advance(0).await;
        let program = office.persona("COMPONENTE").await;
        let worker = Worker { client: &program, component: "mi_clasificador" };
        let lent = worker.one().await;
        let url = |name: &str| lent["message"]["payload"][name].as_str().unwrap().to_owned();
        let stranger = http_client::client();
        let get = async |url: &str| stranger.get(url).send().await.unwrap();
        let image = get(&url("image_url")).await;
        assert_eq!(
            (image.status().as_u16(), &image.headers()["content-type"]),
            (200, &"image/jpeg".parse().unwrap())
        );
        let file = get(&url("file_url")).await;
        assert_eq!(file.text().await.unwrap(), PAGE, "without signing in");
        let other = url("file_url").replace("/files/0?", "/files/1?");
        let longer = url("file_url").replace("expires=", "expires=9");
        let unsigned = url("file_url").split('&').next().unwrap().to_owned() + "&signature=00";
        for forged in [other, longer, unsigned] {
            assert_eq!(get(&forged).await.status().as_u16(), 403, "{forged}");
        }
        house.advance(3600).await;
        let over = get(&url("image_url")).await;
        assert_eq!(over.status().as_u16(), 410);
        let body: Json = over.json().await.unwrap();
        assert_eq!(body["code"], "DIRECCION_VENCIDA");
        office.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_worker_may_work_and_nothing_else_and_bad_input_is_refused() {
    on_sqlite(async |desk| {
        let mut setup = Setup::by(Clock::manual(noon()), desk);
        setup.house.access = Access::SignedIn;
        let office = Office::with(setup).await;
        let program = office.persona("COMPONENTE").await;
        for (method, path) in [
            (Method::GET, "/api/docproc/requests"),
            (Method::GET, "/status/01a1e1f7-78ac-7555-b036-78910a23803b"),
            (
                Method::GET,
                "/api/docproc/requests/01a1e1f7-78ac-7555-b036-78910a23803b/pages/0/image",
            ),
            (Method::GET, "/api/docproc/workflows"),
            (Method::GET, "/api/tasks"),
            (Method::POST, "/process"),
        ] {
            let status = program.request(method, path).send().await.unwrap().status().as_u16();
            assert_eq!(status, 403, "{path}");
        }
        for role in ["SUPERVISOR", "OPERADOR", "EMISOR"] {
            let client = office.persona(role).await;
            let answer = client.post("/api/docproc/work/mio/take", json!({})).await;
            assert_eq!(answer.status, 403, "{role}");
        }
        let anonymous = office.client.post("/api/docproc/work/mio/take", json!({})).await;
        assert_eq!(anonymous.status, 401);
        let held = json!({ "message_id": 1, "attempt": 1 });
        let none = json!({ "message_id": 1, "attempt": 1, "replies": [] });
        let (dots, long) = ("a".repeat(64), "x".repeat(9 << 20));
        let bad: [(&str, Json, u16); 13] = [
            ("mio/take?limit=0", json!({}), 400),
            ("mio/take?limit=65", json!({}), 400),
            ("mio/take?limit=x", json!({}), 400),
            ("mio/take?wait=61", json!({}), 400),
            ("mio/take?wait=NaN", json!({}), 400),
            ("mio/take?worker=%00", json!({}), 400),
            ("ocr/take", json!({}), 422),
            ("Mio/take", json!({}), 422),
            (&format!("{dots}/take"), json!({}), 422),
            ("mio/extend", held, 409),
            ("mio/done", none, 409),
            ("mio/done", json!({ "message_id": 1, "attempt": 1, "replies": "x" }), 400),
            ("mio/done", json!({ "message_id": 1, "attempt": 1, "replies": [long] }), 413),
        ];
        for (path, body, expected) in bad {
            let answer = program.post(&format!("/api/docproc/work/{path}"), body).await;
            assert_eq!(answer.status, expected, "{path}: {}", answer.text);
            assert!(answer.json()["detail"].is_string(), "{path}: {}", answer.text);
        }
        office.close().await;
    })
    .await;
}

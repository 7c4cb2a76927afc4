//! Socket.IO over its polling transport, spoken by hand: Engine.IO 4, packets separated by 0x1e.

use std::collections::VecDeque;

use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, TestDb};

use super::privacy::{knows_the_customer, with_customer};
use crate::shop::{Shop, Who};

const PATH: &str = "/socket.io/?EIO=4&transport=polling";

pub(crate) struct Socket {
    client: Client,
    path: String,
    /// Packets that arrived and were not read yet.
    waiting: VecDeque<String>,
}

impl Socket {
    pub(crate) async fn open(client: &Client, auth: &Json) -> Self {
        let hello = client.get(PATH).await;
        assert_eq!(hello.status, 200, "{}", hello.text);
        let hello: Json = serde_json::from_str(hello.text.strip_prefix('0').unwrap()).unwrap();
        let path = format!("{PATH}&sid={}", hello["sid"].as_str().unwrap());
        let socket = Self { client: client.clone(), path, waiting: VecDeque::new() };
        socket.send(&format!("40{auth}")).await;
        socket
    }

    async fn send(&self, packet: &str) {
        let request = self.client.request(Method::POST, &self.path);
        let request = request.header("content-type", "text/plain;charset=UTF-8");
        let answer = Answer::of(request.body(packet.to_owned()), "a packet").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// The next packet that is not a ping.
    async fn packet(&mut self) -> String {
        loop {
            if let Some(packet) = self.waiting.pop_front() {
                if packet == "2" {
                    self.send("3").await;
                    continue;
                }
                return packet;
            }
            let answer = self.client.get(&self.path).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            self.waiting.extend(answer.text.split('\u{1e}').map(str::to_owned));
        }
    }

    /// The next event: its name and what it says.
    pub(crate) async fn event(&mut self) -> (String, Json) {
        loop {
            let packet = self.packet().await;
            if let Some(event) = packet.strip_prefix("42") {
                let event: Json = serde_json::from_str(event).unwrap();
                return (event[0].as_str().unwrap().to_owned(), event[1].clone());
            }
            assert!(packet.starts_with("40"), "an unexpected packet: {packet}");
        }
    }

    /// Connected means: from now on events arrive.
    pub(crate) async fn welcome(&mut self) {
        let packet = self.packet().await;
        assert!(packet.starts_with("40{"), "{packet}");
    }
}

/// Who listens does so from some instant on; an event that only it can have caused tells when.
async fn listening(shop: &Shop, socket: &mut Socket) {
    socket.welcome().await;
    let id = shop.held().await["id"].clone();
    loop {
        let (name, data) = socket.event().await;
        if name == "pedido:creado" && data["pedidoId"] == id {
            return;
        }
    }
}

pub(super) async fn socket_clients_hear_what_they_may(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let nobody = shop.nobody();
    for auth in [json!({}), json!({ "token": "turno_nonsense" })] {
        let mut stranger = Socket::open(&nobody, &auth).await;
        stranger.welcome().await;
        assert_eq!(stranger.event().await.0, "no-autorizado");
        assert_eq!(stranger.packet().await, "41", "and is shown the door");
    }
    let mut counter = Socket::open(&shop.client(Who::Cashier), &json!({})).await;
    let mut cook = Socket::open(&shop.client(Who::Kitchen), &json!({})).await;
    listening(&shop, &mut counter).await;
    listening(&shop, &mut cook).await;
    let made = shop.client(Who::Cashier).post("/pedidos", with_customer()).await.expect(201);
    let mut numbers = Vec::new();
    for (socket, sees) in [(&mut counter, true), (&mut cook, false)] {
        let (name, data) = loop {
            let (name, data) = socket.event().await;
            if data["pedidoId"] == made["id"] {
                break (name, data);
            }
        };
        assert_eq!(name, "pedido:creado");
        assert_eq!(knows_the_customer(&data.to_string()), sees, "{data}");
        numbers.push(data["seq"].as_i64().unwrap());
        let (name, data) = socket.event().await;
        assert_eq!(name, "pedido:estado-cambiado");
        let moved = (&data["estadoAnterior"], &data["estadoNuevo"]);
        assert_eq!(moved, (&json!("RECIBIDO"), &json!("EN_PREPARACION")));
        assert_eq!(socket.event().await.0, "comanda:actualizada");
        let (name, data) = socket.event().await;
        assert_eq!(
            (name.as_str(), &data["capacidad"]["porcentajeUso"]),
            ("capacidad:actualizada", &json!(13))
        );
    }
    assert_eq!(numbers[0], numbers[1]);
}

pub(super) async fn socket_clients_resume_where_they_left(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let first = shop.held().await;
    let second = shop.held().await;
    let cashier = shop.client(Who::Cashier);
    let mut back = Socket::open(&cashier, &json!({ "lastSeq": 1 })).await;
    let (name, data) = back.event().await;
    assert_eq!((name.as_str(), &data["seq"]), ("pedido:creado", &json!(2)));
    assert_eq!(data["pedidoId"], second["id"]);
    let mut all = Socket::open(&cashier, &json!({ "lastSeq": 0 })).await;
    assert_eq!(all.event().await.1["pedidoId"], first["id"]);
    let mut lost = Socket::open(&cashier, &json!({ "lastSeq": 99 })).await;
    assert_eq!(lost.event().await.0, "sincronizar");
}

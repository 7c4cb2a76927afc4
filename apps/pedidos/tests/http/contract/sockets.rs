//! Socket.IO over its polling transport, spoken by hand: Engine.IO 4, packets separated by 0x1e.

use std::{
    collections::VecDeque,
    io::{ErrorKind, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use host::{Access, Actor, Limits, Network, accounts};
use reqwest::Method;
use serde_json::{Value as Json, json};
use testkit::{Answer, Client, Setup, TestDb};

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

pub(super) async fn a_revoked_socket_is_not_let_in_again(db: &TestDb) {
    let shop = Shop::guarded(db).await;
    let cashier = shop.client(Who::Cashier);
    let mut socket = Socket::open(&cashier, &json!({})).await;
    listening(&shop, &mut socket).await;
    // What was shown stays with the session; later requests need not show it.
    socket.client = shop.nobody();
    let (context, by) = (shop.context(), Actor::system());
    let tokens = accounts::tokens(&context.store).await.unwrap();
    let id = tokens.iter().find(|token| token.name == Who::Cashier.name()).unwrap().id;
    let now = context.clock.now();
    assert!(accounts::revoke_token(&context.store, &by, id, now).await.unwrap());
    assert_eq!(socket.event().await.0, "no-autorizado");
    assert_eq!(socket.packet().await, "41", "and is shown the door");
    socket.send("40{}").await;
    socket.welcome().await;
    assert_eq!(socket.event().await.0, "no-autorizado", "the session remembers nothing good");
    assert_eq!(socket.packet().await, "41");
}

/// A WebSocket of a stranger that was let through the gate and has not said who it is.
fn stranger(at: SocketAddr) -> TcpStream {
    let mut line = TcpStream::connect(at).unwrap();
    line.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    line.write_all(
        b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: localhost\r\n\
          connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
          sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    )
    .unwrap();
    let mut head = [0; 12];
    line.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    line
}

/// Whether the other side has not hung up.
fn is_open(mut line: &TcpStream) -> bool {
    line.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut heard = [0; 1_024];
    loop {
        match line.read(&mut heard) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

pub(super) async fn sockets_take_places_and_make_room(db: &TestDb) {
    let limits = Limits { connections: 8, streams: 24, ..Limits::default() };
    let network = Box::new(Network { limits, ..Network::default() });
    let now = "2026-06-19T23:00:00Z".parse().unwrap();
    let setup = Setup { access: Access::SignedIn, network, ..Setup::at(now, db) };
    let server = setup.prepare(pedidos::app()).await.start().await;
    let at: SocketAddr = server.client.base().trim_start_matches("http://").parse().unwrap();
    let open = tokio::task::spawn_blocking(move || {
        let lines: Vec<TcpStream> = (0..20).map(|_| stranger(at)).collect();
        lines.iter().filter(|line| is_open(line)).count()
    });
    let open = open.await.unwrap();
    assert!(open <= 8, "{open} connections where eight have a place");
    // Sessions by polling hold no connection; they take places all the same.
    let mut given = 0;
    while server.client.get(PATH).await.status == 200 {
        given += 1;
        assert!(given <= 24, "there is no end to the places of one address");
    }
    assert_eq!(server.client.get(PATH).await.status, 429);
    server.stop().await;
}

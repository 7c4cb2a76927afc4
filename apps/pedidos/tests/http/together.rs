//! Two servers on one database: what happens on one is seen on the other at once, not at the next
//! poll. Hints go through `PostgreSQL`, then through `RabbitMQ`.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{LocalServer, Setup};

use crate::{contract::sockets::Socket, shop::plain};

/// Polls come every five seconds: whatever is there sooner came by a hint.
const SOON: Duration = Duration::from_secs(1);
const ORDERS: usize = 200;

async fn serve(setup: &Setup) -> LocalServer {
    setup.clone().prepare(pedidos::app()).await.start().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_made_on_one_server_is_on_the_others_sockets_at_once() {
    testkit::on_wires(async |setup| {
        let (one, two) = (serve(setup).await, serve(setup).await);
        let mut socket = Socket::open(&two.client, &json!({})).await;
        socket.welcome().await;
        let mut took = Vec::new();
        for _ in 0..ORDERS {
            let began = Instant::now();
            let made = one.client.post("/pedidos", plain(10)).await.expect(201);
            loop {
                let (name, data) = socket.event().await;
                if name == "pedido:creado" && data["pedidoId"] == made["id"] {
                    break;
                }
            }
            took.push(began.elapsed());
        }
        took.sort_unstable();
        let (p50, p99) = (took[ORDERS / 2], took[ORDERS * 99 / 100 - 1]);
        let wire = if setup.broker.is_some() { "RabbitMQ" } else { "PostgreSQL" };
        println!("{wire}: from POST on one server to the other's socket p50 {p50:?} p99 {p99:?}");
        assert!(p99 < SOON, "{p99:?}");
        one.stop().await;
        two.stop().await;
    })
    .await;
}

//! A client of `GET /api/events` that notes when each event arrived.

use std::time::Instant;

use anyhow::{Context as _, Result};
use reqwest::{Method, Response};
use serde_json::Value as Json;
use testkit::Client;

pub(crate) struct Stream {
    response: Response,
    pending: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) data: Json,
    pub(crate) at: Instant,
}

impl Heard {
    pub(crate) fn order(&self) -> Option<i64> {
        self.data["pedidoId"].as_i64()
    }

    /// The order entered the kitchen.
    pub(crate) fn is_entry(&self) -> bool {
        self.name == "pedido:estado-cambiado" && self.data["estadoNuevo"] == "EN_PREPARACION"
    }
}

impl Stream {
    pub(crate) async fn open(client: &Client) -> Result<Self> {
        let request = client.request(Method::GET, "/api/events?topics=pedidos");
        let response = request.send().await?.error_for_status()?;
        Ok(Self { response, pending: String::new() })
    }

    pub(crate) async fn next(&mut self) -> Result<Heard> {
        loop {
            while let Some(end) = self.pending.find("\n\n") {
                let (frame, at) =
                    (self.pending.drain(..end + 2).collect::<String>(), Instant::now());
                let field = |name| frame.lines().find_map(|line| line.strip_prefix(name));
                if let Some((name, data)) = field("event: ").zip(field("data: ")) {
                    let mut data: Json = serde_json::from_str(data)?;
                    return Ok(Heard { name: name.to_owned(), data: data["data"].take(), at });
                }
            }
            let chunk = self.response.chunk().await?.context("the stream ended")?;
            self.pending.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

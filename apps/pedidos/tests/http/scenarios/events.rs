//! What the screens were told since they were last asked about it.

use testkit::story::{Outcome, Words};

use super::{expects::used_of_limit, story::Tale};
use crate::stream::Frame;

/// Not about orders; a story that cares asks for `all`.
const ASIDE: [&str; 3] = ["comanda:", "configuracion:", "alerta:"];

impl Tale {
    pub(super) async fn expect_events(&mut self, words: &mut Words, under: &[String]) -> Outcome {
        let everything = words.takes("all");
        let none = words.takes("none");
        let forgotten = words.takes("whatever");
        let newest = self.newest().await;
        let told: Vec<_> = self
            .screen
            .until(newest)
            .await
            .iter()
            .filter(|frame| everything || !ASIDE.iter().any(|name| frame.event.starts_with(name)))
            .map(|frame| self.told(frame))
            .collect();
        let expected: Vec<_> = under.to_vec();
        if !none && !forgotten && expected.is_empty() {
            return Err("say which, or none, or whatever".into());
        }
        if forgotten || told == expected {
            return Ok(());
        }
        let list = |lines: &[String]| lines.join("\n        ");
        Err(format!("expected:\n        {}\n    got:\n        {}", list(&expected), list(&told)))
    }

    async fn newest(&self) -> i64 {
        let sql = "SELECT COALESCE(MAX(seq), 0) AS newest FROM events WHERE app = 'pedidos'";
        let mut tx = self.shop.store().read().await.unwrap();
        tx.one(sql, &[]).await.unwrap().get("newest").unwrap()
    }

    /// An event in one line.
    fn told(&self, frame: &Frame) -> String {
        let (name, data) = (&frame.event, &frame.data["data"]);
        let word = |key: &str| data[key].as_str().unwrap_or("nothing");
        let order = self.name(&data["pedidoId"]);
        match name.as_str() {
            "pedido:estado-cambiado" => {
                format!("{name} {order} {} {}", word("estadoAnterior"), word("estadoNuevo"))
            }
            "capacidad:actualizada" => {
                let capacity = &data["capacidad"];
                format!("{name} {} {}%", used_of_limit(capacity), capacity["porcentajeUso"])
            }
            "pedidos:atrasados" => {
                let orders = data["pedidos"].as_array().into_iter().flatten();
                let mut names: Vec<_> = orders.map(|order| self.name(&order["id"])).collect();
                names.sort();
                let names = if names.is_empty() { "nobody".into() } else { names.join(" ") };
                format!("{name} {names} {}", word("causa"))
            }
            "comanda:actualizada" => format!("{name} {order} {}", data["revision"]),
            "configuracion:cambiada" => format!("{name} {} {}", word("clave"), data["valor"]),
            _ if data["pedidoId"].is_null() => name.clone(),
            _ => format!("{name} {order}"),
        }
    }
}

//! The real binary, and the requests every part makes.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use testkit::{Client, Options, Turno};

pub(crate) const CAPACITY: usize = 8;

pub(crate) async fn open(database_url: Option<String>) -> Turno {
    let quiet = vec![("TURNO_LOG__LEVEL".to_owned(), "warn".to_owned())];
    Turno::start(Options { database_url, environment: quiet, ..Options::default() }).await
}

/// What a counter sends: two lines, wanted now.
pub(crate) fn order() -> Json {
    let line =
        |name, weight| json!({ "nombre": name, "peso": weight, "cantidad": 1, "precio": 10 });
    json!({ "articulos": [line("Lomito", 3), line("Gaseosa", 1)], "modalidad": "RETIRO" })
}

pub(crate) async fn create(client: &Client) -> Result<i64> {
    let answer = client.post("/pedidos", order()).await;
    ensure!(answer.status == 201, "{}: {}", answer.status, answer.text);
    answer.json()["id"].as_i64().context("an order has a number")
}

pub(crate) async fn ready(client: &Client, id: i64) -> Result<()> {
    let answer = client.put(&format!("/pedidos/{id}/estado"), json!({ "estado": "LISTO" })).await;
    ensure!(answer.status == 200, "{}: {}", answer.status, answer.text);
    Ok(())
}

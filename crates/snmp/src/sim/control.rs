//! What a test does to the fleet, over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use serde_json::{Value, json};

use super::olt::{Counters, Olt};
use super::settings::Settings;

const HELP: &str = "\
A fleet of simulated OLTs.
GET  /sim/olts      every OLT: its address, settings and counters
GET  /sim/olts/{i}  one of them
PUT  /sim/olts/{i}  change the settings named in a JSON object
POST /sim/reset     everything as at the start

Settings, each alone or with others:
alive                  false: it hears and does not answer
brand                  \"huawei\" or \"zte\"
community              another one meets silence
onus                   rows of every table
latency_ms             before every answer
late_ms                before every tenth answer, on top of it
loss_pct               of the datagrams, in either direction
vanish_pct             of the ONUs, always the same ones
max_repetitions_limit  rows per answer; 0 is no limit
over_limit             \"too_big\" or \"silent\", when more are asked for
max_bytes              longest answer; a longer one is tooBig
not_increasing         half way through a table it starts again
truncate_after         silent about rows after so many; null is never
wrong_types            text where the state is a number
giant                  more rows in an answer than were asked for
garbled                datagrams cut in half
mute_onus              places in the table about which a GET is not answered
";

#[derive(Clone)]
struct Fleet {
    olts: Arc<[Arc<Olt>]>,
    addresses: Arc<[SocketAddr]>,
}

#[derive(Serialize)]
struct View {
    number: usize,
    address: SocketAddr,
    #[serde(flatten)]
    settings: Settings,
    #[serde(flatten)]
    counters: Counters,
}

impl Fleet {
    fn view(&self, number: usize) -> Option<View> {
        let olt = self.olts.get(number)?;
        let settings = Settings::clone(&olt.settings());
        Some(View { number, address: self.addresses[number], settings, counters: olt.counters() })
    }
}

pub(super) fn router(olts: Arc<[Arc<Olt>]>, addresses: Arc<[SocketAddr]>) -> Router {
    Router::new()
        .route("/", get(async || HELP))
        .route("/sim/olts", get(all))
        .route("/sim/olts/{number}", get(one).put(change))
        .route("/sim/reset", post(reset))
        .with_state(Fleet { olts, addresses })
}

async fn all(State(fleet): State<Fleet>) -> Json<Vec<View>> {
    Json((0..fleet.olts.len()).filter_map(|number| fleet.view(number)).collect())
}

async fn one(State(fleet): State<Fleet>, Path(number): Path<usize>) -> Response {
    fleet.view(number).map_or_else(absent, |view| Json(view).into_response())
}

/// The body is read as it comes: `curl -d` sends no content type.
async fn change(State(fleet): State<Fleet>, Path(number): Path<usize>, body: String) -> Response {
    let Some(olt) = fleet.olts.get(number) else { return absent() };
    let wrong = |detail: String| {
        (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"detail": detail}))).into_response()
    };
    let change: Value = match serde_json::from_str(&body) {
        Ok(change) => change,
        Err(error) => return wrong(error.to_string()),
    };
    match olt.settings().changed(&change) {
        Ok(settings) => {
            olt.set(settings);
            fleet.view(number).map_or_else(absent, |view| Json(view).into_response())
        }
        Err(error) => wrong(error.to_string()),
    }
}

async fn reset(State(fleet): State<Fleet>) -> StatusCode {
    for olt in fleet.olts.iter() {
        olt.reset();
    }
    StatusCode::NO_CONTENT
}

fn absent() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"detail": "there is no such OLT"}))).into_response()
}

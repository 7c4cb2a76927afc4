//! Sends the callback when a simulated execution ends.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::world::Run;
use crate::client::Callback;

/// A receiver that takes longer has not heard it.
const POST_TIMEOUT: Duration = Duration::from_secs(10);

/// Deliveries of one execution that are remembered.
const REMEMBERED: usize = 20;

/// A callback to be sent.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) run: u64,
    pub(super) status: String,
    callback: Callback,
    body: Value,
}

/// A callback and what became of it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Delivery {
    at: Timestamp,
    status: String,
    answer: String,
}

impl Notice {
    pub(super) fn of(number: u64, run: &Run) -> Option<Self> {
        let callback = run.callback.clone()?;
        let status = run.status.in_callback();
        let body = json!({
            "deploymentId": run.deployment,
            "status": status,
            "deviceId": run.device.to_string(),
            "userId": run.user.to_string(),
            "botOutput": run.output,
        });
        Some(Self { run: number, status, callback, body })
    }

    pub(super) fn delivery(&self, at: Timestamp, answer: &str) -> Delivery {
        Delivery { at, status: self.status.clone(), answer: answer.to_owned() }
    }

    pub(super) fn is_about(&self, run: &Run) -> bool {
        self.body["deploymentId"] == run.deployment.as_str()
    }

    /// Posts it, once, and says what the answer was.
    pub(super) async fn send(&self, http: &reqwest::Client) -> String {
        let mut request = http.post(&self.callback.url).timeout(POST_TIMEOUT).json(&self.body);
        for (name, value) in &self.callback.headers {
            request = request.header(name, value);
        }
        match request.send().await {
            Ok(answer) => answer.status().as_u16().to_string(),
            Err(error) if error.is_timeout() => "timed out".to_owned(),
            Err(error) if error.is_builder() => "not an address".to_owned(),
            Err(_) => "unreachable".to_owned(),
        }
    }
}

impl Run {
    pub(super) fn remember(&mut self, delivery: Delivery) {
        if self.deliveries.len() == REMEMBERED {
            self.deliveries.remove(0);
        }
        self.deliveries.push(delivery);
    }
}

//! Webhooks: JSON by POST, signed, so that the receiver can tell that it is ours.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;

use crate::Outcome;

/// Where a notice goes and how it is signed.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'a> {
    pub url: &'a str,
    pub secret: Option<&'a str>,
    /// Names the notice once and for all: the receiver can tell a repetition.
    pub key: &'a str,
    pub at: Timestamp,
}

/// Sends a body. HMAC-SHA256 over `id.timestamp.body`, like every webhook of Turno.
pub async fn post(client: &reqwest::Client, hook: Hook<'_>, body: String) -> Outcome {
    let timestamp = hook.at.as_second();
    let mut request = client
        .post(hook.url)
        .header("content-type", "application/json")
        .header("turno-id", hook.key)
        .header("turno-timestamp", timestamp);
    if let Some(secret) = hook.secret {
        let signed = format!("{}.{timestamp}.{body}", hook.key);
        request = request.header("turno-signature", sign(secret, &signed));
    }
    match request.body(body).send().await {
        Ok(answer) if answer.status().is_success() => Outcome::Done,
        Ok(answer) if answer.status() == reqwest::StatusCode::GONE => {
            Outcome::Refused("the receiver wants no more".into())
        }
        Ok(answer) => Outcome::Failed(format!("the receiver answered {}", answer.status())),
        Err(error) => Outcome::Failed(error.without_url().to_string()),
    }
}

/// `sha256=<hex>`, as receivers compute it.
pub fn sign(secret: &str, text: &str) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    format!("sha256={}", db::hex(&mac.finalize().into_bytes()))
}

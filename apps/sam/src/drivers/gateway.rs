//! The gateway in front of our callbacks: its token is fetched here and sent along with every deploy, so
//! that the Control Room can show it when it calls back (§4.4.2).

use std::time::{Duration, Instant};

use db::{Error, settings::Values};
use serde::Deserialize;

use crate::{Context, decisions::alarms, store::policy};

const TIMEOUT: Duration = Duration::from_secs(10);
/// Nobody's token is longer.
const LONGEST: usize = 16 * 1024;
/// How long a token is taken for good when the gateway does not say.
const USUAL: u64 = 3600;

/// A token and until when it is sent along: half its life, so that it outlives most bots.
#[derive(Clone)]
pub struct Pass {
    asked: Asked,
    value: String,
    until: Instant,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pass").field("url", &self.asked.url).finish_non_exhaustive()
    }
}

/// Who asks whom for what.
#[derive(Clone, PartialEq, Eq)]
struct Asked {
    url: String,
    id: String,
    secret: String,
    scope: String,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    token_type: Option<String>,
    expires_in: Option<u64>,
}

/// The headers that the gateway wants to see on a callback; none where there is no gateway, or where it
/// gives nothing: the deploy goes on, and people are told.
pub async fn headers(context: &Context, values: &Values) -> Result<Vec<(String, String)>, Error> {
    let text = |key: &str| Ok::<_, Error>(values.text(key)?.trim().to_owned());
    let asked = Asked {
        url: text(policy::GATEWAY_URL)?,
        id: text(policy::GATEWAY_ID)?,
        secret: text(policy::GATEWAY_SECRET)?,
        scope: text(policy::GATEWAY_SCOPE)?,
    };
    if asked.url.is_empty() {
        return Ok(Vec::new());
    }
    let mut kept = context.runtime.gateway.lock().await;
    let good = kept.as_ref().filter(|pass| pass.asked == asked && Instant::now() < pass.until);
    let pass = match good {
        Some(pass) => pass.clone(),
        None => match fetch(&asked).await {
            Ok(pass) => {
                alarms::gateway_well(context).await?;
                kept.insert(pass).clone()
            }
            Err(why) => {
                alarms::gateway_failed(context, &why).await?;
                return Ok(Vec::new());
            }
        },
    };
    let id = ("x-ibm-client-id".to_owned(), asked.id);
    Ok(vec![("Authorization".to_owned(), pass.value), id])
}

/// Credentials of a client, for a token.
async fn fetch(asked: &Asked) -> Result<Pass, String> {
    let plain = |error: reqwest::Error| error.without_url().to_string();
    let client = http_client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(plain)?;
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", &asked.id),
        ("client_secret", &asked.secret),
        ("scope", &asked.scope),
    ];
    let mut fields = reqwest::Url::parse("form:/").map_err(|error| error.to_string())?;
    fields.query_pairs_mut().extend_pairs(form);
    let request = client
        .post(&asked.url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(fields.query().unwrap_or_default().to_owned());
    let answer = request.send().await.map_err(plain)?;
    if !answer.status().is_success() {
        return Err(format!("the gateway answered {}", answer.status().as_u16()));
    }
    let body = http_client::read_at_most(answer, LONGEST).await.map_err(plain)?;
    let body = body.ok_or_else(|| "the gateway answered too much".to_owned())?;
    let granted: Granted =
        serde_json::from_slice(&body).map_err(|_| "the gateway gave no token".to_owned())?;
    let kind = granted.token_type.unwrap_or_else(|| "Bearer".to_owned());
    let value = format!("{kind} {}", granted.access_token);
    let sendable = value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if granted.access_token.is_empty() || !sendable {
        return Err("the gateway gave no token that can be sent".to_owned());
    }
    let life = Duration::from_secs(granted.expires_in.unwrap_or(USUAL).min(86_400)) / 2;
    Ok(Pass { asked: asked.clone(), value, until: Instant::now() + life })
}

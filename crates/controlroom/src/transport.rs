//! One request and its answer, bounded in time and size.

use std::error::Error as _;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use serde_json::Value;

use crate::config::{BadConfig, Config};
use crate::fault::{self, Fault, Kind};

/// Largest answer that is read; a page of 100 records has a fraction of it.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Largest answer of a refusal that is read.
const REFUSAL_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Transport {
    http: reqwest::Client,
    base: String,
}

impl Transport {
    pub(crate) fn new(config: &Config) -> Result<Self, BadConfig> {
        let base = config.base()?;
        let mut builder = http_client::builder()
            .timeout(config.timeout)
            // Shorter than the whole: what ends while connecting was certainly not heard.
            .connect_timeout((config.timeout / 2).min(Duration::from_secs(10)))
            // A connection that the other side may have closed casts doubt on a request.
            .pool_idle_timeout(Duration::from_secs(20))
            // A redirected POST would lose its body or carry the token elsewhere.
            .redirect(Policy::none());
        if is_here(&base) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| BadConfig::Transport(causes(&error)))?;
        Ok(Self { http, base })
    }

    /// Posts `body` and reads the JSON of a successful answer.
    pub(crate) async fn post(
        &self,
        path: &str,
        token: Option<&str>,
        body: &Value,
    ) -> Result<Value, Fault> {
        let mut request = self.http.post(format!("{}{path}", self.base)).json(body);
        if let Some(token) = token {
            let mut header = HeaderValue::from_str(token).map_err(|_| {
                Fault::new(Kind::Unauthorized, "the token given at sign-in cannot be sent")
            })?;
            header.set_sensitive(true);
            request = request.header("X-Authorization", header);
        }
        let response = request.send().await.map_err(|error| of_transport(&error))?;
        let status = response.status();
        if status.is_success() {
            let body = read(response, ANSWER_BYTES).await?;
            return serde_json::from_slice(&body)
                .map_err(|error| Fault::malformed(&error.to_string()));
        }
        let wait = response.headers().get(RETRY_AFTER).and_then(|header| header.to_str().ok());
        let wait = wait.and_then(|header| fault::retry_after(header, Timestamp::now()));
        // The status alone says most of it, so a refusal whose text is lost stays a refusal.
        let body = read(response, REFUSAL_BYTES).await.unwrap_or_default();
        Err(fault::classify(status.as_u16(), &body, wait))
    }
}

async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| of_transport(&error))? {
        if body.len() + chunk.len() > most {
            return Err(Fault::malformed(&format!("more than {most} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn of_transport(error: &reqwest::Error) -> Fault {
    let unheard = error.is_connect() || error.is_builder();
    let kind = if unheard { Kind::Unreachable } else { Kind::InDoubt };
    Fault::new(kind, fault::shorten(&causes(error)))
}

/// The error and its causes on one line, without the address.
fn causes(error: &reqwest::Error) -> String {
    let kind = if error.is_timeout() { "timed out" } else { "connection failed" };
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(kind.to_owned(), |text, cause| format!("{text}: {cause}"))
}

/// On this machine: no proxy stands between.
fn is_here(base: &str) -> bool {
    let url = Url::parse(base).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

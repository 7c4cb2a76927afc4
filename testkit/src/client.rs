//! A small JSON client: one per persona, paths for addresses, answers that explain themselves.

use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

/// Speaks to one server as one person.
#[derive(Debug, Clone)]
pub struct Client {
    base: String,
    token: Option<String>,
    http: reqwest::Client,
}

impl Client {
    /// Nobody in particular: no credentials are sent.
    pub fn anonymous(base: impl Into<String>) -> Self {
        let http = http_client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client without options can be built");
        Self { base: base.into(), token: None, http }
    }

    /// The same server with an API token.
    #[must_use]
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self.clone() }
    }

    /// The same person at another server.
    #[must_use]
    pub fn moved_to(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// For what the short methods do not cover: headers, forms, streams.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.header(AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path), &format!("GET {path}")).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(&body), &format!("POST {path}")).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::PUT, path).json(&body), &format!("PUT {path}")).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::DELETE, path), &format!("DELETE {path}")).await
    }

    /// Moves the manual clock; returns when nothing is left to do at the new time.
    pub async fn advance(&self, seconds: i64) -> Value {
        self.post("/debug/clock", json!({ "advance_seconds": seconds })).await.expect(200)
    }

    /// Sets the manual clock to an RFC 3339 instant.
    pub async fn at(&self, instant: &str) -> Value {
        self.post("/debug/clock", json!({ "now": instant })).await.expect(200)
    }
}

/// What the server said, and to what.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    asked: String,
}

impl Answer {
    /// Sends a request built with [`Client::request`].
    pub async fn of(request: RequestBuilder, asked: &str) -> Self {
        let refused = |error: reqwest::Error| -> ! { panic!("{asked}: {error:?}") };
        let response = request.send().await.unwrap_or_else(|error| refused(error));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap_or_else(|error| refused(error));
        Self { status, headers, text, asked: asked.to_owned() }
    }

    /// The body, once the status is the expected one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        let Self { status: got, text, asked, .. } = &self;
        assert_eq!(*got, status, "{asked} answered {got}, not {status}: {text}");
        self.json()
    }

    /// The body as JSON; an empty one is null.
    #[track_caller]
    pub fn json(&self) -> Value {
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.asked, self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

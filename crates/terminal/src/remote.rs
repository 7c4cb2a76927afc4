//! A server that is asked over HTTP, and what its refusals mean for a script.

use std::fmt::Write as _;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value as Json;

use crate::{Code, Exit, with_causes};

/// For answers without a body to send; uploads take as long as they take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const REACH_TIMEOUT: Duration = Duration::from_secs(5);
/// Far more than any answer about one request.
const LONGEST_ANSWER: usize = 64 << 20;

/// The server that is meant.
#[derive(clap::Args, Clone, Debug)]
pub struct Server {
    /// The server to ask
    #[arg(long, env = "TURNO_URL", default_value = "http://127.0.0.1:8000")]
    pub url: String,
}

#[derive(Debug)]
pub struct Remote {
    client: Client,
    url: String,
    token: Option<String>,
}

impl Remote {
    pub fn new(server: &Server) -> Self {
        Self {
            client: http_client::client(),
            url: server.url.trim_end_matches('/').to_owned(),
            token: std::env::var("TURNO_TOKEN").ok().filter(|token| !token.is_empty()),
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        // As the commands speak.
        let request = request.header("accept-language", "en");
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Result<Json, Exit> {
        self.answer(self.request(Method::GET, path).timeout(REQUEST_TIMEOUT)).await
    }

    /// The JSON of a good answer; a refusal with its reason and the code it means.
    pub async fn answer(&self, request: RequestBuilder) -> Result<Json, Exit> {
        let answer = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        let body = bounded(answer).await.map_err(|error| self.unreachable(&error))?;
        let told: Option<Json> = serde_json::from_slice(&body).ok();
        match (status, told) {
            (200..=299, Some(told)) => Ok(told),
            (200..=299, None) => {
                let message = format!("{} answers, but not as turno does", self.url);
                Err(Exit::failed(message).hint("--url names another server"))
            }
            (_, told) => Err(refused(status, &told.unwrap_or_default())),
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Exit {
        unreachable(&self.url, error)
    }
}

fn unreachable(url: &str, error: &reqwest::Error) -> Exit {
    if error.is_builder() {
        return Exit::usage(format!("{url} is not an address"))
            .hint("such as http://127.0.0.1:8000");
    }
    let message = format!("{url} does not answer: {}", with_causes(error));
    let hint = "start it with `turno serve`, or name another with --url";
    Exit::new(Code::Unreachable, message).hint(hint)
}

/// Tells a server that is not there from one that refuses.
pub async fn reach(url: &str) -> Result<(), Exit> {
    let health = format!("{}/health", url.trim_end_matches('/'));
    let asked = http_client::client().get(health).timeout(REACH_TIMEOUT).send().await;
    asked.map(drop).map_err(|error| unreachable(url, &error))
}

async fn bounded(mut answer: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A problem document as an exit: what happened, and its hint.
fn refused(status: u16, problem: &Json) -> Exit {
    let word = |key: &str| problem[key].as_str().filter(|text| !text.is_empty());
    let code = match (status, word("code")) {
        (401 | 403, _) => Code::NotAuthorised,
        (404, _) => Code::NotFound,
        (409, _) => Code::Conflict,
        (_, Some("ID_INVALIDO")) => Code::Usage,
        (502..=504, _) => Code::Unreachable,
        _ => Code::Failed,
    };
    let said = word("detail").or(word("title")).map(str::to_owned);
    let mut message = said.unwrap_or_else(|| format!("the server answered {status}"));
    for one in problem["errors"].as_array().into_iter().flatten() {
        let part = |key: &str| one[key].as_str().unwrap_or_default();
        let _ = write!(message, "\n  {}: {}", part("path"), part("message"));
    }
    let exit = Exit::new(code, message);
    match (status, word("hint")) {
        (401, _) => exit.hint("put a token of the server into TURNO_TOKEN"),
        (_, Some(hint)) => exit.hint(hint),
        (_, None) => exit,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals_mean_what_the_codes_say() {
        let told = |code: &str| json!({ "code": code, "detail": "why", "hint": "do" });
        for (status, code, means) in [
            (401, "SIN_SESION", Code::NotAuthorised),
            (404, "SOLICITUD_INEXISTENTE", Code::NotFound),
            (409, "CLAVE_REUTILIZADA", Code::Conflict),
            (422, "ID_INVALIDO", Code::Usage),
            (422, "FICHERO_VACIO", Code::Failed),
            (503, "ALMACEN_NO_DISPONIBLE", Code::Unreachable),
        ] {
            let exit = refused(status, &told(code));
            let hint =
                if status == 401 { "put a token of the server into TURNO_TOKEN" } else { "do" };
            assert_eq!(exit, Exit::new(means, "why").hint(hint), "{status} {code}");
        }
        assert_eq!(refused(500, &Json::Null), Exit::failed("the server answered 500"));
    }
}

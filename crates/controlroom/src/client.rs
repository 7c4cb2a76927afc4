//! What Turno asks of a Control Room, one method each.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::config::{BadConfig, Config, Secret};
use crate::fault::{self, Fault, Kind};
use crate::session::{Session, Token};
use crate::transport::Transport;

/// A bot to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    pub bot_id: i64,
    pub on: Target,
    /// Unique to this deployment: it is how one that nobody confirmed is found again. It becomes
    /// the name of the automation, the only word of ours that the Control Room gives back.
    pub tag: String,
    /// `botInput`: variables with their types.
    pub input: Option<Value>,
    pub callback: Option<Callback>,
}

/// Where a bot runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// As this user, on that user's default device, with nobody there.
    Unattended { user: i64 },
    /// On this device, in the session of whoever is signed in there.
    Attended { device: i64 },
}

/// Whom the Control Room tells of the end.
#[derive(Clone, PartialEq, Eq)]
pub struct Callback {
    pub url: String,
    pub headers: BTreeMap<String, String>,
}

/// Headers carry the secret by which a callback is known to be genuine.
impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        f.debug_struct("Callback").field("url", &self.url).field("headers", &names).finish()
    }
}

/// A session with a Control Room, shared by cloning.
#[derive(Clone, Debug)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    transport: Transport,
    session: Session,
}

impl Client {
    pub fn new(config: Config) -> Result<Self, BadConfig> {
        let transport = Transport::new(&config)?;
        let session = Session::new(config.renew_after);
        Ok(Self(Arc::new(Inner { config, transport, session })))
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Whether the Control Room lets us in: signs in unless there is a session already.
    pub async fn sign_in(&self) -> Result<(), Fault> {
        self.token(None).await.map(drop)
    }

    /// Starts a bot and returns its `deploymentId`. Posted once; again only after a 401, by which
    /// the Control Room says that it did not listen.
    pub async fn deploy(&self, deployment: &Deployment) -> Result<String, Fault> {
        let Deployment { bot_id, on, tag, input, callback } = deployment;
        let mut body = json!({ "botId": bot_id, "automationName": tag });
        match on {
            Target::Unattended { user } => {
                body["unattendedRequest"] = json!({
                    "runAsUserIds": [user], "deviceUsageType": "RUN_ONLY_ON_DEFAULT_DEVICE",
                });
            }
            Target::Attended { device } => {
                body["attendedRequest"] = json!({ "currentUserDeviceId": device });
            }
        }
        if let Some(input) = input {
            body["botInput"] = input.clone();
        }
        if let Some(Callback { url, headers }) = callback {
            body["callbackInfo"] = json!({ "url": url, "headers": headers });
        }
        let answer = self.call("/v4/automations/deploy", &body).await?;
        let id = match &answer["deploymentId"] {
            Value::String(id) => id.trim().to_owned(),
            Value::Number(id) => id.to_string(),
            _ => String::new(),
        };
        if id.is_empty() {
            return Err(Fault::malformed("an answer without deploymentId"));
        }
        Ok(id)
    }

    /// Stops executions by the ids of their activities; those of deployments are not known there.
    pub async fn stop(&self, ids: &[String]) -> Result<(), Fault> {
        if ids.is_empty() {
            return Ok(());
        }
        let body = json!({ "stop_executions": { "execution_ids": ids } });
        let answer = self.call("/v3/activity/manage", &body).await?;
        let Some(first) = answer["manage_action_errors"].as_array().and_then(|list| list.first())
        else {
            return Ok(());
        };
        let said = &first["error_response"];
        let message = said["message"].as_str().or(said.as_str());
        let message = message.map_or_else(|| first.to_string(), str::to_owned);
        Err(Fault { status: Some(200), ..Fault::new(Kind::Rejected, fault::shorten(&message)) })
    }

    /// Posts with a good token, and once more when it turned out not to be.
    pub(crate) async fn call(&self, path: &str, body: &Value) -> Result<Value, Fault> {
        let transport = &self.0.transport;
        let token = self.token(None).await?;
        match transport.post(path, Some(&token.text), body).await {
            Err(Fault { kind: Kind::Unauthorized, .. }) => {
                let token = self.token(Some(&token)).await?;
                transport.post(path, Some(&token.text), body).await
            }
            answer => answer,
        }
    }

    async fn token(&self, refused: Option<&Token>) -> Result<Token, Fault> {
        self.0.session.token(refused, || self.log_in()).await
    }

    async fn log_in(&self) -> Result<String, Fault> {
        let Config { username, secret, .. } = &self.0.config;
        let body = match secret {
            Secret::ApiKey(key) => json!({ "username": username, "apiKey": key }),
            Secret::Password(password) => json!({ "username": username, "password": password }),
        };
        let answer = self.0.transport.post("/v2/authentication", None, &body).await;
        // A login answered with our own words must not carry the secret into a log.
        let hidden = |text: &str| text.replace(secret.expose(), "…");
        let answer = answer.map_err(|fault| Fault { message: hidden(&fault.message), ..fault })?;
        // What cannot stand in a header is no token.
        let sendable =
            |token: &&str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        let token = answer["token"].as_str().map(str::trim).filter(sendable);
        token.map(str::to_owned).ok_or_else(|| Fault::malformed("a login without token"))
    }
}

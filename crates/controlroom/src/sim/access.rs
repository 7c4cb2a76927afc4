//! Logins and tokens of the simulated Control Room.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::settings::length;
use super::world::World;

/// A token that was given out.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    username: String,
    until: Timestamp,
}

/// Why something is refused, in the manner of the Control Room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl World {
    /// A token for a name with an API key or a password.
    pub(super) fn log_in(&mut self, body: &Value, now: Timestamp) -> Result<Value, Refusal> {
        let text = |field: &str| body[field].as_str().filter(|text| !text.is_empty());
        let (key, password) = (text("apiKey"), text("password"));
        let (Some(username), Some(secret)) = (text("username"), key.or(password)) else {
            return Err(Refusal::new(400, "username and apiKey or password are required"));
        };
        if self.settings.secret.as_deref().is_some_and(|right| right != secret) {
            return Err(Refusal::new(401, "Invalid credentials"));
        }
        self.passes.retain(|_, pass| pass.until > now);
        if key.is_none() {
            // Signing in with a password ends the sessions before it.
            self.passes.retain(|_, pass| pass.username != username);
        }
        let (username, text) = (username.to_owned(), self.uuid());
        let lasts = length(self.settings.token_seconds.into());
        let until = now.saturating_add(lasts).unwrap_or(Timestamp::MAX);
        self.passes.insert(text.clone(), Pass { username: username.clone(), until });
        let user = self.users.iter().find(|(_, account)| account.username == username);
        let id = user.map_or(0, |(id, _)| *id);
        Ok(json!({ "token": text, "user": { "id": id, "username": username } }))
    }

    /// A new token for one that is still good.
    pub(super) fn renew(&mut self, body: &Value, now: Timestamp) -> Result<Value, Refusal> {
        let old = body["token"].as_str().unwrap_or_default();
        self.admit(Some(old), now)?;
        let Some(mut pass) = self.passes.remove(old) else {
            return Err(Refusal::new(401, "Invalid token"));
        };
        let text = self.uuid();
        let lasts = length(self.settings.token_seconds.into());
        pass.until = now.saturating_add(lasts).unwrap_or(Timestamp::MAX);
        self.passes.insert(text.clone(), pass);
        Ok(json!({ "token": text }))
    }

    pub(super) fn admit(&self, token: Option<&str>, now: Timestamp) -> Result<(), Refusal> {
        match token.and_then(|token| self.passes.get(token)) {
            Some(pass) if pass.until > now => Ok(()),
            Some(_) => Err(Refusal::new(401, "The token has expired")),
            None => Err(Refusal::new(401, "Invalid token")),
        }
    }
}

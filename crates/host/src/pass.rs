//! What somebody showed at the door, looked at again while a live connection of theirs is open.

use std::{convert::Infallible, time::Duration};

use axum::{extract::FromRequestParts, http::request::Parts};

use crate::{Actor, Context, accounts};

/// Whoever ends a session or a token, or changes a role, wakes those who have to look.
pub(crate) const CHANGED: &str = "accounts";
/// Without a wake-up: a session that expires wakes nobody, and one may be lost.
const LOOK: Duration = Duration::from_secs(20);

/// Who came in, and by what.
#[derive(Clone, Debug)]
pub struct Pass {
    pub actor: Actor,
    shown: Shown,
}

/// Secrets are known by their hashes here.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    Nothing,
    Token(String),
    Session(String),
}

impl Shown {
    pub(crate) fn hash(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Token(hash) | Self::Session(hash) => Some(hash),
        }
    }
}

impl Pass {
    pub(crate) fn new(actor: Actor, shown: Shown) -> Self {
        Self { actor, shown }
    }

    /// Returns when what was shown is good no longer, or means another role: whoever stays comes in
    /// again. A database that does not answer changes nothing.
    pub async fn ended(self, context: Context) {
        let mut hints = context.listen(CHANGED);
        loop {
            tokio::select! {
                heard = hints.next() => if heard.is_none() { return },
                () = tokio::time::sleep(LOOK) => {}
            }
            match self.look(&context).await {
                Ok(Some(actor)) if actor == self.actor => {}
                Ok(_) => return,
                Err(error) => tracing::debug!(%error, "who is connected could not be looked at"),
            }
        }
    }

    /// The same pass as it is good now, if it still is: whoever comes back on an old connection is
    /// not let in by what was true when it began.
    pub async fn again(&self, context: &Context) -> Result<Option<Self>, db::Error> {
        let actor = self.look(context).await?;
        Ok(actor.map(|actor| Self::new(actor, self.shown.clone())))
    }

    /// Whether something good was shown, and not just nothing asked.
    pub(crate) fn is_proven(&self) -> bool {
        self.shown.hash().is_some()
    }

    /// The hash of the session that was shown, if one was.
    pub(crate) fn session(&self) -> Option<&str> {
        match &self.shown {
            Shown::Session(hash) => Some(hash),
            Shown::Nothing | Shown::Token(_) => None,
        }
    }

    async fn look(&self, context: &Context) -> Result<Option<Actor>, db::Error> {
        let (store, now) = (&context.store, context.clock.now());
        match &self.shown {
            Shown::Nothing => Ok(Some(self.actor.clone())),
            Shown::Token(hash) => accounts::actor_of_token(store, hash, now).await,
            Shown::Session(hash) => accounts::actor_of_session(store, hash, now).await,
        }
    }
}

impl Context {
    /// Who presents this API token, if it is still good.
    pub async fn pass_of_token(&self, secret: &str) -> Result<Option<Pass>, db::Error> {
        self.pass_of(Shown::Token(db::sha256_hex(secret))).await
    }

    pub(crate) async fn pass_of(&self, shown: Shown) -> Result<Option<Pass>, db::Error> {
        let pass = Pass::new(Actor::anonymous(), shown);
        pass.again(self).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Pass {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let nobody = || Self::new(Actor::anonymous(), Shown::Nothing);
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(nobody))
    }
}

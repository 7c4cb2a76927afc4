//! How much of the requests somebody sees. Whoever reads one for people says for whom, and the
//! database holds the rest back.

use db::{Error, Tx, events::Event};
use engine::Word as _;
use futures::future::BoxFuture;
use host::Actor;

use crate::policy::Role;

/// Which requests there are, for whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility<'a> {
    /// Those of everyone: the house itself, and people who look after requests.
    All,
    /// Those this one sent.
    Own(&'a str),
}

impl<'a> Visibility<'a> {
    /// A null means that no name narrows what is read.
    pub(super) fn owner(self) -> Option<&'a str> {
        match self {
            Self::All => None,
            Self::Own(name) => Some(name),
        }
    }
}

/// Whether an event is about a request that this actor sent.
pub fn owns<'a>(
    context: &'a host::Context,
    actor: &'a Actor,
    event: &'a Event,
) -> BoxFuture<'a, Result<bool, Error>> {
    Box::pin(async move {
        let sends = actor.role_in(crate::NAME).and_then(Role::from_word) == Some(Role::Sender);
        let subject = event.subject.as_deref().unwrap_or_default();
        match subject.strip_prefix("request/") {
            Some(id) if sends => sent(&mut context.store.read().await?, id, &actor.name).await,
            _ => Ok(false),
        }
    })
}

async fn sent(tx: &mut Tx, id: &str, name: &str) -> Result<bool, Error> {
    let sql = "SELECT 1 AS one FROM requests WHERE id = $1 AND created_by = $2";
    Ok(tx.optional(sql, &[id.into(), name.into()]).await?.is_some())
}

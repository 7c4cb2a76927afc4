//! Tells whoever asked for it of answers: signed, in order, once acknowledged never again.

use std::time::Duration;

use db::{Error, effects::Claimed};
use host::{Access, Outcome, webhook};

use crate::{
    Context,
    drivers::runtime::Secret,
    rules::callback,
    store::{
        answers,
        policy::{self, Private},
        scope,
    },
};

/// A receiver that takes longer has failed.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether what is sent may go to addresses inside the network.
pub fn may_stay_inside(context: &Context, private: Private) -> bool {
    match private {
        Private::Always => true,
        Private::Never => false,
        // Whoever reaches an open server is on this machine already.
        Private::Auto => context.options.access == Access::Open,
    }
}

pub async fn perform(context: Context, effect: Claimed) -> Outcome {
    let outcome = match attempt(&context, &effect).await {
        Ok(outcome) => outcome,
        // Not recorded as arrived: it is tried again.
        Err(error) => Outcome::Failed(error.to_string()),
    };
    let word = match &outcome {
        Outcome::Done => "done",
        Outcome::Failed(_) | Outcome::Again { .. } => "failed",
        Outcome::Refused(_) => "refused",
    };
    metrics::counter!("docproc_callbacks_total", "outcome" => word).increment(1);
    outcome
}

async fn attempt(context: &Context, effect: &Claimed) -> Result<Outcome, Error> {
    let request = effect.payload["request_id"].as_str().unwrap_or_default();
    let n = effect.payload["n"].as_i64().unwrap_or_default();
    let mut tx = context.store.read().await?;
    let Some(outgoing) = answers::outgoing(&mut tx, request, n).await? else {
        return Ok(Outcome::Done);
    };
    let policy = policy::load(&context.settings, &mut tx).await?;
    drop(tx);
    let private = may_stay_inside(context, policy.callbacks);
    let outcome = if let Err(sentence) = callback::check(&outgoing.url, private) {
        Outcome::Refused(sentence.en)
    } else {
        let client = context.runtime.callbacks.one(private);
        let runtime = context.runtime.clone();
        let own = runtime.config.callback_secret.as_ref().map(Secret::expose);
        let secret = own.or(context.options.alerts.webhook_secret.as_deref());
        let at = context.clock.now();
        let hook = webhook::Hook { url: &outgoing.url, secret, key: &effect.key, at };
        webhook::post(client, hook, outgoing.body.to_string()).await
    };
    let over = match &outcome {
        Outcome::Done | Outcome::Refused(_) => true,
        Outcome::Again { .. } => false,
        Outcome::Failed(_) => effect.attempt >= host::ATTEMPTS,
    };
    if over {
        let arrived = outcome == Outcome::Done;
        let mut decision = context.store.decide(&scope(request), context.clock.now()).await?;
        answers::delivered(&mut decision, request, n, arrived).await?;
        decision.commit().await?;
        if !arrived {
            tracing::error!(request_id = request, n, ?outcome, "an answer could not be delivered");
        }
    }
    Ok(outcome)
}

/// Two ways out, each with its own rule on where a name may point: anywhere, and only out into the
/// world.
pub struct Clients {
    anywhere: reqwest::Client,
    outside: reqwest::Client,
}

impl Clients {
    pub fn one(&self, private: bool) -> &reqwest::Client {
        if private { &self.anywhere } else { &self.outside }
    }
}

impl Default for Clients {
    fn default() -> Self {
        let built = "a client with these options can be built";
        let wary = |refused| http_client::wary(RECEIVER_TIMEOUT, refused).build().expect(built);
        Self { anywhere: wary(|_| false), outside: wary(callback::is_private) }
    }
}

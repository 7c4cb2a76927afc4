//! Performs effects: claims what is due, calls the driver, records how it went.

use std::{sync::Arc, time::Duration};

use db::effects;
pub(crate) use db::effects::Claimed;
use engine::{Backoff, Chance};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;

use crate::Context;

/// Longer than the slowest driver; the claim of a process that is gone ends with it.
const LEASE: SignedDuration = SignedDuration::from_secs(300);
/// Performed at once: one that waits for a slow receiver must not hold up the others.
const AT_ONCE: usize = 32;
/// How soon another process's commit is seen when its hint was lost.
const POLL: Duration = Duration::from_secs(5);
/// What is due and was not to be had is asked for again this soon.
const AGAIN: Duration = Duration::from_millis(250);
/// From two seconds to an hour: sixteen attempts span about six hours.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(2), Duration::from_hours(1));
/// After so many failures an effect is given up.
pub const ATTEMPTS: i64 = 16;
/// A driver that has not answered by then failed, unless it was given longer.
const DRIVER_TIMEOUT: Duration = Duration::from_secs(30);
/// Nobody is waited for longer; shorter than the lease.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(270);
/// Every commit with effects says so here.
pub(crate) const TOPIC: &str = "effects";

type Perform = dyn Fn(Context, Claimed) -> BoxFuture<'static, Outcome> + Send + Sync;

/// Performs one kind of effect in the outside world.
#[derive(Clone)]
pub struct Driver {
    pub kind: &'static str,
    perform: Arc<Perform>,
    timeout: Duration,
}

impl Driver {
    /// `perform` is called at least once per effect; the key makes repeating harmless outside.
    pub fn new<F>(
        kind: &'static str,
        perform: impl Fn(Context, Claimed) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let perform: Arc<Perform> =
            Arc::new(move |context, effect| Box::pin(perform(context, effect)));
        Self { kind, perform, timeout: DRIVER_TIMEOUT }
    }

    /// Waits so long for whoever it speaks to.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout.min(LONGEST_TIMEOUT);
        self
    }
}

/// What the outside answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// May succeed later.
    Failed(String),
    /// Is to be tried again at this instant, as often as the driver says so.
    Again {
        error: String,
        at: Timestamp,
    },
    /// Will never succeed.
    Refused(String),
}

impl Context {
    pub(crate) async fn run_effects(self) {
        // Tasks of their own: one that holds the database must go on while the next are claimed.
        let mut working = JoinSet::new();
        let mut hints = self.listen(TOPIC);
        let mut waits = false;
        loop {
            let claimed = self.claim_effects(AT_ONCE - working.len()).await;
            // Once per outage: until it is over there is nothing new to say.
            if let Err(error) = &claimed
                && !waits
            {
                tracing::warn!(error = %error, "effects wait: the database does not answer");
            }
            waits = claimed.is_err();
            for effect in claimed.unwrap_or_default() {
                let context = self.clone();
                working.spawn(async move { context.perform(effect).await });
            }
            let room = working.len() < AT_ONCE;
            let wait = if room { self.until_effect().await } else { POLL };
            tokio::select! {
                () = self.stopping.cancelled() => break,
                Some(_) = working.join_next() => {}
                Some(_) = hints.next(), if room => {}
                () = tokio::time::sleep(wait), if room => {}
            }
        }
        while working.join_next().await.is_some() {}
    }

    /// Performs until nothing is due and nothing goes on.
    pub(crate) async fn perform_due_effects(&self) {
        loop {
            let claimed = self.claim_effects(AT_ONCE).await.unwrap_or_else(|error| {
                tracing::warn!(error = %error, "effects wait: the database does not answer");
                Vec::new()
            });
            if claimed.is_empty() && self.work.is_empty() {
                return;
            }
            futures::future::join_all(claimed.into_iter().map(|effect| self.perform(effect))).await;
            self.work_done().await;
        }
    }

    async fn claim_effects(&self, room: usize) -> Result<Vec<Claimed>, db::Error> {
        if room == 0 {
            return Ok(Vec::new());
        }
        let (name, now) = (&self.process.name, self.clock.now());
        self.store.claim_effects(name, now, LEASE, room as i64).await
    }

    /// How long until an effect falls due; a look is taken before that anyway.
    async fn until_effect(&self) -> Duration {
        let Ok(Some(due)) = self.store.next_effect().await else { return POLL };
        let wait = Duration::try_from(self.clock.now().duration_until(due)).unwrap_or_default();
        wait.clamp(AGAIN, POLL)
    }

    async fn perform(&self, effect: Claimed) {
        let outcome = match self.driver(&effect.kind) {
            Some(driver) => {
                let call = (driver.perform)(self.clone(), effect.clone());
                tokio::time::timeout(driver.timeout, call)
                    .await
                    .unwrap_or_else(|_| Outcome::Failed("no answer in time".into()))
            }
            None => Outcome::Refused(format!("nobody performs {}", effect.kind)),
        };
        crate::metrics::effect_performed(&effect.kind, &outcome);
        let now = self.clock.now();
        let recorded = match outcome {
            Outcome::Done => effects::Outcome::Done,
            Outcome::Again { error, at } => effects::Outcome::Retry { error, at },
            Outcome::Failed(error) if effect.attempt < ATTEMPTS => {
                // Its own chance: what fails together is spread, and the same history waits as long.
                let chance = Chance::of(&[effect.id as u64, effect.attempt as u64]).unit();
                let wait = BACKOFF.delay(effect.attempt as u32, chance);
                effects::Outcome::Retry { error, at: now + wait }
            }
            Outcome::Failed(error) | Outcome::Refused(error) => effects::Outcome::Dead { error },
        };
        tell(&effect, &recorded);
        if let Err(error) = self.store.finish_effect(&effect, &recorded, now).await {
            // The claim runs out and the effect is tried again.
            tracing::warn!(effect = effect.id, error = %error, "outcome not recorded");
        }
    }

    fn driver(&self, kind: &str) -> Option<Driver> {
        let own = crate::alerts::drivers().into_iter();
        let of_apps = self.apps.iter().flat_map(|app| app.drivers.iter().cloned());
        own.chain(of_apps).find(|driver| driver.kind == kind)
    }
}

/// One line for each attempt that did not succeed.
fn tell(effect: &Claimed, outcome: &effects::Outcome) {
    let Claimed { id, kind, key, attempt, .. } = effect;
    match outcome {
        effects::Outcome::Done => {}
        effects::Outcome::Retry { error, at } => {
            tracing::warn!(effect = id, kind, key, attempt, reason = error, %at, "tried again later");
        }
        effects::Outcome::Dead { error } => {
            tracing::error!(effect = id, kind, key, attempt, reason = error, "given up");
        }
    }
}

//! What this process keeps for SAM between requests and ticks: its session with the Control Room,
//! how many deploys are under way, and when somebody outside was last asked.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use controlroom::{BadConfig, Client, Config, Secret};
use db::{Error, settings::Values};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;

use crate::{drivers::gateway::Pass, store::policy};

/// Built once at the start and passed to routes, ticks and drivers.
#[derive(Debug)]
pub struct Runtime {
    client: Mutex<Option<Client>>,
    /// Deploys under way: how many there may be, and who has a permit.
    deploys: Mutex<(i64, Arc<Semaphore>)>,
    /// When each tick last asked; none while there is nothing to ask about.
    asked: Mutex<HashMap<&'static str, Option<Timestamp>>>,
    /// What the gateway gave; whoever finds it old fetches another while the others wait.
    pub gateway: tokio::sync::Mutex<Option<Pass>>,
    /// How the Control Room was reached whose lists were last read.
    seen: Mutex<Option<Config>>,
    /// Held by the one sync under way.
    pub syncing: tokio::sync::Mutex<()>,
}

impl Default for Runtime {
    fn default() -> Self {
        Self {
            client: Mutex::default(),
            deploys: Mutex::new((0, Arc::new(Semaphore::new(1)))),
            asked: Mutex::default(),
            gateway: tokio::sync::Mutex::default(),
            seen: Mutex::default(),
            syncing: tokio::sync::Mutex::default(),
        }
    }
}

impl Runtime {
    /// The client for these settings; the session before is kept while they are the same.
    pub fn client(&self, values: &Values) -> Result<Result<Client, BadConfig>, Error> {
        let text = |key: &str| Ok::<_, Error>(values.text(key)?.trim().to_owned());
        let (key, password) = (text(policy::API_KEY)?, text(policy::PASSWORD)?);
        let secret = if key.is_empty() { Secret::Password(password) } else { Secret::ApiKey(key) };
        let mut config = Config::new(text(policy::URL)?, text(policy::USER)?, secret);
        config.timeout = Duration::from_secs(values.int(policy::TIMEOUT)?.unsigned_abs());
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = kept.as_ref().filter(|client| *client.config() == config) {
            return Ok(Ok(client.clone()));
        }
        Ok(Client::new(config).inspect(|client| *kept = Some(client.clone())))
    }

    /// The permits for deploys under way, `most` of them.
    pub fn deploys(&self, most: i64) -> Arc<Semaphore> {
        let mut deploys = self.deploys.lock().unwrap_or_else(PoisonError::into_inner);
        if deploys.0 != most {
            *deploys = (most, Arc::new(Semaphore::new(most.unsigned_abs() as usize)));
        }
        deploys.1.clone()
    }

    /// Whether a tick that asks somebody outside has to wait, and until when. Otherwise it asks now,
    /// and that is remembered. After a time with nothing to ask about it waits a whole period first.
    pub fn wait(
        &self,
        tick: &'static str,
        every: SignedDuration,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let until = match asked.get(tick).copied() {
            Some(None) => Some(now + every),
            Some(Some(last)) if last <= now && now < last + every => return Some(last + every),
            None | Some(Some(_)) => None,
        };
        asked.insert(tick, Some(now));
        until
    }

    /// Whether the Control Room of these settings was not looked at yet: another address, user or
    /// secret. That is remembered.
    pub fn is_new(&self, client: &Client) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.replace(client.config().clone()).as_ref() != Some(client.config())
    }

    /// Asks at once the next time.
    pub fn hurry(&self, tick: &'static str) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(tick);
    }

    /// There is nothing to ask about.
    pub fn idle(&self, tick: &'static str) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(tick, None);
    }
}

//! The Control Room as this process reaches it: one session, as long as its settings stand.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use controlroom::{BadConfig, Client, Config, Secret};
use db::{Error, settings::Values};
use host::Context;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::store::policy;

/// What routes, ticks and drivers of this process share.
#[derive(Debug)]
pub struct Room {
    client: Mutex<Option<Client>>,
    /// Deploys under way.
    workers: Mutex<(i64, Arc<Semaphore>)>,
    /// Something changed that may let somebody start.
    stirred: AtomicBool,
    /// Held by the one sync under way.
    pub syncing: tokio::sync::Mutex<()>,
    /// When time alone changes the launcher's plan.
    next: Mutex<Option<Timestamp>>,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            client: Mutex::default(),
            workers: Mutex::new((0, Arc::new(Semaphore::new(1)))),
            stirred: AtomicBool::new(true),
            syncing: tokio::sync::Mutex::default(),
            next: Mutex::default(),
        }
    }
}

impl Room {
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

    /// Room for one more deploy under way, of `most`.
    pub fn workers(&self, most: i64) -> Arc<Semaphore> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if workers.0 != most {
            *workers = (most, Arc::new(Semaphore::new(most.unsigned_abs() as usize)));
        }
        workers.1.clone()
    }

    /// Begins a look: what stirs from here on asks for another.
    pub fn look(&self) {
        self.stirred.store(false, Ordering::SeqCst);
    }

    pub fn remember(&self, next: Option<Timestamp>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// When the launcher has to look again.
    pub fn next(&self, now: Timestamp) -> Option<Timestamp> {
        if self.stirred.load(Ordering::SeqCst) {
            return Some(now);
        }
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something changed: the launcher looks at once.
pub fn stir(context: &Context) {
    context.shared::<Room>().stirred.store(true, Ordering::SeqCst);
    context.wake(crate::decisions::launch::TICK);
}

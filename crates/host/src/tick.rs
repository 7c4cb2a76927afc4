//! Runs ticks at the instants they name, after wake-ups, and periodically.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use crate::{App, Context, Tick};

/// Nothing asks for more than this many wake-up checks a second.
const CHECK_GAP: std::time::Duration = std::time::Duration::from_millis(50);
/// After a failed run the next try comes this soon, or at the period if that is shorter.
const RETRY: SignedDuration = SignedDuration::from_secs(5);

/// What is known of a tick's runs, for `/health/worker` and alerts.
#[derive(Clone, Debug, Default)]
pub struct TickHealth {
    pub started_at: Option<Timestamp>,
    pub last_run: Option<Timestamp>,
    pub last_success: Option<Timestamp>,
    pub last_error: Option<String>,
    pub last_duration_ms: u64,
    /// How long after its due instant the last run began.
    pub lag_ms: i64,
    pub runs: u64,
    pub period: SignedDuration,
}

impl TickHealth {
    /// How long after the last run the next one is due, if nothing names an earlier instant.
    pub(crate) fn wait(&self) -> SignedDuration {
        if self.last_error.is_some() { self.period.min(RETRY) } else { self.period }
    }

    /// Silent for more than two periods.
    pub fn is_silent(&self, now: Timestamp) -> bool {
        let Some(since) = self.last_success.or(self.started_at) else {
            return false;
        };
        self.period.is_positive() && now.duration_since(since) > self.period * 2
    }
}

#[derive(Debug)]
pub(crate) struct Ticks {
    health: Mutex<BTreeMap<&'static str, TickHealth>>,
    wake: BTreeMap<&'static str, Notify>,
    /// Held while a manual clock moves: one traveller at a time.
    pub(crate) travelling: tokio::sync::Mutex<()>,
}

impl Ticks {
    pub(crate) fn new(apps: &[App]) -> Self {
        let names = || apps.iter().flat_map(|app| &app.ticks).map(|tick| tick.name);
        Self {
            health: Mutex::new(names().map(|name| (name, TickHealth::default())).collect()),
            wake: names().map(|name| (name, Notify::new())).collect(),
            travelling: tokio::sync::Mutex::new(()),
        }
    }

    fn update(&self, name: &str, change: impl FnOnce(&mut TickHealth)) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = health.get_mut(name) {
            change(entry);
        }
    }
}

impl Context {
    pub fn tick_health(&self, name: &str) -> Option<TickHealth> {
        self.ticks.health.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn all_tick_health(&self) -> BTreeMap<&'static str, TickHealth> {
        self.ticks.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says that a tick's next instant may have come nearer.
    pub fn wake(&self, tick: &str) {
        if let Some(wake) = self.ticks.wake.get(tick) {
            wake.notify_one();
        }
    }

    pub(crate) fn all_ticks(&self) -> Vec<Tick> {
        self.apps.iter().flat_map(|app| app.ticks.iter().copied()).collect()
    }

    /// Drives one tick by the real clock until the server stops. Runs never overlap.
    pub(crate) async fn drive(self, tick: Tick) {
        self.ticks.update(tick.name, |health| health.started_at = Some(self.clock.now()));
        let mut due = self.clock.now();
        loop {
            let wait = self.clock.now().duration_until(due);
            let wait = std::time::Duration::try_from(wait).unwrap_or_default();
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(wait) => due = self.run_tick(&tick, due).await,
                () = self.ticks.wake[tick.name].notified() => {
                    // A burst of commits asks once.
                    tokio::time::sleep(CHECK_GAP).await;
                    let now = self.clock.now();
                    if let Ok(Some(next)) = (tick.next)(self.clone(), now).await {
                        due = due.min(next);
                    }
                }
            }
        }
    }

    /// Runs a tick now and says when it falls due again.
    pub(crate) async fn run_tick(&self, tick: &Tick, due: Timestamp) -> Timestamp {
        let now = self.clock.now();
        let began = Instant::now();
        let outcome = self.attempt(tick, now).await;
        let elapsed = began.elapsed();
        crate::metrics::tick_ran(tick.name, elapsed, outcome.is_ok());
        let lag_ms = now.duration_since(due).as_millis() as i64;
        self.ticks.update(tick.name, |health| {
            health.runs += 1;
            health.last_run = Some(now);
            health.last_duration_ms = elapsed.as_millis() as u64;
            health.lag_ms = lag_ms.max(0);
            match &outcome {
                Ok((period, _)) => {
                    health.period = *period;
                    health.last_success = Some(now);
                    health.last_error = None;
                }
                Err(error) => health.last_error = Some(error.to_string()),
            }
        });
        match outcome {
            Ok((period, next)) => next.map_or(now + period, |next| next.min(now + period)),
            Err(error) => {
                tracing::error!(tick = tick.name, error = %error, "tick failed; nothing decided");
                now + RETRY
            }
        }
    }

    async fn attempt(
        &self,
        tick: &Tick,
        now: Timestamp,
    ) -> Result<(SignedDuration, Option<Timestamp>), db::Error> {
        (tick.run)(self.clone(), now).await?;
        let period = (tick.period)(self.clone()).await?;
        let next = (tick.next)(self.clone(), now).await?;
        // An instant that is not in the future would spin; the period still covers it.
        Ok((period, next.filter(|next| *next > now)))
    }
}

//! Runs ticks at the instants they name and when they are woken.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use bus::{Bus, Listener};
use jiff::{SignedDuration, Timestamp};

use crate::{App, Context, Next, Tick, clock::Steady};

/// By the real clock a tick also runs this long after it last ran: another process may have committed
/// something and its wake-up been lost.
pub const SAFETY_NET: SignedDuration = SignedDuration::from_secs(30);
/// After a failed run the next try comes this soon; so it does when a tick names the past.
const RETRY: SignedDuration = SignedDuration::from_secs(5);
/// A tick that has not succeeded for so long after it was due is silent.
const SILENT_AFTER: SignedDuration = SignedDuration::from_mins(1);
/// A burst of wake-ups is one: a tick rests as long as it ran, within these bounds.
const REST: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(50));

/// What is known of a tick's runs, for `/health/worker` and alerts.
#[derive(Clone, Debug, Default)]
pub struct TickHealth {
    pub started_at: Option<Timestamp>,
    pub last_run: Option<Timestamp>,
    pub last_success: Option<Timestamp>,
    pub last_error: Option<String>,
    /// The last error of all, also when all went well since.
    pub last_failure: Option<String>,
    pub last_duration_ms: u64,
    /// How long after its due instant the last run began.
    pub lag_ms: i64,
    pub runs: u64,
    /// When it runs next, unless it is woken; `None`: not before it is woken.
    pub due: Option<Timestamp>,
    /// The first instant of an unbroken row of failures.
    failing_since: Option<Timestamp>,
}

impl TickHealth {
    /// Due for more than a minute, or failing for as long.
    pub fn is_silent(&self, now: Timestamp) -> bool {
        let since = self.failing_since.or(self.due);
        since.is_some_and(|since| now.duration_since(since) > SILENT_AFTER)
    }
}

impl TickHealth {
    /// What was to happen in ten minutes happens in ten minutes, whatever the clock says by then.
    fn set_back(&mut self, lost: SignedDuration) {
        let earlier = |at: Timestamp| at.checked_sub(lost).unwrap_or(at);
        self.due = self.due.map(earlier);
        self.failing_since = self.failing_since.map(earlier);
    }
}

#[derive(Debug)]
pub(crate) struct Ticks {
    health: Mutex<BTreeMap<&'static str, TickHealth>>,
    wakes: BTreeMap<&'static str, tokio::sync::Mutex<Listener>>,
    /// Held while a manual clock moves: one traveller at a time.
    pub(crate) travelling: tokio::sync::Mutex<()>,
}

impl Ticks {
    /// Every tick is due when the process starts.
    pub(crate) fn new(apps: &[App], demo: bool, bus: &dyn Bus, now: Timestamp) -> Self {
        let played = move |app: &App| app.demo.as_ref().filter(|_| demo).map(|tick| tick.name);
        let names = || {
            let own = apps.iter().flat_map(|app| &app.ticks).map(|tick| tick.name);
            own.chain(apps.iter().filter_map(played))
        };
        let due = || TickHealth { started_at: Some(now), due: Some(now), ..TickHealth::default() };
        Self {
            health: Mutex::new(names().map(|name| (name, due())).collect()),
            wakes: names().map(|name| (name, bus.listen(name).into())).collect(),
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

    pub fn all_tick_health(&self) -> BTreeMap<&'static str, TickHealth> {
        self.ticks.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a tick now, or wakes a worker, in every process. What a decision changed is better said
    /// with [`db::Decision::wake`].
    pub fn wake(&self, whom: &str) {
        self.bus.announce(whom, 0);
    }

    /// Wake-ups of `whom` that are said here are heard here only: one process is enough, or the
    /// others have them from somewhere else.
    pub fn keep_here(&self, whom: &'static str) {
        self.bus.keep_here(whom);
    }

    pub(crate) fn wake_all(&self) {
        for tick in self.all_ticks() {
            self.wake(tick.name);
        }
    }

    /// Hears whatever wakes `whom`, from now on.
    pub fn listen(&self, whom: &str) -> Listener {
        self.bus.listen(whom)
    }

    /// Hears what wakes `whom` in this process only, from now on.
    pub fn listen_here(&self, whom: &str) -> Listener {
        self.bus.listen_here(whom)
    }

    pub(crate) fn all_ticks(&self) -> Vec<Tick> {
        let own = self.apps.iter().flat_map(|app| app.ticks.iter().cloned());
        own.chain(self.demo_ticks()).collect()
    }

    /// Those that play the demonstration.
    pub(crate) fn demo_ticks(&self) -> impl Iterator<Item = Tick> {
        self.apps.iter().filter(|_| self.options.demo).filter_map(|app| app.demo.clone())
    }

    /// Drives one tick by the real clock until the server stops. Runs never overlap.
    pub(crate) async fn drive(self, tick: Tick) {
        let mut wakes = self.ticks.wakes[tick.name].lock().await;
        let mut steady = Steady::new(self.clock.now());
        loop {
            let now = self.clock.now();
            let lost = steady.set_back(now);
            if lost > SignedDuration::ZERO {
                tracing::warn!(tick = tick.name, lost_s = lost.as_secs(), "the clock was set back");
                self.ticks.update(tick.name, |health| health.set_back(lost));
            }
            let due = self.tick_health(tick.name).and_then(|health| health.due);
            // Never longer than the net: the clock may be set meanwhile, ahead or back.
            let wait = due.map_or(SAFETY_NET, |due| now.duration_until(due).min(SAFETY_NET));
            let wait = Duration::try_from(wait).unwrap_or_default();
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(wait) => {
                    // The net also holds for a tick that last ran while time was moved by hand.
                    let passed = |due| due <= self.clock.now();
                    if !due.map_or(tick.net, passed) {
                        continue;
                    }
                }
                Some(_) = wakes.next() => {}
            }
            let began = Instant::now();
            self.run_tick(&tick).await;
            tokio::time::sleep(began.elapsed().clamp(REST.0, REST.1)).await;
        }
    }

    /// Runs a tick now and notes when it falls due again.
    pub(crate) async fn run_tick(&self, tick: &Tick) {
        let now = self.clock.now();
        let began = Instant::now();
        let outcome: Next = (tick.run)(self.clone(), now).await;
        let elapsed = began.elapsed();
        crate::metrics::tick_ran(tick.name, elapsed, outcome.is_ok());
        if let Err(error) = &outcome
            && self.tick_health(tick.name).is_none_or(|health| health.failing_since.is_none())
        {
            // Once per row of failures; the health page has the latest.
            tracing::error!(tick = tick.name, %error, "tick failed; nothing decided");
        }
        let latest = (tick.net && !self.clock.is_manual()).then(|| now + SAFETY_NET);
        self.ticks.update(tick.name, |health| {
            let lag = health.due.map_or(SignedDuration::ZERO, |due| now.duration_since(due));
            health.lag_ms = (lag.as_millis() as i64).max(0);
            health.runs += 1;
            health.last_run = Some(now);
            health.last_duration_ms = elapsed.as_millis() as u64;
            match outcome {
                Ok(next) => {
                    // A tick that names the past again and again would never rest.
                    let next = next.map(|next| if next > now { next } else { now + RETRY });
                    health.due = [next, latest].into_iter().flatten().min();
                    health.last_success = Some(now);
                    health.last_error = None;
                    health.failing_since = None;
                }
                Err(error) => {
                    health.due = Some(now + RETRY);
                    health.last_error = Some(error.to_string());
                    health.last_failure.clone_from(&health.last_error);
                    health.failing_since.get_or_insert(now);
                }
            }
        });
    }

    /// The tick that is due first, and when; who was woken is due now.
    pub(crate) async fn first_due(&self, ticks: &[Tick]) -> Option<(Tick, Timestamp)> {
        let now = self.clock.now();
        for tick in ticks {
            if self.ticks.wakes[tick.name].lock().await.heard() {
                self.ticks.update(tick.name, |health| health.due = Some(now));
            }
        }
        let due = ticks.iter().filter_map(|tick| {
            let due = self.tick_health(tick.name)?.due?;
            Some((tick.clone(), due.max(now)))
        });
        due.min_by_key(|(_, due)| *due)
    }
}

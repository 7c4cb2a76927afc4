//! Sockets, timers and the clock around the world.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;

use super::access::Refusal;
use super::callbacks::Notice;
use super::settings::Settings;
use super::world::World;
use super::{control, doors};

/// Callbacks that are on their way at once.
const SENDING: usize = 64;

/// Steps of one move of the clock; beyond it something goes round in circles.
const STEPS: u32 = 100_000;

/// Longest sleep of the timer, which is woken whenever the agenda changes.
const NAP: Duration = Duration::from_hours(1);

/// Whose time the simulator follows.
#[derive(Clone)]
pub enum Clock {
    Real,
    /// Stands still until `POST /sim/clock` moves it.
    Manual(Timestamp),
    /// Somebody else's: what falls due happens in [`Simulator::catch_up`].
    Followed(Followed),
}

/// A clock that somebody else keeps.
#[derive(Clone)]
pub struct Followed {
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Told whenever something else may be due first.
    pub changed: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Real => f.write_str("Real"),
            Self::Manual(at) => f.debug_tuple("Manual").field(at).finish(),
            Self::Followed(_) => f.write_str("Followed"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub clock: Clock,
    /// Devices, each with a user, and bots that are there at first.
    pub devices: u32,
    pub bots: u32,
    /// Of everything that looks like chance, ids included; without one, the time of the start, so
    /// that no two simulators give the same ids to whoever remembers them.
    pub seed: Option<u64>,
    /// Whether a deployment may name bots and users that nobody entered.
    pub permissive: bool,
    /// How long a token is good.
    pub token_life: Duration,
    /// How long bots run that have no time of their own.
    pub duration: Duration,
    /// The only API key or password that is let in; without one, any.
    pub secret: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Clock::Real,
            devices: 10,
            bots: 8,
            seed: None,
            permissive: true,
            token_life: Duration::from_mins(20),
            duration: Duration::from_mins(1),
            secret: None,
        }
    }
}

/// A simulator that serves until it is dropped.
pub struct Simulator {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<io::Result<()>>,
    timer: JoinHandle<()>,
}

impl std::fmt::Debug for Simulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulator").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Simulator {
    /// Serves on a socket that listens already.
    pub fn start(listener: TcpListener, options: Options) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(options).map_err(io::Error::other)?);
        let routes = doors::routes().merge(control::routes()).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move { axum::serve(listener, routes).await });
        let timer = tokio::spawn(Arc::clone(&shared).keep_time());
        Ok(Self { address, shared, server, timer })
    }

    /// Serves on a free port of this machine.
    pub async fn local(options: Options) -> io::Result<Self> {
        Self::start(TcpListener::bind(("127.0.0.1", 0)).await?, options)
    }

    /// Lets everything happen that is due by the clock it follows, and returns when callbacks were
    /// answered, with the instant of what is due next.
    pub async fn catch_up(&self) -> Option<Timestamp> {
        self.shared.change_and_tell(|_, _| ()).await;
        self.shared.look(World::next_due)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns when the socket fails, which is never.
    pub async fn serve(mut self) -> io::Result<()> {
        (&mut self.server).await.map_err(io::Error::other)?
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.server.abort();
        self.timer.abort();
    }
}

pub(super) struct Shared {
    options: Options,
    manual: Option<Mutex<Timestamp>>,
    world: Mutex<World>,
    /// How often the world was made anew.
    resets: AtomicU64,
    /// The agenda may have changed.
    changed: Notify,
    http: reqwest::Client,
    lines: Semaphore,
    in_flight: watch::Sender<usize>,
    /// Held by whoever moves the clock.
    moving: tokio::sync::Mutex<()>,
}

impl Shared {
    fn new(mut options: Options) -> Result<Self, reqwest::Error> {
        let now = Timestamp::now().as_microsecond().cast_unsigned();
        options.seed.get_or_insert(now);
        let manual = match &options.clock {
            Clock::Real | Clock::Followed(_) => None,
            Clock::Manual(start) => Some(Mutex::new(*start)),
        };
        let http = http_client::builder().redirect(reqwest::redirect::Policy::none());
        Ok(Self {
            world: Mutex::new(world_of(&options, 0)),
            manual,
            resets: AtomicU64::new(0),
            changed: Notify::new(),
            // Callbacks go where they were asked to, also on machines behind a proxy.
            http: http.no_proxy().build()?,
            lines: Semaphore::new(SENDING),
            in_flight: watch::Sender::new(0),
            moving: tokio::sync::Mutex::default(),
            options,
        })
    }

    pub(super) fn is_manual(&self) -> bool {
        self.manual.is_some()
    }

    pub(super) fn now(&self) -> Timestamp {
        match (&self.options.clock, &self.manual) {
            (Clock::Followed(clock), _) => (clock.now)(),
            (_, Some(manual)) => *manual.lock().unwrap_or_else(PoisonError::into_inner),
            (_, None) => Timestamp::now(),
        }
    }

    fn set(&self, to: Timestamp) {
        if let Some(manual) = &self.manual {
            let mut now = manual.lock().unwrap_or_else(PoisonError::into_inner);
            *now = to.max(*now);
        }
    }

    /// Makes the world anew. Ids go on being different from those before.
    pub(super) fn reset(&self) {
        let resets = self.resets.fetch_add(1, Ordering::Relaxed) + 1;
        let world = world_of(&self.options, resets);
        *self.world.lock().unwrap_or_else(PoisonError::into_inner) = world;
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        look(&self.world.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the world at this instant, after all that was due before, and returns the callbacks
    /// to be sent.
    fn change_quietly<T>(
        &self,
        change: impl FnOnce(&mut World, Timestamp) -> T,
    ) -> (T, Vec<Notice>) {
        let now = self.now();
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notices = world.advance(now);
        let value = change(&mut world, now);
        notices.extend(world.advance(now));
        drop(world);
        self.changed.notify_one();
        (value, notices)
    }

    /// Changes the world; callbacks follow by themselves.
    pub(super) fn change<T>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut World, Timestamp) -> T,
    ) -> T {
        let (value, notices) = self.change_quietly(change);
        if let Clock::Followed(clock) = &self.options.clock {
            (clock.changed)();
        }
        for notice in notices {
            self.in_flight.send_modify(|count| *count += 1);
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                shared.send(&notice).await;
                shared.in_flight.send_modify(|count| *count -= 1);
            });
        }
        value
    }

    /// Changes the world and returns when the callbacks of it were sent.
    pub(super) async fn change_and_tell<T>(
        &self,
        change: impl FnOnce(&mut World, Timestamp) -> T,
    ) -> T {
        let (value, notices) = self.change_quietly(change);
        join_all(notices.iter().map(|notice| self.send(notice))).await;
        value
    }

    async fn send(&self, notice: &Notice) {
        let _line = self.lines.acquire().await;
        let answer = notice.send(&self.http).await;
        let delivery = notice.delivery(self.now(), &answer);
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        // After a reset the number may be another's; the deployment is not.
        let run = world.runs.get_mut(&notice.run).filter(|run| notice.is_about(run));
        if let Some(run) = run {
            run.remember(delivery);
        }
    }

    /// Moves the clock through everything that falls due on the way, each callback answered before
    /// time goes on. Returns the number of instants at which something happened.
    pub(super) async fn move_to(&self, to: Timestamp) -> Result<u32, Refusal> {
        let _moving = self.moving.lock().await;
        let mut happened = 0;
        for _ in 0..STEPS {
            // Whoever is being told may answer with a deployment.
            let _ = self.in_flight.subscribe().wait_for(|count| *count == 0).await;
            let next = self.look(World::next_due).filter(|next| *next <= to);
            if next.is_none() && self.now() >= to {
                return Ok(happened);
            }
            happened += u32::from(next.is_some());
            self.set(next.unwrap_or(to));
            self.change_and_tell(|_, _| ()).await;
        }
        Err(Refusal::new(409, format!("Still busy after {STEPS} steps")))
    }

    /// Whether nobody else says when time goes on.
    fn keeps_time(&self) -> bool {
        matches!(self.options.clock, Clock::Real)
    }

    /// Lets things happen when they are due, by the real clock.
    async fn keep_time(self: Arc<Self>) {
        loop {
            let changed = self.changed.notified();
            let next = self.look(World::next_due);
            let wait = match next {
                Some(next) if self.keeps_time() => {
                    Duration::try_from(next.duration_since(self.now())).unwrap_or_default().min(NAP)
                }
                Some(_) | None => NAP,
            };
            tokio::select! {
                () = changed => continue,
                () = tokio::time::sleep(wait) => {}
            }
            if self.keeps_time() {
                self.change(|_, _| ());
            }
        }
    }
}

fn world_of(options: &Options, resets: u64) -> World {
    let settings = Settings {
        permissive: options.permissive,
        token_seconds: u32::try_from(options.token_life.as_secs()).unwrap_or(u32::MAX),
        duration_seconds: options.duration.as_secs_f64(),
        secret: options.secret.clone(),
        ..Settings::default()
    };
    let seed = options.seed.unwrap_or_default();
    // Far enough apart that the sequences do not meet.
    let seed = seed.wrapping_add(resets.wrapping_mul(0x5851_f42d_4c95_7f2d));
    World::new(settings, options.devices, options.bots, seed)
}

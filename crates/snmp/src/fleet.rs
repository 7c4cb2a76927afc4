//! All devices, and the one socket they are asked through.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_snmp::{Auth, Client, ClientBuilder, EngineCache, Error, Retry};
use tokio_util::sync::CancellationToken;

use crate::credential::Credential;
use crate::fault::Fault;
use crate::lanes::{Lane, Lanes};
use crate::oid::Oid;
use crate::target::Target;
use crate::value::{Read, Value};
use crate::wire::{Line, Noise, Noticed, Socket};

/// sysUpTime.0: what every agent has.
const UPTIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// Prepared keys are kept for this many credentials, then all are made anew.
const KEYS: usize = 1024;
/// Nobody means to wait longer for one answer.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
const MOST_RETRIES: u32 = 10;
/// Who introduces himself does so at once.
const INTRODUCTION: Duration = Duration::from_secs(1);

/// Cheap to share: put it into an `Arc` and speak to thousands of devices.
pub struct Fleet {
    v4: Arc<Socket>,
    /// A machine without IPv6 reaches no IPv6 device.
    v6: Option<Arc<Socket>>,
    lanes: Lanes,
    engines: Arc<EngineCache>,
    keys: Mutex<HashMap<Credential, Auth>>,
}

/// What a device that answered says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liveness {
    /// Since when the device is up; some that live do not say it.
    pub uptime: Option<Duration>,
    pub took: Duration,
}

/// How long to wait for one answer, and how often to ask again.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    pub timeout: Duration,
    pub retries: u32,
    pub per_packet: usize,
    /// Requests on the way to the device, of all jobs together; as many as there are when absent.
    pub in_flight: Option<usize>,
}

/// A device to talk to for the length of one call.
pub(crate) struct Talk {
    pub client: Client<Line>,
    pub lane: Lane,
    pub v1: bool,
    v3: bool,
    noticed: Arc<Noticed>,
}

impl Talk {
    /// Silence in which something was heard was no silence.
    pub(crate) fn fault(&self, error: &Error) -> Fault {
        match (Fault::from(error), self.noticed.take()) {
            (Fault::Timeout, Noise::Rejected) if self.v3 => Fault::Auth,
            (Fault::Timeout, Noise::Rejected | Noise::Garbled) => Fault::Decode,
            (fault, _) => fault,
        }
    }
}

impl Fleet {
    /// Must be called inside the runtime that will use it.
    pub fn bind() -> io::Result<Self> {
        let v4 = Arc::new(Socket::bind(IpAddr::V4(Ipv4Addr::UNSPECIFIED))?);
        let v6 = Socket::bind(IpAddr::V6(Ipv6Addr::UNSPECIFIED)).ok().map(Arc::new);
        Ok(Self {
            v4,
            v6,
            lanes: Lanes::default(),
            engines: Arc::new(EngineCache::new()),
            keys: Mutex::default(),
        })
    }

    /// One question, one time-out, no second try: whether it is worth asking for more.
    pub async fn probe(
        &self,
        target: &Target,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Liveness, Fault> {
        let pulse = async {
            let peer = target.resolve(timeout).await?;
            let known = self.engines.get(&peer).is_some();
            match self.pulse(target, peer, timeout, cancel).await {
                // A device that was exchanged introduces itself anew.
                Err(Fault::Auth) if known => self.pulse(target, peer, timeout, cancel).await,
                pulse => pulse,
            }
        };
        unless(cancel, pulse).await
    }

    /// Whether a device that was silent to a community is there all the same. A wrong community of
    /// v1 and v2c is answered with silence, but version 3 introduces itself to anybody: whoever does
    /// lives, and it is the community that it does not accept. One packet and a short wait; a device
    /// without version 3 is taken for one that is off.
    pub async fn introduces_itself(
        &self,
        target: &Target,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> bool {
        if matches!(target.credential, Credential::V3 { .. }) {
            return false;
        }
        let timeout = timeout.min(INTRODUCTION);
        let (user, context) = ("turno".to_owned(), String::new());
        let stranger = Credential::V3 { user, auth: None, privacy: None, context };
        let target = Target { credential: stranger, ..target.clone() };
        let Ok(peer) = target.resolve(timeout).await else { return false };
        let pulse = unless(cancel, self.pulse(&target, peer, timeout, cancel)).await;
        // What was learnt on the way was learnt as a stranger.
        self.engines.remove(&peer);
        matches!(pulse, Ok(_) | Err(Fault::Auth | Fault::Refused { .. } | Fault::Decode))
    }

    async fn pulse(
        &self,
        target: &Target,
        peer: SocketAddr,
        timeout: Duration,
        cancel: &CancellationToken,
    ) -> Result<Liveness, Fault> {
        let line = Line::own(peer, cancel.clone()).await.map_err(|_| Fault::Unreachable)?;
        let manner = Manner { timeout, retries: 0, per_packet: 1, in_flight: None };
        let talk = self.talk(target, peer, line, manner)?;
        let asked = Instant::now();
        // A device busy with four requests of ours is not asked a fifth.
        let entered = tokio::time::timeout(timeout, talk.lane.enter()).await;
        let _lane = entered.map_err(|_| Fault::Timeout)?;
        let mut answers = talk
            .client
            .get_many_chunks(&[Oid::new(UPTIME).wire()])
            .map_err(|error| Fault::from(&*error))?;
        let uptime = match answers.next().await {
            Some(Ok(answer)) => answer.response.varbinds.into_iter().next().and_then(|binding| {
                match Read::from(binding.value) {
                    Read::Value(Value::Ticks(ticks)) => {
                        Some(Duration::from_millis(u64::from(ticks) * 10))
                    }
                    Read::Value(_) | Read::Missing(_) | Read::Unreadable => None,
                }
            }),
            Some(Err(broken)) => match talk.fault(&broken.source) {
                Fault::NoSuch | Fault::Refused { .. } => None,
                fault => return Err(self.note(peer, fault)),
            },
            None => return Err(Fault::Decode),
        };
        Ok(Liveness { uptime, took: asked.elapsed() })
    }

    /// The way to a device through the shared socket.
    pub(crate) async fn reach(
        &self,
        target: &Target,
        manner: Manner,
        cancel: &CancellationToken,
    ) -> Result<Talk, Fault> {
        let peer = target.resolve(manner.timeout).await?;
        let socket = match peer {
            SocketAddr::V4(_) => &self.v4,
            SocketAddr::V6(_) => self.v6.as_ref().ok_or(Fault::Unreachable)?,
        };
        let line = Line::shared(Arc::clone(socket), peer, cancel.clone());
        self.talk(target, peer, line, manner)
    }

    fn talk(
        &self,
        target: &Target,
        peer: SocketAddr,
        line: Line,
        manner: Manner,
    ) -> Result<Talk, Fault> {
        let noticed = line.noticed();
        let retries = manner.retries.min(MOST_RETRIES);
        let retry = Retry::fixed(retries, Duration::ZERO).map_err(|_| Fault::Invalid)?;
        let mut builder = ClientBuilder::new(self.keys(&target.credential)?)
            .request_timeout(manner.timeout.min(LONGEST_WAIT))
            .retry(retry)
            .max_oids_per_request(manner.per_packet.max(1));
        let v3 = matches!(target.credential, Credential::V3 { .. });
        if v3 {
            builder = builder.engine_cache(Arc::clone(&self.engines));
        }
        let client = builder.build_with_transport(line).map_err(|error| Fault::from(&*error))?;
        let v1 = target.credential.is_v1();
        Ok(Talk { client, lane: self.lanes.of(peer, manner.in_flight), v1, v3, noticed })
    }

    /// What was learnt about a device is not trusted after it turned us away.
    pub(crate) fn note(&self, peer: SocketAddr, fault: Fault) -> Fault {
        if fault == Fault::Auth {
            self.engines.remove(&peer);
        }
        fault
    }

    /// Keys are made outside the lock: nobody waits for the passwords of others.
    fn keys(&self, credential: &Credential) -> Result<Auth, Fault> {
        if let Some(ready) = self.known_keys().get(credential) {
            return Ok(ready.clone());
        }
        let ready = credential.prepare()?;
        let mut keys = self.known_keys();
        if keys.len() >= KEYS {
            keys.clear();
        }
        keys.insert(credential.clone(), ready.clone());
        Ok(ready)
    }

    fn known_keys(&self) -> MutexGuard<'_, HashMap<Credential, Auth>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the moment it is called off: what was under way is dropped, and with it every datagram
/// that was still to be sent.
pub(crate) async fn unless<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Fault::Cancelled),
        done = work => done,
    }
}

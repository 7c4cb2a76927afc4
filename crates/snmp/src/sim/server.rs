//! The UDP sockets of the simulated OLTs.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::Semaphore;
use tokio_util::task::AbortOnDropHandle;

use super::control;
use super::olt::{Counters, Heard, Olt};
use super::secure::Secure;
use super::settings::{BadSettings, Brand, Profile, Settings};

const DATAGRAM: usize = 65_535;
/// Between two failures to receive: a socket in trouble must not become a hot loop.
const AFTER_ERROR: Duration = Duration::from_millis(20);
/// Answers of one OLT that are on their way; a device that has more to do drops the rest.
const UNDER_WAY: usize = 1024;

#[derive(Clone, Debug)]
pub struct Options {
    pub count: usize,
    pub onus: u32,
    pub listen: IpAddr,
    /// Of OLT 0, the others follow; 0 takes any that are free.
    pub port: u16,
    /// Where to be controlled over HTTP.
    pub control: Option<SocketAddr>,
    pub brand: Brand,
    pub community: String,
    pub profile: Profile,
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            count: 1,
            onus: 2048,
            listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            control: None,
            brand: Brand::Huawei,
            community: "public".to_owned(),
            profile: Profile::default(),
            seed: 0,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Settings(#[from] BadSettings),
    #[error("OLT {number} has no port: {first} and {number} more is beyond 65535")]
    NoPort { number: usize, first: u16 },
    #[error("cannot listen on {address}: {source}")]
    Socket { address: SocketAddr, source: io::Error },
}

/// A fleet that answers until it is dropped.
pub struct Simulator {
    olts: Arc<[Arc<Olt>]>,
    addresses: Arc<[SocketAddr]>,
    control: Option<SocketAddr>,
    /// Of each OLT, then of the control.
    tasks: Vec<AbortOnDropHandle<()>>,
}

impl Simulator {
    pub async fn start(options: Options) -> Result<Self, StartError> {
        options.profile.check(options.count)?;
        let plain = Settings {
            onus: options.onus,
            brand: options.brand,
            community: options.community.clone(),
            ..Settings::default()
        };
        plain.check()?;
        let mut olts = Vec::new();
        let mut sockets = Vec::new();
        let mut addresses = Vec::new();
        for number in 0..options.count {
            let settings = options.profile.apply(number, &plain)?;
            let address = address(&options, number)?;
            let taken = |source| StartError::Socket { address, source };
            let socket = UdpSocket::bind(address).await.map_err(taken)?;
            addresses.push(socket.local_addr().map_err(taken)?);
            sockets.push(socket);
            olts.push(Arc::new(Olt::new(number as u64, options.seed, settings)));
        }
        let (olts, addresses): (Arc<[_]>, Arc<[_]>) = (olts.into(), addresses.into());
        let mut tasks: Vec<_> = olts
            .iter()
            .zip(sockets)
            .map(|(olt, socket)| {
                AbortOnDropHandle::new(tokio::spawn(serve(Arc::clone(olt), Arc::new(socket))))
            })
            .collect();
        let mut control = None;
        if let Some(address) = options.control {
            let taken = |source| StartError::Socket { address, source };
            let listener = TcpListener::bind(address).await.map_err(taken)?;
            control = Some(listener.local_addr().map_err(taken)?);
            let router = control::router(Arc::clone(&olts), Arc::clone(&addresses));
            tasks.push(AbortOnDropHandle::new(tokio::spawn(async move {
                // Ends only with its task.
                let _ = axum::serve(listener, router).await;
            })));
        }
        Ok(Self { olts, addresses, control, tasks })
    }

    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where it is controlled over HTTP, if anywhere.
    pub fn control(&self) -> Option<SocketAddr> {
        self.control
    }

    pub fn settings(&self, number: usize) -> Settings {
        Settings::clone(&self.olts[number].settings())
    }

    pub fn set(&self, number: usize, settings: Settings) -> Result<(), BadSettings> {
        settings.check()?;
        self.olts[number].set(settings);
        Ok(())
    }

    /// Takes an OLT off the network for good: where a dead one is silent, nobody is here, and whoever
    /// asks is told so by the machine at once.
    pub fn unplug(&self, number: usize) {
        self.tasks[number].abort();
    }

    pub fn counters(&self, number: usize) -> Counters {
        self.olts[number].counters()
    }
}

fn address(options: &Options, number: usize) -> Result<SocketAddr, StartError> {
    let port = match options.port {
        0 => Some(0),
        first => u16::try_from(number).ok().and_then(|number| first.checked_add(number)),
    };
    let port = port.ok_or(StartError::NoPort { number, first: options.port })?;
    Ok(SocketAddr::new(options.listen, port))
}

async fn serve(olt: Arc<Olt>, socket: Arc<UdpSocket>) {
    let secure = Arc::new(Secure::default());
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut datagram = vec![0; DATAGRAM];
    loop {
        let Ok((length, from)) = socket.recv_from(&mut datagram).await else {
            tokio::time::sleep(AFTER_ERROR).await;
            continue;
        };
        let heard = olt.hear(&datagram[..length]);
        match heard {
            Heard::Nothing => {}
            Heard::Answer { datagram, after } if after.is_zero() => {
                let _ = socket.send_to(&datagram, from).await;
            }
            Heard::Answer { .. } | Heard::Secure => {
                let Ok(permit) = Arc::clone(&under_way).try_acquire_owned() else { continue };
                let asked = datagram[..length].to_vec();
                let (olt, socket, secure) = (olt.clone(), socket.clone(), secure.clone());
                tokio::spawn(async move {
                    later(&olt, &socket, &secure, heard, &asked, from).await;
                    drop(permit);
                });
            }
        }
    }
}

/// What does not come at once: an answer that travels, or one of v3.
async fn later(
    olt: &Arc<Olt>,
    socket: &UdpSocket,
    secure: &Secure,
    heard: Heard,
    asked: &[u8],
    from: SocketAddr,
) {
    let answer = match heard {
        Heard::Secure => match secure.ask(olt, asked).await {
            Some(answer) => olt.send(answer),
            None => Heard::Nothing,
        },
        other => other,
    };
    if let Heard::Answer { datagram, after } = answer {
        tokio::time::sleep(after).await;
        let _ = socket.send_to(&datagram, from).await;
    }
}

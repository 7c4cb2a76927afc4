//! Datagrams out and in: one socket for all devices, or one of its own for a probe.
//!
//! The socket knows who waits for an answer from which address, and takes answers only from the
//! address that was asked. The library underneath has a shared socket too, but it drops what it
//! cannot read: here a broken answer is remembered, and silence after it is called by its name.
//!
//! Nobody reads the socket for the others: whoever waits reads, hands the others theirs, and gives the
//! place on with its own answer in hand. A walk that is alone is woken once for each answer, by the
//! system, not a second time by a task between.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_snmp::transport::{Candidate, RequestRegistration, ResponseIdentity, Transport};
use async_snmp::{Error, Result};
use bytes::Bytes;
use tokio::net::UdpSocket;
use tokio::sync::{Mutex as AsyncMutex, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// Nothing longer travels in one datagram.
const DATAGRAM: usize = 65_535;
/// What one request may have waiting to be read; more is noise.
const CANDIDATES: usize = 16;
/// The answers of a whole fleet may arrive together. The system gives what it allows.
const RECEIVE_BUFFER: usize = 8 << 20;
/// Between two failures to receive: a socket in trouble must not become a hot loop.
const AFTER_ERROR: Duration = Duration::from_millis(20);

/// A socket shared by any number of devices.
pub(crate) struct Socket {
    udp: UdpSocket,
    local: SocketAddr,
    /// Held by whoever reads.
    reader: AsyncMutex<Vec<u8>>,
    waiting: Mutex<HashMap<SocketAddr, Vec<Slot>>>,
    tickets: AtomicU64,
}

struct Slot {
    ticket: u64,
    asked: RequestRegistration,
    answers: mpsc::Sender<Bytes>,
    noticed: Arc<Noticed>,
}

/// What came from a device and was no answer, since anybody last looked.
#[derive(Default)]
pub(crate) struct Noticed {
    garbled: AtomicBool,
    rejected: AtomicBool,
}

/// What silence was, looked at closely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    None,
    /// Bytes nobody can read.
    Garbled,
    /// It carried the number of our request and still was no answer to it. With v3 that is how a
    /// device turns somebody away whose keys it does not know: it cannot sign what it says, so it
    /// is not believed at once.
    Rejected,
}

impl Noticed {
    pub(crate) fn take(&self) -> Noise {
        let rejected = self.rejected.swap(false, Ordering::Relaxed);
        let garbled = self.garbled.swap(false, Ordering::Relaxed);
        match (rejected, garbled) {
            (true, _) => Noise::Rejected,
            (false, true) => Noise::Garbled,
            (false, false) => Noise::None,
        }
    }
}

impl Socket {
    pub(crate) fn bind(to: IpAddr) -> io::Result<Self> {
        let udp = open(to)?;
        let local = udp.local_addr()?;
        let (reader, waiting) = (AsyncMutex::new(vec![0; DATAGRAM]), Mutex::default());
        Ok(Self { udp, local, reader, waiting, tickets: AtomicU64::new(0) })
    }

    /// Reads for everybody until this one has its answer. Dropped at any point, nothing is lost: a
    /// datagram that was taken has been handed over.
    async fn read_for(&self, waiting: &mut Waiting, datagram: &mut [u8]) -> Bytes {
        loop {
            if let Ok(answer) = waiting.candidates.try_recv() {
                return answer;
            }
            match self.udp.recv_from(datagram).await {
                Ok((length, from)) => self.deliver(from, &datagram[..length]),
                Err(_) => tokio::time::sleep(AFTER_ERROR).await,
            }
        }
    }

    fn deliver(&self, from: SocketAddr, datagram: &[u8]) {
        let waiting = self.waiting();
        let Some(slots) = waiting.get(&from) else { return };
        let meant = |slot: &&Slot| {
            slot.asked.evaluate_response_identity(datagram, true) != ResponseIdentity::Reject
        };
        if let Some(slot) = slots.iter().find(meant) {
            // A full line means that the reader has more than enough to choose from.
            let _ = slot.answers.try_send(Bytes::copy_from_slice(datagram));
        } else if !whole(datagram) {
            // Nobody can tell whose answer it was.
            for slot in slots {
                slot.noticed.garbled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn expect(self: &Arc<Self>, line: &Line, asked: RequestRegistration) -> Waiting {
        let (answers, candidates) = mpsc::channel(CANDIDATES);
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        let slot = Slot { ticket, asked, answers, noticed: Arc::clone(&line.noticed) };
        self.waiting().entry(line.peer).or_default().push(slot);
        Waiting { socket: Arc::clone(self), peer: line.peer, ticket, candidates }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<SocketAddr, Vec<Slot>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits; dropping it makes a late answer nobody's.
struct Waiting {
    socket: Arc<Socket>,
    peer: SocketAddr,
    ticket: u64,
    candidates: mpsc::Receiver<Bytes>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waiting = self.socket.waiting();
        if let Some(slots) = waiting.get_mut(&self.peer) {
            slots.retain(|slot| slot.ticket != self.ticket);
            if slots.is_empty() {
                waiting.remove(&self.peer);
            }
        }
    }
}

/// The way to one device for the length of one call.
pub(crate) struct Line {
    peer: SocketAddr,
    end: End,
    cancel: CancellationToken,
    noticed: Arc<Noticed>,
}

enum End {
    Shared(Arc<Socket>),
    /// Connected: the system tells it when nothing listens at the other end.
    Own(UdpSocket, SocketAddr),
}

impl Line {
    pub(crate) fn shared(socket: Arc<Socket>, peer: SocketAddr, cancel: CancellationToken) -> Self {
        Self { peer, end: End::Shared(socket), cancel, noticed: Arc::default() }
    }

    pub(crate) async fn own(peer: SocketAddr, cancel: CancellationToken) -> io::Result<Self> {
        let any = match peer {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        let udp = open(any)?;
        udp.connect(peer).await?;
        let local = udp.local_addr()?;
        Ok(Self { peer, end: End::Own(udp, local), cancel, noticed: Arc::default() })
    }

    pub(crate) fn noticed(&self) -> Arc<Noticed> {
        Arc::clone(&self.noticed)
    }

    fn late(&self, since: Instant) -> Error {
        Error::Timeout { target: self.peer, elapsed: since.elapsed(), retries: 0 }
    }

    fn broken(&self, source: io::Error) -> Error {
        Error::Network { target: self.peer, source }
    }

    /// The last look before a datagram leaves: after a cancellation none does.
    async fn put(&self, data: &[u8]) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::Closed { target: self.peer }.boxed());
        }
        let sent = match &self.end {
            End::Shared(socket) => socket.udp.send_to(data, self.peer).await,
            End::Own(udp, _) => udp.send(data).await,
        };
        sent.map_err(|error| self.broken(error))?;
        Ok(())
    }

    async fn next(&self, waiting: Option<&mut Waiting>, datagram: &mut [u8]) -> Result<Bytes> {
        match (&self.end, waiting) {
            (End::Own(udp, _), _) => {
                let received = udp.recv(datagram).await.map_err(|error| self.broken(error))?;
                Ok(Bytes::copy_from_slice(&datagram[..received]))
            }
            (End::Shared(socket), Some(waiting)) => {
                let mut place = tokio::select! {
                    biased;
                    answer = waiting.candidates.recv() => {
                        return answer.ok_or_else(|| Error::Closed { target: self.peer }.boxed());
                    }
                    place = socket.reader.lock() => place,
                };
                Ok(socket.read_for(waiting, &mut place).await)
            }
            (End::Shared(_), None) => Err(Error::Closed { target: self.peer }.boxed()),
        }
    }
}

impl Transport for Line {
    async fn send(&self, data: &[u8]) -> Result<()> {
        self.put(data).await
    }

    async fn request_with<T, F>(
        &self,
        data: &[u8],
        registration: RequestRegistration,
        mut validate: F,
    ) -> Result<T>
    where
        T: Send,
        F: FnMut(Bytes, SocketAddr) -> Result<Candidate<T>> + Send,
    {
        let since = Instant::now();
        let deadline = registration.deadline();
        let (mut waiting, mut datagram) = match &self.end {
            End::Shared(socket) => (Some(socket.expect(self, registration.clone())), Vec::new()),
            End::Own(..) => (None, vec![0; DATAGRAM]),
        };
        timeout_at(deadline, self.put(data)).await.map_err(|_| self.late(since))??;
        loop {
            let answer = self.next(waiting.as_mut(), &mut datagram);
            let answer = timeout_at(deadline, answer).await.map_err(|_| self.late(since))??;
            let meant = registration.evaluate_response_identity(&answer, true);
            if meant == ResponseIdentity::Reject {
                self.noticed.garbled.fetch_or(!whole(&answer), Ordering::Relaxed);
                continue;
            }
            match validate(answer, self.peer)? {
                Candidate::Accept(accepted) => return Ok(accepted),
                Candidate::Reject => self.noticed.rejected.store(true, Ordering::Relaxed),
            }
        }
    }

    fn peer_addr(&self) -> SocketAddr {
        self.peer
    }

    fn local_addr(&self) -> SocketAddr {
        match &self.end {
            End::Shared(socket) => socket.local,
            End::Own(_, local) => *local,
        }
    }

    fn is_reliable(&self) -> bool {
        false
    }
}

fn open(to: IpAddr) -> io::Result<UdpSocket> {
    let domain = socket2::Domain::for_address(SocketAddr::new(to, 0));
    let socket = socket2::Socket::new(domain, socket2::Type::DGRAM, None)?;
    if to.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // Less than wished for is still a socket.
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER);
    socket.set_nonblocking(true)?;
    socket.bind(&SocketAddr::new(to, 0).into())?;
    UdpSocket::from_std(socket.into())
}

/// Whether a datagram is as long as its first bytes promise (BER: a sequence and its length).
fn whole(datagram: &[u8]) -> bool {
    let [0x30, length, rest @ ..] = datagram else { return false };
    let following = usize::from(length & 0x7f);
    if length & 0x80 == 0 {
        return rest.len() >= following;
    }
    if following == 0 || following > size_of::<u32>() || rest.len() < following {
        return false;
    }
    let (length, content) = rest.split_at(following);
    let length = length.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    content.len() as u64 >= length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_datagram_is_not_whole() {
        let mut long = vec![0x30, 0x82, 0x01, 0x00];
        long.resize(4 + 256, 7);
        for datagram in [&[0x30, 0x02, 1, 2][..], &[0x30, 0x81, 0x01, 9], &[0x30, 0x00], &long] {
            assert!(whole(datagram), "{datagram:?}");
            assert!(!whole(&datagram[..datagram.len() - 1]), "{datagram:?}");
        }
        for datagram in
            [&[][..], &[0x30], &[0x31, 0x00], &[0x30, 0x80], &[0x30, 0x85, 0, 0, 0, 0, 0]]
        {
            assert!(!whole(datagram), "{datagram:?}");
        }
    }
}

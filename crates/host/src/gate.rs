//! The gate: takes connections in, a bounded number of them, and lets none hold its place for
//! nothing. A head that does not come, an answer that is not read, a client that says nothing: each
//! has a limit of time, and who has not asked anything yet makes room when the house is full.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context as Waker, Poll},
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::{ConnectInfo, Request},
    response::Response,
};
use http_body_util::BodyExt as _;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    time::Sleep,
};
use tokio_util::{
    sync::{CancellationToken, WaitForCancellationFutureOwned},
    task::TaskTracker,
};
use tower::Service;

use crate::{Limits, tls::Certificates};

/// After a failed accept; whoever has no descriptors left needs a moment.
const BREATH: Duration = Duration::from_millis(20);

/// Everyone who is inside.
#[derive(Debug)]
pub(crate) struct Gate {
    limits: Limits,
    certificates: Option<Certificates>,
    connections: Mutex<HashMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    opened: Instant,
}

/// One connection.
#[derive(Debug)]
struct Connection {
    /// Since when it asks nothing, in microseconds since the gate was opened, plus one; 0: it waits
    /// for our answer.
    idle_since: AtomicU64,
    leave: CancellationToken,
}

/// Counts a connection until the connection is gone, wherever it went: an upgraded one too.
#[derive(Debug)]
struct Held {
    gate: Arc<Gate>,
    number: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.gate.connections.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// Ends the connection that a request came on, also after it was upgraded. Every request carries it.
#[derive(Clone, Debug)]
pub struct HangUp(CancellationToken);

impl HangUp {
    pub fn now(&self) {
        self.0.cancel();
    }
}

/// Marks a connection busy until the whole answer is out.
struct Busy(Arc<Gate>, Arc<Connection>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.1.idle_since.store(self.0.moment(), Ordering::Relaxed);
    }
}

impl Gate {
    pub(crate) fn new(limits: Limits, certificates: Option<Certificates>) -> Arc<Self> {
        let (connections, next) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { limits, certificates, connections, next, opened: Instant::now() })
    }

    fn moment(&self) -> u64 {
        self.opened.elapsed().as_micros() as u64 + 1
    }

    /// Lets a connection in, if there is a place or somebody idle can be asked to leave.
    fn enter(self: &Arc<Self>) -> Option<(Arc<Connection>, Held)> {
        let idle_since = AtomicU64::new(self.moment());
        let connection = Arc::new(Connection { idle_since, leave: CancellationToken::new() });
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.len() >= self.limits.connections && !dismiss(&mut connections) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        connections.insert(number, connection.clone());
        metrics::gauge!("turno_http_connections").set(connections.len() as f64);
        Some((connection, Held { gate: self.clone(), number }))
    }

    fn make_room(&self) {
        dismiss(&mut self.connections.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Sends away whoever has asked nothing for the longest time. `false`: everybody waits for us.
fn dismiss(connections: &mut HashMap<u64, Arc<Connection>>) -> bool {
    let idle = |connection: &Arc<Connection>| match connection.idle_since.load(Ordering::Relaxed) {
        0 => None,
        since => Some(since),
    };
    let all =
        connections.iter().filter_map(|(number, connection)| Some((idle(connection)?, *number)));
    let Some((_, number)) = all.min() else { return false };
    if let Some(connection) = connections.remove(&number) {
        connection.leave.cancel();
        metrics::counter!("turno_http_dismissed_total").increment(1);
    }
    true
}

/// Serves until `stopping`, then until the last answer is out.
pub(crate) async fn serve<S>(
    gate: Arc<Gate>,
    listener: TcpListener,
    app: S,
    stopping: CancellationToken,
) where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let inside = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stopping.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, client)) => {
                if let Some((connection, held)) = gate.enter() {
                    let door = Doorway { gate: gate.clone(), connection, client, app: app.clone() };
                    inside.spawn(door.welcome(socket, held, stopping.clone()));
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                gate.make_room();
                tokio::time::sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    inside.close();
    inside.wait().await;
}

/// One connection with what serves it.
struct Doorway<S> {
    gate: Arc<Gate>,
    connection: Arc<Connection>,
    client: SocketAddr,
    app: S,
}

impl<S> Doorway<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    async fn welcome(self, socket: TcpStream, held: Held, stopping: CancellationToken) {
        let _ = socket.set_nodelay(true);
        let (limits, leave) = (self.gate.limits, self.connection.leave.clone());
        match &self.gate.certificates {
            None => self.talk(Line::new(socket, limits.body, leave, held), stopping).await,
            Some(certificates) => {
                let greeted = certificates.acceptor().accept(socket);
                let greeted = tokio::select! {
                    greeted = tokio::time::timeout(limits.header, greeted) => greeted,
                    () = leave.cancelled() => return,
                };
                if let Ok(Ok(stream)) = greeted {
                    self.talk(Line::new(stream, limits.body, leave, held), stopping).await;
                }
            }
        }
    }

    async fn talk<T>(self, line: Line<T>, stopping: CancellationToken)
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (header, leave) = (self.gate.limits.header, self.connection.leave.clone());
        let service = service_fn(move |request| self.answer(request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header)
            .serve_connection(TokioIo::new(line), service)
            .with_upgrades();
        let mut connection = pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => return,
            () = leave.cancelled() => return,
            () = stopping.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        // How it ended is the client's affair: it may have gone in the middle of anything.
        let _ = connection.await;
    }

    fn answer(
        &self,
        request: hyper::Request<Incoming>,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send + use<S> {
        self.connection.idle_since.store(0, Ordering::Relaxed);
        let busy = Busy(self.gate.clone(), self.connection.clone());
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(self.client));
        request.extensions_mut().insert(HangUp(self.connection.leave.clone()));
        let answer = self.app.clone().call(request);
        async move {
            let response = answer.await?;
            Ok(response.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let _ = &busy;
                    frame
                }))
            }))
        }
    }
}

/// A connection whose other side has to take what we send within a time, and that ends when it is
/// told to: once it is upgraded nobody else here has it in hand.
struct Line<T> {
    io: T,
    stall_timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    leave: Pin<Box<WaitForCancellationFutureOwned>>,
    _held: Held,
}

impl<T> Line<T> {
    fn new(io: T, stall_timeout: Duration, leave: CancellationToken, held: Held) -> Self {
        let leave = Box::pin(leave.cancelled_owned());
        Self { io, stall_timeout, stalled: None, leave, _held: held }
    }

    fn judge<O>(
        &mut self,
        waker: &mut Waker<'_>,
        polled: Poll<io::Result<O>>,
    ) -> Poll<io::Result<O>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let stall_timeout = self.stall_timeout;
        let stalled =
            self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall_timeout)));
        match stalled.as_mut().poll(waker) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Line<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        waker: &mut Waker<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.leave.as_mut().poll(waker).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.io).poll_read(waker, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Line<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        waker: &mut Waker<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write(waker, bytes);
        self.judge(waker, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        waker: &mut Waker<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write_vectored(waker, parts);
        self.judge(waker, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_flush(waker);
        self.judge(waker, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.io).poll_shutdown(waker);
        self.judge(waker, polled)
    }
}

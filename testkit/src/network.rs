//! A stretch of network between a process and a server, which a test breaks and mends.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::AbortHandle,
};

/// A way to a server. Dropped, it is cut.
#[derive(Debug)]
pub struct Link {
    /// The server's URL, by this way.
    pub url: String,
    state: watch::Sender<State>,
    commits: Arc<Commits>,
    accepting: AbortHandle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Whole,
    /// Nothing arrives and nobody is told.
    Silent,
    /// Connections end, new ones end at once.
    Cut,
}

/// Commits to a database that went by, and the answers to them that got lost.
#[derive(Debug, Default)]
struct Commits {
    /// One answer in so many is lost; 0: none.
    lossy: AtomicU32,
    passed: AtomicU32,
    lost: AtomicU32,
}

impl Link {
    /// A new way to the server of a URL that names host and port.
    pub async fn to(url: &str) -> Self {
        let start = url.find("://").expect("a URL") + 3;
        let start = url[start..].find('@').map_or(start, |at| start + at + 1);
        let end = url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let here = listener.local_addr().expect("a bound port");
        let (state, commits) = (watch::Sender::new(State::Whole), Arc::<Commits>::default());
        let (server, heard, seen) =
            (url[start..end].to_owned(), state.subscribe(), commits.clone());
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(join(near, server.clone(), heard.clone(), seen.clone()));
            }
        });
        let url = format!("{}{here}{}", &url[..start], &url[end..]);
        Self { url, state, commits, accepting: accepting.abort_handle() }
    }

    /// From now on nothing arrives, in either direction, and nobody is told.
    pub fn silence(&self) {
        self.state.send_replace(State::Silent);
    }

    /// Ends every connection and every new one.
    pub fn cut(&self) {
        self.state.send_replace(State::Cut);
    }

    /// What was on its way through a silence arrives.
    pub fn mend(&self) {
        self.state.send_replace(State::Whole);
    }

    /// Of every so many commits one is done, and its answer lost with the connection.
    pub fn lose_one_answer_in(&self, commits: u32) {
        self.commits.lossy.store(commits, Ordering::SeqCst);
    }

    /// How many answers were lost.
    pub fn lost(&self) -> u32 {
        self.commits.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

impl Commits {
    /// Whether the answer to these bytes is to be lost.
    fn loses(&self, bytes: &[u8]) -> bool {
        let lossy = self.lossy.load(Ordering::SeqCst);
        let commits = bytes.windows(7).any(|some| some == b"COMMIT\0");
        let loses = lossy > 0
            && commits
            && (self.passed.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(lossy);
        self.lost.fetch_add(u32::from(loses), Ordering::SeqCst);
        loses
    }
}

async fn join(
    near: TcpStream,
    server: String,
    mut state: watch::Receiver<State>,
    commits: Arc<Commits>,
) {
    if !carries(&mut state).await {
        return;
    }
    let Ok(far) = TcpStream::connect(server).await else { return };
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let deaf = AtomicBool::new(false);
    let ask = |bytes: &[u8]| {
        deaf.fetch_or(commits.loses(bytes), Ordering::SeqCst);
        true
    };
    let answer = |_: &[u8]| !deaf.load(Ordering::SeqCst);
    tokio::select! {
        () = carry(near_in, far_out, state.clone(), ask) => {}
        () = carry(far_in, near_out, state.clone(), answer) => {}
    }
}

/// Waits through a silence; whether the way is open after it.
async fn carries(state: &mut watch::Receiver<State>) -> bool {
    state.wait_for(|now| *now != State::Silent).await.is_ok_and(|now| *now == State::Whole)
}

/// Carries one direction until it ends, is cut, or `goes_on` says no.
async fn carry(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<State>,
    goes_on: impl Fn(&[u8]) -> bool,
) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let mut cut = state.clone();
        let read = tokio::select! {
            read = from.read(&mut bytes) => read.unwrap_or(0),
            () = async { cut.wait_for(|now| *now == State::Cut).await.map_or((), drop) } => 0,
        };
        // Not even an end is heard of in a silence.
        if !carries(&mut state).await || read == 0 || !goes_on(&bytes[..read]) {
            return;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}

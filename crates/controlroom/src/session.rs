//! One token for everyone. Whoever finds it missing or old signs in while the others wait, and they
//! share what came of it, a failure too: a Control Room in trouble is asked once, not by everybody.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::Fault;

#[derive(Clone)]
pub(crate) struct Token {
    pub(crate) text: Arc<str>,
    /// Which login it came from.
    number: u64,
    /// When it was asked for: it is older than its arrival.
    since: Instant,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({})", self.number)
    }
}

/// What the last login brought.
#[derive(Debug, Default)]
enum Last {
    #[default]
    Never,
    Token(Token),
    Failed(Fault),
}

#[derive(Debug)]
pub(crate) struct Session {
    last: Mutex<Last>,
    logins: AtomicU64,
    renew_after: Duration,
}

impl Session {
    pub(crate) fn new(renew_after: Duration) -> Self {
        Self { last: Mutex::default(), logins: AtomicU64::new(0), renew_after }
    }

    /// A token that is good, as far as can be told from here; `refused` is one that was not.
    pub(crate) async fn token<F: Future<Output = Result<String, Fault>>>(
        &self,
        refused: Option<&Token>,
        login: impl FnOnce() -> F,
    ) -> Result<Token, Fault> {
        let before = self.logins.load(Ordering::Acquire);
        let mut last = self.last.lock().await;
        let number = self.logins.load(Ordering::Acquire);
        match &*last {
            Last::Token(token) if self.is_good(token, refused) => return Ok(token.clone()),
            // It failed while we waited for it.
            Last::Failed(fault) if number > before => return Err(fault.clone()),
            Last::Never | Last::Token(_) | Last::Failed(_) => {}
        }
        let since = Instant::now();
        let outcome = login().await.map_err(Fault::while_signing_in);
        let number = number + 1;
        self.logins.store(number, Ordering::Release);
        match outcome {
            Ok(text) => {
                let token = Token { text: text.into(), number, since };
                *last = Last::Token(token.clone());
                Ok(token)
            }
            Err(fault) => {
                *last = Last::Failed(fault.clone());
                Err(fault)
            }
        }
    }

    fn is_good(&self, token: &Token, refused: Option<&Token>) -> bool {
        let refused = refused.is_some_and(|refused| refused.number == token.number);
        !refused && token.since.elapsed() < self.renew_after
    }
}

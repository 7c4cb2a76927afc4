//! One look at the database for all who want the same at the same moment.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use crate::Error;

/// Reads once for all who ask while another reading is under way. Nobody is given what was read before
/// they asked, so whatever was committed by then is in it; and whoever waited for a database that does
/// not answer has waited for all of them.
#[derive(Debug)]
pub struct Together<T> {
    asked: AtomicU64,
    read: Mutex<Option<Read<T>>>,
}

#[derive(Debug)]
struct Read<T> {
    /// How many had asked when it began.
    asked: u64,
    /// None: the database did not answer.
    found: Option<T>,
}

impl<T> Default for Together<T> {
    fn default() -> Self {
        Self { asked: AtomicU64::new(0), read: Mutex::new(None) }
    }
}

impl<T: Clone> Together<T> {
    pub async fn read(&self, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let own = self.asked.fetch_add(1, Ordering::SeqCst);
        let mut last = self.read.lock().await;
        if let Some(Read { asked, found }) = &*last
            && own < *asked
        {
            return found.clone().ok_or(Error::Unavailable(sqlx::Error::PoolTimedOut));
        }
        let asked = self.asked.load(Ordering::SeqCst);
        let outcome = read.await;
        *last = match &outcome {
            Ok(found) => Some(Read { asked, found: Some(found.clone()) }),
            Err(error) if error.is_unavailable() => Some(Read { asked, found: None }),
            Err(_) => None,
        };
        outcome
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use futures::future::join_all;

    use super::*;

    /// Fifty who ask at once are two readings: the first one's own, and one for all who came during it.
    #[tokio::test]
    async fn many_are_told_by_one_reading() {
        let (together, read) = (Together::default(), AtomicUsize::new(0));
        let ask = || {
            together.read(async {
                tokio::task::yield_now().await;
                Ok(read.fetch_add(1, Ordering::SeqCst))
            })
        };
        let told = join_all((0..50).map(|_| ask())).await;
        assert_eq!(read.load(Ordering::SeqCst), 2);
        assert_eq!(told.into_iter().filter(|one| *one.as_ref().unwrap() == 1).count(), 49);
    }

    #[tokio::test]
    async fn nobody_is_told_what_was_read_before_they_asked() {
        let (together, value) = (Together::default(), AtomicU64::new(0));
        for now in 1..100 {
            value.store(now, Ordering::SeqCst);
            let found = together.read(async { Ok(value.load(Ordering::SeqCst)) }).await;
            assert_eq!(found.unwrap(), now);
        }
    }

    #[tokio::test]
    async fn a_database_that_is_away_is_waited_for_once() {
        let (together, tried) = (Together::<()>::default(), AtomicUsize::new(0));
        let ask = || {
            together.read(async {
                tokio::task::yield_now().await;
                tried.fetch_add(1, Ordering::SeqCst);
                Err(Error::Unavailable(sqlx::Error::PoolTimedOut))
            })
        };
        let told = join_all((0..50).map(|_| ask())).await;
        assert!(told.iter().all(|one| one.as_ref().is_err_and(Error::is_unavailable)));
        assert_eq!(tried.load(Ordering::SeqCst), 2);
        assert!(together.read(async { Ok(()) }).await.is_ok(), "the next one looks for itself");
    }
}

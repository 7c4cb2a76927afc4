//! How many requests may be under way to one device, whatever number of jobs speaks to it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The processors of such devices are small: more at once makes them slower, not faster.
pub(crate) const PER_DEVICE: usize = 4;
/// Devices nobody speaks to are forgotten when this many are known.
const TIDY_AT: usize = 1024;

#[derive(Default)]
pub(crate) struct Lanes {
    known: Mutex<HashMap<SocketAddr, Weak<Semaphore>>>,
}

impl Lanes {
    /// What all jobs of this device share, for as long as any of them holds it.
    pub(crate) fn of(&self, device: SocketAddr) -> Lane {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = known.get(&device).and_then(Weak::upgrade) {
            return Lane(open);
        }
        if known.len() >= TIDY_AT {
            known.retain(|_, lane| lane.strong_count() > 0);
        }
        let open = Arc::new(Semaphore::new(PER_DEVICE));
        known.insert(device, Arc::downgrade(&open));
        Lane(open)
    }
}

#[derive(Clone)]
pub(crate) struct Lane(Arc<Semaphore>);

impl Lane {
    pub(crate) async fn enter(&self) -> OwnedSemaphorePermit {
        let entered = Arc::clone(&self.0).acquire_owned().await;
        entered.expect("nobody closes a lane")
    }
}

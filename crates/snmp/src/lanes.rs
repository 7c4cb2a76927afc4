//! How many requests may be under way to one device, whatever number of jobs speaks to it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The processors of such devices are small: more at once makes them slower, not faster.
pub(crate) const PER_DEVICE: usize = 4;
/// More is no device's wish.
const MOST: usize = 64;
/// Devices nobody speaks to are forgotten when this many are known.
const TIDY_AT: usize = 1024;

#[derive(Default)]
pub(crate) struct Lanes {
    known: Mutex<HashMap<SocketAddr, Weak<Open>>>,
}

/// What is open to a device, and how wide.
struct Open {
    permits: Arc<Semaphore>,
    width: Mutex<usize>,
}

impl Lanes {
    /// What all jobs of this device share, for as long as any of them holds it. As wide as the last
    /// one who came wants it; who asks one thing at a time leaves it as it is.
    pub(crate) fn of(&self, device: SocketAddr, width: Option<usize>) -> Lane {
        let width = width.map(|width| width.clamp(1, MOST));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = known.get(&device).and_then(Weak::upgrade) {
            if let Some(width) = width {
                open.widen(width);
            }
            return Lane(open);
        }
        let width = width.unwrap_or(PER_DEVICE);
        if known.len() >= TIDY_AT {
            known.retain(|_, lane| lane.strong_count() > 0);
        }
        let permits = Arc::new(Semaphore::new(width));
        let open = Arc::new(Open { permits, width: Mutex::new(width) });
        known.insert(device, Arc::downgrade(&open));
        Lane(open)
    }
}

impl Open {
    /// Narrower takes effect as those who are under way come back.
    fn widen(&self, to: usize) {
        let mut width = self.width.lock().unwrap_or_else(PoisonError::into_inner);
        if to > *width {
            self.permits.add_permits(to - *width);
            *width = to;
        } else {
            *width -= self.permits.forget_permits(*width - to);
        }
    }
}

#[derive(Clone)]
pub(crate) struct Lane(Arc<Open>);

impl Lane {
    pub(crate) async fn enter(&self) -> OwnedSemaphorePermit {
        let entered = Arc::clone(&self.0.permits).acquire_owned().await;
        entered.expect("nobody closes a lane")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lane_is_as_wide_as_is_wanted() {
        let lanes = Lanes::default();
        let device = SocketAddr::from(([127, 0, 0, 1], 161));
        let two = lanes.of(device, Some(2));
        let held = [two.enter().await, two.enter().await];
        assert_eq!(two.0.permits.available_permits(), 0);
        let three = lanes.of(device, Some(3));
        let third = three.enter().await;
        drop((held, third));
        let one = lanes.of(device, Some(1));
        assert_eq!(one.0.permits.available_permits(), 1);
        let walk = lanes.of(device, None);
        assert_eq!(walk.0.permits.available_permits(), 1, "a walk beside it widens nothing");
        assert_eq!(lanes.of(device, Some(500)).0.permits.available_permits(), MOST);
        let other = SocketAddr::from(([127, 0, 0, 2], 161));
        assert_eq!(lanes.of(other, None).0.permits.available_permits(), PER_DEVICE);
    }
}

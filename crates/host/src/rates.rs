//! How fast somebody may ask: a token bucket per actor and per address.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// So many at once, and then one per interval. An interval of zero bounds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    every: Duration,
    burst: u32,
}

impl Rate {
    pub fn per_second(number: u32, burst: u32) -> Self {
        Self::within(Duration::from_secs(1), number, burst)
    }

    pub fn per_minute(number: u32, burst: u32) -> Self {
        Self::within(Duration::from_mins(1), number, burst)
    }

    fn within(span: Duration, number: u32, burst: u32) -> Self {
        Self { every: span.checked_div(number).unwrap_or_default(), burst: burst.max(1) }
    }
}

/// Made-up names and addresses must not fill the memory.
const KEYS: usize = 20_000;

/// One bucket per key. A bucket is kept as the instant at which it is full again: whoever is not here
/// has a full one.
#[derive(Debug)]
pub(crate) struct Buckets<K>(Mutex<HashMap<K, Instant>>);

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash + Clone> Buckets<K> {
    /// Takes one from a bucket, or says after what time there is one.
    pub(crate) fn take(&self, key: &K, rate: Rate, now: Instant) -> Result<(), Duration> {
        if rate.every.is_zero() {
            return Ok(());
        }
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = buckets.get(key).copied().map_or(now, |full| full.max(now)) + rate.every;
        let room = rate.every * rate.burst;
        if let Some(wait) = (full - now).checked_sub(room).filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        if buckets.len() >= KEYS && !buckets.contains_key(key) {
            make_room(&mut buckets, now);
        }
        buckets.insert(key.clone(), full);
        Ok(())
    }

    /// Puts one back.
    pub(crate) fn give_back(&self, key: &K, rate: Rate) {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full) = buckets.get_mut(key) {
            *full = full.checked_sub(rate.every).unwrap_or(*full);
        }
    }
}

/// Forgets the full ones; where nobody's is full, whoever waits least is let off.
fn make_room<K: Eq + Hash + Clone>(buckets: &mut HashMap<K, Instant>, now: Instant) {
    buckets.retain(|_, full| *full > now);
    if buckets.len() >= KEYS {
        let mut instants: Vec<Instant> = buckets.values().copied().collect();
        let (_, middle, _) = instants.select_nth_unstable(KEYS / 2);
        let middle = *middle;
        buckets.retain(|_, full| *full > middle);
    }
}

/// What was shown here and good a short while ago.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<HashMap<String, Instant>>);

impl Recent {
    const AGE: Duration = Duration::from_mins(10);

    pub(crate) fn note(&self, what: &str, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = seen.get_mut(what) {
            *last = now;
            return;
        }
        if seen.len() >= KEYS {
            seen.retain(|_, last| now.duration_since(*last) < Self::AGE);
        }
        if seen.len() < KEYS {
            seen.insert(what.to_owned(), now);
        }
    }

    pub(crate) fn holds(&self, what: &str, now: Instant) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(what).is_some_and(|last| now.duration_since(*last) < Self::AGE)
    }

    pub(crate) fn forget(&self, what: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_good_is_remembered_for_a_while_and_within_bounds() {
        let (recent, start) = (Recent::default(), Instant::now());
        recent.note("a", start);
        assert!(recent.holds("a", start) && !recent.holds("b", start));
        let later = start + Recent::AGE;
        assert!(!recent.holds("a", later));
        for n in 0..KEYS * 2 {
            recent.note(&n.to_string(), later);
        }
        assert!(recent.0.lock().unwrap().len() <= KEYS);
        recent.forget("0");
        assert!(!recent.holds("0", later));
    }

    #[test]
    fn a_burst_is_let_through_and_then_one_at_a_time() {
        let (buckets, start) = (Buckets::default(), Instant::now());
        let rate = Rate::per_second(2, 3);
        for _ in 0..3 {
            assert_eq!(buckets.take(&"a", rate, start), Ok(()));
        }
        assert_eq!(buckets.take(&"a", rate, start), Err(Duration::from_millis(500)));
        assert_eq!(buckets.take(&"b", rate, start), Ok(()), "another one has a bucket of its own");
        let later = start + Duration::from_millis(500);
        assert_eq!(buckets.take(&"a", rate, later), Ok(()));
        assert!(
            buckets.take(&"a", rate, later).is_err(),
            "a refusal costs nothing, nor does it pay"
        );
        let rested = start + Duration::from_mins(1);
        for _ in 0..3 {
            assert_eq!(buckets.take(&"a", rate, rested), Ok(()));
        }
        assert!(buckets.take(&"a", rate, rested).is_err(), "rest fills a bucket and no more");
    }

    #[test]
    fn nothing_is_bounded_by_a_rate_of_zero() {
        let (buckets, start) = (Buckets::default(), Instant::now());
        for _ in 0..10_000 {
            assert_eq!(buckets.take(&1, Rate::per_second(0, 0), start), Ok(()));
        }
    }

    #[test]
    fn made_up_keys_do_not_pile_up() {
        let (buckets, start) = (Buckets::default(), Instant::now());
        for key in 0..KEYS * 3 {
            let _ = buckets.take(&key, Rate::per_second(1, 1), start);
        }
        assert!(buckets.0.lock().unwrap().len() <= KEYS);
    }
}

//! Slows down whoever guesses passwords.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};

use crate::{door::network_of, rates::Buckets, rates::Rate};

const FAILURES_ALLOWED: u32 = 5;
const FAILURE_WINDOW: SignedDuration = SignedDuration::from_mins(15);
/// Made-up names must not fill the memory.
const NAMES: usize = 10_000;

/// Slows guessing down: after five tries a name rests for a quarter of an hour, and an address has so
/// many wrong ones in a minute. A try counts before its password is looked at, so that a hundred at
/// once are a hundred; the right one takes back what it counted.
#[derive(Debug, Default)]
pub(crate) struct LoginGuard {
    names: Mutex<HashMap<String, (u32, Timestamp)>>,
    addresses: Buckets<IpAddr>,
    homes: Buckets<(String, IpAddr)>,
}

/// What a try was counted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Address,
    Home,
}

impl LoginGuard {
    /// Counts a try from an address, or says how long it has to wait.
    pub(crate) fn from(&self, address: Option<IpAddr>, rate: Rate) -> Result<(), Duration> {
        let address = address.map(network_of);
        address.map_or(Ok(()), |address| self.addresses.take(&address, rate, Instant::now()))
    }

    /// Counts a try with a name. `false`: the name rests; at an address where its owner is known it
    /// does not.
    pub(crate) fn with(&self, name: &str, known: bool, now: Timestamp) -> bool {
        let mut tries = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        tries.retain(|_, (_, since)| now.duration_since(*since) < FAILURE_WINDOW);
        if !known && tries.get(name).is_some_and(|(count, _)| *count >= FAILURES_ALLOWED) {
            return false;
        }
        if tries.len() >= NAMES && !tries.contains_key(name) {
            let oldest = tries.iter().min_by_key(|(_, (_, since))| *since);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                tries.remove(&oldest);
            }
        }
        let count = &mut tries.entry(name.to_owned()).or_insert((0, now)).0;
        *count = count.saturating_add(1);
        true
    }

    /// Counts a try with a name at an address where its owner may be known, when the address has none
    /// left or the name rests: whoever else is behind that address does not keep its owner out.
    pub(crate) fn at_home(&self, name: &str, address: IpAddr, rate: Rate) -> bool {
        let home = (name.to_owned(), network_of(address));
        self.homes.take(&home, rate, Instant::now()).is_ok()
    }

    pub(crate) fn succeeded(
        &self,
        name: &str,
        address: Option<IpAddr>,
        rate: Rate,
        counted: Counted,
    ) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        let Some(address) = address.map(network_of) else { return };
        match counted {
            Counted::Address => self.addresses.give_back(&address, rate),
            Counted::Home => self.homes.give_back(&(name.to_owned(), address), rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_rests_after_five_tries_but_not_where_its_owner_is_known() {
        let guard = LoginGuard::default();
        let start = Timestamp::UNIX_EPOCH;
        for _ in 0..FAILURES_ALLOWED {
            assert!(guard.with("ana", false, start));
        }
        assert!(!guard.with("ana", false, start));
        assert!(guard.with("ana", true, start));
        assert!(guard.with("bea", false, start));
        assert!(guard.with("ana", false, start + FAILURE_WINDOW));
    }

    #[test]
    fn made_up_names_do_not_pile_up() {
        let guard = LoginGuard::default();
        for index in 0..NAMES + 5 {
            guard.with(&index.to_string(), false, Timestamp::UNIX_EPOCH);
        }
        assert_eq!(guard.names.lock().unwrap().len(), NAMES);
    }

    #[test]
    fn only_wrong_passwords_use_up_an_address() {
        let (guard, rate) = (LoginGuard::default(), Rate::per_minute(2, 2));
        let here = Some(IpAddr::from([192, 0, 2, 1]));
        for _ in 0..100 {
            assert_eq!(guard.from(here, rate), Ok(()));
            guard.succeeded("ana", here, rate, Counted::Address);
        }
        assert_eq!((guard.from(here, rate), guard.from(here, rate)), (Ok(()), Ok(())));
        assert!(guard.from(here, rate).is_err());
        assert_eq!(guard.from(Some(IpAddr::from([192, 0, 2, 2])), rate), Ok(()));
    }

    #[test]
    fn an_owner_has_tries_of_her_own_where_she_is_known() {
        let (guard, rate) = (LoginGuard::default(), Rate::per_minute(2, 2));
        let here = IpAddr::from([192, 0, 2, 1]);
        let tries = |name: &str| [(); 3].map(|()| guard.at_home(name, here, rate));
        assert_eq!(tries("ana"), [true, true, false]);
        assert_eq!(tries("bea"), [true, true, false]);
        guard.succeeded("ana", Some(here), rate, Counted::Home);
        assert!(guard.at_home("ana", here, rate));
    }
}

//! Planned starts per minute.

use jiff::Timestamp;

use super::{Load, item::Item};
use crate::{policy::Policy, rules::quota::minute_of};

/// Minutes beyond the horizon in which overflow may land.
const BEYOND: usize = 30;
/// A horizon is never longer: a week.
const MOST: usize = 7 * 24 * 60;

#[derive(Debug, Clone)]
pub(super) struct Board {
    now: Timestamp,
    cap: u32,
    short_cap: u32,
    horizon: usize,
    all: Vec<u32>,
    short: Vec<u32>,
}

impl Board {
    pub(super) fn new(policy: &Policy, now: Timestamp) -> Self {
        let horizon = usize::try_from(policy.spread.horizon.as_mins()).unwrap_or(0).clamp(60, MOST);
        Self {
            now,
            cap: policy.limits.per_minute,
            short_cap: policy.limits.short_per_minute,
            horizon,
            all: vec![0; horizon + BEYOND],
            short: vec![0; horizon + BEYOND],
        }
    }

    pub(super) fn add(&mut self, item: &Item, shift: i64) {
        for minute in item.minutes(shift, self.all.len()) {
            self.all[minute] += 1;
            self.short[minute] += u32::from(item.short);
        }
    }

    pub(super) fn remove(&mut self, item: &Item, shift: i64) {
        for minute in item.minutes(shift, self.all.len()) {
            self.all[minute] -= 1;
            self.short[minute] -= u32::from(item.short);
        }
    }

    fn is_over_at(&self, minute: usize, short: bool) -> bool {
        self.all[minute] > self.cap || (short && self.short[minute] > self.short_cap)
    }

    pub(super) fn is_over(&self) -> bool {
        (0..self.horizon).any(|minute| self.is_over_at(minute, true))
    }

    /// The minutes of its that are over the cap.
    pub(super) fn crowded<'a>(&'a self, item: &'a Item) -> impl Iterator<Item = usize> + 'a {
        item.minutes(0, self.horizon).filter(|minute| self.is_over_at(*minute, item.short))
    }

    /// Whether a minute of its is over the cap, and others go before it there.
    pub(super) fn must_leave(&self, item: &Item, seen: &Seats) -> bool {
        item.minutes(0, self.horizon).any(|minute| {
            let all = self.all[minute] > self.cap && seen.all[minute] >= self.cap;
            let short = self.short[minute] > self.short_cap && seen.short[minute] >= self.short_cap;
            all || (item.short && short)
        })
    }

    /// Whether its next run finds no room where it is.
    pub(super) fn is_full_at(&self, item: &Item) -> bool {
        let minute = (item.at.max(0) / 60) as usize;
        minute < self.horizon && !self.has_room_at(minute, item.short)
    }

    pub(super) fn seats(&self) -> Seats {
        Seats { all: vec![0; self.horizon], short: vec![0; self.horizon] }
    }

    fn has_room_at(&self, minute: usize, short: bool) -> bool {
        self.all[minute] < self.cap && (!short || self.short[minute] < self.short_cap)
    }

    /// The highest load it would meet; none if a minute is full.
    pub(super) fn peak(&self, item: &Item, shift: i64) -> Option<u32> {
        let mut peak = 0;
        for minute in item.minutes(shift, self.horizon) {
            if !self.has_room_at(minute, item.short) {
                return None;
            }
            peak = peak.max(self.all[minute]);
        }
        Some(peak)
    }

    /// How much later the nearest minute with room for its next run is, before the slot after it.
    pub(super) fn later_minute(&self, item: &Item) -> Option<i64> {
        let from = (item.at.max(0) / 60) as usize;
        (from..self.all.len())
            .take_while(|minute| item.at + ((minute - from) as i64) * 60 < item.after)
            .find(|minute| self.has_room_at(*minute, item.short))
            .map(|minute| (minute - from) as i64 * 60)
    }

    pub(super) fn loads(&self) -> Vec<Load> {
        (0..self.horizon)
            .map(|minute| Load {
                minute: minute_at(self.now, minute as i64),
                nodes: self.all[minute],
                short: self.short[minute],
            })
            .collect()
    }

    /// The first minute from this one on with room for one more, beyond the end always; and takes
    /// it.
    pub(super) fn take_from(&mut self, mut minute: usize, short: bool) -> usize {
        while minute < self.all.len() && !self.has_room_at(minute, short) {
            minute += 1;
        }
        if let Some(load) = self.all.get_mut(minute) {
            *load += 1;
            self.short[minute] += u32::from(short);
        }
        minute
    }

    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }
}

/// Who was heard already, per minute.
#[derive(Debug)]
pub(super) struct Seats {
    all: Vec<u32>,
    short: Vec<u32>,
}

impl Seats {
    pub(super) fn sit(&mut self, item: &Item) {
        for minute in item.minutes(0, self.all.len()) {
            self.all[minute] += 1;
            self.short[minute] += u32::from(item.short);
        }
    }
}

pub(super) fn minute_at(now: Timestamp, ahead: i64) -> Timestamp {
    Timestamp::from_second((minute_of(now) + ahead) * 60).unwrap_or(Timestamp::MAX)
}

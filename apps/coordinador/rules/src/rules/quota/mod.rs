//! *Cuota* (§1, R-3): how often a node may start in a rolling hour.
//!
//! Counted by start in the half-open window `(now − 3600 s, now]`, so that an undisturbed node
//! never blocks itself. Instants count as the second they fall in: a wake-up that was milliseconds
//! late one hour must not hold the same slot of the next.

mod jump;

use jiff::{SignedDuration, Timestamp};

pub(in crate::rules) use jump::minute_of;
pub use jump::{full_hour, resume};

use super::due::later;
use crate::{model::Interval, policy::QuotaPolicy};

pub const WINDOW: SignedDuration = SignedDuration::from_secs(3600);

/// *Cuota máxima por hora*: `3600 / interval`, at least one.
pub fn max_per_hour(interval: Interval) -> u32 {
    let whole = WINDOW.as_secs() / interval.seconds();
    u32::try_from(whole.max(1)).unwrap_or(u32::MAX)
}

/// The starts that count at an instant. Starts after it do not.
pub fn used(recent: &[Timestamp], at: Timestamp) -> u32 {
    let counted = recent.iter().filter(|start| is_counted(**start, at)).count();
    u32::try_from(counted).unwrap_or(u32::MAX)
}

fn is_counted(start: Timestamp, at: Timestamp) -> bool {
    let age = at.as_second() - start.as_second();
    (0..WINDOW.as_secs()).contains(&age)
}

/// The first instant, from `at` on, at which the quota lets the node start.
pub fn frees_at(recent: &[Timestamp], max: u32, at: Timestamp) -> Timestamp {
    let mut counted: Vec<Timestamp> =
        recent.iter().copied().filter(|start| is_counted(*start, at)).collect();
    if counted.len() < max as usize {
        return at;
    }
    counted.sort_unstable();
    let oldest = counted[counted.len() - max as usize];
    later(Timestamp::from_second(oldest.as_second()).unwrap_or(oldest), WINDOW)
}

engine::words! {
    /// How full a quota is (seed: 80, 90 and 100 %).
    pub enum Level {
        Normal = "NORMAL",
        Warn = "ADVERTENCIA",
        Alert = "ALERTA",
        Full = "COMPLETA",
    }
}

/// *Uso de cuota*: `3/4`, 75 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub used: u32,
    pub max: u32,
}

impl Usage {
    pub fn at(recent: &[Timestamp], interval: Interval, at: Timestamp) -> Self {
        Self { used: used(recent, at), max: max_per_hour(interval) }
    }

    pub const fn percent(self) -> u32 {
        engine::Capacity::new(self.max, self.used).percent()
    }

    pub const fn is_full(self) -> bool {
        self.used >= self.max
    }

    pub fn level(self, policy: &QuotaPolicy) -> Level {
        // Exact: rounding would warn at 79.5 %.
        let reached =
            |percent: u32| u64::from(self.used) * 100 >= u64::from(self.max) * u64::from(percent);
        if self.is_full() {
            Level::Full
        } else if reached(policy.alert_percent) {
            Level::Alert
        } else if reached(policy.warn_percent) {
            Level::Warn
        } else {
            Level::Normal
        }
    }
}

/// Whether its starts come faster than its interval, or its next run would find the quota full for
/// longer than is waited. At its normal pace a node uses its whole quota and is neither.
pub fn is_pressed(
    recent: &[Timestamp],
    interval: Interval,
    next: Option<Timestamp>,
    policy: &QuotaPolicy,
    now: Timestamp,
) -> bool {
    let counted = || recent.iter().filter(|start| is_counted(**start, now));
    let (number, oldest) = (counted().count() as i64, counted().min().copied().unwrap_or(now));
    let step = interval.seconds();
    let passed = now.as_second() - oldest.as_second();
    let faster = number > (passed + step / 2) / step + 1;
    let held = next.map(|next| next.max(now)).is_some_and(|next| {
        frees_at(recent, max_per_hour(interval), next) > later(next, policy.wait_in_place)
    });
    faster || held
}

/// The level that is news: reached from below. A level passed over is not said.
pub fn crossing(before: Usage, after: Usage, policy: &QuotaPolicy) -> Option<Level> {
    let (before, after) = (before.level(policy), after.level(policy));
    (after > before).then_some(after)
}

#[cfg(test)]
mod tests;

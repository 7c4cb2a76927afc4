//! What this process uses. Read from `/proc`; nothing where there is none.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Looking more often says nothing more.
const EVERY: Duration = Duration::from_secs(1);
/// The kernel counts processor time for user space in hundredths of a second, on every machine.
const TICKS_PER_SECOND: f64 = 100.0;
const PAGE_BYTES: u64 = 4096;

/// What this process used lately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resources {
    /// Of one core; two busy cores are 200.
    pub cpu_pct: f64,
    pub memory_bytes: u64,
}

impl Resources {
    /// What two processes use together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            cpu_pct: self.cpu_pct + other.cpu_pct,
            memory_bytes: self.memory_bytes + other.memory_bytes,
        }
    }

    pub fn memory_mb(self) -> f64 {
        self.memory_bytes as f64 / (1024.0 * 1024.0)
    }
}

#[derive(Debug)]
struct Look {
    at: Instant,
    ticks: u64,
    found: Resources,
}

/// Remembers the last look: what was used is the difference.
#[derive(Debug, Default)]
pub(crate) struct Sampler(Mutex<Option<Look>>);

impl Sampler {
    /// The use of processor since the look before, at most once a second.
    pub(crate) fn now(&self) -> Resources {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = last.as_ref().filter(|look| look.at.elapsed() < EVERY) {
            return look.found;
        }
        let (at, ticks) = (Instant::now(), processor_ticks());
        let cpu_pct = last.as_ref().map_or(0.0, |look| {
            let used = ticks.saturating_sub(look.ticks) as f64 / TICKS_PER_SECOND;
            used * 100.0 / at.duration_since(look.at).as_secs_f64().max(0.001)
        });
        let found = Resources { cpu_pct: (cpu_pct * 10.0).round() / 10.0, memory_bytes: memory() };
        *last = Some(Look { at, ticks, found });
        found
    }
}

/// User and system time: fields 14 and 15, counted behind the name, which may hold anything.
fn processor_ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let field = |n: usize| rest.split_whitespace().nth(n).and_then(|word| word.parse::<u64>().ok());
    field(11).unwrap_or(0) + field(12).unwrap_or(0)
}

fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = text.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok());
    resident.unwrap_or(0) * PAGE_BYTES
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_process_uses_memory() {
        let sampler = super::Sampler::default();
        assert!(sampler.now().memory_mb() > 1.0);
        assert_eq!(sampler.now(), sampler.now(), "looked at once a second");
    }
}

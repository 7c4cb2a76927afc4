//! How long a reading may still take: working time. Whoever waits for a core, because others read
//! too, loses none of it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rten::ThreadPool;
use rustix::time::{ClockId, clock_gettime};

use crate::Trouble;

/// A step that watches the clock on the wall by itself may take so many times what is left.
const ON_THE_WALL: u32 = 6;

#[derive(Clone)]
pub(crate) struct Clock {
    /// Who works beside the thread that asks.
    pool: Option<Arc<ThreadPool>>,
    started: Duration,
    budget: Option<Duration>,
}

/// What this thread has worked since it began.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl Clock {
    pub(crate) fn start(budget: Option<Duration>, pool: Option<Arc<ThreadPool>>) -> Self {
        let mut clock = Self { pool, started: Duration::ZERO, budget };
        clock.started = clock.worked();
        clock
    }

    fn worked(&self) -> Duration {
        let asks = thread::current().id();
        let beside = self.pool.as_ref().map(|pool| {
            pool.run(|| if thread::current().id() == asks { Duration::ZERO } else { worked() })
        });
        worked() + beside.unwrap_or_default()
    }

    fn spent(&self) -> Duration {
        self.worked().saturating_sub(self.started)
    }

    /// To be asked between steps.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        match self.budget {
            Some(budget) if self.spent() >= budget => Err(Trouble::Slow(budget)),
            Some(_) | None => Ok(()),
        }
    }

    /// The answer of a step that ran out of time by itself.
    pub(crate) fn exceeded(&self) -> Trouble {
        Trouble::Slow(self.budget.unwrap_or_default())
    }

    /// What is left by the clock on the wall, for a step that watches that by itself.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub(self.spent()) * ON_THE_WALL)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn work_counts_and_waiting_does_not() {
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let budget = Duration::from_millis(40);
        let clock = Clock::start(Some(budget), Some(pool.clone()));
        // Asleep, as somebody is whom the others leave no core.
        let (line, end) = std::sync::mpsc::channel::<()>();
        assert!(end.recv_timeout(budget * 3).is_err());
        assert!(clock.check().is_ok(), "{:?}", clock.spent());
        let work = || {
            let until = worked() + budget;
            while worked() < until {
                std::hint::black_box(Instant::now());
            }
        };
        pool.run(work);
        assert!(clock.check().is_err(), "{:?}", clock.spent());
        let alone = Clock::start(Some(budget), None);
        assert!(alone.check().is_ok());
        work();
        assert!(alone.check().is_err());
        drop(line);
    }
}

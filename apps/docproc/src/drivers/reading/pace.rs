//! How long messages take lately, and how many of them make sense to hold.

use std::time::Duration;

use super::job_queue::Load;

/// Claims this much work ahead, so that workers do not wait for a commit.
const AHEAD: Duration = Duration::from_millis(40);
const MOST_IN_HAND: usize = 256;
/// Calls to other services at once; they wait, they do not work.
const CALLS: usize = 16;
/// The most calls at once, counting those that hang.
const MOST_CALLS: usize = 256;
/// A call that lasts longer hangs, unless answers take long lately: then several times as long.
const HANGS_AFTER: Duration = Duration::from_millis(500);
const TIMES_USUAL: u32 = 3;
/// The most deliveries that a broker may send ahead for each thread.
const MOST_PREFETCH: f64 = 64.0;
/// Until we know better: what may be a picture is taken for one.
const AT_FIRST: [Duration; 3] =
    [Duration::from_millis(1), Duration::from_millis(200), Duration::ZERO];

/// By load, for so many threads that hold so many messages each, if that is said.
#[derive(Debug)]
pub(super) struct Pace {
    lately: [Duration; 3],
    threads: usize,
    prefetch: Option<usize>,
    /// How many calls hang now.
    hanging: usize,
}

impl Pace {
    pub(super) fn new(threads: usize, prefetch: Option<usize>) -> Self {
        Self { lately: AT_FIRST, threads: threads.max(1), prefetch, hanging: 0 }
    }

    pub(super) fn took(&mut self, load: Load, took: Duration) {
        let lately = &mut self.lately[load as usize];
        *lately = (*lately * 7 + took) / 8;
    }

    /// After how long a call hangs.
    pub(super) fn call_timeout(&self) -> Duration {
        HANGS_AFTER.max(self.lately[Load::Call as usize] * TIMES_USUAL)
    }

    /// So many calls hang. Answers whether that makes a difference.
    pub(super) fn hang(&mut self, hanging: usize) -> bool {
        let before = self.places(CALLS);
        self.hanging = hanging;
        self.places(CALLS) != before
    }

    /// Places for calls, of so many usual ones: whatever hangs, half of those are free of it, as
    /// long as there are any more at all.
    fn places(&self, usual: usize) -> usize {
        let mut places = usual.max(1);
        while places < MOST_CALLS && places < self.hanging + usual.div_ceil(2) {
            places *= 2;
        }
        places
    }

    /// What one thread does while a commit is made.
    fn ahead(&self, load: Load) -> f64 {
        AHEAD.as_secs_f64() / self.lately[load as usize].as_secs_f64().max(0.000_1)
    }

    /// How many messages make sense to hold.
    pub(super) fn room(&self, load: Load) -> usize {
        match (load, self.prefetch) {
            (Load::Call, _) => self.places(CALLS),
            (_, Some(prefetch)) => (self.threads * prefetch).min(MOST_IN_HAND),
            (_, None) => {
                let ahead = (self.threads as f64 * self.ahead(load)) as usize;
                (self.threads + 1 + ahead).min(MOST_IN_HAND)
            }
        }
    }

    /// How many deliveries a broker may send before some are acknowledged: so few that what waits is
    /// seen in its queue. One for each thread that reads pictures; for threads that take no time, as
    /// many as they do in a moment.
    pub(super) fn prefetch(&self, load: Load) -> u16 {
        let prefetch = match (load, self.prefetch) {
            (Load::Call, Some(prefetch)) => self.places(prefetch * self.threads),
            (Load::Call, None) => self.places(CALLS),
            (_, Some(prefetch)) => prefetch * self.threads,
            (_, None) => self.threads * self.ahead(load).clamp(1.0, MOST_PREFETCH) as usize,
        };
        u16::try_from(prefetch).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefetch_is_one_picture_or_a_moment_of_text() {
        let mut pace = Pace::new(2, None);
        assert_eq!(pace.prefetch(Load::Slow), 2, "one for each thread: pages may be pictures");
        for _ in 0..60 {
            pace.took(Load::Slow, Duration::from_micros(300));
        }
        assert_eq!(pace.prefetch(Load::Slow), 128, "these were text");
        assert!(pace.room(Load::Slow) > 200);
        pace.took(Load::Slow, Duration::from_secs(2));
        assert_eq!(pace.prefetch(Load::Slow), 2, "and here is a picture");
        assert_eq!(Pace::new(2, Some(3)).prefetch(Load::Quick), 6);
        assert_eq!(Pace::new(2, Some(3)).room(Load::Slow), 6);
    }

    #[test]
    fn what_hangs_leaves_places_to_others_within_bounds() {
        let mut pace = Pace::new(2, None);
        for hanging in 0..300 {
            let before = pace.room(Load::Call);
            assert_eq!(pace.hang(hanging), pace.room(Load::Call) != before);
            let room = pace.room(Load::Call);
            assert!(room <= MOST_CALLS && usize::from(pace.prefetch(Load::Call)) == room);
            assert!(room - hanging.min(room) >= CALLS / 2 || room == MOST_CALLS, "{hanging}");
        }
        pace.hang(0);
        assert_eq!(pace.room(Load::Call), CALLS, "what is over takes no places");
    }

    #[test]
    fn a_service_that_is_always_slow_does_not_hang() {
        let mut pace = Pace::new(2, None);
        assert_eq!(pace.call_timeout(), HANGS_AFTER);
        for _ in 0..60 {
            pace.took(Load::Call, Duration::from_secs(2));
        }
        assert!(pace.call_timeout() > Duration::from_secs(5));
    }
}

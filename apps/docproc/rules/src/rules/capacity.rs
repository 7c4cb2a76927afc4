//! How many workers a load needs: a queueing model on measured times.
//!
//! A request is a handful of pieces of work that any worker may do: split, then its pages side by
//! side, then its documents. Requests wait for each other as in a queue with one server that is as
//! fast as all hands together (Pollaczek–Khinchine); a request's own time is the time its pieces
//! take on the hands when they are free. A simulation in the tests keeps the model honest.

use std::time::Duration;

/// The most hands that a plan looks at.
pub const MOST_HANDS: u32 = 512;

/// A time that varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Seconds.
    pub mean: f64,
    /// Squared coefficient of variation: 0 always the same, 1 as irregular as radioactive decay.
    pub variation: f64,
}

impl Spread {
    pub const fn new(mean: f64, variation: f64) -> Self {
        Self { mean, variation }
    }

    fn second_moment(self) -> f64 {
        self.mean * self.mean * (1.0 + self.variation)
    }
}

/// What a request asks of the hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    pub requests_per_hour: f64,
    pub pages: f64,
    pub documents: f64,
    /// Before and between the pages: routing and splitting.
    pub split: Spread,
    pub page: Spread,
    pub document: Spread,
}

/// What to expect of so many hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    pub hands: u32,
    /// Share of the time that a hand is busy.
    pub busy: f64,
    /// Seconds from reception to answer, without people. Infinite when the hands cannot keep up.
    pub mean: f64,
    pub p95: f64,
    /// Of the mean, what is spent waiting for other requests.
    pub waiting: f64,
}

/// A plan: the fewest hands that hold the promise, or why none do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    Enough(Forecast),
    /// Even alone, a request takes longer than promised.
    TooSlow {
        alone: f64,
    },
}

/// The fewest hands with which nineteen of twenty requests are answered within `limit`.
pub fn fewest(load: &Load, limit: Duration) -> Answer {
    let limit = limit.as_secs_f64();
    let holds = |hands: u32| Some(forecast(load, hands)).filter(|one| one.p95 <= limit);
    match (1..=MOST_HANDS).find_map(holds) {
        Some(forecast) => Answer::Enough(forecast),
        None => Answer::TooSlow { alone: alone(load, MOST_HANDS) },
    }
}

pub fn forecast(load: &Load, hands: u32) -> Forecast {
    let hands_f = f64::from(hands.max(1));
    let arrivals = load.requests_per_hour.max(0.0) / 3600.0;
    let (work, second) = work(load);
    let busy = arrivals * work / hands_f;
    let alone = alone(load, hands);
    if busy >= 1.0 {
        return Forecast {
            hands,
            busy,
            mean: f64::INFINITY,
            p95: f64::INFINITY,
            waiting: f64::INFINITY,
        };
    }
    // One server as fast as all hands: its service time is the request's work shared out.
    let waiting = arrivals * second / (hands_f * hands_f) / (2.0 * (1.0 - busy));
    // A request waits at all with the probability that somebody is before it; then about
    // exponentially long.
    let given_wait = if busy > 0.0 { waiting / busy } else { 0.0 };
    let tail = if busy > 0.05 { given_wait * (busy / 0.05).ln() } else { 0.0 };
    let own = own_p95(load, hands, alone);
    let p95 = (alone + tail).max(own).max((own * own + tail * tail).sqrt());
    Forecast { hands, busy, mean: alone + waiting, p95, waiting }
}

/// A request's work in seconds of one hand, and its second moment.
fn work(load: &Load) -> (f64, f64) {
    let parts = [(1.0, load.split), (load.pages, load.page), (load.documents, load.document)];
    let mean: f64 = parts.iter().map(|(n, part)| n * part.mean).sum();
    let variance: f64 =
        parts.iter().map(|(n, part)| n * (part.second_moment() - part.mean * part.mean)).sum();
    (mean, mean * mean + variance)
}

/// How long a request takes when no other is there.
fn alone(load: &Load, hands: u32) -> f64 {
    load.split.mean
        + side_by_side(load.pages, load.page, hands)
        + side_by_side(load.documents, load.document, hands)
}

/// Pieces on several hands: their share, and the wait for the last one.
fn side_by_side(pieces: f64, each: Spread, hands: u32) -> f64 {
    if pieces <= 0.0 {
        return 0.0;
    }
    let hands = f64::from(hands.max(1)).min(pieces.max(1.0));
    let even = (hands - 1.0) / (2.0 * hands);
    let uneven: f64 = (2..=hands as u32).map(|n| 1.0 / f64::from(n)).sum();
    let regular = (pieces / hands + even).max(1.0);
    let irregular = (pieces / hands + uneven).max(1.0 + uneven);
    let share = each.variation.clamp(0.0, 1.0);
    each.mean * (regular * (1.0 - share) + irregular * share)
}

/// The slow requests' own time: their pieces vary, so do they.
fn own_p95(load: &Load, hands: u32, alone: f64) -> f64 {
    let hands = f64::from(hands.max(1));
    let (mean, second) = work(load);
    let deviation = (second - mean * mean).max(0.0).sqrt() / hands.min(load.pages.max(1.0));
    alone + 1.645 * deviation
}

/// People: the fewest operators who keep up with so many tasks an hour of so many seconds each and
/// are busy at most `most_busy` of their time.
pub fn operators(tasks_per_hour: f64, seconds_each: f64, most_busy: f64) -> u32 {
    let busy = tasks_per_hour.max(0.0) * seconds_each.max(0.0) / 3600.0;
    (busy / most_busy.clamp(0.05, 1.0)).ceil() as u32
}

/// Hands of one component: how many are busy on the mean, and how many it takes so that they are
/// busy at most `most_busy` of their time.
pub fn workers(per_second: f64, seconds_each: f64, most_busy: f64) -> (f64, u32) {
    let busy = per_second.max(0.0) * seconds_each.max(0.0);
    // Rounding to a billionth first: 5.000000001 hands are five.
    let needed = busy / most_busy.clamp(0.05, 1.0);
    (busy, ((needed * 1e9).round() / 1e9).ceil() as u32)
}

/// *Escalado* (§11.4): how many processes a queue asks for, as Kubernetes reckons it from the
/// messages that are ready and how many of them one process shall have on the mean.
pub fn replicas(ready: u64, each: u64, most: u32) -> u32 {
    u32::try_from(ready.div_ceil(each.max(1))).unwrap_or(u32::MAX).clamp(1, most.max(1))
}

#[cfg(test)]
mod tests {
    use std::{cmp::Reverse, collections::BinaryHeap};

    use engine::Chance;
    use proptest::prelude::*;

    use super::*;

    /// Hands and requests, piece by piece: what the model only estimates.
    struct Simulation {
        chance: Chance,
    }

    impl Simulation {
        fn draw(&mut self, spread: Spread) -> f64 {
            // A mixture of "always the same" and "exponential" has the variation between.
            let share = spread.variation.sqrt().min(1.0);
            let exponential = -(1.0 - self.chance.unit()).ln();
            spread.mean * ((1.0 - share) + share * exponential)
        }

        /// Answer times of requests that come at random; a free hand takes the oldest one's piece.
        fn run(&mut self, load: &Load, hands: u32, requests: usize) -> Vec<f64> {
            let stages = [
                (1, load.split),
                (load.pages as u32, load.page),
                (load.documents as u32, load.document),
            ];
            let nano = |seconds: f64| (seconds * 1e9) as u64;
            let mut events = BinaryHeap::new();
            let (mut now, mut came) = (0.0, Vec::new());
            for request in 0..requests {
                now += -(1.0 - self.chance.unit()).ln() * 3600.0 / load.requests_per_hour;
                came.push(nano(now));
                events.push(Reverse((nano(now), request)));
            }
            // How many stages each has begun, and how many pieces of the last are not done.
            let mut begun = vec![(0_usize, 1_u32); requests];
            let (mut ready, mut idle, mut times) = (BinaryHeap::new(), hands, Vec::new());
            while let Some(Reverse((at, request))) = events.pop() {
                let (stage, left) = &mut begun[request];
                idle += u32::from(*stage > 0);
                *left -= 1;
                if *left == 0 && *stage == stages.len() {
                    times.push((at - came[request]) as f64 / 1e9);
                } else if *left == 0 {
                    *left = stages[*stage].0;
                    *stage += 1;
                    ready.extend((0..*left).map(|_| Reverse(request)));
                }
                while idle > 0
                    && let Some(Reverse(oldest)) = ready.pop()
                {
                    idle -= 1;
                    let spread = stages[begun[oldest].0 - 1].1;
                    events.push(Reverse((at + nano(self.draw(spread)), oldest)));
                }
            }
            times.sort_by(f64::total_cmp);
            times
        }
    }

    fn load(requests_per_hour: f64, pages: f64, variation: f64) -> Load {
        Load {
            requests_per_hour,
            pages,
            documents: 1.0,
            split: Spread::new(0.02, 0.0),
            page: Spread::new(1.4, variation),
            document: Spread::new(0.05, 0.0),
        }
    }

    #[test]
    fn the_model_is_within_a_fifth_of_a_simulation() {
        for (hands, pages, variation, busy) in [
            (2, 4.0, 0.0, 0.3),
            (2, 4.0, 0.25, 0.6),
            (4, 8.0, 0.25, 0.7),
            (8, 4.0, 0.25, 0.5),
            (16, 1.0, 0.25, 0.7),
            (2, 12.0, 1.0, 0.5),
            (2, 4.0, 0.25, 0.85),
            (4, 20.0, 0.5, 0.9),
        ] {
            let mut load = load(1.0, pages, variation);
            load.requests_per_hour = busy * f64::from(hands) * 3600.0 / work(&load).0;
            let mut simulation = Simulation { chance: Chance::new(7) };
            let times = simulation.run(&load, hands, 20_000);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let p95 = times[times.len() * 95 / 100];
            let told = forecast(&load, hands);
            let off = |told: f64, seen: f64| (told / seen - 1.0).abs();
            assert!(off(told.mean, mean) < 0.2, "{hands} {pages} {busy}: {told:?}, seen {mean:.2}");
            assert!(off(told.p95, p95) < 0.2, "{hands} {pages} {busy}: {told:?}, seen {p95:.2}");
        }
    }

    #[test]
    fn a_promise_below_a_requests_own_time_is_refused() {
        let slow = fewest(&load(10.0, 1.0, 0.0), Duration::from_secs(1));
        assert!(matches!(slow, Answer::TooSlow { alone } if alone > 1.4), "{slow:?}");
        assert_eq!(operators(60.0, 45.0, 0.8), 1);
        assert_eq!(operators(600.0, 45.0, 0.8), 10);
        assert_eq!(operators(0.0, 45.0, 0.8), 0);
    }

    #[test]
    fn scenario_29_a_queue_asks_for_processes_and_a_load_for_hands() {
        assert_eq!(replicas(12, 5, 10), 3);
        assert_eq!(replicas(200, 5, 10), 10);
        assert_eq!((replicas(0, 5, 10), replicas(u64::MAX, 0, 10)), (1, 10));
        let pages_per_second = 1_200.0 * 5.0 / 3_600.0;
        assert!((pages_per_second - 1.67_f64).abs() < 0.01);
        let (busy, needed) = workers(pages_per_second, 3.0, 0.7);
        assert!((busy - 5.0).abs() < 1e-9);
        assert_eq!(needed, 8);
        assert_eq!(workers(pages_per_second, 3.0, 1.0).1, 5, "five and not one more");
    }

    proptest! {
        #[test]
        fn hands_are_never_busier_than_allowed(rate in 0.0..1e4_f64, each in 0.0..60.0_f64,
                                               most in 0.1..1.0_f64) {
            let (busy, needed) = workers(rate, each, most);
            prop_assert!(busy <= f64::from(needed) * most + 1e-6);
            prop_assert!(f64::from(needed) < busy / most + 1.0 + 1e-6, "nor more of them");
        }

        #[test]
        fn more_messages_never_ask_for_fewer_processes(ready in 0..10_000_u64, more in 0..1_000_u64,
                                                       each in 1..50_u64, most in 1..100_u32) {
            let few = replicas(ready, each, most);
            prop_assert!(replicas(ready + more, each, most) >= few);
            prop_assert!((1..=most).contains(&few));
            prop_assert!(few == most || u64::from(few) * each >= ready);
        }

        #[test]
        fn more_hands_never_make_it_slower(per_hour in 1.0..20_000.0_f64, pages in 1.0..40.0_f64,
                                           variation in 0.0..1.0_f64, hands in 1..64_u32) {
            let load = load(per_hour, pages.floor(), variation);
            let (few, many) = (forecast(&load, hands), forecast(&load, hands + 1));
            prop_assert!(many.busy < few.busy);
            prop_assert!(many.waiting <= few.waiting);
            prop_assert!(few.mean >= few.waiting && few.p95 >= 0.0);
        }

        #[test]
        fn the_fewest_hands_hold_and_one_less_does_not(per_hour in 1.0..5_000.0_f64,
                                                       pages in 1.0..12.0_f64) {
            let load = load(per_hour, pages.floor(), 0.25);
            if let Answer::Enough(found) = fewest(&load, Duration::from_mins(1)) {
                prop_assert!(found.p95 <= 60.0);
                prop_assert!(found.hands == 1 || forecast(&load, found.hands - 1).p95 > 60.0);
            }
        }
    }
}

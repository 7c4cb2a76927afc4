//! `TimeLearning`: what preparation really takes (§8.3.1).
//!
//! Learned from ready − started only; what happens to an order afterwards says nothing about the
//! kitchen. Advice comes with its sample size and is applied only when the operator asks for it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::model::Line;
use crate::rules::pricing::plain;
use crate::rules::stats::median;

const DAYS: i64 = 30;
/// Shorter is a mistaken tap, longer a forgotten one.
const PLAUSIBLE_MINUTES: std::ops::RangeInclusive<f64> = 5.0..=60.0;
const LEARNED_MINUTES: (i64, i64) = (10, 45);
/// A difference this small is not worth a change.
const NOTABLE_MINUTES: i64 = 2;
/// With fewer orders nothing is concluded.
const LEAST_SAMPLE: usize = 5;
const FACTOR: (f64, f64) = (0.5, 2.0);
const LONGEST_ESTIMATE: i64 = 180;

/// How busy the kitchen was when the order started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Load {
    Calm,
    Busy,
    Full,
}

impl Load {
    /// Calm below half of the places, full when none is left.
    pub const fn of(in_use: u32, limit: u32) -> Self {
        if in_use >= limit {
            Self::Full
        } else if in_use * 2 >= limit {
            Self::Busy
        } else {
            Self::Calm
        }
    }
}

/// What was cooked: an article of the menu, or something written by hand, known by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dish {
    Article(i64),
    Named(String),
}

impl Dish {
    pub fn of(line: &Line) -> Self {
        Self::named(line.article, &line.name)
    }

    pub fn named(article: Option<i64>, name: &str) -> Self {
        article.map_or_else(|| Self::Named(plain(name)), Self::Article)
    }
}

/// One order that was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub started_at: Timestamp,
    pub ready_at: Timestamp,
    pub estimate_minutes: i64,
    pub dishes: Vec<Dish>,
}

impl Prepared {
    fn minutes(&self) -> f64 {
        self.ready_at.duration_since(self.started_at).as_secs_f64() / 60.0
    }
}

/// A median with the number of orders it stands on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    pub median_minutes: f64,
    /// Actual over estimated time: 1.2 means a fifth longer than estimated.
    pub factor: f64,
    pub sample: usize,
}

/// What a dish taught under a load, or under all of them together.
#[derive(Debug, Clone, PartialEq)]
pub struct DishLesson {
    pub dish: Dish,
    pub load: Option<Load>,
    pub learned: Learned,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lessons {
    pub overall: Option<Learned>,
    /// By dish, then load; all loads together first.
    pub dishes: Vec<DishLesson>,
}

/// A corrected estimate and what it stands on; a sample of zero means it is untouched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correction {
    pub minutes: i64,
    pub factor: f64,
    pub sample: usize,
}

/// Learns from the orders made ready in the last 30 days. The load of each is how many of the
/// others were in the kitchen when it started.
pub fn learn(prepared: &[Prepared], limit: u32, now: Timestamp) -> Lessons {
    let since = now.saturating_sub(SignedDuration::from_hours(24 * DAYS)).unwrap_or(now);
    let loads = Loads::of(prepared);
    let mut all = Samples::default();
    let mut by_dish: BTreeMap<(Dish, Option<Load>), Samples> = BTreeMap::new();
    for order in prepared {
        let recent = since <= order.ready_at && order.ready_at <= now;
        if !recent || !PLAUSIBLE_MINUTES.contains(&order.minutes()) {
            continue;
        }
        all.add(order);
        let load = Load::of(loads.others_at(order.started_at), limit);
        let mut dishes = order.dishes.clone();
        dishes.sort_unstable();
        dishes.dedup();
        for dish in dishes {
            for load in [None, Some(load)] {
                by_dish.entry((dish.clone(), load)).or_default().add(order);
            }
        }
    }
    let dishes = by_dish
        .into_iter()
        .filter_map(|((dish, load), samples)| {
            Some(DishLesson { dish, load, learned: samples.learned()? })
        })
        .collect();
    Lessons { overall: all.learned(), dishes }
}

impl Lessons {
    /// The base time to suggest: the overall median, rounded and kept within 10 to 45 minutes, when
    /// it differs from the present base by more than two minutes.
    pub fn suggested_base(&self, base: i64) -> Option<i64> {
        let learned = learned_minutes(self.overall?.median_minutes);
        ((learned - base).abs() > NOTABLE_MINUTES).then_some(learned)
    }

    /// The estimate of a new order, corrected by what its dishes taught. Dishes with too few orders
    /// have no say.
    pub fn correct(&self, estimate: i64, dishes: &[Dish], load: Load, floor: i64) -> Correction {
        let mut dishes = dishes.to_vec();
        dishes.sort_unstable();
        dishes.dedup();
        let told: Vec<Learned> = dishes.iter().filter_map(|dish| self.told(dish, load)).collect();
        let factors: Vec<f64> = told.iter().map(|learned| learned.factor).collect();
        let Some(factor) = median(&factors) else {
            return Correction { minutes: estimate, factor: 1.0, sample: 0 };
        };
        let factor = factor.clamp(FACTOR.0, FACTOR.1);
        let minutes = (estimate as f64 * factor).round() as i64;
        let minutes = minutes.clamp(floor, LONGEST_ESTIMATE.max(floor));
        let sample = told.iter().map(|learned| learned.sample).sum();
        Correction { minutes, factor, sample }
    }

    /// What a dish teaches about a load: the slowest it was seen under that load or a calmer one, since
    /// a fuller kitchen cooks nothing faster; else the quickest of the busier ones; else what all
    /// loads say together.
    fn told(&self, dish: &Dish, load: Load) -> Option<Learned> {
        let known = || {
            let own = self.dishes.iter().filter(|lesson| lesson.dish == *dish);
            own.filter(|lesson| lesson.learned.sample >= LEAST_SAMPLE)
        };
        let by_factor = |a: &Learned, b: &Learned| a.factor.total_cmp(&b.factor);
        let up_to = known().filter(|lesson| lesson.load.is_some_and(|known| known <= load));
        let above = known().filter(|lesson| lesson.load.is_some_and(|known| known > load));
        let together = known().find(|lesson| lesson.load.is_none()).map(|lesson| lesson.learned);
        up_to
            .map(|lesson| lesson.learned)
            .max_by(by_factor)
            .or_else(|| above.map(|lesson| lesson.learned).min_by(by_factor))
            .or(together)
    }
}

fn learned_minutes(median_minutes: f64) -> i64 {
    (median_minutes.round() as i64).clamp(LEARNED_MINUTES.0, LEARNED_MINUTES.1)
}

/// *Estimación adaptativa* by number of lines: each adds a twentieth, up to half as much again.
pub fn minutes_for_lines(learned: i64, lines: u32) -> i64 {
    let factor = (1.0 + 0.05 * f64::from(lines)).min(1.5);
    learned_minutes(learned as f64 * factor)
}

#[derive(Default)]
struct Samples {
    minutes: Vec<f64>,
    factors: Vec<f64>,
}

impl Samples {
    fn add(&mut self, order: &Prepared) {
        self.minutes.push(order.minutes());
        self.factors.push(order.minutes() / order.estimate_minutes.max(1) as f64);
    }

    fn learned(&self) -> Option<Learned> {
        Some(Learned {
            median_minutes: median(&self.minutes)?,
            factor: median(&self.factors)?,
            sample: self.minutes.len(),
        })
    }
}

struct Loads {
    starts: Vec<Timestamp>,
    ends: Vec<Timestamp>,
}

impl Loads {
    fn of(prepared: &[Prepared]) -> Self {
        let mut starts: Vec<_> = prepared.iter().map(|order| order.started_at).collect();
        let mut ends: Vec<_> = prepared.iter().map(|order| order.ready_at).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        Self { starts, ends }
    }

    /// Orders inside at the instant one of them starts, without that one.
    fn others_at(&self, start: Timestamp) -> u32 {
        let begun = self.starts.partition_point(|at| *at <= start);
        let left = self.ends.partition_point(|at| *at <= start);
        u32::try_from(begun.saturating_sub(left).saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::later_by_minutes;
    use crate::rules::samples::{at, line};

    const SEVEN: Dish = Dish::Article(7);

    fn prepared(started_minutes_ago: i64, seconds: i64, article: i64) -> Prepared {
        let started_at = later_by_minutes(at("20:00:00"), -started_minutes_ago);
        Prepared {
            started_at,
            ready_at: started_at + SignedDuration::from_secs(seconds),
            estimate_minutes: 10,
            dishes: vec![Dish::Article(article); 2],
        }
    }

    fn evenings(seconds: i64, count: i64) -> Vec<Prepared> {
        (0..count).map(|n| prepared(1_440 + 120 * n, seconds, 7)).collect()
    }

    #[test]
    fn a_notable_difference_is_suggested() {
        let suggested =
            |seconds| learn(&evenings(seconds, 9), 8, at("20:00:00")).suggested_base(15);
        assert_eq!(suggested(1_104), Some(18), "18.4 minutes");
        assert_eq!(suggested(1_044), None, "17.4 minutes: two more than 15");
        assert_eq!(suggested(4_200), None, "70 minutes are not believed");
        assert_eq!(suggested(360), Some(10), "never below ten");
    }

    #[test]
    fn only_the_last_thirty_days_count_and_one_forgotten_order_does_not() {
        let now = at("20:00:00");
        let old = vec![prepared(31 * 1_440, 1_200, 7)];
        assert_eq!(learn(&old, 8, now), Lessons::default());
        let mut mixed = evenings(900, 8);
        mixed.push(prepared(600, 3_540, 7));
        let overall = learn(&mixed, 8, now).overall.unwrap();
        assert_eq!(overall.sample, 9);
        assert!((overall.median_minutes - 15.0).abs() < 1e-9);
    }

    #[test]
    fn corrections_come_per_dish_with_their_sample() {
        let lessons = learn(&evenings(900, 6), 8, at("20:00:00"));
        let corrected = lessons.correct(20, &[SEVEN], Load::Calm, 10);
        assert_eq!((corrected.minutes, corrected.sample), (30, 6));
        let untouched = Correction { minutes: 20, factor: 1.0, sample: 0 };
        assert_eq!(lessons.correct(20, &[Dish::Article(8)], Load::Calm, 10), untouched);
        let few = learn(&evenings(900, 4), 8, at("20:00:00"));
        assert_eq!(few.correct(20, &[SEVEN], Load::Calm, 10), untouched);
    }

    #[test]
    fn what_was_learned_calm_holds_when_full() {
        let lessons = learn(&evenings(1_200, 6), 8, at("20:00:00"));
        for load in [Load::Calm, Load::Busy, Load::Full] {
            assert_eq!(lessons.correct(10, &[SEVEN], load, 10).minutes, 20, "{load:?}");
        }
    }

    #[test]
    fn a_line_written_by_hand_is_learned_by_its_name() {
        let mut evenings = evenings(1_200, 6);
        for order in &mut evenings {
            order.dishes = vec![Dish::of(&line("Locro  del día", 3, 1))];
        }
        let lessons = learn(&evenings, 8, at("20:00:00"));
        let again = Dish::of(&line("locro del DÍA", 3, 1));
        assert_eq!(lessons.correct(10, &[again], Load::Full, 10).minutes, 20);
    }

    #[test]
    fn the_load_is_who_else_was_cooking() {
        let together: Vec<_> = (0..6).map(|n| prepared(1_440 - n, 900, n)).collect();
        let lessons = learn(&together, 4, at("20:00:00"));
        let loads: Vec<_> = lessons.dishes.iter().filter_map(|lesson| lesson.load).collect();
        let (calm, busy, full) = (Load::Calm, Load::Busy, Load::Full);
        assert_eq!(loads, [calm, calm, busy, busy, full, full]);
    }

    proptest! {
        /// Whatever was measured, a fuller kitchen is never promised to be quicker.
        #[test]
        fn a_fuller_kitchen_is_not_estimated_quicker(
            cooked in prop::collection::vec((0_i64..600, 300_i64..3_600, 0_i64..3), 0..60),
        ) {
            let prepared: Vec<_> = cooked
                .into_iter()
                .map(|(ago, seconds, article)| prepared(1_440 + ago, seconds, article))
                .collect();
            let lessons = learn(&prepared, 4, at("20:00:00"));
            let order = [Dish::Article(0), Dish::Article(2)];
            let minutes = [Load::Calm, Load::Busy, Load::Full]
                .map(|load| lessons.correct(15, &order, load, 1).minutes);
            prop_assert!(minutes.is_sorted(), "{:?}", minutes);
        }
    }

    #[test]
    fn lines_lengthen_the_learned_time_up_to_half() {
        assert_eq!([1, 3, 10, 40].map(|lines| minutes_for_lines(18, lines)), [19, 21, 27, 27]);
    }
}

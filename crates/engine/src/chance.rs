//! Chance that repeats itself: the same seed gives the same numbers on every machine. Simulators,
//! generators and properties draw from it.

/// `SplitMix64`. Written out here because a library is free to change its stream between versions,
/// and what was generated with a seed has to be the same next year.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Chance that depends on every part and looks like none of them: what happened to the third
    /// packet of the fifth device does not depend on who was asked before.
    pub fn of(parts: &[u64]) -> Self {
        let start = Self(0x9e37_79b9_7f4a_7c15);
        parts.iter().fold(start, |state, part| Self(Self(state.0.wrapping_add(*part)).number()))
    }

    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..count`; zero when there is none.
    pub fn below(&mut self, count: usize) -> usize {
        (self.number() % count.max(1) as u64) as usize
    }

    /// Both ends included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + (self.number() % (most - least + 1).max(1) as u64) as i64
    }

    /// 0 to just under 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: f64) -> bool {
        percent > 0.0 && self.unit() * 100.0 < percent
    }

    /// One of several; they must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut chance = Chance::new(seed);
            [chance.number(), chance.number()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }

    #[test]
    fn percents_come_about_right() {
        let hits = (0..10_000).filter(|n| Chance::of(&[7, *n]).percent(5.0)).count();
        assert!((400..600).contains(&hits), "{hits}");
        assert!(!Chance::new(1).percent(0.0) && Chance::new(1).percent(100.0));
    }

    #[test]
    fn ranges_are_kept() {
        let mut chance = Chance::new(3);
        for _ in 0..1_000 {
            assert!((-2..=2).contains(&chance.between(-2, 2)));
            assert!(chance.below(3) < 3);
            assert!((0.0..1.0).contains(&chance.unit()));
        }
        assert_eq!(chance.below(0), 0);
    }
}

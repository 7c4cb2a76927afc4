//! The source of all chance: the same seed rolls the same numbers on every machine.

/// `SplitMix64`. Written out here because a library is free to change its stream between versions,
/// and the shipped model is compared bit by bit with a retrained one.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to `sides - 1`.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        (self.next() % sides.max(1) as u64) as usize
    }

    /// Both ends included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1).max(1) as u64) as i64
    }

    /// 0 to just under 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    pub(crate) fn span(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    pub(crate) fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// `count` different choices, in chance order (all of them when there are fewer).
    pub(crate) fn some<'a, T: ?Sized>(&mut self, choices: &[&'a T], count: usize) -> Vec<&'a T> {
        let mut left = choices.to_vec();
        let mut taken = Vec::with_capacity(count);
        while taken.len() < count && !left.is_empty() {
            taken.push(left.swap_remove(self.below(left.len())));
        }
        taken
    }

    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }

    pub(crate) fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'A' + self.below(26) as u8)).collect()
    }
}

//! Chance for the simulated Control Room.

/// Numbers that look like chance and are the same for the same seed (`SplitMix64`).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `sides`, which is not zero.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        self.roll() % sides.max(1)
    }

    /// In the form of a UUID of version 4.
    pub(super) fn uuid(&mut self) -> String {
        let (a, b) = (self.roll(), self.roll());
        let (high, middle, low) = (a >> 32, (a >> 16) & 0xffff, a & 0xfff);
        let variant = 0x8000 | ((b >> 48) & 0x3fff);
        format!("{high:08x}-{middle:04x}-4{low:03x}-{variant:04x}-{:012x}", b & 0xffff_ffff_ffff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_rolls_the_same() {
        let ids = |seed| {
            let mut dice = Dice::new(seed);
            [dice.uuid(), dice.uuid()]
        };
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7), ids(8));
        let [first, second] = ids(7);
        assert_ne!(first, second);
        assert_eq!((first.len(), &first[14..15]), (36, "4"));
    }
}

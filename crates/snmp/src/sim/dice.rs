//! Random numbers from a seed, the same in every run.

/// A number that depends on every part and looks like none of them (`SplitMix64`).
pub(super) fn throw(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |state: u64, part| {
        let mut mixed = state.wrapping_add(*part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// Whether something happens that happens in so many of a hundred cases.
pub(super) fn happens(percent: f64, parts: &[u64]) -> bool {
    percent > 0.0 && (throw(parts) % 1_000_000) as f64 / 10_000.0 < percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_about_right_and_the_same_each_time() {
        let hits = |seed: u64| (0..10_000).filter(|n| happens(5.0, &[seed, *n])).count();
        assert_eq!(hits(7), hits(7));
        assert!((400..600).contains(&hits(7)), "{}", hits(7));
        assert!(!happens(0.0, &[1]) && happens(100.0, &[1]));
    }
}

//! A scarce thing: how much there is and how much of it is taken.

/// `in_use` may exceed `limit`: the limit was lowered, or someone privileged forced an entry.
/// Nothing is evicted for it; entries stop until there is room again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Capacity {
    pub limit: u32,
    pub in_use: u32,
}

impl Capacity {
    pub const fn new(limit: u32, in_use: u32) -> Self {
        Self { limit, in_use }
    }

    /// Places left; zero, never negative, when over the limit.
    pub const fn free(self) -> u32 {
        self.limit.saturating_sub(self.in_use)
    }

    pub const fn is_full(self) -> bool {
        self.in_use >= self.limit
    }

    /// Use in percent, rounded half up; above 100 when over the limit. A limit of zero reads as
    /// 100: nothing can enter, which is what a reader of the figure needs to know.
    pub const fn percent(self) -> u32 {
        if self.limit == 0 {
            return 100;
        }
        let (used, limit) = (self.in_use as u64, self.limit as u64);
        ((used * 200 + limit) / (limit * 2)) as u32
    }

    /// The same limit with `amount` more in use.
    #[must_use]
    pub const fn taking(self, amount: u32) -> Self {
        Self { limit: self.limit, in_use: self.in_use.saturating_add(amount) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_rounds_half_up_and_passes_one_hundred() {
        let cases = [(0, 0), (1, 13), (3, 38), (6, 75), (8, 100), (9, 113)];
        for (in_use, percent) in cases {
            assert_eq!(Capacity::new(8, in_use).percent(), percent, "{in_use} of 8");
        }
        assert_eq!(Capacity::new(5, 7).percent(), 140);
    }

    #[test]
    fn over_the_limit_is_full_with_nothing_free() {
        let over = Capacity::new(8, 9);
        assert!(over.is_full());
        assert_eq!(over.free(), 0);
        assert_eq!(Capacity::new(8, 7).free(), 1);
        assert!(!Capacity::new(8, 7).is_full());
    }

    #[test]
    fn a_limit_of_zero_admits_nobody() {
        let none = Capacity::new(0, 0);
        assert!(none.is_full());
        assert_eq!((none.free(), none.percent()), (0, 100));
    }
}

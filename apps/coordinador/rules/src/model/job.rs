//! What a job is, how urgent and how often.

use jiff::SignedDuration;

engine::words! {
    /// *Tipo de trabajo*: what a node does on its OLT.
    pub enum JobType {
        /// *Descubrimiento*: walks a table and learns which ONUs are there.
        Discovery = "descubrimiento",
        /// Reads one value of every ONU that is there.
        Get = "get",
    }
}

impl JobType {
    /// The higher goes first (F-1.3); the opposite direction of [`Priority`].
    pub const fn weight(self) -> u8 {
        match self {
            Self::Discovery => 90,
            Self::Get => 40,
        }
    }
}

/// *Prioridad* of a node: 1 is the best, 5 the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    pub const BEST: Self = Self(1);
    pub const LAST: Self = Self(5);

    pub const fn new(number: i64) -> Option<Self> {
        match number {
            1..=5 => Some(Self(number as u8)),
            _ => None,
        }
    }

    pub const fn number(self) -> i64 {
        self.0 as i64
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self(3)
    }
}

/// *Intervalo*: whole seconds between the slots of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval(i64);

impl Interval {
    pub const LEAST: i64 = 1;
    pub const MOST: i64 = 31 * 86_400;

    pub const fn new(seconds: i64) -> Option<Self> {
        if seconds < Self::LEAST || seconds > Self::MOST { None } else { Some(Self(seconds)) }
    }

    pub const fn seconds(self) -> i64 {
        self.0
    }

    pub const fn duration(self) -> SignedDuration {
        SignedDuration::from_secs(self.0)
    }
}

#[cfg(test)]
mod tests {
    use engine::Word as _;

    use super::*;

    #[test]
    fn words_can_be_read_back_and_bounds_hold() {
        assert!(JobType::ALL.iter().all(|job| JobType::from_word(job.word()) == Some(*job)));
        assert!(JobType::Discovery.weight() > JobType::Get.weight());
        assert_eq!([0, 6, -1].map(Priority::new), [None; 3]);
        assert_eq!(Priority::new(1), Some(Priority::BEST));
        assert_eq!([0, -5, Interval::MOST + 1].map(Interval::new), [None; 3]);
        assert_eq!(Interval::new(900).map(Interval::seconds), Some(900));
    }
}

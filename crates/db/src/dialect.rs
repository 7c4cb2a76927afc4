//! The two databases, where a statement cannot be shared.

/// Which database speaks. Code asks only where a statement cannot be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Chooses between two spellings of one statement.
    pub fn pick<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}

//! What can go wrong between us and the database.

use std::borrow::Cow;

/// What can go wrong between us and the database.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be reached now. Nothing was decided; the caller may try again.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// The database went away between a commit and its answer: everything may have been decided, or
    /// nothing. Whoever holds something for it keeps that until it is known.
    #[error("the database did not say whether it committed")]
    Unanswered(#[source] sqlx::Error),
    /// A guarded change met another state than the planner saw.
    #[error("conflicting change: {0}")]
    Conflict(Cow<'static, str>),
    /// A unique key already holds this value.
    #[error("duplicate value for {constraint}")]
    Duplicate { constraint: String },
    /// A stored value that our own code could not have written.
    #[error("corrupt value: {what}")]
    Corrupt { what: String },
    #[error("migration {line}/{name}: {reason}")]
    Migration { line: String, name: String, reason: String },
    /// A text that this database cannot keep: one with a NUL in it.
    #[error("a text cannot be kept")]
    Unfit(#[source] sqlx::Error),
    /// Steps of migration, `line/name`, that this version does not know.
    #[error("a later version of turno made this database: {}", .0.join(", "))]
    Newer(Vec<String>),
    #[error("the database refused a statement")]
    Database(#[source] sqlx::Error),
}

/// `PostgreSQL`: a NUL in text, and in JSON.
const UNFIT: [&str; 2] = ["22021", "22P05"];

impl Error {
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }

    pub fn conflict(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict(what.into())
    }

    /// Whether waiting a little and trying again can help.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Unanswered(_))
    }

    /// Why a commit over a network failed. What the server itself says is certain.
    pub(crate) fn of_commit(error: sqlx::Error) -> Self {
        match Self::from(error) {
            Self::Unavailable(error) if error.as_database_error().is_none() => {
                Self::Unanswered(error)
            }
            certain => certain,
        }
    }

    /// Whether `SQLite` says that another connection is at the file.
    pub(crate) fn is_locked(&self) -> bool {
        const BUSY: i32 = 5;
        match self {
            Self::Unavailable(sqlx::Error::Database(db)) => primary_code(db.as_ref()) == Some(BUSY),
            _ => false,
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        match &error {
            // A server that hangs up in the middle of a greeting is a breach of protocol to the driver.
            E::Io(_)
            | E::Tls(_)
            | E::Protocol(_)
            | E::PoolTimedOut
            | E::PoolClosed
            | E::WorkerCrashed => Self::Unavailable(error),
            E::Database(db) if db.is_unique_violation() => {
                Self::Duplicate { constraint: db.constraint().unwrap_or(db.message()).to_owned() }
            }
            E::Database(db) if is_outage(db.as_ref()) => Self::Unavailable(error),
            E::Database(db) if db.code().is_some_and(|code| UNFIT.contains(&&*code)) => {
                Self::Unfit(error)
            }
            _ => Self::Database(error),
        }
    }
}

/// Server answers that mean "not now": connection, shutdown, lock time-out and deadlock classes of
/// `PostgreSQL`, and `SQLite`'s busy, locked, I/O, full and cannot-open codes.
fn is_outage(error: &dyn sqlx::error::DatabaseError) -> bool {
    let Some(code) = error.code() else {
        return false;
    };
    if error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some() {
        return ["08", "57P", "53", "55P03", "40001", "40P01", "25006", "3D000"]
            .iter()
            .any(|class| code.starts_with(class));
    }
    matches!(primary_code(error), Some(5 | 6 | 8 | 10 | 13 | 14))
}

/// Extended `SQLite` codes keep the primary one in their low byte.
fn primary_code(error: &dyn sqlx::error::DatabaseError) -> Option<i32> {
    error.try_downcast_ref::<sqlx::sqlite::SqliteError>()?;
    Some(error.code()?.parse::<i32>().ok()? & 0xff)
}

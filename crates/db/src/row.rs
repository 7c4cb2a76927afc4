//! Rows of a result, read alike from both databases.

use jiff::Timestamp;
use serde_json::Value as Json;
use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};

use crate::Error;

/// One row of a result, whichever database it came from.
#[derive(Debug)]
pub enum Row {
    Sqlite(sqlx::sqlite::SqliteRow),
    Postgres(sqlx::postgres::PgRow),
}

/// A type that a column can be read as. Absent values are read as `Option`.
pub trait Column: Sized {
    fn read(row: &Row, name: &str) -> Result<Option<Self>, sqlx::Error>;
}

impl Row {
    /// Reads a column that is never NULL.
    pub fn get<T: Column>(&self, name: &str) -> Result<T, Error> {
        self.maybe(name)?.ok_or_else(|| Error::corrupt(format!("{name} is NULL")))
    }

    /// Reads a column that may be NULL.
    pub fn maybe<T: Column>(&self, name: &str) -> Result<Option<T>, Error> {
        T::read(self, name).map_err(|error| Error::corrupt(format!("{name}: {error}")))
    }

    /// Reads a word column into one of our enums; an unknown word is corruption, not a default.
    pub fn word<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
        let word: String = self.get(name)?;
        parse(&word).ok_or_else(|| Error::corrupt(format!("{name} = {word:?}")))
    }

    /// The same for a column that may be empty.
    pub fn maybe_word<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let word: Option<String> = self.maybe(name)?;
        word.map(|_| self.word(name, parse)).transpose()
    }

    /// One column as neutral JSON, for backups. `SQLite` does not know which numbers are instants
    /// nor which texts are JSON: those stay as stored, and [`crate::backup`] reads both spellings.
    pub(crate) fn json_at(&self, index: usize) -> Result<Json, Error> {
        let value = match self {
            Self::Sqlite(row) => sqlite_json(row, index),
            Self::Postgres(row) => postgres_json(row, index),
        };
        value.map_err(Error::from)
    }
}

fn sqlite_json(row: &sqlx::sqlite::SqliteRow, index: usize) -> Result<Json, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Json::Null);
    }
    Ok(match raw.type_info().name() {
        "INTEGER" | "BOOLEAN" => row.try_get::<i64, _>(index)?.into(),
        "REAL" => row.try_get::<f64, _>(index)?.into(),
        "BLOB" => crate::hex(&row.try_get::<Vec<u8>, _>(index)?).into(),
        _ => row.try_get::<String, _>(index)?.into(),
    })
}

fn postgres_json(row: &sqlx::postgres::PgRow, index: usize) -> Result<Json, sqlx::Error> {
    if row.try_get_raw(index)?.is_null() {
        return Ok(Json::Null);
    }
    Ok(match row.column(index).type_info().name() {
        "BOOL" => row.try_get::<bool, _>(index)?.into(),
        "INT8" => row.try_get::<i64, _>(index)?.into(),
        "FLOAT8" => row.try_get::<f64, _>(index)?.into(),
        "BYTEA" => crate::hex(&row.try_get::<Vec<u8>, _>(index)?).into(),
        // Wrapped, because a JSON null is not an absent value.
        "JSONB" => serde_json::json!({ "json": row.try_get::<Json, _>(index)? }),
        "TIMESTAMPTZ" => {
            row.try_get::<jiff_sqlx::Timestamp, _>(index)?.to_jiff().to_string().into()
        }
        _ => row.try_get::<String, _>(index)?.into(),
    })
}

macro_rules! plain_columns {
    ($($ty:ty),*) => {$(
        impl Column for $ty {
            fn read(row: &Row, name: &str) -> Result<Option<Self>, sqlx::Error> {
                match row {
                    Row::Sqlite(row) => row.try_get(name),
                    Row::Postgres(row) => row.try_get(name),
                }
            }
        }
    )*};
}
plain_columns!(bool, i64, f64, String, Vec<u8>);

impl Column for Timestamp {
    fn read(row: &Row, name: &str) -> Result<Option<Self>, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row
                .try_get::<Option<i64>, _>(name)?
                .map(Self::from_microsecond)
                .transpose()
                .map_err(|error| sqlx::Error::Decode(error.into())),
            Row::Postgres(row) => Ok(row
                .try_get::<Option<jiff_sqlx::Timestamp>, _>(name)?
                .map(jiff_sqlx::Timestamp::to_jiff)),
        }
    }
}

impl Column for Json {
    fn read(row: &Row, name: &str) -> Result<Option<Self>, sqlx::Error> {
        match row {
            Row::Sqlite(row) => row
                .try_get::<Option<String>, _>(name)?
                .map(|text| serde_json::from_str(&text))
                .transpose()
                .map_err(|error| sqlx::Error::Decode(error.into())),
            Row::Postgres(row) => row.try_get(name),
        }
    }
}

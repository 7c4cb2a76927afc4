//! Many rows in one statement.

use std::fmt::Write as _;

use serde_json::Value as Json;
use sqlx::{Arguments as _, error::BoxDynError, postgres::PgArguments, sqlite::SqliteArguments};

use crate::{Dialect, Error, Row, Tx, Value, trusted};

/// Rows for one statement, whose text is the same for one of them and for a thousand: both
/// databases prepare it once. `PostgreSQL` is given an array per column, `SQLite` one JSON text.
///
/// In the statement `ROWS` stands for a table named `v` with these columns.
#[derive(Clone, Debug)]
pub struct Rows {
    names: &'static [&'static str],
    rows: Vec<Vec<Value>>,
}

/// Names of columns, without their quotes: `columns![id status]`.
#[macro_export]
macro_rules! columns {
    ($($name:ident)+) => {
        &[$(stringify!($name)),+]
    };
}

impl Rows {
    pub fn new(names: &'static [&'static str]) -> Self {
        Self { names, rows: Vec::new() }
    }

    /// One column, for lists of keys.
    pub fn of<T: Into<Value>>(
        names: &'static [&'static str; 1],
        keys: impl IntoIterator<Item = T>,
    ) -> Self {
        Self { names, rows: keys.into_iter().map(|key| vec![key.into()]).collect() }
    }

    /// Adds a row: one value per column, of the same kind in every row.
    pub fn push<const N: usize>(&mut self, row: [Value; N]) {
        assert_eq!(N, self.names.len(), "a value per column: {:?}", self.names);
        self.rows.push(row.into());
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table `v`, whose first parameter has this number.
    fn table(&self, dialect: Dialect, first: usize) -> String {
        let mut text = String::new();
        let first_row = self.rows.first().into_iter().flatten();
        match dialect {
            Dialect::Sqlite => {
                text.push_str("(SELECT ");
                for (n, (name, value)) in self.names.iter().zip(first_row).enumerate() {
                    let comma = if n == 0 { "" } else { ", " };
                    let _ = match value {
                        Value::Bytes(_) => write!(text, "{comma}unhex(value ->> {n}) AS {name}"),
                        _ => write!(text, "{comma}value ->> {n} AS {name}"),
                    };
                }
                let _ = write!(text, " FROM json_each(${first})) AS v");
            }
            Dialect::Postgres => {
                text.push_str("UNNEST(");
                for (n, value) in first_row.enumerate() {
                    let comma = if n == 0 { "" } else { ", " };
                    let _ = write!(text, "{comma}${}::{}[]", first + n, type_name(value));
                }
                let _ = write!(text, ") AS v ({})", self.names.join(", "));
            }
        }
        text
    }

    /// One JSON text: a list of rows, each a list of values.
    fn json(&self) -> String {
        let row = |row: &Vec<Value>| Json::Array(row.iter().map(cell).collect());
        Json::Array(self.rows.iter().map(row).collect()).to_string()
    }

    /// Adds an array per column.
    fn add_arrays(&self, bound: &mut PgArguments) -> Result<(), BoxDynError> {
        macro_rules! column {
            ($n:expr, $variant:ident, $convert:expr) => {{
                let values = self.rows.iter().map(|row| match &row[$n] {
                    Value::$variant(value) => Ok(value.as_ref().map($convert)),
                    _ => Err(format!("{} is not alike in all rows", self.names[$n])),
                });
                bound.add(values.collect::<Result<Vec<_>, _>>()?)?
            }};
        }
        for (n, value) in self.rows.first().into_iter().flatten().enumerate() {
            match value {
                Value::Bool(_) => column!(n, Bool, |v| *v),
                Value::Int(_) => column!(n, Int, |v| *v),
                Value::Real(_) => column!(n, Real, |v| *v),
                Value::Text(_) => column!(n, Text, Clone::clone),
                Value::Time(_) => column!(n, Time, |v| jiff_sqlx::ToSqlx::to_sqlx(*v)),
                Value::Json(_) => column!(n, Json, Clone::clone),
                Value::Bytes(_) => column!(n, Bytes, Clone::clone),
            }
        }
        Ok(())
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "bool",
        Value::Int(_) => "bigint",
        Value::Real(_) => "float8",
        Value::Text(_) => "text",
        Value::Time(_) => "timestamptz",
        Value::Json(_) => "jsonb",
        Value::Bytes(_) => "bytea",
    }
}

/// A value as JSON carries it to `SQLite`: instants are numbers, JSON is text, bytes are digits.
fn cell(value: &Value) -> Json {
    match value {
        Value::Bool(v) => (*v).into(),
        Value::Int(v) => (*v).into(),
        Value::Real(v) => (*v).into(),
        Value::Text(v) => v.clone().into(),
        Value::Time(v) => v.map(jiff::Timestamp::as_microsecond).into(),
        Value::Json(v) => v.as_ref().map(ToString::to_string).into(),
        Value::Bytes(v) => v.as_ref().map(|bytes| crate::hex(bytes)).into(),
    }
}

/// What a statement is run with: its own parameters, and rows behind them.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub args: &'a [Value],
    pub rows: Option<&'a Rows>,
}

impl Bound<'_> {
    pub(crate) fn sqlite(self) -> Result<SqliteArguments, Error> {
        let mut bound = SqliteArguments::default();
        for arg in self.args {
            match arg {
                Value::Bool(v) => bound.add(*v),
                Value::Int(v) => bound.add(*v),
                Value::Real(v) => bound.add(*v),
                Value::Text(v) => bound.add(v.clone()),
                Value::Time(v) => bound.add(v.map(jiff::Timestamp::as_microsecond)),
                Value::Json(v) => bound.add(v.as_ref().map(ToString::to_string)),
                Value::Bytes(v) => bound.add(v.clone()),
            }
            .map_err(unbound)?;
        }
        self.rows.map_or(Ok(()), |rows| bound.add(rows.json())).map_err(unbound)?;
        Ok(bound)
    }

    pub(crate) fn postgres(self) -> Result<PgArguments, Error> {
        let mut bound = PgArguments::default();
        for arg in self.args {
            match arg {
                Value::Bool(v) => bound.add(*v),
                Value::Int(v) => bound.add(*v),
                Value::Real(v) => bound.add(*v),
                Value::Text(v) => bound.add(v.clone()),
                Value::Time(v) => bound.add(v.map(jiff_sqlx::ToSqlx::to_sqlx)),
                Value::Json(v) => bound.add(v.clone()),
                Value::Bytes(v) => bound.add(v.clone()),
            }
            .map_err(unbound)?;
        }
        self.rows.map_or(Ok(()), |rows| rows.add_arrays(&mut bound)).map_err(unbound)?;
        Ok(bound)
    }
}

fn unbound(error: BoxDynError) -> Error {
    Error::Database(sqlx::Error::Encode(error))
}

impl Tx {
    /// Runs a statement on rows; no rows, no statement. Its own parameters come first: `$1`, `$2`.
    pub async fn each(&mut self, sql: &str, args: &[Value], rows: &Rows) -> Result<u64, Error> {
        if rows.is_empty() {
            return Ok(0);
        }
        let sql = self.with_table(sql, args, rows);
        self.run(trusted(sql), Bound { args, rows: Some(rows) }).await
    }

    /// The same for a statement that answers.
    pub async fn all_of(
        &mut self,
        sql: &str,
        args: &[Value],
        rows: &Rows,
    ) -> Result<Vec<Row>, Error> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let sql = self.with_table(sql, args, rows);
        self.fetch(trusted(sql), Bound { args, rows: Some(rows) }).await
    }

    fn with_table(&self, sql: &str, args: &[Value], rows: &Rows) -> String {
        sql.replacen("ROWS", &rows.table(self.dialect(), args.len() + 1), 1)
    }
}

//! A value in the one form that is stored and compared.

use std::fmt;

use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use serde_json::Value;

use super::Kind;

/// What a field holds once it is understood. Its `Display` is the normalised text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Normalised {
    Text(String),
    Decimal(Decimal),
    Date(Date),
    Integer(i64),
    /// A list of objects, one for each row of a table.
    Rows(Value),
}

/// Why a typed value is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Complaint {
    #[error("a value is required")]
    Missing,
    #[error("the value is longer than {0} characters")]
    TooLong(usize),
    #[error("“{0}” is not an amount")]
    NotAnAmount(String),
    #[error("“{0}” is not a date")]
    NotADate(String),
    #[error("“{0}” is not a whole number")]
    NotAnInteger(String),
    #[error("“{0}” is not an IBAN: its length or check digits are wrong")]
    NotAnIban(String),
    #[error("“{0}” is not a tax id: its form or check character is wrong")]
    NotATaxId(String),
    #[error("“{0}” is none of the allowed values")]
    NotAllowed(String),
    #[error("“{0}” does not have the form the workflow asks for")]
    Pattern(String),
    #[error("the pattern of the field cannot be used")]
    BadPattern,
    #[error("the field takes a plain value, not rows")]
    NotPlain,
    #[error("a table is a list of rows, each an object with a value for its columns")]
    NotRows,
    #[error("a table takes at most {0} rows")]
    TooManyRows(usize),
    #[error("the table has no column “{0}”")]
    NoColumn(String),
    #[error("row {row}, {column}: “{text}” is not a number")]
    NotACell { row: usize, column: String, text: String },
    #[error("the value fails the rule `{rule}`: {detail}")]
    Rule { rule: &'static str, detail: String },
}

impl Normalised {
    /// The typed JSON of the result: amounts are numbers, dates ISO strings.
    pub fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Decimal(amount) => amount.to_f64().map_or(Value::Null, Value::from),
            Self::Date(date) => Value::from(date.to_string()),
            Self::Integer(number) => Value::from(*number),
            Self::Rows(rows) => rows.clone(),
        }
    }
}

impl fmt::Display for Normalised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Decimal(amount) => write!(f, "{amount}"),
            Self::Date(date) => write!(f, "{date}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Rows(rows) => write!(f, "{rows}"),
        }
    }
}

impl Kind {
    /// The typed JSON of a normalised text.
    pub(super) fn json(self, text: &str) -> Value {
        let number = |text: &str| text.parse::<Decimal>().ok().and_then(|n| n.to_f64());
        match self {
            Self::Decimal => number(text).map_or_else(|| Value::from(text), Value::from),
            Self::Integer => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
            Self::Table => serde_json::from_str(text).unwrap_or_default(),
            Self::String | Self::Date | Self::Iban | Self::TaxId | Self::Enum => Value::from(text),
        }
    }
}

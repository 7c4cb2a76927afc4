//! What a column of a database can hold. It stands here so that ids and words of the pure crates can
//! be kept by a store they do not know.

use jiff::Timestamp;
use serde_json::Value as Json;

/// One bound parameter. The variant fixes the column type even when the value is absent, because
/// `PostgreSQL` types every parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(Option<bool>),
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<String>),
    Time(Option<Timestamp>),
    Json(Option<Json>),
    Bytes(Option<Vec<u8>>),
}

macro_rules! value_from {
    ($($ty:ty => $variant:ident, $convert:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Self::$variant(Some($convert(value)))
            }
        }
        impl From<Option<$ty>> for Value {
            fn from(value: Option<$ty>) -> Self {
                Self::$variant(value.map($convert))
            }
        }
    )*};
}

value_from! {
    bool => Bool, |v| v;
    i64 => Int, |v| v;
    i32 => Int, i64::from;
    u32 => Int, i64::from;
    f64 => Real, |v| v;
    String => Text, |v| v;
    &str => Text, str::to_owned;
    Timestamp => Time, whole_microseconds;
    Json => Json, |v| v;
    Vec<u8> => Bytes, |v| v;
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Self::Text(Some(value.clone()))
    }
}

/// Both databases keep microseconds. Rounding here makes what was written equal to what is read.
fn whole_microseconds(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

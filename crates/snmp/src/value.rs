//! What a device answers about one object.

use async_snmp::Value as Wire;

use crate::oid::Oid;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Integer(i32),
    /// Text or raw bytes: the wire does not tell them apart.
    Bytes(Vec<u8>),
    Oid(Oid),
    Address([u8; 4]),
    Counter(u32),
    Gauge(u32),
    /// Hundredths of a second.
    Ticks(u32),
    Counter64(u64),
    Opaque(Vec<u8>),
}

/// What a column holds, where only one kind makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Any whole number.
    Number,
    Bytes,
}

/// Why there is no value, in the device's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The device has no such column.
    Object,
    /// The column has no such row.
    Instance,
    /// Nothing comes after this name.
    EndOfView,
}

impl Value {
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(i64::from(*number)),
            Self::Counter(number) | Self::Gauge(number) | Self::Ticks(number) => {
                Some(i64::from(*number))
            }
            Self::Counter64(number) => i64::try_from(*number).ok(),
            Self::Bytes(_) | Self::Oid(_) | Self::Address(_) | Self::Opaque(_) => None,
        }
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) | Self::Opaque(bytes) => Some(bytes),
            Self::Integer(_)
            | Self::Oid(_)
            | Self::Address(_)
            | Self::Counter(_)
            | Self::Gauge(_)
            | Self::Ticks(_)
            | Self::Counter64(_) => None,
        }
    }

    pub(crate) fn is(&self, kind: Kind) -> bool {
        match kind {
            Kind::Number => self.number().is_some(),
            Kind::Bytes => self.bytes().is_some(),
        }
    }
}

/// A value of the wire: one of ours, a reason why there is none, or something nobody can read.
pub(crate) enum Read {
    Value(Value),
    Missing(Missing),
    Unreadable,
}

impl From<Wire> for Read {
    fn from(wire: Wire) -> Self {
        Self::Value(match wire {
            Wire::Integer(number) => Value::Integer(number),
            Wire::OctetString(bytes) => Value::Bytes(bytes.to_vec()),
            Wire::ObjectIdentifier(oid) => Value::Oid(Oid::new(oid.arcs())),
            Wire::IpAddress(address) => Value::Address(address),
            Wire::Counter32(number) => Value::Counter(number),
            Wire::Gauge32(number) | Wire::UInteger32(number) => Value::Gauge(number),
            Wire::TimeTicks(number) => Value::Ticks(number),
            Wire::Counter64(number) => Value::Counter64(number),
            Wire::Opaque(bytes) | Wire::Nsap(bytes) => Value::Opaque(bytes.to_vec()),
            Wire::NoSuchObject => return Self::Missing(Missing::Object),
            Wire::NoSuchInstance => return Self::Missing(Missing::Instance),
            Wire::EndOfMibView => return Self::Missing(Missing::EndOfView),
            // The library may learn more kinds; NULL is no answer to a question.
            _ => return Self::Unreadable,
        })
    }
}

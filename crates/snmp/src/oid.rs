//! Names of objects: numbers joined by dots.

use std::fmt;
use std::str::FromStr;

/// The longest name of RFC 3416, and more than any device uses.
const LONGEST: usize = 128;

/// A name, or the part of one that tells the rows of a table apart (`4194312192.2`).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Vec<u32>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an OID is up to 128 whole numbers joined by dots, such as 1.3.6.1.2.1.1.3.0")]
pub struct BadOid;

impl Oid {
    pub fn new(arcs: impl Into<Vec<u32>>) -> Self {
        Self(arcs.into())
    }

    pub fn arcs(&self) -> &[u32] {
        &self.0
    }

    /// The name of one row: this column, then what tells the row apart.
    #[must_use]
    pub fn join(&self, index: &Self) -> Self {
        Self([self.arcs(), index.arcs()].concat())
    }

    pub(crate) fn wire(&self) -> async_snmp::Oid {
        async_snmp::Oid::from_slice(&self.0)
    }
}

impl FromStr for Oid {
    type Err = BadOid;

    /// A leading dot, as other tools write it, is allowed.
    fn from_str(text: &str) -> Result<Self, BadOid> {
        let text = text.strip_prefix('.').unwrap_or(text);
        let arcs: Vec<u32> =
            text.split('.')
                .take(LONGEST + 1)
                .map(|arc| {
                    if arc.starts_with('+') { Err(BadOid) } else { arc.parse().map_err(|_| BadOid) }
                })
                .collect::<Result<_, _>>()?;
        if arcs.len() > LONGEST { Err(BadOid) } else { Ok(Self(arcs)) }
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, arc) in self.0.iter().enumerate() {
            if place > 0 {
                to.write_str(".")?;
            }
            write!(to, "{arc}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_back_as_written() {
        for text in ["1.3.6.1.2.1.1.3.0", "4194312192.2", "0"] {
            assert_eq!(text.parse::<Oid>().expect("a name").to_string(), text);
        }
        assert_eq!(".1.3.6".parse::<Oid>(), "1.3.6".parse());
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = vec!["1"; LONGEST + 1].join(".");
        for text in ["", ".", "1..3", "1.3.", "..1", "a.b", "1.-3", "1.+3", "4294967296", &long] {
            assert_eq!(text.parse::<Oid>(), Err(BadOid), "{text}");
        }
    }
}

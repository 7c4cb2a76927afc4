//! Object identifiers.

use std::{fmt, str::FromStr};

/// An object identifier: the address of a value or a table in a device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Vec<u32>);

/// Why a text is not an OID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OidFault {
    TooShort,
    TooLong,
    /// Something between the dots that is not a number below 2³².
    NotANumber,
    /// The first number is above 2, or the second above 39 under 0 and 1.
    BadRoot,
}

impl OidFault {
    pub const fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Self::TooShort => ("Un OID tiene al menos dos números.", "An OID has two numbers."),
            Self::TooLong => ("Un OID tiene a lo sumo 128 números.", "An OID has at most 128."),
            Self::NotANumber => {
                ("Un OID son números separados por puntos.", "An OID is numbers separated by dots.")
            }
            Self::BadRoot => ("Un OID empieza con 0, 1 o 2.", "An OID begins with 0, 1 or 2."),
        }
    }
}

impl Oid {
    /// As many as SNMP allows.
    pub const MOST: usize = 128;

    pub fn new(numbers: Vec<u32>) -> Result<Self, OidFault> {
        match numbers.as_slice() {
            [] | [_] => Err(OidFault::TooShort),
            _ if numbers.len() > Self::MOST => Err(OidFault::TooLong),
            [root, next, ..] if *root > 2 || (*root < 2 && *next > 39) => Err(OidFault::BadRoot),
            _ => Ok(Self(numbers)),
        }
    }

    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// What follows `self` in `longer`, if `longer` lies below it.
    pub fn below<'a>(&self, longer: &'a [u32]) -> Option<&'a [u32]> {
        longer.strip_prefix(self.0.as_slice())
    }
}

impl FromStr for Oid {
    type Err = OidFault;

    fn from_str(text: &str) -> Result<Self, OidFault> {
        let text = text.trim();
        let text = text.strip_prefix('.').unwrap_or(text);
        let mut numbers = Vec::new();
        for part in text.split('.').take(Self::MOST + 1) {
            // `parse` alone would take a plus sign.
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(OidFault::NotANumber);
            }
            numbers.push(part.parse().map_err(|_| OidFault::NotANumber)?);
        }
        Self::new(numbers)
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            number.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_leading_dot_is_tolerated_and_nonsense_is_named() {
        let oid: Oid = " .1.3.6.1.4.1.2011 ".parse().unwrap();
        assert_eq!(oid.to_string(), "1.3.6.1.4.1.2011");
        let fault = |text: &str| text.parse::<Oid>().unwrap_err();
        assert_eq!(fault(""), OidFault::NotANumber);
        assert_eq!(fault("1"), OidFault::TooShort);
        assert_eq!(fault("1..3"), OidFault::NotANumber);
        assert_eq!(fault("1.+3"), OidFault::NotANumber);
        assert_eq!(fault("1.3.4294967296"), OidFault::NotANumber);
        assert_eq!(fault("3.1"), OidFault::BadRoot);
        assert_eq!(fault("1.40.1"), OidFault::BadRoot);
        assert_eq!(fault(&vec!["1"; 129].join(".")), OidFault::TooLong);
        assert_eq!(oid.below(&[1, 3, 6, 1, 4, 1, 2011, 5, 2]), Some(&[5, 2][..]));
        assert_eq!(oid.below(&[1, 3, 6, 2]), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_what_is_read_reads_back(text in "[0-9.+ x]{0,40}") {
            if let Ok(oid) = text.parse::<Oid>() {
                prop_assert_eq!(oid.to_string().parse::<Oid>(), Ok(oid));
            }
        }
    }
}

//! Questions of v1 and v2c taken apart, and answers put together.

use super::ber::{self, Reader};
use super::tables::Datum;

const GET: u8 = 0xa0;
const NEXT: u8 = 0xa1;
const BULK: u8 = 0xa5;
const RESPONSE: u8 = 0xa2;
const NO_SUCH_OBJECT: u8 = 0x80;
const NO_SUCH_INSTANCE: u8 = 0x81;
const END_OF_VIEW: u8 = 0x82;

pub(super) const TOO_BIG: i32 = 1;
pub(super) const NO_SUCH_NAME: i32 = 2;
pub(super) const GEN_ERR: i32 = 5;
/// Names in one question; a real agent gives up earlier.
const MOST_NAMES: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V1,
    V2c,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Get,
    Next,
    Bulk { non_repeaters: usize, repetitions: u32 },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub version: Version,
    pub community: Vec<u8>,
    pub id: i32,
    pub wish: Wish,
    pub names: Vec<Vec<u32>>,
}

/// One name and what is known about it.
pub(super) enum Fact {
    Datum(Datum),
    NoObject,
    NoInstance,
    EndOfView,
    /// The place of a value that is not given.
    Null,
}

/// The version a datagram claims: 0 is v1, 1 is v2c, 3 is v3.
pub(super) fn version(datagram: &[u8]) -> Option<i32> {
    Reader(Reader(datagram).expect(ber::SEQUENCE)?).integer()
}

impl Question {
    pub(super) fn read(datagram: &[u8]) -> Option<Self> {
        let mut message = Reader(Reader(datagram).expect(ber::SEQUENCE)?);
        let version = match message.integer()? {
            0 => Version::V1,
            1 => Version::V2c,
            _ => return None,
        };
        let community = message.expect(ber::BYTES)?.to_vec();
        let (tag, content) = message.any()?;
        let mut pdu = Reader(content);
        let id = pdu.integer()?;
        let (first, second) = (pdu.integer()?, pdu.integer()?);
        let wish = match (tag, version) {
            (GET, _) => Wish::Get,
            (NEXT, _) => Wish::Next,
            (BULK, Version::V2c) => Wish::Bulk {
                non_repeaters: first.max(0) as usize,
                repetitions: second.max(0) as u32,
            },
            _ => return None,
        };
        let mut names = Vec::new();
        let mut bindings = Reader(pdu.expect(ber::SEQUENCE)?);
        while !bindings.is_empty() {
            let mut binding = Reader(bindings.expect(ber::SEQUENCE)?);
            names.push(binding.oid()?);
            if names.len() > MOST_NAMES {
                return None;
            }
        }
        Some(Self { version, community, id, wish, names })
    }

    /// The answer around bindings that are already written.
    pub(super) fn answer(&self, status: i32, index: usize, bindings: &[u8]) -> Vec<u8> {
        let version = match self.version {
            Version::V1 => 0,
            Version::V2c => 1,
        };
        let mut out = Vec::with_capacity(bindings.len() + self.community.len() + 48);
        ber::wrap(&mut out, ber::SEQUENCE, |out| {
            ber::integer(out, ber::INTEGER, version);
            ber::bytes(out, &self.community);
            ber::wrap(out, RESPONSE, |out| {
                ber::integer(out, ber::INTEGER, i64::from(self.id));
                ber::integer(out, ber::INTEGER, i64::from(status));
                ber::integer(out, ber::INTEGER, index as i64);
                ber::wrap(out, ber::SEQUENCE, |out| out.extend(bindings));
            });
        });
        out
    }

    /// The names as they came, which is how an error answers.
    pub(super) fn echo(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.names.iter().for_each(|name| bind(&mut out, name, &Fact::Null));
        out
    }
}

pub(super) fn bind(out: &mut Vec<u8>, name: &[u32], fact: &Fact) {
    ber::wrap(out, ber::SEQUENCE, |out| {
        ber::oid(out, name);
        match fact {
            Fact::Datum(Datum::Integer(value)) => {
                ber::integer(out, ber::INTEGER, i64::from(*value));
            }
            Fact::Datum(Datum::Ticks(value)) => ber::integer(out, ber::TICKS, i64::from(*value)),
            Fact::Datum(Datum::Bytes(value)) => ber::bytes(out, value),
            Fact::Datum(Datum::Oid(value)) => ber::oid(out, value),
            Fact::NoObject => out.extend([NO_SUCH_OBJECT, 0]),
            Fact::NoInstance => out.extend([NO_SUCH_INSTANCE, 0]),
            Fact::EndOfView => out.extend([END_OF_VIEW, 0]),
            Fact::Null => out.extend([ber::NULL, 0]),
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn noise_asks_nothing(noise: Vec<u8>) {
            let _ = (Question::read(&noise), version(&noise));
        }
    }
}

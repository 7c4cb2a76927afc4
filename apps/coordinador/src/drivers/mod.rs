//! Where devices are spoken to: one SNMP socket per process, the runs that are carried out through
//! it, and how a device lets us in. What devices say is put into the house's words here.

pub mod credential;
pub mod job;
pub mod probe;
mod read;
mod runtime;

pub use runtime::{Runtime, Spread};

use snmp::Fault;

use crate::{decisions::polls::Trouble, model::Ending};

/// RFC 3416.
const GEN_ERR: i32 = 5;

/// The word the house has for a fault.
const fn ending(fault: Fault) -> Ending {
    match fault {
        Fault::Timeout => Ending::Timeout,
        Fault::Unreachable => Ending::Unreachable,
        Fault::Auth => Ending::Auth,
        Fault::NoSuch => Ending::NoSuch,
        Fault::TooBig => Ending::TooBig,
        Fault::NotIncreasing => Ending::NotIncreasing,
        Fault::Partial { .. } => Ending::Partial,
        Fault::Refused { status: GEN_ERR } => Ending::GenErr,
        Fault::Refused { .. } => Ending::Refused,
        Fault::Decode | Fault::TooMany { .. } | Fault::Invalid => Ending::Decode,
        Fault::Cancelled => Ending::Cancelled,
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self { ending: ending(fault), detail: format!("{} / {}", fault.es(), fault.en()) }
    }
}

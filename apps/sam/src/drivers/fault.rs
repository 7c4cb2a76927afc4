//! What the Control Room's client says went wrong, in the words of the rules.

use controlroom::{Fault as Told, Kind};
use jiff::SignedDuration;

use crate::rules::deploy::{Cause, Fault};

pub fn fault(told: &Told) -> Fault {
    Fault {
        cause: cause(told.kind),
        detail: told.to_string(),
        in_doubt: told.may_have_been_accepted(),
        retry_after: told.retry_after.and_then(|asked| SignedDuration::try_from(asked).ok()),
    }
}

const fn cause(kind: Kind) -> Cause {
    match kind {
        Kind::NoCompatibleTargets => Cause::NoCompatibleTargets,
        Kind::DeviceUnavailable => Cause::DeviceUnavailable,
        Kind::NoDefaultDevice => Cause::NoDefaultDevice,
        Kind::Rejected => Cause::Rejected,
        Kind::Unauthorized => Cause::Unauthorized,
        Kind::Forbidden => Cause::Forbidden,
        Kind::NotFound => Cause::NotFound,
        Kind::Conflict => Cause::Conflict,
        Kind::TooMany => Cause::TooMany,
        Kind::Server => Cause::Server,
        Kind::Unreachable => Cause::Unreachable,
        Kind::InDoubt | Kind::Malformed => Cause::NoAnswer,
    }
}

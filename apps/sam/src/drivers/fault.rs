//! What the Control Room's client says went wrong, in the words of the rules.

use controlroom::Fault as Told;
use jiff::SignedDuration;

use crate::rules::deploy::{Cause, Fault};

pub fn fault(told: &Told) -> Fault {
    Fault {
        cause: cause(told),
        detail: told.to_string(),
        in_doubt: told.may_have_been_accepted(),
        retry_after: told.retry_after().and_then(|asked| SignedDuration::try_from(asked).ok()),
    }
}

const fn cause(told: &Told) -> Cause {
    match told {
        Told::NoCompatibleTargets { .. } => Cause::NoCompatibleTargets,
        Told::DeviceUnavailable { .. } => Cause::DeviceUnavailable,
        Told::NoDefaultDevice { .. } => Cause::NoDefaultDevice,
        Told::Rejected { .. } => Cause::Rejected,
        Told::Unauthorized { .. } => Cause::Unauthorized,
        Told::Forbidden { .. } => Cause::Forbidden,
        Told::NotFound { .. } => Cause::NotFound,
        Told::Conflict { .. } => Cause::Conflict,
        Told::TooMany { .. } => Cause::TooMany,
        Told::Server { .. } => Cause::Server,
        Told::Unreachable { .. } => Cause::Unreachable,
        Told::InDoubt { .. } | Told::Malformed { .. } => Cause::NoAnswer,
    }
}

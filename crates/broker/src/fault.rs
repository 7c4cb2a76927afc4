//! What can be wrong with a broker, in sentences that name the thing.

use lapin::{ErrorKind, protocol::AMQPErrorKind};

/// Why a broker did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nobody answers, or no longer. It may be there again later.
    #[error("the broker does not answer: {0}")]
    Away(String),
    /// It answers and refuses: who asks, or the virtual host. Trying again changes nothing.
    #[error("the broker refuses: {0}")]
    Refused(String),
    /// Something of that name is there, and was declared otherwise.
    #[error("the broker has it declared otherwise: {0}")]
    Different(String),
    #[error("no queue is bound to {exchange} with the key {key:?}")]
    Unroutable { exchange: String, key: String },
}

impl Fault {
    /// Whether waiting helps.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Away(_))
    }

    /// Whether what was asked for is not there.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Refused(text) if text.contains("NOT_FOUND"))
    }

    pub(crate) fn slow(what: &str) -> Self {
        Self::Away(format!("{what} took too long"))
    }
}

const REFUSED: [u16; 2] = [403, 530];
const DIFFERENT: u16 = 406;

impl From<lapin::Error> for Fault {
    fn from(error: lapin::Error) -> Self {
        let ErrorKind::ProtocolError(said) = error.kind() else {
            return Self::Away(error.to_string());
        };
        let text = said.get_message().to_string();
        match (said.get_id(), said.kind()) {
            (DIFFERENT, _) => Self::Different(text),
            (id, _) if REFUSED.contains(&id) => Self::Refused(text),
            (_, AMQPErrorKind::Soft(_)) => Self::Refused(text),
            (_, AMQPErrorKind::Hard(_)) => Self::Away(text),
        }
    }
}

//! What can be wrong with a broker, in sentences that name the thing.

use std::io;

use lapin::{ErrorKind, protocol::AMQPErrorKind};
use rustls::CertificateError;

/// Why a broker did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nobody answers, or no longer. It may be there again later.
    #[error("the broker does not answer: {0}")]
    Away(String),
    /// It answers and refuses: who asks, or the virtual host. Trying again changes nothing.
    #[error("the broker refuses: {0}")]
    Refused(String),
    /// Somebody answers, and there is no way to speak so that nobody else listens.
    #[error("no safe connection to the broker: {0}")]
    Unsafe(String),
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

const NO_AMQP: &str =
    "what answers there does not speak AMQP; is that the port of amqps, not of amqp?";
const REFUSED: [u16; 2] = [403, 530];
const DIFFERENT: u16 = 406;

impl From<lapin::Error> for Fault {
    fn from(error: lapin::Error) -> Self {
        let said = match error.kind() {
            ErrorKind::ProtocolError(said) => said,
            ErrorKind::IOError(cause) => {
                return tls(cause).map_or_else(
                    || Self::Away(error.to_string()),
                    |why| Self::Unsafe(unsafety(why)),
                );
            }
            ErrorKind::ParsingError(_) | ErrorKind::InvalidProtocolVersion(_) => {
                return Self::Away(NO_AMQP.to_owned());
            }
            _ => return Self::Away(error.to_string()),
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

/// What TLS had to say, if it is what failed.
fn tls(error: &io::Error) -> Option<&rustls::Error> {
    let mut cause: &(dyn std::error::Error + 'static) = error.get_ref()?;
    loop {
        match cause.downcast_ref() {
            Some(tls) => return Some(tls),
            None => cause = cause.source()?,
        }
    }
}

fn unsafety(error: &rustls::Error) -> String {
    use CertificateError as C;
    use rustls::Error as E;
    match error {
        E::InvalidCertificate(C::UnknownIssuer) => {
            "nobody who is trusted here vouches for its certificate; server.rabbitmq_ca names the \
             file of its authority"
                .to_owned()
        }
        E::InvalidCertificate(why @ (C::NotValidForName | C::NotValidForNameContext { .. })) => {
            format!("its certificate is made out to another name than the address has: {why}")
        }
        E::InvalidCertificate(why) => format!("its certificate is not accepted: {why}"),
        E::InvalidMessage(_) => {
            "what answers there does not speak TLS; is that the port of amqp, not of amqps?"
                .to_owned()
        }
        other => other.to_string(),
    }
}

//! What went wrong, as far as somebody far away from the device can know it.

use std::fmt;

use async_snmp::{Error, ErrorStatus};

/// Two kinds of trouble look alike and share a word: devices answer a wrong community of v1 or v2c,
/// and a wrong privacy key of v3, with silence, so [`Timeout`](Fault::Timeout) may be either.
/// [`Fleet::introduces_itself`](crate::Fleet::introduces_itself) tells a wrong community apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No answer in time.
    Timeout,
    /// The address does not resolve, no way leads there, or nothing listens.
    Unreachable,
    /// v3: the device does not accept the user, the key or the level.
    Auth,
    /// The device says that it has no such object.
    NoSuch,
    /// Not even one value fits into an answer.
    TooBig,
    /// The device answered with a name at or before the one asked about.
    NotIncreasing,
    /// The device fell silent in the middle of a table.
    Partial { rows: usize },
    /// An answer that cannot be read or that answers something else.
    Decode,
    /// More rows than any device has.
    TooMany { rows: usize },
    /// The device refused, with the status it gave (RFC 3416: 5 is genErr).
    Refused { status: i32 },
    /// Somebody called it off.
    Cancelled,
    /// The question itself is wrong: an OID, a key, an address.
    Invalid,
}

impl Fault {
    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            Self::Timeout => "TIMEOUT",
            Self::Unreachable => "UNREACHABLE",
            Self::Auth => "AUTH",
            Self::NoSuch => "NO_SUCH",
            Self::TooBig => "TOO_BIG",
            Self::NotIncreasing => "NOT_INCREASING",
            Self::Partial { .. } => "PARTIAL",
            Self::Decode => "DECODE",
            Self::TooMany { .. } => "TOO_MANY",
            Self::Refused { .. } => "REFUSED",
            Self::Cancelled => "CANCELLED",
            Self::Invalid => "INVALID",
        }
    }

    pub fn es(self) -> String {
        match self {
            Self::Timeout => {
                "El equipo no respondió a tiempo (¿apagado, o credencial equivocada?).".into()
            }
            Self::Unreachable => {
                "No se llega al equipo: la dirección no existe o nadie escucha allí.".into()
            }
            Self::Auth => {
                "El equipo está, y rechaza la comunidad, el usuario, la clave o el nivel.".into()
            }
            Self::NoSuch => "El equipo no tiene ese objeto.".into(),
            Self::TooBig => "Ni un solo valor cabe en una respuesta del equipo.".into(),
            Self::NotIncreasing => "El equipo repite o retrocede al recorrer la tabla.".into(),
            Self::Partial { rows } => {
                format!("El equipo calló a mitad de la tabla, tras {rows} filas; ninguna se usa.")
            }
            Self::Decode => "La respuesta del equipo no se entiende.".into(),
            Self::TooMany { rows } => format!("La tabla no termina: más de {rows} filas."),
            Self::Refused { status: 5 } => "El equipo respondió genErr.".into(),
            Self::Refused { status } => format!("El equipo rechazó la consulta ({status})."),
            Self::Cancelled => "Se canceló.".into(),
            Self::Invalid => "La dirección, el OID o la credencial no es válida.".into(),
        }
    }

    pub fn en(self) -> String {
        match self {
            Self::Timeout => {
                "The device did not answer in time (off, or a wrong credential?).".into()
            }
            Self::Unreachable => {
                "The device cannot be reached: no such address, or nobody listens.".into()
            }
            Self::Auth => {
                "The device is there and rejects the community, the user, the key or the level."
                    .into()
            }
            Self::NoSuch => "The device has no such object.".into(),
            Self::TooBig => "Not even one value fits into an answer of the device.".into(),
            Self::NotIncreasing => {
                "The device repeats itself or goes back while its table is walked.".into()
            }
            Self::Partial { rows } => {
                format!("The device fell silent amid the table, after {rows} rows; none is used.")
            }
            Self::Decode => "The answer of the device cannot be understood.".into(),
            Self::TooMany { rows } => format!("The table does not end: more than {rows} rows."),
            Self::Refused { status: 5 } => "The device answered genErr.".into(),
            Self::Refused { status } => {
                format!("The device refused the request (status {status}).")
            }
            Self::Cancelled => "It was called off.".into(),
            Self::Invalid => "The address, the OID or the credential is not valid.".into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.en())
    }
}

impl std::error::Error for Fault {}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        match error.exchange_source() {
            Error::Timeout { .. } | Error::ConstructionTimeout { .. } => Self::Timeout,
            Error::Network { .. } => Self::Unreachable,
            Error::Auth { .. } | Error::Report { .. } | Error::Privacy(_) => Self::Auth,
            Error::Snmp { status, .. } => match status {
                ErrorStatus::TooBig => Self::TooBig,
                ErrorStatus::NoSuchName => Self::NoSuch,
                ErrorStatus::AuthorizationError | ErrorStatus::NoAccess => Self::Auth,
                other => Self::Refused { status: other.as_i32() },
            },
            Error::OutboundMessageTooLarge { .. } => Self::TooBig,
            Error::Closed { .. } => Self::Cancelled,
            Error::Decode(_) | Error::MalformedResponse { .. } | Error::ResponseShape { .. } => {
                Self::Decode
            }
            // What is left are questions the library refuses to send.
            _ => Self::Invalid,
        }
    }
}

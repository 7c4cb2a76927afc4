//! What can go wrong, told apart as far as a policy needs it.

use std::fmt;
use std::time::Duration;

use engine::{Sentence, Word as _};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::Value;

engine::words! {
    /// What went wrong, in the words for people.
    pub enum Kind {
        /// The automation fits no device at all: its author has to mend it.
        NoCompatibleTargets = "no compatible targets",
        /// The device is offline or occupied; it may be back soon.
        DeviceUnavailable = "the device is not available",
        NoDefaultDevice = "the user has no default device",
        /// Any other refusal of what was asked: parameters, packages, licences.
        Rejected = "refused",
        Unauthorized = "not signed in",
        Forbidden = "not allowed",
        NotFound = "not found",
        Conflict = "conflict",
        TooMany = "too many requests",
        Server = "the Control Room failed",
        /// No connection, or no session: the request was certainly not heard.
        Unreachable = "the Control Room cannot be reached",
        /// The request was sent and the answer did not come.
        InDoubt = "the Control Room did not answer",
        /// It answered that all is well and said nothing that can be understood.
        Malformed = "the answer cannot be read",
    }
}

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    pub kind: Kind,
    /// Of the answer, where it says more than the kind.
    pub status: Option<u16>,
    pub message: String,
    /// How long the Control Room asked to be left alone.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence().kept())
    }
}

/// The same in Spanish.
const fn spanish(kind: Kind) -> &'static str {
    match kind {
        Kind::NoCompatibleTargets => "ningún equipo es compatible",
        Kind::DeviceUnavailable => "el equipo no está disponible",
        Kind::NoDefaultDevice => "el usuario no tiene un equipo predeterminado",
        Kind::Rejected => "rechazado",
        Kind::Unauthorized => "sin sesión",
        Kind::Forbidden => "sin permiso",
        Kind::NotFound => "no encontrado",
        Kind::Conflict => "conflicto",
        Kind::TooMany => "demasiados pedidos",
        Kind::Server => "falló el Control Room",
        Kind::Unreachable => "no se llega al Control Room",
        Kind::InDoubt => "el Control Room no respondió",
        Kind::Malformed => "la respuesta no se entiende",
    }
}

impl Fault {
    /// What people read: the kind in their language, and what the Control Room said as it said it.
    pub fn sentence(&self) -> Sentence {
        let status = |with: &str| self.status.map(|status| format!(" {with} {status}"));
        let said = if self.kind == Kind::TooMany { None } else { Some(&self.message) };
        let said = said.map(|said| format!(": {said}")).unwrap_or_default();
        Sentence::new(
            format!("{}{}{said}", spanish(self.kind), status("con").unwrap_or_default()),
            format!("{}{}{said}", self.kind.word(), status("with").unwrap_or_default()),
        )
    }

    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, status: None, message: message.into(), retry_after: None }
    }

    pub(crate) fn malformed(reason: &str) -> Self {
        Self::new(Kind::Malformed, shorten(reason))
    }

    /// Whether what was asked for may have happened all the same. A deployment for which this is
    /// true has to be looked up by its tag before it is posted again.
    pub fn may_have_been_accepted(&self) -> bool {
        match self.kind {
            Kind::InDoubt | Kind::Malformed => true,
            // Gateways answer 502 and 504 for a server that goes on working; a 500 may come from a
            // step after the one that counts. 501, 503 and 505 refuse before anything began.
            Kind::Server => !matches!(self.status, Some(501 | 503 | 505)),
            _ => false,
        }
    }

    /// The same trouble, met while signing in: nothing else was asked yet, and nothing it says is
    /// about the bot, the device or the user of a deployment.
    pub(crate) fn while_signing_in(self) -> Self {
        let unreachable = |message| Self::new(Kind::Unreachable, message);
        let message = &self.message;
        match (self.kind, self.status) {
            (Kind::InDoubt | Kind::Malformed | Kind::Unreachable, _) => {
                unreachable(format!("login: {message}"))
            }
            (Kind::NotFound, _) => unreachable(format!("login 404: {message}")),
            // As it came it would cast doubt on a request that was never made.
            (Kind::Server, Some(status)) if status != 503 => {
                unreachable(format!("login {status}: {message}"))
            }
            (Kind::Server | Kind::TooMany, _) => self,
            _ => Self::new(Kind::Unauthorized, self.message),
        }
    }
}

/// Longest part of a foreign message that is kept.
const MESSAGE_CHARS: usize = 500;

const NO_TARGETS: &str = "no compatible targets found in automation";
const NO_DEFAULT_DEVICE: &str = "none of the user(s) provided have default device(s)";
const OFFLINE: [&str; 3] = ["are not active", "not connected", "device is offline"];

/// Tells answers without success apart by status and text. Any status that is no error is taken
/// for one that cannot be understood.
pub fn classify(status: u16, body: &[u8], retry_after: Option<Duration>) -> Fault {
    let text = String::from_utf8_lossy(body);
    let message = message_of(&text);
    // Both, since JSON may hide letters behind escapes and the message may be one field of several.
    let said = format!("{message} {text}").to_lowercase();
    let kind = match status {
        400 if said.contains(NO_DEFAULT_DEVICE) => Kind::NoDefaultDevice,
        400 if OFFLINE.iter().any(|words| said.contains(words)) => Kind::DeviceUnavailable,
        401 => Kind::Unauthorized,
        403 => Kind::Forbidden,
        404 => Kind::NotFound,
        409 => Kind::Conflict,
        412 if said.contains(NO_TARGETS) => Kind::NoCompatibleTargets,
        412 => Kind::DeviceUnavailable,
        429 => Kind::TooMany,
        300..=499 => Kind::Rejected,
        500..=599 => Kind::Server,
        _ => return Fault::new(Kind::Malformed, format!("status {status}: {message}")),
    };
    let told = matches!(kind, Kind::Rejected | Kind::Server).then_some(status);
    let waits = matches!(kind, Kind::TooMany | Kind::Server);
    Fault { kind, status: told, message, retry_after: retry_after.filter(|_| waits) }
}

/// The sentence in an answer, which is an object with one of several fields, or bare text.
fn message_of(text: &str) -> String {
    let object: Option<Value> = serde_json::from_str(text).ok();
    let field = |name: &str| {
        let value = object.as_ref()?.get(name)?.as_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let fields = ["message", "details", "errorMessage", "error", "code"];
    let message = fields.into_iter().find_map(field).unwrap_or_else(|| text.trim().to_owned());
    shorten(&message)
}

/// One line, without control characters, not longer than a log can bear.
pub(crate) fn shorten(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = plain.take(MESSAGE_CHARS).collect();
    if text.chars().nth(MESSAGE_CHARS).is_some() {
        short.push('…');
    }
    short
}

/// `Retry-After`: seconds, or a date of which the time from `now` on is left.
pub fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(header).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests;

//! What can go wrong, told apart as far as a policy needs it.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde_json::Value;

/// Why a call brought no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The automation fits no device at all: its author has to mend it.
    #[error("no compatible targets: {message}")]
    NoCompatibleTargets { message: String },
    /// The device is offline or occupied; it may be back soon.
    #[error("the device is not available: {message}")]
    DeviceUnavailable { message: String },
    #[error("the user has no default device: {message}")]
    NoDefaultDevice { message: String },
    /// Any other refusal of what was asked: parameters, packages, licences.
    #[error("refused with {status}: {message}")]
    Rejected { status: u16, message: String },
    #[error("not signed in: {message}")]
    Unauthorized { message: String },
    #[error("not allowed: {message}")]
    Forbidden { message: String },
    #[error("not found: {message}")]
    NotFound { message: String },
    #[error("conflict: {message}")]
    Conflict { message: String },
    #[error("too many requests")]
    TooMany { retry_after: Option<Duration> },
    #[error("the Control Room failed with {status}: {message}")]
    Server { status: u16, message: String, retry_after: Option<Duration> },
    /// No connection, or no session: the request was certainly not heard.
    #[error("the Control Room cannot be reached: {reason}")]
    Unreachable { reason: String },
    /// The request was sent and the answer did not come.
    #[error("the Control Room did not answer: {reason}")]
    InDoubt { reason: String },
    /// It answered that all is well and said nothing that can be understood.
    #[error("the answer cannot be read: {reason}")]
    Malformed { reason: String },
}

impl Fault {
    /// Whether what was asked for may have happened all the same. A deployment for which this is
    /// true has to be looked up by its tag before it is posted again.
    pub fn may_have_been_accepted(&self) -> bool {
        match self {
            Self::InDoubt { .. } | Self::Malformed { .. } => true,
            // Gateways answer 502 and 504 for a server that goes on working; a 500 may come from a
            // step after the one that counts. 501, 503 and 505 refuse before anything began.
            Self::Server { status, .. } => !matches!(status, 501 | 503 | 505),
            Self::NoCompatibleTargets { .. }
            | Self::DeviceUnavailable { .. }
            | Self::NoDefaultDevice { .. }
            | Self::Rejected { .. }
            | Self::Unauthorized { .. }
            | Self::Forbidden { .. }
            | Self::NotFound { .. }
            | Self::Conflict { .. }
            | Self::TooMany { .. }
            | Self::Unreachable { .. } => false,
        }
    }

    /// How long the Control Room asked to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooMany { retry_after } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The same trouble, met while signing in: nothing else was asked yet, and nothing it says is
    /// about the bot, the device or the user of a deployment.
    pub(crate) fn while_signing_in(self) -> Self {
        match self {
            Self::InDoubt { reason }
            | Self::Malformed { reason }
            | Self::Unreachable { reason } => {
                Self::Unreachable { reason: format!("signing in: {reason}") }
            }
            Self::NotFound { message } => Self::Unreachable {
                reason: format!("no Control Room answers at this address: {message}"),
            },
            Self::NoCompatibleTargets { message }
            | Self::DeviceUnavailable { message }
            | Self::NoDefaultDevice { message }
            | Self::Rejected { message, .. }
            | Self::Conflict { message }
            | Self::Forbidden { message }
            | Self::Unauthorized { message } => Self::Unauthorized { message },
            // As it came it would cast doubt on a request that was never made.
            Self::Server { status, message, .. } if status != 503 => {
                Self::Unreachable { reason: format!("signing in failed with {status}: {message}") }
            }
            Self::Server { .. } | Self::TooMany { .. } => self,
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
    match status {
        400 if said.contains(NO_DEFAULT_DEVICE) => Fault::NoDefaultDevice { message },
        400 if OFFLINE.iter().any(|words| said.contains(words)) => {
            Fault::DeviceUnavailable { message }
        }
        401 => Fault::Unauthorized { message },
        403 => Fault::Forbidden { message },
        404 => Fault::NotFound { message },
        409 => Fault::Conflict { message },
        412 if said.contains(NO_TARGETS) => Fault::NoCompatibleTargets { message },
        412 => Fault::DeviceUnavailable { message },
        429 => Fault::TooMany { retry_after },
        300..=499 => Fault::Rejected { status, message },
        500..=599 => Fault::Server { status, message, retry_after },
        _ => Fault::Malformed { reason: format!("status {status}: {message}") },
    }
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

//! What went wrong with the storage, in a sentence that names it.

use std::{error::Error, io};

use object_store::client::{HttpError, HttpErrorKind};

use super::address::{Address, Bucket};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The storage is there and the file is not.
    #[error("{place} is not in {storage}")]
    Missing { place: String, storage: String },
    /// The storage itself: not there, not answering, or not for us. It may come back, and no file
    /// is to blame.
    #[error("{0}")]
    Away(String),
    /// What is left of the disk is kept for what was accepted before.
    #[error("{0}")]
    Full(String),
    #[error("{0}")]
    Failed(String),
}

impl Fault {
    /// The fault of the storage inside an error of reading, if it is one.
    pub fn within(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    pub(super) fn of(address: &Address, place: &str, error: &object_store::Error) -> Self {
        let missing = matches!(error, object_store::Error::NotFound { .. });
        match address {
            _ if missing && code(error).is_none_or(|code| code == "NoSuchKey") => {
                Self::Missing { place: place.to_owned(), storage: address.to_string() }
            }
            Address::Folder(_) => {
                let cause = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>());
                match cause {
                    Some(cause) => Self::of_io(address, place, cause),
                    None => Self::Failed(format!("{address}: {error}")),
                }
            }
            Address::Bucket(bucket) => of_bucket(bucket, error),
        }
    }

    pub(super) fn of_io(address: &Address, place: &str, error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        match error.kind() {
            Kind::NotFound => {
                Self::Missing { place: place.to_owned(), storage: address.to_string() }
            }
            // What a volume of another machine says when that machine is gone.
            Kind::StaleNetworkFileHandle
            | Kind::TimedOut
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::NetworkDown
            | Kind::NotConnected
            | Kind::PermissionDenied
            | Kind::ReadOnlyFilesystem
            | Kind::StorageFull => Self::Away(format!("the storage {address}: {error}")),
            _ => Self::Failed(format!("{address}: {error}")),
        }
    }
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        let kind = match fault {
            Fault::Missing { .. } => io::ErrorKind::NotFound,
            Fault::Full(_) => io::ErrorKind::StorageFull,
            Fault::Away(_) | Fault::Failed(_) => io::ErrorKind::Other,
        };
        Self::new(kind, fault)
    }
}

fn of_bucket(bucket: &Bucket, error: &object_store::Error) -> Fault {
    use object_store::Error as E;
    let (server, name) = (bucket.server(), &bucket.name);
    if let Some(http) = causes(error).find_map(|cause| cause.downcast_ref::<HttpError>()) {
        return of_line(bucket, http.kind());
    }
    let code = code(error);
    Fault::Away(match code.as_deref() {
        Some("NoSuchBucket") => format!("there is no bucket “{name}” at {server}"),
        Some("InvalidAccessKeyId") => {
            format!("{server} does not know the key that AWS_ACCESS_KEY_ID names")
        }
        Some("SignatureDoesNotMatch") => {
            format!("{server} says that AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID")
        }
        Some("AuthorizationHeaderMalformed" | "PermanentRedirect") => {
            format!("{server} says that the bucket “{name}” is not in the region of AWS_REGION")
        }
        Some(code @ ("InternalError" | "SlowDown" | "ServiceUnavailable")) => {
            format!("{server} cannot answer for the bucket “{name}” now: {code}")
        }
        Some(code) if refused(error) => {
            format!("{server} refuses the bucket “{name}” to AWS_ACCESS_KEY_ID: {code}")
        }
        None if refused(error) => {
            format!("{server} refuses the bucket “{name}” to AWS_ACCESS_KEY_ID")
        }
        Some(code) => return Fault::Failed(format!("{server}, bucket “{name}”: {code}")),
        None if matches!(error, E::Generic { .. }) => {
            format!("{server}, bucket “{name}”: {}", first_line(&error.to_string()))
        }
        None => {
            let said = first_line(&error.to_string());
            return Fault::Failed(format!("{server}, bucket “{name}”: {said}"));
        }
    })
}

/// Nobody answered at all.
fn of_line(bucket: &Bucket, kind: HttpErrorKind) -> Fault {
    let (server, name) = (bucket.server(), &bucket.name);
    let keyless = if bucket.keys.is_none() {
        " (AWS_ACCESS_KEY_ID is not set, so this machine's own credentials were asked for)"
    } else {
        ""
    };
    Fault::Away(match kind {
        HttpErrorKind::Timeout => {
            format!("{server}, which has the bucket “{name}”, does not answer in time{keyless}")
        }
        HttpErrorKind::Connect => {
            format!("nothing answers at {server}, where the bucket “{name}” is to be{keyless}")
        }
        _ => format!("the line to {server} with the bucket “{name}” broke{keyless}"),
    })
}

fn refused(error: &object_store::Error) -> bool {
    use object_store::Error as E;
    matches!(error, E::PermissionDenied { .. } | E::Unauthenticated { .. })
}

fn causes(error: &object_store::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |&cause| cause.source())
}

/// The word by which S3 names an error, from the body of its answer.
fn code(error: &object_store::Error) -> Option<String> {
    let text = error.to_string();
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let sound = !code.is_empty() && code.len() < 60 && code.chars().all(char::is_alphanumeric);
    sound.then(|| code.to_owned())
}

/// Enough for a log: the whole may be a page of XML.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(300).collect()
}

//! Where files are kept: a directory that every process sees, or a bucket of an S3 server.

use std::{fmt, path::PathBuf};

use crate::drivers::runtime::Secret;

/// A place for files. It prints without secrets.
#[derive(Clone, Debug)]
pub enum Address {
    Folder(PathBuf),
    Bucket(Bucket),
}

/// `s3://bucket/prefix`, with what the usual variables say of its server.
#[derive(Clone, Debug, Default)]
pub struct Bucket {
    pub name: String,
    /// Without slashes at its ends; empty: the whole bucket.
    pub prefix: String,
    /// A server that is not Amazon's: `http://minio:9000`.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// Absent: what the machine, the pod or the container is given.
    pub keys: Option<Keys>,
}

#[derive(Clone, Debug)]
pub struct Keys {
    pub id: String,
    pub secret: Secret,
    pub token: Option<Secret>,
}

const LONGEST_NAME: usize = 63;
const LONGEST_PREFIX: usize = 512;

impl Bucket {
    /// Reads `s3://bucket/prefix`; the error says what is wrong with it.
    pub fn parse(url: &str) -> Result<Self, String> {
        let Some(rest) = url.strip_prefix("s3://") else {
            return Err(format!("{url:?} is not s3://bucket/prefix"));
        };
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let sound = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c);
        if !(3..=LONGEST_NAME).contains(&name.len()) || !name.chars().all(sound) {
            return Err(format!(
                "{name:?} is not the name of a bucket: 3 to {LONGEST_NAME} small letters, digits, \
                 dots and hyphens"
            ));
        }
        let prefix = prefix.trim_matches('/');
        let parts = || prefix.split('/').filter(|_| !prefix.is_empty());
        let odd = |part: &str| matches!(part, "" | "." | "..") || part.chars().any(unfit);
        if prefix.len() > LONGEST_PREFIX || parts().any(odd) {
            return Err(format!("{prefix:?} cannot begin the names of objects"));
        }
        Ok(Self { name: name.to_owned(), prefix: prefix.to_owned(), ..Self::default() })
    }

    /// Who is asked, for a sentence.
    pub(super) fn server(&self) -> String {
        self.endpoint.clone().unwrap_or_else(|| match &self.region {
            Some(region) => format!("Amazon S3 in {region}"),
            None => "Amazon S3".to_owned(),
        })
    }
}

fn unfit(c: char) -> bool {
    !(c.is_ascii_alphanumeric() || "-_.=+@".contains(c))
}

impl Default for Address {
    fn default() -> Self {
        Self::Folder(PathBuf::new())
    }
}

impl From<PathBuf> for Address {
    fn from(path: PathBuf) -> Self {
        Self::Folder(path)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "{}", path.display()),
            Self::Bucket(bucket) => {
                write!(f, "s3://{}", bucket.name)?;
                if !bucket.prefix.is_empty() {
                    write!(f, "/{}", bucket.prefix)?;
                }
                match &bucket.endpoint {
                    Some(endpoint) => write!(f, " at {endpoint}"),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_read_and_printed_without_its_keys() {
        let mut bucket = Bucket::parse("s3://papers/house/docs/").unwrap();
        assert_eq!((bucket.name.as_str(), bucket.prefix.as_str()), ("papers", "house/docs"));
        let secret = Secret::new("hush-hush".to_owned());
        bucket.keys = Some(Keys { id: "AKIA1".to_owned(), secret, token: None });
        bucket.endpoint = Some("http://minio:9000".to_owned());
        let address = Address::Bucket(bucket);
        assert_eq!(address.to_string(), "s3://papers/house/docs at http://minio:9000");
        assert!(!format!("{address:?}{address}").contains("hush"));
        assert_eq!(Bucket::parse("s3://papers").unwrap().prefix, "");
    }

    #[test]
    fn what_is_no_bucket_is_named() {
        for wrong in
            ["/data", "http://host/bucket", "s3://", "s3://B", "s3://a b c/x", "s3://abc/../x"]
        {
            let said = Bucket::parse(wrong).unwrap_err();
            assert!(said.contains('"'), "{wrong}: {said}");
        }
    }
}

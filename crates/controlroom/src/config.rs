//! Where the Control Room is, and whether that can be used.

use std::fmt;
use std::time::Duration;

use engine::Sentence;
use reqwest::Url;

/// Where the Control Room is and who we are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Such as `https://rpa.example.com`; a path is kept.
    pub url: String,
    pub username: String,
    pub secret: Secret,
    /// How long one call may take, all of it.
    pub timeout: Duration,
    /// Age at which a token is replaced before it is refused; it lives 20 minutes there.
    pub renew_after: Duration,
}

impl Config {
    pub fn new(url: impl Into<String>, username: impl Into<String>, secret: Secret) -> Self {
        Self {
            url: url.into(),
            username: username.into(),
            secret,
            timeout: Duration::from_secs(30),
            renew_after: Duration::from_mins(18),
        }
    }

    /// The address without a trailing slash, so that paths can be appended.
    pub(crate) fn base(&self) -> Result<String, BadConfig> {
        let url = Url::parse(self.url.trim()).map_err(|_| BadConfig::Url)?;
        let web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if !web || url.query().is_some() || url.fragment().is_some() {
            return Err(BadConfig::Url);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadConfig::SecretInUrl);
        }
        if self.username.trim().is_empty() || self.secret.expose().is_empty() {
            return Err(BadConfig::Nobody);
        }
        if self.timeout.is_zero() {
            return Err(BadConfig::NoTime);
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// What proves who we are; never shown.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// Its tokens live beside each other.
    ApiKey(String),
    /// A login ends the sessions before it, unless the user may have several.
    Password(String),
}

impl Secret {
    pub(crate) fn expose(&self) -> &str {
        match self {
            Self::ApiKey(text) | Self::Password(text) => text,
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiKey(_) => "ApiKey(…)",
            Self::Password(_) => "Password(…)",
        })
    }
}

/// Why no client can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence().kept())]
pub enum BadConfig {
    Url,
    SecretInUrl,
    Nobody,
    NoTime,
    Transport(String),
}

impl BadConfig {
    pub fn sentence(&self) -> Sentence {
        let (es, en) = match self {
            Self::Url => (
                "la dirección del Control Room no es una como https://rpa.example.com",
                "the address of the Control Room is not one, such as https://rpa.example.com",
            ),
            Self::SecretInUrl => (
                "la dirección del Control Room lleva un nombre o una clave: van aparte",
                "the address of the Control Room carries a name or password; give them apart",
            ),
            Self::Nobody => (
                "falta el usuario del Control Room o su clave",
                "the user of the Control Room or its key is missing",
            ),
            Self::NoTime => (
                "una llamada al Control Room necesita algún tiempo",
                "a call to the Control Room needs some time",
            ),
            Self::Transport(why) => {
                return Sentence::new(
                    format!("no se pueden preparar conexiones: {why}"),
                    format!("cannot prepare connections: {why}"),
                );
            }
        };
        Sentence::new(es, en)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str) -> Config {
        Config::new(url, "orquestador", Secret::ApiKey("k-e-y".to_owned()))
    }

    #[test]
    fn addresses_are_checked_and_made_even() {
        for (url, expected) in [
            ("https://rpa.example.com", Ok("https://rpa.example.com")),
            ("https://rpa.example.com/", Ok("https://rpa.example.com")),
            (" http://127.0.0.1:9360/a360/ ", Ok("http://127.0.0.1:9360/a360")),
            ("rpa.example.com", Err(BadConfig::Url)),
            ("ftp://rpa.example.com", Err(BadConfig::Url)),
            ("https://rpa.example.com?x=1", Err(BadConfig::Url)),
            ("https://u:p@rpa.example.com", Err(BadConfig::SecretInUrl)),
            ("", Err(BadConfig::Url)),
        ] {
            assert_eq!(config(url).base().as_deref(), expected.as_ref().copied(), "{url}");
        }
        let nobody = Config { username: " ".to_owned(), ..config("https://rpa.example.com") };
        assert_eq!(nobody.base(), Err(BadConfig::Nobody));
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", config("https://rpa.example.com"));
        assert!(shown.contains("ApiKey(…)") && !shown.contains("k-e-y"), "{shown}");
    }
}

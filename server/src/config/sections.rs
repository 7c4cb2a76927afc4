//! The typed sections, and what each value has to satisfy.

use std::fmt;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use host::{Limits, Proxies, Rate};
use jiff::tz::TimeZone;
use serde_json::Value;
use tracing_subscriber::EnvFilter;

use super::Layers;
use super::origin::{Origin, Problem, nearest};
use crate::secrets;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

#[derive(Debug, Clone)]
pub(crate) struct ServerConfig {
    pub(crate) listen: SocketAddr,
    pub(crate) data_dir: PathBuf,
    /// None: a database file in `data_dir`.
    pub(crate) database_url: Option<Secret>,
    /// The house's RabbitMQ, if it has one.
    pub(crate) broker: Option<broker::Address>,
    /// The key that seals secrets in the database.
    pub(crate) secrets_key_file: PathBuf,
    /// The key itself, where there is no file.
    pub(crate) secrets_key: Option<Secret>,
    pub(crate) apps: Vec<String>,
    pub(crate) timezone: Zone,
    pub(crate) auth: Auth,
    pub(crate) public_url: Option<String>,
    pub(crate) trusted_proxies: Proxies,
    /// The files of a certificate and of its key.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) demo: bool,
    pub(crate) drain: Duration,
    /// How long to wait for a database server at start.
    pub(crate) database_wait: Duration,
}

/// An IANA zone with the name the operator gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Zone {
    pub(crate) name: String,
    pub(crate) zone: TimeZone,
}

/// Who must log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// Nobody on loopback, everybody elsewhere.
    Auto,
    Required,
}

#[derive(Debug, Clone)]
pub(crate) struct LogConfig {
    /// A level or a filter, accepted by `EnvFilter`.
    pub(crate) level: String,
    pub(crate) format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    Text,
    Json,
}

#[derive(Debug, Clone)]
pub(crate) struct AlertsConfig {
    pub(crate) webhook: Option<WebhookConfig>,
    pub(crate) smtp: Option<SmtpConfig>,
    pub(crate) throttle: Duration,
}

#[derive(Debug, Clone)]
pub(crate) struct WebhookConfig {
    pub(crate) url: String,
    pub(crate) secret: Option<Secret>,
}

#[derive(Debug, Clone)]
pub(crate) struct SmtpConfig {
    pub(crate) url: Secret,
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct LimitsConfig {
    pub(crate) body_bytes: usize,
    pub(crate) sse_connections: usize,
    pub(crate) strangers: Limits,
    /// Bytes of the disk that uploads leave free.
    pub(crate) disk_reserve: u64,
    pub(crate) disk_alert_percent: u64,
}

/// A text that must not reach a log by accident.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(••••••)")
    }
}

/// Reads typed values out of the layers and notes what is wrong: after a problem nothing is used.
pub(crate) struct Reader<'a> {
    layers: &'a Layers,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(layers: &'a Layers, problems: &'a mut Vec<Problem>) -> Self {
        Self { layers, problems }
    }

    pub(crate) fn server(&mut self, apps: &[&str]) -> Option<ServerConfig> {
        let listen = self.listen("server.listen");
        let data_dir = self.text("server.data_dir", |path| match path {
            "" => Err("must not be empty".to_owned()),
            path => Ok(PathBuf::from(path)),
        });
        let key_file = self.text("server.secrets_key_file", |path| Ok(PathBuf::from(path)));
        let key = self.text("server.secrets_key", |text| match text {
            "" => Ok(None),
            text if secrets::read(text).is_some() => Ok(Some(Secret(text.to_owned()))),
            _ => Err("must be empty or 64 hexadecimal digits".to_owned()),
        });
        let database_url =
            self.address("server.database_url", &["postgres://", "postgresql://", "sqlite:"]);
        let broker = self.broker();
        let apps = self.apps("server.apps", apps);
        let timezone = self.timezone("server.timezone");
        let auth =
            self.choice("server.auth", &[("auto", Auth::Auto), ("required", Auth::Required)]);
        let public_url = self.address("server.public_url", &["https://", "http://"]);
        let proxies = self.proxies("server.trusted_proxies");
        let tls = self.tls();
        let drain = self.number("server.drain_seconds", 0..=600);
        let wait = self.number("server.database_wait_seconds", 0..=3600);
        let data_dir = data_dir?;
        let key_file = key_file.filter(|path| !path.as_os_str().is_empty());
        Some(ServerConfig {
            listen: listen?,
            secrets_key_file: key_file.unwrap_or_else(|| data_dir.join("secrets.key")),
            secrets_key: key?,
            data_dir,
            database_url: database_url.map(Secret),
            broker,
            apps: apps?,
            timezone: timezone?,
            auth: auth?,
            public_url,
            trusted_proxies: proxies?,
            tls,
            demo: self.layers["server.demo"].0 == Value::Bool(true),
            drain: Duration::from_secs(drain?),
            database_wait: Duration::from_secs(wait?),
        })
    }

    pub(crate) fn log(&mut self) -> Option<LogConfig> {
        let level = self.level("log.level");
        let formats =
            [("auto", LogFormat::Auto), ("text", LogFormat::Text), ("json", LogFormat::Json)];
        let format = self.choice("log.format", &formats);
        Some(LogConfig { level: level?, format: format? })
    }

    pub(crate) fn alerts(&mut self) -> Option<AlertsConfig> {
        let url = self.address("alerts.webhook_url", &["https://", "http://"]);
        let secret = self.text("alerts.webhook_secret", |text| Ok(text.to_owned()));
        let smtp = self.smtp();
        let minutes = self.number("alerts.throttle_minutes", 1..=1440);
        let secret = secret.filter(|text| !text.is_empty()).map(Secret);
        Some(AlertsConfig {
            webhook: url.map(|url| WebhookConfig { url, secret }),
            smtp,
            throttle: Duration::from_mins(minutes?),
        })
    }

    pub(crate) fn limits(&mut self) -> Option<LimitsConfig> {
        let body_bytes = self.number("limits.body_bytes", 1024..=64 * 1024 * 1024);
        let sse_connections = self.number("limits.sse_connections", 1..=10_000);
        let streams = self.number("limits.sse_per_actor", 1..=10_000);
        let connections = self.number("limits.connections", 16..=100_000);
        let actor = self.number("limits.requests_per_second", 0..=100_000);
        let address = self.number("limits.address_requests_per_second", 0..=100_000);
        let wrong = self.number("limits.wrong_passwords_per_minute", 0..=10_000);
        let header = self.number("limits.header_seconds", 1..=600);
        let body = self.number("limits.body_seconds", 1..=600);
        let reserve = self.number("limits.disk_reserve_mb", 0..=1_000_000_000);
        let percent = self.number("limits.disk_alert_percent", 0..=99);
        let rate = |number: u64| Rate::per_second(number as u32, 10 * number as u32);
        let wrong = wrong? as u32;
        Some(LimitsConfig {
            body_bytes: body_bytes? as usize,
            sse_connections: sse_connections? as usize,
            strangers: Limits {
                connections: connections? as usize,
                streams: streams? as usize,
                actor: rate(actor?),
                address: rate(address?),
                login: Rate::per_minute(wrong, wrong),
                header: Duration::from_secs(header?),
                body: Duration::from_secs(body?),
            },
            disk_reserve: reserve? << 20,
            disk_alert_percent: percent?,
        })
    }

    /// None when both are empty, or one is and that is noted.
    fn tls(&mut self) -> Option<(PathBuf, PathBuf)> {
        let (chain, key) = (self.raw("server.tls_certificate"), self.raw("server.tls_key"));
        if chain.is_empty() != key.is_empty() {
            let path = if key.is_empty() { "server.tls_key" } else { "server.tls_certificate" };
            self.note(path, "a certificate and its key are set together");
            return None;
        }
        (!key.is_empty()).then(|| (chain.into(), key.into()))
    }

    fn smtp(&mut self) -> Option<SmtpConfig> {
        let mailbox = |text: &str| match text.split_once('@') {
            Some((name, host)) if !name.is_empty() && !host.is_empty() => Ok(text.to_owned()),
            _ => Err(format!("\"{text}\" is not an e-mail address")),
        };
        let url = self.address("alerts.smtp_url", &["smtp://", "smtps://"])?;
        let from = self.text("alerts.smtp_from", mailbox);
        let to = self.list("alerts.smtp_to").iter().map(|text| mailbox(text)).collect();
        let to: Option<Vec<String>> = self.noted("alerts.smtp_to", to);
        if to.as_ref().is_some_and(Vec::is_empty) {
            self.note("alerts.smtp_to", "alerts.smtp_url is set, so somebody must receive them");
            return None;
        }
        Some(SmtpConfig { url: Secret(url), from: from?, to: to? })
    }

    fn listen(&mut self, path: &str) -> Option<SocketAddr> {
        self.text(path, |text| {
            let numeric = text.replacen("localhost:", "127.0.0.1:", 1);
            numeric.parse().map_err(|_| {
                format!("\"{text}\" is not an address with a port, such as 127.0.0.1:8000")
            })
        })
    }

    fn timezone(&mut self, path: &str) -> Option<Zone> {
        let name = self.raw(path);
        if let Ok(zone) = jiff::tz::db().get(&name) {
            return Some(Zone { name, zone });
        }
        let all: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
        let message = format!("\"{name}\" is not an IANA time zone");
        let suggestion = nearest(&name, all.iter().map(String::as_str));
        self.problems.push(Problem::new(self.origin(path), path, message).or_rather(suggestion));
        None
    }

    fn apps(&mut self, path: &str, known: &[&str]) -> Option<Vec<String>> {
        let mut apps = self.list(path);
        if apps.is_empty() {
            self.note(path, "at least one application has to run");
            return None;
        }
        if let Some(stranger) = apps.iter().find(|app| !known.contains(&app.as_str())) {
            let message = format!("no application \"{stranger}\"; there is {}", known.join(", "));
            let problem = Problem::new(self.origin(path), path, message);
            self.problems.push(problem.or_rather(nearest(stranger, known.iter().copied())));
            return None;
        }
        let mut seen = Vec::new();
        apps.retain(|app| {
            !seen.contains(app) && {
                seen.push(app.clone());
                true
            }
        });
        Some(apps)
    }

    /// `EnvFilter` takes any word for a module name: a misspelt level would log everything.
    fn level(&mut self, path: &str) -> Option<String> {
        let text = self.raw(path);
        if LEVELS.contains(&text.as_str()) {
            return Some(text);
        }
        if text.contains('=') {
            let checked = EnvFilter::builder().parse(&text).map(|_| text.clone());
            return self.noted(path, checked.map_err(|error| error.to_string()));
        }
        let message = format!("\"{text}\" is not a level; there is {}", LEVELS.join(", "));
        let problem = Problem::new(self.origin(path), path, message);
        self.problems.push(problem.or_rather(nearest(&text, LEVELS)));
        None
    }

    fn choice<T: Copy>(&mut self, path: &str, choices: &[(&str, T)]) -> Option<T> {
        let text = self.raw(path);
        if let Some((_, chosen)) = choices.iter().find(|(word, _)| *word == text) {
            return Some(*chosen);
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let message = format!("\"{text}\" is not one of {}", words.join(", "));
        let problem = Problem::new(self.origin(path), path, message);
        self.problems.push(problem.or_rather(nearest(&text, words)));
        None
    }

    /// An address with one of the schemes; none when it is empty or wrong, and then noted.
    fn address(&mut self, path: &str, schemes: &[&str]) -> Option<String> {
        let checked = self.text(path, |text| {
            let after = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
            match after {
                _ if text.is_empty() => Ok(None),
                Some(rest) if !rest.is_empty() => Ok(Some(text.to_owned())),
                // The value may hold a password, so the message does not repeat it.
                _ => Err(format!("must be empty or start with {}", schemes.join(" or "))),
            }
        });
        checked.flatten()
    }

    /// None when it is empty or wrong, and then noted.
    fn broker(&mut self) -> Option<broker::Address> {
        const CA: &str = "server.rabbitmq_ca";
        let checked = self.text("server.rabbitmq_url", |text| match text {
            "" => Ok(None),
            // The value may hold a password, so the message does not repeat it.
            text => text.parse().map(Some).map_err(|_: broker::Wrong| {
                "must be empty or amqp://user:password@host:port/vhost, or amqps".to_owned()
            }),
        });
        let address = checked.flatten()?;
        if self.raw(CA).is_empty() {
            return Some(address);
        }
        self.text(CA, |path| {
            if !address.is_sealed() {
                return Err("is of use with amqps:// in server.rabbitmq_url alone".to_owned());
            }
            let pem = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
            address.trusting(&pem).map_err(|why| format!("{path}: {why}"))
        })
    }

    fn proxies(&mut self, path: &str) -> Option<Proxies> {
        let list = self.list(path);
        let read = Proxies::read(list.iter().map(String::as_str));
        let wrong = |entry: &str| format!("\"{entry}\" is no address and no network");
        self.noted(path, read.map_err(wrong))
    }

    pub(super) fn number(&mut self, path: &str, range: RangeInclusive<i64>) -> Option<u64> {
        let number = self.layers[path].0.as_i64().unwrap_or(i64::MIN);
        if range.contains(&number) {
            return Some(number.unsigned_abs());
        }
        let (from, to) = range.into_inner();
        self.note(path, &format!("{number} is outside {from} to {to}"));
        None
    }

    pub(super) fn text<T>(
        &mut self,
        path: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let parsed = parse(&self.raw(path));
        self.noted(path, parsed)
    }

    fn noted<T>(&mut self, path: &str, parsed: Result<T, String>) -> Option<T> {
        parsed.map_err(|message| self.note(path, &message)).ok()
    }

    fn note(&mut self, path: &str, message: &str) {
        self.problems.push(Problem::new(self.origin(path), path, message));
    }

    fn raw(&self, path: &str) -> String {
        self.layers[path].0.as_str().unwrap_or_default().trim().to_owned()
    }

    fn list(&self, path: &str) -> Vec<String> {
        let items = self.layers[path].0.as_array();
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn origin(&self, path: &str) -> Origin {
        self.layers[path].1.clone()
    }
}

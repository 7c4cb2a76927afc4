//! Deployment configuration in layers, each value with its origin.
//!
//! Loading is pure: files and environment come in as text, so that every rule is a row of a table
//! test. What an operator changes while the process runs is not here but in the store's settings.

mod catalog;
mod environment;
mod file;
mod keeping;
mod origin;
mod sections;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use catalog::Key;
pub(crate) use environment::{Environment, ReadText, setting_name};
use file::Assignment;
pub(crate) use keeping::BackupConfig;
pub(crate) use origin::{ConfigError, Origin, Problem, nearest};
pub(crate) use sections::{
    AlertsConfig, Auth, LimitsConfig, LogConfig, LogFormat, ServerConfig, SmtpConfig,
};

/// The whole deployment configuration, checked.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) server: ServerConfig,
    pub(crate) log: LogConfig,
    pub(crate) alerts: AlertsConfig,
    pub(crate) limits: LimitsConfig,
    pub(crate) backup: BackupConfig,
    /// For the applications to check and store at boot; only they know kinds and ranges.
    pub(crate) app_settings: Vec<AppSetting>,
    entries: Vec<Entry>,
}

/// A runtime setting of an application, given at deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AppSetting {
    pub(crate) app: String,
    pub(crate) key: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    /// From the environment: the console shows it and does not let it change.
    pub(crate) locked: bool,
}

/// One line of `turno config show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value_shown: String,
    /// Empty for application settings: their defaults are the applications' own.
    pub(crate) default_shown: String,
    /// The variable that sets it.
    pub(crate) variable: String,
    pub(crate) origin: Origin,
    pub(crate) comment: String,
}

/// What the compiled-in applications let operators set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownSettings<'a> {
    /// Names of all applications in this binary.
    pub(crate) apps: &'a [&'a str],
    /// `(application, key)`.
    pub(crate) settings: &'a [(&'a str, &'a str)],
    pub(crate) aliases: &'a [Alias<'a>],
    /// Variables of original systems that mean nothing here, and what to do instead.
    pub(crate) retired: &'a [(&'a str, &'a str)],
}

/// A variable that operators of the original systems already set, such as `AUTO_MOVER_PEDIDOS`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alias<'a> {
    pub(crate) variable: &'a str,
    pub(crate) app: &'a str,
    pub(crate) key: &'a str,
}

/// A value from the command line.
#[derive(Debug, Clone)]
pub(crate) struct Flag {
    /// As typed: `--listen`.
    pub(crate) name: &'static str,
    /// `server.listen`.
    pub(crate) key: &'static str,
    pub(crate) value: String,
}

/// Everything configuration is made of, besides the embedded file.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// Path and text of the file layer.
    pub(crate) file: Option<(PathBuf, String)>,
    pub(crate) environment: Environment,
    pub(crate) flags: Vec<Flag>,
    pub(crate) read: ReadText,
}

impl Sources {
    /// The sources of this process. `file` is `--config`; without it `./turno.toml`, if it exists.
    pub(crate) fn of_process(file: Option<PathBuf>, flags: Vec<Flag>) -> Result<Self, ConfigError> {
        let text = |name: std::ffi::OsString| name.into_string().ok();
        let environment: Environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
            .collect();
        let asked = file.or_else(|| environment.get("TURNO_CONFIG").map(PathBuf::from));
        let path = asked.clone().unwrap_or_else(|| PathBuf::from("turno.toml"));
        let file = match std::fs::read_to_string(&path) {
            Ok(text) => Some((path, text)),
            Err(error) if asked.is_none() && error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let flag = Origin::Flag { flag: "--config".to_owned() };
                let message = format!("cannot read {}: {error}", path.display());
                return Err(Problem::new(flag, "", message).into());
            }
        };
        let read: ReadText = |path: &Path| std::fs::read_to_string(path);
        Ok(Self { file, environment, flags, read })
    }
}

/// The value in force and the layer it came from, by `section.key`.
type Layers = BTreeMap<String, (Value, Origin)>;

impl Config {
    /// Lays the sources over the defaults and checks the result; reports all problems together.
    pub(crate) fn load(sources: &Sources, known: &KnownSettings<'_>) -> Result<Self, ConfigError> {
        let keys = catalog::keys();
        let mut layers: Layers =
            keys.iter().map(|key| (key.path(), (key.default.clone(), Origin::Default))).collect();
        let mut problems = Vec::new();
        for (assignment, origin) in given(sources, &keys, known, &mut problems) {
            match check(&assignment, &origin, &keys, known) {
                Ok(path) => {
                    layers.insert(path, (assignment.value, origin));
                }
                Err(problem) => problems.push(problem),
            }
        }
        let mut reader = sections::Reader::new(&layers, &mut problems);
        let (server, log) = (reader.server(known.apps), reader.log());
        let (alerts, limits) = (reader.alerts(), reader.limits());
        let folder = server.as_ref().map_or(Path::new(""), |server| server.data_dir.as_path());
        let backup = reader.backup(folder);
        match (server, log, alerts, limits, backup) {
            (Some(server), Some(log), Some(alerts), Some(limits), Some(backup))
                if problems.is_empty() =>
            {
                let app_settings = app_settings(&layers, &keys);
                let entries = entries(&layers, &keys);
                Ok(Self { server, log, alerts, limits, backup, app_settings, entries })
            }
            _ => Err(ConfigError { problems }),
        }
    }

    /// Every value with its origin, in the order of the embedded file, application settings last.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Assignments of all layers, lowest first.
fn given(
    sources: &Sources,
    keys: &[Key],
    known: &KnownSettings<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<(Assignment, Origin)> {
    let mut all = Vec::new();
    if let Some((path, text)) = &sources.file {
        match file::assignments(path, text) {
            Ok(found) => all.extend(found.into_iter().map(|assignment| {
                let origin = Origin::File { path: path.clone(), line: assignment.line };
                (assignment, origin)
            })),
            Err(broken) => problems.extend(broken),
        }
    }
    let (found, broken) = environment::assignments(&sources.environment, keys, known, sources.read);
    all.extend(found);
    problems.extend(broken);
    for flag in &sources.flags {
        let origin = Origin::Flag { flag: flag.name.to_owned() };
        let key = keys.iter().find(|key| key.path() == flag.key).expect("flags name known keys");
        match catalog::parse_like(&key.default, &flag.value) {
            Ok(value) => {
                let (section, key) = (key.section.clone(), key.name.clone());
                all.push((Assignment { section, key, value, line: 0 }, origin));
            }
            Err(message) => problems.push(Problem::new(origin, flag.key, message)),
        }
    }
    all
}

/// The path of an assignment, if such a key exists and takes such a value.
fn check(
    assignment: &Assignment,
    origin: &Origin,
    keys: &[Key],
    known: &KnownSettings<'_>,
) -> Result<String, Problem> {
    let Assignment { section, key, value, .. } = assignment;
    let path = format!("{section}.{key}");
    let problem = |message: String| Problem::new(origin.clone(), &path, message);
    if let Some(entry) = keys.iter().find(|entry| entry.path() == path) {
        return match catalog::check_like(&entry.default, value) {
            Ok(()) => Ok(path),
            Err(message) => Err(problem(message)),
        };
    }
    if known.settings.contains(&(section.as_str(), key.as_str())) {
        return Ok(path);
    }
    let sections = || keys.iter().map(|key| key.section.as_str()).chain(known.apps.iter().copied());
    if !sections().any(|name| name == section) {
        return Err(problem(format!("unknown section [{section}]"))
            .or_rather(nearest(section, sections()).map(|name| format!("[{name}]"))));
    }
    let own = keys.iter().filter(|entry| entry.section == *section).map(|entry| &*entry.name);
    let published = known.settings.iter().filter(|(app, _)| app == section).map(|(_, key)| *key);
    Err(problem("unknown setting".to_owned()).or_rather(nearest(key, own.chain(published))))
}

fn is_setting(path: &str, keys: &[Key]) -> bool {
    keys.iter().all(|key| key.path() != path)
}

fn app_settings(layers: &Layers, keys: &[Key]) -> Vec<AppSetting> {
    let own = layers.iter().filter(|(path, _)| is_setting(path, keys));
    own.filter_map(|(path, (value, origin))| {
        let (app, key) = path.split_once('.')?;
        Some(AppSetting {
            app: app.to_owned(),
            key: key.to_owned(),
            value: value.clone(),
            locked: matches!(origin, Origin::Environment { .. }),
            origin: origin.clone(),
        })
    })
    .collect()
}

fn entries(layers: &Layers, keys: &[Key]) -> Vec<Entry> {
    let entry = |path: &str, default_shown: String, variable: String, comment: &str| {
        let (value, origin) = &layers[path];
        Entry {
            key: path.to_owned(),
            value_shown: catalog::shown(path, value),
            default_shown,
            variable,
            origin: origin.clone(),
            comment: comment.to_owned(),
        }
    };
    let own = keys.iter().map(|key| {
        let default = catalog::shown(&key.path(), &key.default);
        entry(&key.path(), default, environment::short_name(key), &key.comment)
    });
    let settings = layers.keys().filter_map(|path| {
        let (app, key) = path.split_once('.').filter(|_| is_setting(path, keys))?;
        let comment = "Application setting given at deployment.";
        Some(entry(path, String::new(), setting_name(app, key), comment))
    });
    own.chain(settings).collect()
}

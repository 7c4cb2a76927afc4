//! The environment as assignments: which variables are ours, and which key each one means.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::KnownSettings;
use super::catalog::{self, Key};
use super::file::Assignment;
use super::origin::{Origin, Problem, nearest};

/// Ours, but not of `turno.toml`: client commands, tests and what installs the models read them.
const ELSEWHERE: [&str; 5] =
    ["TURNO_BIN", "TURNO_CONFIG", "TURNO_MODELS", "TURNO_TOKEN", "TURNO_URL"];

/// A variable of an original system that means a key of `turno.toml`; ours wins over it.
const ALSO: [(&str, &str); 2] = [
    ("DOCPROC_DATABASE_URL", "server.database_url"),
    ("DOCPROC_RABBITMQ_URL", "server.rabbitmq_url"),
];
/// The house has one broker: two variables that name two are a mistake, whoever would win.
const ONE_ONLY: (&str, &str) = ("server", "rabbitmq_url");

/// Variables by name; ordered, so that problems come out in the same order every time.
pub(crate) type Environment = BTreeMap<String, String>;

/// How the content of a `…_FILE` variable's file is obtained.
pub(crate) type ReadText = fn(&Path) -> io::Result<String>;

/// What a variable name stands for.
enum Target<'a> {
    Key(&'a Key),
    Setting { app: &'a str, key: &'a str },
}

type Names<'a> = BTreeMap<String, Target<'a>>;

/// Assignments of the environment with the variable that made each.
pub(crate) fn assignments(
    environment: &Environment,
    keys: &[Key],
    known: &KnownSettings<'_>,
    read: ReadText,
) -> (Vec<(Assignment, Origin)>, Vec<Problem>) {
    let names = names(keys, known);
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (name, value) in environment {
        let retired = known.retired.iter().find(|(variable, _)| variable == name);
        if let Some((_, instead)) = retired.filter(|_| !value.is_empty()) {
            let message = format!("means nothing here; {instead}");
            problems.push(Problem::new(variable(name), "", message));
            continue;
        }
        match assign(name, value, &names, read) {
            Ok(Some(assignment)) => found.push((assignment, variable(name))),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(agree(&mut found));
    (found, problems)
}

/// Of two names for the one broker an empty one is not meant; two that differ are refused.
fn agree(found: &mut Vec<(Assignment, Origin)>) -> Option<Problem> {
    let is_it = |one: &Assignment| (&*one.section, &*one.key) == ONE_ONLY;
    if found.iter().any(|(one, _)| is_it(one) && one.value != "") {
        found.retain(|(one, _)| !is_it(one) || one.value != "");
    }
    let mut given = found.iter().filter(|(one, _)| is_it(one));
    let (first, origin) = given.next()?;
    let (_, other) = given.find(|(one, _)| one.value != first.value)?;
    let message = format!("is another broker than that of {origin}; set one of the two");
    Some(Problem::new(other.clone(), &format!("{}.{}", ONE_ONLY.0, ONE_ONLY.1), message))
}

fn variable(name: &str) -> Origin {
    Origin::Environment { name: name.to_owned() }
}

fn assign(
    name: &str,
    value: &str,
    names: &Names<'_>,
    read: ReadText,
) -> Result<Option<Assignment>, Problem> {
    let (target, text) = if let Some(target) = names.get(name) {
        (target, value.to_owned())
    } else if let Some(target) = name.strip_suffix("_FILE").and_then(|stem| names.get(stem)) {
        let text = read(Path::new(value)).map_err(|error| {
            Problem::new(variable(name), "", format!("cannot read {value}: {error}"))
        })?;
        (target, text.trim_end_matches(['\r', '\n']).to_owned())
    } else if name.starts_with("TURNO_") && !is_foreign(name) {
        let suggestion = nearest(name, names.keys().map(String::as_str));
        return Err(Problem::new(variable(name), "", "unknown variable").or_rather(suggestion));
    } else {
        return Ok(None);
    };
    let (section, key, parsed) = match target {
        Target::Key(key) => {
            let text = without_driver(name, &text);
            (&*key.section, &*key.name, catalog::parse_like(&key.default, &text))
        }
        Target::Setting { app, key } => (*app, *key, Ok(catalog::guess(&text))),
    };
    let (section, key) = (section.to_owned(), key.to_owned());
    match parsed {
        Ok(value) => Ok(Some(Assignment { section, key, value, line: 0 })),
        Err(message) => Err(Problem::new(variable(name), &format!("{section}.{key}"), message)),
    }
}

/// The original names its driver too: `postgresql+asyncpg://…` is `postgresql://…`.
fn without_driver(name: &str, text: &str) -> String {
    match text.split_once("://") {
        Some((scheme, rest)) if name.starts_with("DOCPROC_") => {
            let plain = scheme.split('+').next().unwrap_or(scheme);
            format!("{plain}://{rest}")
        }
        _ => text.to_owned(),
    }
}

fn names<'a>(keys: &'a [Key], known: &KnownSettings<'a>) -> Names<'a> {
    let mut names = Names::new();
    for key in keys {
        let (section, name) = (key.section.to_uppercase(), key.name.to_uppercase());
        names.insert(format!("TURNO_{section}__{name}"), Target::Key(key));
        names.insert(short_name(key), Target::Key(key));
    }
    for (variable, path) in ALSO {
        if let Some(key) = keys.iter().find(|key| key.path() == path) {
            names.insert(variable.to_owned(), Target::Key(key));
        }
    }
    for (app, key) in known.settings.iter().copied() {
        names.insert(setting_name(app, key), Target::Setting { app, key });
    }
    for alias in known.aliases {
        let (app, key) = (alias.app, alias.key);
        names.insert(alias.variable.to_owned(), Target::Setting { app, key });
    }
    names
}

/// `TURNO_LISTEN`, `TURNO_LOG_LEVEL`.
pub(crate) fn short_name(key: &Key) -> String {
    let (section, name) = (key.section.to_uppercase(), key.name.to_uppercase());
    match key.section.as_str() {
        "server" => format!("TURNO_{name}"),
        _ => format!("TURNO_{section}_{name}"),
    }
}

/// `TURNO_PEDIDOS__MAX_PEDIDOS_EN_PREPARACION`.
pub(crate) fn setting_name(app: &str, key: &str) -> String {
    format!("TURNO_{}__{}", app.to_uppercase(), key.to_uppercase())
}

/// Kubernetes puts the address of every service into the environment of every pod. A service called
/// `turno` or `turno-web` must not keep the process from starting.
fn is_foreign(name: &str) -> bool {
    ELSEWHERE.contains(&name)
        || name.ends_with("_SERVICE_HOST")
        || name.ends_with("_PORT")
        || name.contains("_PORT_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_originals_database_needs_no_driver() {
        for (given, meant) in [
            ("postgresql+asyncpg://d:d@db:5432/d", "postgresql://d:d@db:5432/d"),
            ("postgres://d@db/d", "postgres://d@db/d"),
            ("sqlite:file.db", "sqlite:file.db"),
        ] {
            assert_eq!(without_driver("DOCPROC_DATABASE_URL", given), meant);
        }
        assert_eq!(without_driver("TURNO_DATABASE_URL", "a+b://c"), "a+b://c");
    }

    #[test]
    fn service_links_are_not_ours() {
        for name in [
            "TURNO_SERVICE_HOST",
            "TURNO_SERVICE_PORT",
            "TURNO_SERVICE_PORT_HTTP",
            "TURNO_WEB_PORT_8000_TCP_ADDR",
            "TURNO_BIN",
        ] {
            assert!(is_foreign(name), "{name}");
        }
        assert!(!is_foreign("TURNO_LISTEN"));
    }
}

//! The applications in this binary, and what they let an operator configure.

use db::settings::{Kind, Origin as From, Override, Setting, Settings};
use host::App;
use serde_json::Value as Json;
use terminal::{Deployment, Exit, Installation};

use crate::cli::{self, Verbosity};
use crate::config::{Alias, AppSetting, Config, Flag, KnownSettings, Origin, Sources};
use crate::database::Database;
use crate::migrations;

/// Every application. Their tables and settings exist whether they run here or not, so that a
/// backup fits every process of an installation.
pub(crate) fn all() -> Vec<App> {
    vec![coordinador::app(), docproc::app(), pedidos::app(), sam::app()]
}

/// Variables by which operators of the original systems already know a setting.
fn aliases(apps: &[App]) -> Vec<Alias<'static>> {
    let of = |app: &App| {
        let name = app.name;
        app.aliases.iter().map(move |&(variable, key)| Alias { variable, app: name, key })
    };
    apps.iter().flat_map(of).collect()
}

/// Lays files, environment and flags over the defaults.
pub(crate) fn configure(
    place: &Installation,
    more: impl IntoIterator<Item = Flag>,
) -> Result<Config, Exit> {
    let apps = all();
    let names: Vec<_> = apps.iter().map(|app| app.name).collect();
    let settings: Vec<_> = settings(&apps).iter().map(|spec| (spec.app, spec.key)).collect();
    let retired: Vec<_> = apps.iter().flat_map(|app| app.retired.iter().copied()).collect();
    let aliases = aliases(&apps);
    let known =
        KnownSettings { apps: &names, settings: &settings, aliases: &aliases, retired: &retired };
    let flags = cli::flags(place).into_iter().chain(more).collect();
    let sources = Sources::of_process(place.config.clone(), flags)?;
    Ok(Config::load(&sources, &known)?)
}

/// What an application's command is told of the installation it names.
pub(crate) fn resolve(place: &Installation) -> Result<Deployment, Exit> {
    configure(place, None).map(|config| deployment(&config))
}

pub(crate) fn deployment(config: &Config) -> Deployment {
    let database = Database::of(&config.server);
    Deployment {
        data_dir: config.server.data_dir.clone(),
        zone: config.server.timezone.zone.clone(),
        broker: config.server.broker.clone(),
        signs: config.alerts.webhook.as_ref().is_some_and(|webhook| webhook.secret.is_some()),
        open: Box::new(move || {
            let database = database.clone();
            Box::pin(async move {
                let store = database.open_existing().await?;
                migrations::require_current(&store).await?;
                Ok(store)
            })
        }),
    }
}

/// What `-q` and `-v` mean for the log. In a demonstration the troubles of orders, documents, robots and
/// devices are part of the play, and pages tell them: the terminal hears what is really wrong.
pub(crate) fn level(verbosity: Verbosity, demo: bool) -> Option<Flag> {
    let ours = ["turno", "host", "db", "bus", "web"];
    let (name, value) = match (verbosity.quiet, verbosity.verbose) {
        (true, _) if demo => {
            let apps = all();
            let names = apps.iter().map(|app| app.name);
            ("--quiet", names.fold("warn".to_owned(), |all, name| format!("{all},{name}=error")))
        }
        (true, _) => ("--quiet", "warn".to_owned()),
        (false, 0) => return None,
        (false, 1) => {
            let apps = all();
            let names = ours.into_iter().chain(apps.iter().map(|app| app.name));
            ("--verbose", names.fold("info".to_owned(), |all, name| format!("{all},{name}=debug")))
        }
        (false, _) => ("--verbose", "debug".to_owned()),
    };
    Some(Flag { name, key: "log.level", value })
}

pub(crate) fn settings(apps: &[App]) -> Vec<Setting> {
    apps.iter().flat_map(|app| app.settings).copied().collect()
}

/// The settings of all applications with what this deployment fixes.
pub(crate) fn fixed_settings(config: &Config) -> Result<Settings, Exit> {
    let specs = settings(&all());
    let fixed = config.app_settings.iter().map(|setting| fixed(setting, &specs)).collect();
    Settings::new(specs, fixed).map_err(|invalid| {
        let culprit = config.app_settings.iter().find(|setting| setting.key == invalid.key);
        let origin = culprit.map_or_else(String::new, |setting| format!("{}: ", setting.origin));
        let hint = format!("`turno config explain {}` says what it takes", invalid.key);
        Exit::usage(format!("{origin}{invalid}")).hint(hint)
    })
}

fn fixed(setting: &AppSetting, specs: &[Setting]) -> Override {
    let AppSetting { app, key, mut value, origin, locked: _ } = setting.clone();
    if specs.iter().any(|spec| spec.app == app && spec.key == key && spec.kind == Kind::Bool) {
        value = switch(value);
    }
    let origin = match origin {
        Origin::Environment { name } => From::Environment(name),
        other => From::File(other.to_string()),
    };
    Override { app, key, value, origin }
}

/// Operators of the original systems write switches as 0 and 1, or as words.
fn switch(value: Json) -> Json {
    let word = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    match word.as_str() {
        "0" | "no" | "off" => Json::Bool(false),
        "1" | "si" | "sí" | "yes" | "on" => Json::Bool(true),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_quiet_demonstration_says_what_is_wrong_with_the_house_only() {
        let said = |demo| level(Verbosity { quiet: true, verbose: 0 }, demo).map(|flag| flag.value);
        assert_eq!(said(false).as_deref(), Some("warn"));
        let played = said(true).unwrap_or_default();
        assert!(played.starts_with("warn,"));
        for app in all() {
            assert!(played.contains(&format!("{}=error", app.name)), "{played}");
        }
    }

    #[test]
    fn switches_may_be_numbers_or_words() {
        for off in [json!(0), json!("no"), json!("OFF"), json!(false)] {
            assert_eq!(switch(off), json!(false));
        }
        for on in [json!(1), json!("sí"), json!("yes"), json!(true)] {
            assert_eq!(switch(on), json!(true));
        }
        assert_eq!(switch(json!("perhaps")), json!("perhaps"));
    }
}

//! The applications in this binary, and what they let an operator configure.

use host::App;
use store::settings::{Origin as From, Override, Setting, Settings};

use crate::cli::{Place, Verbosity};
use crate::config::{Alias, AppSetting, Config, Flag, KnownSettings, Origin, Sources};
use crate::exit::Exit;

/// Every application. Their tables and settings exist whether they run here or not, so that a
/// backup fits every process of an installation.
pub(crate) fn all() -> Vec<App> {
    vec![pedidos::app()]
}

/// Variables by which operators of the original systems already know a setting.
fn aliases() -> Vec<Alias<'static>> {
    let of =
        |app| move |(variable, key): &(&'static str, &'static str)| Alias { variable, app, key };
    pedidos::ALIASES.iter().map(of("pedidos")).collect()
}

/// Lays files, environment and flags over the defaults.
pub(crate) fn configure(place: &Place, flags: Vec<Flag>) -> Result<Config, Exit> {
    let apps = all();
    let names: Vec<_> = apps.iter().map(|app| app.name).collect();
    let settings: Vec<_> = settings(&apps).iter().map(|spec| (spec.app, spec.key)).collect();
    let known = KnownSettings { apps: &names, settings: &settings, aliases: &aliases() };
    let sources = Sources::of_process(place.config.clone(), flags)?;
    Ok(Config::load(&sources, &known)?)
}

/// What `-q` and `-v` mean for the log.
pub(crate) fn level(verbosity: Verbosity) -> Option<Flag> {
    let ours = ["turno", "host", "store", "bus", "web"];
    let (name, value) = match (verbosity.quiet, verbosity.verbose) {
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
    let fixed = config.app_settings.iter().map(fixed).collect();
    Settings::new(settings(&all()), fixed).map_err(|invalid| {
        let culprit = config.app_settings.iter().find(|setting| setting.key == invalid.key);
        let origin = culprit.map_or_else(String::new, |setting| format!("{}: ", setting.origin));
        let hint = format!("`turno config explain {}` says what it takes", invalid.key);
        Exit::usage(format!("{origin}{invalid}")).hint(hint)
    })
}

fn fixed(setting: &AppSetting) -> Override {
    let AppSetting { app, key, value, origin, locked: _ } = setting.clone();
    let origin = match origin {
        Origin::Environment { name } => From::Environment(name),
        other => From::File(other.to_string()),
    };
    Override { app, key, value, origin }
}

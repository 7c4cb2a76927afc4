//! `turno config`: what is in force, from where, and what it means.

use db::settings::{Kind, Setting};
use serde_json::{Value, json};
use terminal::{Code, Exit, output};

use crate::apps;
use crate::cli::{Explain, Read};
use crate::config::{Config, Entry, Origin, nearest, setting_name};

pub(crate) fn show(args: &Read) -> Result<(), Exit> {
    let config = apps::configure(&args.place, None)?;
    let entries = entries(&config)?;
    if args.json {
        output::say_json(&entries.iter().map(entry_json).collect());
        return Ok(());
    }
    let row = |entry: &Entry| {
        vec![entry.key.clone(), entry.value_shown.clone(), entry.origin.to_string()]
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    output::say(&output::table(&["SETTING", "VALUE", "FROM"], &rows));
    Ok(())
}

/// Those of the configuration, and what an application takes from variables of its own.
fn entries(config: &Config) -> Result<Vec<Entry>, Exit> {
    let own = docproc::drivers::environment::shown(&config.server.data_dir)?;
    let entry = |one: docproc::drivers::environment::Shown| Entry {
        key: format!("{}.{}", docproc::NAME, one.key),
        value_shown: one.value,
        default_shown: String::new(),
        origin: if one.given {
            Origin::Environment { name: one.variable.to_owned() }
        } else {
            Origin::Default
        },
        variable: one.variable.to_owned(),
        comment: one.help.to_owned(),
    };
    Ok(config.entries().iter().cloned().chain(own.into_iter().map(entry)).collect())
}

pub(crate) fn explain(args: &Explain) -> Result<(), Exit> {
    let config = apps::configure(&args.read.place, None)?;
    let specs = apps::settings(&apps::all());
    let key = args.key.as_str();
    if let Some(spec) = specs.iter().find(|spec| is_meant(key, spec.app, spec.key)) {
        explain_setting(spec, &config, args.read.json);
        return Ok(());
    }
    let own = |entry: &&Entry| {
        entry.key.split_once('.').is_some_and(|(section, name)| is_meant(key, section, name))
    };
    let all = entries(&config)?;
    if let Some(entry) = all.iter().find(own) {
        explain_entry(entry, args.read.json);
        return Ok(());
    }
    let entries = all.iter().map(|entry| entry.key.as_str());
    let names = entries.clone().filter_map(|path| path.split_once('.')).map(|(_, name)| name);
    let known = entries.chain(names).chain(specs.iter().map(|spec| spec.key));
    let hint = match nearest(key, known) {
        Some(rather) => format!("did you mean {rather}?"),
        None => "`turno config show` lists them".to_owned(),
    };
    Err(Exit::new(Code::NotFound, format!("there is no setting {key}")).hint(hint))
}

fn is_meant(word: &str, section: &str, name: &str) -> bool {
    word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(&format!("{section}.{name}"))
}

fn explain_entry(entry: &Entry, as_json: bool) {
    if as_json {
        output::say_json(&entry_json(entry));
        return;
    }
    let Entry { key, value_shown, default_shown, variable, origin, comment } = entry;
    output::say(&format!(
        "{key} = {value_shown}\n\n{comment}\n\nfrom:        {origin}\ndefault:     \
         {default_shown}\nenvironment: {variable}, or {variable}_FILE to read it from a file"
    ));
}

fn explain_setting(spec: &Setting, config: &Config, as_json: bool) {
    let given = config.app_settings.iter().find(|one| one.app == spec.app && one.key == spec.key);
    let (app, key, help, variable) =
        (spec.app, spec.key, spec.help.1, setting_name(spec.app, spec.key));
    let takes = takes(spec.kind);
    if as_json {
        output::say_json(&json!({
            "key": format!("{app}.{key}"), "help": help, "takes": takes, "variable": variable,
            "default": serde_json::from_str::<Value>(spec.default).unwrap_or_default(),
            "value": given.map(|one| &one.value),
            "origin": given.map(|one| one.origin.to_string()),
            "locked": given.is_some_and(|one| one.locked),
        }));
        return;
    }
    let given = match given {
        None => "nothing: the console decides".to_owned(),
        Some(one) if one.locked => format!("{} from {}; locked", one.value, one.origin),
        Some(one) => format!("{} from {}, until the console changes it", one.value, one.origin),
    };
    output::say(&format!(
        "{app}.{key}\n\n{help}\n\ntakes:       {takes}\ndefault:     {}\ndeployment:  \
         {given}\nenvironment: {variable}",
        spec.default
    ));
}

fn takes(kind: Kind) -> String {
    match kind {
        Kind::Int { min, max } => format!("a whole number from {min} to {max}"),
        Kind::IntUpTo { min, ceiling } => format!("a whole number from {min} to {ceiling}"),
        Kind::Bool => "true or false".into(),
        Kind::Choice(words) => words.join(", "),
        Kind::Text { max } | Kind::Secret { max } => format!("text of at most {max} characters"),
        Kind::TimeOfDay => "a time of day, HH:MM".into(),
        Kind::Share => "a number from 0 to 1".into(),
        Kind::Internal => "what the application writes; not to be set by hand".into(),
    }
}

fn entry_json(entry: &Entry) -> Value {
    let Entry { key, value_shown, default_shown, variable, origin, comment } = entry;
    json!({
        "key": key, "value": value_shown, "default": default_shown, "variable": variable,
        "origin": origin.to_string(), "comment": comment,
    })
}

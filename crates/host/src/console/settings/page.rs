//! The page of settings.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use db::settings::{Effective, Kind, Origin, Refused, Values};
use jiff::Timestamp;
use serde_json::Value as Json;
use web::{Lang, Page, Tone};

use super::{api::configurable, change_setting, expected, may_configure};
use crate::{
    Failure,
    actor::insufficient_role,
    console::{
        Console,
        forms::{Done, Fields, html},
    },
};

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    page: Page,
    groups: Vec<Group>,
}

struct Group {
    title: &'static str,
    lines: Vec<Line>,
}

/// One setting and its form.
struct Line {
    app: &'static str,
    key: &'static str,
    /// Of the input, for its label.
    id: String,
    help: &'static str,
    input: Input,
    /// In the input: what is in force, or what was typed and refused.
    value: String,
    in_force: String,
    default: String,
    hint: String,
    version: i64,
    origin: &'static str,
    origin_tone: Tone,
    by: String,
    at: Option<Timestamp>,
    locked: bool,
    error: String,
}

enum Input {
    Number { min: i64, max: i64 },
    Choice(Vec<(&'static str, &'static str)>),
    Text { max: usize },
    Secret { max: usize },
    Time,
    Share,
}

/// A form that was refused: where, what was typed, and why.
struct Attempt<'a> {
    app: &'a str,
    key: &'a str,
    typed: &'a str,
    error: String,
}

pub(super) async fn show(console: Console) -> Result<Response, Failure> {
    page(&console, StatusCode::OK, None).await
}

pub(super) async fn save(console: Console, fields: Fields) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let (app, key, typed) = (fields.get("app"), fields.get("key"), fields.get("value"));
    let app = configurable(context, &console.actor, app, key, lang)?;
    let kind = context.settings.spec(app.name, key).map(|spec| spec.kind);
    let value = parse(kind, typed);
    let version = fields.get("version").parse().ok();
    match change_setting(context, &console.actor, app.name, key, value, version).await? {
        Ok(_) => Ok(Done::Setting.lead_to(&format!("/ajustes#{}.{key}", app.name))),
        Err(refused) => {
            let error = sentence(&refused, lang);
            let attempt = Attempt { app: app.name, key, typed, error };
            page(&console, StatusCode::UNPROCESSABLE_ENTITY, Some(attempt)).await
        }
    }
}

async fn page(
    console: &Console,
    status: StatusCode,
    attempt: Option<Attempt<'_>>,
) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let apps = context.apps.iter();
    let mine: Vec<_> = apps.filter(|app| may_configure(&console.actor, app)).collect();
    if mine.is_empty() && !console.actor.is_admin() {
        return Err(insufficient_role(lang).into());
    }
    let mut tx = context.store.read().await?;
    let mut groups = Vec::new();
    for app in mine {
        let values = context.settings.load(&mut tx, app.name).await?;
        let lines: Vec<Line> = values
            .iter()
            .filter_map(|effective| line(effective, &values, attempt.as_ref(), lang))
            .collect();
        if !lines.is_empty() {
            let title = app.label(lang);
            groups.push(Group { title, lines });
        }
    }
    let page = console.page(lang.t("Ajustes", "Settings"));
    html(status, &SettingsPage { page, groups })
}

fn line(
    effective: &Effective,
    values: &Values,
    attempt: Option<&Attempt<'_>>,
    lang: Lang,
) -> Option<Line> {
    let spec = &effective.spec;
    let input = input(&spec.kind, values, lang)?;
    let attempt = attempt.filter(|one| one.app == spec.app && one.key == spec.key);
    let in_force = text(&effective.shown());
    let default = serde_json::from_str(spec.default).unwrap_or_default();
    let (origin, origin_tone, by, at) = match &effective.origin {
        Origin::Default => (lang.t("predeterminado", "default"), Tone::Plain, String::new(), None),
        Origin::File(file) => (lang.t("archivo", "file"), Tone::Info, file.clone(), None),
        Origin::Environment(name) => {
            (lang.t("entorno, fijado", "environment, locked"), Tone::Warn, name.clone(), None)
        }
        Origin::Console { by, at } => {
            (lang.t("consola", "console"), Tone::Good, by.clone(), Some(*at))
        }
    };
    Some(Line {
        app: spec.app,
        key: spec.key,
        id: format!("{}-{}", spec.app, spec.key),
        help: lang.t(spec.help.0, spec.help.1),
        input,
        value: attempt
            .map_or_else(|| in_force.clone(), |one| text(&effective.spec.shown(&one.typed.into()))),
        in_force,
        default: text(&default),
        hint: expected(effective, values, lang),
        version: effective.version,
        origin,
        origin_tone,
        by,
        at,
        locked: matches!(effective.origin, Origin::Environment(_)),
        error: attempt.map_or_else(String::new, |one| one.error.clone()),
    })
}

fn input(kind: &Kind, values: &Values, lang: Lang) -> Option<Input> {
    Some(match *kind {
        Kind::Int { min, max } => Input::Number { min, max },
        Kind::IntUpTo { min, ceiling } => {
            Input::Number { min, max: values.int(ceiling).unwrap_or(i64::MAX) }
        }
        Kind::Bool => {
            Input::Choice(vec![("true", lang.t("sí", "yes")), ("false", lang.t("no", "no"))])
        }
        Kind::Choice(words) => Input::Choice(words.iter().map(|word| (*word, *word)).collect()),
        Kind::Text { max } => Input::Text { max },
        Kind::Secret { max } => Input::Secret { max },
        Kind::TimeOfDay => Input::Time,
        Kind::Share => Input::Share,
        Kind::Internal => return None,
    })
}

/// A value as its input holds it.
fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What was typed, as the setting's type. What does not fit stays text, and is refused as such.
fn parse(kind: Option<Kind>, typed: &str) -> Json {
    let typed = typed.trim();
    match kind {
        Some(Kind::Int { .. } | Kind::IntUpTo { .. }) => {
            typed.parse::<i64>().map_or_else(|_| typed.into(), Json::from)
        }
        Some(Kind::Share) => {
            typed.replace(',', ".").parse::<f64>().map_or_else(|_| typed.into(), Json::from)
        }
        Some(Kind::Bool) => typed.parse::<bool>().map_or_else(|_| typed.into(), Json::from),
        Some(
            Kind::Choice(_)
            | Kind::Text { .. }
            | Kind::Secret { .. }
            | Kind::TimeOfDay
            | Kind::Internal,
        )
        | None => typed.into(),
    }
}

fn sentence(refused: &Refused, lang: Lang) -> String {
    match refused {
        Refused::Unknown { key } => match lang {
            Lang::Es => format!("No existe el ajuste {key}."),
            Lang::En => format!("There is no setting {key}."),
        },
        // The hint beside the input says what is accepted.
        Refused::Invalid(_) => {
            lang.t("Ese valor no se acepta.", "That value is not accepted.").to_owned()
        }
        Refused::Senseless(es, en) => lang.t(es, en).to_owned(),
        Refused::Locked { by, .. } => match lang {
            Lang::Es => format!("Lo fija {by}; la consola no lo cambia."),
            Lang::En => format!("{by} fixes it; the console cannot change it."),
        },
        Refused::Stale { .. } => lang
            .t(
                "Alguien lo cambió mientras tanto. Revisar el valor vigente y guardar de nuevo.",
                "Someone changed it in the meantime. Look at the value in force and save again.",
            )
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_typed_takes_the_type_of_the_setting() {
        let whole = Some(Kind::Int { min: 0, max: 9 });
        assert_eq!(parse(whole, " 7 "), json!(7));
        assert_eq!(parse(whole, "7.5"), json!("7.5"));
        assert_eq!(parse(Some(Kind::Bool), "true"), json!(true));
        assert_eq!(parse(Some(Kind::Text { max: 5 }), "true"), json!("true"));
    }
}

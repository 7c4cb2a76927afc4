//! The pages of settings: which there are, and those of one application with their one form.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use db::{
    Tx,
    settings::{Kind, Refused, Values},
};
use jiff::Timestamp;
use serde::Deserialize;
use web::{Lang, Page, Path, Query, Sought};

use super::{
    api::configurable,
    changing::{NotMade, Wanted, change_settings},
    line::{Attempt, Input, Line, parse, touched, written},
    may_configure,
};
use crate::{
    App, Failure,
    actor::insufficient_role,
    console::{
        Console,
        forms::{Done, Fields, html},
    },
};

/// More settings than these are folded, all but the first section.
const AT_A_GLANCE: usize = 24;
/// Changes that the first page tells of.
const LATEST: usize = 12;

#[derive(Template)]
#[template(path = "settings.html")]
struct IndexPage {
    page: Page,
    tabs: Vec<Tab>,
    typed: String,
    found: Vec<Found>,
    latest: Vec<Latest>,
}

struct Tab {
    app: &'static str,
    title: &'static str,
    count: usize,
    here: bool,
}

/// A setting that a search found.
struct Found {
    app: &'static str,
    title: &'static str,
    key: &'static str,
    label: &'static str,
    help: &'static str,
    value: String,
}

/// A setting as it was changed last.
struct Latest {
    found: Found,
    replaced: Option<String>,
    by: String,
    at: Timestamp,
}

#[derive(Template)]
#[template(path = "settings_app.html")]
struct AppPage {
    page: Page,
    tabs: Vec<Tab>,
    app: &'static str,
    sections: Vec<Section>,
    error: String,
}

struct Section {
    title: &'static str,
    lines: Vec<Line>,
    open: bool,
}

impl Section {
    const fn new(title: &'static str) -> Self {
        Self { title, lines: Vec::new(), open: true }
    }

    /// How many are not as they came.
    fn changed(&self) -> usize {
        self.lines.iter().filter(|line| !line.is_default()).count()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Search {
    #[serde(default)]
    q: String,
}

pub(super) async fn index(
    console: Console,
    Query(search): Query<Search>,
) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let mine = mine(&console)?;
    let sought = Sought::new(&search.q);
    let (mut found, mut latest) = (Vec::new(), Vec::new());
    let mut tx = context.store.read().await?;
    for app in mine {
        let values = context.settings.load(&mut tx, app.name).await?;
        for one in values.iter().filter(|one| one.spec.kind != Kind::Internal) {
            let spec = &one.spec;
            let seen = || Found {
                app: app.name,
                title: app.label(lang),
                key: spec.key,
                label: lang.t(spec.label.0, spec.label.1),
                help: lang.t(spec.help.0, spec.help.1),
                value: written(spec, &one.shown(), lang),
            };
            let line = seen();
            let text = format!("{} {} {} {}", line.title, line.label, spec.key, line.help);
            if let db::settings::Origin::Console { by, at } = &one.origin {
                let replaced = context.settings.replaced(&mut tx, one).await?;
                let replaced = replaced.map(|value| written(spec, &value, lang));
                latest.push(Latest { found: seen(), replaced, by: by.clone(), at: *at });
            }
            if !sought.is_empty() && sought.finds(&text) {
                found.push(line);
            }
        }
    }
    latest.sort_by_key(|one| std::cmp::Reverse(one.at));
    latest.truncate(LATEST);
    let page = console.page(lang.t("Ajustes", "Settings"));
    let tabs = tabs(&console, None)?;
    html(StatusCode::OK, &IndexPage { page, tabs, typed: search.q, found, latest })
}

pub(super) async fn show(console: Console, Path(app): Path<String>) -> Result<Response, Failure> {
    let app = configurable(&console.context, &console.actor, &app, &app, console.lang)?;
    page(&console, app, StatusCode::OK, &Attempt::default()).await
}

pub(super) async fn save(
    console: Console,
    Path(app): Path<String>,
    fields: Fields,
) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let app = configurable(context, &console.actor, &app, &app, lang)?;
    let mut attempt = Attempt::default();
    let mut wanted = Vec::new();
    for spec in app.settings {
        let Some(typed) = fields.given(&format!("value.{}", spec.key)) else { continue };
        let stood = fields.get(&format!("stood.{}", spec.key));
        if !touched(spec, typed, stood) {
            continue;
        }
        attempt.typed.insert(spec.key.to_owned(), typed.to_owned());
        let version = fields.get(&format!("version.{}", spec.key)).parse().ok();
        wanted.push(Wanted { key: spec.key, value: parse(spec.kind, typed), version });
    }
    if wanted.is_empty() {
        return Ok(Done::Nothing.lead_to(&format!("/ajustes/{}", app.name)));
    }
    finish(&console, app, wanted, attempt).await
}

/// Brings back what one setting was before it was changed last.
pub(super) async fn undo(
    console: Console,
    Path(app): Path<String>,
    fields: Fields,
) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let key = fields.get("key");
    let app = configurable(context, &console.actor, &app, key, lang)?;
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, app.name).await?;
    let now = values.get(key).filter(|one| one.spec.kind != Kind::Internal);
    let replaced = match now {
        Some(now) => context.settings.replaced(&mut tx, now).await?,
        None => None,
    };
    drop(tx);
    let Some((now, value)) = now.zip(replaced) else {
        let error = lang.t("No hay nada que deshacer.", "There is nothing to undo.").to_owned();
        let attempt = Attempt { key: Some(key.to_owned()), error, ..Attempt::default() };
        return page(&console, app, StatusCode::UNPROCESSABLE_ENTITY, &attempt).await;
    };
    let version = fields.get(&format!("version.{key}")).parse().ok();
    let wanted = vec![Wanted { key: now.spec.key, value, version }];
    finish(&console, app, wanted, Attempt::default()).await
}

async fn finish(
    console: &Console,
    app: &App,
    wanted: Vec<Wanted<'_>>,
    mut attempt: Attempt,
) -> Result<Response, Failure> {
    let first = wanted.first().map_or("", |one| one.key);
    let place = format!("/ajustes/{}#{first}", app.name);
    let made = change_settings(&console.context, &console.actor, app.name, wanted).await?;
    match made {
        Ok(made) if made.len() > 1 => Ok(Done::Settings.lead_to(&place)),
        Ok(_) => Ok(Done::Setting.lead_to(&place)),
        Err(NotMade { key, refused }) => {
            attempt.error = sentence(&refused, console.lang);
            attempt.key = key;
            page(console, app, StatusCode::UNPROCESSABLE_ENTITY, &attempt).await
        }
    }
}

async fn page(
    console: &Console,
    app: &App,
    status: StatusCode,
    attempt: &Attempt,
) -> Result<Response, Failure> {
    let (context, lang) = (&console.context, console.lang);
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, app.name).await?;
    let titles = app.sections.iter().map(|one| lang.t(one.title.0, one.title.1));
    let mut sections: Vec<Section> =
        titles.chain([lang.t("Lo demás", "The rest")]).map(Section::new).collect();
    for (section, line) in lines(console, app, &values, attempt, &mut tx).await? {
        sections[section].lines.push(line);
    }
    sections.retain(|section| !section.lines.is_empty());
    if let [only] = sections.as_mut_slice() {
        only.title = app.label(lang);
    }
    if sections.iter().map(|section| section.lines.len()).sum::<usize>() > AT_A_GLANCE {
        for section in sections.iter_mut().skip(1) {
            section.open = section.lines.iter().any(|line| !line.error.is_empty());
        }
    }
    let title = format!("{} · {}", lang.t("Ajustes", "Settings"), app.label(lang));
    let error = if attempt.key.is_none() { attempt.error.clone() } else { String::new() };
    let (page, tabs) = (console.page(&title), tabs(console, Some(app.name))?);
    html(status, &AppPage { page, tabs, app: app.name, sections, error })
}

/// The settings in the order in which they were declared, each with the number of its section.
async fn lines(
    console: &Console,
    app: &App,
    values: &Values,
    attempt: &Attempt,
    tx: &mut Tx,
) -> Result<Vec<(usize, Line)>, Failure> {
    let settings = &console.context.settings;
    let mut lines = Vec::new();
    for spec in app.settings {
        let Some(effective) = values.get(spec.key) else { continue };
        let replaced = settings.replaced(tx, effective).await?;
        let line = Line::new(effective, replaced.as_ref(), values, attempt, console.lang);
        let section = app.sections.iter().position(|one| one.holds(spec.key));
        lines.extend(line.map(|line| (section.unwrap_or(app.sections.len()), line)));
    }
    Ok(lines)
}

/// The applications whose settings are this person's to change.
fn mine(console: &Console) -> Result<Vec<&App>, Failure> {
    let apps = console.context.apps.iter();
    let mine: Vec<_> = apps.filter(|app| may_configure(&console.actor, app)).collect();
    if mine.is_empty() && !console.actor.is_admin() {
        return Err(insufficient_role(console.lang).into());
    }
    Ok(mine)
}

fn tabs(console: &Console, here: Option<&str>) -> Result<Vec<Tab>, Failure> {
    let shown = |app: &&App| app.settings.iter().any(|one| one.kind != Kind::Internal);
    let tab = |app: &App| Tab {
        app: app.name,
        title: app.label(console.lang),
        count: app.settings.iter().filter(|one| one.kind != Kind::Internal).count(),
        here: here == Some(app.name),
    };
    Ok(mine(console)?.into_iter().filter(shown).map(tab).collect())
}

fn sentence(refused: &Refused, lang: Lang) -> String {
    match refused {
        Refused::Unknown { key } => match lang {
            Lang::Es => format!("No existe el ajuste {key}."),
            Lang::En => format!("There is no setting {key}."),
        },
        Refused::Invalid(invalid) => {
            let why = lang.say(&invalid.reason);
            let refused = lang.t("Ese valor no se acepta", "That value is not accepted");
            format!("{refused}: {why}.")
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

//! `GET /api/search`: what Ctrl K finds beside the pages of the rail.

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Json, Lang, Query};

use super::{Console, settings};
use crate::{
    App, Context, Draw, Failure, Shortcut, accounts,
    search::{HITS, Hit, Sought},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(search))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// A number, a name or a part of it.
    #[serde(default)]
    q: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct Found {
    items: Vec<FoundItem>,
    /// Applications that could not be asked now.
    missing: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
struct FoundItem {
    /// What it is, for people.
    kind: &'static str,
    /// Whose it is, for people.
    app: &'static str,
    title: String,
    detail: String,
    href: String,
    icon: &'static str,
}

/// What has these words and is the caller's to see, in every application: things, settings, users,
/// and what can be done.
#[utoipa::path(get, path = "/api/search", tag = "console", params(Wanted),
    responses((status = 200, body = Found)))]
async fn search(console: Console, Query(wanted): Query<Wanted>) -> Result<Json<Found>, Failure> {
    let (lang, context) = (console.lang, &console.context);
    let Some(sought) = Sought::new(&wanted.q, lang) else {
        return Ok(Json(Found { items: Vec::new(), missing: Vec::new() }));
    };
    let words = web::Sought::new(&wanted.q);
    let mine = context.apps.iter().filter(|app| console.actor.role_in(app.name).is_some());
    let asked = join_all(mine.map(|app| of_app(&console, app, &sought, &words))).await;
    let (mut items, mut missing) = (Vec::new(), Vec::new());
    for (app, found) in asked {
        match found {
            Ok(found) => {
                items.extend(found.into_iter().map(|hit| item(hit, app.label(lang), lang)));
            }
            Err(error) => {
                tracing::warn!(app = app.name, %error, "a search went unanswered");
                missing.push(app.label(lang));
            }
        }
    }
    items.extend(of_house(&console, &words).await?.into_iter().map(|hit| item(hit, "Turno", lang)));
    Ok(Json(Found { items, missing }))
}

fn item(hit: Hit, app: &'static str, lang: Lang) -> FoundItem {
    let Hit { kind, icon, title, detail, href } = hit;
    FoundItem { kind: lang.t(kind.0, kind.1), app, title, detail, href, icon }
}

async fn of_app<'a>(
    console: &Console,
    app: &'a App,
    sought: &Sought,
    words: &web::Sought,
) -> (&'a App, Result<Vec<Hit>, db::Error>) {
    let lang = console.lang;
    let role = console.actor.role_in(app.name).unwrap_or_default();
    let allowed = |one: &&Shortcut| match one.draw {
        Draw::Everyone => true,
        Draw::Roles(roles) => roles.contains(&role),
    };
    let mut hits: Vec<Hit> = app
        .shortcuts
        .iter()
        .filter(allowed)
        .filter(|one| {
            words.finds(&format!("{} {}", lang.t(one.label.0, one.label.1), app.label(lang)))
        })
        .map(|one| deed(one.label, one.href, one.icon, lang))
        .collect();
    let found = match (app.search)(&console.context, &console.actor, sought).await {
        Ok(found) => found,
        Err(error) => return (app, Err(error)),
    };
    hits.extend(found.into_iter().take(HITS));
    if settings::may_configure(&console.actor, app) {
        hits.extend(of_settings(app, words, lang));
    }
    (app, Ok(hits))
}

fn deed(label: (&'static str, &'static str), href: &str, icon: &'static str, lang: Lang) -> Hit {
    Hit {
        kind: ("Acción", "Action"),
        icon,
        title: lang.t(label.0, label.1).to_owned(),
        detail: String::new(),
        href: href.to_owned(),
    }
}

fn of_settings(app: &App, words: &web::Sought, lang: Lang) -> Vec<Hit> {
    let shown = app.settings.iter().filter(|one| one.kind != db::settings::Kind::Internal);
    let hit = |one: &db::settings::Setting| Hit {
        kind: ("Ajuste", "Setting"),
        icon: "settings",
        title: lang.t(one.label.0, one.label.1).to_owned(),
        detail: one.key.to_owned(),
        href: format!("/ajustes/{}#{}", app.name, one.key),
    };
    shown
        .map(hit)
        .filter(|hit| words.finds(&format!("{} {}", hit.title, hit.detail)))
        .take(HITS)
        .collect()
}

/// Users, and what can be done in the house itself.
async fn of_house(console: &Console, words: &web::Sought) -> Result<Vec<Hit>, Failure> {
    let lang = console.lang;
    let admin = console.actor.is_admin();
    let deeds = [
        (admin, ("Nuevo usuario", "New user"), "/usuarios#user-form", "users"),
        (admin, ("Nuevo token", "New token"), "/usuarios#token-form", "users"),
        (admin, ("Verificar la auditoría", "Verify the audit"), "/auditoria?verificar=1", "audit"),
        (true, ("Documentación de la API", "API documentation"), "/api/docs", "document"),
    ];
    let mut hits: Vec<Hit> = deeds
        .into_iter()
        .filter(|(seen, label, ..)| *seen && words.finds(lang.t(label.0, label.1)))
        .map(|(_, label, href, icon)| deed(label, href, icon, lang))
        .collect();
    if admin {
        let users = accounts::users(&console.context.store).await?;
        let found = users.into_iter().filter(|user| words.finds(&user.name));
        hits.extend(found.take(HITS).map(|user| Hit {
            kind: ("Usuario", "User"),
            icon: "users",
            href: "/usuarios".to_owned(),
            detail: String::new(),
            title: user.name,
        }));
    }
    Ok(hits)
}

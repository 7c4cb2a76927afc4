//! The page of users and tokens.

use askama::Template;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use web::{Page, Query, Tone};

use super::account_failure;
use crate::{
    EVERY_APP, Failure, Grant,
    accounts::{self, ADMIN, AccountError, Refusal, Token, User},
    console::{
        Console,
        forms::{Done, Fields, html},
    },
};

/// The fields `role.<application>` of a form.
const ROLE: &str = "role.";
const TOKEN_DAYS_MAX: i64 = 3650;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    /// A user to put in the form.
    #[serde(rename = "editar")]
    edit: Option<String>,
}

#[derive(Template)]
#[template(path = "people.html")]
struct PeoplePage {
    page: Page,
    users: Vec<User>,
    tokens: Vec<Token>,
    user_form: Draft,
    token_form: Draft,
    /// The secret of a token made just now.
    secret: Option<String>,
}

/// A form with what was typed. Passwords are never sent back.
#[derive(Default)]
struct Draft {
    name: String,
    days: String,
    choices: Vec<RoleChoice>,
    error: String,
}

/// The roles one application offers.
struct RoleChoice {
    app: &'static str,
    title: &'static str,
    /// Word, title, chosen.
    roles: Vec<(&'static str, &'static str, bool)>,
}

impl PeoplePage {
    fn grants_text(&self, grants: &[Grant]) -> String {
        let name = |grant: &Grant| {
            let app = match grant.app.as_str() {
                EVERY_APP => self.page.lang.t("todas las aplicaciones", "all applications"),
                app => app,
            };
            format!("{app}: {}", grant.role)
        };
        grants.iter().map(name).collect::<Vec<_>>().join(" · ")
    }

    fn token_state(&self, token: &Token) -> (Tone, &'static str) {
        let lang = self.page.lang;
        if token.revoked_at.is_some() {
            (Tone::Plain, lang.t("revocado", "revoked"))
        } else if token.expires_at.is_some_and(|at| at <= self.page.now) {
            (Tone::Warn, lang.t("vencido", "expired"))
        } else {
            (Tone::Good, lang.t("vigente", "live"))
        }
    }
}

impl Console {
    fn draft(&self, name: &str, grants: &[Grant]) -> Draft {
        let lang = self.lang;
        let chosen = |app: &str, role: &str| {
            grants.iter().any(|grant| grant.app == app && grant.role == role)
        };
        let house = RoleChoice {
            app: EVERY_APP,
            title: lang.t("Todas las aplicaciones", "All applications"),
            roles: vec![(
                ADMIN,
                lang.t("Administrador", "Administrator"),
                chosen(EVERY_APP, ADMIN),
            )],
        };
        let of_apps = self.context.apps.iter().map(|app| RoleChoice {
            app: app.name,
            title: app.label(lang),
            roles: app
                .roles
                .iter()
                .map(|role| {
                    let title = lang.t(role.title.0, role.title.1);
                    (role.word, title, chosen(app.name, role.word))
                })
                .collect(),
        });
        Draft {
            name: name.to_owned(),
            choices: std::iter::once(house).chain(of_apps).collect(),
            ..Draft::default()
        }
    }

    /// The roles chosen in a form, checked.
    fn chosen(&self, fields: &Fields) -> Result<Vec<Grant>, (Vec<Grant>, Refusal)> {
        let apps = self.context.apps.iter().map(|app| app.name);
        let grants: Vec<Grant> = std::iter::once(EVERY_APP)
            .chain(apps)
            .map(|app| Grant {
                app: app.to_owned(),
                role: fields.get(&format!("{ROLE}{app}")).to_owned(),
            })
            .filter(|grant| !grant.role.is_empty())
            .collect();
        match accounts::check_grants(&self.context.apps, &grants) {
            Ok(()) => Ok(grants),
            Err(refusal) => Err((grants, refusal)),
        }
    }
}

pub(super) async fn show(
    console: Console,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let mut page = page(&console).await?;
    let edited = wanted.edit.and_then(|name| page.users.iter().find(|user| user.name == name));
    if let Some(user) = edited {
        page.user_form = console.draft(&user.name, &user.grants);
    }
    html(StatusCode::OK, &page)
}

async fn page(console: &Console) -> Result<PeoplePage, Failure> {
    let store = &console.context.store;
    Ok(PeoplePage {
        page: console.page(console.lang.t("Usuarios", "Users")),
        users: accounts::users(store).await?,
        tokens: accounts::tokens(store).await?,
        user_form: console.draft("", &[]),
        token_form: console.draft("", &[]),
        secret: None,
    })
}

pub(super) async fn save_user(console: Console, fields: Fields) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let (name, now) = (fields.get("name").trim(), console.context.clock.now());
    let (grants, outcome) = match console.chosen(&fields) {
        Err((grants, refusal)) => (grants, Err(refusal.into())),
        Ok(grants) => {
            let (store, by) = (&console.context.store, &console.actor);
            let password = fields.get("password");
            let put = accounts::put_user(store, by, name, password, &grants, now).await;
            (grants, put)
        }
    };
    match outcome {
        Ok(()) => Ok(Done::User.lead_to("/usuarios")),
        Err(AccountError::Refused(refusal)) => {
            let mut page = page(&console).await?;
            page.user_form = console.draft(name, &grants);
            page.user_form.error = refusal.text(console.lang);
            html(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Err(error) => Err(account_failure(error, console.lang)),
    }
}

pub(super) async fn set_active(console: Console, fields: Fields) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let (name, active) = (fields.get("name"), fields.get("active") == "true");
    let (store, now) = (&console.context.store, console.context.clock.now());
    match accounts::set_user_active(store, &console.actor, name, active, now).await {
        Ok(_) if active => Ok(Done::Activated.lead_to("/usuarios")),
        Ok(_) => Ok(Done::Deactivated.lead_to("/usuarios")),
        Err(AccountError::Refused(refusal)) => {
            let mut page = page(&console).await?;
            page.page
                .notices
                .push(web::Notice { kind: Tone::Bad, text: refusal.text(console.lang) });
            html(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Err(error) => Err(account_failure(error, console.lang)),
    }
}

/// The answer itself shows the secret: no redirect, nothing in an address, nothing kept.
pub(super) async fn add_token(console: Console, fields: Fields) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let (name, days) = (fields.get("name").trim(), fields.get("days").trim());
    let now = console.context.clock.now();
    let (grants, outcome) = match (console.chosen(&fields), expiry(days, now)) {
        (Err((grants, refusal)), _) | (Ok(grants), Err(refusal)) => (grants, Err(refusal.into())),
        (Ok(grants), Ok(expires)) => {
            let (store, by) = (&console.context.store, &console.actor);
            let made = accounts::create_token(store, by, name, &grants, expires, now).await;
            (grants, made)
        }
    };
    match outcome {
        Ok(secret) => {
            let mut page = page(&console).await?;
            page.secret = Some(secret);
            let mut response = html(StatusCode::CREATED, &page)?;
            let unkept = HeaderValue::from_static("no-store");
            response.headers_mut().insert(header::CACHE_CONTROL, unkept);
            Ok(response)
        }
        Err(AccountError::Refused(refusal)) => {
            let mut page = page(&console).await?;
            page.token_form = console.draft(name, &grants);
            days.clone_into(&mut page.token_form.days);
            page.token_form.error = refusal.text(console.lang);
            html(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
        Err(error) => Err(account_failure(error, console.lang)),
    }
}

fn expiry(days: &str, now: Timestamp) -> Result<Option<Timestamp>, Refusal> {
    if days.is_empty() {
        return Ok(None);
    }
    match days.parse::<i64>() {
        Ok(days @ 1..=TOKEN_DAYS_MAX) => Ok(Some(now + SignedDuration::from_hours(24 * days))),
        Ok(_) | Err(_) => Err(Refusal::Expired),
    }
}

pub(super) async fn drop_token(console: Console, fields: Fields) -> Result<Response, Failure> {
    console.actor.require_admin(console.lang)?;
    let (store, now) = (&console.context.store, console.context.clock.now());
    if let Ok(id) = fields.get("id").parse() {
        // Revoked twice is revoked: both people who pressed the button wanted the same.
        accounts::revoke_token(store, &console.actor, id, now).await?;
    }
    Ok(Done::Revoked.lead_to("/usuarios"))
}

//! `/`: for each application what it is for, how it stands, and what to do first.

use askama::Template;
use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use futures::future::join_all;
use web::Page;

use super::{Console, alerts::Shown, forms::html};
use crate::{Act, App, Failure, Glance, store::alerts as rows};

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    page: Page,
    topics: String,
    cards: Vec<Card>,
    /// What fires and belongs to no application.
    firing: Vec<Shown>,
    is_admin: bool,
}

struct Card {
    title: String,
    purpose: &'static str,
    act: Option<Act>,
    /// Nothing when it cannot be told now.
    glance: Option<Glance>,
    /// The worst of what fires.
    alert: Option<Shown>,
    more: usize,
}

/// Whoever has pages in one application only is there at once.
fn only_page(console: &Console) -> Option<String> {
    let page = console.page("");
    match page.apps() {
        [only] if !console.actor.is_admin() => only.items.first().map(|item| item.href.clone()),
        _ => None,
    }
}

pub(super) async fn show(console: Console) -> Result<Response, Failure> {
    if let Some(first) = only_page(&console) {
        return Ok(Redirect::to(&first).into_response());
    }
    let context = &console.context;
    let firing: Vec<Shown> = rows::list(&context.store)
        .await?
        .into_iter()
        .filter(|kept| kept.firing && console.sees(&kept.app))
        .map(|kept| console.shown(kept))
        .collect();
    let (mut own, of_apps): (Vec<_>, Vec<_>) =
        firing.into_iter().partition(|one| context.app(&one.kept.app).is_none());
    own.truncate(5);
    let seen = context.apps.iter().filter(|app| console.links(app).is_some());
    let cards = join_all(seen.map(|app| card(&console, app, &of_apps))).await;
    let page = OverviewPage {
        page: console.page(console.lang.t("Inicio", "Home")),
        topics: console.topics(),
        cards,
        firing: own,
        is_admin: console.actor.is_admin(),
    };
    html(StatusCode::OK, &page)
}

async fn card(console: &Console, app: &App, firing: &[Shown]) -> Card {
    let glance = match &app.home {
        Some(home) => (home.glance)(console.context.clone())
            .await
            .inspect_err(|error| tracing::warn!(app = app.name, %error, "no glance"))
            .ok(),
        None => None,
    };
    let mut of_app: Vec<&Shown> = firing.iter().filter(|one| one.kept.app == app.name).collect();
    // CRITICAL before WARNING.
    of_app.sort_by(|one, other| one.kept.severity.cmp(&other.kept.severity));
    Card {
        title: app.label(console.lang).to_owned(),
        purpose: app
            .home
            .as_ref()
            .map_or("", |home| console.lang.t(home.purpose.0, home.purpose.1)),
        act: app.home.as_ref().map(|home| home.act),
        glance,
        more: of_app.len().saturating_sub(1),
        alert: of_app.first().map(|one| (*one).clone()),
    }
}

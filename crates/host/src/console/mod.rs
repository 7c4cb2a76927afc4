//! The pages every application shares: overview, settings, audit, events, alerts, people.

mod alerts;
mod audit;
mod csv;
mod events;
mod forms;
mod login;
mod overview;
mod people;
pub(crate) mod reference;
mod search;
mod sessions;
mod settings;
mod system;
mod wire;

use axum::{
    extract::{FromRef, FromRequestParts},
    http::request::Parts,
};
use utoipa_axum::router::OpenApiRouter;
use web::routing::{boxed, get, post};
use web::{Lang, NavGroup, NavItem, Notice, Page, Theme, Tone, Who};

use crate::{Actor, App, Context, Draw, Failure, Identity, store::alerts::Badge};
use forms::Done;

pub use settings::change_setting;

pub(crate) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .route("/", get(overview::show))
        .route("/login", get(login::show).post(boxed(login::enter)))
        .route("/logout", post(login::leave))
        .route("/eventos", get(events::show))
        .route("/sistema", get(system::show))
        .merge(alerts::routes())
        .merge(audit::routes())
        .merge(people::routes())
        .merge(search::routes())
        .merge(sessions::routes())
        .merge(settings::routes())
}

/// All that a page needs to know of its request.
#[derive(Clone, Debug)]
pub struct Console {
    pub context: Context,
    pub actor: Actor,
    pub lang: Lang,
    pub theme: Theme,
    pub path: String,
    /// What fires, for the rail.
    firing: Badge,
}

impl Console {
    /// The frame of a page: rail, person, language, theme, time.
    pub fn page(&self, title: &str) -> Page {
        let context = &self.context;
        let mut page = Page::new(self.lang, self.theme, context.clock.now(), context.zone.clone());
        title.clone_into(&mut page.title);
        let (path, done) = Done::split(&self.path);
        page.path = path;
        page.notices = done
            .map(|done| Notice { kind: Tone::Good, text: done.text(self.lang).to_owned() })
            .into_iter()
            .collect();
        context.options.version.clone_into(&mut page.version);
        page.nav = self.nav();
        page.who = Who {
            name: self.actor.name.clone(),
            role: self.actor.grants.first().map(|grant| grant.role.clone()).unwrap_or_default(),
            open: self.actor.identity == Identity::Open,
        };
        page
    }

    fn nav(&self) -> Vec<NavGroup> {
        let of_apps = self.context.apps.iter().filter_map(|app| {
            let title = app.label(self.lang).to_owned();
            let tour = app.assets.iter().find(|bundle| bundle.contains("tour.js"));
            let tour = tour.map(|bundle| bundle.url("tour.js"));
            Some(NavGroup { items: self.links(app)?, title, icon: app.icon, tour })
        });
        let (title, items) = ("Turno".to_owned(), self.own_items());
        let own = NavGroup { title, icon: "home", items, tour: None };
        of_apps.chain([own]).collect()
    }

    /// The pages of an application that this actor finds in the rail, if any are theirs.
    fn links(&self, app: &App) -> Option<Vec<NavItem>> {
        let role = self.actor.role_in(app.name)?;
        let seen = app.nav.iter().filter(|nav| match nav.draw {
            Draw::Everyone => true,
            Draw::Roles(roles) => roles.contains(&role),
        });
        let item = |nav: &crate::Nav| {
            let label = self.lang.t(nav.title.0, nav.title.1);
            NavItem::new(nav.href, label, nav.icon, nav.hotkey)
        };
        Some(seen.map(item).collect())
    }

    fn own_items(&self) -> Vec<NavItem> {
        let lang = self.lang;
        let admin = self.actor.is_admin();
        let configures =
            admin || self.context.apps.iter().any(|app| settings::may_configure(&self.actor, app));
        let all = [
            (true, "/", lang.t("Inicio", "Home"), "home", 'i'),
            (true, "/eventos", lang.t("Eventos", "Events"), "events", 'e'),
            (true, "/alertas", lang.t("Alertas", "Alerts"), "bell", 'a'),
            (configures, "/ajustes", lang.t("Ajustes", "Settings"), "settings", 's'),
            (admin, "/auditoria", lang.t("Auditoría", "Audit"), "audit", 'u'),
            (admin, "/usuarios", lang.t("Usuarios", "Users"), "users", 'p'),
            (true, "/sistema", lang.t("Sistema", "System"), "server", '0'),
        ];
        let mark = alerts::mark(self.firing, lang);
        all.into_iter()
            .filter(|(seen, ..)| *seen)
            .map(|(_, href, label, icon, key)| NavItem::new(href, label, icon, Some(key)))
            .map(|item| match item.href.as_str() {
                "/alertas" => NavItem { mark: mark.clone(), ..item },
                _ => item,
            })
            .collect()
    }

    /// Whether how an application is doing is this actor's to see. The house's own is for those
    /// who run it.
    fn sees(&self, app: &str) -> bool {
        match self.context.app(app) {
            Some(app) => app.shows_all_to(&self.actor),
            None => self.actor.is_admin(),
        }
    }

    /// A page without its mark is better than no page.
    async fn count_firing(&self) -> Badge {
        let (store, now) = (&self.context.store, self.context.clock.now());
        crate::store::alerts::badge(store, now, |app| self.sees(app)).await.unwrap_or_default()
    }

    /// The topics a live page asks for.
    fn topics(&self) -> String {
        let apps = self.app_choices();
        let names: Vec<&str> = apps.iter().map(|(name, _)| *name).collect();
        names.join(",")
    }

    /// The applications a person can filter by.
    fn app_choices(&self) -> Vec<(&'static str, &'static str)> {
        let apps = self.context.apps.iter().filter(|app| self.actor.role_in(app.name).is_some());
        let mut choices: Vec<_> = apps.map(|app| (app.name, app.label(self.lang))).collect();
        if self.actor.is_admin() {
            choices.push(("host", "Turno"));
        }
        choices
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Console
where
    Context: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let actor = Actor::from_request_parts(parts, state).await?;
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut console = Self {
            context: Context::from_ref(state),
            actor,
            lang: Lang::from_headers(&parts.headers),
            theme: Theme::from_headers(&parts.headers),
            path: path.to_owned(),
            firing: Badge::default(),
        };
        console.firing = console.count_firing().await;
        Ok(console)
    }
}

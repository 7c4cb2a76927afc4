//! The pages every application shares: overview, settings, audit, events, alerts, people.

use axum::{extract::FromRequestParts, http::request::Parts};
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, NavGroup, NavItem, Page, Theme, Who};

use crate::{Actor, Context, Draw, Failure, Identity};

pub(crate) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
}

/// All that a page needs to know of its request.
#[derive(Clone, Debug)]
pub struct Console {
    pub context: Context,
    pub actor: Actor,
    pub lang: Lang,
    pub theme: Theme,
    pub path: String,
}

impl Console {
    /// The frame of a page: rail, person, language, theme, time.
    pub fn page(&self, title: &str) -> Page {
        let context = &self.context;
        let mut page = Page::new(
            self.lang,
            self.theme,
            context.clock.now(),
            context.zone.clone(),
        );
        title.clone_into(&mut page.title);
        page.path.clone_from(&self.path);
        page.version = context.options.version.to_owned();
        page.nav = self.nav();
        page.who = Who {
            name: self.actor.name.clone(),
            role: self
                .actor
                .grants
                .first()
                .map(|grant| grant.role.clone())
                .unwrap_or_default(),
            open: self.actor.identity == Identity::Open,
        };
        page
    }

    fn nav(&self) -> Vec<NavGroup> {
        let lang = self.lang;
        let mut groups: Vec<NavGroup> = Vec::new();
        for app in &self.context.apps {
            let Some(role) = self.actor.role_in(app.name) else {
                continue;
            };
            let seen = app.nav.iter().filter(|nav| match nav.draw {
                Draw::Everyone => true,
                Draw::Roles(roles) => roles.contains(&role),
            });
            let items = seen
                .map(|nav| {
                    let label = lang.t(nav.title.0, nav.title.1);
                    NavItem::new(nav.href, label, nav.icon, nav.hotkey)
                })
                .collect();
            groups.push(NavGroup {
                title: app.label(lang).to_owned(),
                items,
            });
        }
        groups.push(NavGroup {
            title: "Turno".to_owned(),
            items: self.own_items(),
        });
        groups
    }

    fn own_items(&self) -> Vec<NavItem> {
        let lang = self.lang;
        let mut items = vec![NavItem::new(
            "/",
            lang.t("Resumen", "Overview"),
            "home",
            Some('i'),
        )];
        items.push(NavItem::new(
            "/eventos",
            lang.t("Eventos", "Events"),
            "list",
            Some('e'),
        ));
        items.push(NavItem::new(
            "/alertas",
            lang.t("Alertas", "Alerts"),
            "alert",
            Some('a'),
        ));
        if self.actor.is_admin() || self.configures_something() {
            items.push(NavItem::new(
                "/ajustes",
                lang.t("Ajustes", "Settings"),
                "settings",
                Some('s'),
            ));
        }
        if self.actor.is_admin() {
            let label = lang.t("Auditoría", "Audit");
            items.push(NavItem::new("/auditoria", label, "shield", Some('u')));
            let label = lang.t("Usuarios", "Users");
            items.push(NavItem::new("/usuarios", label, "user", Some('p')));
        }
        items
    }

    fn configures_something(&self) -> bool {
        self.context.apps.iter().any(|app| {
            self.actor
                .role_in(app.name)
                .is_some_and(|role| (app.may_configure)(role))
        })
    }
}

impl FromRequestParts<Context> for Console {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, context: &Context) -> Result<Self, Failure> {
        let actor = Actor::from_request_parts(parts, context).await?;
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self {
            context: context.clone(),
            actor,
            lang: Lang::from_headers(&parts.headers),
            theme: Theme::from_headers(&parts.headers),
            path: path.to_owned(),
        })
    }
}

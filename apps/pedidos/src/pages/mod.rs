//! The four screens. Structs here carry what a page shows; the routes fill them.

pub(crate) mod glance;
pub(crate) mod lexicon;
pub mod panel;

use std::sync::LazyLock;

use askama::Template;
use web::{Bundle, Page, rust_embed::RustEmbed};

pub use panel::PanelPage;

use crate::rules::slip::{Mark, Slip};

#[derive(RustEmbed)]
#[crate_path = "web::rust_embed"]
#[folder = "assets"]
struct Files;

/// Scripts and styles of these screens, served at `/assets/pedidos/…`.
pub static ASSETS: LazyLock<Bundle> = LazyLock::new(|| Bundle::of::<Files>("pedidos"));

/// The address of one of our files, for templates.
pub(crate) fn asset(file: &str) -> String {
    ASSETS.url(file)
}

/// `/mostrador`: the board of the counter. Its orders come from `GET /api/pedidos/tablero`.
#[derive(Template)]
#[template(path = "counter.html")]
pub struct CounterPage {
    pub page: Page,
}

impl CounterPage {
    /// The columns of the board: the state they show and their title.
    fn columns(&self) -> [(&'static str, &'static str); 3] {
        [
            ("RECIBIDO", self.page.t("Recibidos", "Received")),
            ("EN_PREPARACION", self.page.t("En preparación", "Preparing")),
            ("LISTO", self.page.t("Listos", "Ready")),
        ]
    }
}

/// `/cocina`: the kitchen display. Its tickets come from `GET /comandas`.
#[derive(Template)]
#[template(path = "kitchen.html")]
pub struct KitchenPage {
    pub page: Page,
}

/// `/comandas/{id}/impresion`: a ticket for the browser's own printer.
#[derive(Template)]
#[template(path = "paper.html")]
pub struct PaperPage {
    pub page: Page,
    pub slip: Slip,
}

/// `/pantalla`: numbers for customers. They come from `GET /api/pedidos/pantalla`.
#[derive(Template)]
#[template(path = "screen.html")]
pub struct ScreenPage {
    pub page: Page,
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, tz::TimeZone};
    use web::{Lang, Theme};

    use super::{panel::Figures, *};

    fn all(lang: Lang) -> Vec<String> {
        let page = || Page::new(lang, Theme::Dark, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        let panel = PanelPage {
            page: page(),
            period: web::Period::Week,
            board: panel::OnBoard::default(),
            figures: Figures::default(),
            hours: Vec::new(),
            stations: vec![("parrilla".to_owned(), vec![Some(8.5); 24])],
            articles: Vec::new(),
            advice: Vec::new(),
            past_days: vec!["2026-06-19".to_owned()],
            capacity: 8,
            may_configure: true,
        };
        vec![
            CounterPage { page: page() }.render().unwrap(),
            KitchenPage { page: page() }.render().unwrap(),
            ScreenPage { page: page() }.render().unwrap(),
            panel.render().unwrap(),
        ]
    }

    #[test]
    fn pages_obey_the_content_policy() {
        for html in [all(Lang::Es), all(Lang::En)].concat() {
            assert!(!html.contains(" style=") && !html.contains("http://"));
            assert!(!html.contains("https://") && !html.contains(" onclick="));
            assert_eq!(html.matches("<script").count(), html.matches(" src=").count());
        }
    }

    #[test]
    fn days_are_written_as_people_write_them() {
        assert!(all(Lang::Es)[3].contains(">vie 19/06/2026<"));
        assert!(all(Lang::En)[3].contains(">Fri 19 Jun 2026<"));
    }

    #[test]
    fn every_file_a_page_names_is_embedded() {
        for html in all(Lang::Es) {
            for address in html.split("/assets/").skip(1).filter_map(|rest| rest.split('"').next())
            {
                let plain = address.split(['?', '#']).next().unwrap_or_default();
                let (bundle, file) = plain.split_once('/').unwrap();
                let known = match bundle {
                    "web" => web::assets::KIT.contains(file),
                    _ => ASSETS.contains(file),
                };
                assert!(known, "{address}");
            }
        }
    }
}

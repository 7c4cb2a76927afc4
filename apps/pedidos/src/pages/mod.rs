//! The four screens. Structs here carry what a page shows; the routes fill them.

pub mod counter;
pub mod kitchen;
pub mod panel;
pub mod screen;

use std::sync::LazyLock;

use web::Bundle;
use web::rust_embed::RustEmbed;

pub use counter::CounterPage;
pub use kitchen::KitchenPage;
pub use panel::PanelPage;
pub use screen::ScreenPage;

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

#[cfg(test)]
mod tests {
    use askama::Template as _;
    use jiff::{Timestamp, tz::TimeZone};
    use web::{Lang, Page, Theme};

    use super::{panel::Figures, *};

    fn all(lang: Lang) -> Vec<String> {
        let page = || Page::new(lang, Theme::Dark, Timestamp::UNIX_EPOCH, TimeZone::UTC);
        let panel = PanelPage {
            page: page(),
            days: 7,
            figures: Figures::default(),
            hours: Vec::new(),
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

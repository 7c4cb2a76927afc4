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

//! The screens. Structs here carry what a page shows; the routes fill them.

pub mod backoffice;
pub mod capacity;
pub mod flow;
pub(crate) mod glance;
pub(crate) mod lexicon;
pub mod overview;
pub mod quality;
pub mod request;
pub mod requests;
pub mod sheet;
pub mod troubles;
pub mod upload;
pub mod words;

use std::sync::LazyLock;

pub use backoffice::{BackofficePage, OperatorsPage, StationPage};
pub use capacity::CapacityPage;
pub use overview::OverviewPage;
pub use quality::QualityPage;
pub use request::{NoRequestPage, RequestPage};
pub use requests::RequestsPage;
pub use upload::UploadPage;
use web::Bundle;
use web::rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[crate_path = "web::rust_embed"]
#[folder = "assets"]
struct Files;

/// Scripts and styles of these screens, served at `/assets/docproc/…`.
pub static ASSETS: LazyLock<Bundle> = LazyLock::new(|| Bundle::of::<Files>("docproc"));

/// The address of one of our files, for templates.
pub(crate) fn asset(file: &str) -> String {
    ASSETS.url(file)
}

#[cfg(test)]
mod tests;

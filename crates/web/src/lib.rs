//! The console kit: what every page and every HTTP answer of the house has in common.
//!
//! It knows neither store nor bus nor host. An application brings its templates (which extend
//! `layout.html` or `bare.html` of this crate), its own [`Bundle`] of assets and its handlers;
//! the kit brings the frame, the two languages, the problem answers, the live stream and the
//! locks on the door.

pub mod assets;
pub mod bounds;
mod fields;
pub mod finding;
pub mod json;
pub mod lang;
mod offline;
pub mod page;
pub mod period;
pub mod preferences;
pub mod problem;
pub mod routing;
pub mod security;
pub mod sheet;
pub mod sse;
pub mod svg;
pub mod theme;
pub mod wording;

pub use assets::{Assets, Bundle, asset_url};
pub use finding::Sought;
pub use json::{Field, Json, Path, Query, names_nul, nullable};
pub use lang::Lang;
pub use page::{Mark, NavGroup, NavItem, Notice, Page, Tone, Who};
pub use period::{Period, Spans};
pub use preferences::preferences;
pub use problem::{FieldError, Problem, Way, problem_pages};
pub use theme::Theme;

/// Applications embed their files with it, naming `#[crate_path = "web::rust_embed"]`.
pub use rust_embed;

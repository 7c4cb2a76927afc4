//! What operators may change while Turno runs.

mod api;
mod changing;
mod line;
mod page;

use db::settings::{Effective, Kind, Values};
use utoipa_axum::router::OpenApiRouter;
use web::Lang;
use web::routes;
use web::routing::{boxed, get, post};

use crate::{Actor, App, Context};

pub use changing::change_setting;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(api::list))
        .routes(routes!(api::one, api::put))
        .route("/ajustes", get(page::index))
        .route("/ajustes/{app}", get(page::show).post(boxed(page::save)))
        .route("/ajustes/{app}/deshacer", post(page::undo))
}

/// Whether this actor may change the settings of an application.
pub(super) fn may_configure(actor: &Actor, app: &App) -> bool {
    actor.is_admin() || actor.role_in(app.name).is_some_and(|role| (app.may_configure)(role))
}

/// What a setting accepts, for people.
fn expected(effective: &Effective, values: &Values, lang: Lang) -> String {
    let whole = |min: i64, max: i64| match lang {
        Lang::Es => format!("Un número entero de {min} a {max}"),
        Lang::En => format!("A whole number from {min} to {max}"),
    };
    match effective.spec.kind {
        Kind::Int { min, max } => whole(min, max),
        Kind::IntUpTo { min, ceiling } => {
            let max = values.int(ceiling).unwrap_or(i64::MAX);
            format!("{} ({ceiling})", whole(min, max))
        }
        Kind::Bool => lang.t("Sí o no", "Yes or no").to_owned(),
        Kind::Choice(words) => {
            format!("{}: {}", lang.t("Una de", "One of"), words.join(", "))
        }
        Kind::Text { max } => match lang {
            Lang::Es => format!("Texto de hasta {max} caracteres"),
            Lang::En => format!("Text of at most {max} characters"),
        },
        Kind::Secret { max } => match lang {
            Lang::Es => format!("Secreto de hasta {max} caracteres; no se vuelve a mostrar"),
            Lang::En => format!("A secret of at most {max} characters; never shown again"),
        },
        Kind::TimeOfDay => lang.t("Una hora, HH:MM", "A time of day, HH:MM").to_owned(),
        Kind::Share => lang.t("Un número de 0 a 1", "A number from 0 to 1").to_owned(),
        Kind::Internal => String::new(),
    }
}

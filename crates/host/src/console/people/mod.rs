//! `/usuarios`: who may sign in, which programs may call, and as what.

mod api;
mod page;

use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::routing::{boxed, get, post};
use web::{Lang, Problem};

use crate::{
    Context, Failure,
    accounts::{AccountError, Refusal},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(api::list_users, api::put_user))
        .routes(routes!(api::activate))
        .routes(routes!(api::list_tokens, api::create_token))
        .routes(routes!(api::revoke_token))
        .route("/usuarios", get(page::show).post(boxed(page::save_user)))
        .route("/usuarios/activo", post(page::set_active))
        .route("/usuarios/tokens", post(page::add_token))
        .route("/usuarios/tokens/revocar", post(page::drop_token))
}

/// What a refused or failed account change answers.
pub(super) fn account_failure(error: AccountError, lang: Lang) -> Failure {
    match error {
        AccountError::Refused(refusal) => refused(&refusal, lang).into(),
        AccountError::Hashing => {
            tracing::error!("a password could not be hashed");
            Problem::internal(lang).into()
        }
        AccountError::Store(error) => error.into(),
    }
}

fn refused(refusal: &Refusal, lang: Lang) -> Problem {
    let text = refusal.text(lang);
    let problem = match refusal {
        Refusal::TokenTaken | Refusal::LastAdmin => Problem::conflict(refusal.code()),
        Refusal::UserName
        | Refusal::Password
        | Refusal::TokenName
        | Refusal::NoRole
        | Refusal::RepeatedApp
        | Refusal::UnknownRole(_)
        | Refusal::Expired => Problem::unprocessable(refusal.code()),
    };
    let problem = problem.lang(lang).detail(text.clone());
    match refusal.field() {
        Some(field) => problem.error(field, text),
        None => problem,
    }
}

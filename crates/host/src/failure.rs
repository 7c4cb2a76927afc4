//! Why a handler could not answer, as a problem for the client.

use axum::response::{IntoResponse, Response};
use engine::Sentence;
use web::{Lang, Problem};

/// Why a handler could not answer: a problem to show, or a store that failed.
#[derive(Debug)]
pub struct Failure(Problem);

impl Failure {
    /// What people are told.
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<db::Error> for Failure {
    fn from(error: db::Error) -> Self {
        let lang = Lang::Es;
        match &error {
            db::Error::Unavailable(source) => {
                tracing::warn!(error = %source, "database unavailable");
                Self(Problem::unavailable("BASE_DE_DATOS_NO_DISPONIBLE").lang(lang).say(
                    Sentence::new(
                        "La base de datos no responde; no se cambió nada.",
                        "The database does not answer; nothing was changed.",
                    ),
                ))
            }
            db::Error::Unanswered(source) => {
                tracing::warn!(error = %source, "a commit was not answered");
                Self(Problem::unavailable("BASE_DE_DATOS_SIN_RESPUESTA").lang(lang).say(Sentence::new(
                    "La base de datos no dijo si lo guardó; puede estar hecho. Conviene comprobarlo \
                     antes de repetir, o repetir con la misma Idempotency-Key.",
                    "The database did not say whether it kept it; it may be done. Look before you \
                     repeat, or repeat with the same Idempotency-Key.",
                )))
            }
            db::Error::Conflict(what) => {
                tracing::info!(%what, "conflicting change refused");
                Self(Problem::conflict("CAMBIO_CONCURRENTE").lang(lang).say(Sentence::new(
                    "Alguien cambió esto al mismo tiempo; se puede intentar de nuevo.",
                    "Someone changed this at the same time; try again.",
                )))
            }
            db::Error::Unfit(_) => Self(Problem::nul(lang)),
            db::Error::Duplicate { .. }
            | db::Error::Corrupt { .. }
            | db::Error::Migration { .. }
            | db::Error::Newer(_)
            | db::Error::Database(_) => {
                tracing::error!(error = %error, source = ?std::error::Error::source(&error), "store failed");
                Self(Problem::internal(lang))
            }
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

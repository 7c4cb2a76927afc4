//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod answers;
mod capacity;
mod intake;
mod pictures;
mod queue;
mod requests;
mod screens;
mod steer;
mod tasks;
mod workflows;

use axum::{extract::FromRequestParts, http::request::Parts};
use host::{Actor, Context, Failure};
use jiff::Timestamp;
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, Problem};

use crate::{
    decisions::{By, Refusal},
    policy::{Action, Role, can},
    wire,
};

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(intake::routes())
        .merge(answers::routes())
        .merge(requests::routes())
        .merge(pictures::routes())
        .merge(steer::routes())
        .merge(queue::routes())
        .merge(tasks::routes())
        .merge(capacity::routes())
        .merge(workflows::routes())
        .merge(screens::routes())
}

/// Someone with a role in this application, asking something now.
pub struct Desk {
    pub context: Context,
    pub actor: Actor,
    pub role: Role,
    pub lang: Lang,
    pub now: Timestamp,
}

impl FromRequestParts<Context> for Desk {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, context: &Context) -> Result<Self, Failure> {
        let lang = Lang::from_headers(&parts.headers);
        let actor = Actor::from_request_parts(parts, context).await?;
        let role = wire::role_of(&actor).ok_or_else(|| {
            Problem::forbidden("ROL_INSUFICIENTE")
                .lang(lang)
                .detail(lang.t("No tienes un rol en DocProc.", "You have no role in DocProc."))
        })?;
        let context = context.clone();
        let now = context.clock.now();
        Ok(Self { context, actor, role, lang, now })
    }
}

impl Desk {
    pub fn by(&self) -> By {
        By { name: self.actor.name.clone(), role: self.role.word() }
    }

    pub fn require(&self, action: Action) -> Result<(), Failure> {
        if can(self.role, action) {
            return Ok(());
        }
        Err(Problem::forbidden("ROL_INSUFICIENTE")
            .lang(self.lang)
            .detail(
                self.lang
                    .t("Tu rol no permite esta acción.", "Your role does not allow this action."),
            )
            .into())
    }

    pub fn no_request(&self) -> Problem {
        Problem::not_found("SOLICITUD_INEXISTENTE")
            .lang(self.lang)
            .detail(self.lang.t("No existe esa solicitud.", "Request not found."))
    }

    pub fn refused(&self, refusal: &Refusal) -> Problem {
        match refusal {
            Refusal::NotFound => self.no_request(),
            Refusal::Conflict { code, said } => {
                Problem::conflict(*code).lang(self.lang).detail(wire::told(said, self.lang))
            }
            Refusal::Invalid { code, said } => {
                Problem::unprocessable(*code).lang(self.lang).detail(wire::told(said, self.lang))
            }
        }
    }

    /// A request's id as the path has it; anything but a UUID is told apart from an unknown one.
    pub fn id(&self, text: &str) -> Result<String, Failure> {
        uuid::Uuid::try_parse(text).map(|id| id.to_string()).map_err(|_| {
            Problem::unprocessable("ID_INVALIDO")
                .lang(self.lang)
                .detail(self.lang.t("El identificador no es un UUID.", "The id is not a UUID."))
                .into()
        })
    }
}

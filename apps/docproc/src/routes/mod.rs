//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod answers;
mod backoffice;
pub(crate) mod capacity;
mod golden;
mod intake;
mod operators;
mod pictures;
mod promotion;
mod quality;
mod queue;
mod requests;
mod said;
mod screens;
mod spoken;
mod steer;
mod task_detail;
mod tasks;
mod workflows;

use axum::{extract::FromRequestParts, http::request::Parts};
use host::{Actor, Context, Failure, Identity};
use jiff::Timestamp;
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, Problem};

use crate::{
    decisions::{By, Refusal},
    policy::{Action, Role, can},
    wire,
};

pub(crate) use tasks::name_in_address;

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
        .merge(operators::routes())
        .merge(backoffice::routes())
        .merge(workflows::routes())
        .merge(golden::routes())
        .merge(promotion::routes())
        .merge(quality::routes())
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
            Refusal::NoTask => Problem::not_found("TAREA_INEXISTENTE")
                .lang(self.lang)
                .detail(self.lang.t("No existe esa tarea.", "Task not found.")),
            Refusal::Forbidden { code, said } => {
                Problem::forbidden(*code).lang(self.lang).detail(wire::told(said, self.lang))
            }
            Refusal::Wrong { said, errors } => {
                let problem = Problem::unprocessable("VALORES_INVALIDOS").lang(self.lang);
                let problem = problem.detail(wire::told(said, self.lang));
                errors.iter().fold(problem, |problem, (path, said)| {
                    problem.error(path.as_str(), wire::told(said, self.lang))
                })
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

impl Desk {
    /// Whether nobody was asked for a name.
    pub fn is_open(&self) -> bool {
        self.actor.identity == Identity::Open
    }

    /// Who works at the back office: the user who signed in; on open loopback, and for a program
    /// that may steer, whoever is named.
    pub fn operator(&self, named: Option<&str>) -> Result<String, Failure> {
        let named = named.map(str::trim).filter(|name| !name.is_empty());
        let free = match self.actor.identity {
            Identity::Open => true,
            Identity::Token => can(self.role, Action::Staff),
            Identity::User | Identity::Anonymous | Identity::System => false,
        };
        let own = self.actor.name.as_str();
        match named {
            Some(name) if free || name == own => self.name(name),
            Some(_) => Err(Problem::forbidden("OTRO_OPERADOR")
                .lang(self.lang)
                .detail(self.lang.t(
                    "El operador es quien inició la sesión.",
                    "The operator is the user who signed in.",
                ))
                .into()),
            None if self.is_open() => {
                let detail = self.lang.t("Falta el operador.", "The operator is missing.");
                let problem = Problem::unprocessable("FALTA_OPERADOR").lang(self.lang);
                Err(problem.detail(detail).error("operator", detail).into())
            }
            None => self.name(own),
        }
    }

    /// The same where a name is not needed.
    pub fn maybe_operator(&self, named: Option<&str>) -> Option<String> {
        self.operator(named).ok()
    }

    fn name(&self, name: &str) -> Result<String, Failure> {
        let fits = name.chars().count() <= 100 && !name.chars().any(char::is_control);
        if fits {
            return Ok(name.to_owned());
        }
        let detail = self.lang.t(
            "El nombre del operador tiene 100 caracteres como mucho, ninguno de control.",
            "An operator's name has 100 characters at most, none of them control characters.",
        );
        let problem = Problem::unprocessable("OPERADOR_INVALIDO").lang(self.lang);
        Err(problem.detail(detail).error("operator", detail).into())
    }
}

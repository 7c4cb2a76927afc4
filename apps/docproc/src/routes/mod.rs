//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod answers;
mod backoffice;
pub(crate) mod capacity;
mod desk;
mod form;
mod golden;
pub mod health;
mod intake;
mod memory;
mod operators;
mod pictures;
mod promotion;
mod quality;
mod queue;
mod requests;
mod screens;
mod steer;
mod submission;
mod task_detail;
mod tasks;
mod upload;
mod work;
mod workflows;

use engine::Roles as _;
use host::{Failure, Identity};
use utoipa_axum::router::OpenApiRouter;
use web::Problem;

use crate::{
    Context,
    decisions::Refusal,
    policy::{Action, Role},
    store::Sight,
};

pub(crate) use tasks::{escaped, name_in_address};

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(intake::routes())
        .merge(answers::routes())
        .merge(requests::routes())
        .merge(pictures::routes())
        .merge(steer::routes())
        .merge(queue::routes())
        .merge(tasks::routes())
        .merge(desk::routes())
        .merge(capacity::routes())
        .merge(operators::routes())
        .merge(backoffice::routes())
        .merge(work::routes())
        .merge(workflows::routes())
        .merge(golden::routes())
        .merge(promotion::routes())
        .merge(quality::routes())
        .merge(memory::routes())
        .merge(screens::routes())
}

/// Who asks, with a role in this application.
pub(crate) type Desk = host::Desk<Role, Context>;

/// What every route about documents asks of whoever is at the desk.
pub(crate) trait AtDesk {
    fn no_request(&self) -> Problem;
    fn refused(&self, refusal: &Refusal) -> Problem;
    /// A request's id as the path has it; anything but a UUID is told apart from an unknown one.
    fn id(&self, text: &str) -> Result<String, Failure>;
    /// Which requests there are for whoever is here.
    fn sight(&self) -> Sight<'_>;
    /// Whether nobody was asked for a name.
    fn is_open(&self) -> bool;
    /// Who works at the back office: the user who signed in; on open loopback, and for a program
    /// that may steer, whoever is named.
    fn operator(&self, named: Option<&str>) -> Result<String, Failure>;
}

impl AtDesk for Desk {
    fn no_request(&self) -> Problem {
        Problem::not_found("SOLICITUD_INEXISTENTE")
            .lang(self.lang)
            .detail(self.lang.t("No existe esa solicitud.", "Request not found."))
    }

    fn refused(&self, refusal: &Refusal) -> Problem {
        match refusal {
            Refusal::NotFound => self.no_request(),
            Refusal::Conflict { code, sentence } => {
                Problem::conflict(*code).lang(self.lang).detail(self.lang.say(sentence))
            }
            Refusal::Invalid { code, sentence } => {
                Problem::unprocessable(*code).lang(self.lang).detail(self.lang.say(sentence))
            }
            Refusal::NoTask => Problem::not_found("TAREA_INEXISTENTE")
                .lang(self.lang)
                .detail(self.lang.t("No existe esa tarea.", "Task not found.")),
            Refusal::Forbidden { code, sentence } => {
                Problem::forbidden(*code).lang(self.lang).detail(self.lang.say(sentence))
            }
            Refusal::Wrong { sentence, errors } => {
                let problem = Problem::unprocessable("VALORES_INVALIDOS").lang(self.lang);
                let problem = problem.detail(self.lang.say(sentence));
                errors.iter().fold(problem, |problem, (path, sentence)| {
                    problem.error(path.as_str(), self.lang.say(sentence))
                })
            }
        }
    }

    fn id(&self, text: &str) -> Result<String, Failure> {
        uuid::Uuid::try_parse(text).map(|id| id.to_string()).map_err(|_| {
            Problem::unprocessable("ID_INVALIDO")
                .lang(self.lang)
                .detail(self.lang.t("El identificador no es un UUID.", "The id is not a UUID."))
                .into()
        })
    }

    fn sight(&self) -> Sight<'_> {
        if self.role.can(Action::ReadOthers) { Sight::All } else { Sight::Own(&self.actor.name) }
    }

    fn is_open(&self) -> bool {
        self.actor.identity == Identity::Open
    }

    fn operator(&self, named: Option<&str>) -> Result<String, Failure> {
        let named = named.map(str::trim).filter(|name| !name.is_empty());
        let free = match self.actor.identity {
            Identity::Open => true,
            Identity::Token => self.role.can(Action::Staff),
            Identity::User | Identity::Anonymous | Identity::System => false,
        };
        let own = self.actor.name.as_str();
        match named {
            Some(name) if free || name == own => operator_name(self, name),
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
            None => operator_name(self, own),
        }
    }
}

/// An operator's name, if it is one.
fn operator_name(desk: &Desk, name: &str) -> Result<String, Failure> {
    let fits = name.chars().count() <= 100 && !name.chars().any(char::is_control);
    if fits {
        return Ok(name.to_owned());
    }
    let detail = desk.lang.t(
        "El nombre del operador tiene 100 caracteres como mucho, ninguno de control.",
        "An operator's name has 100 characters at most, none of them control characters.",
    );
    let problem = Problem::unprocessable("OPERADOR_INVALIDO").lang(desk.lang);
    Err(problem.detail(detail).error("operator", detail).into())
}

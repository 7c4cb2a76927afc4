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

use axum::{
    http::{HeaderMap, HeaderValue, Uri, header::LINK},
    response::{IntoResponse as _, Response},
};
use engine::Roles as _;
use host::{Failure, Identity};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use web::Problem;

use crate::{
    Context,
    decisions::Refusal,
    policy::{Action, Role},
    store::Visibility,
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
    fn visibility(&self) -> Visibility<'_>;
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

    fn visibility(&self) -> Visibility<'_> {
        if self.role.can(Action::ReadOthers) {
            Visibility::All
        } else {
            Visibility::Own(&self.actor.name)
        }
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

/// The key that makes it safe to send something again, if one was given. One that is too long is
/// refused and not cut: two that begin alike are two.
fn idempotency_key(desk: &Desk, headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=200).contains(&key.len()));
    let Some(key) = key else {
        let detail = desk.lang.t(
            "Idempotency-Key debe tener de 1 a 200 caracteres visibles.",
            "Idempotency-Key must have 1 to 200 visible characters.",
        );
        let problem = Problem::bad_request("CLAVE_INVALIDA").lang(desk.lang).detail(detail);
        return Err(problem.into());
    };
    Ok(Some(key.to_owned()))
}

/// Lists at the seed's addresses are plain arrays: where one goes on is told beside it, so that
/// none is ever cut without a word.
fn array<T: Serialize>(items: Vec<T>, next: Option<&str>, uri: &Uri) -> Response {
    let mut response = axum::Json(items).into_response();
    let Some(next) = next else { return response };
    let rest = uri.query().unwrap_or_default().split('&');
    let rest = rest.filter(|part| !part.is_empty() && !part.starts_with("cursor="));
    let next_part = format!("cursor={}", escaped(next));
    let query: Vec<_> = rest.map(str::to_owned).chain([next_part]).collect();
    let link = format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"));
    let headers = response.headers_mut();
    if let Ok(next) = HeaderValue::from_str(next) {
        headers.insert("x-next-cursor", next);
    }
    if let Ok(link) = HeaderValue::from_str(&link) {
        headers.insert(LINK, link);
    }
    response
}

//! HTTP: parse, check who asks, call a decision, render. Nothing is decided here.

mod automation;
mod board;
mod input;
mod kitchen;
mod menu;
mod moves;
mod orders;
mod reports;
mod screens;
mod settings;
mod timetable;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, header, request::Parts},
    response::{IntoResponse, Response},
};
use engine::Roles as _;
use host::{Actor, Context, Failure};
use jiff::Timestamp;
use utoipa_axum::router::OpenApiRouter;
use web::{Lang, Problem};

use crate::{
    decisions::Done,
    model::Role,
    policy::Action,
    rules::commands::{Class, Refusal},
    store::By,
    wire::{self, OrderView},
};

pub fn all() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .merge(orders::routes())
        .merge(moves::routes())
        .merge(kitchen::routes())
        .merge(menu::routes())
        .merge(settings::routes())
        .merge(timetable::routes())
        .merge(automation::routes())
        .merge(board::routes())
        .merge(reports::routes())
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
                .detail(lang.t("No tenés un rol en Pedidos.", "You have no role in Pedidos."))
        })?;
        let context = context.clone();
        let now = context.clock.now();
        Ok(Self { context, actor, role, lang, now })
    }
}

impl Desk {
    pub fn by(&self) -> By {
        By { name: self.actor.name.clone(), role: self.role }
    }

    pub fn require(&self, action: Action) -> Result<(), Failure> {
        if self.role.can(action) {
            return Ok(());
        }
        Err(self.refused(&Refusal::Role { role: self.role }).into())
    }

    pub fn refused(&self, refusal: &Refusal) -> Problem {
        let problem = match refusal.class() {
            Class::Forbidden => Problem::forbidden(refusal.code()),
            Class::Conflict => Problem::conflict(refusal.code()),
            Class::Unprocessable => Problem::unprocessable(refusal.code()),
        };
        let problem = problem.lang(self.lang).detail(wire::told(refusal.sentence(), self.lang));
        match refusal.hint() {
            Some(hint) => problem.hint(wire::told(hint, self.lang)),
            None => problem,
        }
    }

    /// The answer to a command about one order.
    pub fn answer(&self, done: Done) -> Result<Response, Failure> {
        match done {
            Done::Order(view) => Ok(tagged(view.seen_by(self.role))),
            Done::Refused(refusal) => Err(self.refused(&refusal).into()),
            Done::NotFound => Err(self.no_order().into()),
            Done::Stale { current } => Err(self.stale(current).into()),
        }
    }

    pub fn no_order(&self) -> Problem {
        Problem::not_found("PEDIDO_INEXISTENTE")
            .lang(self.lang)
            .detail(self.lang.t("No existe un pedido con ese número.", "There is no such order."))
    }

    pub fn stale(&self, current: i64) -> Problem {
        let status = axum::http::StatusCode::PRECONDITION_FAILED;
        Problem::new(status, "VERSION_DISTINTA")
            .lang(self.lang)
            .detail(match self.lang {
                Lang::Es => format!("Alguien lo cambió antes; la versión actual es {current}."),
                Lang::En => format!("Someone changed it first; the current version is {current}."),
            })
            .hint(
                self.lang.t("Volvé a cargar y repetí el cambio.", "Reload and repeat the change."),
            )
    }
}

fn tagged(view: OrderView) -> Response {
    let tag = HeaderValue::from_str(&format!("\"{}\"", view.version));
    let mut response = axum::Json(view).into_response();
    if let Ok(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The version a caller looked at, from `If-Match`; `*` and no header accept any.
fn expected_version(headers: &HeaderMap, lang: Lang) -> Result<Option<i64>, Failure> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    text.trim_start_matches("W/").trim_matches('"').parse().map(Some).map_err(|_| {
        Problem::bad_request("IF_MATCH_INVALIDO")
            .lang(lang)
            .detail(lang.t(
                "If-Match debe llevar el ETag recibido, por ejemplo \"3\".",
                "If-Match must carry the ETag received, such as \"3\".",
            ))
            .into()
    })
}

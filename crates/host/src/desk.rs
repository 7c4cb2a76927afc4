//! Who asks: the extractor behind every route that needs a role.

use axum::{
    extract::{FromRef, FromRequestParts},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use engine::Roles;
use jiff::Timestamp;
use web::{Lang, Problem};

use crate::{Actor, By, Context, Failure, actor::insufficient_role};

/// Someone with a role in an application, asking something now. `C` is the context that the
/// application's functions are given.
#[derive(Debug, Clone)]
pub struct Desk<R, C = Context> {
    pub context: C,
    pub actor: Actor,
    pub role: R,
    pub lang: Lang,
    pub now: Timestamp,
}

impl<S, R, C> FromRequestParts<S> for Desk<R, C>
where
    S: Send + Sync,
    R: Roles,
    C: FromRef<S> + Send,
    Context: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let lang = Lang::from_headers(&parts.headers);
        let actor = Actor::from_request_parts(parts, state).await?;
        let role = actor.role_in(R::APP).and_then(R::from_word);
        let role = role.ok_or_else(|| insufficient_role(lang))?;
        let now = Context::from_ref(state).clock.now();
        Ok(Self { context: C::from_ref(state), actor, role, lang, now })
    }
}

impl<R: Roles, C> Desk<R, C> {
    /// Who asks, for history and audit.
    pub fn by(&self) -> By {
        By { app: R::APP, name: self.actor.name.clone(), role: self.role.word().to_owned() }
    }

    pub fn require(&self, action: R::Action) -> Result<(), Failure> {
        if self.role.can(action) { Ok(()) } else { Err(insufficient_role(self.lang).into()) }
    }

    /// The version the caller looked at, from `If-Match`; `*` and no header accept any.
    pub fn expected_version(&self, headers: &HeaderMap) -> Result<Option<i64>, Failure> {
        let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
        let text = value.to_str().unwrap_or_default().trim();
        if text == "*" {
            return Ok(None);
        }
        let bare = text.trim_start_matches("W/").trim_matches('"');
        bare.parse().map(Some).map_err(|_| {
            let detail = self.lang.t(
                "If-Match debe llevar el ETag recibido, por ejemplo \"3\".",
                "If-Match must carry the ETag received, such as \"3\".",
            );
            Problem::bad_request("IF_MATCH_INVALIDO").lang(self.lang).detail(detail).into()
        })
    }

    /// Someone else changed it after the caller looked.
    pub fn stale(&self, current: i64) -> Problem {
        Problem::new(StatusCode::PRECONDITION_FAILED, "VERSION_DISTINTA")
            .lang(self.lang)
            .title(self.lang.t("Versión distinta", "Another version"))
            .detail(match self.lang {
                Lang::Es => format!("Alguien lo cambió antes; la versión actual es {current}."),
                Lang::En => format!("Someone changed it first; the current version is {current}."),
            })
            .hint(
                self.lang
                    .t("Cargar de nuevo y repetir el cambio.", "Reload and repeat the change."),
            )
    }
}

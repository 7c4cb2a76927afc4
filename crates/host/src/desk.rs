//! Who asks: the extractor behind every route that needs a role.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use engine::Roles;
use jiff::Timestamp;
use web::{Lang, Problem};

use crate::{Actor, Context, Failure, actor::insufficient_role};

/// Someone with a role in an application, asking something now.
#[derive(Debug, Clone)]
pub struct Desk<R> {
    pub context: Context,
    pub actor: Actor,
    pub role: R,
    pub lang: Lang,
    pub now: Timestamp,
}

impl<R: Roles> FromRequestParts<Context> for Desk<R> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, context: &Context) -> Result<Self, Failure> {
        let lang = Lang::from_headers(&parts.headers);
        let actor = Actor::from_request_parts(parts, context).await?;
        let role = actor.role_in(R::APP).and_then(R::from_word);
        let role = role.ok_or_else(|| insufficient_role(lang))?;
        let context = context.clone();
        let now = context.clock.now();
        Ok(Self { context, actor, role, lang, now })
    }
}

impl<R: Roles> Desk<R> {
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
                self.lang.t("Volvé a cargar y repetí el cambio.", "Reload and repeat the change."),
            )
    }
}

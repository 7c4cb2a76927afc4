//! What the forms of the console share: their fields, where they lead, what they say when done.

use askama::Template;
use axum::{
    extract::{Form, FromRequest, Request},
    http::{StatusCode, header},
    response::{Html, IntoResponse as _, Redirect, Response},
};
use web::{Lang, Problem};

use crate::{Context, Failure};

/// The query parameter that carries what was just done to the page that says so.
const DONE: &str = "hecho";

/// The fields of a posted form; a missing one reads as empty.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn get(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// The field, if it was sent at all.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value.as_str())
    }
}

impl FromRequest<Context> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Problem> {
        let lang = Lang::from_headers(request.headers());
        match Form::from_request(request, context).await {
            Ok(Form(fields)) => {
                let fields: Vec<(String, String)> = fields;
                let odd =
                    |(name, value): &(String, String)| name.contains('\0') || value.contains('\0');
                if fields.iter().any(odd) { Err(Problem::nul(lang)) } else { Ok(Self(fields)) }
            }
            Err(rejection) => {
                let detail = lang.t(
                    "El formulario no llegó como se esperaba.",
                    "The form did not arrive as expected.",
                );
                Err(Problem::new(rejection.status(), "FORMULARIO_INVALIDO")
                    .lang(lang)
                    .detail(detail))
            }
        }
    }
}

/// What a form achieved, told on the page it leads to. A closed list: an address made by a
/// stranger cannot put words on our pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Setting,
    Settings,
    Nothing,
    User,
    Activated,
    Deactivated,
    Revoked,
    Acknowledged,
    Muted,
    Unmuted,
    Tested,
    SignedOut,
}

impl Done {
    const ALL: [Self; 12] = [
        Self::Setting,
        Self::Settings,
        Self::Nothing,
        Self::User,
        Self::Activated,
        Self::Deactivated,
        Self::Revoked,
        Self::Acknowledged,
        Self::Muted,
        Self::Unmuted,
        Self::Tested,
        Self::SignedOut,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Setting => "ajuste",
            Self::Settings => "ajustes",
            Self::Nothing => "nada",
            Self::User => "usuario",
            Self::Activated => "activado",
            Self::Deactivated => "desactivado",
            Self::Revoked => "revocado",
            Self::Acknowledged => "reconocida",
            Self::Muted => "silenciada",
            Self::Unmuted => "audible",
            Self::Tested => "prueba",
            Self::SignedOut => "cerrada",
        }
    }

    pub(super) fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::Setting => {
                lang.t("El ajuste se guardó y ya rige.", "The setting is saved and in force.")
            }
            Self::Settings => lang
                .t("Los ajustes se guardaron y ya rigen.", "The settings are saved and in force."),
            Self::Nothing => lang.t("No había nada que guardar.", "There was nothing to save."),
            Self::User => lang.t("El usuario se guardó.", "The user is saved."),
            Self::Activated => {
                lang.t("El usuario puede volver a entrar.", "The user may sign in again.")
            }
            Self::Deactivated => lang.t(
                "El usuario ya no puede entrar y sus sesiones terminaron.",
                "The user may no longer sign in, and their sessions have ended.",
            ),
            Self::Revoked => lang.t("El token ya no sirve.", "The token no longer works."),
            Self::Acknowledged => lang.t(
                "Alerta reconocida: no habrá más recordatorios hasta que se recupere o venza el plazo.",
                "Alert acknowledged: no more reminders until it recovers or the term ends.",
            ),
            Self::Muted => lang.t(
                "Alerta silenciada: nadie recibe avisos de ella hasta que venza el plazo.",
                "Alert muted: nobody is told of it until the term ends.",
            ),
            Self::Unmuted => {
                lang.t("La alerta vuelve a avisar.", "The alert is told of again.")
            }
            Self::Tested => lang.t("Aviso de prueba en camino.", "Test notice on its way."),
            Self::SignedOut => lang.t("La sesión terminó.", "The session has ended."),
        }
    }

    /// Splits the note off an address: the rest is what filters and links may repeat.
    pub(super) fn split(path: &str) -> (String, Option<Self>) {
        let Some((base, query)) = path.split_once('?') else {
            return (path.to_owned(), None);
        };
        let mut done = None;
        let mut kept = Vec::new();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some((DONE, word)) => {
                    done = Self::ALL.into_iter().find(|one| one.word() == word);
                }
                _ => kept.push(pair),
            }
        }
        let rest = kept.join("&");
        let mark = if rest.is_empty() { "" } else { "?" };
        (format!("{base}{mark}{rest}"), done)
    }

    /// 303 to a page of the console, which says what was done.
    pub(super) fn lead_to(self, page: &str) -> Response {
        let (base, place) = page.split_once('#').unwrap_or((page, ""));
        let mark = if place.is_empty() { "" } else { "#" };
        Redirect::to(&format!("{base}?{DONE}={}{mark}{place}", self.word())).into_response()
    }
}

/// A page as an answer. Pages hold what one person may see: nobody in between keeps them.
pub(super) fn html(status: StatusCode, template: &impl Template) -> Result<Response, Failure> {
    match template.render() {
        Ok(text) => {
            let headers = [(header::CACHE_CONTROL, "private, no-cache")];
            Ok((status, headers, Html(text)).into_response())
        }
        Err(error) => {
            tracing::error!(error = %error, "a page could not be written");
            Err(Problem::internal(Lang::Es).into())
        }
    }
}

/// Only our own pages: anything a browser could read as another host goes home.
pub(super) fn local(back: &str) -> &str {
    let own = back.starts_with('/')
        && !back.starts_with("//")
        && !back.contains('\\')
        && back.bytes().all(|byte| byte.is_ascii_graphic());
    if own { back } else { "/" }
}

/// An absent filter and an empty one are the same.
pub(super) fn filter(value: Option<&str>) -> Option<&str> {
    let value = value.map(str::trim).filter(|value| !value.is_empty())?;
    // PostgreSQL takes no NUL in text. No name holds one; no name holds this either.
    Some(if value.contains('\0') { "\u{fffd}" } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_addresses_are_followed() {
        assert_eq!(local("/cocina?x=1"), "/cocina?x=1");
        for other in ["", "//evil", "/\\evil", "/\t/evil", "https://evil", "evil"] {
            assert_eq!(local(other), "/", "{other}");
        }
    }

    #[test]
    fn the_note_comes_off_the_address() {
        for done in Done::ALL {
            let path = format!("/ajustes?app=x&{DONE}={}", done.word());
            assert_eq!(Done::split(&path), ("/ajustes?app=x".into(), Some(done)));
        }
        assert_eq!(Done::split("/?hecho=%3Cb%3E"), ("/".into(), None));
        assert_eq!(Done::split("/eventos?app="), ("/eventos?app=".into(), None));
    }
}

//! The language of an answer.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum_extra::extract::CookieJar;
use engine::Sentence;

/// Spanish first, English complete.
///
/// Texts are written as pairs at the point of use, `lang.t("Nuevo pedido", "New order")`, so that
/// neither language can lack a sentence the other has; a table of keys would need a test for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    Es,
    En,
}

impl Lang {
    pub const COOKIE: &'static str = "lang";

    pub fn t<'a>(self, es: &'a str, en: &'a str) -> &'a str {
        match self {
            Self::Es => es,
            Self::En => en,
        }
    }

    pub fn say(self, sentence: &Sentence) -> &str {
        self.t(&sentence.es, &sentence.en)
    }

    /// The value of `<html lang>` and of the cookie.
    pub fn code(self) -> &'static str {
        self.t("es", "en")
    }

    /// What is kept in both languages on one line, in this one.
    pub fn told(self, kept: &str) -> String {
        self.say(&Sentence::told(kept)).to_owned()
    }

    pub fn from_code(code: &str) -> Option<Self> {
        match code {
            "es" => Some(Self::Es),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// Cookie first, because a person chose it; then the browser; then Spanish.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let cookie = CookieJar::from_headers(headers)
            .get(Self::COOKIE)
            .and_then(|cookie| Self::from_code(cookie.value()));
        cookie.or_else(|| accepted(headers)).unwrap_or_default()
    }

    /// Reason phrase of the statuses a person may meet.
    pub fn status(self, status: StatusCode) -> &'static str {
        match status {
            StatusCode::BAD_REQUEST => self.t("Petición inválida", "Bad request"),
            StatusCode::UNAUTHORIZED => self.t("Falta iniciar sesión", "Sign-in needed"),
            StatusCode::FORBIDDEN => self.t("Sin permiso", "Not allowed"),
            StatusCode::NOT_FOUND => self.t("No existe", "Not found"),
            StatusCode::METHOD_NOT_ALLOWED => self.t("Método no permitido", "Method not allowed"),
            StatusCode::CONFLICT => self.t("Conflicto", "Conflict"),
            StatusCode::PAYLOAD_TOO_LARGE => self.t("Demasiado grande", "Too large"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                self.t("Formato no admitido", "Unsupported format")
            }
            StatusCode::UNPROCESSABLE_ENTITY => {
                self.t("No se puede procesar", "Cannot be processed")
            }
            StatusCode::TOO_MANY_REQUESTS => self.t("Demasiadas peticiones", "Too many requests"),
            StatusCode::SERVICE_UNAVAILABLE => self.t("No disponible", "Unavailable"),
            StatusCode::INSUFFICIENT_STORAGE => self.t("Sin espacio", "No room left"),
            StatusCode::INTERNAL_SERVER_ERROR => self.t("Error interno", "Internal error"),
            StatusCode::GONE => self.t("Ya no está", "Gone"),
            StatusCode::PRECONDITION_FAILED => self.t("Versión distinta", "Another version"),
            StatusCode::REQUEST_TIMEOUT => self.t("Tardó demasiado", "Took too long"),
            StatusCode::BAD_GATEWAY => self.t("Falló otro sistema", "Another system failed"),
            StatusCode::GATEWAY_TIMEOUT => self.t("Otro sistema no respondió", "No answer"),
            other if self == Self::En => other.canonical_reason().unwrap_or("Error"),
            _ => "Error",
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Lang {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::from_headers(&parts.headers))
    }
}

/// The best of our languages in `Accept-Language`; among equal weights the first one named.
fn accepted(headers: &HeaderMap) -> Option<Lang> {
    let header = headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?;
    let mut best: Option<(f32, Lang)> = None;
    for part in header.split(',').take(16) {
        let mut fields = part.split(';');
        let tag = fields.next().unwrap_or_default().trim();
        let primary = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        let Some(lang) = Lang::from_code(&primary) else { continue };
        let weight = fields
            .find_map(|field| field.trim().strip_prefix("q="))
            .map_or(1.0, |q| q.parse().unwrap_or(0.0));
        if weight > best.map_or(0.0, |(weight, _)| weight) {
            best = Some((weight, lang));
        }
    }
    best.map(|(_, lang)| lang)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(headers: &[(&'static str, &'static str)]) -> Lang {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        Lang::from_headers(&map)
    }

    #[test]
    fn cookie_beats_browser_beats_default() {
        assert_eq!(lang(&[]), Lang::Es);
        assert_eq!(lang(&[("accept-language", "en-GB,en;q=0.9")]), Lang::En);
        assert_eq!(lang(&[("accept-language", "en"), ("cookie", "a=b; lang=es")]), Lang::Es);
        assert_eq!(lang(&[("accept-language", "en"), ("cookie", "lang=fr")]), Lang::En);
    }

    #[test]
    fn weights_decide() {
        assert_eq!(lang(&[("accept-language", "fr, en;q=0.4, es-AR;q=0.7")]), Lang::Es);
        assert_eq!(lang(&[("accept-language", "en;q=0.9,es;q=0.9")]), Lang::En);
        assert_eq!(lang(&[("accept-language", "en;q=0, de")]), Lang::Es);
        assert_eq!(lang(&[("accept-language", ";;;q=,,")]), Lang::Es);
    }
}

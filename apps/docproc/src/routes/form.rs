//! What a form or a program says: the seed's form fields, or the same names in JSON.

use axum::{
    Form,
    extract::{FromRequest, Multipart, Request},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
};
use host::Failure;
use serde_json::{Map, Value as Json};
use web::{Lang, Problem};

use crate::Context;

/// Fields by name; those of a form are texts.
#[derive(Debug, Default)]
pub(super) struct SubmittedForm(pub(super) Map<String, Json>);

/// More than any of our forms has.
const MOST_FIELDS: usize = 64;

impl FromRequest<Context> for SubmittedForm {
    type Rejection = Failure;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Failure> {
        let lang = Lang::from_headers(request.headers());
        let form = Self::read(request, context, lang).await?;
        let text = |value: &Json| value.as_str().is_some_and(|text| text.contains('\0'));
        if form.0.iter().any(|(name, value)| name.contains('\0') || text(value)) {
            return Err(Problem::nul(lang).into());
        }
        Ok(form)
    }
}

impl SubmittedForm {
    async fn read(request: Request, context: &Context, lang: Lang) -> Result<Self, Failure> {
        match essence(request.headers()).as_deref() {
            None => {
                let body = axum::body::Bytes::from_request(request, context).await;
                match body {
                    Ok(body) if body.is_empty() => Ok(Self::default()),
                    Ok(_) | Err(_) => Err(unknown(lang).into()),
                }
            }
            Some("application/x-www-form-urlencoded") => {
                let form = Form::<Vec<(String, String)>>::from_request(request, context).await;
                let Form(fields) = form.map_err(|_| broken(lang))?;
                Ok(Self(fields.into_iter().take(MOST_FIELDS).map(text).collect()))
            }
            Some("multipart/form-data") => multipart(request, context, lang).await,
            Some(_) => {
                let web::Json(body) = web::Json::<Json>::from_request(request, context).await?;
                match body {
                    Json::Object(fields) => Ok(Self(fields)),
                    _ => Err(Problem::unprocessable("CUERPO_INVALIDO")
                        .lang(lang)
                        .detail(lang.t(
                            "El cuerpo debe ser un objeto JSON.",
                            "The body must be a JSON object.",
                        ))
                        .into()),
                }
            }
        }
    }
}

fn text((name, value): (String, String)) -> (String, Json) {
    (name, Json::String(value))
}

async fn multipart(
    request: Request,
    context: &Context,
    lang: Lang,
) -> Result<SubmittedForm, Failure> {
    let mut form = Multipart::from_request(request, context).await.map_err(|_| broken(lang))?;
    let mut fields = Map::new();
    while let Some(field) = form.next_field().await.map_err(|_| broken(lang))? {
        let name = field.name().unwrap_or_default().to_owned();
        let value = field.text().await.map_err(|_| broken(lang))?;
        if fields.len() < MOST_FIELDS {
            fields.insert(name, Json::String(value));
        }
    }
    Ok(SubmittedForm(fields))
}

fn essence(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

fn broken(lang: Lang) -> Problem {
    Problem::bad_request("FORMULARIO_INVALIDO")
        .lang(lang)
        .detail(lang.t("El formulario no se puede leer.", "The form cannot be read."))
}

fn unknown(lang: Lang) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "TIPO_NO_ADMITIDO")
        .lang(lang)
        .detail(lang.t("Se espera un formulario o JSON.", "A form or JSON is expected."))
}

impl SubmittedForm {
    /// A text field; anything else than a text under its name is no text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Json::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    pub(super) fn operator(&self) -> Option<&str> {
        self.text("operator").or_else(|| self.text("operator_id"))
    }

    /// `true`, `"true"`, `"1"`, `"on"`.
    pub(super) fn switch(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Json::Bool(on)) => *on,
            Some(Json::String(word)) => matches!(word.as_str(), "true" | "1" | "on" | "yes"),
            _ => false,
        }
    }

    /// A field that holds JSON: as such, or as text of a form. `Err`: it is there and is not JSON.
    pub(super) fn json(&self, name: &str) -> Result<Option<Json>, ()> {
        match self.0.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => serde_json::from_str(text).map(Some).map_err(drop),
            Some(value) => Ok(Some(value.clone())),
        }
    }
}

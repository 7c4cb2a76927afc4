//! *Configuración*, by any of a key's names. The console's settings page changes the same values.

use axum::http::HeaderMap;
use db::settings::{Effective, Kind, Origin, Refused};
use host::{Failure, Options, change_setting};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem};

use super::Listed;
use crate::{Context, Desk, drivers, policy::Action, rules::sync, store::policy};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one, put))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamConfiguracion)]
struct SettingView {
    #[schema(example = "LANZADOR_PAUSA_INICIO")]
    clave: String,
    /// Secrets are masked.
    #[schema(value_type = serde_json::Value)]
    valor: Json,
    descripcion: &'static str,
    /// `defecto`, `archivo`, `consola` or `entorno`; `entorno` cannot be changed here.
    origen: &'static str,
    version: i64,
}

impl SettingView {
    fn new(effective: &Effective, lang: Lang) -> Self {
        let (es, en) = effective.spec.help;
        Self {
            clave: effective.spec.key.to_owned(),
            valor: effective.shown(),
            descripcion: lang.t(es, en),
            origen: match effective.origin {
                Origin::Default => "defecto",
                Origin::File(_) => "archivo",
                Origin::Console { .. } => "consola",
                Origin::Environment(_) => "entorno",
            },
            version: effective.version,
        }
    }
}

/// Every setting, with where its value comes from.
#[utoipa::path(get, path = "/api/sam/configuracion", tag = "sam",
    responses((status = 200, body = Listed<SettingView>)))]
async fn list(
    desk: Desk,
    _: web::Query<super::Unasked>,
) -> Result<axum::Json<Listed<SettingView>>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let views = values.iter().map(|one| SettingView::new(one, desk.lang)).collect();
    Ok(axum::Json(Listed::whole(views)))
}

/// One setting; its version is the `ETag`.
#[utoipa::path(get, path = "/api/sam/configuracion/{clave}", params(("clave" = String, Path)),
    tag = "sam",
    responses((status = 200, body = SettingView)))]
async fn one(desk: Desk, Path(key): Path<String>) -> Result<axum::Json<SettingView>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let found = values.get(policy::known_as(&key)).ok_or_else(|| unknown(&desk, &key))?;
    Ok(axum::Json(SettingView::new(found, desk.lang)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamValor)]
struct ValueRequest {
    #[schema(value_type = serde_json::Value)]
    valor: Json,
}

/// Changes a setting; it is in force when the answer comes.
#[utoipa::path(put, path = "/api/sam/configuracion/{clave}", request_body = ValueRequest,
    tag = "sam", params(("clave" = String, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = SettingView)))]
async fn put(
    desk: Desk,
    Path(key): Path<String>,
    headers: HeaderMap,
    web::Json(wanted): web::Json<ValueRequest>,
) -> Result<axum::Json<SettingView>, Failure> {
    desk.require(Action::Configure)?;
    let expected = desk.expected_version(&headers)?;
    let name = policy::known_as(&key).to_owned();
    let kind = desk.context.settings.spec(crate::NAME, &name).map(|spec| spec.kind);
    let value = read(kind, wanted.valor);
    let (context, actor) = (&desk.context, &desk.actor);
    match change_setting(context, actor, crate::NAME, &name, value, expected).await? {
        Ok(changed) => Ok(axum::Json(SettingView::new(&changed, desk.lang))),
        Err(refused) => Err(problem(&desk, refused).into()),
    }
}

/// The original kept every value as text: `"300"`, `"True"`.
fn read(kind: Option<Kind>, value: Json) -> Json {
    let Some(text) = value.as_str().map(str::trim) else { return value };
    let typed = match kind {
        Some(Kind::Int { .. } | Kind::IntUpTo { .. }) => text.parse::<i64>().ok().map(Json::from),
        Some(Kind::Bool) => match text.to_lowercase().as_str() {
            "true" | "1" | "si" | "sí" => Some(true.into()),
            "false" | "0" | "no" => Some(false.into()),
            _ => None,
        },
        _ => None,
    };
    typed.unwrap_or(value)
}

fn problem(desk: &Desk, refused: Refused) -> Problem {
    match refused {
        Refused::Unknown { key } => unknown(desk, &key),
        Refused::Invalid(wrong) => invalid(desk, desk.lang.say(&wrong.reason).to_owned()),
        Refused::Senseless(es, en) => invalid(desk, desk.lang.t(&es, &en).to_owned()),
        Refused::Locked { key, by } => {
            Problem::conflict("CLAVE_FIJADA").lang(desk.lang).detail(match desk.lang {
                Lang::Es => format!("{key} está fijada por la variable de entorno {by}."),
                Lang::En => format!("{key} is fixed by the environment variable {by}."),
            })
        }
        Refused::Stale { current } => desk.stale(current),
    }
}

fn unknown(desk: &Desk, key: &str) -> Problem {
    Problem::not_found("CLAVE_DESCONOCIDA").lang(desk.lang).detail(match desk.lang {
        Lang::Es => format!("No existe la clave {key}."),
        Lang::En => format!("There is no setting {key}."),
    })
}

fn invalid(desk: &Desk, reason: String) -> Problem {
    Problem::bad_request("VALOR_INVALIDO")
        .lang(desk.lang)
        .detail(desk.lang.t(
            "El valor está fuera de lo permitido; no se cambió nada.",
            "The value is out of range; nothing was changed.",
        ))
        .error("valor", reason)
}

/// Text of the right length that still says nothing.
pub(crate) fn senseless(options: &Options, key: &str, value: &Json) -> Option<(String, String)> {
    let text = value.as_str()?.trim();
    if text.is_empty() {
        return None;
    }
    match key {
        policy::CALLBACK_MODE if text == "none" && !options.listen.is_loopback() => Some((
            "none es solo para un servidor que escucha en loopback".into(),
            "none is only for a server that listens on loopback".into(),
        )),
        policy::URL | policy::CALLBACK_URL | policy::CLOUDERS_URL | policy::GATEWAY_URL => {
            drivers::unusable(text).map(|(es, en)| (es.into(), en.into()))
        }
        policy::SYNC_INCLUDE | policy::SYNC_EXCLUDE => {
            sync::pattern(text).err().map(|why| (why.es, why.en))
        }
        policy::JWT_KEY if drivers::proof::key(text).is_none() => Some((
            "no es una clave pública PEM (RSA o EC)".into(),
            "is no PEM public key (RSA or EC)".into(),
        )),
        _ => None,
    }
}

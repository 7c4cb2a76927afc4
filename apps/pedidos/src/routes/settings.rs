//! *Configuración del sistema*, at the seed's path. The console's settings page changes the same
//! values.

use axum::http::HeaderMap;
use db::settings::{Effective, Origin, Refused};
use host::{Failure, change_setting};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem};

use super::Desk;
use crate::{Context, policy::Action};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one, put))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Configuracion)]
struct SettingView {
    #[schema(example = "MAX_PEDIDOS_EN_PREPARACION")]
    clave: String,
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
#[utoipa::path(get, path = "/configuracion-sistema", tag = "configuracion",
    responses((status = 200, body = Vec<SettingView>)))]
async fn list(desk: Desk) -> Result<axum::Json<Vec<SettingView>>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    Ok(axum::Json(values.iter().map(|one| SettingView::new(one, desk.lang)).collect()))
}

/// One setting.
#[utoipa::path(get, path = "/configuracion-sistema/{clave}", params(("clave" = String, Path)),
    tag = "configuracion", responses((status = 200, body = SettingView)))]
async fn one(desk: Desk, Path(key): Path<String>) -> Result<axum::Json<SettingView>, Failure> {
    desk.require(Action::ReadConfiguration)?;
    let mut tx = desk.context.store.read().await?;
    let values = desk.context.settings.load(&mut tx, crate::NAME).await?;
    let found = values.get(&key).ok_or_else(|| unknown(&desk, &key))?;
    Ok(axum::Json(SettingView::new(found, desk.lang)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ValorDeConfiguracion)]
struct ValueRequest {
    #[schema(value_type = serde_json::Value)]
    valor: Json,
}

/// Changes a setting; it is in force when the answer comes.
#[utoipa::path(put, path = "/configuracion-sistema/{clave}", request_body = ValueRequest,
    tag = "configuracion",
    params(("clave" = String, Path), ("If-Match" = Option<String>, Header)),
    responses((status = 200, body = SettingView)))]
async fn put(
    desk: Desk,
    Path(key): Path<String>,
    headers: HeaderMap,
    web::Json(wanted): web::Json<ValueRequest>,
) -> Result<axum::Json<SettingView>, Failure> {
    desk.require(Action::Configure)?;
    let expected = desk.expected_version(&headers)?;
    let value = wanted.valor;
    let (context, actor) = (&desk.context, &desk.actor);
    match change_setting(context, actor, crate::NAME, &key, value, expected).await? {
        Ok(changed) => Ok(axum::Json(SettingView::new(&changed, desk.lang))),
        Err(refused) => Err(problem(&desk, refused).into()),
    }
}

fn problem(desk: &Desk, refused: Refused) -> Problem {
    match refused {
        Refused::Unknown { key } => unknown(desk, &key),
        Refused::Invalid(invalid) => Problem::bad_request("VALOR_INVALIDO")
            .lang(desk.lang)
            .detail(desk.lang.t(
                "El valor está fuera de lo permitido; no se cambió nada.",
                "The value is out of range; nothing was changed.",
            ))
            .error("valor", desk.lang.say(&invalid.reason)),
        Refused::Senseless(es, en) => {
            Problem::bad_request("VALOR_INVALIDO").lang(desk.lang).detail(desk.lang.t(&es, &en))
        }
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

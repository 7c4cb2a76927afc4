//! OLTs as CSV, in and out. A file is taken whole or not at all; secrets go in and never out.

use axum::{
    body::Bytes,
    http::header,
    response::{IntoResponse as _, Response},
};
use engine::sheet::{self, Column, Kind, Need};
use host::{Failure, as_json};
use serde_json::Value as Json;
use utoipa_axum::router::OpenApiRouter;
use web::routes;

use super::Desk;
use crate::{
    Context,
    decisions::olts::{Imported, import},
    policy::Action,
    store::olts,
    wire::OltRequest,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(export, take))
}

const SHORT: Kind = Kind::Text { most: 60 };
const LONG: Kind = Kind::Text { most: 255 };

const COLUMNS: &[Column] = &[
    Column::new("abreviatura", SHORT, Need::RequiredUnique),
    Column::new("marca", SHORT, Need::Required),
    Column::optional("modelo", SHORT),
    Column::new("ip_address", LONG, Need::Required),
    Column::optional("puerto", Kind::Number { least: 1, most: 65_535 }),
    Column::optional("version", SHORT),
    Column::optional("comunidad", LONG),
    Column::optional("usuario", LONG),
    Column::optional("auth_protocolo", SHORT),
    Column::optional("auth_clave", LONG),
    Column::optional("priv_protocolo", SHORT),
    Column::optional("priv_clave", LONG),
    Column::optional("contexto", LONG),
    Column::optional("habilitar_olt", Kind::Flag),
];

/// All OLTs as CSV, without anything secret.
#[utoipa::path(get, path = "/api/coordinador/planillas/olts", tag = "coordinador",
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let mut rows = Vec::new();
    for olt in olts::all(&mut tx).await? {
        let fields = as_json(OltRequest::standing(&olt))?;
        if let Json::Object(fields) = fields {
            rows.push(fields);
        }
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"olts.csv\""),
    ];
    Ok((headers, sheet::write(COLUMNS, rows)).into_response())
}

/// Takes a CSV: a known name changes that OLT, a new one creates. One bad row and nothing is taken.
#[utoipa::path(post, path = "/api/coordinador/planillas/olts", tag = "coordinador",
    request_body(content = String, content_type = "text/csv"),
    responses((status = 200, body = Imported)))]
async fn take(desk: Desk, body: Bytes) -> Result<axum::Json<Imported>, Failure> {
    desk.require(Action::Edit)?;
    let rows = sheet::read(COLUMNS, &body, |_| Vec::new())
        .map_err(|bad| web::sheet::refused(bad, desk.lang))?;
    Ok(axum::Json(import(&desk, rows).await?))
}

//! *Memoria de emisores*: what is remembered of vendors, and forgetting it.

use axum::{
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde_json::{Value as Json, json};
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Problem};

use super::{AtDesk as _, Desk};
use crate::{
    Context,
    decisions::{Refusal, memory},
    policy::Action,
    store::layouts::{self, Remembered},
};

/// More than a house remembers.
const MOST: i64 = 2_000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(forget))
}

/// The vendors whose documents are remembered, the one taught last first.
#[utoipa::path(get, path = "/api/docproc/memory", tag = "docproc",
    responses((status = 200, body = Object)))]
async fn list(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::ReadContent)?;
    let all = layouts::list(&mut desk.context.store.read().await?, MOST).await?;
    let items: Vec<Json> = all.iter().map(view).collect();
    Ok(axum::Json(json!({ "items": items })).into_response())
}

fn view(one: &Remembered) -> Json {
    let row = &one.row;
    let fields: std::collections::BTreeSet<&str> =
        row.layout.places.iter().map(|place| place.field.as_str()).collect();
    json!({
        "id": row.id, "vendor": row.vendor, "workflow": row.shelf.workflow,
        "doc_type": row.shelf.doc_type, "owner": row.shelf.owner, "version": row.version,
        "documents": row.documents, "fields": fields, "day_order": row.layout.order,
        "currency": row.layout.currency, "taught_by": row.taught_by, "taught_at": row.taught_at,
        "uses": one.uses, "last_use": one.last_use, "right": row.right, "wrong": row.wrong,
    })
}

/// Forgets what is remembered of a vendor's documents.
#[utoipa::path(delete, path = "/api/docproc/memory/{id}", tag = "docproc",
    params(("id" = String, Path)), responses((status = 204)))]
async fn forget(desk: Desk, Path(id): Path<String>) -> Result<StatusCode, Failure> {
    desk.require(Action::Judge)?;
    let id = desk.id(&id)?;
    match memory::forget(&desk.context, &desk.by(), &id).await? {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(Refusal::NotFound) => {
            Err(Problem::not_found("EMISOR_DESCONOCIDO")
                .lang(desk.lang)
                .detail(desk.lang.t(
                    "De ese emisor no se recuerda nada.",
                    "Nothing is remembered of that vendor.",
                ))
                .into())
        }
        Err(refusal) => Err(desk.refused(&refusal).into()),
    }
}

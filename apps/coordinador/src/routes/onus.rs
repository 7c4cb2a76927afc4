//! The ONUs of the fleet, and believing a walk that lost many.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use engine::sheet::{self, Column as Heading, Kind};
use host::{Failure, Listed, as_json};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use web::{Path, Query};

use super::{Desk, named};
use crate::{
    Context,
    decisions::olts::accept_walk,
    model::{OltId, Onu, OnuId},
    policy::Action,
    rules::inventory::{default_labels, label},
    store::{olts, onus},
    wire::OnuView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(export)).routes(routes!(accept))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    olt_id: Option<i64>,
    /// `ENABLED` or `DISABLED`.
    presence: Option<String>,
    /// Part of its index, serial, MAC, subscriber or description.
    buscar: Option<String>,
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
    cursor: Option<i64>,
}

impl Asked {
    fn filter(&self, desk: &Desk) -> Result<onus::Filter, Failure> {
        Ok(onus::Filter {
            olt: self.olt_id.map(OltId),
            presence: named(desk, self.presence.as_deref(), "PRESENCIA_DESCONOCIDA")?,
            part: self.buscar.clone().filter(|part| !part.is_empty()),
            after: self.cursor.map(OnuId),
        })
    }
}

pub(super) async fn views(desk: &Desk, found: &[Onu]) -> Result<Vec<OnuView>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let labels = default_labels();
    let brands: std::collections::HashMap<OltId, String> =
        olts::all(&mut tx).await?.into_iter().map(|olt| (olt.id, olt.brand)).collect();
    Ok(found
        .iter()
        .map(|onu| {
            let brand = brands.get(&onu.olt).map_or("", String::as_str);
            let told = onu.state.map(|state| label(&labels, brand, state).to_owned());
            OnuView::new(onu, told)
        })
        .collect())
}

#[utoipa::path(get, path = "/api/coordinador/onus", tag = "coordinador", params(Asked),
    responses((status = 200, body = Listed<OnuView>)))]
async fn list(
    desk: Desk,
    Query(asked): Query<Asked>,
) -> Result<axum::Json<Listed<OnuView>>, Failure> {
    desk.require(Action::Read)?;
    let limit = asked.limit.unwrap_or(100).clamp(1, 1000) as usize;
    let filter = asked.filter(&desk)?;
    let mut tx = desk.context.store.read().await?;
    let found = onus::list(&mut tx, &filter, limit as i64 + 1).await?;
    drop(tx);
    let views = views(&desk, &found).await?;
    Ok(axum::Json(Listed::page(views, limit, |view| view.id)))
}

const HEADINGS: &[Heading] = &[
    Heading::optional("id", Kind::Number { least: 1, most: i64::MAX }),
    Heading::optional("olt_id", Kind::Number { least: 1, most: i64::MAX }),
    Heading::optional("raw_index_key", Kind::Text { most: 80 }),
    Heading::optional("normalized_id", Kind::Text { most: 80 }),
    Heading::optional("presence", Kind::Text { most: 20 }),
    Heading::optional("last_state_value", Kind::Number { least: i64::MIN, most: i64::MAX }),
    Heading::optional("last_state_label", Kind::Text { most: 80 }),
    Heading::optional("last_seen_at", Kind::Text { most: 80 }),
    Heading::optional("serial_number", Kind::Text { most: 255 }),
    Heading::optional("mac_address", Kind::Text { most: 255 }),
    Heading::optional("subscriber_id", Kind::Text { most: 255 }),
    Heading::optional("snmp_description", Kind::Text { most: 255 }),
    Heading::optional("plan_onu", Kind::Text { most: 255 }),
    Heading::optional("distancia_onu", Kind::Text { most: 255 }),
    Heading::optional("modelo_onu", Kind::Text { most: 255 }),
];

/// The most that one file holds.
const MOST: i64 = 500_000;

/// The inventory as CSV.
#[utoipa::path(get, path = "/api/coordinador/planillas/onus", tag = "coordinador",
    params(Asked),
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let found = onus::list(&mut tx, &asked.filter(&desk)?, MOST).await?;
    drop(tx);
    let mut rows = Vec::with_capacity(found.len());
    for view in views(&desk, &found).await? {
        if let serde_json::Value::Object(fields) = as_json(view)? {
            rows.push(fields);
        }
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"onus.csv\""),
    ];
    Ok((headers, sheet::write(HEADINGS, rows)).into_response())
}

/// Says that a walk that lost many ONUs was right: the OLT is walked once more, and believed.
#[utoipa::path(post, path = "/api/coordinador/olts/{id}/aceptar-recorrido",
    params(("id" = i64, Path)), tag = "coordinador",
    responses((status = 202)))]
async fn accept(desk: Desk, Path(id): Path<i64>) -> Result<StatusCode, Failure> {
    desk.require(Action::Operate)?;
    accept_walk(&desk, OltId(id)).await?;
    Ok(StatusCode::ACCEPTED)
}

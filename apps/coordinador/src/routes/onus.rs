//! The ONUs of the fleet, and believing a walk that lost many.

use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use engine::sheet::{self, Column as Heading, Kind};
use futures::StreamExt as _;
use host::{Failure, Listed};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Path, Query};

use super::{Desk, named};
use crate::{
    Context,
    decisions::{catalogue::entries, olts::accept_walk},
    model::{CatalogueEntry, Oid, OltId, Onu, OnuId},
    policy::Action,
    rules::{catalogue, inventory},
    store::{olts, onus, readings},
    wire::{LastView, OnuView},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(export)).routes(routes!(accept))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
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
    let tongues = olts::tongues(&mut tx).await?;
    let entries = entries(&mut tx).await?;
    let mut read = readings::of(&mut tx, found.iter().map(|onu| onu.id)).await?;
    Ok(found
        .iter()
        .map(|onu| {
            let (brand, walked) =
                tongues.get(&onu.olt).map_or(("", None), |(brand, oid)| (brand, oid.as_deref()));
            let states = inventory::states(walked, brand);
            let told = onu.state.map(|state| states.label(state).to_owned());
            let lasts = read.remove(&onu.id).unwrap_or_default();
            let lecturas = lasts.into_iter().map(|last| named_last(&entries, brand, last));
            OnuView { lecturas: lecturas.collect(), ..OnuView::new(onu, told) }
        })
        .collect())
}

fn named_last(entries: &[CatalogueEntry], brand: &str, last: readings::Last) -> LastView {
    let oid = last.oid.parse::<Oid>().ok();
    let entry = oid.and_then(|oid| catalogue::named(entries, &oid, brand));
    LastView {
        nombre: entry.map(|entry| entry.name.clone()),
        unidad: entry.and_then(|entry| entry.unit),
        oid: last.oid,
        valor: last.value,
        leido_at: last.at,
    }
}

/// The ONUs that were found, with their last readings.
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

/// Rows read, worded and sent at a time: what the file costs in memory.
const CHUNK: i64 = 1_000;

/// The inventory as CSV, whatever its size: it goes out as it is read.
#[utoipa::path(get, path = "/api/coordinador/planillas/onus", tag = "coordinador",
    params(Asked),
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(desk: Desk, Query(asked): Query<Asked>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let filter = asked.filter(&desk)?;
    let header = sheet::write(HEADINGS, []);
    let rows = futures::stream::try_unfold(Some((desk, filter)), |rest| async move {
        let Some((desk, filter)) = rest else { return Ok(None) };
        match lines(&desk, &filter).await {
            Ok((text, last)) => {
                let rest = last.map(|last| (desk, onus::Filter { after: Some(last), ..filter }));
                Ok(Some((text, rest)))
            }
            Err(failure) => {
                tracing::warn!(problem = ?failure.problem(), "an export broke off");
                Err(std::io::Error::other("the export broke off"))
            }
        }
    });
    let head = futures::stream::once(std::future::ready(Ok(header)));
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"onus.csv\""),
    ];
    Ok((headers, Body::from_stream(head.chain(rows))).into_response())
}

/// The next records, and after whom there are more.
async fn lines(desk: &Desk, filter: &onus::Filter) -> Result<(String, Option<OnuId>), Failure> {
    let mut tx = desk.context.store.read().await?;
    let found = onus::list(&mut tx, filter, CHUNK).await?;
    drop(tx);
    let last = found.last().map(|onu| onu.id).filter(|_| found.len() as i64 == CHUNK);
    let rows = views(desk, &found).await?.into_iter().filter_map(|view| {
        serde_json::to_value(view).ok().and_then(|view| match view {
            serde_json::Value::Object(fields) => Some(fields),
            _ => None,
        })
    });
    let text = sheet::write(HEADINGS, rows);
    // The first record is the header, which went out already.
    let rows = text.split_once("\r\n").map_or("", |(_, rows)| rows);
    Ok((rows.to_owned(), last))
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

//! Robots, runners and schedules as CSV, in and out. A file is taken whole or not at all.

use std::collections::{HashMap, HashSet};

use axum::{
    body::Bytes,
    http::header,
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::Path;
use web::routes;

use super::as_json;
use crate::{
    Context, Desk, decisions,
    model::{Hold, RunnerId, ScheduleId},
    policy::Action,
    rules::import::{self, Sheet},
    store::{self, assignments},
    wire::{RobotRequest, RunnerRequest, ScheduleRequest},
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(export, take))
}

fn sheet(desk: &Desk, name: &str) -> Result<Sheet, Failure> {
    match name {
        "robots" => Ok(Sheet::Robots),
        "equipos" => Ok(Sheet::Runners),
        "programaciones" => Ok(Sheet::Schedules),
        _ => {
            let (es, en) = (
                "Hay robots, equipos y programaciones.",
                "There are robots, equipos, programaciones.",
            );
            Err(super::unknown(desk, "PLANILLA_INEXISTENTE", es, en).into())
        }
    }
}

/// Everything of one kind as CSV, which may be edited and sent back.
#[utoipa::path(get, path = "/api/sam/planillas/{cual}", params(("cual" = String, Path)),
    tag = "sam",
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn export(desk: Desk, Path(name): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::Read)?;
    let sheet = sheet(&desk, &name)?;
    let rows = rows(&desk, sheet).await?;
    let text = import::write(sheet, rows);
    let disposition = format!("attachment; filename=\"sam-{name}.csv\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, text).into_response())
}

async fn rows(desk: &Desk, sheet: Sheet) -> Result<Vec<Map<String, Json>>, Failure> {
    let mut tx = desk.context.store.read().await?;
    let assigned = assignments::all(&mut tx).await?;
    let mut requests = Vec::new();
    match sheet {
        Sheet::Robots => {
            for robot in store::robots::all(&mut tx).await? {
                requests.push(as_json(RobotRequest::new(&robot))?);
            }
        }
        Sheet::Runners => {
            let fixed = assigned.iter().filter(|one| one.hold == Hold::Scheduled);
            let fixed: HashSet<_> = fixed.map(|one| one.runner).collect();
            for runner in store::runners::all(&mut tx).await? {
                let scheduled = fixed.contains(&runner.id);
                requests.push(as_json(RunnerRequest::new(&runner, scheduled))?);
            }
        }
        Sheet::Schedules => {
            let mut named: HashMap<ScheduleId, Vec<RunnerId>> = HashMap::new();
            for one in &assigned {
                if let Some(schedule) = one.schedule {
                    named.entry(schedule).or_default().push(one.runner);
                }
            }
            for schedule in store::schedules::all(&mut tx).await? {
                let runners = named.remove(&schedule.id).unwrap_or_default();
                let mut request = as_json(ScheduleRequest::new(&schedule, &runners))?;
                request["id"] = schedule.id.0.into();
                requests.push(request);
            }
        }
    }
    let object = |json: Json| match json {
        Json::Object(fields) => Some(fields),
        _ => None,
    };
    Ok(requests.into_iter().filter_map(object).collect())
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamImportacion)]
struct Taken {
    creados: usize,
    cambiados: usize,
}

/// Takes a CSV: rows with a known id change it, others create. One bad row and nothing is taken.
#[utoipa::path(post, path = "/api/sam/planillas/{cual}", params(("cual" = String, Path)),
    request_body(content = String, content_type = "text/csv"), tag = "sam",
    responses((status = 200, body = Taken)))]
async fn take(
    desk: Desk,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<axum::Json<Taken>, Failure> {
    desk.require(Action::Edit)?;
    let sheet = sheet(&desk, &name)?;
    let rows = import::read(sheet, &body).map_err(|bad| web::sheet::refused(bad, desk.lang))?;
    let taken = decisions::import::take_whole(desk, sheet, rows).await?;
    Ok(axum::Json(Taken { creados: taken.created, cambiados: taken.changed }))
}

//! Workflows: what is in force, every version, what was refused, and a check before it is saved.

use axum::response::{IntoResponse as _, Response};
use engine::Word as _;
use host::Failure;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem};

use super::Desk;
use crate::{
    Context,
    policy::Action,
    rules::workflow::{self, Fault, Promotion, Workflow, mermaid},
    store::workflows as versions,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one)).routes(routes!(validate))
}

/// The workflows in force, and files that were refused.
#[utoipa::path(get, path = "/api/docproc/workflows", tag = "docproc",
    responses((status = 200, body = Object)))]
async fn list(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::ReadWorkflows)?;
    let runtime = desk.context.runtime.clone();
    let active = runtime.workflows.active();
    let items: Vec<Json> =
        active.values().map(|one| brief(one, runtime.workflows.id_of(&one.name))).collect();
    let refused: Vec<Json> = runtime
        .workflows
        .refused()
        .iter()
        .map(|one| json!({ "file": one.file, "errors": faults(&one.faults, desk.lang) }))
        .collect();
    Ok(axum::Json(json!({ "items": items, "next": null, "refused": refused })).into_response())
}

pub(super) fn brief(workflow: &Workflow, version: Option<i64>) -> Json {
    let stages: Vec<Json> = workflow
        .stages
        .iter()
        .map(|stage| {
            json!({ "name": stage.name, "component": stage.component_name(), "unit": stage.unit,
                    "routing_key": stage.routing_key, "threshold": stage.threshold,
                    "backoffice_queue": stage.backoffice_queue })
        })
        .collect();
    json!({
        "name": workflow.name, "description": workflow.description, "version": workflow.version,
        "version_id": version, "promotion": match workflow.promotion {
            Promotion::Automatic => "automatic",
            Promotion::Required => "required",
        },
        "sla_seconds": workflow.sla.deadline.map(|sla| sla.as_secs_f64()),
        "types": workflow.types(), "stages": stages,
    })
}

/// One workflow: its versions, newest first, and its picture as Mermaid text.
#[utoipa::path(get, path = "/api/docproc/workflows/{name}", tag = "docproc",
    params(("name" = String, Path)),
    responses((status = 200, body = Object)))]
async fn one(desk: Desk, Path(name): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadWorkflows)?;
    let runtime = desk.context.runtime.clone();
    let mut tx = desk.context.store.read().await?;
    let found = versions::versions(&mut tx, Some(&name)).await?;
    if found.is_empty() {
        return Err(Problem::not_found("FLUJO_DESCONOCIDO")
            .lang(desk.lang)
            .detail(desk.lang.t("No hay un flujo con ese nombre.", "There is no such workflow."))
            .into());
    }
    let active = runtime.workflows.active().get(&name).cloned();
    let list: Vec<Json> = found
        .iter()
        .map(|one| {
            json!({ "id": one.id, "digest": one.digest, "loaded_at": one.loaded_at,
                    "active": one.active, "environment": one.environment.word(),
                    "activated_at": one.activated_at, "source": one.source })
        })
        .collect();
    let diagram = active.as_ref().map(|active| mermaid(active));
    let current = active.as_ref().map(|active| brief(active, runtime.workflows.id_of(&name)));
    let body = json!({ "name": name, "active": current, "diagram": diagram, "versions": list });
    Ok(axum::Json(body).into_response())
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Source {
    yaml: String,
}

/// Checks a workflow without loading it.
#[utoipa::path(post, path = "/api/docproc/workflows/validate", request_body = Source,
    tag = "docproc",
    responses((status = 200, body = Object)))]
async fn validate(
    desk: Desk,
    web::Json(Source { yaml }): web::Json<Source>,
) -> Result<Response, Failure> {
    desk.require(Action::ReadWorkflows)?;
    let body = match workflow::parse(&yaml) {
        Ok(good) => json!({ "valid": true, "errors": [], "workflow": brief(&good, None),
                            "diagram": mermaid(&good) }),
        Err(found) => json!({ "valid": false, "errors": faults(&found, desk.lang) }),
    };
    Ok(axum::Json(body).into_response())
}

pub(super) fn faults(faults: &[Fault], lang: Lang) -> Vec<Json> {
    faults
        .iter()
        .map(|fault| {
            json!({ "line": fault.line, "column": fault.column,
                    "message": lang.say(&fault.sentence) })
        })
        .collect()
}

//! Pending tickets, pushed by whoever has them; and the sync on demand.

use axum::response::Response;
use axum::{http::StatusCode, response::IntoResponse as _};
use host::Failure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::Problem;
use web::routes;

use super::{Listed, check::Check, conflict};
use crate::{
    Context, Desk,
    decisions::{
        demand::{Pushed, push as push_tickets},
        sync,
    },
    policy::Action,
    store::{circuit, demand},
};

/// Robots in one push.
const MOST: usize = 10_000;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(list, push)).routes(routes!(state, run))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SamTickets)]
struct Tickets {
    #[schema(min_length = 1, max_length = 50)]
    proveedor: String,
    /// By its name, or by the provider's name for it.
    #[schema(min_length = 1, max_length = 255)]
    robot: String,
    /// Null: the provider failed; the demand is unknown.
    #[schema(minimum = 0, maximum = 10_000_000)]
    pendientes: Option<i64>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = SamTicketsUnoOVarios)]
enum OneOrMany {
    One(Tickets),
    Many(Vec<Tickets>),
}

/// Says how many tickets are pending. All of them are taken, or none.
#[utoipa::path(put, path = "/api/sam/tickets", request_body = OneOrMany, tag = "sam",
    responses((status = 204)))]
async fn push(desk: Desk, web::Json(pushed): web::Json<OneOrMany>) -> Result<StatusCode, Failure> {
    desk.require(Action::ReportTickets)?;
    let pushed = match pushed {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    };
    let mut check = Check::new(desk.lang);
    if pushed.len() > MOST {
        check.wrong("", "son demasiados", "are too many");
    }
    for one in pushed.iter().take(MOST) {
        check.name("proveedor", &one.proveedor, 50);
        check.name("robot", &one.robot, 255);
        check.within("pendientes", one.pendientes.unwrap_or(0), 0, 10_000_000);
    }
    check.finish()?;
    let pushed: Vec<_> = pushed
        .iter()
        .map(|one| Pushed {
            provider: one.proveedor.trim(),
            robot: &one.robot,
            pending: one.pendientes,
        })
        .collect();
    push_tickets(&desk, &pushed).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamDemanda)]
struct DemandView {
    proveedor: String,
    robot_id: i64,
    pendientes: Option<i64>,
    fecha: Timestamp,
}

/// What each provider said last.
#[utoipa::path(get, path = "/api/sam/tickets", tag = "sam",
    responses((status = 200, body = Listed<DemandView>)))]
async fn list(
    desk: Desk,
    _: web::Query<super::Unasked>,
) -> Result<axum::Json<Listed<DemandView>>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let views = demand::lines(&mut tx).await?.into_iter().map(|line| DemandView {
        proveedor: line.provider,
        robot_id: line.robot.0,
        pendientes: line.pending,
        fecha: line.at,
    });
    Ok(axum::Json(Listed::whole(views.collect())))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamSync)]
struct SyncView {
    /// When the last one succeeded.
    ultima: Option<Timestamp>,
    /// How the last one failed, if it did.
    error: Option<String>,
}

/// How the last sync with the Control Room went.
#[utoipa::path(get, path = "/api/sam/sync", tag = "sam",
    responses((status = 200, body = SyncView)))]
async fn state(desk: Desk) -> Result<axum::Json<SyncView>, Failure> {
    desk.require(Action::Read)?;
    let mut tx = desk.context.store.read().await?;
    let (ultima, error) = circuit::sync_state(&mut tx).await?;
    let error = error.map(|error| desk.lang.told(&error));
    Ok(axum::Json(SyncView { ultima, error }))
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamSyncHecha)]
struct Synced {
    cambios: usize,
    /// Devices left out and why.
    ignorados: Vec<String>,
    /// Taskbots that the filters left out.
    filtrados: usize,
}

/// Takes over what the Control Room has: new robots and runners, names, connection, licence. What
/// the operator set stays.
#[utoipa::path(post, path = "/api/sam/sync", tag = "sam",
    responses((status = 200, body = Synced), (status = 502, body = Problem)))]
async fn run(desk: Desk) -> Result<Response, Failure> {
    desk.require(Action::Operate)?;
    match sync::run(&desk.context, &desk.by(), desk.now).await? {
        sync::Ran::Done(done) => Ok(axum::Json(Synced {
            cambios: done.changes.len(),
            ignorados: done
                .ignored
                .iter()
                .map(|one| {
                    let why = one.why.sentence();
                    format!("{} ({}): {}", one.host, one.device, desk.lang.say(&why))
                })
                .collect(),
            filtrados: done.filtered,
        })
        .into_response()),
        sync::Ran::Busy => {
            let (es, en) = ("Ya hay una sincronización en curso.", "A sync is under way already.");
            Err(conflict(desk.lang, "SYNC_EN_CURSO", es, en).into())
        }
        sync::Ran::NotConfigured => {
            let (es, en) = ("El Control Room no está configurado.", "The Control Room is not set.");
            Err(conflict(desk.lang, "A360_SIN_CONFIGURAR", es, en).into())
        }
        sync::Ran::Failed(fault) => Err(Problem::new(StatusCode::BAD_GATEWAY, "A360_ERROR")
            .lang(desk.lang)
            .detail(fault)
            .into()),
    }
}

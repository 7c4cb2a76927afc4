//! `POST /api/callback`: the Control Room says that a run is over (§4.4).

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use host::{Actor, Failure, Peer};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Problem};

use crate::{
    Context,
    decisions::callback::{Heard, hear},
    drivers::proof::{self, Caller},
    model::RunState,
    store::policy,
};

/// A callback is a few words; anything larger is not one.
const MOST_BYTES: usize = 256 * 1024;

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new().routes(routes!(receive))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SamAviso)]
#[allow(dead_code, reason = "what is not read here is kept whole in the payload")]
struct Notice {
    #[schema(min_length = 1, max_length = 200)]
    deployment_id: String,
    #[schema(example = "RUN_COMPLETED")]
    status: String,
    /// A number, or a text.
    #[schema(value_type = Option<String>)]
    device_id: Option<Json>,
    #[schema(value_type = Option<String>)]
    user_id: Option<Json>,
    #[schema(value_type = Option<Object>)]
    bot_output: Option<Json>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SamAvisoRecibido)]
struct Answer {
    #[schema(example = "OK")]
    status: &'static str,
    message: &'static str,
}

/// Closes the run of a deployment, once; repeated, it changes nothing. A deployment nobody knows
/// yet is kept and matched later.
#[utoipa::path(post, path = "/api/callback", request_body = Notice, tag = "sam",
    responses((status = 200, body = Answer), (status = 202, body = Answer)))]
async fn receive(
    State(context): State<Context>,
    lang: Lang,
    actor: Actor,
    peer: Peer,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Failure> {
    let mut tx = context.store.read().await?;
    let values = context.settings.load(&mut tx, crate::NAME).await?;
    drop(tx);
    let now = context.clock.now();
    let door = policy::callback_door(&values, &context.options.vault)?;
    let caller = Caller { headers: &headers, actor: &actor, peer };
    if let Err(why) = proof::check(&door, &caller, now) {
        metrics::counter!("sam_callbacks_total", "outcome" => "refused").increment(1);
        tracing::warn!(why, "callback refused");
        return Err(Problem::unauthorized("AVISO_NO_AUTENTICADO")
            .lang(lang)
            .detail(lang.t(
                "El aviso no trae los tokens que se exigen.",
                "The callback does not carry the tokens that are required.",
            ))
            .into());
    }
    let (notice, payload) = read(&body, lang)?;
    let status = notice.status.trim().to_uppercase();
    let Some(state) = RunState::told(&status).filter(|state| state.is_final()) else {
        let detail = lang
            .t("status no es un estado final conocido.", "status is no final state that is known.");
        return Err(malformed(lang, "status", detail).into());
    };
    let deployment = notice.deployment_id.trim();
    let heard = hear(&context, deployment, &status, state, &payload, now).await?;
    let (code, message) = match heard {
        Heard::Closed => (StatusCode::OK, "closed"),
        Heard::Overruled => (StatusCode::OK, "verdict taken"),
        Heard::Known => (StatusCode::OK, "already final"),
        Heard::Kept => (StatusCode::ACCEPTED, "kept until the deployment is known"),
        Heard::Full => return Ok(too_many(lang)),
    };
    Ok((code, axum::Json(Answer { status: "OK", message })).into_response())
}

fn read(body: &Bytes, lang: Lang) -> Result<(Notice, Json), Problem> {
    let broken = || {
        let detail =
            lang.t("El cuerpo no es un aviso en JSON.", "The body is no callback in JSON.");
        malformed(lang, "", detail)
    };
    if body.len() > MOST_BYTES {
        return Err(
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "AVISO_DEMASIADO_GRANDE").lang(lang)
        );
    }
    let payload: Json = serde_json::from_slice(body).map_err(|_| broken())?;
    // PostgreSQL keeps no such character.
    if payload.to_string().contains("\\u0000") {
        return Err(broken());
    }
    let notice: Notice = serde_path_to_error::deserialize(&payload).map_err(|error| {
        let path = error.path().to_string();
        let told = web::wording::refusal(&error.inner().to_string());
        malformed(lang, &path, lang.say(&told))
    })?;
    let named = notice.deployment_id.trim();
    if named.is_empty() || named.chars().count() > 200 {
        let detail = lang
            .t("Falta deploymentId o es demasiado largo.", "deploymentId is missing or too long.");
        return Err(malformed(lang, "deploymentId", detail));
    }
    Ok((notice, payload))
}

/// It is said again later; by then others may have been matched, or have expired.
fn too_many(lang: Lang) -> Response {
    let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "DEMASIADOS_AVISOS")
        .lang(lang)
        .detail(lang.t(
            "Ya hay demasiados avisos de despliegues desconocidos.",
            "Too many callbacks of unknown deployments are kept already.",
        ));
    ([(header::RETRY_AFTER, "300")], problem).into_response()
}

fn malformed(lang: Lang, path: &str, why: &str) -> Problem {
    Problem::bad_request("AVISO_INVALIDO").lang(lang).detail(why).error(path, why)
}

//! The seed's two endpoints: send documents, ask how they are doing (§13.1, §13.2).

use std::sync::Arc;

use axum::{
    extract::{DefaultBodyLimit, Multipart, multipart::MultipartRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use host::Failure;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::routes;
use web::{Lang, Path, Problem};

use super::{AtDesk as _, Desk, idempotency_key};
use crate::{
    Context,
    decisions::{
        Key,
        receive::{Arrival, Once, Received, receive, receive_once},
    },
    drivers::passwords,
    drivers::reception::{self, Form, Refused},
    drivers::runtime::Runtime,
    drivers::storage::Fault,
    model::Status,
    policy::Action,
    rules::{callback, route, workflow::Workflow},
    store::{partial, policy, requests, reviews},
    wire::StatusView,
};

pub(super) fn routes() -> OpenApiRouter<Context> {
    OpenApiRouter::new()
        .routes(routes!(process))
        .layer(axum::middleware::from_fn(super::upload::heard_out))
        // The house's body limit is for JSON; files are bounded where they are read.
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(status))
}

#[derive(Debug, Serialize, ToSchema)]
struct Accepted {
    request_id: String,
    #[schema(example = "received")]
    status: String,
}

/// The form of `POST /process`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the shape of the form, for its documentation")]
struct ProcessForm {
    /// PDF, TIFF, JPEG, PNG, plain text, a ZIP of these or an e-mail with them; may repeat.
    #[schema(format = Binary)]
    file: String,
    /// A JSON object.
    metadata: Option<String>,
    channel: Option<String>,
    workflow: Option<String>,
    external_id: Option<String>,
    /// For encrypted PDF.
    password: Option<String>,
    /// 1 (urgent) to 9.
    priority: Option<String>,
    /// Where partial and final answers are sent, signed.
    callback_url: Option<String>,
}

/// Takes documents in.
#[utoipa::path(post, path = "/process", tag = "docproc",
    request_body(content = ProcessForm, content_type = "multipart/form-data"),
    responses((status = 200, body = Accepted)))]
async fn process(
    desk: Desk,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, Failure> {
    desk.require(Action::Submit)?;
    let key = idempotency_key(&desk, &headers)?;
    let form = form.map_err(|_| reception::not_a_form(desk.lang))?;
    let runtime = desk.context.runtime.clone();
    let id = uuid::Uuid::now_v7().to_string();
    let accepted = match admit(&desk, &runtime, key, &id, form).await {
        Ok((arrival, key)) => accept(&desk, arrival, key).await,
        Err(refused) => Ok(Err(refused)),
    };
    // A request whose commit was not answered may be there, and need its files.
    let kept = matches!(accepted, Ok(Ok(Received::New)) | Err(db::Error::Unanswered(_)));
    if !kept && let Err(error) = runtime.storage.remove(&id).await {
        tracing::warn!(%error, request_id = id, "files of a refused request stay until the sweep");
    }
    match accepted?? {
        Received::New => {
            let status = engine::Word::word(Status::Received).to_owned();
            Ok(axum::Json(Accepted { request_id: id, status }).into_response())
        }
        Received::Replayed(answer) => Ok(axum::Json(answer).into_response()),
        Received::KeyReused => Err(Problem::conflict("CLAVE_REUTILIZADA")
            .lang(desk.lang)
            .detail(desk.lang.t(
                "Esa Idempotency-Key ya se usó con otra solicitud.",
                "That Idempotency-Key was used for another request.",
            ))
            .into()),
    }
}

async fn accept(
    desk: &Desk,
    arrival: Arrival,
    key: Option<Key>,
) -> Result<Result<Received, Failure>, db::Error> {
    let received = match key {
        Some(key) => receive_once(&desk.context, &arrival, Once::Key(&key)).await?,
        None => receive(&desk.context, arrival).await.map(|()| Received::New)?,
    };
    Ok(Ok(received))
}

/// Reads a form and makes a request of it, with its files in storage, or says why not.
async fn admit(
    desk: &Desk,
    runtime: &Arc<Runtime>,
    key: Option<String>,
    id: &str,
    form: Multipart,
) -> Result<(Arrival, Option<Key>), Failure> {
    let now =
        async { policy::load(&desk.context.settings, &mut desk.context.store.read().await?).await };
    let policy = runtime.policy.read(now).await?;
    runtime.heed(&policy);
    let form = reception::read(runtime, id, form, policy.upload_bytes, desk.lang).await;
    let mut form = form.map_err(|refused| match refused {
        Refused::Problem(problem) => Failure::from(*problem),
        Refused::Storage(error) => unstored(desk.lang, &error),
    })?;
    if let Some(url) = &form.callback_url {
        let private = crate::drivers::callback::may_stay_inside(&desk.context, policy.callbacks);
        callback::check(url, private).map_err(|sentence| {
            Problem::unprocessable("CALLBACK_NO_ADMITIDO")
                .lang(desk.lang)
                .detail(desk.lang.say(&sentence))
        })?;
    }
    let active = runtime.workflows.active();
    let named = form.workflow.as_deref();
    let workflow = route::choose(&active, named, &form.channel, &form.metadata);
    let Some(workflow) = workflow else { return Err(no_workflow(desk, named, &active).into()) };
    let Some(version) = runtime.workflows.id_of(&workflow.name) else {
        return Err(no_workflow(desk, named, &active).into());
    };
    reception::open(runtime.clone(), &mut form.files, desk.lang).await?;
    let key = key.map(|key| Key { key, fingerprint: fingerprint(&form, &workflow.name) });
    let row = requests::RequestRow {
        external_id: form.external_id.clone(),
        channel: form.channel.clone(),
        priority: form.priority,
        metadata: serde_json::Value::Object(form.metadata.clone()),
        created_by: desk.actor.name.clone(),
        callback_url: form.callback_url.clone(),
        ..reception::received(id, workflow, version, &policy, desk.now)
    };
    let mut files = form.files;
    for password in files.iter_mut().filter_map(|file| file.password.as_mut()) {
        *password = passwords::sealed(&desk.context.options.vault, password);
    }
    Ok((Arrival { row, files }, key))
}

/// The same key with other files, metadata or destination is another request.
fn fingerprint(form: &Form, workflow: &str) -> String {
    let hashes: Vec<&str> = form.files.iter().map(|file| file.sha256.as_str()).collect();
    let Form { metadata, channel, external_id, callback_url, .. } = form;
    let canonical = json!([hashes, metadata, channel, workflow, external_id, callback_url]);
    db::sha256_hex(canonical.to_string().as_bytes())
}

fn no_workflow(
    desk: &Desk,
    named: Option<&str>,
    active: &std::collections::BTreeMap<String, std::sync::Arc<Workflow>>,
) -> Problem {
    let known: Vec<&str> = active.keys().map(String::as_str).collect();
    let shown: String = named.unwrap_or(route::DEFAULT).chars().take(100).collect();
    Problem::unprocessable("FLUJO_DESCONOCIDO")
        .lang(desk.lang)
        .detail(match desk.lang {
            web::Lang::Es => format!("No hay un flujo «{shown}»."),
            web::Lang::En => format!("There is no workflow “{shown}”."),
        })
        .hint(known.join(", "))
}

pub(super) fn unstored(lang: Lang, error: &Fault) -> Failure {
    tracing::error!(%error, "an upload could not be stored");
    if matches!(error, Fault::Full(_)) {
        return host::disk_full(lang).into();
    }
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "ALMACEN_NO_DISPONIBLE")
        .lang(lang)
        .detail(lang.t(
            "No se pudo guardar el archivo; no se ha aceptado nada.",
            "The file could not be stored; nothing was accepted.",
        ))
        .into()
}

/// How a request is doing, with its result when there is one.
#[utoipa::path(get, path = "/status/{request_id}", tag = "docproc",
    params(("request_id" = String, Path, description = "UUID")),
    responses((status = 200, body = StatusView), (status = 422, body = Problem)))]
async fn status(desk: Desk, Path(id): Path<String>) -> Result<Response, Failure> {
    desk.require(Action::ReadStatus)?;
    let id = desk.id(&id)?;
    let mut tx = desk.context.store.read().await?;
    let Some(row) = requests::find(&mut tx, desk.visibility(), &id).await? else {
        return Err(desk.no_request().into());
    };
    let runtime = desk.context.runtime.clone();
    let so_far = if row.result.is_none() && (row.breached_at.is_some() || row.partial_at.is_some())
    {
        let house = policy::load(&desk.context.settings, &mut tx).await?.thresholds;
        partial::of(&mut tx, &runtime.workflows, &id, house).await?
    } else {
        None
    };
    let questions = if row.status.is_final() {
        0
    } else {
        let waiting = reviews::waiting(&mut tx, std::slice::from_ref(&id)).await?;
        waiting.get(&id).map_or(0, |waiting| waiting.questions)
    };
    Ok(axum::Json(StatusView::new(&row, so_far, questions, desk.lang)).into_response())
}

//! Stage `http`: a service outside does the work. The message goes out as JSON, and whatever the
//! service knows of text, type and fields comes back.

use std::time::Instant;

use engine::Sentence;
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde::Serialize;
use serde_json::Value as Json;

use super::{reply, second};
use crate::{
    Context,
    drivers::{
        callback::may_stay_inside,
        envelopes::{self, Links},
    },
    rules::{
        callback,
        course::Ran,
        retry::Trouble,
        workflow::{How, Stage},
    },
    store::{jobs::Job, policy, progress::Finding},
};

/// More than any answer about one page or document.
const LARGEST: usize = 8 << 20;
/// How long after the call the addresses in it are good.
const OPEN_FOR: SignedDuration = SignedDuration::from_hours(1);

/// Asks the service of a job; gives the job back with what came of it.
pub(super) async fn perform(context: Context, mut job: Job) -> Job {
    let (started, clock) = (context.clock.now(), Instant::now());
    let answered = match job.stage() {
        Some(stage) => call(&context, &job, stage).await,
        None => Err(super::read::misplaced("http")),
    };
    match answered {
        Ok(finding) => {
            let (finished, took) = (context.clock.now(), clock.elapsed());
            job.findings.push(Finding { ran: Some(Ran { started, finished, took }), ..finding });
        }
        Err(trouble) => job.trouble = Some(trouble),
    }
    job
}

async fn call(context: &Context, job: &Job, stage: &Stage) -> Result<Finding, Trouble> {
    let How::Call { url, model } = &stage.how else { return Err(super::read::misplaced("http")) };
    let house = prepared(context, job).await?;
    if let Some(model) = model {
        return second::look(context, job, &house, (url, model)).await;
    }
    let body = post(context, &house, stage, url, &house.message).await?;
    reply::finding(job, &house.message.payload, body).map_err(|said| unfit(&said))
}

/// Sends something to a service and reads its answer, both in bounds.
pub(super) async fn post<T: Serialize + Sync>(
    context: &Context,
    house: &Prepared,
    stage: &Stage,
    url: &str,
    what: &T,
) -> Result<Json, Trouble> {
    if !house.private && callback::is_inside(url) {
        let key = policy::HTTP_PRIVATE;
        let (es, en) = (
            format!("apunta dentro de la red; {key} lo permite"),
            format!("it points inside the network; {key} allows it"),
        );
        return Err(refused("HTTP_PRIVATE", Sentence::new(es, en).kept(), false));
    }
    let client = context.runtime.callbacks.one(house.private);
    let mut sent = client.post(url).timeout(stage.timeout).json(what);
    // Whoever may write a workflow must not be sent what was entered for another service.
    let trusted = callback::is_same_service(&house.service, url);
    if let Some(value) = house.authorization.as_ref().filter(|_| trusted) {
        sent = sent.header(AUTHORIZATION, value);
    }
    let mut response = sent.send().await.map_err(|error| unreachable(&error))?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(&error))? {
        if body.len() + chunk.len() > LARGEST {
            let said = Sentence::new("la respuesta es demasiado grande", "the answer is too large");
            return Err(refused("HTTP_ANSWER_TOO_LARGE", said.kept(), true));
        }
        body.extend_from_slice(&chunk);
    }
    if matches!(status.as_u16(), 401 | 403) && house.authorization.is_some() && !trusted {
        let key = policy::HTTP_AUTHORIZATION_FOR;
        let (es, en) = (
            format!("{status}; la credencial no se le envía: {key} no nombra este servicio"),
            format!("{status}; it is not sent the credential: {key} does not name this service"),
        );
        return Err(refused("HTTP_AUTHORIZATION", Sentence::new(es, en).kept(), true));
    }
    if !status.is_success() {
        let lasting = status.is_client_error() && !matches!(status.as_u16(), 408 | 425 | 429);
        let answered: String = String::from_utf8_lossy(&body).chars().take(200).collect();
        return Err(refused("HTTP_STATUS", format!("{status}: {answered}"), lasting));
    }
    let no_json = |_| unfit(&Sentence::new("no es JSON", "it is no JSON"));
    serde_json::from_slice(&body).map_err(no_json)
}

pub(super) fn unfit(said: &Sentence) -> Trouble {
    let both = Sentence::new(
        format!("la respuesta no sirve: {}", said.es),
        format!("the answer does not fit: {}", said.en),
    );
    refused("HTTP_ANSWER", both.kept(), true)
}

/// The message, what the house says of itself and to which service, and whether services may be inside.
pub(super) struct Prepared {
    message: crate::wire::message::PipelineMessage,
    authorization: Option<HeaderValue>,
    service: String,
    private: bool,
}

async fn prepared(context: &Context, job: &Job) -> Result<Prepared, Trouble> {
    let prepared = async {
        let mut tx = context.store.read().await?;
        let base = envelopes::base(context, &mut tx).await?;
        let until = context.clock.now().saturating_add(OPEN_FOR).unwrap_or(Timestamp::MAX);
        let links = Links { vault: &context.options.vault, base: &base, until };
        let message = envelopes::envelope(&mut tx, job, &links).await?;
        let values = context.settings.load(&mut tx, crate::NAME).await?;
        let private = policy::private(values.text(policy::HTTP_PRIVATE)?);
        let text = |key| values.text(key).map(str::to_owned);
        let authorization = text(policy::HTTP_AUTHORIZATION)?;
        let service = text(policy::HTTP_AUTHORIZATION_FOR)?;
        Ok::<_, db::Error>((message, authorization, service, may_stay_inside(context, private)))
    };
    let (message, authorization, service, private) =
        prepared.await.map_err(|error| refused("DATABASE", error.to_string(), false))?;
    if authorization.is_empty() {
        return Ok(Prepared { message, authorization: None, service, private });
    }
    let mut value = HeaderValue::from_str(&authorization).map_err(|_| {
        let key = policy::HTTP_AUTHORIZATION;
        let (es, en) =
            (format!("{key} no puede ser un encabezado"), format!("{key} cannot be a header"));
        refused("HTTP_AUTHORIZATION", Sentence::new(es, en).kept(), false)
    })?;
    value.set_sensitive(true);
    Ok(Prepared { message, authorization: Some(value), service, private })
}

fn refused(code: &str, detail: String, lasting: bool) -> Trouble {
    Trouble { code: code.to_owned(), detail, lasting }
}

fn unreachable(error: &reqwest::Error) -> Trouble {
    let code = if error.is_timeout() { "HTTP_TIMEOUT" } else { "HTTP_UNREACHABLE" };
    // The address may hold a secret; it is in the workflow for those who may see it.
    let told = error.to_string();
    let told = told.split(" for url").next().unwrap_or_default();
    let es =
        if error.is_timeout() { "el servicio no respondió" } else { "no se llega al servicio" };
    refused(code, Sentence::new(es, told).kept(), false)
}

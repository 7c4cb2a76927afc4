//! Work that somebody outside does: they take messages for a while and bring what came of it.

use std::time::{Duration, Instant};

use db::{Decision, Error};
use engine::Sentence;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::{Refusal, course, queue};
use crate::{
    Context,
    drivers::{
        envelopes::{self, Links},
        reading::reply,
    },
    model::Item,
    rules::{
        course::Ran,
        retry::{Trouble, is_deadly},
    },
    store::{
        Visibility,
        jobs::{self, Job},
        messages::{Claim, OUTSIDE},
        outside::{self, Letter},
        policy::{self, Policy},
        progress::Finding,
        queue_scope, requests, scope,
    },
    wire::message::PipelineMessage,
};

/// Addresses in a message outlive its lease by this much.
const OPEN_LONGER: SignedDuration = SignedDuration::from_mins(10);

/// Who asks for messages.
#[derive(Clone, Debug)]
pub struct Asker {
    pub component: String,
    pub worker: String,
    /// Where they reached us.
    pub base: String,
}

/// A message that is lent, and until when.
#[derive(Clone, Debug)]
pub struct Lease {
    pub message: PipelineMessage,
    pub until: Timestamp,
}

/// Lends up to `limit` messages, as soon as there is one and not later than after `wait`.
pub async fn take(
    context: &Context,
    asker: &Asker,
    limit: usize,
    wait: Duration,
) -> Result<Vec<Lease>, Error> {
    let deadline = Instant::now() + wait;
    let mut wakes = context.listen(OUTSIDE);
    let mut shown = false;
    loop {
        let now = context.clock.now();
        let due = outside::next_due(&mut context.store.read().await?, &asker.component).await?;
        if due.is_some_and(|due| due <= now) || !shown {
            let lent = lend(context, asker, limit, now).await?;
            if !lent.is_empty() {
                return Ok(lent);
            }
            shown = true;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || context.stopping.is_cancelled() {
            return Ok(Vec::new());
        }
        let until_due = due.map(|due| Duration::try_from(now.duration_until(due)));
        // By a manual clock nothing falls due by waiting.
        let next = until_due.and_then(Result::ok).filter(|_| !context.clock.is_manual());
        tokio::select! {
            () = context.stopping.cancelled() => {}
            _ = wakes.next() => {}
            () = tokio::time::sleep(next.map_or(left, |next| next.min(left))) => {}
        }
    }
}

async fn lend(
    context: &Context,
    asker: &Asker,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Lease>, Error> {
    let mut decision = context.store.decide(&queue_scope(), now).await?;
    let claims = outside::lend(&mut decision, &asker.worker, &asker.component, limit).await?;
    outside::seen(&mut decision, &asker.component, &asker.worker).await?;
    let house = policy::load(&context.settings, &mut decision.tx).await?.thresholds;
    let jobs = jobs::load(&mut decision.tx, claims, &context.runtime.workflows, house).await?;
    let mut leases = Vec::with_capacity(jobs.len());
    let (mut lent, mut deadly) = (Vec::with_capacity(jobs.len()), Vec::new());
    for job in jobs {
        let until = lease_until(&job, now);
        leases.push((job.claim.id, until));
        if let Some(trouble) = course::deadly(&job.claim, job.request.workflow.retry.attempts) {
            deadly.push((job.claim.clone(), trouble));
            continue;
        }
        let open = until.saturating_add(OPEN_LONGER).unwrap_or(Timestamp::MAX);
        let vault = &context.options.vault;
        let links = Links { vault, base: &asker.base, until: open };
        let message = envelopes::envelope(&mut decision.tx, &job, &links).await?;
        lent.push(Lease { message, until });
    }
    outside::until(&mut decision, &leases).await?;
    if !leases.is_empty() {
        decision.wake(queue::TICK);
    }
    decision.commit().await?;
    for (claim, trouble) in deadly {
        conclude(context, &LeaseToken::of(&claim), Err(trouble)).await?.ok();
    }
    Ok(lent)
}

/// A stage's own time is how long its messages are lent.
fn lease_until(job: &Job, now: Timestamp) -> Timestamp {
    let time = job.stage().map_or(Duration::from_secs(30), |stage| stage.timeout);
    now.checked_add(time.max(Duration::from_secs(1))).unwrap_or(Timestamp::MAX)
}

/// Names a message that is lent, and which attempt it is: the result of another one is refused.
#[derive(Clone, Debug)]
pub struct LeaseToken {
    pub component: String,
    pub id: i64,
    pub attempt: i64,
}

impl LeaseToken {
    fn of(claim: &Claim) -> Self {
        Self { component: claim.component.clone(), id: claim.id, attempt: claim.attempt }
    }
}

/// What a component outside brings: its answer, or why there is none.
pub type Brought = Result<Json, Trouble>;

type Answer<T> = Result<Result<T, Refusal>, Error>;

/// Records what came of a message that was lent.
pub async fn conclude(context: &Context, token: &LeaseToken, brought: Brought) -> Answer<()> {
    let Some(letter) = letter(context, token).await? else { return Ok(Err(no_message())) };
    let now = context.clock.now();
    let mut decision = context.store.decide(&scope(&letter.claim.request), now).await?;
    decision.hold(&queue_scope()).await?;
    let Some(letter) = outside::find(&mut decision.tx, token.id).await? else {
        return Ok(Err(no_message()));
    };
    if !letter.is_lent(token.attempt) {
        return Ok(Err(late(&letter)));
    }
    let worker = letter.worker.clone().unwrap_or_default();
    let recorded = record(context, &mut decision, letter, &worker, brought).await?;
    outside::seen(&mut decision, &token.component, &worker).await?;
    decision.commit().await?;
    Ok(recorded)
}

/// Records a result of a message that this decision holds. A result that does not fit is a try
/// that failed.
async fn record(
    context: &Context,
    decision: &mut Decision,
    letter: Letter,
    worker: &str,
    brought: Brought,
) -> Result<Result<(), Refusal>, Error> {
    let policy: Policy = policy::load(&context.settings, &mut decision.tx).await?;
    let (workflows, house) = (&context.runtime.workflows, policy.thresholds);
    let jobs = jobs::load(&mut decision.tx, vec![letter.claim], workflows, house).await?;
    let Some(mut job) = jobs.into_iter().next() else { return Ok(Err(no_message())) };
    let links = Links { vault: &context.options.vault, base: "", until: decision.now };
    let sent = envelopes::envelope(&mut decision.tx, &job, &links).await?.payload;
    let unfit = conclude_job(&mut job, &sent, brought, decision.now);
    course::record(context, decision, worker, &[job], &policy).await?;
    queue::wake(context, decision);
    Ok(unfit.map_or(Ok(()), |unfit| Err(misfit(&unfit))))
}

/// Puts into a job what was brought for it. Answers why that does not fit, if so.
fn conclude_job(
    job: &mut Job,
    sent: &Map<String, Json>,
    brought: Brought,
    finished: Timestamp,
) -> Option<Sentence> {
    let (trouble, unfit) = match brought.map(|body| reply::finding(job, sent, body)) {
        Ok(Ok(finding)) => {
            let started = job.claim.claimed_at;
            let took = Duration::try_from(finished.duration_since(started)).unwrap_or_default();
            job.findings.push(Finding { ran: Some(Ran { started, finished, took }), ..finding });
            return None;
        }
        Ok(Err(unfit)) => (invalid(&job.claim.component, &unfit), Some(unfit)),
        Err(trouble) => (trouble, None),
    };
    job.trouble = Some(trouble);
    unfit
}

fn invalid(component: &str, unfit: &Sentence) -> Trouble {
    let detail = Sentence::new(
        format!("la respuesta de {component} no sirve: {}", unfit.es),
        format!("the answer of {component} does not fit: {}", unfit.en),
    );
    Trouble { code: "REPLY_INVALID".to_owned(), detail: detail.kept(), lasting: false }
}

/// Lends a message for longer; answers until when.
pub async fn extend(context: &Context, token: &LeaseToken) -> Answer<Timestamp> {
    let now = context.clock.now();
    let mut decision = context.store.decide(&queue_scope(), now).await?;
    let letter = outside::find(&mut decision.tx, token.id).await?;
    let Some(letter) = letter.filter(|one| one.claim.component == token.component) else {
        return Ok(Err(no_message()));
    };
    if !letter.is_lent(token.attempt) {
        return Ok(Err(late(&letter)));
    }
    let worker = letter.worker.clone().unwrap_or_default();
    let house = policy::load(&context.settings, &mut decision.tx).await?.thresholds;
    let workflows = &context.runtime.workflows;
    let jobs = jobs::load(&mut decision.tx, vec![letter.claim], workflows, house).await?;
    let Some(job) = jobs.first() else { return Ok(Err(no_message())) };
    let until = lease_until(job, now);
    outside::until(&mut decision, &[(token.id, until)]).await?;
    outside::seen(&mut decision, &token.component, &worker).await?;
    decision.wake(queue::TICK);
    decision.commit().await?;
    Ok(Ok(until))
}

async fn letter(context: &Context, token: &LeaseToken) -> Result<Option<Letter>, Error> {
    let letter = outside::find(&mut context.store.read().await?, token.id).await?;
    Ok(letter.filter(|one| one.claim.component == token.component))
}

fn no_message() -> Refusal {
    Refusal::Conflict {
        code: "MENSAJE_DESCONOCIDO",
        sentence: Sentence::new(
            "No hay tal mensaje de este componente; puede que su solicitud haya empezado de nuevo.",
            "There is no such message of this component; its request may have begun anew.",
        ),
    }
}

fn late(letter: &Letter) -> Refusal {
    let (es, en) = match letter.state.as_str() {
        "DONE" => ("Ese mensaje ya está hecho.", "That message is done already."),
        "CLAIMED" => (
            "El plazo pasó y otro tiene el mensaje; este resultado no se toma.",
            "Its time was over and somebody else has the message; this result is not taken.",
        ),
        "READY" => (
            "El plazo pasó y el mensaje volvió a la cola; este resultado no se toma.",
            "Its time was over and the message is back in the queue; this result is not taken.",
        ),
        _ => (
            "La solicitud del mensaje ya no sigue; este resultado no se toma.",
            "The request of the message does not go on; this result is not taken.",
        ),
    };
    Refusal::Conflict { code: "PLAZO_VENCIDO", sentence: Sentence::new(es, en) }
}

fn misfit(unfit: &Sentence) -> Refusal {
    let sentence = Sentence::new(
        format!("El resultado no sirve y cuenta como intento fallido: {}.", unfit.es),
        format!("The result does not fit and counts as a failed try: {}.", unfit.en),
    );
    Refusal::Invalid { code: "RESULTADO_INVALIDO", sentence }
}

/// What became of a result that a broker brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    Recorded,
    /// Known already, or of something that is over: nothing to do.
    Stale,
    /// Nothing of ours, with the reason.
    Foreign(String),
}

/// Who it is about, as the messages of an answer say.
#[derive(Debug, Deserialize)]
struct About {
    request_id: String,
    current_stage: Option<String>,
    page_index: Option<u32>,
    document_id: Option<String>,
    source_component: Option<String>,
    metadata: Option<Marked>,
    /// Instead of a result: why there is none.
    error: Option<String>,
    #[serde(default)]
    lasting: bool,
}

#[derive(Debug, Deserialize)]
struct Marked {
    message_id: i64,
}

/// Records a result that came by the broker: the list of §15b, or a message with an `error`. One
/// that comes twice is recorded once.
pub async fn receive(context: &Context, body: &[u8]) -> Result<Receipt, Error> {
    let (about, body) = match read(body) {
        Ok(read) => read,
        Err(foreign) => return Ok(Receipt::Foreign(foreign)),
    };
    let mut tx = context.store.read().await?;
    let Some(id) = named(&mut tx, &about).await? else {
        return Ok(Receipt::Foreign(format!("no message of request {} fits", about.request_id)));
    };
    let found = outside::find(&mut tx, id).await?;
    drop(tx);
    let Some(letter) = found.filter(|one| one.claim.request == about.request_id) else {
        return Ok(Receipt::Foreign(format!("message {id} is of no component outside")));
    };
    let brought = match about.error {
        None => Ok(body),
        Some(detail) => Err(Trouble {
            code: "COMPONENT_FAILED".to_owned(),
            detail: detail.chars().take(500).collect(),
            lasting: about.lasting,
        }),
    };
    let now = context.clock.now();
    let mut decision = context.store.decide(&scope(&letter.claim.request), now).await?;
    decision.hold(&queue_scope()).await?;
    let Some(mut letter) = outside::find(&mut decision.tx, id).await? else {
        return Ok(Receipt::Stale);
    };
    let component = letter.claim.component.clone();
    let worker = format!("amqp/{}", about.source_component.as_deref().unwrap_or(&component));
    match letter.state.as_str() {
        "READY" => {
            letter.claim.attempt = outside::take_up(&mut decision, id, &worker).await?;
            letter.claim.claimed_at = now;
            letter.worker = Some(worker.clone());
        }
        "CLAIMED" => {}
        _ => return Ok(Receipt::Stale),
    }
    let holder = letter.worker.clone().unwrap_or_default();
    let recorded = record(context, &mut decision, letter, &holder, brought).await?;
    outside::seen(&mut decision, &component, &worker).await?;
    decision.commit().await?;
    if let Err(Refusal::Invalid { sentence, .. }) = recorded {
        tracing::warn!(request_id = about.request_id, component, "{}", sentence.en);
    }
    Ok(Receipt::Recorded)
}

/// The message an answer is about, and the answer.
fn read(body: &[u8]) -> Result<(About, Json), String> {
    let json: Json = serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
    let first = match &json {
        Json::Array(list) => list.first().and_then(|pair| pair.get(1)).cloned(),
        Json::Object(_) => Some(json.clone()),
        _ => None,
    };
    let first = first.ok_or("no list of [where to, message]")?;
    let about = About::deserialize(first).map_err(|error| format!("no message: {error}"))?;
    Ok((about, json))
}

/// By its number; without one, by what it is about.
async fn named(tx: &mut db::Tx, about: &About) -> Result<Option<i64>, Error> {
    if let Some(Marked { message_id }) = about.metadata {
        return Ok(Some(message_id));
    }
    let item = match (about.page_index, &about.document_id) {
        (_, Some(id)) => Item::Document(id.clone()),
        (Some(n), None) => Item::Page(n),
        (None, None) => Item::Request,
    };
    let stage = about.current_stage.as_deref().unwrap_or_default();
    outside::at_stage(tx, &about.request_id, stage, &item).await
}

/// What becomes of a letter that came back without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Its message waits for the next worker.
    Again,
    /// That was the last try.
    Dead,
    /// Its message does not wait: it is done, dropped, or in somebody's hands.
    Over,
}

/// Why a letter had no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Whoever had it gave it back, or is gone.
    GivenBack,
    /// Whoever has it said nothing within the time of the stage.
    Silent,
}

/// Counts a try of which nobody brought a result. Without that a message that ends every worker would
/// be given to the next one for ever.
pub async fn unanswered(context: &Context, id: i64, why: Unanswered) -> Result<Returned, Error> {
    let found = outside::find(&mut context.store.read().await?, id).await?;
    let Some(letter) = found.filter(Letter::waits) else { return Ok(Returned::Over) };
    let now = context.clock.now();
    let request = letter.claim.request.as_str();
    let mut decision = context.store.decide(&scope(request), now).await?;
    decision.hold(&queue_scope()).await?;
    let found = outside::find(&mut decision.tx, id).await?;
    let Some(letter) = found.filter(Letter::waits) else { return Ok(Returned::Over) };
    let Some(row) = requests::find(&mut decision.tx, Visibility::All, request).await? else {
        return Ok(Returned::Over);
    };
    let workflow = context.runtime.workflows.version(&mut decision.tx, row.workflow_id).await?;
    let tries = letter.claim.attempt.max(0) as u32 + 1;
    let component = &letter.claim.component;
    let (code, detail) = match why {
        Unanswered::GivenBack => (
            "WORKER_LOST",
            Sentence::new(
                format!(
                    "{tries} veces {component} lo tuvo y terminó, o lo devolvió, sin resultado"
                ),
                format!(
                    "{tries} times {component} had it and ended, or gave it back, without a result"
                ),
            ),
        ),
        Unanswered::Silent => (
            "NO_ANSWER",
            Sentence::new(
                format!(
                    "{tries} veces {component} lo tuvo y no dijo nada en el tiempo de la etapa"
                ),
                format!(
                    "{tries} times {component} had it and said nothing in the time of the stage"
                ),
            ),
        ),
    };
    let detail = detail.kept();
    outside::count(&mut decision, id, (code, &detail)).await?;
    let dead = is_deadly(tries, workflow.retry);
    tracing::warn!(request_id = request, message_id = id, component, tries, dead, "{detail}");
    if dead {
        let trouble = Trouble { code: code.to_owned(), detail, lasting: true };
        course::bury(&mut decision, id, request, &trouble).await?;
    }
    decision.commit().await?;
    Ok(if dead { Returned::Dead } else { Returned::Again })
}

/// A worker of a component gave a sign by another way: it consumes from its queue.
pub async fn seen(context: &Context, component: &str, worker: &str) -> Result<(), Error> {
    let mut decision = context.store.decide(&queue_scope(), context.clock.now()).await?;
    outside::seen(&mut decision, component, worker).await?;
    decision.commit().await.map(drop)
}

//! Taking requests in. Those that come at the same time are one commit: a request costs the database
//! less the more of them there are.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{Mutex, PoisonError},
};

use db::{
    Decision, Error,
    idempotency::{self, Seen},
};
use engine::Word as _;
use host::SAFETY_NET;
use jiff::SignedDuration;
use serde_json::{Value as Json, json};
use tokio::sync::oneshot;

use super::{Key, alarms, deadlines, queue};
use crate::{
    Context,
    drivers::runtime::ROUTER,
    model::{Item, Status},
    rules::topology,
    store::{
        events,
        messages::{self, NewMessage},
        requests::{self, FileRow, RequestRow},
        scope,
        steps::{self, About, Step},
    },
    wire::message::GATEWAY,
};

/// The most requests of one commit.
const TOGETHER: usize = 64;

/// A tick that runs when nothing wakes it may be late by so much.
const MARGIN: SignedDuration = SignedDuration::from_secs(5);

/// How a reception ended.
#[derive(Debug)]
pub enum Received {
    New,
    /// The same was sent before under this key; this was the request.
    Replayed(Json),
    KeyReused,
}

/// What makes taking the same twice harmless.
#[derive(Clone, Copy, Debug)]
pub enum Once<'a> {
    Key(&'a Key),
    /// A file of the watched directory.
    Dropped(&'a str),
}

/// A request that has not been taken in yet, with its files.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub row: RequestRow,
    pub files: Vec<FileRow>,
}

/// Where arrivals wait while others are being taken in.
#[derive(Debug, Default)]
pub struct CommitBatcher(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    arrivals: VecDeque<(Arrival, oneshot::Sender<Result<(), Error>>)>,
    /// Somebody is taking arrivals in and will look again.
    attended: bool,
}

impl CommitBatcher {
    fn with<T>(&self, act: impl FnOnce(&mut Waiting) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes a request in: its row, its files and its first message are one commit. A caller that goes
/// away changes nothing about that.
pub async fn receive(context: &Context, arrival: Arrival) -> Result<(), Error> {
    let (answer, outcome) = oneshot::channel();
    let attended = context.runtime.arrivals.with(|waiting| {
        waiting.arrivals.push_back((arrival, answer));
        mem::replace(&mut waiting.attended, true)
    });
    if !attended {
        tokio::spawn(attend(context.clone()));
    }
    outcome.await.unwrap_or_else(|_| Err(Error::conflict("reception")))
}

/// Takes in whoever waits, until nobody does.
async fn attend(context: Context) {
    loop {
        let (arrivals, answers): (Vec<_>, Vec<_>) = context.runtime.arrivals.with(|waiting| {
            let together = waiting.arrivals.len().min(TOGETHER);
            waiting.attended = together > 0;
            waiting.arrivals.drain(..together).unzip()
        });
        if arrivals.is_empty() {
            return;
        }
        let mut together = Some(take_in(&context, &arrivals).await);
        let unanswered = matches!(together, Some(Err(Error::Unanswered(_))));
        // One that cannot be taken must not keep the others out.
        let apart = unanswered || arrivals.len() > 1 && matches!(together, Some(Err(_)));
        for (arrival, answer) in arrivals.iter().zip(answers) {
            let outcome = match together.take() {
                _ if apart => take_apart(&context, arrival, unanswered).await,
                Some(Err(error)) => Err(error),
                Some(Ok(())) | None => Ok(()),
            };
            let _ = answer.send(outcome);
        }
    }
}

/// Takes in one that could not be taken in with the others. Where nobody said whether it was, it was
/// if it is there.
async fn take_apart(context: &Context, arrival: &Arrival, unanswered: bool) -> Result<(), Error> {
    match take_in(context, std::slice::from_ref(arrival)).await {
        Err(Error::Duplicate { .. }) if unanswered => Ok(()),
        Err(Error::Unavailable(error)) if unanswered => Err(Error::Unanswered(error)),
        outcome => outcome,
    }
}

async fn take_in(context: &Context, arrivals: &[Arrival]) -> Result<(), Error> {
    let scopes: Vec<_> = arrivals.iter().map(|one| scope(&one.row.id)).collect();
    let mut decision = context.store.decide_all(&scopes, context.clock.now()).await?;
    write(context, &mut decision, arrivals).await?;
    decision.commit().await?;
    taken(arrivals);
    Ok(())
}

/// Takes a request in unless the same was taken before.
pub async fn receive_once(
    context: &Context,
    arrival: &Arrival,
    once: Once<'_>,
) -> Result<Received, Error> {
    let row = &arrival.row;
    let owner = format!("{}/{}", crate::NAME, row.created_by);
    let mut decision = context.store.decide(&scope(&row.id), context.clock.now()).await?;
    if let Once::Key(key) = once {
        match idempotency::recall(&mut decision, &owner, &key.key, &key.fingerprint).await? {
            Seen::New => {}
            Seen::Same(answer) => return Ok(Received::Replayed(answer)),
            Seen::Other => return Ok(Received::KeyReused),
        }
    }
    write(context, &mut decision, std::slice::from_ref(arrival)).await?;
    match once {
        Once::Dropped(key) => {
            if let Some(before) = requests::dropped(&mut decision, key, &row.id).await? {
                return Ok(Received::Replayed(json!({ "request_id": before })));
            }
        }
        Once::Key(key) => {
            let answer = json!({ "request_id": row.id, "status": Status::Received.word() });
            idempotency::remember(&mut decision, &owner, &key.key, &key.fingerprint, &answer)
                .await?;
        }
    }
    decision.commit().await?;
    taken(std::slice::from_ref(arrival));
    Ok(Received::New)
}

async fn write(
    context: &Context,
    decision: &mut Decision,
    arrivals: &[Arrival],
) -> Result<(), Error> {
    let hashes: Vec<&str> = arrivals.iter().filter_map(first_hash).collect();
    let mut seen: HashMap<String, String> =
        requests::with_hashes(&mut decision.tx, &hashes).await?;
    let mut rows = Vec::with_capacity(arrivals.len());
    for arrival in arrivals {
        let mut row = arrival.row.clone();
        if let Some(hash) = first_hash(arrival) {
            row.duplicate_of = seen.get(hash).cloned();
            seen.entry(hash.to_owned()).or_insert_with(|| row.id.clone());
        }
        rows.push(row);
    }
    requests::insert(decision, &rows).await?;
    let files: Vec<_> = arrivals
        .iter()
        .flat_map(|one| one.files.iter().map(|file| (one.row.id.as_str(), file)))
        .collect();
    requests::put_files(decision, &files).await?;
    let messages: Vec<_> = rows.iter().map(first_message).collect();
    messages::send(decision, &messages).await?;
    for Arrival { row, files } in arrivals {
        events::received(decision, &row.id, &row.workflow_name, files.len());
    }
    watch(context, decision, &rows);
    Ok(())
}

/// Wakes those who watch over requests, if they would look too late by themselves: every process
/// that hears of each request looks at all of them.
fn watch(context: &Context, decision: &mut Decision, rows: &[RequestRow]) {
    let manual = context.clock.is_manual();
    if manual {
        decision.wake(queue::TICK);
    }
    let by_themselves = decision.now + SAFETY_NET + MARGIN;
    if manual || rows.iter().any(|row| row.next_check.is_some_and(|at| at < by_themselves)) {
        decision.wake(deadlines::TICK);
    }
    if !alarms::watches(context, decision.now) {
        decision.wake(alarms::TICK);
    }
}

fn first_hash(arrival: &Arrival) -> Option<&str> {
    arrival.files.first().map(|file| file.sha256.as_str())
}

fn first_message(row: &RequestRow) -> NewMessage {
    NewMessage {
        request: row.id.clone(),
        run: 1,
        at: -1,
        stage: "route".to_owned(),
        component: ROUTER.to_owned(),
        outside: false,
        item: Item::Request,
        priority: row.priority,
        deadline: row.deadline,
        trace: row.trace_id.clone(),
        workflow: row.workflow_name.clone(),
        key: topology::NEW_REQUEST.to_owned(),
        source: GATEWAY.to_owned(),
    }
}

fn taken(arrivals: &[Arrival]) {
    let step = Step { component: GATEWAY, stage: None, event: "request_received" };
    for arrival in arrivals {
        let about = About { count: Some(arrival.files.len()), ..About::default() };
        steps::say(step, &arrival.row, about, arrival.row.created_at);
        let workflow = arrival.row.workflow_name.clone();
        metrics::counter!("docproc_requests_total", "workflow" => workflow).increment(1);
    }
}

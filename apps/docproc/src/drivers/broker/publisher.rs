//! Hands messages to the broker once they are committed, those that come together together.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use broker::{Fault, Letter};
use db::Tx;
use tokio::{sync::mpsc::UnboundedReceiver, task::JoinSet};

use super::{Outbox, Post};
use crate::{
    Context,
    drivers::envelopes::envelopes,
    rules::topology::{self, Topology},
    store::{addresses, reviews},
    wire::message::{Address, Sent},
};

/// Letters that are handed over at once.
const TOGETHER: usize = 256;
/// Hand-overs whose confirmation may be under way: the next one does not wait for the broker's disk.
const UNDER_WAY: usize = 16;

/// What cannot be handed over now is not kept here: the sweep finds it in the table.
pub(super) async fn run(context: &Context, outbox: &Outbox, mut posted: UnboundedReceiver<Post>) {
    let mut posts = Vec::new();
    let mut handing = JoinSet::new();
    while posted.recv_many(&mut posts, TOGETHER).await > 0 {
        if !outbox.broker.is_up() {
            posts.clear();
            continue;
        }
        match letters(context, outbox, &posts).await {
            Ok(letters) => {
                let context = context.clone();
                handing.spawn(async move { hand_over(&context, &letters).await });
            }
            Err(error) => tracing::warn!(%error, "letters wait: the database does not answer"),
        }
        posts.clear();
        while handing.try_join_next().is_some() {}
        if handing.len() >= UNDER_WAY {
            handing.join_next().await;
        }
    }
}

async fn hand_over(context: &Context, letters: &[Letter]) {
    let Some(outbox) = &context.runtime.outbox else { return };
    let answers = outbox.broker.publish(letters).await;
    metrics::counter!("docproc_letters_total").increment(letters.len() as u64);
    let (mut astray, mut missing) = (Vec::new(), None);
    for (letter, answer) in letters.iter().zip(answers) {
        let Err(fault) = answer else { continue };
        match declared_for(&outbox.topology(), letter, &fault) {
            Some(queue) => {
                missing.get_or_insert_with(|| format!("{queue}: {fault}"));
                astray.push(letter.clone());
            }
            None => not_handed_over(letter, &fault),
        }
    }
    let Some(missing) = missing else { return };
    outbox.mend(context, missing).await;
    // Once: what has no way even now is found by the sweep.
    for (letter, answer) in astray.iter().zip(outbox.broker.publish(&astray).await) {
        if let Err(fault) = answer {
            not_handed_over(letter, &fault);
        }
    }
}

fn not_handed_over(letter: &Letter, fault: &Fault) {
    tracing::warn!(message_id = letter.message_id, key = letter.key, %fault,
        "a letter was not handed over; the sweep sends it again");
}

/// The queue that a letter should have reached, had nobody taken it or its binding away.
fn declared_for(topology: &Topology, letter: &Letter, fault: &Fault) -> Option<String> {
    let Fault::Unroutable { exchange, key } = fault else { return None };
    // By its name alone a queue is reached that no workflow in force declares.
    let mut queues = topology.queues.values().filter(|_| !letter.exchange.is_empty());
    let queue = queues.find(|queue| queue.exchange == exchange && queue.keys.contains(key))?;
    Some(queue.name.clone())
}

async fn letters(
    context: &Context,
    outbox: &Outbox,
    posts: &[Post],
) -> Result<Vec<Letter>, db::Error> {
    let mut letters = Vec::with_capacity(posts.len());
    let (mut ids, mut tasks) = (Vec::new(), Vec::new());
    for post in posts {
        match post {
            Post::Sent(sent) => {
                letters.extend(of_message(&*topology_for(context, outbox, sent).await, sent));
            }
            Post::Message(id) => ids.push(*id),
            Post::Task(id) => tasks.push(id.as_str()),
        }
    }
    if ids.is_empty() && tasks.is_empty() {
        return Ok(letters);
    }
    let mut tx = context.store.read().await?;
    let due = due(context, &mut tx, &ids).await?;
    let waiting = envelopes(context, &mut tx, due).await?;
    for id in tasks {
        letters.extend(reviews::find(&mut tx, id).await?.as_ref().map(of_task));
    }
    // A broker may be slow to declare a queue: nothing of the database is held meanwhile.
    drop(tx);
    for sent in waiting {
        letters.extend(of_message(&*topology_for(context, outbox, &sent).await, &sent));
    }
    Ok(letters)
}

/// What is declared; where a message's component is not, it is the first one of a workflow that has
/// just come into force.
async fn topology_for(context: &Context, outbox: &Outbox, sent: &Sent) -> Arc<Topology> {
    let topology = outbox.topology();
    if topology.key(&sent.component, &sent.key).is_some() {
        return topology;
    }
    outbox.redeclare(context).await;
    outbox.topology()
}

/// Those of these messages that get a letter now. One of ours that somebody took meanwhile was taken
/// with the letter of another one, which now waits for this one's; somebody outside would do it twice.
async fn due(
    context: &Context,
    tx: &mut Tx,
    ids: &[i64],
) -> Result<BTreeMap<i64, Address>, db::Error> {
    let now = context.clock.now();
    let mut found = addresses::of_messages(tx, ids, &context.runtime.workflows).await?;
    found.retain(|id, address| {
        let wait = Duration::try_from(now.duration_until(address.due)).unwrap_or_default();
        let later_on = address.ready && !wait.is_zero();
        if later_on {
            later(context, *id, wait);
        }
        !later_on && (address.ready || !address.outside)
    });
    Ok(found)
}

/// A try that is due later is handed over when it is; should this process end before, the sweep
/// does.
fn later(context: &Context, id: i64, wait: Duration) {
    let context = context.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = context.stopping.cancelled() => {}
            () = tokio::time::sleep(wait) => {
                if let Some(outbox) = &context.runtime.outbox {
                    outbox.post(Post::Message(id));
                }
            }
        }
    });
}

fn of_message(topology: &Topology, sent: &Sent) -> Option<Letter> {
    let Sent { component, key, message } = sent;
    // Of a workflow that is no longer in force only the queue itself may be left.
    let (exchange, key) = match topology.key(component, key) {
        Some(key) => (topology::DIRECT, key.to_owned()),
        None => ("", topology::queue_of(component)),
    };
    let body = serde_json::to_vec(message).ok()?;
    let headers = BTreeMap::from([
        ("request_id".to_owned(), message.request_id.clone()),
        ("trace_id".to_owned(), message.trace_id.clone()),
        ("component".to_owned(), component.clone()),
    ]);
    let message_id = message.metadata.message_id.to_string();
    Some(Letter { exchange: exchange.to_owned(), key, message_id, headers, body })
}

fn of_task(task: &reviews::TaskRow) -> Letter {
    let body = serde_json::json!({
        "task_id": task.id, "request_id": task.request_id, "task_type": task.task_type,
        "source_stage": task.source_stage, "workflow_name": task.workflow_name,
        "deadline_utc": task.deadline,
    });
    let headers = BTreeMap::from([("request_id".to_owned(), task.request_id.clone())]);
    Letter {
        exchange: topology::BACKOFFICE.to_owned(),
        key: task.queue.clone(),
        message_id: task.id.clone(),
        headers,
        body: body.to_string().into_bytes(),
    }
}

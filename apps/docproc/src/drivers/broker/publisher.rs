//! Hands messages to the broker once they are committed, those that come together together.

use std::{collections::BTreeMap, time::Duration};

use broker::Letter;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Outbox, Post};
use crate::{
    Context,
    drivers::letters::envelopes,
    rules::topology::{self, Topology},
    store::{addresses, reviews},
    wire::message::{Address, PipelineMessage},
};

/// Letters that are handed over at once.
const TOGETHER: usize = 256;

/// What cannot be handed over now is not kept here: the sweep finds it in the table.
pub(super) async fn run(context: &Context, outbox: &Outbox, mut posted: UnboundedReceiver<Post>) {
    let mut posts = Vec::new();
    while posted.recv_many(&mut posts, TOGETHER).await > 0 {
        if !outbox.broker.is_up() {
            posts.clear();
            continue;
        }
        match letters(context, outbox, &posts).await {
            Ok(letters) => hand_over(outbox, &letters).await,
            Err(error) => tracing::warn!(%error, "letters wait: the database does not answer"),
        }
        posts.clear();
    }
}

async fn hand_over(outbox: &Outbox, letters: &[Letter]) {
    let answers = outbox.broker.publish(letters).await;
    metrics::counter!("docproc_letters_total").increment(letters.len() as u64);
    for (letter, answer) in letters.iter().zip(answers) {
        if let Err(fault) = answer {
            tracing::warn!(message_id = letter.message_id, key = letter.key, %fault,
                "a letter was not handed over; the sweep sends it again");
        }
    }
}

async fn letters(
    context: &Context,
    outbox: &Outbox,
    posts: &[Post],
) -> Result<Vec<Letter>, db::Error> {
    let ids: Vec<i64> = posts
        .iter()
        .filter_map(|post| match post {
            Post::Message(id) => Some(*id),
            Post::Task(_) => None,
        })
        .collect();
    let mut tx = context.store.read().await?;
    let addresses = addresses::of_messages(&mut tx, &ids, &context.runtime.workflows).await?;
    let known = |topology: &Topology, to: &Address| topology.key(&to.component, &to.key).is_some();
    let mut topology = outbox.topology();
    if !addresses.values().all(|address| known(&topology, address)) {
        // The first message of a workflow that has just come into force.
        outbox.redeclare(context).await;
        topology = outbox.topology();
    }
    let now = context.clock.now();
    let mut letters = Vec::with_capacity(posts.len());
    let mut due = Vec::with_capacity(ids.len());
    for id in ids {
        // Whoever took it meanwhile needs no letter.
        let Some(address) = addresses.get(&id).filter(|address| address.ready) else { continue };
        let wait = Duration::try_from(now.duration_until(address.due)).unwrap_or_default();
        if !wait.is_zero() {
            later(context, id, wait);
            continue;
        }
        due.push(id);
    }
    for (id, message) in envelopes(context, &mut tx, &due).await? {
        if let Some(address) = addresses.get(&id) {
            letters.extend(of_message(&topology, address, &message));
        }
    }
    for post in posts {
        if let Post::Task(id) = post
            && let Some(task) = reviews::find(&mut tx, id).await?
        {
            letters.push(of_task(&task));
        }
    }
    Ok(letters)
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

fn of_message(topology: &Topology, address: &Address, message: &PipelineMessage) -> Option<Letter> {
    // Of a workflow that is no longer in force only the queue itself may be left.
    let (exchange, key) = match topology.key(&address.component, &address.key) {
        Some(key) => (topology::DIRECT, key.to_owned()),
        None => ("", topology::queue_of(&address.component)),
    };
    let body = serde_json::to_vec(message).ok()?;
    let headers = BTreeMap::from([
        ("request_id".to_owned(), address.request.clone()),
        ("trace_id".to_owned(), address.trace.clone()),
        ("component".to_owned(), address.component.clone()),
    ]);
    let (exchange, message_id) = (exchange.to_owned(), address.id.to_string());
    Some(Letter { exchange, key, message_id, headers, body })
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

//! *Canal de carpeta*: files that appear in a directory become requests. An SFTP server, a scanner
//! or a person drops them; a directory within names the workflow.
//!
//! A file is taken when it has not changed between two looks. It becomes a request in one commit
//! together with its key, then moves to `done/` or, with the reason beside it, to `failed/`. A
//! process that ends in between finds the key and only moves the file.

mod inbox;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use db::Error;
use engine::Sentence;
use host::Next;
use jiff::{SignedDuration, Timestamp};
use paper::Kind;
use serde_json::json;
use web::Lang;

use crate::{
    Context,
    decisions::receive::{Arrival, Once, Received, receive_once},
    drivers::reception,
    drivers::runtime::{Part, Runtime},
    drivers::storage::Storage,
    rules::route,
    store::{
        policy::{self, Policy},
        requests::{FileRow, RequestRow},
    },
};
use inbox::Dropped;

pub const TICK: &str = "docproc.carpeta";
const CHANNEL: &str = "folder";

const EVERY: SignedDuration = SignedDuration::from_secs(2);

/// Where no directory is watched there is nothing to look at.
pub async fn tick(context: Context, now: Timestamp) -> Next {
    if context.runtime.config.folder.is_none() {
        return Ok(None);
    }
    look(context, now).await?;
    Ok(Some(now + EVERY))
}

/// What the last look saw: a file that looks the same again is whole.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashMap<PathBuf, (u64, SystemTime)>>);

impl Seen {
    /// Keeps this look and answers which files have not changed since the one before.
    fn settled(&self, found: Vec<Dropped>) -> Vec<Dropped> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let look = |one: &Dropped| (one.path.clone(), (one.bytes, one.modified));
        let now: HashMap<_, _> = found.iter().map(look).collect();
        let before = std::mem::replace(&mut *seen, now);
        let same = |one: &Dropped| before.get(&one.path) == Some(&(one.bytes, one.modified));
        found.into_iter().filter(same).collect()
    }
}

/// Looks into the directory and takes what is whole.
pub async fn look(context: Context, now: Timestamp) -> Result<(), Error> {
    let runtime = context.runtime.clone();
    let Some(dir) = runtime.config.folder.clone() else { return Ok(()) };
    if !matches!(runtime.config.part, Part::Everything | Part::Gateway) {
        return Ok(());
    }
    let found = tokio::task::spawn_blocking(move || inbox::list(&dir)).await.unwrap_or_default();
    let settled = runtime.folder.settled(found);
    if settled.is_empty() {
        return Ok(());
    }
    let policy = policy::load(&context.settings, &mut context.store.read().await?).await?;
    for dropped in settled {
        take(&context, &runtime, &policy, dropped, now).await?;
    }
    Ok(())
}

/// Why a file was not taken: for whoever dropped it, or a reason to try again later.
enum Refused {
    Bad(Sentence),
    Later(String),
}

async fn take(
    context: &Context,
    runtime: &Arc<Runtime>,
    policy: &Policy,
    dropped: Dropped,
    now: Timestamp,
) -> Result<(), Error> {
    let id = uuid::Uuid::now_v7().to_string();
    let outcome = enter(context, runtime, policy, &dropped, &id, now).await;
    // One whose commit was not answered may be there, and need its file.
    let kept = matches!(outcome, Ok(Ok(Received::New)) | Err(Error::Unanswered(_)));
    if !kept && let Err(error) = runtime.storage.remove(&id).await {
        tracing::warn!(%error, request_id = id, "files of a refused request stay until the sweep");
    }
    let moved = match outcome? {
        Ok(_) => {
            tracing::info!(file = %dropped.path.display(), request_id = id, "taken from the folder");
            tokio::task::spawn_blocking(move || inbox::done(&dropped)).await
        }
        Err(Refused::Bad(sentence)) => {
            tracing::warn!(file = %dropped.path.display(), reason = sentence.en, "refused");
            tokio::task::spawn_blocking(move || inbox::failed(&dropped, &sentence)).await
        }
        Err(Refused::Later(error)) => {
            tracing::warn!(file = %dropped.path.display(), error, "the file is tried again");
            return Ok(());
        }
    };
    if let Ok(Err(error)) = moved {
        tracing::error!(%error, "a file that was dealt with could not be moved");
    }
    Ok(())
}

async fn enter(
    context: &Context,
    runtime: &Arc<Runtime>,
    policy: &Policy,
    dropped: &Dropped,
    id: &str,
    now: Timestamp,
) -> Result<Result<Received, Refused>, Error> {
    let active = runtime.workflows.active();
    let named = dropped.workflow.as_deref();
    let metadata = serde_json::Map::new();
    let Some(workflow) = route::choose(&active, named, CHANNEL, &metadata) else {
        let name = named.unwrap_or(route::DEFAULT);
        return Ok(Err(Refused::Bad(Sentence::new(
            format!("No hay un flujo «{name}»."),
            format!("There is no workflow “{name}”."),
        ))));
    };
    let Some(version) = runtime.workflows.id_of(&workflow.name) else {
        return Ok(Err(Refused::Later("the workflow is being exchanged".to_owned())));
    };
    let file = match store_file(runtime, policy, dropped, id).await {
        Ok(file) => file,
        Err(refused) => return Ok(Err(refused)),
    };
    let mut files = vec![file];
    if let Err(es) = reception::open(runtime.clone(), &mut files, Lang::Es).await {
        if let Some(why) = runtime.storage.away() {
            return Ok(Err(Refused::Later(why)));
        }
        let en = reception::open(runtime.clone(), &mut files, Lang::En).await.err();
        let en = en.as_ref().unwrap_or(&es).detail_text().to_owned();
        return Ok(Err(Refused::Bad(Sentence::new(es.detail_text().to_owned(), en))));
    }
    let key = inbox::key(dropped, &files[0].sha256);
    let row = RequestRow {
        channel: CHANNEL.to_owned(),
        metadata: json!({ "file": dropped.name }),
        created_by: CHANNEL.to_owned(),
        ..reception::received(id, workflow, version, policy, now)
    };
    receive_once(context, &Arrival { row, files }, Once::Dropped(&key)).await.map(Ok)
}

async fn store_file(
    runtime: &Arc<Runtime>,
    policy: &Policy,
    dropped: &Dropped,
    id: &str,
) -> Result<FileRow, Refused> {
    let (storage, path) = (runtime.storage.clone(), dropped.path.clone());
    let (place, limit) = (Storage::place(id, 0), policy.upload_bytes);
    let name = dropped.name.clone();
    let copied = tokio::task::spawn_blocking(move || {
        let (kind, mut content) = inbox::open(&path, limit)?;
        let stored = storage.write(&place, &mut content).map_err(inbox::Unfit::Io)?;
        Ok::<_, inbox::Unfit>((kind, stored, place))
    });
    let (kind, stored, place): (Kind, _, _) = match copied.await {
        Ok(Ok(copied)) => copied,
        Ok(Err(inbox::Unfit::Io(error))) => return Err(Refused::Later(error.to_string())),
        Ok(Err(inbox::Unfit::Bad(sentence))) => return Err(Refused::Bad(sentence)),
        Err(_) => return Err(Refused::Later("the copy did not end".to_owned())),
    };
    Ok(reception::file(0, name, kind, place, stored))
}

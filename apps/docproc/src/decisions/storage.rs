//! How a process makes sure, at its start, that its storage is the one that has this database's
//! files, and how an operator says that another one has them now.

use std::time::Duration;

use db::{Error, Store, processes};
use engine::Plan;
use host::By;
use jiff::Timestamp;
use serde_json::json;

use crate::{
    drivers::storage::{Fault, Marking, Storage},
    rules::storage::{Files, Known, Mark, Mismatch, Step, next},
    store::storage::{self as rows, Entry, Storages},
};

/// A storage that has not answered by then does not answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);
/// Of the files that the database knows, so many are looked for.
const SAMPLE: i64 = 5;
/// A start takes four steps; others may come between.
const STEPS: usize = 12;

/// Why a storage is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unsettled {
    #[error("{0}")]
    Mismatch(String),
    /// Processes that would go on with another storage, by name.
    #[error("these processes use the storage of before, and would go on with it: {0}")]
    InUse(String),
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Database(#[from] Error),
}

/// What is known on both sides.
#[derive(Debug)]
pub struct Seen {
    pub known: Option<Known>,
    pub mark: Option<Mark>,
    pub files: Files,
}

impl Seen {
    pub fn step(&self) -> Step {
        next(self.known.as_ref(), self.mark.as_ref(), self.files)
    }

    pub fn told(&self, mismatch: Mismatch, storage: &Storage) -> String {
        let here = storage.address().to_string();
        mismatch.sentence(&here, self.mark.as_ref(), self.known.as_ref()).en
    }
}

/// Looks at both sides and changes nothing. The database comes first: what it knows was marked before
/// it was known, and a mark that is put meanwhile is seen.
pub async fn look(store: &Store, storage: &Storage) -> Result<Seen, Unsettled> {
    let known = rows::known(&mut store.read().await?).await?;
    let mark = in_time(storage, storage.mark()).await?;
    let fresh = mark.is_none() && known.as_ref().is_none_or(|known| known.storage.is_none());
    let places = if fresh {
        rows::newest_places(&mut store.read().await?, SAMPLE).await?
    } else {
        Vec::new()
    };
    let mut files = if places.is_empty() { Files::None } else { Files::Elsewhere };
    for place in places {
        if in_time(storage, storage.version(&place)).await?.is_some() {
            files = Files::There;
            break;
        }
    }
    Ok(Seen { known, mark, files })
}

/// Goes on until the storage is known to be ours, or known not to be.
pub async fn settle(store: &Store, storage: &Storage, now: Timestamp) -> Result<(), Unsettled> {
    for _ in 0..STEPS {
        let seen = look(store, storage).await?;
        match seen.step() {
            Step::Begin => return Ok(()),
            Step::Refuse(mismatch) => {
                return Err(Unsettled::Mismatch(seen.told(mismatch, storage)));
            }
            Step::Mark => {
                let database = seen.known.map(|known| known.database).unwrap_or_default();
                let mark = Mark { database, storage: fresh_name() };
                in_time(storage, storage.put_mark(&mark, Marking::First)).await?;
            }
            Step::Name | Step::Keep => record(store, storage, &seen, now).await?,
        }
    }
    Err(Unsettled::Mismatch(format!("the storage {} changes all the time", storage.address())))
}

async fn record(
    store: &Store,
    storage: &Storage,
    seen: &Seen,
    now: Timestamp,
) -> Result<(), Unsettled> {
    let (name, address) = (fresh_name(), storage.address().to_string());
    let slice = Storages { name: &name, mark: seen.mark.as_ref(), address: &address };
    let mut decision = store.decide(&rows::scope(), now).await?;
    let entries = |known: &Option<Known>| {
        let changes = match next(known.as_ref(), seen.mark.as_ref(), seen.files) {
            Step::Name => vec![Entry::Name],
            Step::Keep => vec![Entry::Keep],
            Step::Mark | Step::Begin | Step::Refuse(_) => Vec::new(),
        };
        Plan::<Entry, ()> { changes, held: Vec::new() }
    };
    decision.plan(&slice, entries).await?;
    decision.commit().await?;
    Ok(())
}

/// An operator's word that this storage has the files from now on, whatever it had before.
pub async fn adopt(
    store: &Store,
    storage: &Storage,
    by: &By,
    reason: &str,
    now: Timestamp,
) -> Result<Mark, Unsettled> {
    let users = users(store, Timestamp::now()).await?;
    if !users.is_empty() {
        return Err(Unsettled::InUse(users.join(", ")));
    }
    let mut seen = look(store, storage).await?;
    if seen.known.is_none() {
        record(store, storage, &seen, now).await?;
        seen = look(store, storage).await?;
    }
    let database = seen.known.as_ref().map(|known| known.database.clone()).unwrap_or_default();
    let mark = match seen.mark.clone() {
        Some(mark) if mark.database == database => mark,
        _ => {
            let mark = Mark { database, storage: fresh_name() };
            in_time(storage, storage.put_mark(&mark, Marking::Again)).await?;
            mark
        }
    };
    let address = storage.address().to_string();
    let slice = Storages { name: "", mark: Some(&mark), address: &address };
    let mut decision = store.decide(&rows::scope(), now).await?;
    let keep = |_: &Option<Known>| Plan::<Entry, ()> { changes: vec![Entry::Keep], held: vec![] };
    let decided = decision.plan(&slice, keep).await?;
    let before = decided.snapshot.and_then(|known| known.storage);
    decision.audit(db::audit::Entry {
        before: before.map(|(mark, address)| json!({ "mark": mark, "address": address })),
        after: Some(json!({ "mark": mark.storage, "address": address })),
        reason: Some(reason.to_owned()),
        ..by.did("storage.adopt", "storage")
    });
    decision.commit().await?;
    Ok(mark)
}

/// The processes that live and take part in documents.
async fn users(store: &Store, real: Timestamp) -> Result<Vec<String>, Error> {
    let all = processes::all(&mut store.read().await?).await?;
    let lives = |one: &processes::Process| !host::is_gone(one, real);
    let ours = all.into_iter().filter(|one| lives(one) && !one.roles[crate::NAME].is_null());
    Ok(ours.map(|one| one.name).collect())
}

/// Never a hang: the storage answers in time, or it is away.
async fn in_time<T>(
    storage: &Storage,
    asked: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::time::timeout(ANSWER_TIMEOUT, asked).await.unwrap_or_else(|_| {
        let (address, seconds) = (storage.address(), ANSWER_TIMEOUT.as_secs());
        Err(Fault::Away(format!("the storage {address} does not answer within {seconds} seconds")))
    })
}

fn fresh_name() -> String {
    db::hex(&rand::random::<[u8; 16]>())
}

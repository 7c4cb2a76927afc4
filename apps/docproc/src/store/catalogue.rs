//! The workflows of this process: what is in force, and every version it has seen, parsed.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, PoisonError, RwLock},
};

use db::{Error, Tx};

use super::workflows as versions;
use crate::rules::workflow::{self, Fault, Workflow};

/// What can be run now, and every version seen.
#[derive(Debug, Default)]
pub struct Workflows {
    now: RwLock<Now>,
    /// Held from the look to what is made of it: whoever looked first must not have the last word.
    taking_up: tokio::sync::Mutex<()>,
    by_id: RwLock<HashMap<i64, Arc<Workflow>>>,
}

#[derive(Debug, Default)]
struct Now {
    active: BTreeMap<String, Arc<Workflow>>,
    ids: BTreeMap<String, i64>,
    refused: Vec<Refused>,
    /// What the directory looked like when it was read.
    seen: Option<Vec<(String, String)>>,
}

/// A file that could not be loaded. The version before it stays in force.
#[derive(Clone, Debug)]
pub struct Refused {
    pub file: String,
    pub faults: Vec<Fault>,
}

impl Workflows {
    pub fn active(&self) -> BTreeMap<String, Arc<Workflow>> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).active.clone()
    }

    pub fn refused(&self) -> Vec<Refused> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }

    /// The version that new requests of this name take.
    pub fn id_of(&self, name: &str) -> Option<i64> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).ids.get(name).copied()
    }

    /// The version a request began with, whatever is in force now.
    pub async fn version(&self, tx: &mut Tx, id: i64) -> Result<Arc<Workflow>, Error> {
        let known = self.by_id.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        self.loadable(tx, id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("workflow version {id} no longer loads")))
    }

    /// `None`: the version is of another time and cannot be read any more.
    pub async fn loadable(&self, tx: &mut Tx, id: i64) -> Result<Option<Arc<Workflow>>, Error> {
        let version = versions::find(tx, id)
            .await?
            .ok_or_else(|| Error::corrupt(format!("workflow version {id} is gone")))?;
        let Ok(workflow) = workflow::parse(&version.source) else {
            tracing::error!(name = version.name, id, "a version in force no longer loads");
            return Ok(None);
        };
        let workflow = Arc::new(workflow);
        self.by_id.write().unwrap_or_else(PoisonError::into_inner).insert(id, workflow.clone());
        Ok(Some(workflow))
    }

    /// Takes up the versions that are in force in the database, whoever put them there. Answers
    /// whether that changed anything here.
    pub async fn take_up(&self, tx: &mut Tx) -> Result<bool, Error> {
        let _looking = self.taking_up.lock().await;
        let ids: BTreeMap<String, i64> = versions::in_force(tx).await?.into_iter().collect();
        if self.now.read().unwrap_or_else(PoisonError::into_inner).ids == ids {
            return Ok(false);
        }
        let mut active = BTreeMap::new();
        for (name, id) in &ids {
            if let Some(workflow) = self.loadable(tx, *id).await? {
                active.insert(name.clone(), workflow);
            }
        }
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        (now.active, now.ids) = (active, ids);
        Ok(true)
    }

    /// Whether the directory still looks as it did when it was read.
    pub fn has_seen(&self, sources: &[(String, String)]) -> bool {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        now.seen.as_deref() == Some(sources)
    }

    /// Remembers what the directory looked like, and what of it was refused.
    pub fn note(&self, refused: Vec<Refused>, sources: Vec<(String, String)>) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        (now.refused, now.seen) = (refused, Some(sources));
    }
}

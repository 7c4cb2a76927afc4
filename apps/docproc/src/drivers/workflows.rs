//! The workflows of this process: read from a directory, checked, versioned, exchanged while it
//! runs. Those shipped with the binary stand in when there is no directory.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use db::{Error, Tx};
use engine::Sentence;
use host::Context;

use crate::{
    rules::workflow::{self, Fault, Promotion, Workflow},
    store::workflows::{self as versions, Environment},
};

pub use crate::rules::workflow::{DEFAULT, INVOICES};

/// More files than this in the directory are a mistake.
const MOST: usize = 500;

/// What can be run now, and every version seen.
#[derive(Debug, Default)]
pub struct Workflows {
    now: RwLock<Now>,
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
    async fn loadable(&self, tx: &mut Tx, id: i64) -> Result<Option<Arc<Workflow>>, Error> {
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

    /// Reads the directory again if it changed, and takes up what was promoted elsewhere. Answers
    /// whether anything was exchanged.
    pub async fn refresh(&self, context: &Context, dir: Option<&Path>) -> Result<bool, Error> {
        let sources = sources(dir);
        if self.now.read().unwrap_or_else(PoisonError::into_inner).seen.as_ref() == Some(&sources) {
            return self.take_up(&mut context.store.read().await?).await;
        }
        let mut good = BTreeMap::new();
        let mut refused = Vec::new();
        for (file, source) in &sources {
            match workflow::parse(source) {
                Ok(one) if good.contains_key(&one.name) => {
                    let said = Sentence::new(
                        format!("otro fichero ya declara {:?}", one.name),
                        format!("another file declares {:?} already", one.name),
                    );
                    let faults = vec![Fault { line: 1, column: 1, said }];
                    refused.push(Refused { file: file.clone(), faults });
                }
                Ok(one) => {
                    good.insert(one.name.clone(), (Arc::new(one), source));
                }
                Err(faults) => refused.push(Refused { file: file.clone(), faults }),
            }
        }
        for one in &refused {
            for fault in &one.faults {
                tracing::error!(
                    file = one.file,
                    line = fault.line,
                    fault = fault.said.en,
                    "workflow refused; the version before it stays"
                );
            }
        }
        self.exchange(context, &good, refused.is_empty()).await?;
        self.take_up(&mut context.store.read().await?).await?;
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        (now.refused, now.seen) = (refused, Some(sources));
        Ok(true)
    }

    /// Keeps what the files say, and puts into force what needs no promotion.
    async fn exchange(
        &self,
        context: &Context,
        good: &BTreeMap<String, (Arc<Workflow>, &String)>,
        all_good: bool,
    ) -> Result<(), Error> {
        let mut decision = context.store.decide(&versions::scope(), context.clock.now()).await?;
        for (name, (workflow, source)) in good {
            let active = match versions::active(&mut decision.tx, name).await? {
                Some(active) => self.loadable(&mut decision.tx, active.id).await?,
                None => None,
            };
            let active = active.map(|active| active.promotion);
            let loaded = versions::keep(&mut decision, name, source).await?;
            if at_once(workflow.promotion, active, loaded.environment) {
                versions::activate(&mut decision, &loaded).await?;
            }
        }
        if all_good && !good.is_empty() {
            let kept: Vec<&str> = good.keys().map(String::as_str).collect();
            versions::retire_others(&mut decision, &kept).await?;
        }
        decision.commit().await.map(drop)
    }

    /// Takes up the versions that are in force in the database, whoever put them there. Answers
    /// whether that changed anything here.
    pub async fn take_up(&self, tx: &mut Tx) -> Result<bool, Error> {
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
}

/// Whether a version loaded from a file comes into force by being loaded. Either version can ask
/// for a promotion, so that the file alone cannot do away with it. One that was promoted before
/// comes back by itself where nothing is in force.
fn at_once(own: Promotion, active: Option<Promotion>, environment: Environment) -> bool {
    match (own, active) {
        (Promotion::Automatic, None | Some(Promotion::Automatic)) => true,
        (Promotion::Required, None) => environment == Environment::Production,
        (Promotion::Required, Some(_)) | (Promotion::Automatic, Some(Promotion::Required)) => false,
    }
}

/// Every workflow file with its content, by name. A file that cannot be read is an empty one: it is
/// refused with its name.
fn sources(dir: Option<&Path>) -> Vec<(String, String)> {
    let Some(entries) = dir.and_then(|dir| std::fs::read_dir(dir).ok()) else {
        return vec![
            ("default.yaml".to_owned(), DEFAULT.to_owned()),
            ("facturas.yaml".to_owned(), INVOICES.to_owned()),
        ];
    };
    let is_yaml =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_yaml).collect();
    files.sort();
    files.truncate(MOST);
    let read = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        (name.unwrap_or_default(), std::fs::read_to_string(path).unwrap_or_default())
    };
    files.iter().map(read).collect()
}

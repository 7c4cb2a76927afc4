//! What one process brings along: where files are, which components run here, the engines.

use std::{
    net::IpAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use engine::Word as _;
use jiff::Timestamp;
use ocr::Pack;
use paper::{Broken, Document, Limits, Renderer};
use serde_json::json;
use understand::classify::Classifier;

use super::{
    broker::Outbox,
    callback::Clients,
    folder::Seen,
    foreground::{self, Foreground},
    reading::WorkerStatus,
    storage::{Address, Fault, Storage},
};
use crate::{
    Context,
    decisions::{receive::CommitBatcher, storage::Unsettled},
    golden::Rehearsals,
    model::Component,
    store::{catalogue::Workflows, layouts::Memories, policy::Policy, requests::FileRow},
};

/// How a process was set up.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub storage: Address,
    /// Absent or not there: the shipped workflows.
    pub workflows: Option<PathBuf>,
    pub models: PathBuf,
    pub part: Part,
    /// Threads that read pages.
    pub threads: usize,
    /// Messages in hand per thread; absent: as many as keep the threads busy.
    pub prefetch: Option<usize>,
    /// *Carpeta vigilada*: files dropped there become requests.
    pub folder: Option<PathBuf>,
    /// Signs callbacks; absent: the house's key for webhooks.
    pub callback_secret: Option<Secret>,
    /// Where this process alone answers health checks (§9.4).
    pub health_port: Option<u16>,
    /// Absent: the address the process listens on.
    pub health_address: Option<IpAddr>,
    /// Whether files are opened in processes of their own; what they run is this very program.
    pub isolated: bool,
}

/// A text that must not reach a log by accident.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(••••••)")
    }
}

/// *Componente* of this process (§1.1): everything, or one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    Everything,
    /// Only one component's messages.
    Only(Component),
    Router,
    /// Takes requests, works on none.
    Gateway,
    /// Where people answer; works on nothing by itself.
    Backoffice,
    /// Watches deadlines, as every process does, and does nothing else.
    SlaMonitor,
}

impl Part {
    pub const WORDS: &'static str = "api_gateway, workflow_router, splitter, ocr, classifier, \
        classification_aggregator, extractor, extraction_aggregator, consolidator, http, \
        backoffice, sla_monitor";

    pub fn named(word: &str) -> Option<Self> {
        match word {
            "" | "unknown" | "all" => Some(Self::Everything),
            "api_gateway" => Some(Self::Gateway),
            "backoffice" => Some(Self::Backoffice),
            "sla_monitor" => Some(Self::SlaMonitor),
            "workflow_router" => Some(Self::Router),
            word => Component::named(word).map(Self::Only),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Everything => "all",
            Self::Only(component) => component.word(),
            Self::Router => ROUTER,
            Self::Gateway => "api_gateway",
            Self::Backoffice => "backoffice",
            Self::SlaMonitor => "sla_monitor",
        }
    }

    /// The components whose messages this process takes; `None`: all.
    pub fn takes(self) -> Option<Vec<&'static str>> {
        match self {
            Self::Everything => None,
            Self::Only(component) if component.is_join() => Some(Vec::new()),
            Self::Only(component) => Some(vec![component.word()]),
            Self::Router => Some(vec![ROUTER]),
            Self::Gateway | Self::Backoffice | Self::SlaMonitor => Some(Vec::new()),
        }
    }

    pub fn hosts(self, component: Component) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(one) => one == component,
            Self::Router | Self::Gateway | Self::Backoffice | Self::SlaMonitor => false,
        }
    }
}

/// The component that every request meets first.
pub const ROUTER: &str = "workflow_router";

/// Everything of this process that requests, workers and screens share: opened once at the start
/// and passed along.
#[derive(Default)]
pub struct Runtime {
    pub config: Config,
    pub storage: Storage,
    pub workflows: Workflows,
    pub memories: Memories,
    pub pack: Option<Pack>,
    pub classifier: ClassifierSlot,
    pub status: WorkerStatus,
    pub renderer: Renderer,
    pub foreground: Foreground,
    pub folder: Seen,
    pub callbacks: Clients,
    pub arrivals: CommitBatcher,
    pub policy: db::Together<Policy>,
    pub rehearsals: Rehearsals,
    /// The broker that carries the messages, where there is one.
    pub outbox: Option<Outbox>,
    /// When a whole day was last summed up: that reads much, and changes slowly.
    pub summed_up: Mutex<Option<Timestamp>>,
    most_pages: AtomicUsize,
}

impl Runtime {
    /// Finds and opens what a process needs before it can take documents.
    pub fn open(config: Config) -> Result<Self, NotReady> {
        let pack = Pack::find(&config.models)
            .inspect_err(|missing| {
                tracing::warn!(%missing, "no model pack: pictures are read by Tesseract");
            })
            .ok();
        // The readers, who route and split beside them, whoever waits in the foreground, and rehearsals.
        let most = config.threads.max(1) + 1 + foreground::PLACES + 1;
        Ok(Self {
            storage: Storage::open(&config.storage)?,
            renderer: if config.isolated { Renderer::own(most) } else { Renderer::Here },
            pack,
            most_pages: AtomicUsize::new(Limits::default().pages),
            config,
            ..Self::default()
        })
    }

    /// What one file may cost, as the settings say now.
    pub fn limits(&self) -> Limits {
        Limits { pages: self.most_pages.load(Ordering::Relaxed), ..Limits::default() }
    }

    /// Opens a stored file, or finds it open. Blocking.
    pub fn document(&self, file: &FileRow, limits: &Limits) -> Result<Arc<Document>, Broken> {
        self.status.opened.get(&self.storage, &self.renderer, file, limits)
    }

    pub fn heed(&self, policy: &Policy) {
        self.most_pages.store(policy.pages, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The classifier in force: the shipped one, or one that was trained here.
#[derive(Debug, Default)]
pub struct ClassifierSlot(RwLock<Own>);

#[derive(Debug, Default)]
struct Own {
    classifier: Option<Arc<Classifier>>,
    /// Which writing of its file it came from.
    version: Option<String>,
}

impl ClassifierSlot {
    pub fn scores(&self, page: &page::PageText, among: &[&str]) -> Vec<(String, f32)> {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner).classifier.clone();
        match own {
            Some(own) => own.scores(page, among),
            None => Classifier::shipped().scores(page, among),
        }
    }

    /// Takes up what was trained since, or goes back to the shipped one when it was removed. A file
    /// that does not load changes nothing, nor does a storage that does not answer.
    pub async fn refresh(&self, storage: &Storage) {
        let Ok(version) = storage.version(Storage::classifier()).await else { return };
        if self.0.read().unwrap_or_else(PoisonError::into_inner).version == version {
            return;
        }
        let loaded = match version {
            None => Ok(None),
            Some(_) => match storage.get(Storage::classifier()).await {
                Ok(bytes) => Classifier::load(&bytes).map(Some).map_err(|error| error.to_string()),
                // Looked for again next time.
                Err(_) => return,
            },
        };
        let mut own = self.0.write().unwrap_or_else(PoisonError::into_inner);
        own.version = version;
        match loaded {
            Ok(classifier) => own.classifier = classifier.map(Arc::new),
            Err(error) => {
                tracing::error!(
                    error,
                    "the trained classifier does not load; the one before stays"
                );
            }
        }
    }
}

/// Why a process cannot take documents.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    #[error("the files have no place: {0}")]
    Storage(#[from] Fault),
    #[error("{0}")]
    Unsettled(#[from] Unsettled),
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Makes sure of the storage, and loads workflows and settings, before the process takes anything.
pub async fn prepare(context: &Context) -> Result<(), NotReady> {
    let _ = context.runtime.status.opened.vault.set(context.options.vault.clone());
    let storage = &context.runtime.storage;
    crate::decisions::storage::settle(&context.store, storage, context.clock.now()).await?;
    storage.report_to(&context.shortages);
    storage.leave(&context.options.room);
    let Config { part, threads, .. } = &context.runtime.config;
    let role = json!({ "name": part.word(), "components": part.takes(), "threads": threads });
    metrics::gauge!("docproc_component_info", "component" => part.word()).set(1.0);
    context.process.takes_part(crate::NAME, role);
    // Which of them turns a marked request into a case does not matter; should this one end before,
    // the others look by themselves.
    context.keep_here(crate::decisions::golden::TICK);
    Ok(crate::decisions::refresh(context).await?)
}

//! The nouns of document processing.

use engine::{Lifecycle, Word as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

engine::words! {
    /// *Componente* (§2): what a stage runs.
    pub enum Component {
        Splitter = "splitter",
        Ocr = "ocr",
        Classifier = "classifier",
        ClassificationAggregator = "classification_aggregator",
        Extractor = "extractor",
        ExtractionAggregator = "extraction_aggregator",
        Consolidator = "consolidator",
        /// Any service outside that takes and answers JSON.
        Http = "http",
        /// A worker outside that fetches its messages; the stage has its name.
        Outside = "outside",
    }

    /// What reads pictures.
    pub enum Engine { PpOcr = "ppocr", Tesseract = "tesseract" }
}

/// What travels through a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Request,
    Page,
    Document,
}

/// Names of the house that are no component of a stage.
const RESERVED: [&str; 7] = [
    "workflow_router",
    "api_gateway",
    "backoffice",
    "sla_monitor",
    "dead_letters",
    "stage_results",
    "all",
];

impl Component {
    /// Those that are part of this program.
    pub const OURS: [Self; 8] = [
        Self::Splitter,
        Self::Ocr,
        Self::Classifier,
        Self::ClassificationAggregator,
        Self::Extractor,
        Self::ExtractionAggregator,
        Self::Consolidator,
        Self::Http,
    ];

    /// The one of ours that is called so.
    pub fn named(word: &str) -> Option<Self> {
        Self::OURS.into_iter().find(|one| one.word() == word)
    }

    /// What people call its stage, in both languages.
    pub const fn title(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Splitter => ("Separación", "Split"),
            Self::Ocr => ("Lectura", "Reading"),
            Self::Classifier => ("Clasificación", "Classification"),
            Self::ClassificationAggregator => ("Agrupación", "Grouping"),
            Self::Extractor => ("Extracción", "Extraction"),
            Self::ExtractionAggregator => ("Reunión", "Gathering"),
            Self::Consolidator => ("Consolidación", "Consolidation"),
            Self::Http => ("Servicio externo", "Outside service"),
            Self::Outside => return None,
        })
    }

    /// Whether a component that is not ours can be called so.
    pub fn is_outside_name(word: &str) -> bool {
        let fits = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        word.len() <= 63
            && word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(fits)
            && Self::named(word).is_none()
            && !RESERVED.contains(&word)
    }

    /// Whether somebody outside does the work, asked by us or asking us.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Self::Http | Self::Outside)
    }

    /// The seed's routing key (§5.2), for files that leave it out.
    pub const fn routing_key(self) -> &'static str {
        match self {
            Self::Splitter => "request.split",
            Self::Ocr => "page.ocr",
            Self::Classifier => "page.classify",
            Self::ClassificationAggregator => "page.classified",
            Self::Extractor => "doc.extract",
            Self::ExtractionAggregator => "doc.extracted",
            Self::Consolidator => "request.consolidate",
            Self::Http => "http.call",
            Self::Outside => "component",
        }
    }

    /// What it works on; `None`: whatever travels.
    pub const fn unit(self) -> Option<Unit> {
        match self {
            Self::Splitter | Self::Consolidator => Some(Unit::Request),
            Self::Ocr | Self::Classifier | Self::ClassificationAggregator => Some(Unit::Page),
            Self::Extractor | Self::ExtractionAggregator => Some(Unit::Document),
            Self::Http | Self::Outside => None,
        }
    }

    /// What travels after it.
    pub const fn leaves(self, travelling: Unit) -> Unit {
        match self {
            Self::Splitter => Unit::Page,
            Self::ClassificationAggregator => Unit::Document,
            Self::ExtractionAggregator | Self::Consolidator => Unit::Request,
            Self::Ocr | Self::Classifier | Self::Extractor | Self::Http | Self::Outside => {
                travelling
            }
        }
    }

    /// Whether it waits for all of them (*fan-in*). Joins need no worker: the planner performs
    /// them in the transaction of the last arrival.
    pub const fn is_join(self) -> bool {
        matches!(
            self,
            Self::ClassificationAggregator | Self::ExtractionAggregator | Self::Consolidator
        )
    }
}

engine::words! {
    /// *Estado de la solicitud* (§4.2). `sla_breached` is not here: it is a request that is
    /// late and still at work, told apart by `sla_breached_at`.
    pub enum Status {
        Received = "received",
        Routing = "routing",
        Splitting = "splitting",
        Processing = "processing",
        Extracting = "extracting",
        Consolidating = "consolidating",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl Status {
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl Lifecycle for Status {
    /// Stages a workflow leaves out are passed over. From an end only a person leads back.
    fn successors(self) -> &'static [Self] {
        if self.is_final() { &[] } else { &Self::ALL[self as usize + 1..] }
    }
}

engine::words! {
    /// How far an item is with the stage it stands at.
    pub enum Progress {
        /// Nobody was told yet.
        Todo = "WAITING",
        /// A message waits or is with a worker.
        Sent = "SENT",
        /// The stage gave its result; what follows is not decided.
        Done = "DONE",
        /// A person decides.
        Review = "REVIEW",
    }
}

/// Where an item stands: before the first stage is -1, the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub at: i32,
    pub progress: Progress,
}

impl Standing {
    pub const fn todo(at: usize) -> Self {
        Self { at: at as i32, progress: Progress::Todo }
    }
}

/// What a message is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    Request,
    Page(u32),
    Document(String),
}

impl Item {
    pub fn key(&self) -> String {
        match self {
            Self::Request => String::new(),
            Self::Page(n) => format!("p{n}"),
            Self::Document(id) => id.clone(),
        }
    }

    pub fn from_key(key: &str) -> Self {
        if key.is_empty() {
            return Self::Request;
        }
        key.strip_prefix('p')
            .and_then(|n| n.parse().ok())
            .map_or_else(|| Self::Document(key.to_owned()), Self::Page)
    }
}

engine::words! {
    /// Whether a machine or a person said so.
    #[derive(Serialize, Deserialize)]
    pub enum Origin {
        #[serde(rename = "AUTO")]
        Automatic = "AUTO",
        #[serde(rename = "BACKOFFICE")]
        Person = "BACKOFFICE",
    }
}

/// One field of a document, as extracted or corrected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldValue {
    pub name: String,
    /// As printed.
    pub value: Option<String>,
    pub normalised: Option<String>,
    pub confidence: f64,
    pub required: bool,
    #[serde(default)]
    pub boxes: Vec<EvidenceBox>,
    #[serde(default)]
    pub rules: Vec<RuleOutcome>,
    #[serde(default)]
    pub alternatives: Vec<(String, f64)>,
}

/// Where a value was found, in the units of its page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceBox {
    /// The page within the request.
    pub page: u32,
    pub x: f32,
    pub y: f32,
    pub w: f32,
    pub h: f32,
    /// Of a table: the row and the column whose cell it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<[u16; 2]>,
}

/// What was read in a document, or what a person made of that.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub fields: Vec<FieldValue>,
    pub extracted_data: Map<String, Json>,
    pub confidence: f64,
    pub missing_required: bool,
    /// The vendor's layout that took part, and its version.
    pub layout: Option<(String, i64)>,
}

/// Where a page of a request is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageInFile {
    pub file: u32,
    pub page: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleOutcome {
    pub rule: String,
    pub ok: bool,
    pub detail: String,
}

engine::words! {
    /// *Estado de la tarea* (§4.1).
    pub enum TaskState {
        /// Nobody has it.
        Pending = "pending",
        /// Somebody has it: it was offered to them, or they took it.
        Assigned = "assigned",
        Completed = "completed",
        /// Its operator fell silent; nobody has it.
        Timeout = "timeout",
        /// Nobody needs the answer any more.
        Cancelled = "cancelled",
    }
}

impl Lifecycle for TaskState {
    fn successors(self) -> &'static [Self] {
        match self {
            Self::Pending | Self::Timeout => &[Self::Assigned, Self::Cancelled],
            Self::Assigned => {
                &[Self::Pending, Self::Assigned, Self::Completed, Self::Timeout, Self::Cancelled]
            }
            // Its operator took the answer back before anything followed from it.
            Self::Completed => &[Self::Assigned],
            Self::Cancelled => &[],
        }
    }
}

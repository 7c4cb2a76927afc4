use super::{CatalogueId, JobType, Oid};

/// One OID that the house knows (dossier §1.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    pub id: CatalogueId,
    pub name: String,
    pub oid: Oid,
    /// None: of any brand.
    pub brand: Option<String>,
    pub model: Option<String>,
    pub space: Space,
    pub keep_previous: bool,
    pub format_mac: bool,
}

/// *Espacio*: what an OID is about, and so which job reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    Discovery,
    Column(Column),
}

impl Space {
    pub const fn job(self) -> JobType {
        match self {
            Self::Discovery => JobType::Discovery,
            Self::Column(_) => JobType::Get,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Discovery => "descubrimiento",
            Self::Column(column) => column.word(),
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "descubrimiento" => Some(Self::Discovery),
            word => Column::from_word(word).map(Self::Column),
        }
    }
}

/// What is known about an ONU beside its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    Description,
    Mac,
    Plan,
    Distance,
    Model,
    Serial,
    Subscriber,
}

impl Column {
    pub const ALL: &'static [Self] = &[
        Self::Description,
        Self::Mac,
        Self::Plan,
        Self::Distance,
        Self::Model,
        Self::Serial,
        Self::Subscriber,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Description => "descripcion",
            Self::Mac => "mac",
            Self::Plan => "plan_onu",
            Self::Distance => "distancia_onu",
            Self::Model => "modelo_onu",
            Self::Serial => "serial",
            Self::Subscriber => "subscriber",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|column| column.word() == word)
    }
}

//! The OID catalogue and what its entries are about.

use engine::Word;

use super::{CatalogueId, JobType, Oid};

/// One OID that the house knows (F-1.4).
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
    /// Where it is defined: the MIB and the object. None: the house says so.
    pub source: Option<&'static str>,
    /// What a number of it counts, where it is not plain.
    pub unit: Option<&'static str>,
}

/// *Espacio*: what an OID is about, and so which job reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    Discovery,
    Column(Column),
    /// *Lectura*: no column of the inventory; the last value of each ONU is kept by its OID.
    Reading,
}

impl Space {
    pub const fn job(self) -> JobType {
        match self {
            Self::Discovery => JobType::Discovery,
            Self::Column(_) | Self::Reading => JobType::Get,
        }
    }

    pub const fn column(self) -> Option<Column> {
        match self {
            Self::Column(column) => Some(column),
            Self::Discovery | Self::Reading => None,
        }
    }
}

impl Word for Space {
    const ALL: &'static [Self] = &[
        Self::Discovery,
        Self::Column(Column::Description),
        Self::Column(Column::Mac),
        Self::Column(Column::Plan),
        Self::Column(Column::Distance),
        Self::Column(Column::Model),
        Self::Column(Column::Serial),
        Self::Column(Column::Subscriber),
        Self::Reading,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Discovery => JobType::Discovery.word(),
            Self::Column(column) => column.word(),
            Self::Reading => "lectura",
        }
    }
}

engine::words! {
    /// What is known about an ONU beside its state.
    pub enum Column {
        Description = "descripcion",
        Mac = "mac",
        Plan = "plan_onu",
        Distance = "distancia_onu",
        Model = "modelo_onu",
        Serial = "serial",
        Subscriber = "subscriber",
    }
}

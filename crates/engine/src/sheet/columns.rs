//! What a file may hold: the fields of a JSON body, one column each.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
}

/// What its cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text {
        most: usize,
    },
    Number {
        least: i64,
        most: i64,
    },
    Flag,
    /// Words between spaces, commas or semicolons.
    Words,
    /// Ids, separated likewise.
    Ids,
    /// A JSON object.
    Object,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
    /// No two rows have the same.
    Unique,
    RequiredUnique,
}

impl Need {
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::RequiredUnique)
    }

    pub const fn is_unique(self) -> bool {
        matches!(self, Self::Unique | Self::RequiredUnique)
    }
}

impl Column {
    pub const fn new(name: &'static str, kind: Kind, need: Need) -> Self {
        Self { name, kind, need }
    }

    pub const fn optional(name: &'static str, kind: Kind) -> Self {
        Self::new(name, kind, Need::Optional)
    }
}

/// A column by its heading; case, accents and underscores do not matter, so that the names of other
/// systems' tables (`PrioridadBalanceo`) are understood.
pub(super) fn named(columns: &'static [Column], heading: &str) -> Option<&'static Column> {
    let plain = folded(heading);
    columns.iter().find(|column| folded(column.name) == plain)
}

fn folded(name: &str) -> String {
    let letters = name.chars().flat_map(char::to_lowercase).filter_map(|c| match c {
        'á' => Some('a'),
        'é' => Some('e'),
        'í' => Some('i'),
        'ó' => Some('o'),
        'ú' => Some('u'),
        '_' | ' ' | '-' => None,
        c => Some(c),
    });
    letters.collect()
}

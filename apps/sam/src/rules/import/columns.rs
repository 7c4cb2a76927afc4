//! Which columns a file may have: the fields of the JSON bodies.

/// What a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sheet {
    Robots,
    Runners,
    Schedules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) need: Need,
}

/// What its cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Need {
    Required,
    Optional,
    /// No two rows have the same.
    Unique,
    RequiredUnique,
}

impl Need {
    pub(super) const fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::RequiredUnique)
    }

    pub(super) const fn is_unique(self) -> bool {
        matches!(self, Self::Unique | Self::RequiredUnique)
    }
}

const ID: Kind = Kind::Number { least: 1, most: u32::MAX as i64 };
const SHORT: Kind = Kind::Text { most: 40 };
/// Whatever the calendar says about it.
const ANY: Kind = Kind::Number { least: i64::MIN, most: i64::MAX };

const fn column(name: &'static str, kind: Kind, need: Need) -> Column {
    Column { name, kind, need }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    column(name, kind, Need::Optional)
}

const ROBOTS: &[Column] = &[
    column("id", ID, Need::Unique),
    column("robot", Kind::Text { most: 100 }, Need::RequiredUnique),
    optional("descripcion", Kind::Text { most: 4000 }),
    optional("parametros", Kind::Object),
    optional("activo", Kind::Flag),
    optional("es_online", Kind::Flag),
    optional("min_equipos", Kind::Number { least: 0, most: 10_000 }),
    optional("max_equipos", Kind::Number { least: -1, most: 10_000 }),
    optional("prioridad_balanceo", Kind::Number { least: 0, most: 1000 }),
    optional("tickets_por_equipo_adicional", Kind::Number { least: 1, most: 100_000 }),
    optional("pool_id", ID),
];

const RUNNERS: &[Column] = &[
    column("id", ID, Need::Unique),
    column("equipo", Kind::Text { most: 100 }, Need::RequiredUnique),
    column("user_id", ID, Need::Required),
    optional("user_name", Kind::Text { most: 100 }),
    optional("licencia", Kind::Text { most: 500 }),
    optional("activo_sam", Kind::Flag),
    optional("permite_balanceo_dinamico", Kind::Flag),
    optional("pool_id", ID),
];

const SCHEDULES: &[Column] = &[
    column("id", ID, Need::Unique),
    column("robot_id", ID, Need::Required),
    column("tipo_programacion", SHORT, Need::Required),
    column("hora_inicio", SHORT, Need::Required),
    optional("tolerancia", ANY),
    optional("dias_semana", Kind::Words),
    optional("dia_del_mes", ANY),
    optional("fecha_especifica", SHORT),
    optional("dia_inicio_mes", ANY),
    optional("dia_fin_mes", ANY),
    optional("primeros_dias_mes", ANY),
    optional("ultimos_dias_mes", ANY),
    optional("es_ciclico", Kind::Flag),
    optional("hora_fin", SHORT),
    optional("intervalo_entre_ejecuciones", ANY),
    optional("fecha_inicio_ventana", SHORT),
    optional("fecha_fin_ventana", SHORT),
    optional("activo", Kind::Flag),
    optional("calendario_id", ID),
    optional("equipos", Kind::Ids),
];

impl Sheet {
    pub(super) const fn columns(self) -> &'static [Column] {
        match self {
            Self::Robots => ROBOTS,
            Self::Runners => RUNNERS,
            Self::Schedules => SCHEDULES,
        }
    }

    /// A column by its heading; case, accents and underscores do not matter, so that the names of
    /// the original's tables (`PrioridadBalanceo`) are understood.
    pub(super) fn column(self, heading: &str) -> Option<&'static Column> {
        let plain = folded(heading);
        self.columns().iter().find(|column| folded(column.name) == plain)
    }
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

//! Which columns a file may have: the fields of the JSON bodies.

use engine::sheet::{Column, Kind, Need};

/// What a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sheet {
    Robots,
    Runners,
    Schedules,
}

const ID: Kind = Kind::Number { least: 1, most: u32::MAX as i64 };
const SHORT: Kind = Kind::Text { most: 40 };
/// Whatever the calendar says about it.
const ANY: Kind = Kind::Number { least: i64::MIN, most: i64::MAX };

const ROBOTS: &[Column] = &[
    Column::new("id", ID, Need::Unique),
    Column::new("robot", Kind::Text { most: 100 }, Need::RequiredUnique),
    Column::optional("descripcion", Kind::Text { most: 4000 }),
    Column::optional("parametros", Kind::Object),
    Column::optional("activo", Kind::Flag),
    Column::optional("es_online", Kind::Flag),
    Column::optional("min_equipos", Kind::Number { least: 0, most: 10_000 }),
    Column::optional("max_equipos", Kind::Number { least: -1, most: 10_000 }),
    Column::optional("prioridad_balanceo", Kind::Number { least: 0, most: 1000 }),
    Column::optional("tickets_por_equipo_adicional", Kind::Number { least: 1, most: 100_000 }),
    Column::optional("pool_id", ID),
    Column::optional("reintentos", Kind::Number { least: 0, most: 10 }),
    Column::optional("reintento_espera_seg", Kind::Number { least: 0, most: 86_400 }),
    Column::optional("reintento_causas", Kind::Words),
];

const RUNNERS: &[Column] = &[
    Column::new("id", ID, Need::Unique),
    Column::new("equipo", Kind::Text { most: 100 }, Need::RequiredUnique),
    Column::new("user_id", ID, Need::Required),
    Column::optional("user_name", Kind::Text { most: 100 }),
    Column::optional("licencia", Kind::Text { most: 500 }),
    Column::optional("activo_sam", Kind::Flag),
    Column::optional("permite_balanceo_dinamico", Kind::Flag),
    Column::optional("pool_id", ID),
];

const SCHEDULES: &[Column] = &[
    Column::new("id", ID, Need::Unique),
    Column::new("robot_id", ID, Need::Required),
    Column::new("tipo_programacion", SHORT, Need::Required),
    Column::new("hora_inicio", SHORT, Need::Required),
    Column::optional("tolerancia", ANY),
    Column::optional("dias_semana", Kind::Words),
    Column::optional("dia_del_mes", ANY),
    Column::optional("fecha_especifica", SHORT),
    Column::optional("dia_inicio_mes", ANY),
    Column::optional("dia_fin_mes", ANY),
    Column::optional("primeros_dias_mes", ANY),
    Column::optional("ultimos_dias_mes", ANY),
    Column::optional("es_ciclico", Kind::Flag),
    Column::optional("hora_fin", SHORT),
    Column::optional("intervalo_entre_ejecuciones", ANY),
    Column::optional("fecha_inicio_ventana", SHORT),
    Column::optional("fecha_fin_ventana", SHORT),
    Column::optional("activo", Kind::Flag),
    Column::optional("calendario_id", ID),
    Column::optional("equipos", Kind::Ids),
];

impl Sheet {
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Robots => ROBOTS,
            Self::Runners => RUNNERS,
            Self::Schedules => SCHEDULES,
        }
    }
}

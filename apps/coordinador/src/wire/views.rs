//! The JSON shapes that clients read.

use engine::Word as _;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use web::Lang;

use crate::{
    model::{
        CatalogueEntry, Column, Ending, JobType, Node, Olt, Onu, Override, Role, Space, Switch,
        Template, TemplateNode,
    },
    policy::QuotaPolicy,
    rules::quota::Usage,
    store::{journal::Kept, olts::Health, runs::Told},
};

/// An OLT. Communities and keys are never shown.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Olt)]
pub struct OltView {
    pub id: i64,
    pub abreviatura: String,
    pub marca: String,
    pub modelo: Option<String>,
    pub ip_address: String,
    pub puerto: u16,
    /// `1`, `2c` or `3`.
    pub version: &'static str,
    pub habilitar_olt: bool,
    pub workflow_activo: bool,
    /// `RESPONDE`, `NO_RESPONDE` or `SIN_DATOS`.
    pub salud: &'static str,
    pub sin_respuesta_desde: Option<Timestamp>,
    pub proximo_intento: Option<Timestamp>,
    pub ultima_respuesta: Option<Timestamp>,
    pub respuesta_ms: Option<f64>,
    pub max_repetitions: Option<i64>,
    pub ultimo_recorrido: Option<Timestamp>,
    /// A walk that lost too many ONUs and waits for another to confirm it.
    pub recorrido_retenido: Option<i64>,
    pub fila_version: i64,
}

impl OltView {
    pub fn new(olt: &Olt, health: &Health) -> Self {
        let state = match (olt.backoff.is_some(), health.answered_at.is_some()) {
            (true, _) => "NO_RESPONDE",
            (false, true) => "RESPONDE",
            (false, false) => "SIN_DATOS",
        };
        Self {
            id: olt.id.0,
            abreviatura: olt.name.clone(),
            marca: olt.brand.clone(),
            modelo: olt.model.clone(),
            ip_address: olt.address.clone(),
            puerto: olt.port,
            version: olt.version.word(),
            habilitar_olt: olt.enabled,
            workflow_activo: olt.workflow_active,
            salud: state,
            sin_respuesta_desde: olt.backoff.map(|backoff| backoff.since),
            proximo_intento: olt.backoff.map(|backoff| backoff.until),
            ultima_respuesta: health.answered_at,
            respuesta_ms: health.response_us.map(|us| us as f64 / 1_000.0),
            max_repetitions: health.repetitions,
            ultimo_recorrido: health.walked_at,
            recorrido_retenido: health.held_run.map(|run| run.0),
            fila_version: olt.row_version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Nodo)]
pub struct NodeView {
    pub id: i64,
    pub olt_id: i64,
    pub clave: String,
    pub nombre: String,
    pub job_type: &'static str,
    pub oid: Option<String>,
    /// What a get fills in.
    pub espacio: Option<&'static str>,
    /// Absent for members of a chain.
    pub interval_seconds: Option<i64>,
    pub priority: i64,
    pub enabled: bool,
    pub pausado: bool,
    pub next_run_at: Option<Timestamp>,
    /// Seconds that spreading moved it from its grid.
    pub fase_segundos: Option<i64>,
    pub master_node_id: Option<i64>,
    pub tras_maestro: Option<&'static str>,
    pub plantilla_nodo_id: Option<i64>,
    pub cambiado_aqui: Vec<&'static str>,
    pub last_run_at: Option<Timestamp>,
    pub last_success_at: Option<Timestamp>,
    pub last_failure_at: Option<Timestamp>,
    pub version: i64,
}

impl NodeView {
    pub fn new(node: &Node) -> Self {
        let (master, after) = match &node.role {
            Role::Master { .. } => (None, None),
            Role::Chain { master, after } => (Some(master.0), Some(after.word())),
        };
        let cadence = node.role.cadence();
        let words = [
            (Override::Interval, "intervalo"),
            (Override::Priority, "prioridad"),
            (Override::Enabled, "habilitado"),
            (Override::Oid, "oid"),
        ];
        let changed = words.into_iter().filter(|(what, _)| node.overrides.has(*what));
        Self {
            id: node.id.0,
            olt_id: node.olt.0,
            clave: node.key.clone(),
            nombre: node.name.clone(),
            job_type: node.job.word(),
            oid: node.oid.as_ref().map(ToString::to_string),
            espacio: node.column.map(Column::word).or(match node.job {
                JobType::Get => Some(Space::Reading.word()),
                JobType::Discovery => None,
            }),
            interval_seconds: cadence.map(|cadence| cadence.interval.seconds()),
            priority: node.priority.number(),
            enabled: node.switch != Switch::Off,
            pausado: node.switch == Switch::Paused,
            next_run_at: node.role.next_run_at(),
            fase_segundos: cadence.map(|cadence| cadence.phase.as_secs()),
            master_node_id: master,
            tras_maestro: after,
            plantilla_nodo_id: node.template.map(|id| id.0),
            cambiado_aqui: changed.map(|(_, word)| word).collect(),
            last_run_at: node.last_run_at,
            last_success_at: node.last_success_at,
            last_failure_at: node.last_failure_at,
            version: node.version,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = EjecucionDeNodo)]
pub struct RunView {
    pub id: i64,
    pub nodo_id: i64,
    pub olt_id: i64,
    pub job_type: &'static str,
    pub status: &'static str,
    pub planned_at: Timestamp,
    pub asked_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub duration_ms: Option<i64>,
    /// Seconds between the planned and the actual start.
    pub atraso_segundos: Option<f64>,
    pub reason: Option<&'static str>,
    pub motivo: Option<String>,
    pub detalle: Option<String>,
    pub manual: bool,
    pub cadena: bool,
    pub tras_ejecucion: Option<i64>,
    /// The run that it was asked together with: one start for both.
    pub junto_con: Option<i64>,
    pub requested_by: Option<String>,
    pub simulada: bool,
    #[schema(value_type = Option<serde_json::Value>)]
    pub resumen: Option<Json>,
}

impl RunView {
    pub fn new(told: &Told, lang: Lang) -> Self {
        use crate::model::Cause;
        let run = &told.run;
        let lasted = run.started_at.zip(run.finished_at);
        let late = run.started_at.filter(|_| run.cause == Cause::Scheduled);
        Self {
            id: run.id.0,
            nodo_id: run.node.0,
            olt_id: run.olt.0,
            job_type: run.job.word(),
            status: run.state.word(),
            planned_at: run.planned_at,
            asked_at: run.asked_at,
            started_at: run.started_at,
            finished_at: run.finished_at,
            duration_ms: lasted.map(|(from, to)| to.duration_since(from).as_millis() as i64),
            atraso_segundos: late.map(|at| at.duration_since(run.planned_at).as_secs_f64()),
            reason: run.ending.map(Ending::word),
            motivo: run.ending.map(|ending| {
                let (es, en) = ending.sentence();
                lang.t(es, en).to_owned()
            }),
            detalle: told.detail.as_deref().map(|detail| lang.told(detail)),
            manual: run.cause == Cause::Manual,
            cadena: run.cause == Cause::Chained,
            tras_ejecucion: told.follows.map(|run| run.0),
            junto_con: told.rides_with.map(|run| run.0),
            requested_by: told.asked_by.clone(),
            simulada: told.rehearsed,
            resumen: told.summary.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Cuota)]
pub struct QuotaView {
    pub nodo_id: i64,
    pub nodo: String,
    pub olt_id: i64,
    pub usados: u32,
    pub maximo: u32,
    pub porcentaje: u32,
    /// `NORMAL`, `ADVERTENCIA`, `ALERTA` or `COMPLETA`.
    pub nivel: &'static str,
    /// It runs faster than its interval, or its next run will be held. At its normal pace a node
    /// uses its whole quota.
    pub sobre_ritmo: bool,
}

impl QuotaView {
    pub fn new(node: &Node, usage: Usage, policy: &QuotaPolicy, pressed: bool) -> Self {
        Self {
            sobre_ritmo: pressed,
            nodo_id: node.id.0,
            nodo: node.name.clone(),
            olt_id: node.olt.0,
            usados: usage.used,
            maximo: usage.max,
            porcentaje: usage.percent(),
            nivel: usage.level(policy).word(),
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = EventoDeNodo)]
pub struct EventView {
    pub id: i64,
    pub fecha: Timestamp,
    pub nivel: &'static str,
    pub tipo: String,
    pub motivo: Option<String>,
    pub olt_id: Option<i64>,
    pub nodo_id: Option<i64>,
    pub ejecucion_id: Option<i64>,
    #[schema(value_type = serde_json::Value)]
    pub datos: Json,
}

impl EventView {
    pub fn new(kept: Kept) -> Self {
        Self {
            id: kept.id,
            fecha: kept.at,
            nivel: kept.level.word(),
            tipo: kept.kind,
            motivo: kept.reason,
            olt_id: kept.olt.map(|id| id.0),
            nodo_id: kept.node.map(|id| id.0),
            ejecucion_id: kept.run.map(|id| id.0),
            datos: kept.data,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Plantilla)]
pub struct TemplateView {
    pub id: i64,
    pub nombre: String,
    pub activa: bool,
    pub nodos: Vec<TemplateNodeView>,
    /// The OLTs it is pushed to.
    pub olts: Vec<i64>,
    pub version: i64,
    /// What people should know after saving it: more is asked for than can start, an OLT has no OID.
    pub avisos: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = NodoDePlantilla)]
pub struct TemplateNodeView {
    pub id: i64,
    pub clave: String,
    pub nombre: String,
    pub job_type: &'static str,
    pub espacio: Option<&'static str>,
    pub oid: Option<String>,
    pub interval_seconds: i64,
    pub priority: i64,
    pub enabled: bool,
    pub maestro: Option<String>,
    pub tras_maestro: Option<&'static str>,
}

impl TemplateNodeView {
    pub fn new(node: &TemplateNode) -> Self {
        Self {
            id: node.id.0,
            clave: node.key.clone(),
            nombre: node.name.clone(),
            job_type: node.job.word(),
            espacio: node.space.map(Space::word),
            oid: node.oid.as_ref().map(ToString::to_string),
            interval_seconds: node.interval.seconds(),
            priority: node.priority.number(),
            enabled: node.enabled,
            maestro: node.master.as_ref().map(|(key, _)| key.clone()),
            tras_maestro: node.master.as_ref().map(|(_, after)| after.word()),
        }
    }
}

impl TemplateView {
    pub fn new(template: &Template, olts: Vec<i64>) -> Self {
        Self {
            id: template.id.0,
            nombre: template.name.clone(),
            activa: template.active,
            nodos: template.nodes.iter().map(TemplateNodeView::new).collect(),
            olts,
            version: template.version,
            avisos: Vec::new(),
        }
    }
}

/// An entry of the OID catalogue.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = OidDeCatalogo)]
pub struct OidView {
    /// Negative for those that come with Turno and cannot be changed.
    pub id: i64,
    pub nombre: String,
    pub oid: String,
    pub marca: Option<String>,
    pub modelo: Option<String>,
    pub espacio: &'static str,
    pub keep_previous_value: bool,
    pub format_mac: bool,
    /// The MIB and the object it is, of those that come with Turno.
    pub fuente: Option<&'static str>,
    /// What a number of it counts.
    pub unidad: Option<&'static str>,
}

impl OidView {
    pub fn new(entry: &CatalogueEntry) -> Self {
        Self {
            id: entry.id.0,
            nombre: entry.name.clone(),
            oid: entry.oid.to_string(),
            marca: entry.brand.clone(),
            modelo: entry.model.clone(),
            espacio: entry.space.word(),
            keep_previous_value: entry.keep_previous,
            format_mac: entry.format_mac,
            fuente: entry.source,
            unidad: entry.unit,
        }
    }
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Onu)]
pub struct OnuView {
    pub id: i64,
    pub olt_id: i64,
    pub raw_index_key: String,
    pub slot: Option<u32>,
    pub port: Option<u32>,
    pub logical: Option<u32>,
    pub normalized_id: Option<String>,
    pub presence: &'static str,
    pub consecutive_misses: u32,
    pub last_state_value: Option<i64>,
    pub last_state_label: Option<String>,
    pub last_seen_at: Option<Timestamp>,
    pub active: bool,
    pub serial_number: Option<String>,
    pub mac_address: Option<String>,
    pub subscriber_id: Option<String>,
    pub snmp_description: Option<String>,
    pub plan_onu: Option<String>,
    pub distancia_onu: Option<String>,
    pub modelo_onu: Option<String>,
    /// The last value of every OID that was read of it.
    pub lecturas: Vec<LastView>,
}

/// The last value of one OID of an ONU.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Lectura)]
pub struct LastView {
    pub oid: String,
    /// As the catalogue calls it.
    pub nombre: Option<String>,
    /// As the device said it; null if it answered with nothing.
    pub valor: Option<String>,
    pub unidad: Option<&'static str>,
    pub leido_at: Timestamp,
}

impl OnuView {
    pub fn new(onu: &Onu, label: Option<String>) -> Self {
        let known = &onu.inventory;
        Self {
            id: onu.id.0,
            olt_id: onu.olt.0,
            raw_index_key: onu.raw_index.clone(),
            slot: onu.place.map(|place| place.slot),
            port: onu.place.map(|place| place.port),
            logical: onu.place.and_then(|place| place.logical),
            normalized_id: onu.place.map(|place| place.to_string()),
            presence: onu.presence.word(),
            consecutive_misses: onu.misses,
            last_state_value: onu.state,
            last_state_label: label,
            last_seen_at: onu.last_seen_at,
            active: onu.presence == crate::model::Presence::Enabled,
            serial_number: known.serial.clone(),
            mac_address: known.mac.clone(),
            subscriber_id: known.subscriber.clone(),
            snmp_description: known.description.clone(),
            plan_onu: known.plan.clone(),
            distancia_onu: known.distance.clone(),
            modelo_onu: known.model.clone(),
            lecturas: Vec::new(),
        }
    }
}

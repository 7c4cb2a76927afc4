//! Why something did not run, in a word for machines and a sentence for people.

use engine::{Sentence, Word as _};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};

use super::due;
use crate::model::{After, JobType, NodeId, RunId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Unable(Unable),
    AlreadyLive { run: RunId },
    NotDue { at: Timestamp },
    // It had no next run: it gets one.
    NotPlanned { at: Timestamp },
    WaitsForMaster { master: NodeId, after: After },
    Quota { used: u32, max: u32, until: Timestamp },
    SameTypeRunning { holder: Holder, job: JobType, since: Timestamp, stale_at: Timestamp },
    OltBusy { running: u32, max: u32 },
    TypeLimit { job: JobType, running: u32, max: u32 },
    TotalLimit { running: u32, max: u32 },
    MinuteLimit { max: u32, until: Timestamp },
    ShortLimit { max: u32, until: Timestamp },
    OltUnreachable { failures: u32, until: Timestamp },
    // An OLT that did not answer is being tried by one run.
    Probing { holder: Holder },
}

/// Whose run is in the way. One that starts in the same plan has no number yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub node: NodeId,
    pub run: Option<RunId>,
}

engine::words! {
    /// What somebody has to change before it runs.
    pub enum Unable {
        OltDisabled = "OLT_DISABLED",
        WorkflowInactive = "WORKFLOW_INACTIVE",
        TemplateInactive = "TEMPLATE_INACTIVE",
        NodeDisabled = "NODE_DISABLED",
        Paused = "PAUSED",
        NoOid = "NO_OID",
    }
}

impl Unable {
    const fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Self::OltDisabled => (
                "La OLT está deshabilitada; habilitarla planifica sus nodos.",
                "The OLT is disabled; enable it and its nodes are planned.",
            ),
            Self::WorkflowInactive => {
                ("El workflow de la OLT está inactivo.", "The workflow of the OLT is inactive.")
            }
            Self::TemplateInactive => {
                ("La plantilla del nodo está inactiva.", "The template of the node is inactive.")
            }
            Self::NodeDisabled => (
                "El nodo está deshabilitado; habilitarlo lo planifica.",
                "The node is disabled; enable it and it is planned.",
            ),
            Self::Paused => (
                "El nodo está en pausa; reanudarlo lo devuelve a su rejilla.",
                "The node is paused; resume it and it is back on its grid.",
            ),
            Self::NoOid => (
                "El nodo no tiene OID y el catálogo no tiene uno para esta OLT.",
                "The node has no OID and the catalogue has none for this OLT.",
            ),
        }
    }
}

impl Reason {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unable(unable) => unable.word(),
            Self::AlreadyLive { .. } => "ALREADY_LIVE",
            Self::NotDue { .. } => "NOT_DUE",
            Self::NotPlanned { .. } => "NOT_PLANNED",
            Self::WaitsForMaster { .. } => "WAITS_FOR_MASTER",
            Self::Quota { .. } => "QUOTA",
            Self::SameTypeRunning { .. } => "SAME_TYPE_RUNNING",
            Self::OltBusy { .. } => "OLT_BUSY",
            Self::TypeLimit { .. } => "TYPE_LIMIT",
            Self::TotalLimit { .. } => "TOTAL_LIMIT",
            Self::MinuteLimit { .. } => "MINUTE_LIMIT",
            Self::ShortLimit { .. } => "SHORT_LIMIT",
            Self::OltUnreachable { .. } => "OLT_UNREACHABLE",
            Self::Probing { .. } => "PROBING",
        }
    }

    /// Whether only room is missing: it may run, is due and has quota left.
    pub const fn is_room(&self) -> bool {
        match self {
            Self::SameTypeRunning { .. }
            | Self::OltBusy { .. }
            | Self::TypeLimit { .. }
            | Self::TotalLimit { .. }
            | Self::MinuteLimit { .. }
            | Self::ShortLimit { .. }
            | Self::OltUnreachable { .. }
            | Self::Probing { .. } => true,
            Self::Unable(_)
            | Self::AlreadyLive { .. }
            | Self::NotDue { .. }
            | Self::NotPlanned { .. }
            | Self::WaitsForMaster { .. }
            | Self::Quota { .. } => false,
        }
    }

    /// When it stops holding by itself, if that is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::NotDue { at: until }
            | Self::NotPlanned { at: until }
            | Self::Quota { until, .. }
            | Self::MinuteLimit { until, .. }
            | Self::ShortLimit { until, .. }
            | Self::OltUnreachable { until, .. }
            | Self::SameTypeRunning { stale_at: until, .. } => Some(*until),
            _ => None,
        }
    }

    /// The numbers behind it.
    pub fn data(&self) -> Json {
        match self {
            Self::Unable(_) | Self::NotDue { .. } | Self::NotPlanned { .. } => json!({}),
            Self::AlreadyLive { run } => json!({ "ejecucion_id": run.0 }),
            Self::Probing { holder } => {
                json!({ "ejecucion_id": holder.run.map(|run| run.0), "nodo_id": holder.node.0 })
            }
            Self::WaitsForMaster { master, after } => {
                json!({ "master_node_id": master.0, "despues_de": after.word() })
            }
            Self::Quota { used, max, .. } => json!({ "usados": used, "maximo": max }),
            Self::SameTypeRunning { holder, job, since, .. } => json!({
                "ejecucion_id": holder.run.map(|run| run.0),
                "nodo_id": holder.node.0,
                "job_type": job.word(),
                "desde": since,
            }),
            Self::OltBusy { running, max } | Self::TotalLimit { running, max } => {
                json!({ "en_curso": running, "maximo": max })
            }
            Self::TypeLimit { job, running, max } => {
                json!({ "job_type": job.word(), "en_curso": running, "maximo": max })
            }
            Self::MinuteLimit { max, .. } | Self::ShortLimit { max, .. } => {
                json!({ "maximo": max })
            }
            Self::OltUnreachable { failures, .. } => json!({ "fallos": failures }),
        }
    }

    /// In Spanish and English, with what would make it run.
    pub fn sentence(&self, zone: &TimeZone) -> Sentence {
        let clock =
            |at: Timestamp| at.to_zoned(zone.clone()).strftime("%d/%m %H:%M:%S").to_string();
        let at = self.until().map(clock).unwrap_or_default();
        let (es, en) = match self {
            Self::Unable(unable) => {
                let (es, en) = unable.sentence();
                (es.to_owned(), en.to_owned())
            }
            Self::AlreadyLive { run } => (
                format!("Su ejecución {run} sigue viva."),
                format!("Its run {run} is still alive."),
            ),
            Self::NotDue { .. } => {
                (format!("Todavía no le toca: el {at}."), format!("Not due yet: {at}."))
            }
            Self::NotPlanned { .. } => (
                format!("No tenía próxima ejecución; queda para el {at}."),
                format!("It had no next run; now it is {at}."),
            ),
            Self::WaitsForMaster { master, after: After::Success } => (
                format!("Corre después de que el nodo {master} termine bien."),
                format!("It runs after node {master} ended well."),
            ),
            Self::WaitsForMaster { master, after: After::SuccessOrFailure } => (
                format!("Corre después de que el nodo {master} termine, bien o mal."),
                format!("It runs after node {master} ended, well or not."),
            ),
            Self::Quota { used, max, .. } => (
                format!("Cuota usada: {used} de {max} en la última hora; sigue el {at}."),
                format!("Quota used: {used} of {max} in the last hour; goes on {at}."),
            ),
            Self::SameTypeRunning { holder, job, since, .. } => {
                let (job, at, node) = (job.word(), clock(*since), holder.node);
                (
                    format!("La OLT tiene en curso otro {job} (nodo {node}, desde {at})."),
                    format!("The OLT has another {job} running (node {node}, since {at})."),
                )
            }
            _ => self.full(&at),
        };
        Sentence::new(es, en)
    }

    /// What has to do with room.
    fn full(&self, at: &str) -> (String, String) {
        match self {
            Self::OltBusy { running, max } => (
                format!("La OLT ya tiene {running} en curso (máximo {max})."),
                format!("The OLT has {running} running already (at most {max})."),
            ),
            Self::TypeLimit { job, running, max } => (
                format!("Hay {running} {} en curso (máximo {max}).", job.word()),
                format!("There are {running} {} running (at most {max}).", job.word()),
            ),
            Self::TotalLimit { running, max } => (
                format!("Hay {running} ejecuciones en curso (máximo {max})."),
                format!("There are {running} runs (at most {max})."),
            ),
            Self::MinuteLimit { max, .. } => (
                format!("Ya empezaron {max} en un minuto; hay lugar el {at}."),
                format!("{max} started within a minute already; there is room {at}."),
            ),
            Self::ShortLimit { max, .. } => (
                format!("Ya empezaron {max} de intervalo corto en un minuto; hay lugar el {at}."),
                format!("{max} of short interval started within a minute; there is room {at}."),
            ),
            Self::OltUnreachable { failures, .. } => (
                format!("La OLT no responde ({failures} seguidas); se prueba el {at}."),
                format!("The OLT does not answer ({failures} in a row); tried {at}."),
            ),
            Self::Probing { holder } => (
                format!("La OLT no respondía: se la prueba con el nodo {}.", holder.node),
                format!("The OLT did not answer: node {} is trying it.", holder.node),
            ),
            _ => (self.code().to_owned(), self.code().to_owned()),
        }
    }
}

/// The first instant at which a run that started then has run for too long.
pub fn stale_at(started: Timestamp, stale: SignedDuration) -> Timestamp {
    due::later(due::later(started, stale), SignedDuration::from_micros(1))
}

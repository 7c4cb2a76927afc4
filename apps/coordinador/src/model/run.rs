use engine::{Lifecycle, Word};
use jiff::Timestamp;

use super::{JobType, NodeId, OltId, RunId};

/// *Ejecución*: one run of a node, with all its retries on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: RunId,
    pub node: NodeId,
    pub olt: OltId,
    pub job: JobType,
    pub state: RunState,
    pub cause: Cause,
    /// The slot it stands for; the actual start is apart, so that lateness can be measured.
    pub planned_at: Timestamp,
    pub asked_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub ending: Option<Ending>,
}

impl Run {
    /// Whether it uses up its node's quota: it started by plan and is over.
    pub const fn counts(&self) -> bool {
        match (self.cause, self.state) {
            (Cause::Scheduled, RunState::Success | RunState::Failed | RunState::Interrupted) => {
                self.started_at.is_some()
            }
            (Cause::Scheduled, RunState::Pending | RunState::Running)
            | (Cause::Manual | Cause::Chained, _) => false,
        }
    }
}

/// Why there is a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Its slot came.
    Scheduled,
    /// A person asked for it.
    Manual,
    /// Its master ended.
    Chained,
}

impl Cause {
    pub const ALL: &'static [Self] = &[Self::Scheduled, Self::Manual, Self::Chained];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "PROGRAMADA",
            Self::Manual => "MANUAL",
            Self::Chained => "CADENA",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.word() == word)
    }
}

/// *Estado* (seed). A scheduled run is born RUNNING; PENDING are manual and chained runs that wait
/// for their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunState {
    Pending,
    Running,
    Success,
    Failed,
    Interrupted,
}

impl RunState {
    pub const LIVE: &'static [Self] = &[Self::Pending, Self::Running];

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.word() == word)
    }

    pub fn is_live(self) -> bool {
        Self::LIVE.contains(&self)
    }
}

impl Word for RunState {
    const ALL: &'static [Self] =
        &[Self::Pending, Self::Running, Self::Success, Self::Failed, Self::Interrupted];

    fn word(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Failed => "FAILED",
            Self::Interrupted => "INTERRUPTED",
        }
    }
}

impl Lifecycle for RunState {
    fn successors(self) -> &'static [Self] {
        match self {
            Self::Pending => &[Self::Running, Self::Failed, Self::Interrupted],
            Self::Running => &[Self::Success, Self::Failed, Self::Interrupted],
            Self::Success | Self::Failed | Self::Interrupted => &[],
        }
    }
}

/// Why a run ended other than well (dossier §3.4); with success it is a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    Timeout,
    /// The probe before the job got no answer.
    Unreachable,
    Auth,
    NoSuch,
    TooBig,
    NotIncreasing,
    /// Some of it could not be read.
    Partial,
    Decode,
    /// So much vanished at once that nothing was believed.
    Held,
    /// A person stopped it.
    Cancelled,
    OltDisabled,
    NodeDisabled,
    TemplateInactive,
    /// Ran for too long and was cut off.
    Stale,
    /// Left behind by a process that died.
    Lost,
}

impl Ending {
    pub const ALL: &'static [Self] = &[
        Self::Timeout,
        Self::Unreachable,
        Self::Auth,
        Self::NoSuch,
        Self::TooBig,
        Self::NotIncreasing,
        Self::Partial,
        Self::Decode,
        Self::Held,
        Self::Cancelled,
        Self::OltDisabled,
        Self::NodeDisabled,
        Self::TemplateInactive,
        Self::Stale,
        Self::Lost,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Timeout => "TIMEOUT",
            Self::Unreachable => "UNREACHABLE",
            Self::Auth => "AUTH",
            Self::NoSuch => "NO_SUCH",
            Self::TooBig => "TOO_BIG",
            Self::NotIncreasing => "NOT_INCREASING",
            Self::Partial => "PARTIAL",
            Self::Decode => "DECODE",
            Self::Held => "HELD",
            Self::Cancelled => "CANCELLED",
            Self::OltDisabled => "OLT_DISABLED",
            Self::NodeDisabled => "NODE_DISABLED",
            Self::TemplateInactive => "TEMPLATE_INACTIVE",
            Self::Stale => "STALE",
            Self::Lost => "LOST",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|ending| ending.word() == word)
    }

    /// The state a run gets by it.
    pub const fn state(self) -> RunState {
        match self {
            Self::Timeout
            | Self::Unreachable
            | Self::Auth
            | Self::NoSuch
            | Self::TooBig
            | Self::NotIncreasing
            | Self::Partial
            | Self::Decode
            | Self::Held => RunState::Failed,
            Self::Cancelled
            | Self::OltDisabled
            | Self::NodeDisabled
            | Self::TemplateInactive
            | Self::Stale
            | Self::Lost => RunState::Interrupted,
        }
    }

    /// In Spanish and English.
    pub const fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Self::Timeout => ("La OLT dejó de responder.", "The OLT stopped answering."),
            Self::Unreachable => ("La OLT no responde.", "The OLT does not answer."),
            Self::Auth => ("La OLT rechazó las credenciales.", "The OLT refused the credentials."),
            Self::NoSuch => ("La OLT no tiene ese OID.", "The OLT does not have that OID."),
            Self::TooBig => ("La respuesta no cabe en un paquete.", "The answer fits no packet."),
            Self::NotIncreasing => (
                "La OLT devolvió índices que no avanzan.",
                "The OLT returned indexes that do not advance.",
            ),
            Self::Partial => ("Una parte no se pudo leer.", "Part of it could not be read."),
            Self::Decode => ("La respuesta no se entiende.", "The answer makes no sense."),
            Self::Held => (
                "Desaparecieron demasiadas ONU a la vez: no se cambió nada.",
                "Too many ONUs vanished at once: nothing was changed.",
            ),
            Self::Cancelled => ("Una persona la detuvo.", "A person stopped it."),
            Self::OltDisabled => ("La OLT se deshabilitó.", "The OLT was disabled."),
            Self::NodeDisabled => ("El nodo se deshabilitó.", "The node was disabled."),
            Self::TemplateInactive => {
                ("La plantilla se desactivó.", "The template was deactivated.")
            }
            Self::Stale => ("Duró demasiado y se cortó.", "It took too long and was cut off."),
            Self::Lost => (
                "El proceso que la llevaba terminó sin ella.",
                "The process that ran it ended without it.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_read_back() {
        assert!(RunState::ALL.iter().all(|one| RunState::from_word(one.word()) == Some(*one)));
        assert!(Ending::ALL.iter().all(|one| Ending::from_word(one.word()) == Some(*one)));
        assert!(Cause::ALL.iter().all(|one| Cause::from_word(one.word()) == Some(*one)));
        assert!(Ending::ALL.iter().all(|one| !one.state().is_live()));
    }
}

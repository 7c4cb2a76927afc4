//! Runs, their states and how they end.

use engine::Lifecycle;
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

engine::words! {
    /// Why there is a run.
    pub enum Cause {
        /// Its slot came.
        Scheduled = "PROGRAMADA",
        /// A person asked for it.
        Manual = "MANUAL",
        /// Its master ended.
        Chained = "CADENA",
    }
}

engine::words! {
    /// *Estado* (seed). A scheduled run is born RUNNING; PENDING are manual and chained runs that
    /// wait for their turn.
    pub enum RunState {
        Pending = "PENDING",
        Running = "RUNNING",
        Success = "SUCCESS",
        Failed = "FAILED",
        Interrupted = "INTERRUPTED",
    }
}

impl RunState {
    pub const LIVE: &'static [Self] = &[Self::Pending, Self::Running];

    pub fn is_live(self) -> bool {
        Self::LIVE.contains(&self)
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

engine::words! {
    /// Why a run ended other than well (F-3.4); with success it is a remark.
    pub enum Ending {
        Timeout = "TIMEOUT",
        /// The probe before the job got no answer.
        Unreachable = "UNREACHABLE",
        /// It answers, and does not accept the community or the user.
        Auth = "AUTH",
        /// It answered with `genErr`.
        GenErr = "GEN_ERR",
        /// It answered with another error.
        Refused = "REFUSED",
        NoSuch = "NO_SUCH",
        TooBig = "TOO_BIG",
        NotIncreasing = "NOT_INCREASING",
        /// Some of it could not be read.
        Partial = "PARTIAL",
        Decode = "DECODE",
        /// So much vanished at once that nothing was believed.
        Held = "HELD",
        /// A person stopped it.
        Cancelled = "CANCELLED",
        OltDisabled = "OLT_DISABLED",
        NodeDisabled = "NODE_DISABLED",
        TemplateInactive = "TEMPLATE_INACTIVE",
        /// Ran for too long and was cut off.
        Stale = "STALE",
        /// Left behind by a process that died.
        Lost = "LOST",
    }
}

impl Ending {
    /// The state a run gets by it.
    pub const fn state(self) -> RunState {
        match self {
            Self::Timeout
            | Self::Unreachable
            | Self::Auth
            | Self::GenErr
            | Self::Refused
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
            Self::GenErr => (
                "La OLT respondió con un error propio (genErr).",
                "The OLT answered with an error of its own (genErr).",
            ),
            Self::Refused => ("La OLT rechazó la consulta.", "The OLT refused the request."),
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
    use engine::Word as _;

    use super::*;

    #[test]
    fn words_can_be_read_back() {
        assert!(RunState::ALL.iter().all(|one| RunState::from_word(one.word()) == Some(*one)));
        assert!(Ending::ALL.iter().all(|one| Ending::from_word(one.word()) == Some(*one)));
        assert!(Cause::ALL.iter().all(|one| Cause::from_word(one.word()) == Some(*one)));
        assert!(Ending::ALL.iter().all(|one| !one.state().is_live()));
    }
}

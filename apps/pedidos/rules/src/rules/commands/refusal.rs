//! Why a command was refused.

use crate::model::{OrderState, Role};
use crate::rules::promise::Verdict;

/// What kind of refusal it is, for whoever has to answer over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Forbidden,
    /// Legal in itself, not in the present state of things.
    Conflict,
    /// The request itself lacks something.
    Unprocessable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    Role {
        role: Role,
    },
    Transition {
        from: OrderState,
        to: OrderState,
    },
    KitchenFull {
        used: u32,
        limit: u32,
        needs: u32,
    },
    AwaitingPayment,
    NotPaid,
    NotEditable {
        state: OrderState,
    },
    AlreadyProcessed {
        state: OrderState,
    },
    Cancelled,
    ReasonRequired,
    NoLines,
    LineInvalid {
        n: i64,
    },
    LineUnknown {
        n: i64,
    },
    LineVoided {
        n: i64,
    },
    RevisionUnknown {
        revision: i64,
        latest: i64,
    },
    NothingToUndo,
    StationUnknown {
        station: String,
    },
    /// The time is promised to others; whoever insists may have it late.
    Promise {
        verdict: Verdict,
    },
}

impl Refusal {
    /// The word of the outside contract.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Role { .. } => "ROL_INSUFICIENTE",
            Self::Transition { .. } => "TRANSICION_INVALIDA",
            Self::KitchenFull { .. } => "CAPACIDAD_COCINA_LLENA",
            Self::AwaitingPayment => "PEDIDO_BLOQUEADO_POR_PAGO",
            Self::NotPaid => "PEDIDO_NO_COBRADO",
            Self::NotEditable { .. } => "PEDIDO_NO_EDITABLE",
            Self::AlreadyProcessed { .. } => "PEDIDO_YA_PROCESADO",
            Self::Cancelled => "PEDIDO_CANCELADO",
            Self::ReasonRequired => "MOTIVO_REQUERIDO",
            Self::NoLines => "PEDIDO_SIN_ARTICULOS",
            Self::LineInvalid { .. } => "LINEA_INVALIDA",
            Self::LineUnknown { .. } => "LINEA_INEXISTENTE",
            Self::LineVoided { .. } => "LINEA_ANULADA",
            Self::RevisionUnknown { .. } => "REVISION_INEXISTENTE",
            Self::NothingToUndo => "NADA_QUE_DESHACER",
            Self::StationUnknown { .. } => "ESTACION_INEXISTENTE",
            Self::Promise { .. } => "PROMESA_NO_SE_CUMPLE",
        }
    }

    pub const fn class(&self) -> Class {
        match self {
            Self::Role { .. } => Class::Forbidden,
            Self::Transition { .. }
            | Self::KitchenFull { .. }
            | Self::AwaitingPayment
            | Self::NotPaid
            | Self::NotEditable { .. }
            | Self::AlreadyProcessed { .. }
            | Self::Cancelled
            | Self::LineVoided { .. }
            | Self::NothingToUndo
            | Self::Promise { .. } => Class::Conflict,
            Self::ReasonRequired
            | Self::NoLines
            | Self::LineInvalid { .. }
            | Self::LineUnknown { .. }
            | Self::RevisionUnknown { .. }
            | Self::StationUnknown { .. } => Class::Unprocessable,
        }
    }
}

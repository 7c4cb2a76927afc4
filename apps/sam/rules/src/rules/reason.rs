//! Why something waits, in a word for machines and a sentence for people.

use engine::{Sentence, Word as _};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};

use crate::model::{PoolId, RobotId, RunId, RunState, RunnerId};

#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    NotConfigured,
    Paused {
        until: Timestamp,
    },
    CircuitOpen {
        code: String,
        detail: String,
        until: Timestamp,
    },
    /// The circuit is being tried with one run.
    Probing,
    RobotInactive,
    /// A reserved or dynamic runner serves only robots on demand.
    RobotNotOnline,
    RobotSuspended {
        code: String,
        detail: String,
        until: Timestamp,
    },
    RunnerInactive,
    NoLicence {
        licence: String,
    },
    RunnerSuspended {
        code: String,
        detail: String,
        until: Timestamp,
    },
    PairSuspended {
        code: String,
        detail: String,
        until: Timestamp,
    },
    Busy {
        run: RunId,
        robot: RobotId,
        state: RunState,
        until: Option<Timestamp>,
        /// Its deploy was sent then, and whether it was accepted is not known.
        doubt: Option<Timestamp>,
    },
    /// A better claim on the same runner goes first.
    Yields {
        to: RobotId,
    },
    ScheduleInactive,
    NotYet {
        start: Timestamp,
    },
    NoMoreSlots,
    SlotTaken,
    Resting {
        until: Timestamp,
    },
    /// Nobody looked while the slot was open.
    NotLooking,
    /// A slot closed before the Control Room confirmed its run.
    Unconfirmed {
        run: RunId,
    },
    /// Its run failed and it is tried again then.
    Retrying {
        run: RunId,
        state: RunState,
        until: Timestamp,
    },
    /// Its run failed, and nothing is tried again.
    RunFailed {
        run: RunId,
        state: RunState,
    },
    /// A person stopped its run.
    RunStopped {
        run: RunId,
    },
    /// The pool of the robot or of the runner is switched off.
    PoolInactive {
        pool: PoolId,
    },
    NoRunners,
    NoSchedule,
    NoTickets,
    DemandUnknown,
    Cooling {
        until: Timestamp,
    },
    PoolFull {
        target: i64,
        held: i64,
    },
    /// A runner that serves nobody.
    Unassigned {
        dynamic: bool,
    },
}

impl Reason {
    pub const UNCONFIRMED: &'static str = "DESPLIEGUE_SIN_CONFIRMAR";

    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "A360_SIN_CONFIGURAR",
            Self::Paused { .. } => "PAUSA_OPERACIONAL",
            Self::CircuitOpen { .. } => "A360_SUSPENDIDO",
            Self::Probing => "A360_EN_PRUEBA",
            Self::RobotInactive => "ROBOT_INACTIVO",
            Self::RobotNotOnline => "ROBOT_NO_ONLINE",
            Self::RobotSuspended { .. } => "ROBOT_SUSPENDIDO",
            Self::RunnerInactive => "EQUIPO_INACTIVO",
            Self::NoLicence { .. } => "EQUIPO_SIN_LICENCIA",
            Self::RunnerSuspended { .. } => "EQUIPO_SUSPENDIDO",
            Self::PairSuspended { .. } => "PAR_SUSPENDIDO",
            Self::Busy { .. } => "EQUIPO_OCUPADO",
            Self::Yields { .. } => "CEDE_TURNO",
            Self::ScheduleInactive => "PROGRAMACION_INACTIVA",
            Self::NotYet { .. } => "FUERA_DE_VENTANA",
            Self::NoMoreSlots => "SIN_MAS_TURNOS",
            Self::SlotTaken => "TURNO_CUMPLIDO",
            Self::Resting { .. } => "INTERVALO",
            Self::NotLooking => "SERVICIO_DETENIDO",
            Self::Unconfirmed { .. } => Self::UNCONFIRMED,
            Self::Retrying { .. } => "REINTENTO",
            Self::RunFailed { .. } => "EJECUCION_FALLIDA",
            Self::RunStopped { .. } => "EJECUCION_DETENIDA",
            Self::PoolInactive { .. } => "POOL_INACTIVO",
            Self::NoRunners => "SIN_EQUIPOS",
            Self::NoSchedule => "SIN_PROGRAMACION",
            Self::NoTickets => "SIN_TICKETS",
            Self::DemandUnknown => "DEMANDA_DESCONOCIDA",
            Self::Cooling { .. } => "POOL_EN_ENFRIAMIENTO",
            Self::PoolFull { .. } => "POOL_LLENO",
            Self::Unassigned { .. } => "SIN_ASIGNACION",
        }
    }

    /// When it stops holding by itself, if that is known.
    pub const fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Paused { until }
            | Self::CircuitOpen { until, .. }
            | Self::RobotSuspended { until, .. }
            | Self::RunnerSuspended { until, .. }
            | Self::PairSuspended { until, .. }
            | Self::Resting { until }
            | Self::Retrying { until, .. }
            | Self::Cooling { until }
            | Self::NotYet { start: until } => Some(*until),
            Self::Busy { until, .. } => *until,
            _ => None,
        }
    }

    /// The numbers behind it.
    pub fn data(&self) -> Json {
        match self {
            Self::CircuitOpen { code, detail, .. }
            | Self::RobotSuspended { code, detail, .. }
            | Self::RunnerSuspended { code, detail, .. }
            | Self::PairSuspended { code, detail, .. } => {
                json!({ "causa": code, "detalle": es(detail) })
            }
            Self::NoLicence { licence } => json!({ "licencia": licence }),
            Self::Busy { run, robot, state, doubt, .. } => json!({
                "ejecucion_id": run.0, "robot_id": robot.0, "estado": state.word(),
                "en_duda_desde": doubt.map(|sent| sent.to_string()),
            }),
            Self::Yields { to } => json!({ "robot_id": to.0 }),
            Self::Unconfirmed { run } | Self::RunStopped { run } => {
                json!({ "ejecucion_id": run.0 })
            }
            Self::Retrying { run, state, .. } | Self::RunFailed { run, state } => {
                json!({ "ejecucion_id": run.0, "estado": state.word() })
            }
            Self::PoolInactive { pool } => json!({ "pool_id": pool.0 }),
            Self::PoolFull { target, held } => json!({ "objetivo": target, "actuales": held }),
            _ => json!({}),
        }
    }

    /// In Spanish and English, with what would make it run.
    pub fn sentence(&self, zone: &TimeZone) -> Sentence {
        let at = |instant: Timestamp| {
            instant.to_zoned(zone.clone()).strftime("%d/%m %H:%M:%S").to_string()
        };
        if let Self::Busy { run, doubt: Some(sent), .. } = self {
            let sent = at(*sent);
            return Sentence::new(
                format!(
                    "La ejecución {run} se envió el {sent} y el Control Room no confirmó si la \
                     tomó: se la busca por su etiqueta antes de enviar otra."
                ),
                format!(
                    "Run {run} was sent {sent} and the Control Room did not confirm it: it is \
                     looked up by its tag before another is sent."
                ),
            );
        }
        let (es, en) = match (self.plain(), self.until()) {
            (Some((es, en)), _) => return Sentence::new(es, en),
            (None, Some(until)) => self.dated(&at(until)),
            (None, None) => self.counted(),
        };
        Sentence { es, en }
    }

    /// What is always said in the same words.
    const fn plain(&self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::NotConfigured => (
                "Falta configurar el Control Room: A360_URL, A360_USUARIO y A360_API_KEY.",
                "The Control Room is not set: A360_URL, A360_USUARIO and A360_API_KEY.",
            ),
            Self::Probing => (
                "Se está probando el Control Room con una sola ejecución.",
                "The Control Room is being tried with a single run.",
            ),
            Self::RobotInactive => (
                "El robot está inactivo; activarlo lo habilita.",
                "The robot is inactive; activate it.",
            ),
            Self::RobotNotOnline => (
                "El robot no es online: solo corre por programación.",
                "The robot is not online: it runs by schedule only.",
            ),
            Self::RunnerInactive => (
                "El equipo está en mantenimiento (Activo_SAM = 0).",
                "The runner is in maintenance (Activo_SAM = 0).",
            ),
            Self::ScheduleInactive => {
                ("La programación está inactiva.", "The schedule is inactive.")
            }
            Self::NoMoreSlots => {
                ("La programación no tiene más turnos.", "The schedule has no more slots.")
            }
            Self::SlotTaken => {
                ("El turno de hoy ya tuvo su ejecución.", "This slot has had its run.")
            }
            Self::NotLooking => (
                "El servicio estuvo detenido mientras el turno estaba abierto.",
                "The service was stopped while the slot was open.",
            ),
            Self::NoRunners => ("No tiene equipos asignados.", "No runner is assigned to it."),
            Self::NoSchedule => {
                ("No es online y no tiene programaciones.", "It is not online and has no schedule.")
            }
            Self::NoTickets => ("No hay tickets pendientes.", "There are no pending tickets."),
            Self::DemandUnknown => (
                "Un proveedor de tickets falló: la demanda no se conoce y nada cambia.",
                "A ticket provider failed: the demand is unknown and nothing changes.",
            ),
            Self::Unassigned { dynamic: true } => (
                "Está libre: el balanceador lo asigna cuando haya demanda en su pool.",
                "It is free: the balancer assigns it when its pool has demand.",
            ),
            Self::Unassigned { dynamic: false } => (
                "No está asignado y no permite balanceo: hace falta una programación o reserva.",
                "It is not assigned and not balanced: it needs a schedule or a reservation.",
            ),
            _ => return None,
        })
    }

    /// What ends by itself, and when.
    fn dated(&self, at: &str) -> (String, String) {
        match self {
            Self::Paused { .. } => {
                (format!("Pausa operacional hasta {at}."), format!("Operational pause until {at}."))
            }
            Self::CircuitOpen { detail, .. } => (
                format!("El Control Room no responde bien ({}); se prueba el {at}.", es(detail)),
                format!("The Control Room does not answer well ({}); tried {at}.", en(detail)),
            ),
            Self::RobotSuspended { detail, .. } => (
                format!("Robot suspendido por error ({}); se reintenta el {at}.", es(detail)),
                format!("Robot suspended by an error ({}); tried again {at}.", en(detail)),
            ),
            Self::RunnerSuspended { detail, .. } => (
                format!("Equipo suspendido ({}); se reintenta el {at}.", es(detail)),
                format!("Runner suspended ({}); tried again {at}.", en(detail)),
            ),
            Self::PairSuspended { detail, .. } => (
                format!("Este robot en este equipo está suspendido ({}) hasta {at}.", es(detail)),
                format!("This robot on this runner is suspended ({}) until {at}.", en(detail)),
            ),
            Self::Busy { run, state, .. } => {
                let (es, en) = state.called();
                (
                    format!("El equipo espera a la ejecución {run} ({es}), a lo sumo hasta {at}."),
                    format!("The runner waits for run {run} ({en}), until {at} at most."),
                )
            }
            Self::NotYet { .. } => (
                format!("Todavía no es su hora: el próximo turno empieza el {at}."),
                format!("Not its time yet: the next slot starts {at}."),
            ),
            Self::Retrying { run, state, .. } => {
                let (es, en) = state.called();
                (
                    format!("La ejecución {run} terminó ({es}); se reintenta el {at}."),
                    format!("Run {run} ended ({en}); tried again {at}."),
                )
            }
            Self::Resting { .. } => (
                format!("Descansa entre ejecuciones hasta {at}."),
                format!("Rests between runs until {at}."),
            ),
            Self::Cooling { .. } => (
                format!("El pool se está enfriando hasta {at}."),
                format!("The pool is cooling until {at}."),
            ),
            _ => (at.to_owned(), at.to_owned()),
        }
    }

    /// What has numbers or names and no end of its own.
    fn counted(&self) -> (String, String) {
        match self {
            Self::NoLicence { licence } => (
                format!(
                    "La licencia «{licence}» no ejecuta: hace falta RUNTIME o ATTENDEDRUNTIME."
                ),
                format!("Licence “{licence}” runs no bots: RUNTIME or ATTENDEDRUNTIME is needed."),
            ),
            Self::Busy { run, state, .. } => (
                format!("El equipo está ocupado por la ejecución {run} ({}).", state.called().0),
                format!("The runner is busy with run {run} ({}).", state.called().1),
            ),
            Self::Yields { to } => (
                format!("Le toca antes al robot {to} en el mismo equipo."),
                format!("Robot {to} goes first on the same runner."),
            ),
            Self::Unconfirmed { run } => (
                format!("El turno se cerró sin que el Control Room confirmara la ejecución {run}."),
                format!("The slot closed before the Control Room confirmed run {run}."),
            ),
            Self::RunFailed { run, state } => (
                format!("La ejecución {run} terminó ({}) y no se reintenta.", state.called().0),
                format!("Run {run} ended ({}) and is not tried again.", state.called().1),
            ),
            Self::RunStopped { run } => (
                format!("Una persona detuvo la ejecución {run}."),
                format!("A person stopped run {run}."),
            ),
            Self::PoolInactive { pool } => (
                format!("El pool {pool} está inactivo: no se lanza nada en él."),
                format!("Pool {pool} is inactive: nothing starts in it."),
            ),
            Self::PoolFull { target, held } => (
                format!(
                    "Necesita {target} equipos y tiene {held}: no hay libres ni a quién pedir."
                ),
                format!("It needs {target} runners and has {held}: none is free or may be taken."),
            ),
            other => (other.code().to_owned(), other.code().to_owned()),
        }
    }
}

/// A pair that was due and did not start.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub robot: RobotId,
    pub runner: RunnerId,
    /// What holds it first.
    pub reason: Reason,
}

/// What the Control Room said is kept in both languages.
fn es(kept: &str) -> String {
    Sentence::told(kept).es
}

fn en(kept: &str) -> String {
    Sentence::told(kept).en
}

//! Words and tones of what is shown. The contract's words stay beside them where people need both.

use engine::Word as _;
use jiff::Timestamp;
use web::{Lang, Page, Tone};

use crate::model::{Closing, Hold, RunState};

/// A word with its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    pub text: String,
    pub tone: Tone,
}

impl Sign {
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

pub fn state(page: &Page, state: RunState) -> Sign {
    use RunState as S;
    let tone = match state {
        S::Pending | S::Deployed | S::Queued | S::Running => Tone::Info,
        S::Paused | S::Unknown | S::RunAborted => Tone::Warn,
        S::Completed | S::RunCompleted => Tone::Good,
        S::RunFailed | S::RunTimedOut | S::DeployFailed => Tone::Bad,
        S::Inferred => Tone::Plain,
    };
    let (es, en) = state.called();
    Sign::new(page.t(es, en), tone)
}

/// What the contract calls a state, for people; a word of somebody else stays as it is.
pub fn state_word(page: &Page, word: &str) -> Sign {
    match RunState::from_word(word) {
        Some(known) => state(page, known),
        None => Sign::new(word, Tone::Plain),
    }
}

pub fn hold(page: &Page, hold: Hold) -> Sign {
    let (es, en, tone) = match hold {
        Hold::Scheduled => ("Programada", "Scheduled", Tone::Info),
        Hold::Reserved => ("Reservada", "Reserved", Tone::Warn),
        Hold::Dynamic => ("Dinámica", "Dynamic", Tone::Good),
    };
    Sign::new(page.t(es, en), tone)
}

pub fn closing(page: &Page, closing: Closing) -> &'static str {
    let (es, en) = match closing {
        Closing::Callback => ("aviso del robot", "callback"),
        Closing::Reconciler => ("conciliador", "reconciler"),
        Closing::Inferred => ("por inferencia", "inferred"),
        Closing::Lost => ("2 h sin noticias", "2 h without news"),
        Closing::Aged => ("por antigüedad", "too old"),
        Closing::Deploy => ("despliegue rechazado", "deploy refused"),
        Closing::Operator => ("desbloqueada a mano", "unlocked by hand"),
    };
    page.t(es, en)
}

/// The rule that held a slot, from its code alone.
pub fn reason(page: &Page, code: &str) -> String {
    let (es, en) = match code {
        "A360_SIN_CONFIGURAR" => ("Control Room sin configurar", "Control Room not set"),
        "PAUSA_OPERACIONAL" => ("Pausa operacional", "Operational pause"),
        "A360_SUSPENDIDO" => ("Control Room con fallos", "Control Room failing"),
        "A360_EN_PRUEBA" => ("Control Room en prueba", "Control Room on trial"),
        "ROBOT_INACTIVO" => ("Robot inactivo", "Robot inactive"),
        "ROBOT_NO_ONLINE" => ("Robot no online", "Robot not online"),
        "ROBOT_SUSPENDIDO" => ("Robot suspendido por error", "Robot suspended by an error"),
        "EQUIPO_INACTIVO" => ("Equipo en mantenimiento", "Runner in maintenance"),
        "EQUIPO_SIN_LICENCIA" => ("Equipo sin licencia", "Runner without licence"),
        "EQUIPO_SUSPENDIDO" => ("Equipo suspendido", "Runner suspended"),
        "PAR_SUSPENDIDO" => ("Robot suspendido en ese equipo", "Robot suspended on that runner"),
        "EQUIPO_OCUPADO" => ("Equipo ocupado", "Runner busy"),
        "CEDE_TURNO" => ("Cedió el turno", "Gave way"),
        "INTERVALO" => ("Descanso entre ejecuciones", "Rest between runs"),
        "REINTENTO" => ("Esperaba un reintento", "Waited to be tried again"),
        "EJECUCION_FALLIDA" => ("La ejecución falló", "The run failed"),
        "EJECUCION_DETENIDA" => ("Detenida a mano", "Stopped by hand"),
        "POOL_INACTIVO" => ("Pool inactivo", "Pool inactive"),
        "DESPLIEGUE_SIN_CONFIRMAR" => ("Despliegue sin confirmar", "Deploy not confirmed"),
        "SERVICIO_DETENIDO" => ("El servicio estuvo detenido", "The service was stopped"),
        other => return other.to_owned(),
    };
    page.t(es, en).to_owned()
}

/// Why the balancer moved a runner.
pub fn motive(page: &Page, word: &str) -> String {
    let (es, en) = match word {
        "ASIGNAR_DEMANDA_POOL" => ("por demanda", "by demand"),
        "ASIGNAR_DESBORDE_GLOBAL" => ("prestado por otro pool", "lent by another pool"),
        "ASIGNAR_DEVOLUCION" => ("devuelto a su pool", "returned to its pool"),
        "ASIGNAR_POR_PRIORIDAD" => ("por prioridad", "by priority"),
        "DESASIGNAR_EXCEDENTE_POOL" => ("le sobraba", "more than needed"),
        "DESASIGNAR_ROBOT_NO_CANDIDATO" => ("sin tickets o inactivo", "no tickets or inactive"),
        "DESASIGNAR_EQUIPO_NO_ELEGIBLE" => ("el equipo ya no se balancea", "no longer balanced"),
        "DESASIGNAR_DEVOLUCION" => ("vuelve a su pool", "goes back to its pool"),
        "DESALOJO_POR_PRIORIDAD_ESTRICTA" => ("cedido por prioridad", "given up to priority"),
        other => return other.to_owned(),
    };
    page.t(es, en).to_owned()
}

/// How the end of a run became known, in the reports.
pub fn mechanism(page: &Page, word: &str) -> String {
    let (es, en) = match word {
        "CALLBACK_EXITOSO" => ("aviso del robot", "callback"),
        "CONCILIADOR_EXITOSO" => ("conciliador, tras ausencias", "reconciler, after misses"),
        "CONCILIADOR_INMEDIATO" => ("conciliador, a la primera", "reconciler, at once"),
        "CONCILIADOR_AGOTADO" => ("por inferencia o abandono", "inferred or given up"),
        "DESPLIEGUE_FALLIDO" => ("despliegue rechazado", "deploy refused"),
        "DESBLOQUEO_MANUAL" => ("desbloqueada a mano", "unlocked by hand"),
        "ACTIVA" => ("todavía en curso", "still under way"),
        other => return other.to_owned(),
    };
    page.t(es, en).to_owned()
}

/// Who said what happened to a run.
pub fn source(page: &Page, word: &str) -> String {
    let (es, en) = match word {
        "LANZADOR" => ("lanzador", "launcher"),
        "CALLBACK" => ("aviso del robot", "callback"),
        "CONCILIADOR" => ("conciliador", "reconciler"),
        "OPERADOR" => ("a mano", "by hand"),
        other => return other.to_lowercase(),
    };
    page.t(es, en).to_owned()
}

/// `43 s`, `2 min 05 s`, `3 h 20 min`, `4 días`: two units at most.
pub fn lapse(page: &Page, from: Timestamp, to: Timestamp) -> String {
    seconds(page, to.duration_since(from).as_secs().max(0))
}

pub fn seconds(page: &Page, seconds: i64) -> String {
    match seconds {
        ..60 => format!("{}\u{a0}s", seconds.max(0)),
        60..3_600 => format!("{}\u{a0}min {:02}\u{a0}s", seconds / 60, seconds % 60),
        3_600..86_400 => {
            format!("{}\u{a0}h {:02}\u{a0}min", seconds / 3_600, seconds % 3_600 / 60)
        }
        _ => match (seconds / 86_400, page.lang) {
            (1, Lang::Es) => "1\u{a0}día".to_owned(),
            (1, Lang::En) => "1\u{a0}day".to_owned(),
            (days, Lang::Es) => format!("{days}\u{a0}días"),
            (days, Lang::En) => format!("{days}\u{a0}days"),
        },
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use web::Theme;

    use super::*;

    fn page(lang: Lang) -> Page {
        Page::new(lang, Theme::System, Timestamp::UNIX_EPOCH, TimeZone::UTC)
    }

    #[test]
    fn every_state_has_a_word_in_both_languages() {
        for one in RunState::ALL {
            let (es, en) = (state(&page(Lang::Es), *one), state(&page(Lang::En), *one));
            assert_ne!(es.text, en.text, "{one:?}");
            assert_eq!(state_word(&page(Lang::Es), one.word()), es);
        }
        assert_eq!(state_word(&page(Lang::Es), "WARMING").text, "WARMING");
    }

    #[test]
    fn times_are_told_in_two_units() {
        let es = page(Lang::Es);
        let told = [-5, 43, 125, 12_000, 86_400, 360_000].map(|n| seconds(&es, n));
        let plain = told.map(|text| text.replace('\u{a0}', " "));
        assert_eq!(plain, ["0 s", "43 s", "2 min 05 s", "3 h 20 min", "1 día", "4 días"]);
    }
}

//! Words and tones of what is shown. The contract's words stay beside them where people need both.

use std::borrow::Borrow;

use engine::Word as _;
use jiff::{SignedDuration, Timestamp};
use web::{Lang, Page, Tone, svg::Meter};

use crate::{
    model::{Cause, Column, Ending, JobType, RunState, Space, Switch},
    policy::QuotaPolicy,
    routes::FitView,
    rules::quota::{self, Usage},
    store::journal::Level,
};

/// A word with its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Sign {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

pub(crate) fn state(page: &Page, state: RunState) -> Sign {
    let (es, en, tone) = match state {
        RunState::Pending => ("Espera", "Waiting", Tone::Plain),
        RunState::Running => ("En curso", "Running", Tone::Info),
        RunState::Success => ("Completada", "Succeeded", Tone::Good),
        RunState::Failed => ("Fallida", "Failed", Tone::Bad),
        RunState::Interrupted => ("Interrumpida", "Interrupted", Tone::Warn),
    };
    Sign::new(page.t(es, en), tone)
}

/// The states, each under the contract's word, for a filter.
pub(crate) fn states(page: &Page) -> Vec<(&'static str, String)> {
    RunState::ALL.iter().map(|one| (one.word(), state(page, *one).text)).collect()
}

/// Why something happened, from the word of the journal. A full quota is said by the event itself.
pub(crate) fn reason(page: &Page, word: &str) -> Option<String> {
    if let Some(ending) = Ending::from_word(word) {
        let (es, en) = ending.sentence();
        return Some(page.t(es, en).trim_end_matches('.').to_owned());
    }
    let (es, en) = match word {
        "QUOTA" => return None,
        "SAME_TYPE_RUNNING" => ("Otra del mismo tipo está en curso", "Another of its type runs"),
        other => return Some(other.to_owned()),
    };
    Some(page.t(es, en).to_owned())
}

/// What an OLT says of an ONU, for people; a word that nobody knows stays as it is.
pub(crate) fn onu_state(page: &Page, word: &str) -> String {
    let (es, en) = match word {
        "ACTIVO" => ("Activa", "Active"),
        "INACTIVO" => ("Inactiva", "Inactive"),
        "SUSPENDIDO" => ("Suspendida", "Suspended"),
        "ONLINE" => ("En línea", "Online"),
        "OFFLINE" => ("Fuera de línea", "Offline"),
        "LOGGING" | "REGISTERING" => ("Registrándose", "Registering"),
        "LOS" => ("Sin señal", "Loss of signal"),
        "SYNC_MIB" => ("Sincronizando", "Synchronising"),
        "DYING_GASP" => ("Sin energía", "Power lost"),
        "AUTH_FAILED" => ("Autenticación rechazada", "Authentication refused"),
        "ERROR" => ("Con error", "In error"),
        "MANTENIMIENTO" => ("En mantenimiento", "In maintenance"),
        "UNKNOWN" => ("Desconocido", "Unknown"),
        other => return other.to_owned(),
    };
    page.t(es, en).to_owned()
}

/// What an OID is about, from the contract's word.
pub(crate) fn space(page: &Page, word: &str) -> String {
    let Some(space) = Space::from_word(word) else { return word.to_owned() };
    let (es, en) = match space {
        Space::Discovery => ("Descubrimiento", "Discovery"),
        Space::Column(Column::Description) => ("Descripción de la ONU", "ONU description"),
        Space::Column(Column::Mac) => ("Dirección MAC", "MAC address"),
        Space::Column(Column::Plan) => ("Plan de la ONU", "ONU plan"),
        Space::Column(Column::Distance) => ("Distancia de la ONU", "ONU distance"),
        Space::Column(Column::Model) => ("Modelo de la ONU", "ONU model"),
        Space::Column(Column::Serial) => ("Número de serie", "Serial number"),
        Space::Column(Column::Subscriber) => ("Abonado", "Subscriber"),
        Space::Reading => ("Lectura con su hora", "Reading with its time"),
    };
    page.t(es, en).to_owned()
}

/// The spaces, each under the contract's word, for a form.
pub(crate) fn spaces(page: &Page) -> Vec<(&'static str, String)> {
    Space::ALL.iter().map(|one| (one.word(), space(page, one.word()))).collect()
}

pub(crate) fn job(page: &Page, job: JobType) -> &'static str {
    match job {
        JobType::Discovery => page.t("Descubrimiento", "Discovery"),
        JobType::Get => "GET",
    }
}

/// The types with the contract's words, for filters.
pub(crate) fn jobs(page: &Page) -> Vec<(&'static str, &'static str)> {
    JobType::ALL.iter().map(|one| (one.word(), job(page, *one))).collect()
}

pub(crate) fn cause(page: &Page, cause: Cause) -> &'static str {
    match cause {
        Cause::Scheduled => page.t("por plan", "by plan"),
        Cause::Manual => page.t("a mano", "by hand"),
        Cause::Chained => page.t("en cadena", "chained"),
    }
}

pub(crate) fn switch(page: &Page, switch: Switch) -> Sign {
    match switch {
        Switch::On => Sign::new(page.t("Habilitado", "Enabled"), Tone::Good),
        Switch::Paused => Sign::new(page.t("En pausa", "Paused"), Tone::Warn),
        Switch::Off => Sign::new(page.t("Deshabilitado", "Disabled"), Tone::Plain),
    }
}

pub(crate) fn level(level: Level) -> Tone {
    match level {
        Level::Debug => Tone::Plain,
        Level::Info => Tone::Info,
        Level::Warning => Tone::Warn,
        Level::Alert => Tone::Bad,
    }
}

/// What happened, from the word of the journal.
pub(crate) fn event(page: &Page, kind: &str) -> String {
    let (es, en) = match kind {
        "CUOTA_OMITIDA" => ("Omitida por cuota", "Skipped: quota used"),
        "CUOTA_ADVERTENCIA" => ("Cuota cerca del máximo", "Quota nearly used"),
        "CUOTA_ALERTA" => ("Cuota casi agotada", "Quota almost gone"),
        "CUOTA_COMPLETA" => ("Cuota completa", "Quota full"),
        "EJECUCION_FALLIDA" => ("Ejecución fallida", "Run failed"),
        "EJECUCION_INTERRUMPIDA" => ("Ejecución interrumpida", "Run interrupted"),
        "OLT_SIN_RESPUESTA" => ("La OLT no responde", "The OLT does not answer"),
        "OLT_RECUPERADA" => ("La OLT volvió a responder", "The OLT answers again"),
        "RECORRIDO_RETENIDO" => ("Recorrido retenido", "Walk held"),
        "REDISTRIBUCION" => ("Redistribución", "Redistribution"),
        "DESBORDE" => ("No todo cabe en su ventana", "Not everything fits its window"),
        "ARRANQUE" => ("Reparto al arrancar", "Spread at the start"),
        "POSTERGADA" => ("Postergada: otra del mismo tipo", "Put off: another of its type"),
        "ONU_DESAPARECIDA" => ("Una ONU desapareció", "An ONU vanished"),
        "ONU_REAPARECIDA" => ("Una ONU volvió", "An ONU is back"),
        "PERDIDA_MASIVA" => ("Se perdieron muchas ONU", "Many ONUs were lost"),
        "PLAN_REPARADO" => ("Plan reparado", "Plan repaired"),
        other => return other.to_owned(),
    };
    page.t(es, en).to_owned()
}

/// A quota as a drawing with its numbers: `3/4, 75 %`.
#[derive(Debug, Clone)]
pub(crate) struct Used {
    pub(crate) drawing: Meter,
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

pub(crate) fn used(page: &Page, usage: Usage, policy: &QuotaPolicy, pressed: bool) -> Used {
    let tone = match usage.level(policy) {
        _ if !pressed => Tone::Good,
        quota::Level::Normal => Tone::Good,
        quota::Level::Warn => Tone::Warn,
        quota::Level::Alert | quota::Level::Full => Tone::Bad,
    };
    Used {
        drawing: Meter {
            label: page.t("Cuota usada", "Quota used").to_owned(),
            used: i64::from(usage.used),
            limit: i64::from(usage.max),
        },
        text: format!("{}\u{a0}%", usage.percent()),
        tone,
    }
}

/// Whether everything fits in the hour, in one sentence with its numbers.
pub(crate) fn fit(page: &Page, fit: &FitView) -> String {
    let number = |value: f64| page.decimal(value, usize::from(value.fract() != 0.0));
    let (demand, capacity) = (number(fit.demanda_por_hora), number(fit.capacidad_por_hora));
    let percent = number(fit.porcentaje.round());
    let (short, room) = (number(fit.demanda_corta_por_hora), number(fit.capacidad_corta_por_hora));
    let mut text = match (fit.factible, page.lang) {
        (true, Lang::Es) => format!(
            "Todo cabe: se piden {demand} ejecuciones por hora y entran {capacity} \
             ({percent}\u{a0}%)."
        ),
        (true, Lang::En) => format!(
            "Everything fits: {demand} runs per hour are asked for, {capacity} can start \
             ({percent}\u{a0}%)."
        ),
        (false, Lang::Es) => format!(
            "No cabe: se piden {demand} ejecuciones por hora y entran {capacity} \
             ({percent}\u{a0}%); el atraso crece sin fin."
        ),
        (false, Lang::En) => format!(
            "It does not fit: {demand} runs per hour are asked for, {capacity} can start \
             ({percent}\u{a0}%); lateness grows without end."
        ),
    };
    if !fit.corta_factible {
        let more = match page.lang {
            Lang::Es => format!(" Los de intervalo corto piden {short} y su parte es {room}."),
            Lang::En => format!(" Short intervals ask for {short}; their share is {room}."),
        };
        text.push_str(&more);
    }
    text
}

/// `11:15:30`, with the day when it is another.
pub(crate) fn instant(page: &Page, at: impl Borrow<Timestamp>) -> String {
    let at = *at.borrow();
    let (local, now) = (at.to_zoned(page.zone.clone()), page.now.to_zoned(page.zone.clone()));
    let format = if local.date() == now.date() {
        "%H:%M:%S"
    } else {
        page.t("%d/%m/%Y %H:%M:%S", "%d %b %Y %H:%M:%S")
    };
    local.strftime(format).to_string()
}

/// The same, or a dash.
#[allow(clippy::ref_option, reason = "templates pass fields by reference")]
pub(crate) fn when(page: &Page, at: &Option<Timestamp>) -> String {
    at.as_ref().map_or_else(|| "–".to_owned(), |at| instant(page, at))
}

/// `0,4 s`, `43 s`, `2 min 05 s`, `3 h 20 min`: two units at most.
pub(crate) fn span(page: &Page, span: SignedDuration) -> String {
    let seconds = span.as_secs();
    match seconds {
        ..0 => "0\u{a0}s".to_owned(),
        0..10 => format!("{}\u{a0}s", page.decimal(span.as_secs_f64(), 1)),
        10..60 => format!("{seconds}\u{a0}s"),
        60..3_600 => format!("{}\u{a0}min {:02}\u{a0}s", seconds / 60, seconds % 60),
        3_600..86_400 => {
            format!("{}\u{a0}h {:02}\u{a0}min", seconds / 3_600, seconds % 3_600 / 60)
        }
        _ => format!("{}\u{a0}{}", page.number(seconds / 86_400), page.t("días", "days")),
    }
}

/// An interval as people say it: `15 min`, `90 s`, `2 h`.
pub(crate) fn every(seconds: i64) -> String {
    match seconds {
        s if s >= 86_400 && s % 86_400 == 0 => format!("{}\u{a0}d", s / 86_400),
        s if s >= 3_600 && s % 3_600 == 0 => format!("{}\u{a0}h", s / 3_600),
        s if s >= 60 && s % 60 == 0 => format!("{}\u{a0}min", s / 60),
        s => format!("{s}\u{a0}s"),
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
        }
        assert_eq!(event(&page(Lang::En), "SOMETHING_NEW"), "SOMETHING_NEW");
    }

    #[test]
    fn spaces_and_states_of_onus_are_words_of_the_reader() {
        let (es, en) = (page(Lang::Es), page(Lang::En));
        for (word, told) in spaces(&es) {
            assert_ne!(told, space(&en, word), "{word}");
            assert!(!told.contains(word), "no code in a list: {told}");
        }
        assert_eq!(space(&es, "otro"), "otro");
        assert_eq!(onu_state(&es, "ONLINE"), "En línea");
        assert_eq!(onu_state(&en, "ACTIVO"), "Active");
        assert_eq!(onu_state(&en, "WARMING"), "WARMING");
    }

    #[test]
    fn people_read_words() {
        let page = page(Lang::Es);
        assert!(states(&page).iter().all(|(word, text)| !text.contains(word)), "no code in a list");
        assert_eq!(reason(&page, "UNREACHABLE").as_deref(), Some("La OLT no responde"));
        assert_eq!(reason(&page, "QUOTA"), None, "the event itself says so");
    }

    #[test]
    fn feasibility_is_told_with_its_numbers() {
        let fit_view = FitView {
            demanda_por_hora: 480.0,
            capacidad_por_hora: 360.0,
            factible: false,
            porcentaje: 133.33,
            demanda_corta_por_hora: 130.0,
            capacidad_corta_por_hora: 120.0,
            corta_factible: false,
        };
        let told = fit(&page(Lang::Es), &fit_view);
        for number in ["480", "360", "133", "130", "120"] {
            assert!(told.contains(number), "{told}");
        }
    }

    #[test]
    fn times_are_told_in_two_units() {
        let es = page(Lang::Es);
        let told = [-5, 4, 43, 125, 12_000].map(|n| span(&es, SignedDuration::from_secs(n)));
        let plain = told.map(|text| text.replace('\u{a0}', " "));
        assert_eq!(plain, ["0 s", "4,0 s", "43 s", "2 min 05 s", "3 h 20 min"]);
        assert_eq!(every(900).replace('\u{a0}', " "), "15 min");
        assert_eq!(every(90).replace('\u{a0}', " "), "90 s");
    }
}

//! The published settings and how they become a [`Policy`].

use db::{
    Error, Tx,
    settings::{Kind, Setting, Unit, Values},
};
use engine::Word as _;
use host::Section;
use jiff::{SignedDuration, tz::TimeZone};
use serde_json::{Value as Json, json};

use crate::policy::{
    InventoryPolicy, Limits, Policy, ProbePolicy, QuotaPolicy, Resume, SnmpPolicy, SpreadPolicy,
    TestMode,
};

/// Runs at once in total, and so of each type.
pub const MOST_RUNNING: i64 = 500;

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

/// A part of another setting.
const fn up_to(ceiling: &'static str) -> Kind {
    Kind::IntUpTo { min: 1, ceiling }
}

/// Each setting with its name here and outside, what it may be, its default, what people call it, and
/// what it is for in Spanish and in English.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident = $key:literal: $kind:expr, $default:literal,
        ($called_es:literal, $called_en:literal $(, $unit:ident)? $(; $titles:expr)?),
        $es:literal, $en:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $key;)*

        pub const SETTINGS: &[Setting] = &[$(
            Setting::new(crate::NAME, $name, $kind, $default, ($es, $en))
                .called($called_es, $called_en)
                $(.counted_in(Unit::$unit))?
                $(.titled($titles))?
        ),*];
    };
}

settings! {
    PER_MINUTE = "MAX_EXECUTIONS_PER_MINUTE": int(1, 600), "6",
        ("Inicios por minuto", "Starts per minute"),
        "Ejecuciones que pueden empezar por minuto, en toda la red.",
        "Runs that may start per minute, over the whole network.";
    SHORT_PER_MINUTE = "MAX_SHORT_EXECUTIONS_PER_MINUTE": int(1, 600), "2",
        ("Inicios por minuto de intervalo corto", "Starts per minute of short intervals"),
        "De ellas, cuántas pueden ser de nodos de intervalo corto.",
        "How many of them may be of nodes with a short interval.";
    SHORT = "SHORT_INTERVAL_SECONDS": int(1, 86_400), "300",
        ("Intervalo corto: menos de", "Short interval: below", Seconds),
        "Un intervalo menor que estos segundos es corto.",
        "An interval below these seconds is short.";
    MAX_DISCOVERY = "MAX_RUNNING_DESCUBRIMIENTO": up_to(MAX_TOTAL), "10",
        ("Descubrimientos simultáneos", "Discoveries at once"),
        "Descubrimientos simultáneos.",
        "Discoveries that run at once.";
    MAX_GET = "MAX_RUNNING_GET": up_to(MAX_TOTAL), "20",
        ("GET simultáneos", "GETs at once"),
        "GET simultáneos.",
        "GETs that run at once.";
    MAX_TOTAL = "MAX_RUNNING_TOTAL": int(1, MOST_RUNNING), "30",
        ("Ejecuciones simultáneas", "Runs at once"),
        "Ejecuciones simultáneas en total.",
        "Runs at once in total.";
    PER_OLT = "MAX_RUNNING_PER_OLT": int(1, 20), "1",
        ("Ejecuciones simultáneas por OLT", "Runs at once per OLT"),
        "Ejecuciones simultáneas por OLT (nunca dos del mismo tipo).",
        "Runs at once per OLT (never two of one type).";
    QUOTA_RESUME = "QUOTA_RESUME": Kind::Choice(&["next_full_hour", "window_slide"]),
        "\"next_full_hour\"",
        ("Nodo sin cuota: cuándo sigue", "Node without quota: when it goes on"; &[("a la próxima hora en punto", "at the next full hour"), ("cuando se libere", "when it frees itself")]),
        "Adónde va un nodo que agotó su cuota: a la próxima hora en punto, o cuando la cuota se \
         libere.",
        "Where a node goes that used up its quota: to the next full hour, or to when the quota \
         frees itself.";
    QUOTA_PATIENCE = "QUOTA_PATIENCE_SECONDS": int(0, 3_599), "180",
        ("Espera en el lugar", "Wait in place", Seconds),
        "Si la cuota se libera dentro de estos segundos, el nodo espera en su lugar.",
        "If the quota frees itself within these seconds, the node waits in place.";
    QUOTA_SPREAD = "QUOTA_RESUME_SPREAD_SECONDS": int(0, 3_599), "180",
        ("Reparto después de la hora en punto", "Spread after the full hour", Seconds),
        "Segundos después de la hora en punto en que se reparten los saltos.",
        "Seconds after the full hour over which jumps are spread.";
    QUOTA_WARN = "QUOTA_WARN_PERCENT": up_to(QUOTA_ALERT), "80",
        ("Cuota: advertencia", "Quota: warning", Percent),
        "Porcentaje de cuota que avisa.",
        "Share of the quota that warns, in percent.";
    QUOTA_ALERT = "QUOTA_ALERT_PERCENT": int(1, 100), "90",
        ("Cuota: alerta", "Quota: alert", Percent),
        "Porcentaje de cuota que alerta.",
        "Share of the quota that alerts, in percent.";
    QUOTA_ZONE = "QUOTA_TIMEZONE": Kind::Text { max: 60 }, "\"\"",
        ("Zona horaria de la cuota", "Time zone of the quota"),
        "Zona horaria de la hora en punto (nombre IANA); vacía: la del servidor.",
        "Zone of the full hour (IANA name); empty: the server's.";
    SPREAD_EVERY = "REDISTRIBUTION_PERIOD_SECONDS": int(10, 3_600), "120",
        ("Cada cuánto se redistribuye", "How often it redistributes", Seconds),
        "Segundos entre redistribuciones.",
        "Seconds between redistributions.";
    SPREAD_WINDOW = "REDISTRIBUTION_WINDOW_SECONDS": int(0, 1_800), "180",
        ("Cuánto puede moverse un nodo", "How far a node may move", Seconds),
        "Cuánto puede moverse un nodo de su rejilla, en segundos, hacia cada lado.",
        "How far a node may move from its grid, in seconds, either way.";
    SPREAD_LEAST = "REDISTRIBUTION_MINIMUM_SECONDS": int(0, 600), "30",
        ("Cambio mínimo", "Least change", Seconds),
        "Un cambio menor que estos segundos no se hace.",
        "A change of fewer seconds is not made.";
    SPREAD_SETTLED = "REDISTRIBUTION_FREEZE_SECONDS": int(0, 600), "60",
        ("Nodos que ya no se mueven", "Nodes that no longer move", Seconds),
        "Un nodo que vence antes de estos segundos no se mueve.",
        "A node due within these seconds is not moved.";
    STALE = "STALE_RUNNING_SECONDS": int(10, 3_600), "300",
        ("Duración máxima de una ejecución", "Longest run", Seconds),
        "Una ejecución que dura más segundos se corta.",
        "A run that takes more seconds is cut off.";
    PROBE_FIRST = "OLT_RETRY_FIRST_SECONDS": int(1, 3_600), "15",
        ("Primer reintento", "First retry", Seconds),
        "OLT que no responde: segundos hasta el primer reintento.",
        "OLT that does not answer: seconds to the first retry.";
    PROBE_SECOND = "OLT_RETRY_SECOND_SECONDS": int(1, 3_600), "60",
        ("Segundo reintento", "Second retry", Seconds),
        "Hasta el segundo reintento.",
        "Seconds to the second retry.";
    PROBE_THEN = "OLT_RETRY_THEN_SECONDS": int(1, 86_400), "300",
        ("Reintentos siguientes", "Retries after that", Seconds),
        "Entre los siguientes reintentos.",
        "Seconds between the retries after that.";
    TIMEOUT = "SNMP_TIMEOUT_SECONDS": int(1, 60), "5",
        ("Espera de una respuesta", "Wait for an answer", Seconds),
        "Espera de una respuesta SNMP, en segundos.",
        "Wait for an SNMP answer, in seconds.";
    DISCOVERY_RETRIES = "SNMP_RETRIES_DESCUBRIMIENTO": int(0, 10), "1",
        ("Reintentos de un descubrimiento", "Retries of a discovery"),
        "Reintentos SNMP de un descubrimiento.",
        "SNMP retries of a discovery.";
    GET_RETRIES = "SNMP_RETRIES_GET": int(0, 10), "2",
        ("Reintentos de un GET", "Retries of a GET"),
        "Reintentos SNMP de un GET.",
        "SNMP retries of a GET.";
    REPETITIONS = "SNMP_MAX_REPETITIONS": int(1, 200), "25",
        ("Filas por GETBULK", "Rows per GETBULK"),
        "Filas que se piden por GETBULK; se adapta a cada OLT.",
        "Rows asked for by one GETBULK; adapted to each OLT.";
    LEAST_REPETITIONS = "SNMP_MIN_REPETITIONS": int(1, 200), "5",
        ("Filas mínimas para GETBULK", "Least rows for GETBULK"),
        "Por debajo de tantas filas se usa GETNEXT.",
        "Below so many rows GETNEXT is used.";
    VARBINDS = "SNMP_VARBINDS_PER_GET": int(1, 100), "20",
        ("Valores por GET", "Values per GET"),
        "Valores que se piden por GET.",
        "Values asked for by one GET.";
    IN_FLIGHT = "SNMP_IN_FLIGHT_PER_OLT": int(1, 64), "4",
        ("Consultas simultáneas por OLT", "Requests at once per OLT"),
        "Pedidos en vuelo por OLT.",
        "Requests in flight per OLT.";
    ONU_RETRIES = "SNMP_RETRIES_PER_ONU": int(0, 10), "2",
        ("Reintentos por ONU", "Retries per ONU"),
        "Reintentos por ONU en un GET.",
        "Retries per ONU in a GET.";
    MISSES = "ONU_MISSES_BEFORE_DISABLED": int(1, 10), "1",
        ("Recorridos sin una ONU", "Walks without an ONU"),
        "Recorridos sin una ONU antes de darla por deshabilitada.",
        "Walks without an ONU before it is taken for disabled.";
    MASS_LOSS = "ONU_MASS_LOSS_PERCENT": int(1, 100), "30",
        ("Pérdida que retiene un recorrido", "Loss that holds a walk", Percent),
        "Un recorrido que pierde más de este porcentaje de ONU se retiene y se repite.",
        "A walk that loses more than this share of ONUs, in percent, is held and repeated.";
    HISTORY = "HISTORY_DAYS": int(1, 3_650), "7",
        ("Guardar ejecuciones y eventos", "Keep runs and events", Days),
        "Días que se guardan ejecuciones y eventos.",
        "Days that runs and events are kept.";
    /// *Modo prueba*; changed by its own path.
    TEST_MODE = "TEST_MODE": Kind::Internal, "null",
        ("Modo prueba", "Test mode"),
        "Modo prueba.",
        "Test mode.";
}

/// The page of settings, by subject.
pub const SECTIONS: &[Section] = &[
    Section::new(("Límites de ejecución", "Limits of runs"), &["MAX_", SHORT]),
    Section::new(("Cuota por hora", "Hourly quota"), &["QUOTA_"]),
    Section::new(("Redistribución", "Redistribution"), &["REDISTRIBUTION_"]),
    Section::new(("Sin respuesta", "Without an answer"), &[STALE, "OLT_RETRY_"]),
    Section::new(("SNMP", "SNMP"), &["SNMP_"]),
    Section::new(("Inventario de ONU", "Inventory of ONUs"), &["ONU_"]),
];

pub async fn load(context: &host::Context, tx: &mut Tx) -> Result<Policy, Error> {
    from_values(&context.settings.load(tx, crate::NAME).await?, &context.zone)
}

pub fn from_values(values: &Values, house: &TimeZone) -> Result<Policy, Error> {
    let count = |key: &str| {
        let number = values.int(key)?;
        u32::try_from(number).map_err(|_| Error::corrupt(format!("{key} = {number}")))
    };
    let seconds = |key: &str| Ok::<_, Error>(SignedDuration::from_secs(values.int(key)?));
    let resume = Resume::from_word(values.text(QUOTA_RESUME)?);
    Ok(Policy {
        zone: zone(values.text(QUOTA_ZONE)?, house),
        limits: Limits {
            per_minute: count(PER_MINUTE)?,
            short_per_minute: count(SHORT_PER_MINUTE)?,
            discovery: count(MAX_DISCOVERY)?,
            get: count(MAX_GET)?,
            total: count(MAX_TOTAL)?,
            per_olt: count(PER_OLT)?,
            short: seconds(SHORT)?,
        },
        quota: QuotaPolicy {
            resume: resume.ok_or_else(|| Error::corrupt(QUOTA_RESUME))?,
            wait_in_place: seconds(QUOTA_PATIENCE)?,
            spread: seconds(QUOTA_SPREAD)?,
            warn_percent: count(QUOTA_WARN)?,
            alert_percent: count(QUOTA_ALERT)?,
        },
        spread: SpreadPolicy {
            every: seconds(SPREAD_EVERY)?,
            window: seconds(SPREAD_WINDOW)?,
            significant: seconds(SPREAD_LEAST)?,
            settled: seconds(SPREAD_SETTLED)?,
            ..SpreadPolicy::default()
        },
        stale: seconds(STALE)?,
        probe: ProbePolicy {
            delays: [seconds(PROBE_FIRST)?, seconds(PROBE_SECOND)?, seconds(PROBE_THEN)?],
        },
        snmp: SnmpPolicy {
            timeout: seconds(TIMEOUT)?,
            discovery_retries: count(DISCOVERY_RETRIES)?,
            get_retries: count(GET_RETRIES)?,
            repetitions: count(REPETITIONS)?,
            least_repetitions: count(LEAST_REPETITIONS)?,
            varbinds: count(VARBINDS)?,
            in_flight: count(IN_FLIGHT)?,
            onu_retries: count(ONU_RETRIES)?,
        },
        inventory: InventoryPolicy { misses: count(MISSES)?, mass_loss_percent: count(MASS_LOSS)? },
        test_mode: test_mode(values.get(TEST_MODE).map_or(&Json::Null, |one| &one.value)),
        history: SignedDuration::from_hours(24 * values.int(HISTORY)?),
    })
}

fn zone(name: &str, house: &TimeZone) -> TimeZone {
    match name.trim() {
        "" => house.clone(),
        name => TimeZone::get(name).unwrap_or_else(|_| house.clone()),
    }
}

fn test_mode(kept: &Json) -> TestMode {
    let number = |name: &str| kept[name].as_i64().unwrap_or_default();
    if kept["on"] != true {
        return TestMode::Off;
    }
    TestMode::On {
        duration: SignedDuration::from_millis(number("millis")),
        success_percent: u32::try_from(number("success")).unwrap_or(100).min(100),
    }
}

/// As [`test_mode`] reads it.
pub fn test_mode_json(mode: TestMode) -> Json {
    match mode {
        TestMode::Off => Json::Null,
        TestMode::On { duration, success_percent } => json!({
            "on": true, "millis": duration.as_millis() as i64, "success": success_percent,
        }),
    }
}

/// Text of the right length that still says nothing.
pub fn senseless(_: &host::Options, key: &str, value: &Json) -> Option<(String, String)> {
    let text = value.as_str()?.trim();
    let unknown = key == QUOTA_ZONE && !text.is_empty() && TimeZone::get(text).is_err();
    unknown.then(|| {
        (format!("no existe la zona horaria «{text}»"), format!("there is no time zone “{text}”"))
    })
}

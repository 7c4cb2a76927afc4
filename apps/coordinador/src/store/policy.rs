//! The published settings and how they become a [`Policy`].

use db::{
    Error, Tx,
    settings::{Kind, Setting, Values},
};
use engine::Word as _;
use jiff::{SignedDuration, tz::TimeZone};
use serde_json::{Value as Json, json};

use crate::policy::{
    InventoryPolicy, Limits, Policy, ProbePolicy, QuotaPolicy, Resume, SnmpPolicy, SpreadPolicy,
    TestMode,
};

pub const PER_MINUTE: &str = "MAX_EXECUTIONS_PER_MINUTE";
pub const SHORT_PER_MINUTE: &str = "MAX_SHORT_EXECUTIONS_PER_MINUTE";
pub const SHORT: &str = "SHORT_INTERVAL_SECONDS";
pub const MAX_DISCOVERY: &str = "MAX_RUNNING_DESCUBRIMIENTO";
pub const MAX_GET: &str = "MAX_RUNNING_GET";
pub const MAX_TOTAL: &str = "MAX_RUNNING_TOTAL";
pub const PER_OLT: &str = "MAX_RUNNING_PER_OLT";
pub const QUOTA_RESUME: &str = "QUOTA_RESUME";
pub const QUOTA_PATIENCE: &str = "QUOTA_PATIENCE_SECONDS";
pub const QUOTA_SPREAD: &str = "QUOTA_RESUME_SPREAD_SECONDS";
pub const QUOTA_WARN: &str = "QUOTA_WARN_PERCENT";
pub const QUOTA_ALERT: &str = "QUOTA_ALERT_PERCENT";
pub const QUOTA_ZONE: &str = "QUOTA_TIMEZONE";
pub const SPREAD_EVERY: &str = "REDISTRIBUTION_PERIOD_SECONDS";
pub const SPREAD_WINDOW: &str = "REDISTRIBUTION_WINDOW_SECONDS";
pub const SPREAD_LEAST: &str = "REDISTRIBUTION_MINIMUM_SECONDS";
pub const SPREAD_SETTLED: &str = "REDISTRIBUTION_FREEZE_SECONDS";
pub const STALE: &str = "STALE_RUNNING_SECONDS";
pub const PROBE_FIRST: &str = "OLT_RETRY_FIRST_SECONDS";
pub const PROBE_SECOND: &str = "OLT_RETRY_SECOND_SECONDS";
pub const PROBE_THEN: &str = "OLT_RETRY_THEN_SECONDS";
pub const TIMEOUT: &str = "SNMP_TIMEOUT_SECONDS";
pub const DISCOVERY_RETRIES: &str = "SNMP_RETRIES_DESCUBRIMIENTO";
pub const GET_RETRIES: &str = "SNMP_RETRIES_GET";
pub const REPETITIONS: &str = "SNMP_MAX_REPETITIONS";
pub const LEAST_REPETITIONS: &str = "SNMP_MIN_REPETITIONS";
pub const VARBINDS: &str = "SNMP_VARBINDS_PER_GET";
pub const IN_FLIGHT: &str = "SNMP_IN_FLIGHT_PER_OLT";
pub const ONU_RETRIES: &str = "SNMP_RETRIES_PER_ONU";
pub const MISSES: &str = "ONU_MISSES_BEFORE_DISABLED";
pub const MASS_LOSS: &str = "ONU_MASS_LOSS_PERCENT";
pub const HISTORY: &str = "HISTORY_DAYS";
/// *Modo prueba*; changed by its own path.
pub const TEST_MODE: &str = "TEST_MODE";

const fn setting(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    help: (&'static str, &'static str),
) -> Setting {
    Setting { app: crate::NAME, key, kind, default, help }
}

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

pub const SETTINGS: &[Setting] = &[
    setting(
        PER_MINUTE,
        int(1, 600),
        "6",
        (
            "Ejecuciones que pueden empezar por minuto, en toda la red.",
            "Runs that may start per minute, over the whole network.",
        ),
    ),
    setting(
        SHORT_PER_MINUTE,
        int(1, 600),
        "2",
        (
            "De ellas, cuántas pueden ser de nodos de intervalo corto.",
            "How many of them may be of nodes with a short interval.",
        ),
    ),
    setting(
        SHORT,
        int(1, 86_400),
        "300",
        (
            "Un intervalo menor que estos segundos es corto.",
            "An interval below these seconds is short.",
        ),
    ),
    setting(
        MAX_DISCOVERY,
        int(1, 500),
        "10",
        ("Descubrimientos simultáneos.", "Discoveries that run at once."),
    ),
    setting(MAX_GET, int(1, 500), "20", ("GET simultáneos.", "GETs that run at once.")),
    setting(
        MAX_TOTAL,
        int(1, 500),
        "30",
        ("Ejecuciones simultáneas en total.", "Runs at once in total."),
    ),
    setting(
        PER_OLT,
        int(1, 20),
        "1",
        (
            "Ejecuciones simultáneas por OLT (nunca dos del mismo tipo).",
            "Runs at once per OLT (never two of one type).",
        ),
    ),
    setting(
        QUOTA_RESUME,
        Kind::Choice(&["next_full_hour", "window_slide"]),
        "\"next_full_hour\"",
        (
            "Adónde va un nodo que agotó su cuota: a la próxima hora en punto, o cuando la cuota se \
             libere.",
            "Where a node goes that used up its quota: to the next full hour, or to when the quota \
             frees itself.",
        ),
    ),
    setting(
        QUOTA_PATIENCE,
        int(0, 3_599),
        "180",
        (
            "Si la cuota se libera dentro de estos segundos, el nodo espera en su lugar.",
            "If the quota frees itself within these seconds, the node waits in place.",
        ),
    ),
    setting(
        QUOTA_SPREAD,
        int(0, 3_599),
        "180",
        (
            "Segundos después de la hora en punto en que se reparten los saltos.",
            "Seconds after the full hour over which jumps are spread.",
        ),
    ),
    setting(
        QUOTA_WARN,
        int(1, 100),
        "80",
        ("Porcentaje de cuota que avisa.", "Share of the quota that warns, in percent."),
    ),
    setting(
        QUOTA_ALERT,
        int(1, 100),
        "90",
        ("Porcentaje de cuota que alerta.", "Share of the quota that alerts, in percent."),
    ),
    setting(
        QUOTA_ZONE,
        Kind::Text { max: 60 },
        "\"\"",
        (
            "Zona horaria de la hora en punto (nombre IANA); vacía: la de la casa.",
            "Zone of the full hour (IANA name); empty: the house's.",
        ),
    ),
    setting(
        SPREAD_EVERY,
        int(10, 3_600),
        "120",
        ("Segundos entre redistribuciones.", "Seconds between redistributions."),
    ),
    setting(
        SPREAD_WINDOW,
        int(0, 1_800),
        "180",
        (
            "Cuánto puede moverse un nodo de su grilla, en segundos, hacia cada lado.",
            "How far a node may move from its grid, in seconds, either way.",
        ),
    ),
    setting(
        SPREAD_LEAST,
        int(0, 600),
        "30",
        (
            "Un cambio menor que estos segundos no se hace.",
            "A change of fewer seconds is not made.",
        ),
    ),
    setting(
        SPREAD_SETTLED,
        int(0, 600),
        "60",
        (
            "Un nodo que vence antes de estos segundos no se mueve.",
            "A node due within these seconds is not moved.",
        ),
    ),
    setting(
        STALE,
        int(10, 3_600),
        "300",
        (
            "Una ejecución que dura más segundos se corta.",
            "A run that takes more seconds is cut off.",
        ),
    ),
    setting(
        PROBE_FIRST,
        int(1, 3_600),
        "15",
        (
            "OLT que no responde: segundos hasta el primer reintento.",
            "OLT that does not answer: seconds to the first retry.",
        ),
    ),
    setting(
        PROBE_SECOND,
        int(1, 3_600),
        "60",
        ("Hasta el segundo reintento.", "Seconds to the second retry."),
    ),
    setting(
        PROBE_THEN,
        int(1, 86_400),
        "300",
        ("Entre los siguientes reintentos.", "Seconds between the retries after that."),
    ),
    setting(
        TIMEOUT,
        int(1, 60),
        "5",
        ("Espera de una respuesta SNMP, en segundos.", "Wait for an SNMP answer, in seconds."),
    ),
    setting(
        DISCOVERY_RETRIES,
        int(0, 10),
        "1",
        ("Reintentos SNMP de un descubrimiento.", "SNMP retries of a discovery."),
    ),
    setting(GET_RETRIES, int(0, 10), "2", ("Reintentos SNMP de un GET.", "SNMP retries of a GET.")),
    setting(
        REPETITIONS,
        int(1, 200),
        "25",
        (
            "Filas que se piden por GETBULK; se adapta a cada OLT.",
            "Rows asked for by one GETBULK; adapted to each OLT.",
        ),
    ),
    setting(
        LEAST_REPETITIONS,
        int(1, 200),
        "5",
        ("Por debajo de tantas filas se usa GETNEXT.", "Below so many rows GETNEXT is used."),
    ),
    setting(
        VARBINDS,
        int(1, 100),
        "20",
        ("Valores que se piden por GET.", "Values asked for by one GET."),
    ),
    setting(
        IN_FLIGHT,
        int(1, 64),
        "4",
        ("Pedidos en vuelo por OLT.", "Requests in flight per OLT."),
    ),
    setting(
        ONU_RETRIES,
        int(0, 10),
        "2",
        ("Reintentos por ONU en un GET.", "Retries per ONU in a GET."),
    ),
    setting(
        MISSES,
        int(1, 10),
        "1",
        (
            "Recorridos sin una ONU antes de darla por deshabilitada.",
            "Walks without an ONU before it is taken for disabled.",
        ),
    ),
    setting(
        MASS_LOSS,
        int(1, 100),
        "30",
        (
            "Un recorrido que pierde más de este porcentaje de ONU se retiene y se repite.",
            "A walk that loses more than this share of ONUs, in percent, is held and repeated.",
        ),
    ),
    setting(
        HISTORY,
        int(1, 3_650),
        "7",
        ("Días que se guardan ejecuciones y eventos.", "Days that runs and events are kept."),
    ),
    setting(TEST_MODE, Kind::Internal, "null", ("Modo prueba.", "Test mode.")),
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
            patience: seconds(QUOTA_PATIENCE)?,
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
pub fn senseless(key: &str, value: &Json) -> Option<(String, String)> {
    let text = value.as_str()?.trim();
    let unknown = key == QUOTA_ZONE && !text.is_empty() && TimeZone::get(text).is_err();
    unknown.then(|| {
        (format!("no existe la zona horaria «{text}»"), format!("there is no time zone “{text}”"))
    })
}
